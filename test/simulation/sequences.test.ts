/** Sequences that break a gateway which is only nearly right, each told step by step. */
import { expect, test } from "bun:test";
import { inTransaction } from "../../src/store/commit.ts";
import { EVERY_LEG } from "../support/every-row.ts";
import { directly, type Fate, type FateOf, NODES } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, type SceneOptions, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

/** Fates by what is sent; everything else goes straight through. */
function fates(choose: (body: string, nth: number) => Fate | null): FateOf {
  let actions = 0;
  return ({ path, body }) => {
    if (path === "/exchange") actions += 1;
    return choose(body, actions) ?? directly(5);
  };
}

/** Arrives, and nobody ever hears what the exchange says. */
function unheard(afterMs: number): Fate {
  return { arrivesAfterMs: [afterMs], answer: { kind: "silence" } };
}

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

function isAction(body: string, type: string): boolean {
  return body.startsWith(`{"action":{"type":"${type}"`);
}

test.each([1, 2, 3, 4, 5, 6])("a node that stands still proves nothing while the order lands (%d)", async (seed) => {
  const s = await scene({ seed });
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(6_000) : isAction(body, "noop") ? LOST : null)));
  for (let node = 0; node < NODES - 1; node += 1) s.network.freeze(node);
  const place = s.ask("sequence-a1", limit("buy", 94_000));
  await s.pass(20_000);
  expect(place.answer).toMatchObject({ status: 202 });
  for (let node = 0; node < NODES; node += 1) s.network.thaw(node);
  await s.pass(30_000);
  const after = shown(await s.tell("sequence-a1", limit("buy", 94_000)));
  expect(after).toMatchObject({ http: 201, status: "open" });
  expect(liveOrders(s).map(String)).toEqual([after.oid ?? ""]);
});

test("a jump of the wall clock seals nothing", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(10_000) : isAction(body, "noop") ? LOST : null)));
  s.ask("sequence-a1-clock", limit("buy", 94_000));
  await s.pass(500);
  s.jumpClock(600_000);
  await s.pass(8_500);
  expect(shown(await s.tell("sequence-a1-clock", limit("buy", 94_000)))).toMatchObject({
    http: 202,
    status: "unknown",
  });
  await s.pass(20_000);
  expect(shown(await s.tell("sequence-a1-clock", limit("buy", 94_000)))).toMatchObject({ http: 201, status: "open" });
});

test("forty orders whose answers were lost are all settled within two minutes", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
  const keys = Array.from({ length: 40 }, (_, nth) => `sequence-a2-${nth}`);
  for (const [nth, key] of keys.entries()) s.ask(key, limit("buy", 94_000 - nth));
  await s.pass(120_000);
  expect(s.process().gateway.deps.settling.openCount()).toBe(0);
  for (const [nth, key] of keys.entries()) {
    expect(shown(await s.tell(key, limit("buy", 94_000 - nth)))).toMatchObject({ http: 201, status: "open" });
  }
  expect(executed(s, "order")).toHaveLength(40);
});

test("twenty orders that never arrived are called so as soon as an empty action is heard, within the exchange's weight", async () => {
  const s = await scene({ weightPerMinute: 1_200 });
  s.setFate(fates((body) => (isAction(body, "order") || isAction(body, "noop") ? LOST : null)));
  const keys = Array.from({ length: 20 }, (_, nth) => `sequence-a2-lost-${nth}`);
  for (const [nth, key] of keys.entries()) s.ask(key, limit("buy", 94_000 - nth));
  await s.pass(120_000);
  expect(s.process().gateway.deps.settling.openCount()).toBe(20);
  s.setFate(() => directly(5));
  await s.pass(75_000);
  expect(s.process().gateway.deps.settling.openCount()).toBe(0);
  for (const [nth, key] of keys.entries()) {
    expect(shown(await s.tell(key, limit("buy", 94_000 - nth)))).toMatchObject({ http: 201, status: "rejected" });
  }
});

/** Seconds at which another order is placed, and by when the absence of the first, whose last moment is after 15, is told. */
const WITNESSED: [string, { othersAtS: readonly number[]; toldByS: number }][] = [
  ["while the account trades", { othersAtS: [8, 16], toldByS: 26 }],
  ["in an account that was quiet meanwhile", { othersAtS: [26], toldByS: 42 }],
];

test.each(WITNESSED)(
  "a refused order whose answer was lost is told in time %s",
  async (_when, { othersAtS, toldByS }) => {
    const s = await scene();
    s.setFate(fates((body) => (isAction(body, "order") && body.includes('"p":"1000"') ? unheard(5) : null)));
    const refused = limit("buy", 1_000, "0.9");
    s.ask("sequence-a4-refused", refused);
    for (let second = 1; second <= toldByS; second += 1) {
      await s.pass(1_000);
      if (othersAtS.includes(second)) await s.tell(`sequence-a4-${second}`, limit("buy", 90_000 + second));
    }
    expect(shown(await s.tell("sequence-a4-refused", refused))).toMatchObject({ http: 201, status: "rejected" });
  },
);

