/** Positions that are closed under a stop, at an exchange that loses answers, by a gateway that dies. */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { holdStores } from "./standing-still.ts";

const scene = scenesOfThisFile();

const STOP: Ask = { kind: "stop", scope: "account", keepsProtection: true };
const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };
const NEVER_ARRIVED: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

/** Long 0.05, and somebody who buys at these prices. */
async function long(s: Scene, bids: readonly [number, string][]): Promise<void> {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.05" });
  await s.tell("long-key-1", { ...limit("buy", 95_200, "0.05"), timeInForce: "ioc" });
  for (const [price, size] of bids) trade(s, MAKER, { isBuy: true, price, size });
}

function held(s: Scene): string {
  const { positions } = s.venue.account(s.party.account.tradingAddress);
  return [...positions.values()].map(({ size }) => String(Number(size) / 1e8)).join(",") || "0";
}

type Shown = { id: string; status: string; flatten: { status: string; left: object[]; order_ids: string[] } | null };

async function stopAndFlatten(s: Scene, bps = 50): Promise<string> {
  const { id } = JSON.parse((await s.tell("stop-key-1", STOP)).body) as Shown;
  const told = await s.tell(null, { kind: "flatten", id, bps });
  expect(told.status).toBe(202);
  return id;
}

async function untilEnded(s: Scene): Promise<NonNullable<Shown["flatten"]>> {
  for (let waited = 0; waited < 120; waited += 1) {
    const { flatten } = JSON.parse((await s.tell("stop-key-1", STOP)).body) as Shown;
    if (flatten !== null && flatten.status !== "flattening") return flatten;
    await s.pass(500);
  }
  throw new Error("it never ended");
}

function sales(s: Scene) {
  return executed(s, "order").filter(({ input }) => JSON.stringify(input.action, spelled).includes('"r":true'));
}

function spelled(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

test("what is held is closed, the stop-loss stays, and what increases went before", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  await s.tell("guard-key-1", {
    ...limit("sell", 80_000, "0.05"),
    reduceOnly: true,
    trigger: { price: "85000", kind: "stop_loss", market: true },
  });
  await s.tell("rest-key-1", limit("buy", 90_000));
  await stopAndFlatten(s);
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
  expect(held(s)).toBe("0");
});

test.each([
  ["has arrived, and its answer was lost", LOST],
  ["has never arrived", NEVER_ARRIVED],
])("an order that %s is settled before the next one", async (_what, fate) => {
  const s = await scene();
  await long(s, [[95_000, "0.02"]]);
  let times = 0;
  s.setFate(({ path, body }) => {
    if (path !== "/exchange" || !body.includes('"type":"order"')) return directly(1);
    times += 1;
    return times <= 2 ? fate : directly(1);
  });
  await stopAndFlatten(s);
  await s.pass(8_000);
  trade(s, MAKER, { isBuy: true, price: 95_000, size: "0.1" });
  expect(await untilEnded(s)).toMatchObject({ status: "flat" });
  expect(held(s)).toBe("0");
});

test("no order goes before the last one is settled, or can do nothing more, and then by what is held", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.02"]]);
  await s.tell("stop-key-1", STOP);
  await s.pass(4_000);
  // It arrives, and nothing can be read of it.
  s.setFate(({ path, body }) => {
    if (path === "/exchange") return { arrivesAfterMs: [1], answer: { kind: "silence" } };
    return /clearinghouseState|l2Book|allMids|meta/.test(body) ? directly(1) : NEVER_ARRIVED;
  });
  await stopAndFlatten(s);
  await s.pass(1_000);
  expect(held(s)).toBe("0.03");
  trade(s, MAKER, { isBuy: true, price: 95_000, size: "0.01" });
  await s.pass(9_000);
  expect(sales(s)).toHaveLength(1);
  await s.pass(16_000);
  expect(sales(s).map(({ input }) => /"s":"([0-9.]+)"/.exec(JSON.stringify(input.action, spelled))?.[1])).toEqual([
    "0.05",
    "0.03",
  ]);
});

test("an order of which nothing ever tells keeps it waiting no longer than it could execute", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  s.setFate(neverKnown((body) => body.includes('"r":true')));
  await stopAndFlatten(s);
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
  expect(held(s)).toBe("0");
});

test("an order of which nothing is ever shown keeps nothing open: what is held is closed once it can come no more, and that it left nothing is known by that", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  s.setFate(neverKnown((body) => body.includes('"r":false')));
  const lost = s.ask("lost-key-1", limit("buy", 90_000));
  await s.pass(200);
  const id = await stopAndFlatten(s);
  const [signed] = s.rows("select max(expires_at_ms) as ms from orders where attempt_state <> 'done'");
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
  expect(held(s)).toBe("0");
  expect(JSON.parse((await s.tell("stop-key-1", STOP)).body)).toMatchObject({ id, status: "stopped" });
  expect(sales(s)[0]?.atMs).toBeGreaterThan(Number(signed?.["ms"]) + 3_000);
  expect(lost.answer).not.toBeNull();
});

