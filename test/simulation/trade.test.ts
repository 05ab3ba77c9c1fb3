/** Entries with what protects them, at an exchange that loses answers, by a gateway that dies. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { neverKnown } from "./never-known.ts";
import { MAKER } from "./plain-venue.ts";
import { limit, liveOrders, type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { begin, bracket, guarded, held, placed, shownTrade, stopped, until } from "./trade-stage.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };
const UNSENT: Fate = { arrivesAfterMs: [], answer: { kind: "error", code: "ECONNREFUSED", afterMs: 50 } };
const NEVER_ARRIVED: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

const STOP = { isBuy: false, isReduction: true, isTrigger: true };
const ENTRY = { isBuy: true, isReduction: false, isTrigger: false };

/** The mark goes there. */
async function markAt(s: Scene, price: number): Promise<void> {
  s.venue.setPrice("BTC", BigInt(price) * 100_000_000n);
  await s.pass(1_000);
}

test("the stop is taken before the entry is sent, and goes when the trade is over", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  expect(placed(s)).toMatchObject([STOP, ENTRY]);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  const open = await until(s, id, ({ status }) => status === "open");
  expect(open).toMatchObject({ path: "stop_first", protected: true, held_size: "0.05" });
  expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
});

test("while the stop is not proven to wait there, nothing is entered", async () => {
  const s = await scene();
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes("triggerPx") ? NEVER_ARRIVED : directly(1)));
  const id = await begin(s);
  await s.pass(5_000);
  expect(placed(s)).toEqual([]);
  s.setFate(() => directly(1));
  await until(s, id, ({ status }) => status === "entering" || status === "rejected");
  expect(placed(s).filter(({ isReduction }) => !isReduction).length).toBeLessThanOrEqual(1);
});

test("a stop that the feed has told gone is none to enter behind, though no look can prove it yet", async () => {
  const s = await scene({ hasFeed: true });
  await s.pass(2_000);
  const isEntry = (body: string) => body.includes('"r":false');
  s.setFate(({ body }) => (isEntry(body) ? UNSENT : directly(1)));
  const id = await begin(s);
  await s.pass(2_000);
  expect(guarded(s)).toBe(0.05);
  s.setFate(({ path, body }) => (isEntry(body) ? UNSENT : path === "/info" ? NEVER_ARRIVED : directly(1)));
  await markAt(s, 84_000);
  await markAt(s, 90_500);
  expect(guarded(s)).toBe(0);
  s.setFate(({ path }) => (path === "/info" ? NEVER_ARRIVED : directly(1)));
  await s.pass(20_000);
  expect(placed(s).filter(({ isReduction }) => !isReduction)).toEqual([]);
  expect((await shownTrade(s, id)).filled_size).toBe("0");
});

test("a stop that has fired while the gateway was dead is none to enter behind: it is asked for first", async () => {
  const s = await scene();
  s.setFate(({ body }) => (body.includes('"r":false') ? NEVER_ARRIVED : directly(1)));
  const id = await begin(s);
  await s.pass(30);
  expect(guarded(s)).toBe(0.05);
  s.kill();
  await markAt(s, 84_000);
  await markAt(s, 90_500);
  await s.pass(10_000);
  expect(guarded(s)).toBe(0);
  s.setFate(() => directly(1));
  await s.start();
  expect(await until(s, id, ({ status }) => status === "rejected")).toMatchObject({ filled_size: "0" });
  expect(placed(s).filter(({ isReduction }) => !isReduction)).toEqual([]);
});

test("a stop that was refused as it fired, with nothing held, is found gone within seconds where no feed tells it", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  expect(guarded(s)).toBe(0.05);
  s.setFate(() => NEVER_ARRIVED);
  await markAt(s, 84_000);
  await markAt(s, 90_500);
  s.setFate(() => directly(1));
  expect(guarded(s)).toBe(0);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  await s.pass(15_000);
  expect([held(s), guarded(s)]).toEqual(["0.02", 0.02]);
});