test("the old leg's cancel does not end an order that is being modified", async () => {
  const s = await scene();
  const placed = shown(await s.tell("sequence-a3", limit("buy", 94_000)));
  const slow: Fate = { arrivesAfterMs: [5], answer: { kind: "true", ofCopy: 0, afterMs: 3_000 } };
  s.setFate(fates((body) => (isAction(body, "batchModify") ? slow : null)));
  const modify = s.ask("sequence-a3-modify", {
    kind: "modify",
    id: placed.id,
    price: "94001",
    size: null,
    alwaysPlace: false,
  });
  await s.pass(1_500);
  const meanwhile = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(meanwhile.status).not.toBe("canceled");
  await s.pass(4_000);
  expect(modify.answer).toMatchObject({ status: 200 });
  const after = shown(await s.tell(null, { kind: "get", id: placed.id }));
  expect(after).toMatchObject({ status: "open" });
  expect(liveOrders(s).map(String)).toEqual([after.oid ?? ""]);
});

test("while the replacement lives and nobody has heard of it, an order that is being canceled is not called so", async () => {
  const s = await scene();
  const placed = shown(await s.tell("sequence-a3-cancel", limit("buy", 94_000)));
  const slow: Fate = { arrivesAfterMs: [5], answer: { kind: "true", ofCopy: 0, afterMs: 4_000 } };
  s.setFate(({ body }) => {
    if (isAction(body, "batchModify")) return slow;
    // The replacement is not found by its own id; the original is.
    return body.includes('"oid":"0x') ? { ...directly(5), isBlind: true } : directly(5);
  });
  s.ask("sequence-a3-modify", { kind: "modify", id: placed.id, price: "94001", size: null, alwaysPlace: false });
  await s.pass(300);
  s.ask("sequence-a3-cancel-2", { kind: "cancel", id: placed.id });
  for (let look = 0; look < 30; look += 1) {
    await s.pass(100);
    const { status } = shown(await s.tell(null, { kind: "get", id: placed.id }));
    if (liveOrders(s).length > 0) expect(status).not.toBe("canceled");
  }
  s.setFate(() => directly(5));
  await s.pass(60_000);
  expect(liveOrders(s)).toEqual([]);
});

test.each([500, 3_000, 6_000, 11_000])(
  "a cancel beats a modify that arrives %d ms later and places anew",
  async (ms) => {
    const s = await scene();
    const placed = shown(await s.tell("sequence-a4", limit("buy", 94_000)));
    s.setFate(fates((body) => (isAction(body, "batchModify") ? unheard(ms) : isAction(body, "noop") ? LOST : null)));
    const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: true };
    s.ask("sequence-a4-modify", modify);
    await s.pass(1_000);
    const cancel = s.ask("sequence-a4-cancel", { kind: "cancel", id: placed.id });
    await s.pass(60_000);
    expect(liveOrders(s)).toEqual([]);
    expect(cancel.answer).not.toBeNull();
    expect(shown(await s.tell("sequence-a4-cancel", { kind: "cancel", id: placed.id }))).toMatchObject({
      http: 200,
      status: "canceled",
    });
  },
);

test("an accepted cancel is written down while the noop that went with it goes unanswered", async () => {
  const s = await scene();
  const placed = shown(await s.tell("sequence-a4-noop", limit("buy", 94_000)));
  s.setFate(fates((body) => (isAction(body, "batchModify") || isAction(body, "noop") ? LOST : null)));
  s.ask("sequence-a4-noop-modify", { kind: "modify", id: placed.id, price: "94001", size: null, alwaysPlace: true });
  await s.pass(100);
  const cancel = s.ask("sequence-a4-noop-cancel", { kind: "cancel", id: placed.id });
  await s.pass(1_500);
  expect(liveOrders(s)).toEqual([]);
  expect(s.rows(`select state from ${EVERY_LEG} order by ordinal`)).toEqual([{ state: "canceled" }, { state: "sent" }]);
  expect(s.rows("select status from orders")).toEqual([{ status: "unknown" }]);
  // The modify may still land: nothing is final before it is sealed.
  await s.pass(8_000);
  expect(cancel.answer).toMatchObject({ status: 202 });
  s.setFate(() => directly(5));
  await s.pass(40_000);
  const after = shown(await s.tell("sequence-a4-noop-cancel", { kind: "cancel", id: placed.id }));
  expect(after).toMatchObject({ http: 200, status: "canceled" });
});

