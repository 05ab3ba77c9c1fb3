/** What an owner does by hand, past this gateway, is shown within a second, or the answer says that it is of before. */
import { describe, expect, test } from "bun:test";
import { FIRST, limitOrder, type PaperRig } from "../support/paper-rig.ts";
import {
  account,
  BUY,
  EVERY_FIVE_SECONDS,
  expectOfNow,
  ON_CHANGE,
  ONE_SECOND,
  onFrames,
  openOrders,
  openWorld,
  poll,
  positions,
  WORLDS,
  weightOf,
  write,
} from "./shown-account.ts";

type Listed = { oid: number }[];

function place(rig: PaperRig, order: { side?: "buy" | "sell"; size?: string; price?: string } = {}): Promise<unknown> {
  return rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.03", price: "59000", ...order }));
}

async function cancelAll(rig: PaperRig): Promise<void> {
  const listed = (await rig.info({ type: "frontendOpenOrders", user: FIRST.account.tradingAddress })) as Listed;
  const cancels = listed.map(({ oid }) => ({ a: 0, o: BigInt(oid) }));
  await rig.elsewhere(FIRST, { type: "cancel", cancels });
}

describe.each(WORLDS)("where states are told %s", (_name, world) => {
  /** Until it has to be shown: an answer may be a second old without saying so. */
  const aSecond = (rig: PaperRig) => rig.clock.advance(1_100);

  test("an order is shown, and no more once it was canceled", async () => {
    const rig = await openWorld(world);
    await openOrders(rig);
    await place(rig);
    const placedMs = rig.clock.elapsedMs();
    await aSecond(rig);
    const one = await openOrders(rig);
    expectOfNow(rig, one, { sinceMs: placedMs, isShown: one.rows.length === 1, withinMs: ONE_SECOND });
    await rig.clock.advance(10 * ONE_SECOND);
    expect((await openOrders(rig)).rows).toMatchObject([{ size: "0.03", filled_size: "0", status: "open" }]);
    await cancelAll(rig);
    const canceledMs = rig.clock.elapsedMs();
    await aSecond(rig);
    const none = await openOrders(rig);
    expectOfNow(rig, none, { sinceMs: canceledMs, isShown: none.rows.length === 0, withinMs: ONE_SECOND });
    await rig.clock.advance(10 * ONE_SECOND);
    expect((await openOrders(rig)).rows).toEqual([]);
  });

  test("what is filled of an order is shown, and no more of it once it is filled", async () => {
    const rig = await openWorld(world);
    await place(rig, { price: "60000" });
    await rig.clock.advance(11 * ONE_SECOND);
    expect((await openOrders(rig)).rows).toMatchObject([{ filled_size: "0" }]);
    for (const filled of ["0.01", "0.02", null]) {
      await rig.trade("sell", "0.01", "60000");
      const sinceMs = rig.clock.elapsedMs();
      await aSecond(rig);
      const shown = await openOrders(rig);
      const isShown = (shown.rows[0]?.["filled_size"] ?? null) === filled;
      expectOfNow(rig, shown, { sinceMs, isShown, withinMs: ONE_SECOND });
    }
  });

  test("a position is shown as it was left", async () => {
    const rig = await openWorld(world);
    for (const [side, price, size] of [
      ["buy", "60010", "0.03"],
      ["sell", "59990", undefined],
    ] as const) {
      await place(rig, { side, price });
      const sinceMs = rig.clock.elapsedMs();
      for (let times = 0; times < 12; times += 1) {
        await rig.clock.advance(500);
        const shown = await positions(rig);
        const isShown = shown.rows[0]?.["size"] === size;
        expectOfNow(rig, shown, { sinceMs, isShown, withinMs: 6 * ONE_SECOND });
      }
    }
  });

  test("an order that waits for its trigger is shown as that", async () => {
    const rig = await openWorld(world);
    await place(rig, { side: "buy", price: "60010" });
    const trigger = { isMarket: false, triggerPx: "94000", tpsl: "sl" };
    const stop = { a: 0, b: false, p: "99000", s: "0.03", r: true, t: { trigger } };
    await rig.elsewhere(FIRST, { type: "order", orders: [stop], grouping: "na" } as never);
    const placedMs = rig.clock.elapsedMs();
    await aSecond(rig);
    const waiting = await openOrders(rig);
    const isShown = waiting.rows[0]?.["status"] === "waiting_for_trigger";
    expectOfNow(rig, waiting, { sinceMs: placedMs, isShown, withinMs: ONE_SECOND });
  });

  test("an order of ours waits for its trigger, and is open once that has fired", async () => {
    const rig = await openWorld(world);
    await place(rig, { side: "buy", price: "60010" });
    const trigger = { kind: "stop_loss", price: "94000", market: false };
    const terms = { side: "sell", size: "0.03", price: "99000", reduce_only: true, trigger };
    const stop = await write(rig, "/v1/orders", { account: FIRST.account.id, market: "BTC", ...terms });
    expect((await openOrders(rig)).rows).toMatchObject([{ id: stop.body["id"], status: "waiting_for_trigger" }]);
    await rig.clock.advance(10 * ONE_SECOND);
    rig.paper.setPrice("BTC", 90_000n * 10n ** 8n);
    const sinceMs = rig.clock.elapsedMs();
    for (let times = 0; times < 4; times += 1) {
      await rig.clock.advance(ONE_SECOND);
      const shown = await openOrders(rig);
      expect(shown.rows).toHaveLength(1);
      const isShown = shown.rows[0]?.["status"] === "open";
      if (world.hasFeed) expectOfNow(rig, shown, { sinceMs, isShown, withinMs: 2 * ONE_SECOND });
    }
  });
});

