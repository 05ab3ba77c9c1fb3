/**
 * Operations carry no id of ours, and what shows them lags: what a server that is behind shows must never be told as what
 * became of one.
 */
import { expect, test } from "bun:test";
import type { Ask } from "../simulation/front.ts";
import { directly, type Fate, type FateOf } from "../simulation/network.ts";
import { MAKER } from "../simulation/plain-venue.ts";
import { executed, limit, openScene, type Scene, trade } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import type { Snapshot, Venue } from "../simulation/venue.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const UNHEARD: Fate = { arrivesAfterMs: [5], answer: { kind: "silence" } };
/** It arrives when it has expired: its number is taken, and nothing is done. */
const TOO_LATE: Fate = { arrivesAfterMs: [12_500], answer: { kind: "silence" } };

/** Reads of these types are answered from the moment at which each was put here. */
function holdBack(s: Scene): Map<string, Snapshot> {
  const held = new Map<string, Snapshot>();
  const read: Venue["read"] = s.venue.read;
  Object.assign(s.venue, {
    read: (body: string, past: Snapshot | null) => read(body, held.get(typeIn(body)) ?? past),
  });
  return held;
}

function typeIn(body: string): string {
  return /"type":"([A-Za-z]+)"/.exec(body)?.[1] ?? "";
}

/** What becomes of actions of one type; `lostNoops` of the empty actions are lost. */
function fates(type: string, fate: Fate, lostNoops = 0): FateOf {
  let noops = 0;
  return ({ path, body }) => {
    if (path !== "/exchange") return directly(5);
    if (typeIn(body) === type) return fate;
    if (typeIn(body) !== "noop") return directly(5);
    noops += 1;
    return noops <= lostNoops ? LOST : directly(5);
  };
}

type Told = { http: number; status: string; exchange_id: string | null; error: string | null };

async function told(s: Scene, key: string, ask: Ask): Promise<Told> {
  const { status: http, body } = await s.tell(key, ask);
  return { http, ...JSON.parse(body) };
}

function leverage(value: number, marginType: "cross" | "isolated" = "cross"): Ask {
  return { kind: "leverage", market: "BTC", leverage: value, marginType };
}

test("a leverage is sent whatever a server from before the last change shows", async () => {
  const s = await scene();
  const held = holdBack(s);
  await told(s, "first-10", leverage(10));
  held.set("activeAssetData", s.venue.snapshot());
  await told(s, "then-25", leverage(25));
  await s.pass(61_000);
  expect(await told(s, "again-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded" });
  expect(leveragesSet(s)).toEqual([10, 25, 10]);
});

function leveragesSet(s: Scene): number[] {
  return executed(s, "updateLeverage").flatMap(({ input: { action }, reply }) =>
    action.type === "updateLeverage" && reply.status === "ok" ? [action.leverage] : [],
  );
}

