/** Trades of a machine that is lost, on the one that its snapshot is restored on: one position, and its stop. */
import { expect, test } from "bun:test";
import { backUp } from "../../src/ops/back-up.ts";
import { grantBody, grantText, signGrant } from "../support/limited-key.ts";
import { ACCOUNT, type Machine, START_MS } from "../support/machine.ts";
import { limit, PLACE, restored, withLab } from "./restore-lab.ts";

const TRADE = {
  account: ACCOUNT.id,
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: "90000" },
  stop_loss: { trigger_price: "85000" },
};

type ShownTrade = { id: string; status: string; error: string | null; filled_size: string; protected: boolean };

async function shownTrade(machine: Machine, id: string) {
  const { body } = await machine.ask(`GET /v1/trades/${id}`);
  return body as ShownTrade & { entry: { order: string | null }; stop_loss: { trigger_price: string; order: string } };
}

async function stopsAt(machine: Machine): Promise<string[]> {
  const { body } = await machine.ask("GET /v1/orders?status=open");
  const orders = body["data"] as { trigger?: { price: string } }[];
  return orders.flatMap(({ trigger }) => (trigger === undefined ? [] : [trigger.price]));
}

test.each([
  ["entered and rests", "90000", "entering"],
  ["entered and was filled", "95000", "open"],
])("a trade that the lost machine has %s is one position, and its stop is its own", async (_what, price, status) => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await world.trade({ side: "sell", price: "94999", size: "0.01" });
    const asked = { ...TRADE, entry: { price } };
    const begun = await first.ask("POST /v1/trades", asked, "the-trade");
    expect(begun).toMatchObject({ status: 201, body: { status: "arming" } });
    backUp(first.places.database, file);
    await world.clock.advance(5_000);
    const id = String(begun.body["id"]);
    const before = await shownTrade(first, id);
    expect(before).toMatchObject({ status, protected: true });
    await first.ask(`POST /v1/trades/${id}/modify`, { stop_loss: { trigger_price: "86000" } }, "the-move");
    await world.clock.advance(5_000);
    const moved = await shownTrade(first, id);
    const placed = await world.placed();
    await first.lose();

    const second = await restored(lab);
    await world.clock.advance(60_000);
    expect(await shownTrade(second, id)).toMatchObject({
      status,
      protected: true,
      entry: { order: before.entry.order },
      stop_loss: { trigger_price: "86000", order: moved.stop_loss.order },
    });
    expect(await stopsAt(second)).toEqual(["86000"]);
    expect((await second.ask("POST /v1/trades", asked, "the-trade")).body["id"]).toBe(id);
    expect((await world.placed()).sort()).toEqual(placed.sort());
  });
});

test("a stop that the backup knew, and that was replaced after it, takes no entry with it", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    const begun = await first.ask("POST /v1/trades", TRADE, "the-trade");
    await world.clock.advance(5_000);
    const id = String(begun.body["id"]);
    await first.ask(`POST /v1/trades/${id}/modify`, { stop_loss: { trigger_price: "86000" } }, "the-move");
    for (let waited = 0; (await stopsAt(first)).length < 2; waited += 1) {
      if (waited > 100) throw new Error("the new stop never stood beside the old one");
      await world.clock.advance(20);
    }
    backUp(first.places.database, file);
    await world.clock.advance(5_000);
    expect(await stopsAt(first)).toEqual(["86000"]);
    await first.lose();
    const second = await restored(lab);
    await world.clock.advance(60_000);
    expect(await shownTrade(second, id)).toMatchObject({ status: "entering", error: null });
    expect(await stopsAt(second)).toEqual(["86000"]);
  });
});

test("a trade of which the backup does not tell whether it entered enters no more", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    const begun = await first.ask("POST /v1/trades", TRADE, "the-trade");
    backUp(first.places.database, file);
    await first.lose();
    const placed = await world.placed();
    const second = await restored(lab);
    await world.clock.advance(60_000);
    expect(await shownTrade(second, String(begun.body["id"]))).toMatchObject({ status: "rejected", filled_size: "0" });
    expect(await stopsAt(second)).toEqual([]);
    expect(await world.placed()).toHaveLength(placed.length);
  });
});

test("the key of a trade of after the backup begins no other, and what there is of it is named", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    backUp(first.places.database, file);
    const begun = await first.ask("POST /v1/trades", TRADE, "the-trade");
    await world.clock.advance(5_000);
    const { entry, stop_loss: stop } = await shownTrade(first, String(begun.body["id"]));
    await first.lose();
    const second = await restored(lab);
    const placed = await world.placed();
    for (const route of ["POST /v1/trades", PLACE]) {
      const again = await second.ask(route, route === PLACE ? limit() : TRADE, "the-trade");
      expect(again).toMatchObject({ status: 409, body: { error: { code: "idempotency_key_reused" } } });
      const { message } = again.body["error"] as { message: string };
      expect(message).toContain(String(entry.order));
      expect(message).toContain(stop.order);
    }
    expect(await world.placed()).toHaveLength(placed.length);
  });
});

const BOT = `api_trade_${"e5".repeat(32)}`;
const OWNERS_KEY = `0x${"51".repeat(32)}`;

