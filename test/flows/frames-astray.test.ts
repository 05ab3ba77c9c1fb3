/** Whatever becomes of the frames that tell an account's state, nothing of before is shown as of now, and little is asked. */

import { describe, expect, test } from "bun:test";
import type { Known } from "../../src/exchange/picture.ts";
import { FIRST, limitOrder, type PaperRig, SECOND } from "../support/paper-rig.ts";
import {
  account,
  BUY,
  channelOf,
  EVERY_FIVE_SECONDS,
  expectOfNow,
  garbled,
  MAX_AGE_MS,
  ON_CHANGE,
  ONE_SECOND,
  onFrames,
  openOrders,
  openWorld,
  poll,
  positions,
  TAKING,
  twaps,
  weightOf,
  write,
} from "./shown-account.ts";

const CHANNELS = ["webData3", "clearinghouseState", "spotState", "openOrders", "userTwapHistory"] as const;
const STATES: readonly string[] = ["webData3", "clearinghouseState", "spotState", "openOrders"];

/** Bought and placed elsewhere, in the hands of the owner. */
function elsewhere(rig: PaperRig, side: "buy" | "sell", size: string, price: string): Promise<unknown> {
  return rig.elsewhere(FIRST, limitOrder({ assetId: 0, side, size, price }));
}

/** Everything that a client polls; the oldest age that he is told, milliseconds. */
async function lookAtAll(rig: PaperRig): Promise<number> {
  const shown = [await account(rig), await positions(rig), await openOrders(rig), await twaps(rig)];
  return Math.max(...shown.map(({ ageMs }) => ageMs ?? 0));
}

/** An account that is written to and polled for twenty seconds: what it cost, and the oldest that was shown. */
async function live(rig: PaperRig): Promise<{ weight: number; oldestMs: number }> {
  rig.asked.length = 0;
  let oldestMs = 0;
  await elsewhere(rig, "buy", "0.01", "59000");
  const sinceMs = rig.clock.elapsedMs();
  await rig.clock.advance(1_100);
  const placed = await openOrders(rig);
  expectOfNow(rig, placed, { sinceMs, isShown: placed.rows.length === 1, withinMs: ONE_SECOND });
  for (const size of ["0.01", "0.02"]) {
    await write(rig, "/v1/orders", TAKING);
    expect((await positions(rig)).rows).toMatchObject([{ size }]);
    await poll(rig, 9 * ONE_SECOND, async () => {
      oldestMs = Math.max(oldestMs, await lookAtAll(rig));
    });
  }
  expect((await openOrders(rig)).rows).toMatchObject([{ size: "0.01", price: "59000" }]);
  return { weight: weightOf(rig.asked), oldestMs };
}

/** Weight that it may cost to poll for so long where nothing tells of one part of either dex. */
const MAX_WEIGHT = 130;

describe.each(CHANNELS)("of %s", (channel) => {
  test("nothing ever comes", async () => {
    const rig = await openWorld(ON_CHANGE, (early) =>
      onFrames(early, (frame) => void (frame.channel === channel || frame.arrive())),
    );
    const { weight, oldestMs } = await live(rig);
    expect(weight).toBeLessThanOrEqual(MAX_WEIGHT);
    expect(oldestMs).toBeLessThanOrEqual(MAX_AGE_MS);
  });

  test("nothing comes any more", async () => {
    const rig = await openWorld(ON_CHANGE);
    onFrames(rig, (frame) => void (frame.channel === channel || frame.arrive()));
    const { weight, oldestMs } = await live(rig);
    expect(weight).toBeLessThanOrEqual(MAX_WEIGHT);
    expect(oldestMs).toBeLessThanOrEqual(MAX_AGE_MS);
  });
});

/** Those of one account that show a part of its state. */
function isOf(text: string, channel: string): boolean {
  return channelOf(text) === channel && text.includes(MINE);
}

const MINE = FIRST.account.tradingAddress;

test.each(STATES)("frames of %s that cannot be read cost no more than none, at ten a second", async (channel) => {
  const rig = await openWorld(ON_CHANGE);
  let again = (): void => undefined;
  rig.frames = (text, arrive) => {
    if (!isOf(text, channel)) return arrive();
    again = () => arrive(garbled(text));
    again();
  };
  let isOver = false;
  const goOn = async () => {
    while (!isOver) {
      await rig.clock.sleep(100);
      again();
    }
  };
  void goOn();
  const { weight, oldestMs } = await live(rig);
  isOver = true;
  expect(weight).toBeLessThanOrEqual(MAX_WEIGHT);
  expect(oldestMs).toBeLessThanOrEqual(MAX_AGE_MS);
});

