import type { Account } from "../../core/account.ts";
import type { Decimal } from "../../core/decimal.ts";
import { findMarket } from "../../core/market.ts";
import { nameOfPart, otherSide, type Trade } from "../../core/trade.ts";
import { nextSteps, type TradeStep } from "../../core/trade-step.ts";
import type { Place, Settling } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { appendNote } from "../../store/notes.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findTrade, putTrade } from "../../store/trades.ts";
import { newOrder } from "../place/new-order.ts";
import { placeOwn, storeOwnOrder, type ToPlaceOwn } from "../place/place-own.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import type { Placing } from "../record/record.ts";
import { factsOf } from "./trade-facts.ts";

export type GuardStep = Extract<TradeStep, { kind: "place_guard" }>;

type Guarding = { trade: Trade; account: Account; step: GuardStep; position: Decimal | null };

/** The stop, or the take-profit, of a trade: one order that waits for the mark and only reduces. */
export function placeGuard(world: ToPlaceOwn, settling: Pick<Settling, "pursue">, guarding: Guarding): Promise<void> {
  return placeOwn(world, settling, {
    account: guarding.account,
    store: (place) => storeGuard(world, guarding, place),
  });
}

/** Null where by the rows as they are now it is not what comes next. */
function storeGuard(world: ToPlaceOwn, { trade, account, step, position }: Guarding, place: Place): Placing | null {
  return inTransaction(world.store, (store) => {
    const now = findTrade(store, trade.id);
    const agent = signingAgent(world, account);
    if (now === null || now.endedAtMs !== null || agent.kind === "obstacle" || awaitsTakeUp(store, account.id))
      return null;
    const isNext = nextSteps(now, factsOf(world, now, { position, stopShown: null })).some((next) =>
      isSame(next, step),
    );
    const order = isNext ? newGuard(world, now, step) : null;
    if (order === null) return null;
    const atMs = order.createdAtMs;
    const counted = step.as === "stop" ? { stops: now.stops + 1 } : { profits: now.profits + 1 };
    putTrade(store, { ...now, ...counted }, atMs);
    const placing = storeOwnOrder(world, { account, order, signer: agent.address, place, route: "trade" });
    const detail = `${step.as === "stop" ? "stop-loss" : "take-profit"} of trade ${now.id}`;
    appendNote(store, { resourceId: order.id, attemptId: placing.attempt.id, atMs, what: "of a trade", detail });
    return placing;
  });
}

function isSame(next: TradeStep, { as, size }: GuardStep): boolean {
  return next.kind === "place_guard" && next.as === as && next.size === size;
}

/** Null where its market is not listed any more. */
function newGuard(world: ToPlaceOwn, trade: Trade, { as, size }: GuardStep): StoredOrder | null {
  const universe = world.markets.current();
  const listed = universe === null ? null : findMarket(universe, trade.market);
  const guard = as === "stop" ? trade.stopLoss : trade.takeProfit;
  if (listed === null || guard === null) return null;
  const number = (as === "stop" ? trade.stops : trade.profits) + 1;
  const kind = as === "stop" ? "stop_loss" : "take_profit";
  const trigger = { price: guard.triggerPrice, kind, market: guard.isMarket } as const;
  const terms = {
    side: otherSide(trade.side),
    size,
    price: guard.price,
    timeInForce: "gtc",
    reduceOnly: true,
  } as const;
  const { accountId, keyHash } = trade;
  const idempotencyKey = nameOfPart(trade, { as, number });
  return newOrder(world, { accountId, market: listed, terms: { ...terms, trigger }, idempotencyKey, keyHash });
}