/** The first machine with a bot's key beside its plain one. */
async function registerBot(machine: Machine): Promise<void> {
  const { ownerAddress: owner, tradingAddress, id: account } = ACCOUNT;
  const of = { audience: "paper+http://127.0.0.1:8787", account, owner, tradingAddress };
  const text = { ...grantText(BOT, START_MS, of), may: "increase,reduce,modify,cancel,twap" };
  const body = { grant: grantBody(text), signature: await signGrant(OWNERS_KEY, text) };
  expect((await machine.ask("POST /v1/api-keys/limited", body)).status).toBe(201);
}

test("a bot's trade that the lost machine has entered stays protected: the backup's books lack what it holds", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await registerBot(first);
    await world.trade({ side: "sell", price: "94999", size: "0.01" });
    const asked = { ...TRADE, entry: { price: "95000" } };
    const begun = await first.ask("POST /v1/trades", asked, "the-trade", BOT);
    expect(begun).toMatchObject({ status: 201, body: { status: "arming" } });
    backUp(first.places.database, file);
    await world.clock.advance(5_000);
    const id = String(begun.body["id"]);
    expect(await shownTrade(first, id)).toMatchObject({ status: "open", protected: true });
    await first.lose();
    const second = await restored(lab);
    await world.clock.advance(600_000);
    expect(await shownTrade(second, id)).toMatchObject({ status: "open", protected: true });
    expect(await stopsAt(second)).toEqual(["85000"]);
  });
});

test("a bot's stop that the backup knew stays, although what it protects was bought after that", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await registerBot(first);
    await world.trade({ side: "sell", price: "94999", size: "0.01" });
    const early = await first.ask(PLACE, limit(), "too-far-away", BOT);
    expect(early).toMatchObject({ status: 201, body: { status: "open" } });
    const stop = { side: "sell", price: "80000", reduce_only: true };
    const trigger = { price: "85000", kind: "stop_loss", market: true };
    const placed = await first.ask(PLACE, limit({ ...stop, trigger }), "the-stop", BOT);
    expect(placed).toMatchObject({ status: 201, body: { status: "waiting_for_trigger" } });
    backUp(first.places.database, file);
    await first.ask(`POST /v1/orders/${early.body["id"]}/cancel`, {}, "the-cancel", BOT);
    const bought = await first.ask(PLACE, limit({ price: "95000" }), "the-entry", BOT);
    expect(bought).toMatchObject({ status: 201, body: { status: "filled" } });
    await first.lose();
    const second = await restored(lab);
    await world.clock.advance(600_000);
    expect(await stopsAt(second)).toEqual(["85000"]);
  });
});

test("a bot's stop that the backup knew stays, although a TWAP bought what it protects after that", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await registerBot(first);
    await world.trade({ side: "sell", price: "94999", size: "1" });
    const early = await first.ask(PLACE, limit(), "too-far-away", BOT);
    const stop = { side: "sell", price: "80000", reduce_only: true };
    const trigger = { price: "85000", kind: "stop_loss", market: true };
    const placed = await first.ask(PLACE, limit({ ...stop, trigger }), "the-stop", BOT);
    expect(placed).toMatchObject({ status: 201, body: { status: "waiting_for_trigger" } });
    backUp(first.places.database, file);
    await first.ask(`POST /v1/orders/${early.body["id"]}/cancel`, {}, "the-cancel", BOT);
    const twap = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 5 };
    expect(await first.ask("POST /v1/twaps", twap, "the-twap", BOT)).toMatchObject({ status: 200 });
    await world.clock.advance(330_000);
    await first.lose();
    const second = await restored(lab);
    await world.clock.advance(120_000);
    expect(await stopsAt(second)).toEqual(["85000"]);
  });
});

test("a bot's trade stays protected, although the backup's books lack what a TWAP bought before the bot sold as much", async () => {
  await withLab(async (lab) => {
    const { world, first, file } = lab;
    await registerBot(first);
    await world.trade({ side: "sell", price: "94999", size: "1" });
    const begun = await first.ask("POST /v1/trades", { ...TRADE, entry: { price: "95000" } }, "the-trade", BOT);
    await world.clock.advance(5_000);
    const id = String(begun.body["id"]);
    expect(await shownTrade(first, id)).toMatchObject({ status: "open", protected: true });
    backUp(first.places.database, file);
    const twap = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 5 };
    expect(await first.ask("POST /v1/twaps", twap, "the-twap", BOT)).toMatchObject({ status: 200 });
    await world.clock.advance(330_000);
    await world.trade({ side: "buy", price: "94990", size: "1" });
    const sale = { side: "sell", price: "94000", time_in_force: "ioc" };
    expect(await first.ask(PLACE, limit(sale), "the-sale", BOT)).toMatchObject({ body: { status: "filled" } });
    await world.clock.advance(60_000);
    expect(await shownTrade(first, id)).toMatchObject({ status: "open", protected: true });
    await first.lose();
    const second = await restored(lab);
    await world.clock.advance(120_000);
    expect(await shownTrade(second, id)).toMatchObject({ status: "open", protected: true });
    expect(await stopsAt(second)).toEqual(["85000"]);
  });
});
