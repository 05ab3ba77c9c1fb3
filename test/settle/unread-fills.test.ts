/** An order that is over by its record, while its fills cannot be read. */
import { expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";

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
