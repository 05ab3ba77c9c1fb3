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

/** Its record says so, and it is filled whole before the next store is asked. */
function refusedByRecord(rig: PaperRig): void {
  let hasFilled = false;
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

test("one that was refused is told so by its record and the history", async () => {
  const rig = await openPaperRig({});
  await rig.trade("sell", "1", "60010");
  rig.deliveries.push(DELIVERY.answerLost);
  const crossing = { ...RESTS, side: "buy", price: "60500" };
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: crossing, key: "it-crosses" });
  expect(body).toMatchObject({ status: "rejected", filled_size: null });
});
