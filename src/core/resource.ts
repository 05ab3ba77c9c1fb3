import { API_NETWORK, type ApiKey, type Scope } from "./account.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Operation } from "./operation.ts";
import type { Order } from "./order.ts";
import { MAX_NAMED, type Stop, stopStatus } from "./stop.ts";
import type { Guard, Trade } from "./trade.ts";
import { WAITS, type Wait } from "./wait.ts";

/** ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Spec 2.2. The one place that decides the fields of an order and their order in the text. */
export type OrderResource = {
  id: string;
  object: "order";
  account: string;
  market: string;
  side: Order["side"];
  size: string;
  price: string;
  time_in_force: Order["timeInForce"];
  reduce_only: boolean;
  trigger?: { price: string; kind: "take_profit" | "stop_loss"; market: boolean };
  network: typeof API_NETWORK;
  status: Order["status"];
  exchange_order_id: string | null;
  filled_size: string | null;
  average_price: string | null;
  error: string | null;
  created_at: string;
};

export function orderResource(order: Order): OrderResource {
  return {
    id: order.id,
    object: "order",
    account: order.accountId,
    market: order.market,
    side: order.side,
    size: order.size,
    price: order.price,
    time_in_force: order.timeInForce,
    reduce_only: order.reduceOnly,
    ...(order.trigger === null ? {} : { trigger: order.trigger }),
    network: API_NETWORK,
    status: order.status,
    exchange_order_id: order.exchangeOrderId,
    filled_size: order.filledSize,
    average_price: order.averagePrice,
    error: order.error,
    created_at: isoTime(order.createdAtMs),
  };
}

/** The text that is stored, sent and replayed as it is. */
export function orderText(order: Order): string {
  return JSON.stringify(orderResource(order));
}

/** Orders that were placed as one action, in the order in which they were asked for. */
export type BatchResource = {
  object: "order_batch";
  account: string;
  network: typeof API_NETWORK;
  orders: OrderResource[];
};

export function batchResource(orders: readonly Order[]): BatchResource {
  const [first] = orders;
  if (first === undefined) throw new Error("bug: a batch without orders");
  return {
    object: "order_batch",
    account: first.accountId,
    network: API_NETWORK,
    orders: orders.map(orderResource),
  };
}

/** The text that is stored, sent and replayed as it is. */
export function batchText(orders: readonly Order[]): string {
  return JSON.stringify(batchResource(orders));
}

/** Spec 2.4. */
export type OperationResource = {
  id: string;
  object: "operation";
  account: string;
  action: Operation["action"];
  status: Operation["status"];
  exchange_id: string | null;
  error: string | null;
};

export function operationResource(operation: Operation): OperationResource {
  return {
    id: operation.id,
    object: "operation",
    account: operation.accountId,
    action: operation.action,
    status: operation.status,
    exchange_id: operation.exchangeId,
    error: operation.error,
  };
}

/** The text that is stored, sent and replayed as it is. */
export function operationText(operation: Operation): string {
  return JSON.stringify(operationResource(operation));
}

/** Spec 2.5. */
export type ApiKeyResource = {
  object: "api_key";
  account: string;
  network: typeof API_NETWORK;
  key_hash: string;
  scopes: readonly Scope[];
  expires_at: null;
};

export function apiKeyResource(key: ApiKey): ApiKeyResource {
  return {
    object: "api_key",
    account: key.accountId,
    network: API_NETWORK,
    key_hash: key.keyHash,
    scopes: [...key.scopes].sort(),
    expires_at: null,
  };
}

/** `revoked` by the owner, `blocked` by the operator, `held` after a restore until the owner or operator speaks. */
export type KeyState = "active" | "revoked" | "blocked" | "held";

type ListedKey = ApiKey & {
  state: KeyState;
  lastUsedAtMs: number | null;
  /** Null for a plain key, which does not expire. */
  limited: { expiresAtMs: number } | null;
};

/** A key as lists and events show it: with what this gateway knows of it besides the grant. */
export function listedKeyResource(key: ListedKey) {
  return {
    ...apiKeyResource(key),
    expires_at: key.limited === null ? null : isoTime(key.limited.expiresAtMs),
    state: key.state,
    created_at: isoTime(key.registeredAtMs),
    last_used_at: key.lastUsedAtMs === null ? null : isoTime(key.lastUsedAtMs),
  };
}

/** Spec 2.5. */
export function revocationResource(keyHash: string) {
  return { object: "api_key" as const, key_hash: keyHash, revoked: true as const };
}

