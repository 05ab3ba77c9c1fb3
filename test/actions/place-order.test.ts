import { expect, test } from "bun:test";
import { ApiError, type ErrorCode } from "../../src/core/errors.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import { revokeApiKey } from "../../src/store/api-keys.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { listOrders } from "../../src/store/orders.ts";
import {
  ACCOUNT,
  DELIVERY,
  type Delivery,
  delayed,
  type GatewayRig,
  openGatewayRig,
  wanted,
} from "../support/gateway-rig.ts";
import type { Fate } from "../support/small-venue.ts";
import { writeBehind } from "../support/write-behind.ts";

function storedOrders({ store }: GatewayRig): ReturnType<typeof listOrders> {
  return listOrders(store, { accountId: ACCOUNT.id, status: null, dex: null, after: null, limit: 100 });
}

async function refusalOf(asked: Promise<unknown>): Promise<ErrorCode> {
  const error: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error.code;
  throw new Error(`no refusal: ${String(error)}`);
}

type Case = {
  name: string;
  fate?: Fate;
  delivery?: Delivery;
  some?: Partial<OrderTerms>;
  httpStatus: 201 | 202;
  order: Record<string, unknown>;
};

/** What the exchange says at once, and what the client is told. */
const AT_ONCE: Case[] = [
  {
    name: "rests",
    httpStatus: 201,
    order: { status: "open", filled_size: "0", average_price: null, error: null, exchange_order_id: "1001" },
  },
  {
    name: "is filled whole",
    fate: { kind: "fills", size: "1.0", status: "filled" },
    httpStatus: 201,
    order: { status: "filled", filled_size: "1", average_price: "100", error: null },
  },
  {
    name: "is an ioc and filled in part",
    fate: { kind: "fills", size: "0.25", status: "filled" },
    some: { timeInForce: "ioc" },
    httpStatus: 201,
    order: {
      status: "canceled",
      filled_size: "0.25",
      error: "0.25 of 1 was filled; the rest was canceled: nothing more could be matched at once within the price.",
    },
  },
  {
    name: "is a gtc and filled in part: the rest is looked for, and rests",
    fate: { kind: "fills", size: "0.25", status: "open" },
    httpStatus: 201,
    order: { status: "open", filled_size: "0.25", average_price: "100", error: null },
  },
  {
    name: "is refused with a known text",
    fate: { kind: "refused", text: "Insufficient margin to place order. asset=0" },
    httpStatus: 201,
    order: {
      status: "rejected",
      filled_size: null,
      exchange_order_id: null,
      error:
        "There is not enough free margin: add collateral, or lower the size or raise the leverage. " +
        'The exchange says: "Insufficient margin to place order. asset=0"',
    },
  },
  {
    name: "is a trigger",
    fate: { kind: "answers", json: "waitingForTrigger" },
    some: { trigger: { price: "90", kind: "stop_loss", market: true } },
    httpStatus: 201,
    order: { status: "waiting_for_trigger", filled_size: "0", exchange_order_id: null },
  },
];

test.each(AT_ONCE)("an order that $name", async ({ fate, some, httpStatus, order }) => {
  const rig = openGatewayRig();
  if (fate !== undefined) rig.venue.fates.push(fate);
  const answer = await rig.answerOf(rig.place("key-0001", some));
  expect(answer.httpStatus).toBe(httpStatus);
  expect(answer.order).toMatchObject(order);
  expect(answer.isReplay).toBe(false);
  expect(rig.exchange.sent).toHaveLength(1);
  expect(listOpenAttempts(rig.store)).toEqual([]);
});

