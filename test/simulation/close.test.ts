/** Positions that are closed at an exchange that loses answers, by a gateway that dies. */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };
const NEVER_ARRIVED: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const CLOSE: Ask = { kind: "close", market: "BTC", fraction: "1", keepsTriggers: false };
const GUARD: Ask = {
  ...limit("sell", 80_000, "0.05"),
  reduceOnly: true,
  trigger: { price: "85000", kind: "stop_loss", market: true },
};

/** The exchange takes a guard of a long with the position; this one, of a short that is gone, it leaves. */
const OLD_GUARD: Ask = {
  ...limit("buy", 110_000, "0.05"),
  reduceOnly: true,
  trigger: { price: "105000", kind: "stop_loss", market: true },
};

/** Long 0.05 with its stop-loss and an older one, and somebody who buys at these prices. */
async function long(s: Scene, bids: readonly [number, string][]): Promise<void> {
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.05" });
  await s.tell("long-key-1", { ...limit("buy", 95_200, "0.05"), timeInForce: "ioc" });
  await s.tell("guard-key-1", GUARD);
  await s.tell("guard-key-2", OLD_GUARD);
  for (const [price, size] of bids) trade(s, MAKER, { isBuy: true, price, size });
}

function held(s: Scene): string {
  const { positions } = s.venue.account(s.party.account.tradingAddress);
  return [...positions.values()].map(({ size }) => String(Number(size) / 1e8)).join(",") || "0";
}

/** Immediate sales that only reduce, as the exchange has executed them. */
function sales(s: Scene): number {
  return executed(s, "order").filter(({ input }) => /"Ioc"/.test(JSON.stringify(input.action, spelled))).length - 1;
}

function spelled(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

test("all of it goes by one order, and then its stop-loss", async () => {
  const s = await scene({ isHttp: true });
  await long(s, [[95_000, "0.1"]]);
  expect(shown(await s.tell("close-key-1", CLOSE))).toMatchObject({ http: 201, status: "filled" });
  await s.pass(10_000);
  expect([held(s), sales(s), liveOrders(s)]).toEqual(["0", 1, []]);
});

test("a part leaves the rest and its stop-loss", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  await s.tell("close-key-1", { ...CLOSE, fraction: "0.4" });
  await s.pass(10_000);
  expect([held(s), liveOrders(s)]).toEqual(["0.03", [expect.any(Number), expect.any(Number)]]);
});

test("what nobody buys within the bound stays held, and so does its stop-loss", async () => {
  const s = await scene();
  await long(s, [
    [95_000, "0.02"],
    [94_000, "1"],
  ]);
  await s.tell("close-key-1", CLOSE);
  await s.pass(10_000);
  expect([held(s), liveOrders(s)]).toEqual(["0.03", [expect.any(Number), expect.any(Number)]]);
});

test.each([
  ["takes it", 1, { status: "filled", held: "0" }],
  ["refuses it", 3, { status: "rejected", held: "0.00011" }],
])("of what is worth less than the minimum all is closed, where the exchange %s", async (_what, seed, left) => {
  const s = await scene({ seed });
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.00011" });
  await s.tell("long-key-1", { ...limit("buy", 95_200, "0.00011"), timeInForce: "ioc" });
  trade(s, MAKER, { isBuy: true, price: 90_700, size: "1" });
  const { status } = shown(await s.tell("close-key-1", { ...CLOSE, fraction: "0.5" }));
  expect({ status, held: held(s) }).toEqual(left);
});

test.each([
  ["has arrived, and its answer was lost", LOST],
  ["has never arrived", NEVER_ARRIVED],
])("where an order that closes %s, another key closes no more than is left", async (_what, fate) => {
  const s = await scene();
  await long(s, [[95_000, "1"]]);
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"Ioc"') ? fate : directly(1)));
  const first = s.ask("close-key-1", CLOSE);
  await s.pass(50);
  s.setFate(() => directly(1));
  const second = s.ask("close-key-2", CLOSE);
  await s.pass(40_000);
  expect([first.answer, second.answer]).not.toContain(null);
  await s.tell("close-key-3", CLOSE);
  // Until the fill of the close is known what is shown may be of before.
  await s.pass(20_000);
  expect([held(s), sales(s), liveOrders(s)]).toEqual(["0", 1, []]);
});

test("a position that another has closed meanwhile is not turned round", async () => {
  const s = await scene();
  await long(s, [[95_000, "1"]]);
  const late: Fate = { arrivesAfterMs: [3_000], answer: { kind: "silence" } };
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"Ioc"') ? late : directly(1)));
  s.ask("close-key-1", CLOSE);
  await s.pass(100);
  trade(s, s.party.account.tradingAddress, { isBuy: false, price: 95_000, size: "0.05" });
  await s.pass(30_000);
  expect(held(s)).toBe("0");
});

test.each([4, 6, 8, 10, 12, 14])(
  "it goes on after a death at step %d: closed once, and its stop-loss goes",
  async (atPoint) => {
    const s = await scene();
    await long(s, [[95_000, "1"]]);
    s.kill();
    await s.start({ atPoint });
    s.ask("close-key-1", CLOSE);
    await s.pass(600);
    if (s.isDead()) await s.start();
    await s.pass(20_000);
    if (!s.isDead()) s.kill();
    await s.start();
    await s.pass(20_000);
    // The same key is the same close, whatever came of it; where nothing did, the next one is.
    await s.tell("close-key-1", CLOSE);
    await s.tell("close-key-2", CLOSE);
    await s.pass(10_000);
    expect([held(s), sales(s), liveOrders(s)]).toEqual(["0", 1, []]);
  },
);

test.each([
  ["is looked for", "clearinghouseState"],
  ["is canceled", '"cancel'],
])("a death before what it leaves behind %s changes nothing, though nobody asks again", async (_what, lost) => {
  const s = await scene();
  await long(s, [[95_000, "1"]]);
  let isClosed = false;
  s.setFate(({ body }) => {
    isClosed ||= body.includes('"Ioc"');
    return isClosed && body.includes(lost) ? NEVER_ARRIVED : directly(1);
  });
  await s.tell("close-key-1", CLOSE);
  await s.pass(3_000);
  s.kill();
  s.setFate(() => directly(1));
  await s.start();
  await s.pass(20_000);
  expect([held(s), sales(s), liveOrders(s)]).toEqual(["0", 1, []]);
});

test("one that was lost, and of which nothing ever tells, stands in the way of the next no longer than it could execute", async () => {
  const s = await scene();
  await long(s, [[95_000, "0.1"]]);
  s.setFate(neverKnown((body) => body.includes('"Ioc"')));
  expect((await s.tell("close-key-1", CLOSE)).status).toBe(202);
  expect(shown(await s.tell("close-key-2", CLOSE)).http).toBe(409);
  expect(held(s)).toBe("0.05");
  await s.pass(30_000);
  expect(shown(await s.tell("close-key-3", CLOSE))).toMatchObject({ http: 201, status: "filled" });
  expect([held(s), sales(s)]).toEqual(["0", 1]);
});