test("a leverage that came too late has not succeeded because a server from before the last change shows it", async () => {
  const s = await scene();
  const held = holdBack(s);
  await told(s, "first-10", leverage(10));
  held.set("activeAssetData", s.venue.snapshot());
  await told(s, "then-25", leverage(25));
  s.setFate(fates("updateLeverage", TOO_LATE, 2));
  s.ask("late-10", leverage(10));
  await s.pass(240_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(700_000);
  expect(await told(s, "late-10", leverage(10))).toMatchObject({
    ...{ http: 202, status: "unknown" },
    error: "Whether it was applied cannot be proven. The exchange shows 25x cross.",
  });
  expect(leveragesSet(s)).toEqual([10, 25]);
});

test("a leverage that ran soon after another change is told as soon as no server can be that far behind", async () => {
  const s = await scene();
  await told(s, "first-25", leverage(25));
  s.setFate(fates("updateLeverage", UNHEARD));
  s.ask("lost-10", leverage(10));
  await s.pass(290_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(40_000);
  expect(await told(s, "lost-10", leverage(10))).toMatchObject({ http: 200, status: "succeeded" });
});

test("a leverage of the other margin type is not in force", async () => {
  const s = await scene();
  s.setFate(fates("updateLeverage", TOO_LATE, 2));
  s.venue.act(s.party.account.ownerAddress, { type: "updateLeverage", asset: 0, isCross: true, leverage: 7 });
  s.ask("other-type", leverage(7, "isolated"));
  await s.pass(60_000);
  expect(await told(s, "other-type", leverage(7, "isolated"))).toMatchObject({ http: 202, status: "unknown" });
});

const TWAP: Ask = { kind: "twap", market: "BTC", side: "buy", size: "1", minutes: 30 };

/** The same TWAP, made on the exchange's web page. */
function twapOfTheOwner(s: Scene, asset = 0): void {
  const twap = { a: asset, b: true, s: "1", r: false, m: 30, t: false };
  // Decimals of these texts are canonical; the brand is the engine's.
  const action = { type: "twapOrder", twap, details: null } as unknown as Parameters<Venue["act"]>[1];
  s.venue.act(s.party.account.ownerAddress, action);
}

test("a TWAP of somebody else that is equal is not ours where an empty action took our number", async () => {
  const s = await scene();
  s.setFate(fates("twapOrder", LOST));
  s.ask("lost-twap", TWAP);
  await s.pass(1);
  twapOfTheOwner(s);
  await s.pass(30_000);
  expect(await told(s, "lost-twap", TWAP)).toMatchObject({
    ...{ http: 200, status: "rejected", exchange_id: null },
    error: "It was never executed and no longer can be.",
  });
});

test("a TWAP that is equal is not called ours before anything is known of our number", async () => {
  const s = await scene();
  let isAnswered = false;
  s.setFate(({ body }) =>
    typeIn(body) === "twapOrder" || (typeIn(body) === "noop" && !isAnswered) ? LOST : directly(5),
  );
  s.ask("lost-twap", TWAP);
  await s.pass(1);
  twapOfTheOwner(s);
  await s.pass(60_000);
  expect(await told(s, "lost-twap", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: null });
  isAnswered = true;
  await s.pass(40_000);
  expect(await told(s, "lost-twap", TWAP)).toMatchObject({ http: 200, status: "rejected", exchange_id: null });
});

const UNLISTED = "Leverage is frozen for a while.";

/** Actions of one type use their number up and are refused with these words. */
function refuse(s: Scene, type: string, answer: object): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => {
      if (typeIn(body) !== type) return execute(body);
      execute(body.replace(`"type":"${type}"`, '"type":"noop"').replace(/"type":"noop",[^}]*/, '"type":"noop"'));
      return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
    },
  });
}

test("a leverage that is refused in words that are new is rejected with them", async () => {
  const s = await scene();
  refuse(s, "updateLeverage", { status: "err", response: UNLISTED });
  expect(await told(s, "frozen", leverage(7))).toMatchObject({
    ...{ http: 200, status: "rejected" },
    error: `The exchange refused it, in words that are new to this gateway: "${UNLISTED}"`,
  });
});

test("a refusal in new words whose number nobody can tell of is shown with what was said, at once and for good", async () => {
  const s = await scene();
  refuse(s, "updateLeverage", { status: "err", response: UNLISTED });
  s.setFate(({ body }) => (typeIn(body) === "noop" ? LOST : directly(5)));
  const first = await told(s, "frozen", leverage(7));
  expect(first).toMatchObject({ http: 202, error: expect.stringContaining("words that are new to us") });
  await s.pass(700_000);
  const last = await told(s, "frozen", leverage(7));
  expect(last).toMatchObject({ http: 202, status: "unknown", error: expect.stringContaining(UNLISTED) });
});

const NOT_FOUND = "TWAP was never placed, already canceled, or filled.";

