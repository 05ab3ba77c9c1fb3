/** A trigger that fires may go on under a native id of its own: it is followed there, with its fills. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findLegByOid, listLegs } from "../../src/store/legs.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";

const NEW_OID = 7_777;

/** A stop that has fired: its own record says so, and what it placed has its client order id. */
async function fired(some: Partial<BookOrder> = {}): Promise<{ rig: GatewayRig; id: string; placed: BookOrder }> {
  const rig = openGatewayRig();
  const trigger = { price: "90.0", kind: "stop_loss" as const, market: false };
  const { order } = await rig.answerOf(rig.place("key-0001", { side: "sell", price: "89.0", trigger }));
  const [waiting] = rig.venue.orders;
  if (waiting === undefined) throw new Error("nothing placed");
  const placed: BookOrder = { ...waiting, oid: NEW_OID, isTrigger: false, fills: [], ...some };
  const gone = { ...waiting, status: "triggered" };
  rig.venue.orders.splice(0, 1, placed);
  const { orderStatus } = rig.venue.infos;
  rig.exchange.answer("orderStatus", (request) =>
    String(request["oid"]) === String(waiting.oid)
      ? { status: "order", order: recordOf(gone) }
      : orderStatus?.(request),
  );
  await rig.clock.advance(5_000);
  return { rig, id: String(order["id"]), placed };
}

test("it rests, fills and ends under its new id", async () => {
  const { rig, id, placed } = await fired();
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open", exchangeOrderId: String(NEW_OID), error: null });
  expect(findLegByOid(rig.store, ACCOUNT.id, String(NEW_OID))?.orderId).toBe(id);
  rig.venue.fill(placed, "1.0");
  rig.venue.close(placed, "filled");
  await rig.clock.advance(5_000);
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "filled", filledSize: "1" });
});

test.each<[string, Partial<BookOrder>]>([
  ["another side", { isBuy: true }],
  ["another size", { size: "2.0" }],
  ["another price", { price: "95.0" }],
])("something else under its client order id, of %s, is not what it placed", async (_name, some) => {
  const { rig, id } = await fired(some);
  await rig.deps.settling.look(id);
  const order = findOrder(rig.store, id);
  expect(order).toMatchObject({ status: "waiting_for_trigger", filledSize: "0" });
  expect(order?.exchangeOrderId).not.toBe(String(NEW_OID));
});

test("of one that was filled in part under its own id an equal order under its client order id is another's", async () => {
  const { rig, id } = await fired();
  const [leg] = listLegs(rig.store, id);
  const filled = { size: decimal("0.4"), notional: decimal("36") };
  inTransaction(rig.store, () =>
    recordLegEvent(rig.store, leg?.cloid ?? "", { type: "fills_seen", filled }, rig.clock.nowMs()),
  );
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)).toMatchObject({ filledSize: "0.4", exchangeOrderId: leg?.oid });
});

test("one that has fired and may rest under its own id is told of by no list that could not be read", async () => {
  const rig = openGatewayRig();
  const trigger = { price: "90.0", kind: "stop_loss" as const, market: false };
  const { order } = await rig.answerOf(rig.place("key-0001", { side: "sell", price: "89.0", trigger }));
  const id = String(order["id"]);
  const [waiting] = rig.venue.orders;
  if (waiting === undefined) throw new Error("nothing placed");
  const { order: shown } = recordOf(waiting) as { order: object };
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: recordOf({ ...waiting, status: "triggered" }) }));
  rig.exchange.answer("frontendOpenOrders", () => null);
  expect(await rig.deps.settling.look(id)).toBe("failed");
  rig.exchange.answer("frontendOpenOrders", () => [shown]);
  await rig.clock.advance(5_000);
  expect(await rig.deps.settling.look(id)).toBe("open");
  expect(findOrder(rig.store, id)).toMatchObject({ status: "open" });
});
