/** Positions of before a fill that was told are told to nobody, under whatever time a server shows them; and an honest exchange is believed. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";
import { openLiquidRig, takes } from "./liquid-rig.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type State = { time: number };

/** Of the native dex, from now on: as it is now, under the time of each moment, until `isOver`. */
async function standStill(rig: PaperRig, isOver: () => boolean): Promise<void> {
  const user = FIRST.account.tradingAddress;
  const then = (await rig.info({ type: "clearinghouseState", user, dex: "" })) as State;
  // By the exchange's own clock, whatever ours is set to.
  const aheadMs = then.time - rig.clock.elapsedMs();
  const others = rig.interfere;
  rig.interfere = (request) => {
    const { type, dex, user: asked } = request;
    return type !== "clearinghouseState" || dex !== "" || asked !== user || isOver()
      ? others?.(request)
      : { ...then, time: rig.clock.elapsedMs() + aheadMs };
  };
}

/** Fills are listed so late. */
function lateFills(rig: PaperRig, lateMs: number): void {
  const aheadMs = rig.clock.nowMs() - rig.clock.elapsedMs();
  rig.interfere = async (request) => {
    if (request["type"] !== "userFillsByTime") return undefined;
    const rows = (await rig.info(request)) as State[];
    return rows.filter(({ time }) => time <= rig.clock.elapsedMs() + aheadMs - lateMs);
  };
}

async function positions(rig: PaperRig): Promise<[status: number, sizes: unknown]> {
  const { status, body } = await rig.answer(FIRST, { route: "GET /v1/positions" });
  const rows = body["data"] as { side: string; size: string }[] | undefined;
  return [status, rows?.map(({ side, size }) => `${side} ${size}`) ?? body["error"]];
}

const BEHIND = { code: "exchange_unreachable" };

test.each(["/v1/positions", "/v1/account"])("what was bought is in %s once a server shows it", async (path) => {
  const rig = await openLiquidRig();
  const untilMs = rig.clock.nowMs() + 4 * SECOND;
  await standStill(rig, () => rig.clock.nowMs() >= untilMs);
  await takes(rig, "buy");
  const { status, text } = await rig.answer(FIRST, { route: `GET ${path}` });
  expect(status).toBe(200);
  expect(rig.clock.nowMs()).toBeGreaterThanOrEqual(untilMs);
  expect(text).toContain(path === "/v1/positions" ? '"size":"0.01"' : '"margin_used":"47.5"');
});

test("positions of before it are told to nobody, and believed when no server can be behind any more", async () => {
  const rig = await openLiquidRig();
  await takes(rig, "buy");
  expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
  await standStill(rig, () => false);
  await takes(rig, "buy");
  expect(await positions(rig)).toMatchObject([503, BEHIND]);
  await rig.clock.advance(MINUTE);
  expect(await positions(rig)).toMatchObject([503, BEHIND]);
  await rig.clock.advance(90 * SECOND);
  expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
});

test.each(WALL_CLOCKS)(
  "they are told to nobody where our wall clock %s: before a told fill, and after it",
  async (_what, before, since) => {
    const rig = await openLiquidRig();
    // The answers to orders alone tell of it.
    lateFills(rig, 10 * MINUTE);
    await takes(rig, "buy");
    expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
    await standStill(rig, () => false);
    await rig.clock.advance(SECOND);
    rig.clock.stepWall(before);
    await takes(rig, "buy");
    rig.clock.stepWall(since);
    expect(await positions(rig)).toMatchObject([503, BEHIND]);
    await rig.clock.advance(MINUTE);
    expect(await positions(rig)).toMatchObject([503, BEHIND]);
    await rig.clock.advance(90 * SECOND);
    expect((await positions(rig))[0]).toBe(200);
  },
);

