import type { Account } from "../../core/account.ts";
import { findMarket } from "../../core/market.ts";
import type { OrderTerms } from "../../core/order.ts";
import { type Guard, nameOfPart, otherSide, type Trade } from "../../core/trade.ts";
import { nextSteps, type TradeStep } from "../../core/trade-step.ts";
import type { Settling, Slot } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { appendNote } from "../../store/notes.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findTrade, putTrade } from "../../store/trades.ts";
import { newOrder } from "../place/new-order.ts";
import { placeOwn, storeOwnOrder, type ToPlaceOwn } from "../place/place-own.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import { factsOf, type TradeRead } from "./trade-facts.ts";

export type GuardStep = Extract<TradeStep, { kind: "place_guard" | "close_now" }>;

type PlacingGuard = { trade: Trade; account: Account; step: GuardStep; read: TradeRead };

/** The stop, or the take-profit, of a trade: one order that waits for the mark and only reduces. */
export function placeGuard(
  world: ToPlaceOwn,
  settling: Pick<Settling, "pursue">,
  guarding: PlacingGuard,
): Promise<void> {
  return placeOwn(world, settling, {
    account: guarding.account,
    store: (slot) => storeGuard(world, guarding, slot),
  });
}

/** Null where by the rows as they are now it is not what comes next. */
function storeGuard(world: ToPlaceOwn, { trade, account, step, read }: PlacingGuard, slot: Slot): Placing | null {
  return inTransaction(world.store, (store) => {
    const now = findTrade(store, trade.id);
    const agent = signingAgent(world, account);
    if (now === null || now.endedAtMs !== null || agent.kind === "obstacle" || awaitsTakeUp(store, account.id))
      return null;
    const facts = factsOf(world, now, { ...read, stopShown: null });
    const isNext = nextSteps(now, facts).some((next) => isSame(next, step));
    const order = isNext ? newGuard(world, now, step) : null;
    if (order === null) return null;
    const atMs = order.createdAtMs;
    const counted = isStop(step) ? { stops: now.stops + 1 } : { profits: now.profits + 1 };
    putTrade(store, { ...now, ...counted }, atMs);
    const placing = storeOwnOrder(world, account, order, { route: "trade", signer: agent.address, slot });
    const detail = `${nameOf(step)} of trade ${now.id}`;
    appendNote(store, { resourceId: order.id, attemptId: placing.attempt.id, atMs, what: "of a trade", detail });
    return placing;
  });
}

function isSame(next: TradeStep, step: GuardStep): boolean {
  const isGuard = next.kind === "place_guard" || next.kind === "close_now";
  return isGuard && next.kind === step.kind && next.as === step.as && next.size === step.size;
}

function isStop(step: GuardStep): boolean {
  return step.as === "stop";
}

function nameOf(step: GuardStep): string {
  const name = step.as === "stop" ? "stop-loss" : "take-profit";
  return step.kind === "close_now" ? `${name}, at once because the mark has come to its trigger,` : name;
}

/** Null where its market is not listed any more. */
function newGuard(world: ToPlaceOwn, trade: Trade, step: GuardStep): StoredOrder | null {
  const universe = world.markets.current();
  const listed = universe === null ? null : findMarket(universe, trade.market);
  const guard = isStop(step) ? trade.stopLoss : trade.takeProfit;
  if (listed === null || guard === null) return null;
  const as = isStop(step) ? "stop" : "profit";
  const number = (as === "stop" ? trade.stops : trade.profits) + 1;
  const { accountId, keyHash } = trade;
  const idempotencyKey = nameOfPart(trade, { as, number });
  const terms = { side: otherSide(trade.side), size: step.size, price: guard.price, reduceOnly: true };
  return newOrder(world, {
    accountId,
    market: listed,
    terms: { ...terms, ...formOf(step, guard) },
    idempotencyKey,
    keyHash,
  });
}

/** What waits for the mark, or what it becomes then. */
function formOf(step: GuardStep, { triggerPrice, isMarket }: Guard): Pick<OrderTerms, "timeInForce" | "trigger"> {
  if (step.kind === "close_now") return { timeInForce: isMarket ? "ioc" : "gtc", trigger: null };
  const kind = step.as === "stop" ? "stop_loss" : "take_profit";
  return { timeInForce: "gtc", trigger: { price: triggerPrice, kind, market: isMarket } };
}