test("a stop that waits still after a death has its entry, asked for once", async () => {
  const s = await scene();
  s.setFate(({ body }) => (body.includes('"r":false') ? NEVER_ARRIVED : directly(1)));
  const id = await begin(s);
  await s.pass(30);
  expect(guarded(s)).toBe(0.05);
  s.kill();
  await s.pass(10_000);
  s.setFate(() => directly(1));
  await s.start();
  await until(s, id, ({ status }) => status === "entering");
  expect(placed(s).filter(({ isReduction }) => !isReduction)).toHaveLength(1);
});

test("an entry whose answer is lost is entered once", async () => {
  const s = await scene();
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"r":false') ? LOST : directly(1)));
  const id = await begin(s);
  await s.pass(3_000);
  s.setFate(() => directly(1));
  await until(s, id, ({ status }) => status === "entering");
  await s.pass(20_000);
  expect(placed(s).filter(({ isReduction }) => !isReduction)).toHaveLength(1);
});

test("where the account has something there, a stop of what is filled follows each fill", async () => {
  const s = await scene();
  await s.tell("other-key-1", limit("buy", 80_000));
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  expect(placed(s)).toMatchObject([ENTRY, ENTRY]);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  expect(await until(s, id, ({ filled_size, ...is }) => filled_size === "0.02" && is.protected)).toMatchObject({
    path: "after_fills",
  });
  await s.pass(2_000);
  expect(guarded(s)).toBe(0.02);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.03" });
  await until(s, id, (is) => is.status === "open" && is.protected);
  await s.pass(3_000);
  expect(guarded(s)).toBe(0.05);
});

test("a stop does not stand behind the answer of its entry: what the feed tells is protected, and told", async () => {
  const s = await scene({ hasFeed: true });
  await s.pass(2_000);
  await s.tell("other-key-1", limit("buy", 80_000));
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"r":false') ? LOST : directly(1)));
  const id = await begin(s);
  await s.pass(3_000);
  expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
  expect(await shownTrade(s, id)).toMatchObject({ status: "open", filled_size: "0.05", protected: true });
});

test("nor behind that of its take-profit", async () => {
  const s = await scene({ hasFeed: true });
  await s.pass(2_000);
  await s.tell("other-key-1", limit("buy", 80_000));
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"tpsl":"tp"') ? LOST : directly(1)));
  const id = await begin(s, bracket({ profit: "99000" }));
  await s.pass(2_000);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.03" });
  await s.pass(1_500);
  expect(stopped(s)).toBe(0.05);
  expect(await shownTrade(s, id)).toMatchObject({ held_size: "0.05", protected: true });
});

test.each([
  ["before the entry", async (): Promise<void> => undefined],
  ["after it", async (s: Scene): Promise<void> => void (await s.tell("other-key-1", limit("buy", 80_000)))],
])("a stop that was lost %s, and of which nothing ever tells, has another beside it", async (_what, before) => {
  const s = await scene();
  await before(s);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  s.setFate(neverKnown((body) => body.includes("triggerPx")));
  const id = await begin(s);
  await s.pass(60_000);
  expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
  expect(await shownTrade(s, id)).toMatchObject({ protected: true, unprotected_because: null });
});

test.each([
  ["the exchange took none", (_s: Scene) => undefined],
  ["it was dead", (s: Scene) => s.kill()],
])("an entry that could not be sent for a minute, because %s, is not sent any more", async (_what, begun) => {
  const s = await scene();
  s.setFate(({ body }) => (body.includes('"r":false') ? UNSENT : directly(1)));
  const id = await begin(s);
  await s.pass(1_000);
  expect(guarded(s)).toBe(0.05);
  begun(s);
  await s.pass(62_000);
  s.setFate(() => directly(1));
  if (s.isDead()) await s.start();
  // A death may come while it is being sent: then an empty action has taken its number.
  expect((await until(s, id, ({ status }) => status === "rejected")).error).toMatch(
    /^it could not be sent within 60 s|was never executed and no longer can be/,
  );
  expect(placed(s)).toMatchObject([STOP]);
  expect(guarded(s)).toBe(0);
});

