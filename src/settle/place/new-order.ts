/** An order that is about to be placed, whoever asks for it: its row, its leg, and what is to be signed of it. */
import { type Account, vaultAddressOf } from "../../core/account.ts";
import { type Attempt, UNSENT } from "../../core/attempt.ts";
import { cloidOf } from "../../core/cloid.ts";
import { decimal, ZERO } from "../../core/decimal.ts";
import { keyInBatch } from "../../core/idempotency.ts";
import type { Market } from "../../core/market.ts";
import type { Leg, OrderTerms } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { insertPlacing, type Placing, type StoredOrder } from "../../store/orders.ts";
import { actionJson, canonicalAction } from "../../wire/action/index.ts";
import { orderAction, wireOrder } from "../../wire/action/order.ts";
import { mintOrderId } from "../../wire/order-id.ts";
import { storeUnderNonce, type TakenNonce } from "../send/intent.ts";

/**
 * The row of a new order, of which no outcome is known yet: its id is made of its key, and of its place in its batch.
 *
 * @param wanted `terms` go without their market, which is `market`. `keyHash`: the API key that places it, or whose bot it fills for
 */
export function newOrder(
  { clock, instance, store }: With<"clock" | "instance" | "store">,
  wanted: {
    accountId: string;
    idempotencyKey: string;
    market: Market;
    terms: Omit<OrderTerms, "market">;
    keyHash: string | null;
    batch?: { id: string; index: number };
  },
): StoredOrder {
  const { accountId, market, idempotencyKey, keyHash, batch } = wanted;
  const { side, size, price, timeInForce, reduceOnly, trigger } = wanted.terms;
  const nowMs = clock.nowMs();
  return {
    id: mintOrderId({
      nowMs,
      instanceTag: instance.tag,
      secret: instance.secret,
      accountId,
      idempotencyKey: batch === undefined ? idempotencyKey : keyInBatch(idempotencyKey, batch.index),
      bot: botOf(store, keyHash),
    }),
    accountId,
    market: market.name,
    assetId: market.assetId,
    side,
    size,
    price,
    timeInForce,
    reduceOnly,
    trigger,
    status: "processing",
    exchangeOrderId: null,
    filledSize: null,
    averagePrice: null,
    error: null,
    createdAtMs: nowMs,
    keyHash,
    idempotencyKey,
    batchId: batch?.id ?? null,
    batchIndex: batch?.index ?? 0,
    seenAtMs: null,
    releasedAtMs: null,
    version: 0,
  };
}

/** The first leg of a new order: what is about to be placed. */
export function firstLeg({ id, size, price, timeInForce, trigger }: StoredOrder): Leg {
  return {
    cloid: cloidOf(id),
    orderId: id,
    oid: null,
    ordinal: 0,
    size: decimal(size),
    price,
    timeInForce,
    trigger,
    state: "sent",
    filledSize: ZERO,
    filledNotional: ZERO,
    reason: null,
    isExchangesWord: false,
    absence: null,
  };
}

/**
 * Stores an order with its key, first leg, attempt and audit row, inside the intent's transaction. Takes no slot: the caller does, one
 * for an order or one for its whole batch.
 */
export function storePlacing(
  world: With<"clock" | "store">,
  { order, keyRecord }: Pick<Placing, "order" | "keyRecord">,
  { account, actor, builder }: { account: Account; actor: string; builder: Parameters<typeof orderAction>[1] },
  nonce: TakenNonce,
): Placing {
  const leg = firstLeg(order);
  const { cloid } = leg;
  const action = canonicalAction(orderAction(wireOrder({ ...order, cloid }), builder));
  const unsent: Omit<Attempt, "id"> = {
    ...UNSENT,
    ...nonce,
    kind: "place",
    accountId: account.id,
    vaultAddress: vaultAddressOf(account),
    resource: { kind: "order", id: order.id },
    idempotencyKey: keyRecord.idempotencyKey,
    action: actionJson(action),
    cloid,
    targetOid: null,
    createdAtMs: world.clock.nowMs(),
  };
  const attempt = storeUnderNonce(world, unsent, { action, actor }, (store, made) =>
    insertPlacing(store, { order, keyRecord, leg, attempt: made }),
  );
  return { order, keyRecord, leg, attempt };
}
