/**
 * Trades after a restore. What the lost machine had placed for one of the snapshot is found by its name, and is the trade's own from
 * then on. None enters any more that may have entered: what the exchange has forgotten of it nobody would see.
 */
import type { Account } from "../../core/account.ts";
import { MAX_GUARDS } from "../../core/guard-tries.ts";
import { type Guard, type GuardKind, nameOfPart, type Trade, type TradePart } from "../../core/trade.ts";
import type { With } from "../../deps.ts";
import { findKeyRecord, insertKeyRecord } from "../../store/idempotency.ts";
import { appendNote } from "../../store/notes.ts";
import { findOrder, type StoredOrder } from "../../store/orders.ts";
import { findAdoption } from "../../store/restores.ts";
import { listOpenTrades, putTrade } from "../../store/trades.ts";
import { keyDigitsOf } from "../../wire/order-id.ts";

type ToTakeUp = With<"clock" | "instance" | "store">;

const NOT_ENTERED = "the gateway was restored from a backup of before its entry: it enters no more";

/** Inside the transaction that lets the account trade again. */
export function takeUpTrades(world: ToTakeUp, account: Account): void {
  const atMs = world.clock.nowMs();
  for (const trade of listOpenTrades(world.store).filter(({ accountId }) => accountId === account.id)) {
    const entered = withEntry(world, trade);
    putTrade(world.store, withGuards(world, withGuards(world, entered, "stop"), "profit"), atMs);
  }
}

function withEntry(world: ToTakeUp, trade: Trade): Trade {
  if (trade.entryId !== null) return trade;
  const order = findPart(world, trade, "entry");
  if (order === null) return { ...trade, isEntryUnwanted: true, error: trade.error ?? NOT_ENTERED };
  takeUpPart(world, trade, { part: "entry", order });
  return { ...trade, entryId: order.id };
}

/** The trade with the guards that the lost machine placed, and the terms of the newest where it stands: that machine may have moved it. */
function withGuards(world: ToTakeUp, trade: Trade, as: GuardKind): Trade {
  const known = as === "stop" ? trade.stops : trade.profits;
  const numbers = Array.from({ length: MAX_GUARDS - known }, (_none, index) => known + 1 + index);
  const found = numbers.flatMap((number) => {
    const order = findPart(world, trade, { as, number });
    return order === null ? [] : [{ number, order }];
  });
  for (const { number, order } of found) takeUpPart(world, trade, { part: { as, number }, order });
  const newest = found.at(-1);
  const guard = newest !== undefined && STANDING.has(newest.order.status) ? guardOf(newest.order) : null;
  const count = newest?.number ?? known;
  if (as === "profit") return { ...trade, profits: count, takeProfit: guard ?? trade.takeProfit };
  // All count as replaced: the lost machine may also have canceled one that the snapshot knew, for the next.
  return { ...trade, stops: count, stopLoss: guard ?? trade.stopLoss, replacedStops: count };
}

const STANDING: ReadonlySet<StoredOrder["status"]> = new Set(["open", "waiting_for_trigger"]);

function guardOf({ trigger, price }: StoredOrder): Guard | null {
  return trigger === null ? null : { triggerPrice: trigger.price, price, isMarket: trigger.market };
}

/** The order that the lost machine placed for a part of the trade since the snapshot; null where there is none. */
function findPart({ instance, store }: ToTakeUp, trade: Trade, part: TradePart): StoredOrder | null {
  const { accountId } = trade;
  const key = { accountId, idempotencyKey: nameOfPart(trade, part) };
  const adoption = findAdoption(store, accountId, keyDigitsOf(instance.secret, key));
  return adoption === null ? null : findOrder(store, adoption.orderId);
}

function takeUpPart(
  { clock, store }: ToTakeUp,
  trade: Trade,
  { part, order }: { part: TradePart; order: StoredOrder },
): void {
  const { id, accountId } = trade;
  const idempotencyKey = nameOfPart(trade, part);
  const createdAtMs = clock.nowMs();
  const resource = { kind: "order" as const, id: order.id };
  if (findKeyRecord(store, accountId, idempotencyKey) === null)
    insertKeyRecord(store, {
      accountId,
      idempotencyKey,
      route: "trade",
      fingerprint: "trade",
      resource,
      answer: null,
      createdAtMs,
    });
  const detail = `${part === "entry" ? part : WORDS[part.as]} of trade ${id}`;
  appendNote(store, { resourceId: order.id, attemptId: null, atMs: createdAtMs, what: "of a trade", detail });
}

const WORDS: Record<GuardKind, string> = { stop: "stop-loss", profit: "take-profit" };