/** The exchange finds no TWAP under these asset numbers while this says so; a moved market's other number leads to it. */
function hideTwaps(s: Scene, isHidden: (assetId: number) => boolean): number[] {
  const { execute } = s.venue;
  const asked: number[] = [];
  Object.assign(s.venue, {
    execute: (body: string) => {
      if (typeIn(body) !== "twapCancel") return execute(body);
      const assetId = Number(/"a":([0-9]+)/.exec(body)?.[1]);
      asked.push(assetId);
      if (!isHidden(assetId)) return execute(body.replace(/"a":[0-9]+/, '"a":0'));
      const status = { error: NOT_FOUND };
      const answer = { status: "ok", response: { type: "twapCancel", data: { status } } };
      return { status: 200, contentType: "application/json", body: JSON.stringify(answer) };
    },
  });
  return asked;
}

const cancelOfTwap = (twapId: number): Ask => ({ kind: "twap_cancel", market: "BTC", twapId });

test("a TWAP so new that a cancel does not find it is canceled by the next", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  const asked = hideTwaps(s, () => asked.length < 2);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 200, status: "succeeded", error: null });
  expect(s.venue.runtime.world.venue.twaps.size).toBe(0);
});

test("a TWAP whose market has moved in the list is canceled under its new number", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  const { markets } = s.process().gateway.deps;
  const universe = markets.current();
  const btc = universe?.byName.get("BTC");
  if (universe === null || btc === undefined) throw new Error("no market");
  const moved = { ...universe, byName: new Map([...universe.byName, ["BTC", { ...btc, assetId: 77 }]]) };
  let doubts = 0;
  Object.assign(markets, {
    current: () => (doubts > 0 ? moved : universe),
    doubt() {
      doubts += 1;
    },
    refresh: async () => (doubts > 0 ? moved : universe),
  });
  const asked = hideTwaps(s, (assetId) => assetId !== 77);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 200, status: "succeeded" });
  expect([asked, doubts]).toEqual([[0, 0, 77], 1]);
});

test("a TWAP that runs and is never found is not said to have ended", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  hideTwaps(s, () => true);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({
    ...{ http: 202, status: "unknown" },
    error: "the exchange did not find the TWAP; whether it runs is being looked up",
  });
  await s.pass(700_000);
  const last = await told(s, "cancel", cancelOfTwap(1));
  expect(last).toMatchObject({ http: 202, status: "unknown", error: expect.stringContaining(NOT_FOUND) });
});

test("a TWAP of ours that no history shows yet is not said to be none", async () => {
  const s = await scene();
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  await told(s, "made", TWAP);
  hideTwaps(s, () => true);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 202, status: "unknown" });
});

test("a cancel of a TWAP that nobody knows is rejected by its first answer, and orders in its market go on", async () => {
  const s = await scene();
  const answer = await told(s, "cancel", cancelOfTwap(99));
  expect(answer).toMatchObject({ http: 200, status: "rejected", error: expect.stringContaining(NOT_FOUND) });
  expect(s.process().gateway.deps.markets.doubtOf("BTC")).toBeNull();
});

test("a cancel that names another market than the TWAP's says which it is", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  hideTwaps(s, () => true);
  expect(await told(s, "cancel", { kind: "twap_cancel", market: "ETH", twapId: 1 })).toMatchObject({
    ...{ http: 200, status: "rejected" },
    error: expect.stringContaining("The exchange shows this TWAP in BTC."),
  });
});

const margin = (amount: string): Ask => ({ kind: "margin", market: "BTC", amount });

/** An isolated position of 0.01 BTC. */
async function inPosition(): Promise<Scene> {
  const s = await scene();
  await told(s, "isolated", leverage(10, "isolated"));
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  await s.tell("position", { ...limit("buy", 95_100), timeInForce: "ioc" });
  await s.pass(1_000);
  await told(s, "reserve", margin("20"));
  await s.pass(20_000);
  return s;
}

function marginsMoved(s: Scene): bigint[] {
  return executed(s, "updateIsolatedMargin").flatMap(({ input: { action }, reply }) =>
    action.type === "updateIsolatedMargin" && reply.status === "ok" ? [action.ntli / 1_000_000n] : [],
  );
}

