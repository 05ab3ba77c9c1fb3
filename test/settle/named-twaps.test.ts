/** A number in an answer is one word: which TWAP is ours is told once something shows it as it was asked for, and a stop goes by what is shown. */
import { expect, test } from "bun:test";
import { fieldOf } from "../simulation/clients.ts";
import type { Ask } from "../simulation/front.ts";
import { directly } from "../simulation/network.ts";
import { MAKER } from "../simulation/plain-venue.ts";
import { executed, type Scene } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import type { Venue } from "../simulation/venue.ts";
import { fates, holdBack, LOST, told, typeIn, UNHEARD } from "./stale-stage.ts";

const scene = scenesOfThisFile();

const TWAP: Ask = { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: 5 };
const STOP: Ask = { kind: "stop", scope: "bot", keepsProtection: true };
const MINUTE_MS = 60_000;

type Act = Parameters<Venue["act"]>[1];

/** The answer to a TWAP names this one. */
function misname(s: Scene, twapId = 77): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) => {
      const answer = execute(body);
      if (typeIn(body) !== "twapOrder") return answer;
      return { ...answer, body: answer.body.replace(/"twapId":[0-9]+/, `"twapId":${twapId}`) };
    },
  });
}

const NAMED = JSON.stringify({
  status: "ok",
  response: { type: "twapOrder", data: { status: { running: { twapId: 77 } } } },
});

/** Each takes its number and is refused, and is answered with what was another's. */
function refuseTwaps(s: Scene): void {
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (body: string) =>
      typeIn(body) === "twapOrder"
        ? { ...execute(body.replace('"s":"0.1"', '"s":"0.000001"')), body: NAMED }
        : execute(body),
  });
}

/** What a TWAP of any size takes from. */
function quote(s: Scene): void {
  const orders = [{ a: 0, b: false, p: "95100", s: "5", r: false, t: { limit: { tif: "Gtc" } }, c: null }];
  // Decimals of these texts are canonical; the brand is the engine's.
  s.venue.act(MAKER, { type: "order", orders, grouping: "na", builder: null } as unknown as Act);
}

/** Made on the exchange's web page. */
function twapOfTheOwner(s: Scene, size = "0.1"): void {
  const twap = { a: 0, b: true, s: size, r: false, m: 5, t: false };
  s.venue.act(s.party.account.ownerAddress, { type: "twapOrder", twap, details: null } as unknown as Act);
}

function hideHistory(s: Scene): ReturnType<typeof holdBack> {
  const held = holdBack(s);
  held.set("twapHistory", s.venue.snapshot());
  return held;
}

async function statusOf(s: Scene): Promise<string | null> {
  return fieldOf((await s.tell("stop-key-1", STOP)).body, "status");
}

/** Numbers of the TWAPs of which the exchange was asked to cancel one. */
function canceled(s: Scene): number[] {
  return executed(s, "twapCancel").flatMap(({ input: { action } }) => (action.type === "twapCancel" ? [action.t] : []));
}

function running(s: Scene): number {
  return s.venue.runtime.world.venue.twaps.size;
}

test("a TWAP that an answer has named by another's number is told as the one that the feed shows, within seconds", async () => {
  const s = await scene({ hasFeed: true });
  hideHistory(s);
  misname(s);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1", error: null });
  expect(s.takeErrors()).toEqual([expect.stringContaining("another TWAP than it has made")]);
});

test("what the feed shows in its place is not called it while nothing has taken its number", async () => {
  const s = await scene({ hasFeed: true });
  hideHistory(s);
  misname(s);
  s.setFate(({ body }) => (typeIn(body) === "noop" ? LOST : directly(5)));
  await told(s, "made", TWAP);
  await s.pass(200_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "77" });
});

test("a TWAP whose answer was another's and that never ran is told so, though an equal one is shown", async () => {
  const s = await scene({ hasFeed: true });
  hideHistory(s);
  const { execute } = s.venue;
  Object.assign(s.venue, {
    execute: (sent: string) =>
      typeIn(sent) === "twapOrder" ? { status: 200, contentType: "application/json", body: NAMED } : execute(sent),
  });
  s.ask("made", TWAP);
  await s.pass(1);
  twapOfTheOwner(s);
  await s.pass(100_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "77" });
  await s.pass(60_000);
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 200,
    status: "rejected",
    exchange_id: null,
    error: "It was never executed and no longer can be.",
  });
});

test("a TWAP that was named, taken by nothing that a history shows, is rejected once that has gone on past it", async () => {
  const s = await scene();
  refuseTwaps(s);
  await told(s, "made", TWAP);
  await s.pass(170_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "77" });
  twapOfTheOwner(s, "0.3");
  await s.pass(20_000);
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 200,
    status: "rejected",
    exchange_id: null,
    error: "the exchange has named it TWAP 77, and its history has gone on past it and shows none such.",
  });
});

test("a number that is another's of the account, with terms of its own, is not ours: the one as asked for is", async () => {
  const s = await scene();
  twapOfTheOwner(s, "0.3");
  misname(s, 1);
  await told(s, "made", TWAP);
  await s.pass(160_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "2" });
  expect(s.takeErrors()).toEqual([expect.stringContaining("another TWAP than it has made")]);
});

test("nor is it the last word while the one that was asked for is not shown yet", async () => {
  const s = await scene();
  twapOfTheOwner(s, "0.3");
  const held = hideHistory(s);
  misname(s, 1);
  await told(s, "made", TWAP);
  await s.pass(60_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 202, status: "unknown", exchange_id: "1" });
  held.clear();
  await s.pass(100_000);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "2", error: null });
  expect(s.takeErrors()).toHaveLength(2);
});

