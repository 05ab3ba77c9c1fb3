/** Answers that do not fit what was asked: none of them is believed, and what became of the order is looked up. */
import { expect, test } from "bun:test";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import { decimal } from "../../src/core/decimal.ts";
import { filledAt } from "../../src/core/order.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFills } from "../../src/wire/answer/fills.ts";
import { parseOrderStatus } from "../../src/wire/answer/order-status.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, type Delivery, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { legRow } from "../support/rows.ts";
import { answered, fillsOf, recordOf } from "../support/small-venue.ts";

type Resting = { resting: { oid: number; cloid: string } };

/** The exchange takes the order, and answers something else. */
function answeredBy(statuses: (own: Resting) => unknown[]): Delivery {
  return (body, venue) => {
    venue.take(body);
    const { oid, cloid } = venue.orders.at(-1) ?? fail();
    return answered({
      status: "ok",
      response: { type: "order", data: { statuses: statuses({ resting: { oid, cloid } }) } },
    });
  };
}

function fail(): never {
  throw new Error("nothing placed");
}

const REFUSAL = { error: "Insufficient margin to place order. asset=0" };

test.each<[string, Delivery]>([
  ["a refusal and that it rests", answeredBy((own) => [REFUSAL, own])],
  ["that it rests, and a refusal", answeredBy((own) => [own, REFUSAL])],
  ["that it rests twice", answeredBy((own) => [{ resting: { ...own.resting, oid: 7 } }, own])],
  ["the id 0, which no order has,", answeredBy((own) => [{ resting: { ...own.resting, oid: 0 } }])],
  ["nothing", answeredBy(() => [])],
  ["that it rests under the native id 0", answeredBy((own) => [{ resting: { ...own.resting, oid: 0 } }])],
  [
    "that it was filled under the native id 0",
    answeredBy((own) => [{ filled: { ...own.resting, oid: 0, totalSz: "1", avgPx: "100" } }]),
  ],
  ["that it waits for the mark, which it has no trigger for", answeredBy(() => ["waitingForTrigger"])],
  ["that it waits for a fill, behind which it was not sent", answeredBy(() => ["waitingForFill"])],
])("an answer of %s to one order says nothing: its record does", async (_name, delivery) => {
  const rig = openGatewayRig();
  rig.deliveries.push(delivery);
  const { order } = await rig.answerOf(rig.place("key-0001"));
  expect([order["status"], order["exchange_order_id"]]).toEqual(["open", String(rig.venue.orders[0]?.oid)]);
});

test("an answer that names another order of ours is not believed, however alike the two are", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [first] = rig.venue.orders;
  tell(rig);
  rig.deliveries.push(answeredBy((own) => [{ resting: { ...own.resting, oid: first?.oid } }]));
  const { order } = await rig.answerOf(rig.place("key-0002"));
  expect(order["exchange_order_id"]).not.toBe(String(first?.oid));
  await rig.clock.advance(10_000);
  const again = await rig.answerOf(rig.place("key-0002"));
  expect([again.order["status"], again.order["exchange_order_id"]]).toEqual(["open", String(rig.venue.orders[1]?.oid)]);
});

test.each([
  ["open", "open"],
  ["canceled", "canceled"],
])("an order that was answered under a number that nobody has is found by its own id: %s", async (status, told) => {
  const rig = openGatewayRig();
  rig.deliveries.push(answeredBy((own) => [{ resting: { ...own.resting, oid: 7_777_777 } }]));
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  placed.status = status;
  placed.statusAtMs = rig.clock.nowMs();
  rig.venue.history = [recordOf(placed)];
  for (let nth = 0; nth < 4; nth += 1) {
    await rig.clock.advance(61_000);
    await rig.deps.settling.look(id, "settle");
  }
  expect(findOrder(rig.store, id)).toMatchObject({
    status: told,
    exchangeOrderId: String(placed.oid),
    filledSize: "0",
  });
});

function tell({ deps, venue }: GatewayRig): void {
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: venue.orders.map(recordOf) }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
}

test("a modify that is answered under the native id of what it replaces is looked up", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  rig.deliveries.push((body, venue) => {
    const cloid = JSON.parse(body).action.modifies[0].order.c;
    const resting = { oid: venue.orders[0]?.oid, cloid };
    return answered({ status: "ok", response: { type: "order", data: { statuses: [{ resting }] } } });
  });
  const id = String(order["id"]);
  const wanted = { idempotencyKey: "key-0002", fingerprint: "f", id, price: "99", size: null, trigger: null };
  const modified = await rig.answerOf(modifyOrder(rig.deps, rig.caller, { ...wanted, alwaysPlace: false }));
  // An empty action took its number: it had never arrived.
  expect([modified.order["status"], modified.order["price"]]).toEqual(["open", "100"]);
});

test("fills of more than an order asks for are not its own", () => {
  const leg = legRow({ state: "resting", oid: "77", size: decimal("1") });
  for (const size of ["1.00000001", "5"]) {
    const filled = filledAt(decimal(size), decimal("100"));
    expect(advanceLeg(leg, { type: "fills_seen", filled })).toBeNull();
    expect(advanceLeg(leg, { type: "filled", oid: "77", filled })).toBeNull();
    expect(advanceLeg(leg, { type: "canceled", oid: "77", reason: null, filled })).toBeNull();
  }
});

test("a fill of less than nothing, and times in another unit than milliseconds, cannot be read", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "0.5", status: "open" });
  await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  const [row] = order === undefined ? [] : (fillsOf(order) as { time: number }[]);
  if (order === undefined || row === undefined) throw new Error("nothing filled");
  expect(parseFills([row])).toHaveLength(1);
  const wrong = [{ sz: "-0.5" }, { time: Math.floor(row.time / 1_000) }, { time: row.time * 1_000 }];
  for (const some of wrong) expect(parseFills([{ ...row, ...some }])).toBeNull();
  const record = recordOf(order) as { order: { timestamp: number }; statusTimestamp: number };
  const inSeconds = { ...record, statusTimestamp: Math.floor(record.statusTimestamp / 1_000) };
  const placedInSeconds = {
    ...record,
    order: { ...record.order, timestamp: Math.floor(record.order.timestamp / 1_000) },
  };
  expect(parseOrderStatus({ status: "order", order: record }).kind).toBe("order");
  for (const shown of [inSeconds, placedInSeconds])
    expect(parseOrderStatus({ status: "order", order: shown }).kind).toBe("unreadable");
});
