import { expect, test } from "bun:test";
import {
  type Answer,
  DELIVERY,
  type Delivery,
  delayed,
  FIRST,
  openPaperRig,
  type PaperRig,
  SECOND,
} from "../support/paper-rig.ts";
import { CASES, type Case, ISOLATED } from "./operation-cases.ts";

/** What becomes of leverage, margin and TWAPs when answers come, when they do not, and when it cannot be told. */

const KEY = "operation-1";
const each = Object.entries(CASES);

async function begin(one: Case): Promise<{ rig: PaperRig; act(body?: object): Promise<Answer> }> {
  const rig = await openPaperRig();
  await one.prepare(rig);
  rig.sent.length = 0;
  return { rig, act: (body = one.body) => rig.answer(FIRST, { route: one.route, body, key: KEY }) };
}

/** The operation as it is read, and as its key answers. */
async function later(rig: PaperRig, one: Case, answer: Answer): Promise<{ read: Answer; again: Answer }> {
  const read = await rig.answer(FIRST, { route: `GET /v1/operations/${answer.body["id"]}` });
  const again = await rig.answer(FIRST, { route: one.route, body: one.body, key: KEY });
  return { read, again };
}

test.each(each)("%s that is answered has succeeded, and its key gives the same answer again", async (_name, one) => {
  const { rig, act } = await begin(one);
  const answer = await act();
  expect(answer).toMatchObject({ status: 200, body: { action: one.action, status: "succeeded", error: null } });
  expect(answer.body["exchange_id"]).toBe(one.action === "twap" ? "1" : null);
  expect(await one.isDone(rig)).toBe(true);
  const { read, again } = await later(rig, one, answer);
  expect([read.text, again.text, again.status]).toEqual([answer.text, answer.text, 200]);
  expect(rig.sent).toHaveLength(1);
});

test.each(each)("%s that the exchange refuses is rejected with its words", async (_name, one) => {
  const { rig, act } = await begin({ ...one, prepare: one.refused.prepare });
  const answer = await act(one.refused.body);
  expect(answer).toMatchObject({ status: 200, body: { status: "rejected", exchange_id: null } });
  expect(answer.body["error"]).toContain(one.refused.words);
  expect(rig.sent).toHaveLength(1);
});

const LOST: [string, Delivery][] = [
  ["the connection broke", DELIVERY.answerLost],
  ["a web server answered in its place", DELIVERY.badGateway],
  ["it came after seven seconds", delayed(0, 7_000)],
];

test.each(each.flatMap(([name, one]) => LOST.map(([how, delivery]) => [name, how, one, delivery] as const)))(
  "%s whose answer was lost, because %s, is found to have succeeded",
  async (_name, _how, one, delivery) => {
    const { rig, act } = await begin(one);
    rig.deliveries.push(delivery);
    const answer = await act();
    expect(answer).toMatchObject({ status: 200, body: { status: "succeeded", error: null } });
    expect(answer.body["exchange_id"]).toBe(one.action === "twap" ? "1" : null);
    expect(await one.isDone(rig)).toBe(true);
    const { again } = await later(rig, one, answer);
    expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([answer.text, "true"]);
    expect(rig.sent.filter((type) => type !== "noop")).toHaveLength(1);
  },
);

test.each(each)("%s that never arrived is rejected, and cannot arrive any more", async (_name, one) => {
  const { rig, act } = await begin(one);
  let arrive: () => Promise<unknown> = async () => undefined;
  rig.deliveries.push((late) => {
    arrive = late;
    return DELIVERY.neverArrived();
  });
  const answer = await act();
  expect(answer).toMatchObject({ status: 200, body: { status: "rejected", exchange_id: null } });
  // What the connection said is not the exchange's word.
  expect(answer.body["error"]).not.toContain("ECONNRESET");
  expect(rig.sent.slice(1)).toEqual(["noop"]);
  await arrive();
  expect(await one.isDone(rig)).toBe(false);
  const { read, again } = await later(rig, one, answer);
  expect([read.text, again.text]).toEqual([answer.text, answer.text]);
});

/**
 * A minute after it, and when no server can be from before it any more. A TWAP that somebody else has canceled is not running, which
 * is what was asked for. Until then a setting and a position prove nothing by what they do not show, nor does a history that does not
 * move; a setting that was in force may have been changed back between two looks of this clock.
 */
const AFTER_LOST_REFUSAL: Readonly<Record<string, readonly [string, string]>> = {
  twap_cancel: ["succeeded", "succeeded"],
  isolated_margin: ["unknown", "rejected"],
  leverage: ["unknown", "unknown"],
  twap: ["unknown", "unknown"],
};

test.each(each)("%s that was refused, and the refusal lost, is never said to have succeeded", async (_name, one) => {
  const { rig, act } = await begin({ ...one, prepare: one.refused.prepare });
  rig.deliveries.push(DELIVERY.answerLost);
  const answer = await act(one.refused.body);
  const told: unknown[] = [];
  for (const ms of [60_000, 140_000]) {
    await rig.clock.advance(ms);
    const { read } = await later(rig, one, answer);
    expect(read.body).toMatchObject({ exchange_id: null });
    told.push(read.body["status"]);
  }
  expect(told).toEqual([...(AFTER_LOST_REFUSAL[one.action] ?? [])]);
  expect(rig.sent.filter((type) => type !== "noop")).toHaveLength(1);
});

