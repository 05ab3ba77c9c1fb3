/** Markets that change places in the exchange's list: an order that rests can still be canceled. */
import { expect, test } from "bun:test";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";
import { answered, type SmallVenue } from "../support/small-venue.ts";

const MOVED_TO = 3;

/** Finds orders only under the number that the market has now. */
function underItsNewNumber(body: string, venue: SmallVenue): SendOutcome {
  const { action } = JSON.parse(body);
  if (action.type !== "cancel" || action.cancels[0].a === MOVED_TO) return venue.take(body);
  const error = `Order was never placed, already canceled, or filled. asset=${action.cancels[0].a}`;
  return answered({ status: "ok", response: { type: "cancel", data: { statuses: [{ error }] } } });
}

test("a cancel that finds nothing of an order that is shown open has the list read again, and goes by it", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const [btc] = rig.deps.markets.current()?.byName.values() ?? [];
  if (btc === undefined) throw new Error("no market");
  const moved: Market = { ...btc, assetId: MOVED_TO };
  const doubts: string[] = [];
  let universe = buildUniverse([btc], 0);
  Object.assign(rig.deps.markets, {
    current: () => universe,
    doubt: (market: string) => doubts.push(market),
    refresh: async () => {
      if (doubts.length > 0) universe = buildUniverse([moved], 0);
      return universe;
    },
  });
  rig.deliveries.push(...Array.from({ length: 20 }, () => underItsNewNumber));
  const canceled = await rig.answerOf(rig.cancel("key-0002", String(placed.order["id"])));
  expect([canceled.httpStatus, canceled.order["status"], rig.venue.orders[0]?.status]).toEqual([
    200,
    "canceled",
    "canceled",
  ]);
  expect(doubts).toEqual(["BTC"]);
});

test("a market that is doubted although its list has moved already is tried under both numbers", async () => {
  const rig = openGatewayRig();
  const placed = await rig.answerOf(rig.place("key-0001"));
  const [btc] = rig.deps.markets.current()?.byName.values() ?? [];
  if (btc === undefined) throw new Error("no market");
  const universe = buildUniverse([{ ...btc, assetId: MOVED_TO }], 0);
  Object.assign(rig.deps.markets, {
    current: () => universe,
    doubt: () => undefined,
    doubtOf: () => "an open order that a cancel does not find there",
    refresh: async () => universe,
  });
  rig.deliveries.push(...Array.from({ length: 20 }, () => underItsNewNumber));
  const canceled = await rig.answerOf(rig.cancel("key-0002", String(placed.order["id"])));
  expect([canceled.httpStatus, canceled.order["status"], rig.venue.orders[0]?.status]).toEqual([
    200,
    "canceled",
    "canceled",
  ]);
  const numbers = rig.exchange.sent.map(({ body }) => JSON.parse(body).action.cancels?.[0].a ?? null);
  expect(numbers.filter((each) => each !== null)).toEqual([btc.assetId, MOVED_TO]);
});