test("margin that never ran has not been added because the reading before it was from before another change", async () => {
  const s = await inPosition();
  const held = holdBack(s);
  held.set("clearinghouseState", s.venue.snapshot());
  await told(s, "first", margin("10"));
  s.setFate(fates("updateIsolatedMargin", TOO_LATE, 2));
  s.ask("second", margin("10"));
  await s.pass(6_000);
  held.clear();
  await s.pass(60_000);
  expect(await told(s, "second", margin("10"))).toMatchObject({ http: 202, status: "unknown" });
  expect(marginsMoved(s)).toEqual([20n, 10n]);
});

test("margin that was taken out is not said to be unmoved because the reading before it lacked what was put in", async () => {
  const s = await inPosition();
  const held = holdBack(s);
  held.set("clearinghouseState", s.venue.snapshot());
  await told(s, "in", margin("10"));
  s.setFate(fates("updateIsolatedMargin", UNHEARD));
  s.ask("out", margin("-10"));
  await s.pass(6_000);
  held.clear();
  await s.pass(60_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(700_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({
    ...{ http: 202, status: "unknown" },
    error: expect.stringContaining("The reading before it may be of before another change."),
  });
  expect(marginsMoved(s)).toEqual([20n, 10n, -10n]);
});

test("margin is read again until a server shows the change before it, and then the next one is told", async () => {
  const s = await inPosition();
  const held = holdBack(s);
  held.set("clearinghouseState", s.venue.snapshot());
  await told(s, "first", margin("10"));
  s.setFate(fates("updateIsolatedMargin", UNHEARD));
  s.ask("second", margin("10"));
  await s.pass(700);
  held.clear();
  await s.pass(20_000);
  expect(await told(s, "second", margin("10"))).toMatchObject({ http: 200, status: "succeeded" });
  expect(marginsMoved(s)).toEqual([20n, 10n, 10n]);
});

test("a reading from before the one that was taken first does not tell what a change did", async () => {
  const s = await inPosition();
  const old = s.venue.snapshot();
  await told(s, "in", margin("10"));
  await s.pass(1_000);
  const held = holdBack(s);
  s.setFate((sent) => {
    if (typeIn(sent.body) === "updateIsolatedMargin") held.set("clearinghouseState", old);
    return fates("updateIsolatedMargin", TOO_LATE, 2)(sent);
  });
  s.ask("out", margin("-10"));
  await s.pass(60_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(10_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 200, status: "rejected" });
  expect(marginsMoved(s)).toEqual([20n, 10n]);
});

test("two margin changes at one moment: what cannot be told apart is not told", async () => {
  const s = await inPosition();
  const read: Fate = { arrivesAfterMs: [50], answer: { kind: "true", ofCopy: 0, afterMs: 50 } };
  const second = fates("updateIsolatedMargin", TOO_LATE, 2);
  let sent = 0;
  s.setFate((request) => {
    if (typeIn(request.body) === "clearinghouseState") return read;
    if (typeIn(request.body) === "updateIsolatedMargin") sent += 1;
    return sent > 1 ? second(request) : directly(5);
  });
  const calls = [s.ask("one", margin("10")), s.ask("two", margin("10"))];
  await s.pass(60_000);
  expect(marginsMoved(s)).toEqual([20n, 10n]);
  expect(calls.map(({ answer }) => (answer === "lost" ? answer : answer?.status)).sort()).toEqual([200, 202]);
});

const ETH = 1;

/** The list of markets has moved: what is asked in BTC is done in ETH. */
function moveToEther(s: Scene): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => execute(typeIn(body) === "twapOrder" ? body.replace('"a":0', `"a":${ETH}`) : body),
  });
}

