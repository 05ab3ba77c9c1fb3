import { expect, test } from "bun:test";
import {
  type Answer,
  DELIVERY,
  type Delivery,
  delayed,
  FIRST,
  limitOrder,
  openPaperRig,
  type PaperRig,
  SECOND,
} from "../support/paper-rig.ts";

/** What becomes of leverage, margin and TWAPs when answers come, when they do not, and when it cannot be told. */

type Case = {
  route: string;
  body: object;
  /** Brings about what the action needs. */
  prepare(rig: PaperRig): Promise<void>;
  /** True when the exchange shows that the action was carried out. */
  isDone(rig: PaperRig): Promise<boolean>;
  /** The same action, which the exchange refuses after it has taken its nonce. */
  refused: { body: object; prepare(rig: PaperRig): Promise<void>; words: string };
  /** In words of the operation. */
  action: string;
};

const nothing = async () => undefined;
const ISOLATED = { market: "ETH", leverage: 5, margin_type: "isolated" };

/** An isolated long of 1 ETH at 3200. */
async function openPosition(rig: PaperRig): Promise<void> {
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED });
  await rig.trade("sell", "1", "3200", 1);
  await buyEther(rig, "1");
}

async function buyEther(rig: PaperRig, size: string): Promise<void> {
  const body = { account: FIRST.account.id, market: "ETH", side: "buy", size, price: "3200", time_in_force: "ioc" };
  expect((await rig.answer(FIRST, { route: "POST /v1/orders", body })).body).toMatchObject({ status: "filled" });
}

async function startTwap(rig: PaperRig): Promise<void> {
  const { body } = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  expect(body).toMatchObject({ status: "succeeded", exchange_id: "1" });
}

const TWAP = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };

async function margin(rig: PaperRig): Promise<string | undefined> {
  type State = { assetPositions: { position: { coin: string; leverage: { rawUsd?: string } } }[] };
  // As the exchange answers; only what is named is looked at.
  const state = (await rig.info({ type: "clearinghouseState", user: FIRST.account.tradingAddress })) as State;
  return state.assetPositions.find(({ position }) => position.coin === "ETH")?.position.leverage.rawUsd;
}

async function leverage(rig: PaperRig): Promise<number> {
  const request = { type: "activeAssetData", user: FIRST.account.tradingAddress, coin: "ETH" };
  return ((await rig.info(request)) as { leverage: { value: number } }).leverage.value;
}

function twaps(rig: PaperRig): number[] {
  return [...rig.paper.venue.twaps.keys()];
}

const CASES: Record<string, Case> = {
  "a leverage change": {
    route: "POST /v1/leverage",
    body: { ...ISOLATED, leverage: 7 },
    prepare: nothing,
    isDone: async (rig) => (await leverage(rig)) === 7,
    // With the position as large as it is, its margin does not cover a lower leverage.
    refused: { body: { ...ISOLATED, leverage: 2 }, prepare: openPosition, words: "Isolated" },
    action: "leverage",
  },
  "a margin change": {
    route: "POST /v1/margin",
    body: { market: "ETH", amount: "12.345678" },
    prepare: openPosition,
    isDone: async (rig) => (await margin(rig)) === "-2547.654322",
    refused: {
      body: { market: "ETH", amount: "-600" },
      prepare: openPosition,
      words: "does not have sufficient margin",
    },
    action: "isolated_margin",
  },
  "a TWAP": {
    route: "POST /v1/twaps",
    body: TWAP,
    prepare: nothing,
    isDone: async (rig) => twaps(rig).length === 1,
    refused: { body: { ...TWAP, size: "0.00001" }, prepare: nothing, words: "too small" },
    action: "twap",
  },
  "the cancel of a TWAP": {
    route: "POST /v1/twaps/cancel",
    body: { market: "BTC", twap_id: 1 },
    prepare: startTwap,
    isDone: async (rig) => twaps(rig).length === 0,
    refused: { body: { market: "BTC", twap_id: 1 }, prepare: cancelTwapElsewhere, words: "never placed" },
    action: "twap_cancel",
  },
};

async function cancelTwapElsewhere(rig: PaperRig): Promise<void> {
  await startTwap(rig);
  await rig.elsewhere(FIRST, { type: "twapCancel", a: 0, t: 1n });
}

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
  let arrive: () => Promise<unknown> = nothing;
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

