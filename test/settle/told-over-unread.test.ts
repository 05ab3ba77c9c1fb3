/** What an order is told as whose end the feed has told, while no look at it can be had: for want of weight, say. */
import { expect, test } from "bun:test";
import type { OrderTerms } from "../../src/core/order.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const STOP = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;

/** An order that rests or waits, of which the feed tells a word, and nothing can be read. */
async function openStage(terms: Partial<OrderTerms>) {
  const rig = openGatewayRig();
  const { follower } = openFollowing(rig.deps, rig.deps.settling);
  const { order } = await rig.answerOf(rig.place("key-0001", terms));
  await rig.clock.advance(2_000);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  for (const type of ["orderStatus", "userFillsByTime"]) rig.venue.failing.add(type);
  /** @param words in one frame */
  const tell = (words: string | readonly string[], shown: object = {}) => {
    const record = recordOf(placed) as { order: object };
    const statuses = typeof words === "string" ? [words] : words;
    const terms = { ...record.order, ...shown };
    const data = statuses.map((status) => ({ ...record, status, statusTimestamp: rig.clock.nowMs(), order: terms }));
    const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data }));
    if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
    follower.onEvent(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
  };
  const shown = () => findOrder(rig.store, String(order["id"]));
  return { rig, placed, tell, shown };
}

const OVER = { status: "unknown", filledSize: null, error: expect.stringMatching(/^it is over at the exchange; /) };

test.each<[string, Partial<OrderTerms>, string | string[], object]>([
  ["a cancel of one that rests", {}, "canceled", OVER],
  ["a cancel of one that rests, and in the same frame an older word after it", {}, ["canceled", "open"], OVER],
  ["a cancel in the exchange's own words", {}, "marginCanceled", OVER],
  ["a cancel of one that waits", STOP, "canceled", OVER],
  ["the end of one that is said to be filled", {}, "filled", OVER],
  ["a word that is new is no end", {}, "swapCanceled", { status: "open", error: null }],
  ["one that fired goes on", STOP, "triggered", { status: "waiting_for_trigger", error: null }],
  [
    "a refusal of one whose trigger has fired waits for its record",
    STOP,
    "reduceOnlyRejected",
    { status: "waiting_for_trigger" },
  ],
  ["what rests is refused nothing any more", {}, "badAloPxRejected", { status: "open", error: null }],
])("%s", async (_name, terms, status, told) => {
  const { rig, tell, shown } = await openStage(terms);
  tell(status);
  await rig.clock.advance(500);
  // It has only just ended, and the next look may tell it whole.
  expect(shown()).toMatchObject({ status: "trigger" in terms ? "waiting_for_trigger" : "open" });
  await rig.clock.advance(2_000);
  expect(shown()).toMatchObject(told);
});

test("as soon as it can be read, its end is told with what was filled", async () => {
  const { rig, placed, tell, shown } = await openStage({});
  tell("canceled");
  await rig.clock.advance(2_500);
  expect(shown()).toMatchObject(OVER);
  Object.assign(placed, { status: "canceled", statusAtMs: rig.clock.nowMs() - 2_500 });
  rig.venue.failing.clear();
  await rig.clock.advance(10_000);
  expect(shown()).toMatchObject({ status: "canceled", filledSize: "0" });
});

test("what the feed tells under another native id ends nothing", async () => {
  const { rig, tell, shown } = await openStage({});
  tell("canceled", { oid: 999 });
  await rig.clock.advance(5_000);
  expect(shown()).toMatchObject({ status: "open", error: expect.stringContaining("ALARM") });
});

test("an order that ends without its feed saying so is told as it was", async () => {
  const { rig, placed, shown } = await openStage({});
  Object.assign(placed, { status: "canceled" });
  await rig.clock.advance(5_000);
  expect(shown()).toMatchObject({ status: "open", error: null });
});