/** An answer that was lost, and what is found out without sending the order again. */
const LOST: Case[] = [
  {
    name: "lost after it rested",
    delivery: DELIVERY.answerLost,
    httpStatus: 201,
    order: { status: "open", exchange_order_id: "1001" },
  },
  {
    name: "lost after it was filled",
    delivery: DELIVERY.answerLost,
    fate: { kind: "fills", size: "1.0", status: "filled" },
    httpStatus: 201,
    order: { status: "filled", filled_size: "1" },
  },
  {
    name: "a bad gateway's page, and the order rests",
    delivery: DELIVERY.badGateway,
    httpStatus: 201,
    order: { status: "open", error: null },
  },
  {
    name: "about another client order id",
    fate: { kind: "answers", json: { resting: { oid: 9, cloid: `0x${"ee".repeat(16)}` } } },
    httpStatus: 202,
    order: { status: "unknown", exchange_order_id: null },
  },
  {
    name: "lost, and the order never arrived",
    delivery: DELIVERY.neverArrived,
    httpStatus: 201,
    order: {
      status: "rejected",
      filled_size: null,
      error: "The order was never executed and no longer can be: an empty action has taken its number.",
    },
  },
  { name: "that we are too fast", delivery: DELIVERY.tooFast, httpStatus: 201, order: { status: "rejected" } },
  {
    name: "an error text that is not listed",
    fate: { kind: "refused", text: "Something quite new <b>happened</b>" },
    httpStatus: 201,
    order: {
      status: "rejected",
      error:
        "The exchange refused it, in words that are new to this gateway. The exchange had answered: Something quite new <b>happened</b>",
    },
  },
];

test.each(LOST)("an answer that is $name", async ({ fate, delivery, httpStatus, order }) => {
  const rig = openGatewayRig();
  if (fate !== undefined) rig.venue.fates.push(fate);
  if (delivery !== undefined) rig.deliveries.push(delivery);
  const answer = await rig.answerOf(rig.place("key-0001"));
  expect(answer.httpStatus).toBe(httpStatus);
  expect(answer.order).toMatchObject(order);
  const orders = rig.exchange.sent.filter(({ body }) => body.includes('"type":"order"'));
  expect(orders).toHaveLength(1);
});

test("a key that is revoked between the door and the intent stores and sends nothing", async () => {
  const rig = openGatewayRig();
  const asked = rig.place("key-0001");
  revokeApiKey(rig.store, { accountId: ACCOUNT.id, keyHash: rig.caller.key.keyHash, revokedAtMs: 1 });
  expect(await refusalOf(rig.answerOf(asked))).toBe("revoked_api_key");
  expect(rig.exchange.sent).toEqual([]);
  expect(storedOrders(rig)).toEqual([]);
});

test("an intent that the disk refuses is told as such and nothing is sent", async () => {
  const rig = openGatewayRig();
  rig.store.$client.run("PRAGMA query_only = ON");
  expect(await refusalOf(rig.answerOf(rig.place("key-0001")))).toBe("storage_unavailable");
  rig.store.$client.run("PRAGMA query_only = OFF");
  expect(rig.exchange.sent).toEqual([]);
  expect((await rig.answerOf(rig.place("key-0001"))).isReplay).toBe(false);
});

test("an outcome that cannot be written is 202, and is found out when the disk takes writes again", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push((body, venue) => {
    rig.store.$client.run("PRAGMA query_only = ON");
    return venue.take(body);
  });
  const answer = await rig.answerOf(rig.place("key-0001"));
  expect([answer.httpStatus, answer.order["status"]]).toEqual([202, "unknown"]);
  rig.store.$client.run("PRAGMA query_only = OFF");
  await rig.clock.advance(10_000);
  const later = await rig.answerOf(rig.place("key-0001"));
  expect(later).toMatchObject({ httpStatus: 201, isReplay: true });
  expect(later.order).toMatchObject({ status: "open", id: answer.order["id"] });
  expect(rig.exchange.sent).toHaveLength(1);
});

test("a way out that throws is a lost answer", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push((body, venue) => {
    venue.take(body);
    throw new Error("a bug on the way out");
  });
  const answer = await rig.answerOf(rig.place("key-0001"));
  expect(answer).toMatchObject({ httpStatus: 201, order: { status: "open" } });
});

