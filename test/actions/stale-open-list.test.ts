/** A list of open orders that is behind does not take back what is known of an order. */
import { expect, test } from "bun:test";
import { listOrders } from "../../src/actions/list-orders.ts";
import { openShownAfterEnd } from "../../src/settle/cancel/shown-after-end.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { findLegByOid, updateLeg } from "../../src/store/legs.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

async function openList(
  rig: GatewayRig,
): Promise<{ exchange_order_id: string; status: string; error: string | null }[]> {
  const wanted = { status: "open", dex: null, cursor: null, limit: 1 };
  return JSON.parse((await listOrders(rig.deps, rig.caller, wanted)).body).data;
}

/** Two orders that the exchange's list shows whatever becomes of them. */
async function twoListed(): Promise<{ rig: GatewayRig; newer: string; older: string }> {
  const rig = openGatewayRig();
  for (const key of ["key-0001", "key-0002"]) await rig.answerOf(rig.place(key));
  const list = rig.venue.infos["frontendOpenOrders"]?.({ type: "frontendOpenOrders", dex: "" });
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? list : []));
  const [older = "", newer = ""] = rig.venue.orders.map(({ oid }) => String(oid));
  return { rig, newer, older };
}

function legOf(rig: GatewayRig, oid: string) {
  const leg = findLegByOid(rig.store, ACCOUNT.id, oid);
  if (leg === null) throw new Error("no leg");
  return leg;
}

test.each(["canceled", "filled", "closing"] as const)(
  "an order that is %s is left out, and the page is full",
  async (state) => {
    const { rig, newer, older } = await twoListed();
    expect((await openList(rig)).map((row) => row.exchange_order_id)).toEqual([newer]);
    const leg = legOf(rig, newer);
    const order = findOrder(rig.store, leg.orderId);
    if (order === null) throw new Error("no order");
    updateLeg(rig.store, { ...leg, state });
    updateOrder(rig.store, { ...order, status: state === "closing" ? "unknown" : state });
    expect((await openList(rig)).map((row) => row.exchange_order_id)).toEqual([older]);
  },
);

test("an order that newer lists show open after its end is among the open ones, with the alarm", async () => {
  const { rig, newer } = await twoListed();
  const leg = legOf(rig, newer);
  recordLegEvent(rig.store, leg.cloid, { type: "canceled", oid: newer, reason: null, filled: null }, START_MS);
  const orders =
    parseFrontendOpenOrders(rig.venue.infos["frontendOpenOrders"]?.({ type: "frontendOpenOrders", dex: "" })) ?? [];
  const ended = openShownAfterEnd(rig.deps);
  for (const waitMs of [0, 160_000]) {
    await rig.clock.advance(waitMs);
    ended.heedRead(ACCOUNT, orders, rig.clock.elapsedMs());
  }
  expect(findOrder(rig.store, leg.orderId)).toMatchObject({
    status: "canceled",
    error: expect.stringContaining("ALARM"),
  });
  expect(await openList(rig)).toMatchObject([
    { exchange_order_id: newer, status: "open", error: expect.stringContaining("ALARM") },
  ]);
  const repeated = await rig.answerOf(rig.place("key-0002"));
  expect(repeated).toMatchObject({
    isReplay: true,
    order: { status: "canceled", error: expect.stringContaining("ALARM") },
  });
  expect(rig.exchange.sent).toHaveLength(2);
});

test("an order that was replaced is left out under the id that it had", async () => {
  const { rig, newer } = await twoListed();
  const order = findOrder(rig.store, legOf(rig, newer).orderId);
  if (order === null) throw new Error("no order");
  updateOrder(rig.store, { ...order, exchangeOrderId: "99999" });
  expect((await openList(rig)).map((row) => row.exchange_order_id)).toEqual(["99999"]);
});

test("an alarm is shown, and a trigger that has fired does not wait again", async () => {
  const { rig, newer } = await twoListed();
  const order = findOrder(rig.store, legOf(rig, newer).orderId);
  if (order === null) throw new Error("no order");
  updateOrder(rig.store, { ...order, error: "ALARM: another market" });
  expect(await openList(rig)).toMatchObject([{ status: "open", error: "ALARM: another market" }]);
});

test("an order that was canceled by its client order id, and never named, is left out", async () => {
  const { rig, newer, older } = await twoListed();
  const leg = legOf(rig, newer);
  const order = findOrder(rig.store, leg.orderId);
  if (order === null) throw new Error("no order");
  updateLeg(rig.store, { ...leg, oid: null, state: "closing" });
  updateOrder(rig.store, { ...order, exchangeOrderId: null, status: "unknown" });
  expect((await openList(rig)).map((row) => row.exchange_order_id)).toEqual([older]);
});