test("while the exchange tells nothing of an order that was lost, from its end on, nothing is closed", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  const isLost = neverKnown((body) => body.includes('"r":false'));
  s.setFate(isLost);
  s.ask("lost-key-1", limit("buy", 90_000));
  await s.pass(200);
  await stopAndFlatten(s);
  // What was not there before its time was over proves nothing.
  await s.pass(8_000);
  s.setFate((request) => (request.body.includes('"orderStatus"') ? NEVER_ARRIVED : isLost(request)));
  await s.pass(40_000);
  expect(held(s)).toBe("0.05");
  s.setFate(isLost);
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
});

test("an order that rests while its change is lost keeps what is held open, whatever a store lacks", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  holdStores(s).stop("orderStatus");
  const { id } = shown(await s.tell("rest-key-1", limit("buy", 90_000)));
  s.setFate(({ path, body }) => (path === "/exchange" && !body.includes('"r":true') ? NEVER_ARRIVED : directly(1)));
  s.ask("change-key-1", { kind: "modify", id, price: "90001", size: null, alwaysPlace: false });
  await s.pass(200);
  await stopAndFlatten(s);
  await s.pass(40_000);
  expect(held(s)).toBe("0.05");
});

test("what turns up after all that was shown is closed is closed as well, and flat is not told before", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.2"]]);
  const stores = holdStores(s);
  for (const type of ["orderStatus", "frontendOpenOrders", "historicalOrders"]) stores.stop(type);
  s.setFate(({ path, body }) => {
    if (path !== "/exchange" || body.includes('"r":true')) return directly(1);
    return body.includes('"type":"order"') ? LOST : body.includes("cancel") ? NEVER_ARRIVED : directly(1);
  });
  s.ask("lost-key-1", limit("buy", 94_400, "0.02"));
  await s.pass(200);
  await stopAndFlatten(s);
  await s.pass(40_000);
  expect(held(s)).toBe("0");
  expect(JSON.parse((await s.tell("stop-key-1", STOP)).body)).toMatchObject({
    status: "stopping",
    flatten: {
      status: "flattening",
      waits_for: [{ reason: "not_stopped" }, { reason: "outcome_unknown", market: "BTC" }],
    },
  });
  trade(s, MAKER, { isBuy: false, price: 94_400, size: "0.17" });
  expect(held(s)).toBe("0.02");
  trade(s, MAKER, { isBuy: true, price: 94_390, size: "0.1" });
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
  expect(held(s)).toBe("0");
});

test("what nobody buys within the bound of the first order is told as left", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.02"]]);
  trade(s, MAKER, { isBuy: true, price: 94_000, size: "1" });
  await stopAndFlatten(s);
  const { status, left } = await untilEnded(s);
  expect(status).toBe("left");
  expect(left).toEqual([{ market: "BTC", size: "0.03", reason: "no_price" }]);
  expect(sales(s).length).toBeLessThanOrEqual(10);
  await s.pass(30_000);
  expect(held(s)).toBe("0.03");
});

test("it is not flat by a server that is behind, and closes what is held once one is not", async () => {
  const s = await scene();
  const stores = holdStores(s);
  stores.stop("clearinghouseState");
  await long(s, [[95_000, "0.1"]]);
  await s.pass(100);
  const id = await stopAndFlatten(s);
  await s.pass(20_000);
  expect(JSON.parse((await s.tell("stop-key-1", STOP)).body)).toMatchObject({ id, flatten: { status: "flattening" } });
  expect(held(s)).toBe("0.05");
  stores.go();
  expect(await untilEnded(s)).toMatchObject({ status: "flat", left: [] });
  expect(held(s)).toBe("0");
});

test("a wall clock that is set back meanwhile gives it no more orders", async () => {
  const s = await scene();
  await long(s, []);
  // Somebody is shown to buy, and nobody does.
  const level = { px: "94900.0", sz: "1.0", n: 1 };
  s.seeThrough(({ type }, answer) =>
    type === "l2Book" ? { ...(answer as object), levels: [[level], [{ ...level, px: "95100.0" }]] } : answer,
  );
  await stopAndFlatten(s);
  await s.pass(1_000);
  s.jumpClock(-3_600_000);
  await s.pass(60_000);
  expect(sales(s)).toHaveLength(10);
  expect(await untilEnded(s)).toMatchObject({ left: [{ market: "BTC", size: "0.05", reason: "not_filled" }] });
});

test("nothing is closed while something can still increase", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  await s.tell("rest-key-1", limit("buy", 90_000));
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes("cancel") ? NEVER_ARRIVED : directly(1)));
  await stopAndFlatten(s);
  await s.pass(15_000);
  expect(held(s)).toBe("0.05");
  s.setFate(() => directly(1));
  expect(await untilEnded(s)).toMatchObject({ status: "flat" });
  expect(liveOrders(s)).toEqual([]);
});

test.each([6, 8, 10, 12, 14, 18])("it goes on after a death at step %d of it", async (atPoint) => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  s.kill();
  await s.start({ atPoint });
  s.ask("stop-key-1", STOP);
  await s.pass(300);
  if (s.isDead()) await s.start();
  await stopAndFlatten(s);
  await s.pass(3_000);
  if (!s.isDead()) s.kill();
  await s.start();
  expect(await untilEnded(s)).toMatchObject({ status: "flat" });
  expect(held(s)).toBe("0");
  expect(shown(await s.tell("later-key-1", limit("buy", 90_003))).http).toBe(403);
});
