/** An end that its feed tells and our own cancel's answer bears out is not looked up in its record; any other is. */
import { expect, test } from "bun:test";
import { DELIVERY, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

type Order = { id: string; exchange_order_id: string };
type Ending = (rig: PaperRig, order: Order) => Promise<unknown>;

/** What was asked of the exchange while an order came to its end, and ten seconds more. */
async function askedAtEnd(end: Ending, hasFeed: boolean): Promise<string[]> {
  const rig = await openPaperRig({ exchangeWeightPerMinute: 1_200, hasFeed });
  for (let step = 0; step < 170; step += 1) await rig.clock.advance(100);
  const body = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };
  const { body: placed } = await rig.answer(FIRST, { route: "POST /v1/orders", body });
  await rig.clock.advance(2_000);
  rig.asked.length = 0;
  await end(rig, placed as Order);
  for (let step = 0; step < 100; step += 1) await rig.clock.advance(100);
  const asked = [...rig.asked];
  const read = await rig.answer(FIRST, { route: `GET /v1/orders/${String(placed["id"])}` });
  expect(read.body).toMatchObject({ status: "canceled", filled_size: "0" });
  return asked;
}

function byKey(rig: PaperRig, { id }: Order): Promise<unknown> {
  return rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
}

async function byKeyUnanswered(rig: PaperRig, order: Order): Promise<void> {
  rig.deliveries.push(DELIVERY.answerLost);
  await byKey(rig, order);
}

async function byKeyUntold(rig: PaperRig, order: Order): Promise<void> {
  rig.frames = (text, arrive) => (/"channel":"orderUpdates"/.test(text) ? undefined : arrive());
  await byKey(rig, order);
}

function byHand(rig: PaperRig, { exchange_order_id: oid }: Order): Promise<unknown> {
  return rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
}

test.each<[string, Ending, hasFeed: boolean, isRecordRead: boolean]>([
  ["canceled by us, answered and told", byKey, true, false],
  ["canceled by us and told, its answer lost", byKeyUnanswered, true, true],
  ["canceled by us and answered, its feed silent about it", byKeyUntold, true, true],
  ["canceled by us and answered, without a feed", byKey, false, true],
  ["canceled by hand, and told", byHand, true, true],
])("the record of an order %s", async (...[, end, hasFeed, isRecordRead]) => {
  const asked = await askedAtEnd(end, hasFeed);
  expect(asked.includes("orderStatus")).toBe(isRecordRead);
});

test("an order whose end is said twice is final by two positions of after it", async () => {
  const asked = await askedAtEnd(byKey, true);
  expect(asked.filter((type) => type === "clearinghouseState").length).toBeGreaterThanOrEqual(2);
});
