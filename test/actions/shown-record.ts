import { type GatewayRig, START_MS } from "../support/gateway-rig.ts";

/**
 * What the exchange says of one order from now on, by its record. One that is over is in no list of open orders, and the history has its end.
 *
 * @param isListed the list of open orders stays as it is, whatever the record says
 */
export function showRecord(rig: GatewayRig, order: { oid: number }, status: string, isListed: boolean): void {
  const record = { order, status, statusTimestamp: START_MS };
  rig.exchange.answer("orderStatus", ({ oid }) =>
    String(oid) === String(order.oid) ? { status: "order", order: record } : { status: "unknownOid" },
  );
  if (isListed) return;
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.exchange.answer("historicalOrders", () => [record]);
}