test("frames of which nothing can be read cost one resync at once, and then one in ten seconds", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  let garbage = (): void => undefined;
  rig.frames = (text, arrive) => {
    garbage = () => arrive("{");
    arrive(text);
  };
  await rig.clock.advance(6 * ONE_SECOND);
  rig.asked.length = 0;
  const resyncs = () => rig.asked.filter((type) => type === "userFillsByTime").length;
  garbage();
  await rig.clock.advance(100);
  expect(resyncs()).toBe(1);
  for (let times = 0; times < 150; times += 1) {
    garbage();
    await rig.clock.advance(100);
  }
  await rig.clock.advance(12 * ONE_SECOND);
  // Two more, and what is read now and then in any case.
  expect(resyncs()).toBeLessThanOrEqual(4);
  for (const {
    account: { tradingAddress },
  } of [FIRST, SECOND])
    expect(rig.deps.feeds.isLive(tradingAddress)).toBe(true);
});

test("what was shown before a frame that cannot be read is not shown as of after it", async () => {
  const rig = await openWorld(ON_CHANGE);
  await elsewhere(rig, "buy", "0.01", "60010");
  await rig.clock.advance(ONE_SECOND);
  onFrames(rig, ({ channel, text, arrive }) => arrive(channel === "clearinghouseState" ? garbled(text) : text));
  await elsewhere(rig, "buy", "0.01", "60010");
  const sinceMs = rig.clock.elapsedMs();
  for (let times = 0; times < 30; times += 1) {
    const shown = await positions(rig);
    expectOfNow(rig, shown, { sinceMs, isShown: shown.rows[0]?.["size"] === "0.02", withinMs: 6 * ONE_SECOND });
    await rig.clock.advance(400);
  }
});

/** A change by the owner's own hand, which no answer of ours has told, and what has to be shown of it. */
async function changeElsewhere(rig: PaperRig, look: () => Promise<void>): Promise<void> {
  const mine = () => rig.info({ type: "frontendOpenOrders", user: MINE }) as Promise<{ oid: number }[]>;
  for (let round = 0; round < 2; round += 1) {
    await elsewhere(rig, "buy", "0.02", "58000");
    const placedMs = rig.clock.elapsedMs();
    await poll(rig, 3 * ONE_SECOND, async () => {
      const shown = await openOrders(rig);
      expectOfNow(rig, shown, { sinceMs: placedMs, isShown: shown.rows.length === 1, withinMs: ONE_SECOND });
      await look();
    });
    for (const { oid } of await mine())
      await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] } as never);
    const canceledMs = rig.clock.elapsedMs();
    await poll(rig, 3 * ONE_SECOND, async () => {
      const shown = await openOrders(rig);
      expectOfNow(rig, shown, { sinceMs: canceledMs, isShown: shown.rows.length === 0, withinMs: ONE_SECOND });
      await look();
    });
  }
}

/** How frames go astray, and what is done about it after each look. */
const ASTRAY: readonly [string, (rig: PaperRig) => () => void][] = [
  ["come twice", fated(twice)],
  ["come in pairs, the later first", fated(swapping())],
  ["come two seconds late", (rig) => fated(late(rig, 2 * ONE_SECOND))(rig)],
  ["come twelve seconds late", (rig) => fated(late(rig, 12 * ONE_SECOND))(rig)],
  ["come no more", fated(() => undefined)],
  ["come, with the connection cut again and again", cutting],
];

type Fate = (frame: { channel: string; arrive: () => void }) => void;

function fated(fate: Fate): (rig: PaperRig) => () => void {
  return (rig) => {
    onFrames(rig, fate);
    return () => undefined;
  };
}

function twice({ arrive }: Parameters<Fate>[0]): void {
  arrive();
  arrive();
}

function swapping(): Fate {
  const held = new Map<string, () => void>();
  return ({ channel, arrive }) => {
    const before = held.get(channel);
    if (!STATES.includes(channel)) return arrive();
    if (before === undefined) return void held.set(channel, arrive);
    held.delete(channel);
    arrive();
    before();
  };
}

function late(rig: PaperRig, byMs: number): Fate {
  return ({ arrive }) => void rig.clock.sleep(byMs).then(() => arrive());
}

function cutting(rig: PaperRig): () => void {
  let looks = 0;
  return () => {
    looks += 1;
    if (looks % 13 === 0) rig.cut();
  };
}

describe.each(ASTRAY)("frames %s", (_how, begin) => {
  test.each([
    ["on change", ON_CHANGE],
    ["every five seconds", EVERY_FIVE_SECONDS],
  ])("and what is shown is so, or says that it is of before, where states are told %s", async (_name, world) => {
    const rig = await openWorld(world);
    const after = begin(rig);
    await changeElsewhere(rig, async () => after());
  });

  test("and a client reads his own writes", async () => {
    const rig = await openWorld(EVERY_FIVE_SECONDS);
    const after = begin(rig);
    for (let times = 1; times <= 4; times += 1) {
      await write(rig, "/v1/orders", TAKING);
      expect((await positions(rig)).rows).toMatchObject([{ size: `0.0${times}` }]);
      after();
      await rig.clock.advance(700 * times);
    }
    await write(rig, "/v1/leverage", { market: "BTC", leverage: 9, margin_type: "cross" });
    expect((await positions(rig)).rows).toMatchObject([{ leverage: 9 }]);
    const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
    await write(rig, `/v1/orders/${placed.body["id"]}/modify`, { price: "59001" });
    expect((await openOrders(rig)).rows).toMatchObject([{ price: "59001" }]);
    await write(rig, `/v1/orders/${placed.body["id"]}/cancel`, {});
    expect((await openOrders(rig)).rows).toEqual([]);
  });
});

