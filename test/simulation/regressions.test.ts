/** Bugs that the simulation has found, told as scenes, because the draws behind a seed change with every new fault. */
import { expect, test } from "bun:test";
import { legStates } from "../support/every-row.ts";
import type { Ask } from "./front.ts";
import { directly, type Fate, type FateOf, NODES } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";

import { limit, liveOrders, shown, statusHere, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { takePositions } from "./trading.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

function actions(choose: (body: string) => Fate | null): FateOf {
  return ({ path, body }) => (path === "/exchange" ? choose(body) : null) ?? directly(5);
}

function modifyOf(id: string, price: string, alwaysPlace = false) {
  return { kind: "modify" as const, id, price, size: null, alwaysPlace };
}

test("a modify after one that never arrived replaces the order, not the ghost", async () => {
  const s = await scene();
  const placed = shown(await s.tell("ghost", limit("buy", 94_000)));
  s.setFate(actions((body) => (body.includes('"batchModify"') ? LOST : null)));
  s.ask("ghost-1", modifyOf(placed.id, "94001"));
  await s.pass(30_000);
  s.setFate(() => directly(5));
  expect(shown(await s.tell("ghost-1", modifyOf(placed.id, "94001"))).error).toContain("not carried out");
  const second = shown(await s.tell("ghost-2", modifyOf(placed.id, "94002")));
  expect(second).toMatchObject({ http: 200, status: "open", error: null });
  expect(liveOrders(s).map(String)).toEqual([second.oid ?? ""]);
});

test("a closed order stays closed while always_place is out, and after it was lost", async () => {
  const s = await scene();
  const placed = shown(await s.tell("closed", limit("buy", 94_000)));
  await s.tell("closed-cancel", { kind: "cancel", id: placed.id });
  s.setFate(actions(() => LOST));
  const call = s.ask("closed-modify", { ...modifyOf(placed.id, "94001", true), size: "0.02" });
  for (let second = 0; second < 40; second += 4) {
    expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("canceled");
    await s.pass(4_000);
  }
  expect(call.answer).toMatchObject({ status: 202 });
  s.setFate(() => directly(5));
  await s.pass(40_000);
  const again = { ...modifyOf(placed.id, "94001", true), size: "0.02" };
  expect(shown(await s.tell("closed-modify", again))).toMatchObject({ http: 200, status: "canceled" });
});

test("what always_place places for a closed order is an order of its own from the first moment", async () => {
  const s = await scene();
  const placed = shown(await s.tell("own", limit("buy", 94_000)));
  await s.tell("own-cancel", { kind: "cancel", id: placed.id });
  const silent: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };
  s.setFate(actions((body) => (body.includes('"batchModify"') ? silent : null)));
  const again = { ...modifyOf(placed.id, "94001", true), size: "0.02" };
  s.ask("own-modify", again);
  await s.pass(2_000);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("canceled");
  await s.pass(30_000);
  const split = shown(await s.tell("own-modify", again));
  expect(split).toMatchObject({ http: 200, status: "open" });
  expect(split.id).not.toBe(placed.id);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("canceled");
});

test("two modifies at one moment leave one live order", async () => {
  const s = await scene();
  const placed = shown(await s.tell("rivals", limit("buy", 94_000)));
  // The second one's reading of the remaining size takes longer than the whole first modify.
  let reads = 0;
  s.setFate(({ body }) => {
    if (body.includes('"frontendOpenOrders"')) reads += 1;
    return directly(body.includes('"frontendOpenOrders"') && reads === 2 ? 2_000 : 5);
  });
  const calls = [
    s.ask("rivals-1", modifyOf(placed.id, "94001")),
    s.ask("rivals-2", { ...modifyOf(placed.id, "94002", true), size: "0.02" }),
  ];
  await s.pass(30_000);
  for (const { answer } of calls) expect(answer).not.toBeNull();
  expect(liveOrders(s)).toHaveLength(1);
});

test("an original shown open by nodes that stand still is not made into two orders", async () => {
  const s = await scene();
  const placed = shown(await s.tell("still", limit("buy", 94_000)));
  for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
  const call = s.ask("still-modify", { ...modifyOf(placed.id, "94001", true), size: "0.02" });
  await s.pass(8_500);
  expect(call.answer).toMatchObject({ status: 202 });
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  await s.pass(15_000);
  const after = shown(await s.tell("still-modify", { ...modifyOf(placed.id, "94001", true), size: "0.02" }));
  expect(after).toMatchObject({ http: 200, status: "open", id: placed.id });
});