test.each(each)("%s that was refused, and the refusal lost, is never said to have succeeded", async (_name, one) => {
  const { rig, act } = await begin({ ...one, prepare: one.refused.prepare });
  rig.deliveries.push(DELIVERY.answerLost);
  const answer = await act(one.refused.body);
  await rig.clock.advance(60_000);
  const { read } = await later(rig, one, answer);
  // A TWAP that somebody else has canceled is not running, which is what was asked for.
  const status = one.action === "twap_cancel" ? "succeeded" : "rejected";
  expect(read.body).toMatchObject({ status, exchange_id: null });
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

test("a leverage that is in force already is not sent again", async () => {
  const rig = await openPaperRig();
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED });
  rig.sent.length = 0;
  const answer = await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED, key: "again-0001" });
  expect(answer).toMatchObject({ status: 200, body: { status: "succeeded", error: null } });
  expect(rig.sent).toEqual([]);
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: { ...ISOLATED, margin_type: "cross" } });
  expect(rig.sent).toEqual(["updateLeverage"]);
});

test("a leverage beyond the market's is refused without being sent", async () => {
  const rig = await openPaperRig();
  const body = { market: "ETH", leverage: 26, margin_type: "cross" };
  const answer = await rig.answer(FIRST, { route: "POST /v1/leverage", body });
  expect(answer.body).toMatchObject({ status: "rejected" });
  expect(answer.body["error"]).toContain("Nearest valid: 25");
  expect(rig.sent).toEqual([]);
});

test("a margin change with fills in between cannot be proven: unknown for good after ten minutes, with both readings", async () => {
  const rig = await openPaperRig();
  await openPosition(rig);
  rig.deliveries.push(DELIVERY.answerLost);
  const asked = rig.ask(FIRST, { route: "POST /v1/margin", body: { market: "ETH", amount: "10" }, key: KEY });
  await rig.clock.advance(0);
  await rig.trade("sell", "0.5", "3200", 1);
  await rig.elsewhere(FIRST, {
    ...{ type: "order", grouping: "na" },
    orders: [{ a: 1, b: true, p: "3200", s: "0.5", r: false, t: { limit: { tif: "Ioc" } } }],
  });
  const answer = await rig.answerOf(asked);
  expect(answer).toMatchObject({ status: 202, body: { status: "unknown" } });
  await rig.clock.advance(9 * 60_000);
  expect(rig.deps.settling.openCount()).toBe(1);
  await rig.clock.advance(2 * 60_000);
  expect(rig.deps.settling.openCount()).toBe(0);
  const read = await rig.answer(FIRST, { route: `GET /v1/operations/${answer.body["id"]}` });
  expect(read.body).toMatchObject({ status: "unknown" });
  expect(read.body["error"]).toMatch(
    /^Whether the margin was changed cannot be proven\. Before: size 1, cash -?[0-9.]+\. After: size 1\.5, cash -?[0-9.]+\.$/,
  );
  const again = await rig.answer(FIRST, { route: "POST /v1/margin", body: { market: "ETH", amount: "10" }, key: KEY });
  expect(again).toMatchObject({ status: 202, body: { status: "unknown" } });
  expect(rig.sent.filter((type) => type === "updateIsolatedMargin")).toHaveLength(1);
});

test("a fill that moves the cash as the margin change would have proves nothing", async () => {
  const rig = await openPaperRig();
  await openPosition(rig);
  rig.deliveries.push(DELIVERY.answerLost);
  // Refused, because so much cannot be taken out.
  const asked = rig.ask(FIRST, { route: "POST /v1/margin", body: { market: "ETH", amount: "-1280" } });
  await rig.clock.advance(0);
  await rig.trade("sell", "0.5", "3200", 1);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 1, side: "buy", size: "0.5", price: "3200" }));
  expect(await margin(rig)).toBe("-3840.0");
  const { body } = await rig.answerOf(asked);
  await rig.clock.advance(12 * 60_000);
  const read = await rig.answer(FIRST, { route: `GET /v1/operations/${body["id"]}` });
  expect(read.body).toMatchObject({ status: "unknown" });
});

test("two equal margin changes at once are told apart: each is carried out once", async () => {
  const rig = await openPaperRig();
  await openPosition(rig);
  const before = Number(await margin(rig));
  rig.deliveries.push(DELIVERY.answerLost);
  const body = { market: "ETH", amount: "10" };
  const first = rig.ask(FIRST, { route: "POST /v1/margin", body, key: "margin-001" });
  await rig.clock.advance(0);
  const second = rig.ask(FIRST, { route: "POST /v1/margin", body, key: "margin-002" });
  expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded" });
  expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded" });
  expect(Number(await margin(rig)) - before).toBe(20);
});

