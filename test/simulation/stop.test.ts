/** Stops at an exchange that loses answers, by a gateway that dies: what lives, and what runs, afterwards. */
import { expect, test } from "bun:test";
import { fieldOf } from "./clients.ts";
import type { Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import type { Venue } from "./venue.ts";

const scene = scenesOfThisFile();

const STOP: Ask = { kind: "stop", scope: "account", keepsProtection: true };
const EVERYTHING: Ask = { kind: "stop", scope: "account", keepsProtection: false };
const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };
const NEVER_LEFT_THE_WIRE: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

async function untilStopped(s: Scene, ask: Ask = STOP): Promise<string> {
  for (let waited = 0; waited < 60; waited += 1) {
    const told = await s.tell("stop-key-1", ask);
    if (fieldOf(told.body, "status") === "stopped") return told.body;
    await s.pass(500);
  }
  throw new Error("it never stopped");
}

type Own = { isBuy: boolean; price: string; size: string; children?: boolean };

/** By the owner's own hand, past the gateway. */
function placeByHand(s: Scene, { isBuy, price: p, size, children = false }: Own): void {
  const plain = { a: 0, b: isBuy, p, s: size, r: false, t: { limit: { tif: "Gtc" } }, c: null };
  const trigger = { isMarket: true, triggerPx: "80000", tpsl: "sl" };
  const child = { a: 0, b: !isBuy, p: "70000", s: size, r: true, t: { trigger }, c: null };
  const orders = children ? [plain, child] : [plain];
  const action = { type: "order" as const, orders, grouping: children ? "normalTpsl" : "na", builder: null };
  // Decimals of these texts are canonical; the brand is the engine's.
  s.venue.act(s.party.account.tradingAddress, action as unknown as Parameters<Venue["act"]>[1]);
}

async function takeLong(s: Scene): Promise<void> {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.05" });
  await s.tell("long-key-1", { ...limit("buy", 95_200, "0.05"), timeInForce: "ioc" });
}

const PROTECTION: Ask = {
  ...limit("sell", 80_000, "0.05"),
  reduceOnly: true,
  trigger: { price: "85000", kind: "stop_loss", market: true },
};

test.each([
  ["stays", STOP, 1],
  ["goes where everything is to go", EVERYTHING, 0],
])("what rests is canceled, and the stop-loss of a position %s", async (_what, ask, left) => {
  const s = await scene();
  await takeLong(s);
  const { oid } = shown(await s.tell("guard-key-1", PROTECTION));
  await s.tell("rest-key-1", limit("buy", 90_000));
  await untilStopped(s, ask);
  expect(liveOrders(s).map(String)).toEqual([oid ?? ""].slice(0, left));
  expect(shown(await s.tell("later-key-1", limit("buy", 90_001))).http).toBe(403);
});

const UNKNOWN: [string, Fate][] = [
  ["has arrived, and its answer was lost", LOST],
  ["has never arrived", NEVER_LEFT_THE_WIRE],
  ["arrives late", { arrivesAfterMs: [2_500], answer: { kind: "silence" } }],
];

test.each(UNKNOWN)("an order that %s is burnt or canceled before it is stopped", async (_what, fate) => {
  const s = await scene();
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"type":"order"') ? fate : directly(1)));
  s.ask("lost-key-1", limit("buy", 90_000));
  await s.pass(100);
  await untilStopped(s);
  expect(liveOrders(s)).toEqual([]);
  const known = s.venue.log.length;
  await s.pass(30_000);
  expect(liveOrders(s)).toEqual([]);
  expect(
    s.venue.log.slice(known).filter(({ input, isAdmitted }) => input.action.type === "order" && isAdmitted),
  ).toEqual([]);
});

test("an order that is on the disk and not sent yet does not get past a stop", async () => {
  const s = await scene();
  // The noop of the stop overtakes it.
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes('"type":"order"') ? directly(400) : directly(1),
  );
  s.ask("early-key-1", limit("buy", 90_000));
  await s.pass(20);
  s.ask("stop-key-1", STOP);
  await s.pass(5_000);
  const taken = executed(s, "order").filter(({ isAdmitted }) => isAdmitted);
  expect([taken, liveOrders(s)]).toEqual([[], []]);
  await untilStopped(s);
});

test("a modify that is on its way places nothing that lives", async () => {
  const s = await scene();
  const { id } = shown(await s.tell("first-key-1", limit("buy", 90_000)));
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes('"type":"batchModify"')
      ? { arrivesAfterMs: [900], answer: { kind: "silence" } }
      : directly(1),
  );
  s.ask("modify-key-1", { kind: "modify", id, price: "90010", size: null, alwaysPlace: true });
  await s.pass(50);
  await untilStopped(s);
  await s.pass(20_000);
  expect(liveOrders(s)).toEqual([]);
});

