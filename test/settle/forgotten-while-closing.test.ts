/**
 * An order that is over, of which the exchange keeps no record any more before all that was filled of it is known, while the answer to its placing
 * is still looked for: its fills alone never say that they are all.
 */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, DELIVERY, openGatewayRig } from "../support/gateway-rig.ts";
import { fillRow } from "../support/rows.ts";
import { fillsOf } from "../support/small-venue.ts";

/** An ioc of which 0.4 was filled, whose answer was lost; no position can be read until its record is forgotten. */
async function forgottenPart(shown: { position: boolean }) {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.answerLost);
  rig.venue.fates.push({ kind: "fills", size: "0.4", status: "filled" });
  rig.venue.failing.add("clearinghouseState");
  const { order } = await rig.answerOf(rig.place("key-0001", { timeInForce: "ioc" }));
  const id = String(order["id"]);
  await rig.clock.advance(20_000);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", filledSize: "0.4" });
  const fills = fillsOf(placed);
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.exchange.answer("historicalOrders", () => []);
  rig.exchange.answer("userFillsByTime", () => fills);
  const [timeMs, oid] = [placed.placedAtMs, String(placed.oid)];
  const kept = fillRow({ accountId: ACCOUNT.id, timeMs, id: "1", oid, size: decimal("0.4"), price: decimal("100") });
  insertFills(rig.store, [kept], { atMs: rig.clock.nowMs(), toldFromMs: Number.POSITIVE_INFINITY });
  setFillCursor(rig.store, ACCOUNT.id, timeMs);
  if (shown.position) rig.venue.failing.delete("clearinghouseState");
  await rig.clock.advance(120_000);
  return findOrder(rig.store, id);
}

test("two positions that stand where its fills have left them tell that they are all", async () => {
  expect(await forgottenPart({ position: true })).toMatchObject({ status: "canceled", filledSize: "0.4" });
});

test("while none can be read it is not told how much was filled", async () => {
  expect(await forgottenPart({ position: false })).toMatchObject({ status: "unknown" });
});
