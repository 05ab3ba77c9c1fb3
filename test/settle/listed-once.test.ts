/** Lists of open orders that servers mix up: an order stands once in what a client is shown. */
import { expect, test } from "bun:test";
import { listOpenOrders } from "../../src/actions/open-orders.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

test.each([
  ["its own list and that of another dex", ["", "xyz"]],
  ["the list of another dex alone", ["xyz"]],
])("an order that stands in %s is listed once (seed 336)", async (_name, dexes) => {
  const rig = openGatewayRig();
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const listed = (recordOf(order) as { order: unknown }).order;
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dexes.includes(String(dex)) ? [listed] : []));
  const page = { reader: { reader: "a client" }, dex: null, below: null, count: 10 };
  const { orders } = await listOpenOrders(rig.deps, ACCOUNT, page);
  expect(orders.map(({ id }) => id)).toEqual([String(told["id"])]);
});
