/** Native ids have 64 bits: one that a JavaScript number would round is asked for, shown and canceled as it is. */
import { expect, test } from "bun:test";
import { getOrder } from "../../src/actions/get-order.ts";
import { listOrders } from "../../src/actions/list-orders.ts";
import { type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const OID = 9007199254740993n;

/** An exchange with one order of that id, placed elsewhere. */
async function openWithOne(): Promise<GatewayRig> {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("the order is not there");
  const record = recordOf({ ...order, cloid: `0x${"ab".repeat(16)}` }) as { order: object };
  const shown = { ...record, order: { ...record.order, oid: OID } };
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [shown.order] : []));
  rig.exchange.answer("orderStatus", ({ oid }) =>
    oid === OID ? { status: "order", order: shown } : { status: "unknownOid" },
  );
  return rig;
}

test("an order placed elsewhere is listed, found by either id and canceled", async () => {
  const rig = await openWithOne();
  const wanted = { status: "open", dex: null, cursor: null, limit: 50 };
  const list = JSON.parse((await listOrders(rig.deps, rig.caller, wanted)).body) as {
    data: { id: string; exchange_order_id: string }[];
  };
  // And our own, of which this list says nothing.
  expect(list.data.map((order) => order.exchange_order_id)).toEqual(["9007199254740993", "1001"]);
  const id = list.data[0]?.id ?? "";
  for (const asked of [id, "9007199254740993"]) {
    expect(JSON.parse((await getOrder(rig.deps, rig.caller, asked)).body)).toMatchObject({ id });
  }
  const sent = rig.exchange.sent.length;
  rig.cancel("key-0002", id).catch(() => undefined);
  await rig.clock.advance(100);
  expect(rig.exchange.sent[sent]?.body).toContain('"cancels":[{"a":0,"o":9007199254740993}]');
});

test.each([
  ["9007199254740992", 1],
  ["9007199254740994", 1],
  ["18446744073709551615", 1],
  // No id has more than 64 bits: nobody is asked.
  ["18446744073709551616", 0],
  ["99999999999999999999", 0],
])("%s, which is another, is not found after %d questions", async (id, questions) => {
  const rig = await openWithOne();
  const asked = rig.exchange.asked.length;
  await expect(getOrder(rig.deps, rig.caller, id)).rejects.toMatchObject({ code: "order_not_found" });
  expect(rig.exchange.asked.length - asked).toBe(questions);
});