test("what the exchange itself had canceled before a modify was not replaced by it", async () => {
  const s = await scene();
  const placed = shown(await s.tell("gone-before", limit("buy", 94_000)));
  const { ownerAddress } = s.party.account;
  for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
  // The owner's own sell meets the order: the exchange cancels what would trade with itself.
  trade(s, ownerAddress, { isBuy: false, price: 93_900, size: "0.01" });
  await s.pass(3_000);
  const modify = { ...modifyOf(placed.id, "94001", true), size: "0.02" };
  s.ask("gone-before-modify", modify);
  await s.pass(5_000);
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  await s.pass(15_000);
  const split = shown(await s.tell("gone-before-modify", modify));
  expect(split.id).not.toBe(placed.id);
  expect(shown(await s.tell(null, { kind: "get", id: placed.id })).status).toBe("canceled");
});

test("an average price that the answer had rounded becomes exact", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.003" });
  trade(s, MAKER, { isBuy: false, price: 95_017, size: "0.004" });
  trade(s, MAKER, { isBuy: false, price: 95_023, size: "0.5" });
  const wanted = { ...limit("buy", 95_100, "0.01"), timeInForce: "ioc" as const };
  const { id } = shown(await s.tell("rounded", wanted));
  await s.pass(40_000);
  const { body } = await s.tell(null, { kind: "get", id });
  const average = (95_010 * 3 + 95_017 * 4 + 95_023 * 3) / 10;
  expect(JSON.parse(body)).toMatchObject({ status: "filled", average_price: String(average) });
});

test("a stop that has fired and rests in the book is open", async () => {
  const s = await scene();
  const stop = {
    ...limit("sell", 94_650),
    trigger: { price: "94800", kind: "stop_loss" as const, market: false },
  };
  const { id, status } = shown(await s.tell("stop", stop));
  expect(status).toBe("waiting_for_trigger");
  s.venue.setPrice("BTC", 94_700n * 100_000_000n);
  await s.pass(2_000);
  expect(shown(await s.tell(null, { kind: "get", id })).status).toBe("open");
});

test("nothing is signed by a clock that the exchange has not set", async () => {
  const s = await scene();
  const placed = shown(await s.tell("clock", limit("buy", 94_000)));
  s.kill();
  s.jumpClock(20 * 3_600_000);
  s.setFate(({ path }) => (path === "/info" ? LOST : directly(5)));
  await s.start();
  expect(await s.tell("clock-cancel", { kind: "cancel", id: placed.id })).toMatchObject({ status: 503 });
  s.setFate(() => directly(5));
  await s.pass(20_000);
  expect(shown(await s.tell("clock-cancel", { kind: "cancel", id: placed.id })).status).toBe("canceled");
  expect(shown(await s.tell("clock-after", limit("buy", 94_000))).status).toBe("open");
});

test("a limit order filled in part by its answer goes on, and its fills add up", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_010, size: "0.004" });
  const { id } = shown(await s.tell("in-part", limit("buy", 95_020, "0.01")));
  trade(s, TAKER, { isBuy: false, price: 95_020, size: "0.006" });
  await s.pass(40_000);
  expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "filled", filled: "0.01" });
});

test("seed 1009803: a stop that closed short while no feed told of it is canceled", async () => {
  const s = await scene({ hasFeed: true });
  trade(s, MAKER, { isBuy: true, price: 94_700, size: "0.004" });
  const stop = { ...limit("sell", 94_650), trigger: { price: "94800", kind: "stop_loss" as const, market: true } };
  const { id } = shown(await s.tell("short-stop", stop));
  s.cutFeeds();
  s.venue.setPrice("BTC", 94_700n * 100_000_000n);
  await s.pass(20_000);
  expect(shown(await s.tell("short-stop", stop)).status).toBe("waiting_for_trigger");
  expect(statusHere(s, id)).toEqual({ status: "canceled", filled_size: "0.004" });
});

test("seed 20030467: a stop refused when it fired, before its placing was answered, contradicts nothing", async () => {
  const s = await scene({ hasFeed: true });
  const answeredLate: Fate = { arrivesAfterMs: [5], answer: { kind: "true", ofCopy: 0, afterMs: 4_000 } };
  s.setFate(actions((body) => (body.includes('"order"') ? answeredLate : null)));
  const stop = { ...limit("sell", 94_650), trigger: { price: "94800", kind: "stop_loss" as const, market: true } };
  const call = s.ask("fired-early", stop);
  await s.pass(20);
  // Nobody bids: the stop fires and finds nothing.
  s.venue.setPrice("BTC", 94_700n * 100_000_000n);
  await s.pass(2_500);
  expect(call.answer).toBeNull();
  expect(legStates(s)).toEqual(["rejected"]);
  await s.pass(3_000);
  if (call.answer === null || call.answer === "lost") throw new Error("the placing was not answered");
  const { id, http } = shown(call.answer);
  expect(http).toBe(201);
  const after = shown(await s.tell(null, { kind: "get", id }));
  expect(after).toMatchObject({ status: "rejected", error: expect.stringContaining("NoLiquidity") });
  expect(s.rows("select detail from notes where what = 'contradiction'")).toEqual([]);
});