const READS: Record<string, string> = {
  leverage: "activeAssetData",
  isolated_margin: "clearinghouseState",
  twap: "twapHistory",
  twap_cancel: "twapHistory",
};

test.each(each)(
  "%s whose outcome cannot be looked up is 202 until it can, and then settles by itself",
  async (_name, one) => {
    const { rig, act } = await begin(one);
    rig.deliveries.push(async (arrive) => {
      rig.failing.add(READS[one.action] ?? "");
      return DELIVERY.answerLost(arrive);
    });
    const answer = await act();
    expect(answer).toMatchObject({ status: 202, body: { action: one.action, status: "unknown", exchange_id: null } });
    expect(answer.body["error"]).toContain("being looked up");
    const repeated = await rig.answer(FIRST, { route: one.route, body: one.body, key: KEY });
    expect(repeated).toMatchObject({ status: 202, body: { id: answer.body["id"], status: "unknown" } });
    rig.failing.clear();
    await rig.clock.advance(20_000);
    const { read, again } = await later(rig, one, answer);
    expect(read.body).toMatchObject({ id: answer.body["id"], status: "succeeded" });
    expect([again.status, again.text]).toEqual([200, read.text]);
    expect(rig.sent.filter((type) => type !== "noop")).toHaveLength(1);
  },
);

test.each(each)(
  "%s of which no byte left is a 503 that leaves nothing behind, and its key is free",
  async (_name, one) => {
    const { rig, act } = await begin(one);
    rig.deliveries.push(DELIVERY.notSent);
    const refused = await act();
    expect(refused).toMatchObject({ status: 503, body: { error: { code: "exchange_unreachable" } } });
    const before = (await rig.answer(FIRST, { route: "GET /v1/operations" })).body["data"];
    expect(before).not.toContainEqual(expect.objectContaining({ action: one.action, status: "processing" }));
    const answer = await act();
    expect(answer.body).toMatchObject({ status: "succeeded" });
    expect(answer.headers.get("Idempotent-Replayed")).toBeNull();
  },
);

test("a leverage that is in force already is sent again", async () => {
  const rig = await openPaperRig();
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED });
  rig.sent.length = 0;
  const answer = await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED, key: "again-0001" });
  expect(answer).toMatchObject({ status: 200, body: { status: "succeeded", error: null } });
  expect(rig.sent).toEqual(["updateLeverage"]);
});

const LEVERAGE = { route: "POST /v1/leverage", body: { market: "ETH", leverage: 5, margin_type: "cross" } };

/** ETH at 5x, and then at 9x by the last change; from here on a node that stands still answers. */
async function behindTheLastChange(): Promise<PaperRig> {
  const rig = await openPaperRig();
  await rig.answer(FIRST, LEVERAGE);
  const user = FIRST.account.tradingAddress;
  const shown = await rig.info({ type: "activeAssetData", user, coin: "ETH" });
  const state = await rig.info({ type: "clearinghouseState", user });
  await rig.clock.advance(61_000);
  await rig.answer(FIRST, { ...LEVERAGE, body: { ...LEVERAGE.body, leverage: 9 } });
  rig.interfere = ({ type }) =>
    type === "activeAssetData" ? shown : type === "clearinghouseState" ? state : undefined;
  rig.sent.length = 0;
  return rig;
}

test("a leverage that only a node behind the last change shows is sent", async () => {
  const rig = await behindTheLastChange();
  expect(await rig.answer(FIRST, LEVERAGE)).toMatchObject({ status: 200, body: { status: "succeeded" } });
  expect(rig.sent).toEqual(["updateLeverage"]);
});

test("a leverage that never arrived has not succeeded because a node behind the last change shows it", async () => {
  const rig = await behindTheLastChange();
  rig.deliveries.push(DELIVERY.neverArrived);
  const asked = rig.ask(FIRST, { ...LEVERAGE, key: "behind-0001" });
  await rig.clock.advance(3_000);
  rig.interfere = () => undefined;
  await rig.answerOf(asked);
  await rig.clock.advance(20_000);
  const answer = await rig.answer(FIRST, { ...LEVERAGE, key: "behind-0001" });
  expect(answer.body).toMatchObject({ status: "rejected", error: expect.stringContaining("never executed") });
});

test("a leverage beyond the market's is refused without being sent", async () => {
  const rig = await openPaperRig();
  const body = { market: "ETH", leverage: 26, margin_type: "cross" };
  const answer = await rig.answer(FIRST, { route: "POST /v1/leverage", body });
  expect(answer.body).toMatchObject({ status: "rejected" });
  expect(answer.body["error"]).toContain("Nearest valid: 25");
  expect(rig.sent).toEqual([]);
});

test("operations of one account are nothing to the other, under the same key or another", async () => {
  const rig = await openPaperRig();
  const body = { market: "ETH", leverage: 9, margin_type: "cross" };
  const mine = await rig.answer(FIRST, { route: "POST /v1/leverage", body, key: KEY });
  const theirs = await rig.answer(SECOND, { route: "POST /v1/leverage", body, key: KEY });
  expect(theirs.body).toMatchObject({ account: SECOND.account.id, status: "succeeded" });
  expect(theirs.body["id"]).not.toBe(mine.body["id"]);
  expect(rig.sent).toEqual(["updateLeverage", "updateLeverage"]);
});
