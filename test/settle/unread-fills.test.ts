/** An order that is over by its record, while its fills cannot be read. */
import { expect, test } from "bun:test";
import type { OrderStatus } from "../../src/core/order.ts";
import { listLegs } from "../../src/store/legs.ts";
import { findOrder } from "../../src/store/orders.ts";
import { DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";

test.each(["filled", "canceled"] as const)("one whose record says %s is not told as open any more", async (end) => {
  const rig = openGatewayRig();
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  const id = String(told["id"]);
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  expect(told["status"]).toBe("open");
  rig.venue.fill(order, end === "filled" ? order.size : "0.25");
  rig.venue.close(order, end);
  rig.venue.failing.add("userFillsByTime");
  await rig.clock.advance(2_000);
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", error: expect.any(String) });
  rig.venue.failing.delete("userFillsByTime");
  for (let nth = 0; nth < 4; nth += 1) {
    await rig.clock.advance(2_000);
    await rig.deps.settling.look(id);
  }
  expect(findOrder(rig.store, id)).toMatchObject({ status: end, filledSize: end === "filled" ? order.size : "0.25" });
});

/** The first that reads them counts as the first reading of its size, however many looks came before it. */
test.each([
  ["cannot be read", true, "unclear"],
  ["are read for the first time", false, "unfinished"],
])("of an order that is over and whose fills %s a look says so", async (_what, isFailing, result) => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-unread"));
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("bug: nothing was placed");
  rig.venue.close(placed, "selfTradeCanceled");
  await rig.clock.advance(5_000);
  if (isFailing) rig.venue.failing.add("userFillsByTime");
  const { id } = order as unknown as { id: string };
  expect(await rig.settler.look(id, "settle")).toBe(result as never);
});

/** The record is read once, and kept no longer: what it has shown may not be lost because its fills were not to be had. */
test.each<[string, string | null, OrderStatus]>([
  ["rests untouched", null, "open"],
  ["has begun to fill", "0.25", "unknown"],
])(
  "an order whose answer was lost, and that %s, is known from the look whose fills cannot be read",
  async (_what, filled, status) => {
    const rig = openGatewayRig();
    rig.venue.failing.add("userFillsByTime");
    rig.deliveries.push((body, venue) => {
      const lost = DELIVERY.answerLost(body, venue);
      const [order] = venue.orders;
      if (order !== undefined && filled !== null) venue.fill(order, filled);
      return lost;
    });
    const { order: told } = await rig.answerOf(rig.place("key-0001"));
    expect(findOrder(rig.store, String(told["id"]))?.status).toBe(status);
    // By its own id it is looked for where its record is gone, and nobody concludes that it was never there.
    expect(listLegs(rig.store, String(told["id"])).map(({ oid }) => oid)).toEqual([String(rig.venue.orders[0]?.oid)]);
  },
);

test("who reads an open order whose fills cannot be read is told no size as of now", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  rig.venue.failing.add("userFillsByTime");
  await rig.clock.advance(2_000);
  expect(await rig.settler.look(String(order["id"]), { reader: "a client" })).toBe("failed");
});
