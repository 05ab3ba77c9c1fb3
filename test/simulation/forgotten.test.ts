/** Stores of the exchange that stand still, and records that it keeps no longer. */
import { expect, test } from "bun:test";
import { directly, type Fate, type FateOf, NODES } from "./network.ts";
import { TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

/** Fates of actions; everything else goes straight through. */
function fates(choose: (body: string) => Fate | null): FateOf {
  return ({ path, body }) => (path === "/exchange" ? choose(body) : null) ?? directly(5);
}

/** Arrives, and nobody ever hears what the exchange says. */
function unheard(afterMs: number): Fate {
  return { arrivesAfterMs: [afterMs], answer: { kind: "silence" } };
}

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

function isAction(body: string, type: string): boolean {
  return body.startsWith(`{"action":{"type":"${type}"`);
}

test("nothing is concluded while the exchange's own time stands still", async () => {
  const s = await scene();
  for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
  s.setFate(fates(() => LOST));
  s.ask("standstill", limit("buy", 94_000));
  for (let minute = 0; minute < 30; minute += 1) {
    await s.pass(60_000);
    expect(shown(await s.tell("standstill", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
  }
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  s.setFate(() => directly(5));
  await s.pass(45_000);
  expect(shown(await s.tell("standstill", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "rejected" });
  expect(executed(s, "order")).toEqual([]);
});

test("an order older than anything that the exchange still shows is not called rejected", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
  s.ask("sequence-a9", limit("buy", 94_000));
  await s.pass(100);
  s.kill();
  const { tradingAddress, ownerAddress } = s.party.account;
  const [oid] = liveOrders(s);
  s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  await s.pass(3_600_000);
  for (let nth = 0; nth < 2_600; nth += 1) {
    trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
    const newest = [...s.venue.account(tradingAddress).openOids].at(-1) ?? 0;
    s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: newest }], f: false });
  }
  // Only the list by id would still have it; most clients of the exchange say that it forgets.
  const forgotten = (body: string) => body.includes('"orderStatus"');
  s.setFate(({ body }) => (forgotten(body) ? { ...directly(5), isBlind: true } : directly(5)));
  await s.start();
  await s.pass(90_000);
  // Of what may rest since then only a list of open orders tells, and it may be behind.
  expect(shown(await s.tell("sequence-a9", limit("buy", 94_000)))).toMatchObject({ http: 202, status: "unknown" });
  trade(s, ownerAddress, { isBuy: true, price: 92_000, size: "0.01" });
  await s.pass(150_000);
  const last = shown(await s.tell("sequence-a9", limit("buy", 94_000)));
  expect(last).toMatchObject({ http: 201, status: "canceled" });
  expect(last.error).toContain("no record that old");
});

test("an order that closed unseen, and that the exchange has forgotten, is open no longer and its cancel ends", async () => {
  const s = await scene();
  const wanted = limit("buy", 94_000);
  const { id } = shown(await s.tell("sequence-a9-rested", wanted));
  s.kill();
  const { tradingAddress, ownerAddress } = s.party.account;
  const [oid] = liveOrders(s);
  s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  for (let nth = 0; nth < 2_100; nth += 1) {
    trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
    const newest = [...s.venue.account(tradingAddress).openOids].at(-1) ?? 0;
    s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: newest }], f: false });
  }
  await s.start();
  s.ask("sequence-a9-cancel", { kind: "cancel", id });
  await s.pass(60_000);
  trade(s, ownerAddress, { isBuy: true, price: 93_000, size: "0.01" });
  await s.pass(150_000);
  const last = shown(await s.tell("sequence-a9-cancel", { kind: "cancel", id }));
  expect(last).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  expect(last.error).toContain("no record of it");
});

type HistoryRow = { order: { limitPx: string } };

/** No record of the order at 94,800 is kept, and of the history the newest rows alone. */
function forgetAll(s: Scene) {
  return holdStores(s, (type, text) => {
    if (type === "orderStatus") return '{"status":"unknownOid"}';
    if (type !== "historicalOrders") return text;
    const kept = (JSON.parse(text) as HistoryRow[]).filter(({ order }) => Number(order.limitPx) !== 94_800);
    return JSON.stringify(kept.slice(0, 2));
  });
}