test("the mark comes to its stop before the entry is sent: nothing is entered, where no stop waits before it", async () => {
  const s = await scene();
  await s.tell("other-key-1", limit("buy", 80_000));
  s.setFate(({ body }) => (body.includes('"r":false') ? UNSENT : directly(1)));
  const id = await begin(s);
  await s.pass(2_000);
  await markAt(s, 84_000);
  await s.pass(6_000);
  s.setFate(() => directly(1));
  const { error } = await until(s, id, ({ status }) => status === "rejected");
  expect(error).toContain("The mark of BTC is 84000, and stop_loss.trigger_price 85000 is not below it");
  expect(placed(s)).toMatchObject([ENTRY]);
});

test.each([
  ["fire", 5],
  ["are refused", 4],
])("filled when the mark has come to its stop, it is out at once where such triggers %s", async (_what, seed) => {
  const s = await scene({ seed });
  await s.tell("other-key-1", limit("buy", 70_000));
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  s.venue.setPrice("BTC", 84_000n * 100_000_000n);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  trade(s, MAKER, { isBuy: true, price: 83_900, size: "0.05" });
  await until(s, id, ({ status }) => status === "closed");
  expect([held(s), guarded(s)]).toEqual(["0", 0]);
});

test.each([
  ["fire", 5],
  ["are refused", 4],
])(
  "filled when the mark has come to its take-profit, it is out at once where such triggers %s",
  async (_what, seed) => {
    const s = await scene({ seed });
    await s.tell("other-key-1", limit("buy", 70_000));
    const id = await begin(s, bracket({ profit: "110000" }));
    await until(s, id, ({ status }) => status === "entering");
    s.venue.setPrice("BTC", 111_000n * 100_000_000n);
    trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
    trade(s, MAKER, { isBuy: true, price: 110_900, size: "0.05" });
    await until(s, id, ({ status }) => status === "closed");
    expect([held(s), guarded(s)]).toEqual(["0", 0]);
  },
);

test.each([
  ["is refused", directly(1)],
  ["is refused, and the answer lost", LOST],
])(
  "what is filled is worth too little for a stop, which %s: it is told with the figure, and no more than that",
  async (_what, fate) => {
    const s = await scene({ seed: 3 });
    await s.tell("other-key-1", limit("buy", 70_000));
    s.setFate(({ path, body }) => (path === "/exchange" && body.includes("triggerPx") ? fate : directly(1)));
    const id = await begin(s, bracket({ stop: "80000" }));
    await until(s, id, ({ status }) => status === "entering");
    trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.00012" });
    const shown = await until(s, id, ({ unprotected_because: why }) => why?.includes("for so little") === true);
    expect(shown.unprotected_because).toContain("0.00012 at 72000 is 8.64, and it answers:");
    await s.pass(30_000);
    expect(await shownTrade(s, id)).toMatchObject({ status: "entering", protected: false, held_size: "0.00012" });
    // Asked for once.
    expect(placed(s).filter(({ isTrigger }) => isTrigger)).toHaveLength(1);
    trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.04988" });
    await until(s, id, (is) => is.status === "open" && is.protected);
    await s.pass(3_000);
    expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
  },
);

test("the entry is canceled: the stop stays for what is held, and goes with it", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  await until(s, id, ({ filled_size }) => filled_size === "0.02");
  expect((await s.tell("cancel-key-1", { kind: "trade_cancel", id })).status).toBe(200);
  await until(s, id, ({ status }) => status === "open");
  await s.pass(3_000);
  expect([held(s), guarded(s)]).toEqual(["0.02", 0.02]);
});

test("canceled without a fill nothing is left", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  await s.tell("cancel-key-1", { kind: "trade_cancel", id });
  expect(await until(s, id, ({ status }) => status === "canceled")).toMatchObject({ held_size: "0" });
  expect(liveOrders(s)).toEqual([]);
});

/** Long 0.05 by a trade whose entry is over. */
async function opened(s: Scene, some: Parameters<typeof bracket>[0] = {}): Promise<string> {
  const id = await begin(s, bracket(some));
  await until(s, id, ({ status }) => status === "entering");
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  await until(s, id, ({ status }) => status === "open");
  return id;
}