test("two equal TWAPs at once, the first answer lost: each operation has its own TWAP", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(DELIVERY.answerLost);
  const first = rig.ask(FIRST, { route: "POST /v1/twaps", body: TWAP, key: "twap-key-1" });
  await rig.clock.advance(0);
  const second = rig.ask(FIRST, { route: "POST /v1/twaps", body: TWAP, key: "twap-key-2" });
  expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded", exchange_id: "1" });
  expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded", exchange_id: "2" });
});

test("an equal TWAP or margin change waits for one that is on its way, and does not stop it", async () => {
  const rig = await openPaperRig();
  await openPosition(rig);
  for (const [route, body] of [
    ["POST /v1/twaps", TWAP],
    ["POST /v1/margin", { market: "ETH", amount: "10" }],
  ] as const) {
    rig.sent.length = 0;
    rig.deliveries.push(delayed(1_000, 500));
    const first = rig.ask(FIRST, { route, body });
    await rig.clock.advance(100);
    const second = rig.ask(FIRST, { route, body });
    expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded" });
    expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded" });
    expect([rig.sent.length, rig.sent.includes("noop")]).toEqual([2, false]);
  }
});

test("an equal TWAP made elsewhere at the same time leaves the lost one unknown, with both numbers", async () => {
  const rig = await openPaperRig();
  rig.failing.add("twapHistory");
  rig.deliveries.push(DELIVERY.answerLost);
  const asked = rig.ask(FIRST, { route: "POST /v1/twaps", body: TWAP });
  await rig.clock.advance(0);
  const twap = { a: 0, b: true, s: "0.1", r: false, m: 30, t: false };
  await rig.elsewhere(FIRST, { type: "twapOrder", twap });
  rig.failing.clear();
  const answer = await rig.answerOf(asked);
  expect(answer).toMatchObject({ status: 202, body: { status: "unknown", exchange_id: null } });
  await rig.clock.advance(12 * 60_000);
  expect(rig.deps.settling.openCount()).toBe(0);
  const read = await rig.answer(FIRST, { route: `GET /v1/operations/${answer.body["id"]}` });
  expect(read.body).toMatchObject({ status: "unknown", exchange_id: null });
  expect(read.body["error"]).toMatch(/Equal TWAPs were made: [12], [12]\./);
});

test("a TWAP that answered another request is never taken for the one whose answer was lost", async () => {
  const rig = await openPaperRig();
  const known = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  rig.deliveries.push(DELIVERY.neverArrived);
  const lost = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  expect([known.body["exchange_id"], lost.body["exchange_id"], lost.body["status"]]).toEqual(["1", null, "rejected"]);
});

test("a TWAP that was running before is never taken for the one whose answer was lost", async () => {
  const rig = await openPaperRig();
  await rig.elsewhere(FIRST, { type: "twapOrder", twap: { a: 0, b: true, s: "0.1", r: false, m: 30, t: false } });
  await rig.clock.advance(30_000);
  rig.deliveries.push(DELIVERY.neverArrived);
  const answer = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  expect(answer.body).toMatchObject({ status: "rejected", exchange_id: null });
});

test("a cancel that never arrived, of a TWAP that nobody knows, is rejected", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(DELIVERY.neverArrived);
  const answer = await rig.answer(FIRST, { route: "POST /v1/twaps/cancel", body: { market: "BTC", twap_id: 99 } });
  expect(answer).toMatchObject({ status: 200, body: { action: "twap_cancel", status: "rejected" } });
});

test("a cancel that never arrived, of a TWAP that ended by itself meanwhile, has not canceled it", async () => {
  const rig = await openPaperRig();
  await rig.trade("sell", "10", "95000");
  const body = { ...TWAP, duration_minutes: 5 };
  expect((await rig.answer(FIRST, { route: "POST /v1/twaps", body })).body).toMatchObject({ status: "succeeded" });
  await rig.clock.advance(6 * 60_000);
  rig.paper.step(rig.paper.nowMs());
  expect(twaps(rig)).toEqual([]);
  rig.deliveries.push(DELIVERY.answerLost);
  const answer = await rig.answer(FIRST, { route: "POST /v1/twaps/cancel", body: { market: "BTC", twap_id: 1 } });
  expect(answer.body).toMatchObject({ status: "rejected" });
  expect(answer.body["error"]).toContain("finished");
});

test("a TWAP may run for seven days, all the way to the exchange", async () => {
  const rig = await openPaperRig();
  const body = { ...TWAP, size: "5", duration_minutes: 10_080, randomize: true };
  expect((await rig.answer(FIRST, { route: "POST /v1/twaps", body })).body).toMatchObject({ status: "succeeded" });
  expect(rig.paper.venue.twaps.get(1)).toMatchObject({ minutes: 10_080, randomize: true, isBuy: true });
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