test("an order whose news cannot be read is listed, or the list is one of before it", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  onFrames(rig, ({ channel, text, arrive }) => {
    if (channel !== "openOrders") arrive(channel === "orderUpdates" ? text.slice(0, -9) : text);
  });
  await elsewhere(rig, "buy", "0.01", "59000");
  const sinceMs = rig.clock.elapsedMs();
  await poll(rig, 6 * ONE_SECOND, async () => {
    const shown = await openOrders(rig);
    expectOfNow(rig, shown, { sinceMs, isShown: shown.rows.length === 1, withinMs: ONE_SECOND });
  });
});

test("a state that was under way when a write was answered is not shown after it", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  const underWay: (() => void)[] = [];
  onFrames(rig, ({ channel, arrive }) => void (channel === "clearinghouseState" ? underWay.push(arrive) : arrive()));
  await rig.clock.advance(6 * ONE_SECOND);
  await write(rig, "/v1/orders", TAKING);
  for (const arrive of underWay.splice(0)) arrive();
  expect((await positions(rig)).rows).toMatchObject([{ size: "0.01" }]);
});

test("a cancel of which no feed tells is in the balances that are shown next", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  const placed = await write(rig, "/v1/orders", { ...BUY, price: "59000" });
  await rig.clock.advance(6 * ONE_SECOND);
  const { row: before } = await account(rig);
  onFrames(rig, ({ channel, arrive }) => void (channel === "orderUpdates" || arrive()));
  await write(rig, `/v1/orders/${placed.body["id"]}/cancel`, {});
  const { row: after } = await account(rig);
  expect(Number(after["withdrawable"])).toBeGreaterThan(Number(before["withdrawable"]));
});

test("a connection that has ended does not make what it told be of now", async () => {
  const rig = await openWorld(ON_CHANGE);
  const oldest = await positions(rig);
  expect(oldest.ageMs).toBeNull();
  rig.cut();
  onFrames(rig, ({ channel, arrive }) => void (channel === "openOrders" || arrive()));
  await elsewhere(rig, "buy", "0.01", "59000");
  const sinceMs = rig.clock.elapsedMs();
  await poll(rig, 15 * ONE_SECOND, async () => {
    const shown = await openOrders(rig);
    expectOfNow(rig, shown, { sinceMs, isShown: shown.rows.length === 1, withinMs: ONE_SECOND });
  });
});

test("an answer says of when it is exactly where that is longer ago than a second, or its margin than six", async () => {
  const rig = await openWorld(EVERY_FIVE_SECONDS);
  await write(rig, "/v1/orders", TAKING);
  await rig.clock.advance(6 * ONE_SECOND);
  const { exchange, picture } = rig.deps;
  const seen = new Set<string>();
  const compare = async (what: string, look: typeof positions, known: Known<unknown>[], limitMs: number) => {
    const ageMs = exchange.nowMs() - Math.min(...known.map(({ asOfMs }) => asOfMs));
    const toldMs = exchange.nowMs() - Math.min(...known.map(({ toldToMs }) => toldToMs));
    const shown = await look(rig);
    const age = shown.ageMs === null ? null : shown.ageMs - shown.tookMs;
    expect([what, ageMs, age]).toEqual([what, ageMs, ageMs > limitMs || toldMs > ONE_SECOND ? ageMs : null]);
    seen.add(`${what} ${age !== null}`);
  };
  const looks = async () => {
    const orders = ["", "xyz"].flatMap((dex) => picture.openOrders(MINE, dex) ?? []);
    await compare("orders", openOrders, orders, ONE_SECOND);
    const states = ["", "xyz"].flatMap((dex) => picture.state(MINE, dex) ?? []);
    await compare("positions", positions, states, 6 * ONE_SECOND);
  };
  await poll(rig, 6 * ONE_SECOND, looks);
  onFrames(rig, () => undefined);
  rig.failing.add("clearinghouseState");
  await rig.clock.advance(3 * ONE_SECOND);
  await poll(rig, 3 * ONE_SECOND, looks);
  expect([...seen].sort()).toEqual(["orders false", "orders true", "positions false", "positions true"]);
});

test("of two accounts neither is shown what the other's feed tells", async () => {
  const rig = await openWorld(ON_CHANGE);
  await elsewhere(rig, "buy", "0.01", "59000");
  await write(rig, "/v1/orders", TAKING);
  await rig.clock.advance(ONE_SECOND);
  expect([(await openOrders(rig, SECOND)).rows, (await positions(rig, SECOND)).rows]).toEqual([[], []]);
  expect([(await openOrders(rig)).rows.length, (await positions(rig)).rows.length]).toEqual([1, 1]);
});