/** A key that was revoked together with what it has placed. */
export function withdrawnKeyResource(keyHash: string, stopId: string) {
  return { ...revocationResource(keyHash), stop: stopId };
}

/** A stop, as events tell it; its progress is read with `GET /v1/stops/{id}`. */
export function stopResource(stop: Stop) {
  return {
    id: stop.id,
    object: "stop" as const,
    account: stop.accountId,
    network: API_NETWORK,
    scope: stop.scope,
    key_hash: stop.keyHash,
    cause: stop.cause,
    keep_protection: stop.keepsProtection,
    status: stopStatus(stop),
    created_at: isoTime(stop.createdAtMs),
    stopped_at: stop.stoppedAtMs === null ? null : isoTime(stop.stoppedAtMs),
    resumed_at: stop.resumedAtMs === null ? null : isoTime(stop.resumedAtMs),
  };
}

/** One thing that a stop or a flattening waits for. */
export function waitResource({ reason, orderId: order, operationId: operation, market, sinceMs }: Wait) {
  return { reason, order, operation, market, since: isoTime(sinceMs), until: WAITS[reason] };
}

/** A stop that waits, as events tell it. */
export function waitingStopResource(stop: Stop, waits: readonly Wait[]) {
  return { ...stopResource(stop), waits_for: waits.slice(0, MAX_NAMED).map(waitResource) };
}

/** A trade, as it is read and as events tell it. Its orders are read by their ids. */
export function tradeResource(trade: Trade) {
  const { side, size, stopLoss, takeProfit, unprotectedSinceMs: sinceMs, endedAtMs } = trade;
  return {
    id: trade.id,
    object: "trade" as const,
    account: trade.accountId,
    network: API_NETWORK,
    market: trade.market,
    side,
    size,
    entry: { price: trade.price, time_in_force: trade.timeInForce, order: trade.entryId },
    stop_loss: guardResource(stopLoss, trade.stopId),
    take_profit: takeProfit === null ? null : guardResource(takeProfit, trade.profitId),
    path: trade.path,
    status: trade.status,
    filled_size: trade.filledSize,
    held_size: trade.heldSize,
    protected: sinceMs === null,
    unprotected_since: sinceMs === null ? null : isoTime(sinceMs),
    unprotected_because: trade.unprotectedBecause,
    error: trade.error,
    created_at: isoTime(trade.createdAtMs),
    ended_at: endedAtMs === null ? null : isoTime(endedAtMs),
  };
}

function guardResource({ triggerPrice, price, isMarket }: Guard, orderId: string | null) {
  return { trigger_price: triggerPrice, price, market: isMarket, order: orderId };
}

/** The text that is stored, sent and replayed as it is. */
export function tradeText(trade: Trade): string {
  return JSON.stringify(tradeResource(trade));
}

const BOT_HOLDER = "bot ";

/** A heartbeat, as its bot reads it and as events tell it. */
export function heartbeatResource(heartbeat: Heartbeat) {
  const { accountId, holder, keyHash, status, withinMs, beatAtMs, missedAtMs, stopId } = heartbeat;
  return {
    object: "heartbeat" as const,
    account: accountId,
    network: API_NETWORK,
    bot: holder.startsWith(BOT_HOLDER) ? holder.slice(BOT_HOLDER.length) : null,
    key_hash: keyHash,
    status,
    within_s: status === "disarmed" ? null : withinMs / 1_000,
    beat_at: isoTime(beatAtMs),
    missed_at: missedAtMs === null ? null : isoTime(missedAtMs),
    stop: stopId,
  };
}

/** Of whom nothing was ever heard. */
export function noHeartbeatResource(accountId: string, { keyHash, bot }: { keyHash: string; bot: string | null }) {
  return {
    object: "heartbeat" as const,
    account: accountId,
    network: API_NETWORK,
    bot,
    key_hash: keyHash,
    status: "disarmed" as const,
    within_s: null,
    beat_at: null,
    missed_at: null,
    stop: null,
  };
}

/** The text of a list (spec 2.8). `nextCursor` is null exactly when nothing more follows. */
export function listText(data: readonly unknown[], nextCursor: string | null): string {
  return listOf(JSON.stringify(data), nextCursor);
}

/** The text of a list whose rows are JSON text already. `nextCursor` is null exactly when nothing more follows. */
export function listOfTexts(rows: readonly string[], nextCursor: string | null): string {
  return listOf(`[${rows.join(",")}]`, nextCursor);
}

function listOf(data: string, nextCursor: string | null): string {
  const end = `"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)}`;
  return `{"object":"list","data":${data},${end}}`;
}