test("a cancel answered 202 stays armed until the unknown order has landed and is gone", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(11_500) : isAction(body, "noop") ? LOST : null)));
  const place = s.ask("sequence-a4-unknown", limit("buy", 94_000));
  await s.pass(8_100);
  if (place.answer === null || place.answer === "lost") throw new Error("no answer within the deadline");
  const { id } = shown(place.answer);
  const cancel = s.ask("sequence-a4-armed", { kind: "cancel", id });
  await s.pass(1_000);
  s.kill();
  expect(cancel.answer).toBe("lost");
  await s.start();
  await s.pass(60_000);
  expect(executed(s, "order").filter(({ reply }) => reply.status === "ok")).toHaveLength(1);
  expect(liveOrders(s)).toEqual([]);
  expect(shown(await s.tell("sequence-a4-armed", { kind: "cancel", id }))).toMatchObject({
    http: 200,
    status: "canceled",
  });
});

test("a cancel before the start-up pass is through beats a modify of the process before", async () => {
  const s = await scene();
  const placed = shown(await s.tell("sequence-a4-start", limit("buy", 94_000)));
  s.setFate(fates((body) => (isAction(body, "batchModify") ? unheard(4_000) : isAction(body, "noop") ? LOST : null)));
  s.ask("sequence-a4-start-modify", { kind: "modify", id: placed.id, price: "94001", size: null, alwaysPlace: true });
  await s.pass(50);
  s.kill();
  // Nothing but the clock can be read: the pass over what was in flight takes its whole time.
  const isReadable = (body: string) => body.includes('"exchangeStatus"') || body.includes('"meta"');
  const slow = fates((body) => (isAction(body, "noop") ? LOST : null));
  s.setFate((sent) => (sent.path === "/info" && !isReadable(sent.body) ? LOST : slow(sent)));
  await s.start();
  const cancel = s.ask("sequence-a4-start-cancel", { kind: "cancel", id: placed.id });
  await s.pass(3_000);
  expect(executed(s, "cancel").map(({ reply }) => reply.status)).toEqual(["ok"]);
  expect(cancel.answer).toBeNull();
  s.setFate(() => directly(5));
  await s.pass(60_000);
  expect(liveOrders(s)).toEqual([]);
  expect(shown(await s.tell("sequence-a4-start-cancel", { kind: "cancel", id: placed.id }))).toMatchObject({
    http: 200,
    status: "canceled",
  });
});

test("what was stored and never sent is settled after a start, and nobody waits for it", async () => {
  const s = await scene();
  s.kill();
  await s.start({ pointName: "after_intent" });
  const place = s.ask("sequence-a5", limit("buy", 94_000));
  await s.pass(100);
  expect(place.answer).toBe("lost");
  await s.start();
  const first = await s.tell("sequence-a5", limit("buy", 94_000));
  expect([200, 201, 202]).toContain(first.status);
  await s.pass(60_000);
  const last = shown(await s.tell("sequence-a5", limit("buy", 94_000)));
  expect(last).toMatchObject({ http: 201, status: "rejected" });
  expect(executed(s, "order")).toEqual([]);
});

/** Makes the gateway believe what must never be concluded of an order that the exchange has. */
function concludeWrongly(s: Scene, id: string): void {
  const { store } = s.process().gateway.deps;
  inTransaction(store, () => {
    store.$client.run(
      `UPDATE orders SET leg_state = 'absent', leg_oid = NULL, leg_is_exchanges_word = 0 WHERE id = '${id}'`,
    );
    store.$client.run(`UPDATE orders SET status = 'rejected', exchange_order_id = NULL WHERE id = '${id}'`);
  });
}