test.each([
  ["that rested", false],
  ["whose answer was lost", true],
])(
  "an order %s, was filled in part and is forgotten is not told as unfilled by fills and positions that are behind",
  async (_name, isLost) => {
    const s = await scene();
    const { ownerAddress } = s.party.account;
    if (isLost) {
      // Something from before it is known.
      trade(s, ownerAddress, { isBuy: true, price: 94_900, size: "0.01" });
      trade(s, TAKER, { isBuy: false, price: 94_900, size: "0.01" });
      await s.pass(60_000);
      s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
    }
    s.ask("behind-the-end", limit("buy", 94_800));
    // Before anything else is asked.
    await s.pass(isLost ? 6 : 100);
    s.kill();
    const stores = forgetAll(s);
    // From after the last moment at which it can have arrived, and before the fill.
    await s.pass(60_000);
    stores.stop("userFillsByTime");
    stores.stop("clearinghouseState");
    await s.pass(60_000);
    trade(s, TAKER, { isBuy: false, price: 94_800, size: "0.004" });
    const [oid] = liveOrders(s);
    s.venue.act(ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
    s.setFate(() => directly(5));
    await s.start();
    const { id } = shown(await s.tell("behind-the-end", limit("buy", 94_800)));
    for (let nth = 0; nth < 12; nth += 1) {
      await s.pass(30_000);
      trade(s, ownerAddress, { isBuy: true, price: 90_000 - nth, size: "0.01" });
      const { status } = shown(await s.tell("behind-the-end-now", { kind: "get", id }));
      expect(status).toBeOneOf(["open", "unknown"]);
    }
    stores.go();
    await s.pass(120_000);
    const last = shown(await s.tell("behind-the-end-now", { kind: "get", id }));
    // No record says of the fill whose it is, where no answer has named the order.
    const known = isLost ? { status: "unknown", filled: null } : { status: "canceled", filled: "0.004" };
    expect(last).toMatchObject(known);
  },
);

/** An order that rested, was canceled by hand while no gateway ran, and of which no store shows anything any more. */
async function forgottenQuietly(s: Scene): Promise<string> {
  const { id } = shown(await s.tell("quiet", limit("buy", 94_000)));
  s.kill();
  const [oid] = liveOrders(s);
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: oid ?? 0 }], f: false });
  holdStores(s, (type, text) => {
    if (type === "orderStatus") return '{"status":"unknownOid"}';
    return type === "historicalOrders" || type === "frontendOpenOrders" ? "[]" : text;
  });
  await s.start();
  return id;
}

test("a forgotten order in an account in which nothing new happens ends by cancels that find nothing for minutes, and not before", async () => {
  const s = await scene();
  const id = await forgottenQuietly(s);
  s.ask("quiet-cancel", { kind: "cancel", id });
  await s.pass(280_000);
  expect(shown(await s.tell("quiet-cancel", { kind: "cancel", id }))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(180_000);
  const last = shown(await s.tell("quiet-cancel", { kind: "cancel", id }));
  expect(last).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  const sent = executed(s, "cancel").length;
  await s.pass(600_000);
  expect(executed(s, "cancel")).toHaveLength(sent);
});

test("an order that lives and that no store shows does not end by cancels whose answers say nothing of it", async () => {
  const s = await scene();
  const { id } = shown(await s.tell("alive", limit("buy", 94_000)));
  holdStores(s, (type, text) => {
    if (type === "orderStatus") return '{"status":"unknownOid"}';
    return type === "historicalOrders" || type === "frontendOpenOrders" ? "[]" : text;
  });
  s.setFate(({ path }) => (path === "/exchange" ? LOST : directly(5)));
  s.ask("alive-cancel", { kind: "cancel", id });
  await s.pass(900_000);
  expect(shown(await s.tell("alive-cancel", { kind: "cancel", id }))).toMatchObject({ http: 202, status: "unknown" });
  expect(liveOrders(s)).toHaveLength(1);
});