test("the stop fires, and the trade is closed with nothing left of it", async () => {
  const s = await scene();
  const id = await opened(s, { profit: "99000" });
  await s.pass(3_000);
  expect(guarded(s)).toBe(0.1);
  trade(s, MAKER, { isBuy: true, price: 84_000, size: "0.05" });
  await markAt(s, 84_900);
  expect(await until(s, id, ({ status }) => status === "closed")).toMatchObject({ held_size: "0", error: null });
  expect([held(s), guarded(s)]).toEqual(["0", 0]);
});

test("the stop fires while the entry is half filled: the rest of it is not entered", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  await until(s, id, ({ filled_size }) => filled_size === "0.02");
  trade(s, MAKER, { isBuy: true, price: 84_000, size: "0.02" });
  await markAt(s, 84_900);
  await until(s, id, ({ status }) => status === "closed");
  expect([held(s), liveOrders(s).length]).toEqual(["0", 0]);
});

test("a stop that has closed what others had opened, before the entry filled, has closed nothing of the trade", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  await s.pass(500);
  trade(s, MAKER, { isBuy: false, price: 91_000, size: "0.01" });
  // Before the entry, which it would end as a trade of the account with itself.
  trade(s, MAKER, { isBuy: true, price: 90_100, size: "0.01" });
  expect((await s.tell("other-key-1", limit("buy", 91_000, "0.01"))).status).toBe(201);
  expect(held(s)).toBe("0.01");
  s.setFate(() => NEVER_ARRIVED);
  await markAt(s, 84_900);
  await markAt(s, 90_500);
  expect([held(s), guarded(s)]).toEqual(["0", 0]);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  s.setFate(() => directly(1));
  const protectedAgain = await until(s, id, (is) => is.status === "open" && is.protected && is.held_size !== "0");
  // Of less than it holds it is never told that it is protected, also while the entry's fills are not listed yet.
  expect([protectedAgain.filled_size, protectedAgain.held_size]).toEqual(["0.02", "0.02"]);
  await s.pass(1_000);
  expect(guarded(s)).toBe(0.02);
});

test("what the take-profit closes in part the stop no longer covers", async () => {
  const s = await scene();
  const id = await opened(s, { profit: "99000" });
  await s.pass(2_000);
  trade(s, MAKER, { isBuy: true, price: 98_900, size: "0.03" });
  await markAt(s, 99_100);
  await until(s, id, ({ held_size }) => held_size === "0.02");
  await s.pass(4_000);
  expect(held(s)).toBe("0.02");
  expect((await shownTrade(s, id)).protected).toBe(true);
});

test("its stop is canceled elsewhere: nothing more is entered, and what is held is protected again", async () => {
  const s = await scene();
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "entering");
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
  const { stop_loss } = (await until(s, id, ({ filled_size }) => filled_size === "0.02")) as unknown as {
    stop_loss: { order: string };
  };
  await s.tell("cancel-key-1", { kind: "cancel", id: stop_loss.order });
  await until(s, id, (is) => is.status === "open" && is.protected);
  await s.pass(2_000);
  expect([held(s), guarded(s)]).toEqual(["0.02", 0.02]);
});

test("closed by other hands: its triggers go, and it says so", async () => {
  const s = await scene();
  const id = await opened(s, { profit: "99000" });
  trade(s, MAKER, { isBuy: true, price: 89_900, size: "0.05" });
  await s.tell("close-key-1", { ...limit("sell", 89_900, "0.05"), timeInForce: "ioc", reduceOnly: true });
  expect(await until(s, id, ({ status }) => status === "closed_outside")).toMatchObject({ held_size: "0" });
  expect(liveOrders(s)).toEqual([]);
});

test("moved, the new stop stands before the old one goes; one that the exchange refuses leaves the old one", async () => {
  const s = await scene();
  const id = await opened(s);
  await s.tell("move-key-1", { kind: "trade_modify", id, stop: "86000", profit: null });
  await s.pass(3_000);
  expect(guarded(s)).toBe(0.05);
  expect(placed(s).filter(({ isTrigger }) => isTrigger)).toHaveLength(2);
  expect(await shownTrade(s, id)).toMatchObject({ protected: true, stop_loss: { trigger_price: "86000" } });
});