test.each([5, 6, 7, 8, 10, 12, 16, 20])("a stop goes on after a death at step %d of it", async (atPoint) => {
  const s = await scene();
  await s.tell("rest-key-1", limit("buy", 90_000));
  await s.tell("rest-key-2", limit("buy", 90_001));
  s.kill();
  await s.start({ atPoint });
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"type":"order"') ? LOST : directly(1)));
  s.ask("lost-key-1", limit("buy", 90_002));
  await s.pass(20);
  s.ask("stop-key-1", STOP);
  await s.pass(3_000);
  s.setFate(() => directly(1));
  if (!s.isDead()) s.kill();
  await s.start();
  await untilStopped(s);
  expect(liveOrders(s)).toEqual([]);
  expect(shown(await s.tell("later-key-1", limit("buy", 90_003))).http).toBe(403);
});

test("killed before anything was asked of it, a stop stands at the next start, and is carried out", async () => {
  const s = await scene();
  await s.tell("rest-key-1", limit("buy", 90_000));
  s.setFate(({ path }) => (path === "/exchange" ? NEVER_LEFT_THE_WIRE : directly(1)));
  await s.tell("stop-key-1", STOP);
  s.kill();
  s.setFate(() => directly(1));
  await s.start();
  await s.pass(8_000);
  expect(liveOrders(s)).toEqual([]);
});

test("while the exchange is silent nothing is told to be stopped", async () => {
  const s = await scene();
  await s.tell("rest-key-1", limit("buy", 90_000));
  s.setFate(() => NEVER_LEFT_THE_WIRE);
  await s.tell("stop-key-1", STOP);
  await s.pass(40_000);
  const told = await s.tell("stop-key-1", STOP);
  expect([told.status, fieldOf(told.body, "status")]).toEqual([202, "stopping"]);
  s.setFate(() => directly(1));
  await untilStopped(s);
  expect(liveOrders(s)).toEqual([]);
});

test("a TWAP is canceled, and one whose answer was lost does not run on", async () => {
  const s = await scene();
  await s.tell("twap-key-1", { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: 30 });
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"type":"twapOrder"') ? LOST : directly(1)));
  s.ask("twap-key-2", { kind: "twap", market: "BTC", side: "buy", size: "0.2", minutes: 30 });
  await s.pass(50);
  await untilStopped(s);
  expect(s.venue.runtime.world.venue.twaps.size).toBe(0);
  expect(executed(s, "twapCancel").length).toBeGreaterThan(0);
});

test("a TWAP whose cancel gets nowhere keeps the stop from being told as done", async () => {
  const s = await scene();
  await s.tell("twap-key-1", { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: 30 });
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes('"type":"twapCancel"') ? NEVER_LEFT_THE_WIRE : directly(1),
  );
  await s.tell("stop-key-1", STOP);
  await s.pass(10_000);
  expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopping");
  s.setFate(() => directly(1));
  await untilStopped(s);
  expect(s.venue.runtime.world.venue.twaps.size).toBe(0);
});

test("in an account that does nothing else an order of which nothing is ever shown keeps no stop from its end", async () => {
  const s = await scene();
  s.setFate(neverKnown((body) => body.includes('"type":"order"')));
  s.ask("lost-key-1", limit("buy", 90_000));
  await s.pass(200);
  await s.tell("stop-key-1", STOP);
  // Nothing of it is there by the exchange's own answers, but no list of markets may be behind.
  await s.pass(280_000);
  expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopping");
  await s.pass(180_000);
  expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopped");
  expect(shown(await s.tell("lost-key-1", limit("buy", 90_000)))).toMatchObject({ status: "canceled" });
});

test("a TWAP of which nothing is ever shown keeps a stop from its end until its own minutes are over", async () => {
  const s = await scene();
  s.setFate(neverKnown((body) => body.includes('"type":"twapOrder"')));
  s.ask("twap-key-1", { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: 10 });
  await s.pass(200);
  await s.tell("stop-key-1", STOP);
  await s.pass(12 * 60_000);
  expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopping");
  await s.pass(2 * 60_000);
  expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopped");
});

test("what was placed elsewhere is canceled once and listed; what comes later is not", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "90000", size: "0.01" });
  const [oid] = liveOrders(s);
  const told = JSON.parse(await untilStopped(s)) as { outside: object };
  expect(told.outside).toEqual({
    is_done: true,
    canceled: [{ kind: "order", exchange_id: `${oid}`, market: "BTC" }],
    kept: [],
  });
  expect(liveOrders(s)).toEqual([]);
  placeByHand(s, { isBuy: true, price: "90001", size: "0.01" });
  await s.pass(60_000);
  expect(liveOrders(s)).toHaveLength(1);
});