test.each(WALL_CLOCKS)(
  "an honest server is believed at once where our wall clock %s: before a told fill, and after it",
  async (_what, before, since) => {
    const rig = await openLiquidRig();
    lateFills(rig, 2 * SECOND);
    await takes(rig, "buy");
    expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
    rig.clock.stepWall(before);
    await takes(rig, "buy");
    rig.clock.stepWall(since);
    const beganMs = rig.clock.elapsedMs();
    expect(await positions(rig)).toEqual([200, ["long 0.02"]]);
    expect(rig.clock.elapsedMs() - beganMs).toBeLessThanOrEqual(SECOND);
    await rig.clock.advance(5 * SECOND);
    await takes(rig, "sell");
    expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
  },
);

test.each(WALL_CLOCKS)(
  "positions that others have moved, whose fills are not listed yet, are held against what was read before, where our wall clock %s",
  async (_what, before, since) => {
    const rig = await openLiquidRig();
    lateFills(rig, 10 * MINUTE);
    await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
    await rig.clock.advance(3 * SECOND);
    expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
    await standStill(rig, () => false);
    await rig.clock.advance(SECOND);
    rig.clock.stepWall(before);
    await takes(rig, "buy");
    rig.clock.stepWall(since);
    expect(await positions(rig)).toMatchObject([503, BEHIND]);
  },
);

test("after a start as well, by the fills that are kept and by the answers to orders", async () => {
  const rig = await openLiquidRig();
  await takes(rig, "buy");
  await standStill(rig, () => false);
  await takes(rig, "sell");
  rig.store.memory.shownPositions.clear();
  expect(await positions(rig)).toMatchObject([503, BEHIND]);
});

test("a position that is closed is not told to be nothing by a server that has not seen it opened", async () => {
  const rig = await openLiquidRig();
  await standStill(rig, () => false);
  await takes(rig, "buy");
  const asked = rig.answer(FIRST, {
    route: "POST /v1/positions/close",
    body: { account: FIRST.account.id, market: "BTC" },
  });
  const { status, text } = await asked;
  expect([status, text.includes("nothing")]).toEqual([503, false]);
});

test("a bot that buys and sells fifty times, with fills that are listed two seconds late, is told each position within a second", async () => {
  const rig = await openLiquidRig();
  lateFills(rig, 2 * SECOND);
  for (let nth = 0; nth < 50; nth += 1) {
    await takes(rig, nth % 2 === 0 ? "buy" : "sell");
    const beganMs = rig.clock.nowMs();
    expect([nth, ...(await positions(rig))]).toEqual([nth, 200, nth % 2 === 0 ? ["long 0.01"] : []]);
    // Who reads is answered together with whoever asked within the second before.
    expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(SECOND);
    await rig.clock.advance(nth % 7 === 0 ? 900 : 50);
  }
});

test("what is sold by hand, back to where it stood, is told once its fill is listed, two seconds late", async () => {
  const rig = await openLiquidRig();
  expect(await positions(rig)).toEqual([200, []]);
  lateFills(rig, 2 * SECOND);
  await takes(rig, "buy");
  expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "sell", size: "0.01", price: "59990" }));
  await rig.clock.advance(3 * SECOND);
  expect(await positions(rig)).toEqual([200, []]);
});

test("what rests and is filled, back to where it stood, is told once its fill is listed, two seconds late", async () => {
  const rig = await openLiquidRig();
  lateFills(rig, 2 * SECOND);
  await takes(rig, "buy");
  expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
  const body = { account: FIRST.account.id, market: "BTC", side: "sell", size: "0.01", price: "60005" };
  await rig.answer(FIRST, { route: "POST /v1/orders", body });
  await rig.clock.advance(3 * SECOND);
  await rig.trade("buy", "0.01", "60005");
  const beganMs = rig.clock.nowMs();
  expect(await positions(rig)).toEqual([200, []]);
  expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(4 * SECOND);
});

/** Holds 0.01, and then as much more by hand as `bought`: nothing tells of that before its fill is listed. */
async function moved(rig: PaperRig, bought: string): Promise<void> {
  await takes(rig, "buy");
  expect(await positions(rig)).toEqual([200, ["long 0.01"]]);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: bought, price: "60010" }));
}