test("an order of ours is listed beside one that was placed by hand after it, however late their list comes", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  const { body } = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
  await openOrders(rig);
  await rig.clock.advance(100);
  await place(rig);
  for (let times = 0; times < 4; times += 1) {
    await rig.clock.advance(100);
    const { rows } = await openOrders(rig);
    expect(rows.map(({ id }) => id)).toContain(body["id"]);
    expect(rows).toHaveLength(2);
  }
});

test("a trigger that was set by hand and has fired waits no more, before its list is told and when it is asked for", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  await place(rig, { side: "buy", price: "60010" });
  const trigger = { isMarket: false, triggerPx: "94000", tpsl: "sl" };
  const stop = { a: 0, b: false, p: "99000", s: "0.03", r: true, t: { trigger } };
  await rig.elsewhere(FIRST, { type: "order", orders: [stop], grouping: "na" } as never);
  await rig.clock.advance(10 * ONE_SECOND);
  expect((await openOrders(rig)).rows).toMatchObject([{ status: "waiting_for_trigger" }]);
  rig.paper.setPrice("BTC", 90_000n * 10n ** 8n);
  for (let times = 0; times < 12; times += 1) {
    await rig.clock.advance(500);
    if (times === 0) continue;
    const [row] = (await openOrders(rig)).rows;
    const { body } = await rig.answer(FIRST, { route: `GET /v1/orders/${row?.["exchange_order_id"]}` });
    expect([row?.["status"], body["status"]]).toEqual(["open", "open"]);
  }
});

describe("where the list of open orders is told no more", () => {
  const silenced = async (): Promise<PaperRig> => {
    const rig = await openWorld(ON_CHANGE);
    onFrames(rig, (frame) => void (frame.channel === "openOrders" || frame.arrive()));
    return rig;
  };

  test("each of eight orders is asked for once", async () => {
    const rig = await silenced();
    for (let nth = 0; nth < 8; nth += 1) await place(rig, { price: `5900${nth}` });
    await rig.clock.advance(500);
    await openOrders(rig);
    rig.asked.length = 0;
    await poll(rig, 10 * ONE_SECOND, async () => {
      const { rows, ageMs } = await openOrders(rig);
      expect([rows.length, (ageMs ?? 0) <= 6 * ONE_SECOND]).toEqual([8, true]);
    });
    expect(weightOf(rig.asked)).toBeLessThanOrEqual(20);
    await cancelAll(rig);
    await rig.clock.advance(900);
    expect((await openOrders(rig)).rows).toEqual([]);
  });

  test("one whose record cannot be read makes the list one of before it", async () => {
    const rig = await silenced();
    rig.interfere = ({ type }) => (type === "orderStatus" ? { status: "unknownOid" } : undefined);
    await place(rig);
    const sinceMs = rig.clock.elapsedMs();
    await poll(rig, 7 * ONE_SECOND, async () => {
      const shown = await openOrders(rig);
      expectOfNow(rig, shown, { sinceMs, isShown: shown.rows.length === 1, withinMs: ONE_SECOND });
    });
  });

  test("one whose record says that it is over is asked for once, and leaves the list of now", async () => {
    const rig = await silenced();
    // Its end is told to nobody.
    onFrames(rig, ({ channel, text, arrive }) => {
      if (channel !== "openOrders" && !text.includes('"status":"canceled"')) arrive();
    });
    await place(rig);
    await cancelAll(rig);
    await rig.clock.advance(500);
    rig.asked.length = 0;
    for (let times = 0; times < 5; times += 1) {
      expect((await openOrders(rig)).rows).toEqual([]);
      await rig.clock.advance(ONE_SECOND);
    }
    expect(rig.asked.filter((type) => type === "orderStatus").length).toBe(1);
  });
});

/** Where a frame tells a mode it is `abstraction`; nobody knows of which accounts it does. */
function asUnified(rig: PaperRig): void {
  rig.interfere = ({ type }) => (type === "userAbstraction" ? "unifiedAccount" : undefined);
}

const UNNAMED = "frames that do not name the mode";

describe(UNNAMED, () => {
  test("show a unified account by its own figures, always", async () => {
    const rig = await openWorld(ON_CHANGE, asUnified);
    const told = new Set<unknown>();
    for (let minute = 0; minute < 9; minute += 1) {
      told.add((await account(rig)).row["account_mode"]);
      await place(rig, { side: "buy", price: "60010" });
      await rig.clock.advance(59 * ONE_SECOND);
    }
    const events = rig.store.$client.query<{ payload: string }, []>(
      "select payload from events where type = 'balance.updated'",
    );
    for (const { payload } of events.all()) told.add(JSON.parse(payload).account_mode);
    expect([...told]).toEqual(["unified"]);
  });

  test("do not hide that an account has become a unified one", async () => {
    const rig = await openWorld(EVERY_FIVE_SECONDS);
    expect((await account(rig)).row["account_mode"]).toBe("standard");
    asUnified(rig);
    await rig.clock.advance(8 * 60 * ONE_SECOND);
    expect((await account(rig)).row["account_mode"]).toBe("unified");
  });

  test("tell it at once where they name it", async () => {
    const rig = await openWorld(EVERY_FIVE_SECONDS);
    onFrames(rig, ({ text, arrive }) =>
      arrive(text.replace('"isVault":', '"abstraction":"unifiedAccount","isVault":')),
    );
    await rig.clock.advance(6 * ONE_SECOND);
    rig.asked.length = 0;
    expect((await account(rig)).row["account_mode"]).toBe("unified");
    expect(rig.asked.filter((type) => type === "userAbstraction")).toEqual([]);
  });
});
