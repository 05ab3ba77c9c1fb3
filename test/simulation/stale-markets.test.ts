/** Cancels that find nothing because the list of markets is behind, as everything else is for a minute. */
import { expect, test } from "bun:test";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { answered, type BookOrder, recordOf } from "../support/small-venue.ts";

/** As of an order in a market that has moved in the list. */
function findsNothing(body: string): SendOutcome {
  const error = `Order was never placed, already canceled, or filled. asset=${JSON.parse(body).action.cancels[0].a}`;
  return answered({ status: "ok", response: { type: "cancel", data: { statuses: [{ error }] } } });
}

/** Shape of the small venue. */
function listedOf(order: BookOrder): object {
  return (recordOf(order) as { order: object }).order;
}

test("an order in a market that moved, of which no store has heard yet, is not told as canceled while it is open", async () => {
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const id = String(shown["id"]);
  // Records, lists and the list of markets are of before the placing, for two minutes.
  rig.venue.isBlind = true;
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.deliveries.push(...Array.from({ length: 40 }, () => findsNothing));
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  let refreshes = 0;
  const { markets } = rig.deps;
  Object.assign(markets, {
    refresh: async () => {
      // It could not be read: what was known goes on.
      refreshes += 1;
      return markets.current();
    },
  });
  const asked = await rig.answerOf(rig.cancel("key-0002", id));
  expect(asked).toMatchObject({ httpStatus: 202 });
  await rig.clock.advance(22_000);
  rig.deliveries.length = 0;
  rig.venue.isBlind = false;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) =>
    dex === "" && order.status === "open" ? [listedOf(order)] : [],
  );
  await rig.clock.advance(600_000);
  expect(refreshes).toBeGreaterThan(0);
  expect([findOrder(rig.store, id)?.status, order.status]).toEqual(["canceled", "canceled"]);
});