test("what others have moved as well is not told as of after a fill while nobody can say that it is", async () => {
  const rig = await openLiquidRig();
  lateFills(rig, 10 * MINUTE);
  await moved(rig, "0.02");
  await standStill(rig, () => false);
  await takes(rig, "sell");
  expect(await positions(rig)).toMatchObject([503, BEHIND]);
});

test("it is told once the fills are listed, two seconds late", async () => {
  const rig = await openLiquidRig();
  lateFills(rig, 2 * SECOND);
  await moved(rig, "0.02");
  await takes(rig, "sell");
  const beganMs = rig.clock.nowMs();
  expect(await positions(rig)).toEqual([200, ["long 0.02"]]);
  expect(rig.clock.nowMs() - beganMs).toBeLessThanOrEqual(4 * SECOND);
});

test("what another machine trades to and fro each second is never an error, with fills that are always one trade behind", async () => {
  const rig = await openLiquidRig();
  lateFills(rig, SECOND);
  await takes(rig, "buy");
  let isOver = false;
  const trading = (async () => {
    for (let nth = 0; !isOver; nth += 1) {
      const side = nth % 2 === 0 ? "sell" : "buy";
      const price = side === "buy" ? "60010" : "59990";
      await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side, size: "0.01", price }));
      await rig.clock.sleep(SECOND);
    }
  })();
  for (let nth = 0; nth < 12; nth += 1) {
    expect([nth, (await positions(rig))[0]]).toEqual([nth, 200]);
    await rig.clock.advance(3 * SECOND);
  }
  isOver = true;
  await rig.clock.advance(2 * SECOND);
  await trading;
});

/** Of an order that was placed past this gateway: from then on its fill is told, and the positions that servers and feeds show are of before it. */
async function boughtByHand(rig: PaperRig): Promise<void> {
  rig.frames = (text, arrive) => void (/"channel":"(allDexs)?[cC]learinghouseState/.test(text) || arrive());
  await standStill(rig, () => false);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
  for (let seconds = 0; seconds < 60; seconds += 1) {
    const { text } = await rig.answer(FIRST, { route: "GET /v1/fills" });
    if (text.includes('"size":"0.01"')) return;
    await rig.clock.advance(SECOND);
  }
  throw new Error("its fill was not told");
}

test("what was read before a fill by hand was told, under a time of after it, says nothing against that fill", async () => {
  const rig = await openLiquidRig();
  const others = rig.interfere;
  let isListed = false;
  rig.interfere = async (request) => (request["type"] === "userFillsByTime" && !isListed ? [] : others?.(request));
  await standStill(rig, () => false);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.01", price: "60010" }));
  // What was shown before it is too old by then.
  await rig.clock.advance(12 * SECOND);
  expect(await positions(rig)).toEqual([200, []]);
  isListed = true;
  await rig.clock.advance(31 * SECOND);
  expect((await rig.answer(FIRST, { route: "GET /v1/fills" })).text).toContain('"size":"0.01"');
  expect(await positions(rig)).toMatchObject([503, BEHIND]);
});

test.each([
  ["/v1/positions", true],
  ["/v1/positions", false],
  ["/v1/account", true],
  ["/v1/account", false],
])(
  "once a fill of an order placed by hand is listed, %s shows nothing of before it (with a feed: %p)",
  async (path, hasFeed) => {
    const rig = await openPaperRig({ hasFeed });
    await rig.trade("sell", "10", "60010");
    await rig.clock.advance(20 * SECOND);
    expect(await positions(rig)).toEqual([200, []]);
    await boughtByHand(rig);
    const refused = await rig.answer(FIRST, { route: `GET ${path}` });
    expect([refused.status, refused.body["error"]]).toMatchObject([503, BEHIND]);
    rig.interfere = () => undefined;
    const { status, text } = await rig.answer(FIRST, { route: `GET ${path}` });
    expect(status).toBe(200);
    expect(text).toContain(path === "/v1/positions" ? '"size":"0.01"' : '"margin_used":"47.5"');
  },
);
