/** Batches that are lost, doubled and cut at every step: of each order at most one, and of each the truth. */

import { expect, test } from "bun:test";
import { placeBatch } from "../../src/actions/place-batch.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import type { Point } from "../../src/core/points.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { listBatch } from "../../src/store/batches.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { ACCOUNT, DELIVERY, type Delivery, delayed, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import type { Fate, SmallVenue } from "../support/small-venue.ts";

const KEY = "batch-key-1";
/** Each order has a price of its own, by which it is known at the exchange. */
const PRICES = ["100", "101", "102"] as const;
const REFUSED: Fate = { kind: "refused", text: "Insufficient margin to place order. asset=0" };
const FILLED: Fate = { kind: "fills", size: "1", status: "filled" };

/** The request arrives twice, and the answer is the second one's. */
function doubled(body: string, venue: SmallVenue): SendOutcome {
  venue.take(body);
  return venue.take(body);
}

function ask(rig: GatewayRig): Promise<WriteAnswer> {
  const orders = PRICES.map(
    (price): OrderTerms => ({
      market: "BTC",
      side: "buy",
      size: "1",
      price,
      timeInForce: "gtc",
      reduceOnly: false,
      trigger: null,
    }),
  );
  const wanted = { accountId: ACCOUNT.id, orders, idempotencyKey: KEY, fingerprint: "f" };
  return placeBatch(rig.deps, rig.caller, wanted);
}

type Told = { status: string; exchange_order_id: string | null; price: string };

function ordersIn(body: string): Told[] {
  return (JSON.parse(body) as { orders: Told[] }).orders;
}

/** What the exchange has of each order; `rejected` where it has nothing. */
function truthOf({ venue }: GatewayRig): string[] {
  return PRICES.map((price) => venue.orders.find((order) => order.price === price)?.status ?? "rejected");
}

const DELIVERIES: [string, Delivery][] = [
  ["answered", DELIVERY.normal],
  ["answered late", delayed(0, 9_000)],
  ["whose answer is lost", DELIVERY.answerLost],
  ["that never arrived", DELIVERY.neverArrived],
  ["that is answered by a page of a proxy", DELIVERY.badGateway],
  ["that arrived twice", doubled],
  ["told to slow down", DELIVERY.tooFast],
  ["of which no byte left", DELIVERY.notSent],
];

const FATES: [string, Fate[]][] = [
  ["rest, fill and are refused", [{ kind: "rests" }, FILLED, REFUSED]],
  ["are refused, but for the last", [REFUSED, REFUSED, { kind: "rests" }]],
];

/** Where a process dies, by what becomes of its request. */
const KILLS: [Delivery, Point[]][] = [
  [DELIVERY.normal, ["before_intent", "after_intent", "before_send", "after_answer", "before_outcome", "before_reply"]],
  [DELIVERY.answerLost, ["settle_before_look", "settle_before_conclude"]],
  [DELIVERY.neverArrived, ["settle_before_noop", "settle_before_conclude"]],
];

type Case = { delivery: Delivery; fates: Fate[]; kill: Point | null };

const CASES = [
  ...DELIVERIES.flatMap(([how, delivery]) =>
    FATES.map(([what, fates]): [string, Case] => [`${how}, whose orders ${what}`, { delivery, fates, kill: null }]),
  ),
  ...KILLS.flatMap(([delivery, points]) =>
    points.map((kill): [string, Case] => {
      const how = DELIVERIES.find(([, each]) => each === delivery)?.[0];
      return [`${how}, with a death at ${kill}`, { delivery, fates: FATES[0]?.[1] ?? [], kill }];
    }),
  ),
];

/** Repeats until the outcome of each is known. */
async function untilKnown(rig: GatewayRig): Promise<{ httpStatus: number; body: string }> {
  for (let nth = 0; nth < 12; nth += 1) {
    const answer = await rig.answerOf(ask(rig));
    if (answer.httpStatus === 201) return answer;
    await rig.clock.advance(1_000);
  }
  return rig.answerOf(ask(rig));
}

test.each(CASES)(
  "of a batch %s, each order is placed once at most, and told as it is",
  async (_how, { delivery, fates, kill }) => {
    const first = openGatewayRig();
    first.venue.fates.push(...fates);
    first.deliveries.push(delivery);
    if (kill !== null) first.stopAt.add(kill);
    const asked = ask(first).catch(() => null);
    for (let spentMs = 0; spentMs < 10_000; spentMs += 2_000) await first.clock.advance(2_000);
    const rig = kill === null ? first : await first.restart();
    if (kill !== null) await rig.settler.takeUp();
    else await asked;
    // What never arrived may be asked for again, and is another's turn then.
    if (first.venue.orders.length === 0) first.venue.fates = [...fates];
    const known = await untilKnown(rig);
    expect(known.httpStatus).toBe(201);
    for (const price of PRICES)
      expect(rig.venue.orders.filter((order) => order.price === price).length).toBeLessThan(2);
    expect(ordersIn(known.body).map(({ status }) => status)).toEqual(truthOf(rig));
    const again = await rig.answerOf(ask(rig));
    expect([again.httpStatus, again.isReplay, again.body]).toEqual([201, true, known.body]);
  },
);

test("a batch is one number, and one slot among what is under way; what is learned of it is written to all", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(DELIVERY.neverArrived);
  const known = await untilKnown(rig);
  expect(ordersIn(known.body).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  const batchId = findKeyRecord(rig.store, ACCOUNT.id, KEY)?.resource.id ?? "";
  const attempts = listBatch(rig.store, batchId).flatMap(({ id }) => listAttemptsOf(rig.store, id));
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1);
  expect(attempts.map(({ seal, noops }) => [seal, noops])).toEqual(PRICES.map(() => ["noop", 1]));
  expect(rig.exchange.sent.filter(({ body }) => body.includes('"noop"'))).toHaveLength(1);
});

test("it counts as many actions of the account as it has orders, and its empty action as one", async () => {
  const rig = openGatewayRig();
  const spent: (number | undefined)[] = [];
  rig.deps.allowance.spend = (_address, _purpose, count) => void spent.push(count);
  rig.deliveries.push(DELIVERY.neverArrived);
  await untilKnown(rig);
  expect(spent).toEqual([3, 1]);
});

test("a cancel of one order, while the answer to the batch is still to come, leaves the others as they are", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(1_000, 1_000));
  const asked = ask(rig);
  await rig.clock.advance(100);
  const batchId = findKeyRecord(rig.store, ACCOUNT.id, KEY)?.resource.id ?? "";
  const canceled = rig.cancel("cancel-key-1", listBatch(rig.store, batchId)[1]?.id ?? "");
  const known = await rig.answerOf(asked);
  await rig.answerOf(canceled);
  await rig.clock.advance(10_000);
  expect(known.httpStatus).toBe(201);
  expect(truthOf(rig)).toEqual(["open", "canceled", "open"]);
  expect(rig.exchange.sent.some(({ body }) => body.includes('"noop"'))).toBe(false);
});
