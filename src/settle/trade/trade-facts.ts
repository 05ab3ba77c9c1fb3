import { type Decimal, decimal, isNegative, subtract, sum, ZERO } from "../../core/decimal.ts";
import { isClosed, wasTaken } from "../../core/order.ts";
import { nameOfTrade, type Trade } from "../../core/trade.ts";
import { isTrusted, type Part, type TradeFacts } from "../../core/trade-step.ts";
import type { With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { listLegs } from "../../store/legs.ts";
import type { Store } from "../../store/open.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { hasStopSince, isUnprotectedByStop } from "../../store/stops.ts";
import { listGuards } from "../../store/trades.ts";

export type ToJudgeTrade = With<"clock" | "picture" | "store">;

/** A stop that a look has shown to wait, which changes no row of it, and when by this machine's clock, unix milliseconds. */
export type StopShown = { orderId: string; atMs: number };

export type Read = {
  /** What the account holds; null where nobody has read it. */
  position: Decimal | null;
  stopShown: StopShown | null;
  /** Of its market, asked for where the stop was refused because of it. */
  mark: Decimal | null;
};

export const NOTHING_READ: Read = { position: null, stopShown: null, mark: null };

/** What a trade is judged by: its rows as they are now, and what was read beside them. */
export function factsOf(world: ToJudgeTrade, trade: Trade, { position, stopShown, mark }: Read): TradeFacts {
  const { clock, store } = world;
  const nowMs = clock.nowMs();
  const entry = trade.entryId === null ? null : findOrder(store, trade.entryId);
  const stops = listGuards(store, trade, "stop").map((order) =>
    shownBy(guardOf(world, trade, order), stopShown, nowMs),
  );
  const newestKnown = stops.slice(0, trade.replacedStops ?? 0).findLastIndex(({ wasTaken }) => wasTaken);
  return {
    entry: entry === null ? null : partOf(store, trade, entry),
    stops: stops.map((stop, index) => ({ ...stop, mayBeReplaced: index < newestKnown })),
    profits: listGuards(store, trade, "profit").map((order) => guardOf(world, trade, order)),
    position,
    mark,
    isWithdrawn: isUnprotectedByStop(store, trade.accountId, trade.keyHash),
    nowMs,
  };
}

/** A stop of any cause that came after it wants no entry that has not been sent. */
export function isStoppedSince(store: Store, { accountId, keyHash, createdAtMs }: Trade): boolean {
  return hasStopSince(store, accountId, keyHash, createdAtMs);
}

/** One that the feed has told fired or over protects nothing, though no look has proven its end yet. */
function guardOf({ picture, store }: ToJudgeTrade, trade: Trade, order: StoredOrder): Part {
  const part = partOf(store, trade, order);
  const user = findAccount(store, trade.accountId)?.tradingAddress ?? null;
  const { exchangeOrderId: oid } = order;
  const told = user === null || oid === null ? null : picture.toldOf(user, oid);
  return (told?.isOver === true || told?.hasFired === true) && part.state === "waiting"
    ? { ...part, state: "unsettled" }
    : part;
}

function shownBy(part: Part, shown: StopShown | null, nowMs: number): Part {
  return part.orderId !== shown?.orderId || isTrusted(part, nowMs) ? part : { ...part, shownAtMs: shown.atMs };
}

function partOf(store: Store, trade: Trade, order: StoredOrder): Part {
  const legs = listLegs(store, order.id);
  const attempts = listAttemptsOf(store, order.id);
  const left = legs.filter((leg) => !isClosed(leg)).map((leg) => subtract(leg.size, leg.filledSize));
  const refused = legs.findLast(({ state, isExchangesWord }) => state === "rejected" && isExchangesWord);
  return {
    orderId: order.id,
    state: stateOf(
      order,
      attempts.some(({ kind, state }) => kind !== "cancel" && state !== "done"),
    ),
    remaining: sum(left.filter((size) => !isNegative(size))),
    filled: order.filledSize ?? ZERO,
    isLeaving: attempts.some(({ kind, idempotencyKey }) => kind === "cancel" && idempotencyKey === nameOfTrade(trade)),
    mayBeReplaced: false,
    size: decimal(order.size),
    triggerPrice: order.trigger?.price ?? null,
    price: order.price,
    wasTaken: legs.some(wasTaken),
    refusal: legs.some(wasTaken) ? null : (refused?.reason ?? null),
    error: order.error,
    createdAtMs: order.createdAtMs,
    shownAtMs: order.seenAtMs,
  };
}

function stateOf({ status }: StoredOrder, isPlacingOut: boolean): Part["state"] {
  switch (status) {
    case "processing":
    case "unknown":
      return "unsettled";
    case "waiting_for_trigger":
      return "waiting";
    case "open":
      return "working";
    case "filled":
    case "canceled":
    case "rejected":
      // What a modify has sent may still arrive.
      return isPlacingOut ? "unsettled" : "over";
  }
}