test("an answer comes at the latest eight seconds after the request, however long the exchange takes", async () => {
  const rig = openGatewayRig();
  rig.deliveries.push(delayed(20_000, 0));
  const startMs = rig.clock.elapsedMs();
  const answer = await rig.answerOf(rig.place("key-0001"));
  expect(answer.httpStatus).toBe(202);
  expect(rig.clock.elapsedMs() - startMs).toBeLessThanOrEqual(8_100);
});

test("a disk that ate half of the action's life gives the intent back instead of sending it late", async () => {
  const rig = openGatewayRig();
  const asked = rig.place("key-0001");
  const { point } = rig.deps;
  rig.deps.point = async (name) => {
    if (name === "after_intent") await rig.clock.sleep(6_500);
    await point(name);
  };
  const refused = await rig.answerOf(asked).then(
    () => null,
    (error: unknown) => error,
  );
  // The machine was slow, and may be quicker next time: when is told.
  expect(refused).toMatchObject({ code: "internal_error", retryAfterS: 1 });
  expect(rig.exchange.sent).toEqual([]);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "key-0001")).toBeNull();
});

const RULES: [Partial<OrderTerms>, string][] = [
  [{ size: "0.000001" }, "size 0.000001 has more decimals than BTC allows (5). Nearest valid: 0.00001."],
  [{ price: "100.123456" }, "price 100.123456 is not a valid price on BTC"],
  [{ size: "0.123456789" }, "size 0.123456789 has more than 8 decimals, which no market of the exchange takes."],
];

test.each(RULES)(
  "an order against a rule that we are sure of is refused without being sent: %p",
  async (some, words) => {
    const rig = openGatewayRig();
    const answer = await rig.answerOf(rig.place("key-0001", some));
    expect(answer).toMatchObject({ httpStatus: 201, order: { status: "rejected", filled_size: null } });
    expect(answer.order["error"]).toStartWith(words);
    expect(rig.exchange.sent).toEqual([]);
    expect((await rig.answerOf(rig.place("key-0001", some))).body).toBe(answer.body);
  },
);

const DOOR: [string, (rig: GatewayRig) => void, ErrorCode][] = [
  [
    "while starting",
    (rig) => {
      rig.deps.state.phase = "starting";
    },
    "not_ready",
  ],
  [
    "while shutting down",
    (rig) => {
      rig.deps.state.phase = "draining";
    },
    "draining",
  ],
  [
    "while writes are stopped",
    (rig) => {
      rig.deps.state.writesStoppedBecause = "a test";
    },
    "internal_error",
  ],
  [
    "without an approved agent",
    (rig) => writeBehind(rig.store, "UPDATE agents SET state = 'new'"),
    "agent_not_approved",
  ],
  ["with a locked agent", (rig) => rig.deps.signers.lock(), "agent_not_approved"],
  [
    "without weight",
    (rig) => {
      rig.deps.exchange.hasBudgetFor = () => false;
    },
    "exchange_rate_limited",
  ],
];

test.each(DOOR)("%s an order is refused, nothing is stored and the key is not used", async (_name, arrange, code) => {
  const rig = openGatewayRig();
  arrange(rig);
  expect(await refusalOf(rig.answerOf(rig.place("key-0001")))).toBe(code);
  expect(findKeyRecord(rig.store, ACCOUNT.id, "key-0001")).toBeNull();
  expect(storedOrders(rig)).toEqual([]);
});

test("the account of the body is the key's own, and markets are known", async () => {
  const rig = openGatewayRig();
  const { placeOrder } = await import("../../src/actions/place-order.ts");
  const other = { ...wanted("key-0001"), accountId: "6d1e9b63-7a1f-4a4c-8d66-1f8e2c3b5da1" };
  expect(await refusalOf(placeOrder(rig.deps, rig.caller, other))).toBe("account_mismatch");
  expect(await refusalOf(rig.place("key-0001", { market: "btc" }))).toBe("unknown_market");
});