test("seed 20057524: a stop refused when it fired keeps its terms beside a replacement that was refused so too", async () => {
  const s = await scene();
  const stop = { ...limit("sell", 94_650), trigger: { price: "94800", kind: "stop_loss" as const, market: true } };
  const placed = shown(await s.tell("both-refused", stop));
  expect(placed).toMatchObject({ http: 201, status: "waiting_for_trigger" });
  const arrivesLate: Fate = { arrivesAfterMs: [1_000], answer: { kind: "silence" } };
  s.setFate(actions((body) => (body.includes('"batchModify"') ? arrivesLate : null)));
  const modify = { ...modifyOf(placed.id, "94660", true), size: "0.02" };
  s.ask("both-refused-modify", modify);
  await s.pass(100);
  // Nobody bids: the stop fires and finds nothing, and the trigger of its replacement is met before it arrives.
  s.venue.setPrice("BTC", 94_700n * 100_000_000n);
  await s.pass(30_000);
  expect(legStates(s)).toEqual(["rejected", "rejected"]);
  const answer = shown(await s.tell("both-refused-modify", modify));
  // It was taken and fired at once: an order of its own beside the stop.
  expect(answer).toMatchObject({ http: 200, status: "rejected", error: expect.stringContaining("NoLiquidity") });
  expect(answer.oid).not.toBe(placed.oid);
  const after = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(after).toMatchObject({ status: "rejected", oid: placed.oid, error: expect.stringContaining("NoLiquidity") });
  expect(s.rows("select size, price from orders order by created_at_ms, id")).toEqual([
    { size: stop.size, price: stop.price },
    { size: modify.size, price: modify.price },
  ]);
});

const OPERATIONS: Ask[] = [
  { kind: "margin", market: "ETH", amount: "11.103" },
  { kind: "leverage", market: "BTC", leverage: 7, marginType: "cross" },
  { kind: "twap", market: "BTC", side: "buy", size: "0.05", minutes: 5 },
];

test.each(OPERATIONS)(
  "seed 50025838: what landed is not denied by nodes that stand still and a clock that is behind ($kind)",
  async (operation) => {
    const s = await scene();
    takePositions(s.venue);
    const standStill = () => {
      for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
    };
    s.kill();
    // Every node tells the new process a time that has stood still for eight seconds, each another one: one alone is no word.
    for (const [node, untilNextMs] of [20, 20, 8_000].entries()) {
      s.network.freeze(node);
      await s.pass(untilNextMs);
    }
    await s.start();
    await s.pass(10_000);
    standStill();
    const unheard: Fate = { arrivesAfterMs: [5], answer: { kind: "page", status: 500, afterMs: 5 } };
    s.setFate(({ path, body }) => {
      if (body.includes('"exchangeStatus"')) return LOST;
      return path === "/exchange" && !body.includes('"noop"') ? unheard : directly(5);
    });
    const asked = s.ask("stuck-operation", operation);
    await s.pass(12_000);
    expect(asked.answer).toMatchObject({ status: 202 });
    for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
    await s.pass(20_000);
    expect(shown(await s.tell("stuck-operation", operation))).toMatchObject({ http: 200, status: "succeeded" });
  },
);

test("seed 50044073: an order canceled beside a modify of which no byte left is canceled", async () => {
  const s = await scene();
  const placed = shown(await s.tell("taken-back", limit("buy", 94_000)));
  const unsent: Fate = { arrivesAfterMs: [], answer: { kind: "error", code: "ENOTFOUND", afterMs: 4_000 } };
  s.setFate(actions((body) => (body.includes('"batchModify"') ? unsent : null)));
  const modify = s.ask("taken-back-modify", modifyOf(placed.id, "94001", true));
  await s.pass(100);
  const cancel = s.ask("taken-back-cancel", { kind: "cancel", id: placed.id });
  await s.pass(20_000);
  // The empty action that went with the cancel says it before the connection does: it never ran.
  expect([modify.answer, cancel.answer]).toMatchObject([{ status: 200 }, { status: 200 }]);
  const after = shown(await s.tell("taken-back-cancel", { kind: "cancel", id: placed.id }));
  expect(after).toMatchObject({ http: 200, status: "canceled", filled: "0" });
  expect(statusHere(s, placed.id)).toEqual({ status: "canceled", filled_size: "0" });
});

