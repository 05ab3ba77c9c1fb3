import type { Account } from "../../src/core/account.ts";
import type { Attempt } from "../../src/core/attempt.ts";
import { cloidOf } from "../../src/core/cloid.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg } from "../../src/core/order.ts";
import type { StoredFill } from "../../src/store/fills.ts";
import type { insertPlacing, StoredOrder } from "../../src/store/orders.ts";

/** The account that the rows below belong to. */
export function accountRow(): Account {
  const address = `0x${"a".repeat(40)}`;
  return {
    id: orderRow().accountId,
    label: "main",
    kind: "main",
    ownerAddress: address,
    tradingAddress: address,
    parentId: null,
    createdAtMs: 0,
  };
}

/** Rows of one plain order, each with what a test wants different. */
export function orderRow(some: Partial<StoredOrder> = {}): StoredOrder {
  return {
    id: "0190a0b0-0000-7007-8000-000000000001",
    accountId: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
    market: "BTC",
    assetId: 0,
    side: "buy",
    size: "1",
    price: "100",
    timeInForce: "gtc",
    reduceOnly: false,
    trigger: null,
    status: "processing",
    exchangeOrderId: null,
    filledSize: null,
    averagePrice: null,
    error: null,
    createdAtMs: 1_000,
    keyHash: null,
    idempotencyKey: null,
    batchId: null,
    batchIndex: 0,
    seenAtMs: null,
    releasedAtMs: null,
    version: 0,
    ...some,
  };
}

export function legRow(some: Partial<Leg> = {}): Leg {
  return {
    cloid: "0x0190a0b0000070078000000000000001",
    orderId: orderRow().id,
    oid: null,
    ordinal: 0,
    size: decimal("1"),
    price: "100",
    timeInForce: "gtc",
    trigger: null,
    state: "sent",
    filledSize: decimal("0"),
    filledNotional: decimal("0"),
    reason: null,
    isExchangesWord: false,
    absence: null,
    ...some,
  };
}

/** A purchase of one at 100 in the market of these rows. */
export function fillRow(some: Partial<StoredFill> = {}): StoredFill {
  return {
    accountId: orderRow().accountId,
    id: "1-BTC-1",
    timeMs: 1_000,
    market: "BTC",
    oid: "77",
    side: "buy",
    price: decimal("100"),
    size: decimal("1"),
    isTaker: true,
    fee: decimal("0"),
    feeToken: "USDC",
    builderFee: null,
    realizedPnl: decimal("0"),
    startPosition: decimal("0"),
    direction: "Open Long",
    twapId: null,
    isLiquidation: false,
    transactionHash: "0x00",
    ...some,
  };
}

/** One that has a row of its own. */
export function attemptRow(some: Partial<Attempt> = {}): Omit<Attempt, "id"> {
  const { id: _id, ...rest } = { id: 0, ...MODIFY, ...some };
  return rest;
}

/** A placing under its n-th id: the order, its key and its attempt, each with what a test wants different. */
export function placingRows(nth: number, some: Partial<Attempt> = {}): Parameters<typeof insertPlacing>[1] {
  const id = `0190a0b0-0000-7007-8001-${String(nth).padStart(12, "0")}`;
  const idempotencyKey = `placing-${nth}`;
  const resource = { kind: "order", id } as const;
  const own = { resource, idempotencyKey, cloid: cloidOf(id) };
  const order = orderRow({ id, idempotencyKey });
  const { accountId, createdAtMs } = order;
  return {
    order,
    keyRecord: {
      accountId,
      idempotencyKey,
      route: "POST /v1/orders",
      fingerprint: "f",
      resource,
      answer: null,
      createdAtMs,
    },
    leg: legRow({ cloid: cloidOf(id), orderId: id }),
    attempt: attemptRow({ kind: "place", ...own, nonce: nth, ...some }),
  };
}

type Told = { accountId: string; market: string; oid: string | null; filled: string };

/** An order that was filled by its answer, by so much. */
export function filledByAnswer(nth: number, { accountId, market, oid, filled }: Told): ReturnType<typeof placingRows> {
  const { order, keyRecord, leg, attempt } = placingRows(nth, { accountId });
  const filledSize = decimal(filled);
  return {
    order: { ...order, accountId, market, status: "filled", filledSize, exchangeOrderId: oid },
    keyRecord: { ...keyRecord, accountId },
    leg: { ...leg, oid, state: "filled", filledSize },
    attempt: { ...attempt, state: "done" },
  };
}

const MODIFY: Omit<Attempt, "id"> = {
  kind: "modify",
  accountId: orderRow().accountId,
  resource: { kind: "order", id: orderRow().id },
  idempotencyKey: "key-0001",
  signer: "0xaaaa",
  nonce: 1_000,
  expiresAtMs: 13_000,
  vaultAddress: null,
  action: "{}",
  cloid: legRow().cloid,
  targetOid: null,
  isTargetClosed: false,
  intendedTotal: null,
  state: "prepared",
  createdAtMs: 1_000,
  sentAtMs: null,
  noops: 0,
  seal: null,
  hasLanded: false,
  negatives: 0,
  answerText: null,
  settledAtMs: null,
};