const REPORTS: [string, SceneOptions, number, (s: Scene) => void][] = [
  ["a fill", { hasFeed: true }, 5_000, (s) => trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" })],
  ["the next list of open orders", {}, 601_000, () => undefined],
  ["the list of open orders after a gap of the feed", { hasFeed: true }, 8_000, (s) => s.cutFeeds()],
];

test.each(REPORTS)(
  "an order that we had called rejected is open again by %s",
  async (_name, options, afterMs, report) => {
    const s = await scene(options);
    const { id, oid } = shown(await s.tell("sequence-a7", limit("buy", 94_000)));
    concludeWrongly(s, id);
    expect(shown(await s.tell(null, { kind: "get", id })).status).toBe("rejected");
    report(s);
    await s.pass(afterMs);
    expect(s.rows(`select status from orders where id = '${id}'`)).toEqual([{ status: "open" }]);
    expect(shown(await s.tell(null, { kind: "get", id }))).toMatchObject({ status: "open", oid });
    expect(s.rows("select what from notes where what = 'overruled'")).toHaveLength(1);
  },
);

test("a fill of an order that the exchange itself refused is a contradiction, and never applied", async () => {
  const s = await scene({ hasFeed: true });
  const { id } = shown(await s.tell("sequence-a7-refused", limit("buy", 94_000)));
  const { store } = s.process().gateway.deps;
  inTransaction(store, () => {
    store.$client.run(`UPDATE orders SET leg_state = 'rejected', leg_is_exchanges_word = 1 WHERE id = '${id}'`);
    store.$client.run(`UPDATE orders SET status = 'rejected' WHERE id = '${id}'`);
  });
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(35_000);
  expect(shown(await s.tell(null, { kind: "get", id })).status).toBe("rejected");
  expect(s.rows("select what from notes where what = 'contradiction'").length).toBeGreaterThan(0);
});

test("after its expiry nothing is sealed by a noop any more", async () => {
  const s = await scene();
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
  const wanted = { ...limit("buy", 95_100), timeInForce: "ioc" as const };
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  s.ask("sequence-a8", wanted);
  await s.pass(100);
  s.kill();
  await s.pass(3_600_000);
  await s.start();
  await s.pass(30_000);
  expect(executed(s, "noop")).toEqual([]);
  expect(shown(await s.tell("sequence-a8", wanted))).toMatchObject({ http: 201, status: "filled", filled: "0.01" });
});

test("of two margin changes at once neither is lost, and neither is looked for for ever", async () => {
  const s = await scene();
  const { ownerAddress } = s.party.account;
  s.venue.act(ownerAddress, { type: "updateLeverage", asset: 0, isCross: false, leverage: 10 });
  trade(s, MAKER, { isBuy: false, price: 95_000, size: "0.1" });
  trade(s, ownerAddress, { isBuy: true, price: 95_000, size: "0.1" });
  s.setFate(
    fates((body) => (isAction(body, "updateIsolatedMargin") ? unheard(5) : isAction(body, "noop") ? LOST : null)),
  );
  const margin = { kind: "margin" as const, market: "BTC", amount: "50" };
  const calls = ["sequence-a10-1", "sequence-a10-2"].map((key) => s.ask(key, margin));
  await s.pass(20_000);
  expect(executed(s, "updateIsolatedMargin").filter(({ reply }) => reply.status === "ok")).toHaveLength(2);
  for (const { answer } of calls) expect(answer).not.toBeNull();
  await s.pass(15 * 60_000);
  expect(s.process().gateway.deps.settling.openCount()).toBe(0);
  const reads = s.network.sent.length;
  await s.pass(60_000);
  expect(s.network.sent.length).toBe(reads);
});

test("two requests of one key in one turn share an answer, and strangers of that turn lose nothing", async () => {
  const s = await scene();
  const same = [0, 1].map(() => s.ask("sequence-a11", limit("buy", 94_000)));
  const strangers = [0, 1, 2, 3].map((nth) => s.ask(`sequence-a11-${nth}`, limit("buy", 93_000 + nth)));
  await s.pass(1_000);
  for (const { answer } of [...same, ...strangers]) expect(answer).toMatchObject({ status: 201 });
  const bodies = same.map(({ answer }) => (answer === null || answer === "lost" ? null : answer.body));
  expect(bodies[0]).toBe(bodies[1] ?? "");
  expect(executed(s, "order")).toHaveLength(5);
});

test("what fills during a modify is taken off the replacement", async () => {
  const s = await scene();
  const placed = shown(await s.tell("sequence-a12", limit("buy", 94_000, "1")));
  s.setFate(fates((body) => (isAction(body, "batchModify") ? directly(400) : null)));
  const modify = { kind: "modify" as const, id: placed.id, price: "93999", size: null, alwaysPlace: false };
  const call = s.ask("sequence-a12-modify", modify);
  await s.pass(200);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.165" });
  await s.pass(30_000);
  expect(call.answer).toMatchObject({ status: 200 });
  const after = await s.tell(null, { kind: "get", id: placed.id });
  expect(JSON.parse(after.body)).toMatchObject({ status: "open", size: "1", filled_size: "0.165", price: "93999" });
  const live = liveOrders(s).map((oid) => s.venue.runtime.world.venue.orders.get(oid)?.size);
  expect(live).toEqual([83_500_000n]);
});

test("an order that filled whole is not called short by a node without its fills", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  s.setFate(fates((body) => (isAction(body, "order") ? unheard(5) : null)));
  for (let node = 1; node < NODES; node += 1) s.network.freeze(node);
  const wanted = { ...limit("buy", 95_100), timeInForce: "ioc" as const };
  s.ask("sequence-a13", wanted);
  await s.pass(60_000);
  for (let node = 1; node < NODES; node += 1) s.network.thaw(node);
  await s.pass(30_000);
  expect(shown(await s.tell("sequence-a13", wanted))).toMatchObject({ http: 201, status: "filled", filled: "0.01" });
});
