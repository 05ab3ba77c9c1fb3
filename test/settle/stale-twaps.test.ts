/** TWAPs: one of somebody else is never ours, one that runs has not ended, and one of another market is an alarm. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../src/paper/answers.ts";
import type { Ask } from "../simulation/front.ts";
import { directly } from "../simulation/network.ts";
import { openScene, type Scene } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import type { Venue } from "../simulation/venue.ts";
import { fates, holdBack, LOST, TOO_LATE, told, typeIn, UNHEARD } from "./stale-stage.ts";

const scene = scenesOfThisFile();

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
    http: 200,
    status: "rejected",
    exchange_id: null,
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

test.each([
  "Invalid nonce: duplicate nonce 1795253400001",
  "Invalid nonce: nonce too low 1795253400001 < 1795253400009",
])(
  "nor after an empty action that never came, and was answered with the word of another's number: %s",
  async (word) => {
    const s = await scene({ isHttp: true });
    const execute = s.venue.execute.bind(s.venue);
    let astray = 1;
    s.venue.execute = (body) => {
      if (typeIn(body) !== "noop" || astray === 0) return execute(body);
      astray -= 1;
      return jsonAnswer({ status: "err", response: word });
    };
    s.setFate(fates("twapOrder", LOST));
    s.ask("lost-twap", TWAP);
    await s.pass(1);
    twapOfTheOwner(s);
    await s.pass(60_000);
    expect(await told(s, "lost-twap", TWAP)).toMatchObject({ http: 200, status: "rejected", exchange_id: null });
  },
);

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

function cancelOfTwap(twapId: number): Ask {
  return { kind: "twap_cancel", market: "BTC", twapId };
}

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
  let suspicions = 0;
  Object.assign(markets, {
    current: () => (suspicions > 0 ? moved : universe),
    suspect() {
      suspicions += 1;
    },
    refresh: async () => (suspicions > 0 ? moved : universe),
  });
  const asked = hideTwaps(s, (assetId) => assetId !== 77);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 200, status: "succeeded" });
  expect([asked, suspicions]).toEqual([[0, 0, 77], 1]);
});

test("a TWAP that runs and is never found is not said to have ended", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  hideTwaps(s, () => true);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({
    http: 202,
    status: "unknown",
    error: "the exchange did not find the TWAP; whether it runs is being looked up",
  });
  await s.pass(700_000);
  const last = await told(s, "cancel", cancelOfTwap(1));
  expect(last).toMatchObject({ http: 202, status: "unknown", error: expect.stringContaining(NOT_FOUND) });
});

/** What was to cancel a TWAP comes too late, and its number is taken by it, in an account that does nothing else. */
async function canceledTooLate(): Promise<Scene> {
  const s = await scene();
  await told(s, "made", TWAP);
  await s.pass(20_000);
  s.setFate(fates("twapCancel", TOO_LATE, 2));
  s.ask("cancel", cancelOfTwap(1));
  return s;
}

test("a cancel that came too late is rejected in a quiet account, once no server can be from before it", async () => {
  const s = await canceledTooLate();
  await s.pass(140_000);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringContaining("is asked whether it still runs"),
  });
  await s.pass(50_000);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({
    http: 200,
    status: "rejected",
    error: "The cancel was not carried out: the TWAP still runs.",
  });
});

test("a cancel that was carried out is not rejected by servers from before it", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  await s.pass(20_000);
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  s.setFate(fates("twapCancel", UNHEARD));
  s.ask("cancel", cancelOfTwap(1));
  await s.pass(145_000);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(20_000);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({ http: 200, status: "succeeded" });
});

test("a cancel of whose number nothing is known is not rejected by time alone", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  s.setFate(fates("twapCancel", LOST, 1_000));
  s.ask("cancel", cancelOfTwap(1));
  await s.pass(300_000);
  expect(await told(s, "cancel", cancelOfTwap(1))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringContaining("whether its number was used is being asked for"),
  });
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
  const asked = hideTwaps(s, () => true);
  const startedMs = s.timeline.nowMs();
  const answer = await told(s, "cancel", cancelOfTwap(99));
  expect([asked.length, s.timeline.nowMs() - startedMs < 2_500]).toEqual([3, true]);
  expect(answer).toMatchObject({ http: 200, status: "rejected", error: expect.stringContaining(NOT_FOUND) });
  expect(s.process().gateway.deps.markets.doubtOf("BTC")).toBeNull();
});

test("a cancel that names another market than the TWAP's says which it is", async () => {
  const s = await scene();
  await told(s, "made", TWAP);
  hideTwaps(s, () => true);
  expect(await told(s, "cancel", { kind: "twap_cancel", market: "ETH", twapId: 1 })).toMatchObject({
    http: 200,
    status: "rejected",
    error: expect.stringContaining("The exchange shows this TWAP in BTC."),
  });
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
      http: 202,
      status: "unknown",
      exchange_id: "1",
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
      http: 202,
      status: "unknown",
      exchange_id: null,
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

test("a TWAP that the exchange has named is told once the feed shows it, although no history does yet", async () => {
  const s = await scene({ hasFeed: true });
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

/** The answer to a TWAP names this one instead. */
function misname(s: Scene, twapId: number): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => {
      const answer = execute(body);
      if (typeIn(body) !== "twapOrder") return answer;
      return { ...answer, body: answer.body.replace(/"twapId":[0-9]+/, `"twapId":${twapId}`) };
    },
  });
}

test("a TWAP that is named by the number of another is unknown, and in the end the one that the history shows", async () => {
  const s = await scene();
  misname(s, 99);
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 202,
    status: "unknown",
    error: "the exchange has named it TWAP 99, which nothing shows as that; as asked for there is 1",
  });
  await s.pass(140_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(60_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1", error: null });
  expect(s.takeErrors()).toEqual([expect.stringContaining("another TWAP than it has made")]);
});

test("nor is it told under another's number where the history is some seconds behind", async () => {
  const s = await scene();
  misname(s, 99);
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  s.ask("made", TWAP);
  await s.pass(4_000);
  held.clear();
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 202,
    status: "unknown",
    error: "the exchange has named it TWAP 99, which nothing shows as that; as asked for there is 1",
  });
  await s.pass(200_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1", error: null });
  s.takeErrors();
});

test("where two are as asked for, neither of them is called the one that was named by another number", async () => {
  const s = await scene();
  misname(s, 99);
  s.ask("made", TWAP);
  await s.pass(1);
  twapOfTheOwner(s);
  await s.pass(200_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "99" });
  await s.pass(600_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "99" });
  // Nobody looks any more.
  expect(s.rows("select id from attempts where state <> 'done'")).toEqual([]);
});

test("a name that another TWAP has spoken against is not believed because a server that is behind shows neither", async () => {
  const s = await scene();
  misname(s, 99);
  s.ask("made", TWAP);
  await s.pass(5_000);
  s.setFate(({ body }) => (body.includes("twapHistory") ? { ...directly(5), toldAs: () => "[]" } : directly(5)));
  await s.pass(60_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "99" });
  await s.pass(600_000);
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 202,
    status: "unknown",
    error: "the exchange has named it TWAP 99, which nothing shows as that; as asked for there is 1",
  });
});
