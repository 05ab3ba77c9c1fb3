import { expect, test } from "bun:test";
import { DELIVERY, delayed, FIRST, limitOrder, openPaperRig } from "../support/paper-rig.ts";
import { margin, openPosition, TWAP, twaps } from "./operation-cases.ts";

/** Operations without an id of their own: what tells one from another like it, and what does not. */

const KEY = "operation-1";

test("a margin change with fills in between cannot be proven: unknown for good after ten minutes, with both readings", async () => {
  const rig = await openPaperRig();
  await openPosition(rig);
  // Nothing is known of its number before the fills come.
  rig.deliveries.push(DELIVERY.answerLost, DELIVERY.neverArrived);
  const asked = rig.ask(FIRST, { route: "POST /v1/margin", body: { market: "ETH", amount: "10" }, key: KEY });
  await rig.clock.advance(0);
  await rig.trade("sell", "0.5", "3200", 1);
  await rig.elsewhere(FIRST, {
    type: "order",
    grouping: "na",
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

/** The second is asked for when the first has left, or both in one moment: then each finds nothing under way to wait for. */
const TIMES = [
  ["one behind the other", true],
  ["in one moment", false],
] as const;

test.each(TIMES)("two equal margin changes %s are told apart: each is carried out once", async (_when, isBehind) => {
  const rig = await openPaperRig();
  await openPosition(rig);
  const before = Number(await margin(rig));
  rig.deliveries.push(DELIVERY.answerLost);
  const body = { market: "ETH", amount: "10" };
  const first = rig.ask(FIRST, { route: "POST /v1/margin", body, key: "margin-001" });
  if (isBehind) await rig.clock.advance(0);
  const second = rig.ask(FIRST, { route: "POST /v1/margin", body, key: "margin-002" });
  expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded" });
  expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded" });
  expect(Number(await margin(rig)) - before).toBe(20);
});

test.each(TIMES)(
  "two equal TWAPs %s, the first answer lost: each operation has its own TWAP",
  async (_when, isBehind) => {
    const rig = await openPaperRig();
    rig.deliveries.push(DELIVERY.answerLost);
    const first = rig.ask(FIRST, { route: "POST /v1/twaps", body: TWAP, key: "twap-key-1" });
    if (isBehind) await rig.clock.advance(0);
    const second = rig.ask(FIRST, { route: "POST /v1/twaps", body: TWAP, key: "twap-key-2" });
    expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded", exchange_id: "1" });
    expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded", exchange_id: "2" });
  },
);

test.each(TIMES)(
  "an equal TWAP or margin change, %s, waits for one that is on its way, and does not stop it",
  async (_when, isBehind) => {
    const rig = await openPaperRig();
    await openPosition(rig);
    for (const [route, body] of [
      ["POST /v1/twaps", TWAP],
      ["POST /v1/margin", { market: "ETH", amount: "10" }],
    ] as const) {
      rig.sent.length = 0;
      rig.deliveries.push(delayed(1_000, 500));
      const first = rig.ask(FIRST, { route, body });
      if (isBehind) await rig.clock.advance(100);
      const second = rig.ask(FIRST, { route, body });
      await rig.clock.advance(100);
      expect(rig.sent).toHaveLength(1);
      expect((await rig.answerOf(first)).body).toMatchObject({ status: "succeeded" });
      expect((await rig.answerOf(second)).body).toMatchObject({ status: "succeeded" });
      expect([rig.sent.length, rig.sent.includes("noop")]).toEqual([2, false]);
    }
  },
);

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
