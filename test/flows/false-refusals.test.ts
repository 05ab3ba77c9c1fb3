/** A record that says of an order that it was refused, while it rests and is filled: what a list lacks is over, and was not refused for that. */
import { expect, test } from "bun:test";
import {
  DELIVERY,
  FIRST,
  limitOrder,
  openPaperRig,
  type PaperRig,
  type PaperRigOptions,
} from "../support/paper-rig.ts";
import { open } from "./modified-order.ts";

const FEEDS: [string, PaperRigOptions][] = [
  ["a live feed", { hasFeed: true }],
  ["no feed", {}],
];
const RESTS = {
  account: FIRST.account.id,
  market: "BTC",
  side: "buy",
  size: "0.02",
  price: "59000",
  time_in_force: "alo",
};

/** Its record says so, and it is filled whole before the next store is asked, if it was not at once. */
function refusedByRecord(rig: PaperRig, hasFilledAtOnce = false): void {
  let hasFilled = hasFilledAtOnce;
  rig.interfere = async (request) => {
    if (request["type"] !== "orderStatus") return undefined;
    const answer = (await rig.info(request)) as { order?: object };
    if (!hasFilled && answer.order !== undefined) await rig.trade("sell", "0.02", "59000");
    hasFilled ||= answer.order !== undefined;
    const said = { status: "badAloPxRejected", statusTimestamp: rig.deps.exchange.nowMs() };
    return answer.order === undefined ? answer : { ...answer, order: { ...answer.order, ...said } };
  };
}

test.each(FEEDS)("with %s, of an order whose answer was lost", async (_feed, options) => {
  const rig = await openPaperRig(options);
  await rig.clock.advance(5_000);
  rig.deliveries.push(DELIVERY.answerLost);
  refusedByRecord(rig);
  const key = "an-answer-is-lost";
  const placed = rig.ask(FIRST, { route: "POST /v1/orders", body: RESTS, key });
  const seen: unknown[] = [(await rig.answerOf(placed)).body["status"]];
  for (let nth = 0; nth < 5; nth += 1) {
    seen.push((await rig.answer(FIRST, { route: "POST /v1/orders", body: RESTS, key })).body["status"]);
    await rig.clock.advance(1_000);
  }
  rig.interfere = () => undefined;
  await rig.clock.advance(30_000);
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: RESTS, key });
  expect([seen.includes("rejected"), body["status"], body["filled_size"]]).toEqual([false, "filled", "0.02"]);
});

test.each(FEEDS)("with %s, of one that executes at once, and was filled", async (_feed, options) => {
  const rig = await openPaperRig(options);
  await rig.trade("sell", "1", "60010");
  await rig.clock.advance(5_000);
  rig.deliveries.push(DELIVERY.answerLost);
  refusedByRecord(rig, true);
  const body = { ...RESTS, price: "60010", time_in_force: "ioc" };
  const key = "an-ioc-is-lost";
  const seen: unknown[] = [(await rig.answer(FIRST, { route: "POST /v1/orders", body, key })).body["status"]];
  for (let nth = 0; nth < 5; nth += 1) {
    seen.push((await rig.answer(FIRST, { route: "POST /v1/orders", body, key })).body["status"]);
    await rig.clock.advance(1_000);
  }
  rig.interfere = () => undefined;
  await rig.clock.advance(30_000);
  const { body: told } = await rig.answer(FIRST, { route: "POST /v1/orders", body, key });
  expect([seen.includes("rejected"), told["status"], told["filled_size"]]).toEqual([false, "filled", "0.02"]);
});

test("of one that was refused in a word that is new, where the history tells another end", async () => {
  const rig = await openPaperRig({});
  await rig.clock.advance(5_000);
  rig.deliveries.push(DELIVERY.answerLost);
  let [hasFilled, isWrong] = [false, true];
  rig.interfere = async (request) => {
    // Its fills are behind as well.
    if (isWrong && request["type"] === "userFillsByTime") return [];
    if (!isWrong || request["type"] !== "orderStatus") return undefined;
    const answer = (await rig.info(request)) as { order?: { order: { timestamp: number; origSz: string } } };
    if (answer.order === undefined) return answer;
    if (!hasFilled) await rig.trade("sell", "0.02", "59000");
    hasFilled = true;
    const { order } = answer.order;
    const said = { status: "swapRejected", statusTimestamp: order.timestamp, order: { ...order, sz: order.origSz } };
    return { ...answer, order: { ...answer.order, ...said } };
  };
  const key = "a-new-refusal";
  const seen: unknown[] = [];
  rig.answerOf(rig.ask(FIRST, { route: "POST /v1/orders", body: RESTS, key })).catch(() => undefined);
  for (let nth = 0; nth < 40; nth += 1) {
    await rig.clock.advance(5_000);
    seen.push((await rig.answer(FIRST, { route: "POST /v1/orders", body: RESTS, key })).body["status"]);
  }
  isWrong = false;
  await rig.clock.advance(60_000);
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: RESTS, key });
  expect([seen.includes("rejected"), body["status"], body["filled_size"]]).toEqual([false, "filled", "0.02"]);
});

test.each(FEEDS)("with %s, of one that was placed elsewhere", async (_feed, options) => {
  const rig = await openPaperRig(options);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.02", price: "59000" }));
  const [order] = await open(rig);
  await rig.clock.advance(5_000);
  refusedByRecord(rig);
  const told = async () => (await rig.answer(FIRST, { route: `GET /v1/orders/${order?.oid}` })).body;
  expect((await told())["status"]).not.toBe("rejected");
  rig.interfere = () => undefined;
  await rig.clock.advance(5_000);
  expect(await told()).toMatchObject({ status: "filled", filled_size: "0.02" });
});

test.each([
  { time_in_force: "alo", price: "60500" },
  { time_in_force: "ioc", price: "60000" },
])("one that was refused is told so by its record and the history ($time_in_force)", async (terms) => {
  const rig = await openPaperRig({});
  await rig.trade("sell", "1", "60010");
  rig.deliveries.push(DELIVERY.answerLost);
  const asked = { ...RESTS, side: "buy", ...terms };
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: asked, key: "it-is-refused" });
  expect(body).toMatchObject({ status: "rejected", filled_size: null });
});