/** A scene that ends with an alarm, which is logged as an error. */
async function alarmed(run: (s: Scene) => Promise<void>): Promise<void> {
  const s = await openScene();
  try {
    await run(s);
    expect(s.errors).toEqual([expect.stringContaining("something else than was asked for")]);
  } finally {
    s.close();
  }
}

test("a TWAP that runs in another market than was asked for is an alarm, and is not called done", () =>
  alarmed(async (s) => {
    moveToEther(s);
    const doubts = doubtsOf(s);
    const answer = await told(s, "moved", TWAP);
    expect(answer).toMatchObject({
      ...{ http: 202, status: "unknown", exchange_id: "1" },
      error: expect.stringContaining("ALARM: the exchange shows the market ETH instead of BTC"),
    });
    expect(doubts).toEqual(["BTC"]);
    const [event] = s.rows("select payload from events where type = 'operation.updated' order by id desc limit 1");
    expect(String(event?.["payload"])).toContain("ALARM");
    await s.pass(60_000);
    expect(await told(s, "moved", TWAP)).toEqual(answer);
  }));

test("a TWAP whose answer was lost and that runs in another market is an alarm, and is not called refused", () =>
  alarmed(async (s) => {
    moveToEther(s);
    const doubts = doubtsOf(s);
    s.setFate(fates("twapOrder", UNHEARD));
    s.ask("moved", TWAP);
    await s.pass(20_000);
    // The history goes on past its end.
    twapOfTheOwner(s, 5);
    await s.pass(30_000);
    expect(await told(s, "moved", TWAP)).toMatchObject({
      ...{ http: 202, status: "unknown", exchange_id: null },
      error: expect.stringContaining("ALARM: the exchange shows TWAP 1 in ETH instead of BTC"),
    });
    expect(doubts).toEqual(["BTC"]);
  }));

/** Markets whose place in the list was doubted. */
function doubtsOf(s: Scene): string[] {
  const doubts: string[] = [];
  Object.assign(s.process().gateway.deps.markets, { doubt: (market: string) => doubts.push(market) });
  return doubts;
}

test("a TWAP that the exchange has named is told although no history shows it yet", async () => {
  const s = await scene();
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  expect(await told(s, "named", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
  held.clear();
  s.setFate(({ body }) => (typeIn(body) === "twapHistory" ? LOST : directly(5)));
  const startedMs = s.timeline.nowMs();
  expect(await told(s, "named-too", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "2" });
  expect(s.timeline.nowMs() - startedMs).toBeLessThan(4_000);
});

test("a TWAP that was named before the process died is told under that name", async () => {
  const s = await scene();
  s.setFate(({ body }) => (typeIn(body) === "twapHistory" ? LOST : directly(5)));
  s.ask("named", TWAP);
  await s.pass(500);
  s.kill();
  s.setFate(() => directly(5));
  twapOfTheOwner(s);
  await s.start();
  await s.pass(5_000);
  expect(await told(s, "named", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
});

test("a leverage is set by the place that its market has in the list now", async () => {
  const s = await scene();
  const { read, execute } = s.venue;
  /** BTC and ETH have changed places. */
  const swapped = (body: string): string => {
    const json = JSON.parse(body);
    const [btc, eth, ...rest] = json.universe;
    return JSON.stringify({ ...json, universe: [eth, btc, ...rest] });
  };
  Object.assign(s.venue, {
    read: (body: string, past: Snapshot | null) => {
      const answer = read(body, past);
      const isNative = typeIn(body) === "meta" && !body.includes('"dex":"xyz"');
      return isNative ? { ...answer, body: swapped(answer.body) } : answer;
    },
    execute: (body: string) =>
      execute(body.replace(/"asset":[01],/, (all) => (all.includes("0") ? '"asset":1,' : '"asset":0,'))),
  });
  expect(await told(s, "moved", leverage(7))).toMatchObject({ http: 200, status: "succeeded" });
  const [change] = executed(s, "updateLeverage");
  expect(change?.input.action).toMatchObject({ asset: 0, leverage: 7 });
});