const BESIDE: [string, Fate, string][] = [
  ["its answer heard", { arrivesAfterMs: [2_500], answer: { kind: "true", ofCopy: 0, afterMs: 5 } }, "armed"],
  ["its answer lost", { arrivesAfterMs: [2_500], answer: { kind: "page", status: 502, afterMs: 2_505 } }, "lost"],
];

test.each(BESIDE)(
  "what always_place placed beside an order that was gone, and was refused when it fired, is an order of its own, %s",
  async (_name, fate, state) => {
    const s = await scene();
    const stop = { ...limit("sell", 94_650), trigger: { price: "94800", kind: "stop_loss" as const, market: true } };
    const placed = shown(await s.tell("beside", stop));
    s.setFate(actions((body) => (body.includes('"batchModify"') ? fate : null)));
    const modify = { ...modifyOf(placed.id, "94660", true), size: "0.02" };
    s.ask("beside-modify", modify);
    await s.pass(100);
    s.setFate(({ body }) => (body.includes('"orderStatus"') ? LOST : directly(5)));
    s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(placed.oid) }], f: false });
    // Longer than the two halves of a modify may be apart.
    await s.pass(4_900);
    const [taken] = liveOrders(s);
    expect(legStates(s)[1]).toBe(state);
    // Nobody bids: what the modify has placed fires and finds nothing.
    s.venue.setPrice("BTC", 94_700n * 100_000_000n);
    s.setFate(({ body }) => (body.includes(`"oid":${placed.oid}`) ? LOST : directly(5)));
    await s.pass(10_000);
    await s.tell(null, { kind: "get", id: placed.id });
    expect(legStates(s)).toEqual(["armed", "rejected"]);
    s.setFate(() => directly(5));
    await s.pass(30_000);
    const split = shown(await s.tell("beside-modify", modify));
    expect(split).toMatchObject({ http: 200, status: "rejected", oid: String(taken) });
    expect(split.error).toContain("NoLiquidity");
    expect(split.id).not.toBe(placed.id);
    const after = shown(await s.tell(null, { kind: "get", id: placed.id }));
    expect(after).toMatchObject({ status: "canceled", oid: placed.oid });
    expect(shown(await s.tell(null, { kind: "get", id: split.id }))).toMatchObject({ status: "rejected" });
  },
);

test("a node from before a refused modify does not tell that its original is still open", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
  const placed = shown(await s.tell("killed", limit("buy", 94_000)));
  const late: Fate = { arrivesAfterMs: [1_000], answer: { kind: "true", ofCopy: 0, afterMs: 5 } };
  s.setFate(actions((body) => (body.includes('"batchModify"') ? late : null)));
  // It would trade at once, so the exchange cancels the original and places nothing.
  const modify = modifyOf(placed.id, "95200");
  const asked = s.ask("killed-modify", modify);
  await s.pass(500);
  for (let node = 0; node < NODES; node += 1) s.network.freeze(node);
  await s.pass(3_000);
  expect([liveOrders(s), asked.answer]).toEqual([[], null]);
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  await s.pass(10_000);
  const after = shown(await s.tell("killed-modify", modify));
  expect(after).toMatchObject({
    http: 200,
    status: "canceled",
    error: expect.stringContaining("replacement was refused"),
  });
});

test("seed 1616: a close is seen although no look had any weight while it was told", async () => {
  const s = await scene({ hasFeed: true, weightPerMinute: 1_200 });
  const placed = shown(await s.tell("no-weight", limit("buy", 94_000)));
  const { exchange } = s.process().gateway.deps;
  // What clients may spend on reads in a minute, and more.
  for (let nth = 0; nth < 40; nth += 1) {
    void exchange.info({ type: "frontendOpenOrders", user: s.party.account.tradingAddress }, { purpose: "read" });
    await s.pass(20);
  }
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(placed.oid) }], f: false });
  await s.pass(1_000);
  expect(statusHere(s, placed.id)).toMatchObject({ status: "open" });
  await s.pass(120_000);
  expect(statusHere(s, placed.id)).toMatchObject({ status: "canceled" });
});

test("a close during a gap of the feed is seen although the first reading after it fails", async () => {
  const s = await scene({ hasFeed: true });
  const placed = shown(await s.tell("gap", limit("buy", 94_000)));
  s.cutFeeds();
  s.venue.act(s.party.account.ownerAddress, { type: "cancel", cancels: [{ a: 0, o: Number(placed.oid) }], f: false });
  s.setFate(({ body }) => (body.includes('"frontendOpenOrders"') ? LOST : directly(5)));
  await s.pass(8_000);
  s.setFate(() => directly(5));
  await s.pass(40_000);
  expect(statusHere(s, placed.id)).toMatchObject({ status: "canceled" });
});