test("a TWAP whose answer was lost is found though the answer to another has named that one by its number", async () => {
  const s = await scene();
  s.setFate(fates("twapOrder", UNHEARD));
  s.ask("lost", TWAP);
  await s.pass(100);
  s.setFate(() => directly(5));
  misname(s, 1);
  s.ask("misnamed", { ...TWAP, size: "0.2" });
  await s.pass(20_000);
  twapOfTheOwner(s, "0.3");
  await s.pass(60_000);
  expect(await told(s, "lost", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
  await s.pass(90_000);
  const misnamed = await told(s, "misnamed", { ...TWAP, size: "0.2" });
  expect(misnamed).toMatchObject({ http: 200, status: "succeeded", exchange_id: "2" });
  expect(s.takeErrors()).toEqual([expect.stringContaining("another TWAP than it has made")]);
});

test("that it has traded is a second word for its number, and the slices of another are none", async () => {
  const s = await scene();
  hideHistory(s);
  quote(s);
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
  misname(s);
  expect(await told(s, "misnamed", { ...TWAP, size: "0.2" })).toMatchObject({ http: 202, exchange_id: "77" });
  await s.pass(60_000);
  expect(await told(s, "misnamed", { ...TWAP, size: "0.2" })).toMatchObject({ http: 202, status: "unknown" });
});

const LATE: [string, boolean, (s: Scene) => void][] = [
  ["the feed alone shows it", true, () => undefined],
  ["nothing but its slices shows it", false, quote],
];

test.each(LATE)(
  "a stop cancels a TWAP whose answer was lost within seconds where %s",
  async (_how, hasFeed, before) => {
    const s = await scene({ hasFeed });
    hideHistory(s);
    before(s);
    s.setFate(fates("twapOrder", UNHEARD));
    s.ask("made", TWAP);
    await s.pass(1_000);
    await statusOf(s);
    await s.pass(5_000);
    expect([canceled(s), running(s)]).toEqual([[1], 0]);
  },
);

test.each(LATE)("and one that an answer has named by another's number, where %s", async (_how, hasFeed, before) => {
  const s = await scene({ hasFeed });
  const held = hideHistory(s);
  before(s);
  misname(s);
  s.ask("made", TWAP);
  await s.pass(1_000);
  await statusOf(s);
  await s.pass(7_000);
  expect([canceled(s).includes(1), running(s)]).toEqual([true, 0]);
  held.clear();
  await s.pass(160_000);
  expect(await statusOf(s)).toBe("stopped");
  expect(await told(s, "made", TWAP)).toMatchObject({ http: 200, status: "succeeded", exchange_id: "1" });
  s.takeErrors();
  // Nothing waits for the end of one that is none.
  expect(s.rows("select id from operations where status = 'unknown'")).toEqual([]);
});

test("a stop cancels none that began before what was refused, though it is nobody's", async () => {
  const s = await scene();
  hideHistory(s);
  quote(s);
  twapOfTheOwner(s, "0.3");
  await s.pass(40_000);
  refuseTwaps(s);
  s.setFate(fates("twapOrder", UNHEARD));
  s.ask("refused", TWAP);
  await s.pass(2_000);
  await statusOf(s);
  await s.pass(20_000);
  expect([canceled(s), running(s)]).toEqual([[], 1]);
});

test("a stop of a TWAP that nothing ever shows ends with its minutes, and not after two days", async () => {
  const s = await scene();
  refuseTwaps(s);
  await told(s, "made", TWAP);
  await s.pass(1_000);
  await statusOf(s);
  await s.pass(15 * MINUTE_MS);
  expect(await statusOf(s)).toBe("stopped");
  expect(await told(s, "made", TWAP)).toMatchObject({
    http: 202,
    status: "unknown",
    error: "the exchange has named it TWAP 77, and nothing has shown that since.",
  });
  // A number that is none is refused each time: it is not asked for again and again.
  expect(canceled(s).length).toBeLessThan(25);
  expect(
    s.rows("select id from operations where action = 'twap_cancel' and status in ('unknown', 'processing')"),
  ).toEqual([]);
});

test("the cancel of a number that was no TWAP's of ours ends with what is known of that", async () => {
  const s = await scene({ hasFeed: true });
  hideHistory(s);
  misname(s);
  await told(s, "made", TWAP);
  const cancel: Ask = { kind: "twap_cancel", market: "BTC", twapId: 77 };
  s.ask("cancel", cancel);
  await s.pass(20_000);
  s.takeErrors();
  expect(await told(s, "cancel", cancel)).toMatchObject({
    http: 200,
    status: "rejected",
    error: expect.stringContaining("never placed"),
  });
  expect(s.process().gateway.deps.markets.doubtOf("BTC")).toBeNull();
});

test("nor does it keep orders out of the market while nobody knows whether there is such a one", async () => {
  const s = await scene();
  refuseTwaps(s);
  await told(s, "made", TWAP);
  s.ask("cancel", { kind: "twap_cancel", market: "BTC", twapId: 77 });
  await s.pass(220_000);
  expect(s.process().gateway.deps.markets.doubtOf("BTC")).toBeNull();
});

test("a stop asks ever more seldom for the cancel of one that has ended, while nothing shows that", async () => {
  const s = await scene();
  hideHistory(s);
  quote(s);
  s.setFate(fates("twapOrder", UNHEARD));
  s.ask("made", TWAP);
  await s.pass(1_000);
  s.venue.act(s.party.account.ownerAddress, { type: "twapCancel", a: 0, t: 1 });
  await statusOf(s);
  await s.pass(120_000);
  const cancels = s.rows("select id from operations where action = 'twap_cancel'").length;
  expect([cancels > 1, cancels < 9]).toEqual([true, true]);
});