test("a list of a server that is behind lacks what was placed elsewhere, and the next one has it", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "90000", size: "0.01" });
  // One answer for each dex.
  let behind = 2;
  s.seeThrough(({ type }, answer) => {
    if (type !== "frontendOpenOrders" || behind === 0) return answer;
    behind -= 1;
    return [];
  });
  await untilStopped(s);
  expect([behind, liveOrders(s)]).toEqual([0, []]);
});

test("while the lists cannot be read what was placed elsewhere may live, and it is not stopped", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "90000", size: "0.01" });
  s.setFate(({ path }) => (path === "/info" ? NEVER_LEFT_THE_WIRE : directly(1)));
  for (let asked = 0; asked < 20; asked += 1) {
    expect(fieldOf((await s.tell("stop-key-1", STOP)).body, "status")).toBe("stopping");
    await s.pass(500);
  }
  s.setFate(() => directly(1));
  await untilStopped(s);
  expect(liveOrders(s)).toEqual([]);
});

test("a bot's stop leaves alone what was placed elsewhere", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "90000", size: "0.01" });
  await s.tell("rest-key-1", limit("buy", 90_001));
  await untilStopped(s, { kind: "stop", scope: "bot", keepsProtection: true });
  expect(liveOrders(s)).toHaveLength(1);
});

test("an order with children that is filled in part keeps them: it is told, and not canceled", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "94000", size: "0.02", children: true });
  const [parent] = liveOrders(s);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  const told = JSON.parse(await untilStopped(s)) as { outside: { kept: object[]; canceled: object[] } };
  expect(told.outside.kept).toEqual([{ kind: "order", exchange_id: `${parent}`, market: "BTC" }]);
  expect(told.outside.canceled).toEqual([]);
  expect(liveOrders(s)).toContain(parent ?? 0);
});

test("an order with children that nothing has filled goes, and the stop that stood in for its own goes after it", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "94000", size: "0.02", children: true });
  const [parent] = liveOrders(s);
  const told = JSON.parse(await untilStopped(s)) as { outside: { kept: object[]; canceled: object[] } };
  expect(told.outside).toMatchObject({ kept: [], canceled: [{ kind: "order", exchange_id: `${parent}` }] });
  const [standIn, ...others] = executed(s, "order").filter(({ input }) => isReduceOnly(input.action));
  expect([standIn?.isAdmitted, others]).toEqual([true, []]);
  await s.pass(20_000);
  expect(liveOrders(s)).toEqual([]);
});

test("what it fills while its cancel is on its way has a stop", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "94000", size: "0.02", children: true });
  let isFilled = false;
  s.setFate(({ path, body }) => {
    if (path === "/exchange" && body.includes('"type":"cancel"') && !isFilled) {
      isFilled = true;
      trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
    }
    return directly(1);
  });
  await untilStopped(s);
  await s.pass(60_000);
  expect(isFilled).toBe(true);
  expect(liveOrders(s)).toHaveLength(1);
  const [standIn] = executed(s, "order").filter(({ input }) => isReduceOnly(input.action));
  expect(JSON.stringify(standIn?.input.action)).toContain('"tpsl":"sl"');
});

test("a stop that stands in waits for the end of its order, however late its cancel arrives", async () => {
  const s = await scene();
  placeByHand(s, { isBuy: true, price: "94000", size: "0.02", children: true });
  const [parent] = liveOrders(s);
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes('"type":"cancel"')
      ? { arrivesAfterMs: [11_000], answer: { kind: "silence" } }
      : directly(1),
  );
  s.ask("stop-key-1", STOP);
  await s.pass(9_000);
  expect(liveOrders(s)).toContain(parent ?? 0);
  expect(executed(s, "cancel")).toEqual([]);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.01" });
  s.setFate(() => directly(1));
  await s.pass(60_000);
  const [standIn] = executed(s, "order").filter(({ input }) => isReduceOnly(input.action));
  expect([standIn?.isAdmitted, liveOrders(s).length > 0]).toEqual([true, true]);
  // The one of the whole has given way to one of what was filled.
  expect(s.rows("select status, size from orders where idempotency_key like 'stand-in %' order by rowid")).toEqual([
    { status: "canceled", size: "0.02" },
    { status: "waiting_for_trigger", size: "0.01" },
  ]);
});

function isReduceOnly(action: object): boolean {
  return "orders" in action && Array.isArray(action.orders) && action.orders.every(({ r }) => r);
}
