/** Ends doubts about what bots hold: by the exchange's times of all that was booked since, once nothing is left to be told. */
import { compare, subtract, sum, ZERO } from "../core/decimal.ts";
import { bookedInOrder, fillsBetween, type TimedTrade } from "../core/rails/bot-net.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { type BotDoubt, type DoubtSource, dropDoubt, listAllDoubts } from "./bot-doubt-rows.ts";
import { listBotNets, setBotNet } from "./bots.ts";
import { bookCash } from "./day-markets.ts";
import { listFillsOf, listFillsOfTwap, type StoredFill } from "./fills.ts";
import { listLegs } from "./legs.ts";
import type { Store } from "./open.ts";
import { listOpenLegs } from "./open-legs.ts";
import { findOperation } from "./operations.ts";
import { findOrder } from "./orders.ts";

/** By then what was filled of an order that is known to rest has been told, by whatever store of the exchange. Milliseconds. */
const TOLD_WITHIN_MS = 10 * 60_000;
/** Two clocks may tell one moment so far apart, milliseconds. */
const CLOCKS_APART_MS = 5_000;

export function hasDoubts(store: Store): boolean {
  return listAllDoubts(store).length > 0;
}

/** Inside the caller's transaction. */
export function settleDoubts(store: Store, nowMs: number): void {
  for (const doubt of listAllDoubts(store)) settle(store, doubt, nowMs);
}

function settle(store: Store, doubt: BotDoubt, nowMs: number): void {
  if (isAwaited(store, doubt, nowMs)) return;
  const trades = hasIncreased(doubt) ? tradesOf(store, doubt) : [];
  if (trades === null) return;
  dropDoubt(store, doubt);
  // Nothing has come that could have been first.
  if (trades.length === 0) return;
  const { accountId, bot, market } = doubt;
  const { net, cash } = bookedInOrder(doubt.base, trades);
  const openNet = listBotNets(store, accountId, bot).get(market) ?? ZERO;
  setBotNet(store, { accountId, bot, market }, net);
  bookCash(store, { accountId, bot, market, openNet, cash: subtract(cash, doubt.cash), atMs: nowMs });
}

function hasIncreased({ sources }: BotDoubt): boolean {
  return sources.some(({ reduceOnly }) => !reduceOnly);
}

/** Something that increases was out by then, of which a fill from before may still be told. */
function isAwaited(store: Store, doubt: BotDoubt, nowMs: number): boolean {
  const { accountId, bot, market, atMs } = doubt;
  const open = listOpenLegs(store, accountId).filter(
    (leg) => leg.bot === bot && leg.market === market && !leg.reduceOnly && wasOutBy(store, leg, atMs),
  );
  return open.some((leg) => isUnknown(store, leg)) || (open.length > 0 && nowMs - atMs < TOLD_WITHIN_MS);
}

function wasOutBy(store: Store, { orderId }: OpenLeg, atMs: number): boolean {
  const made = findOrder(store, orderId) ?? findOperation(store, orderId);
  return made === null || made.createdAtMs <= atMs + CLOCKS_APART_MS;
}

function isUnknown(store: Store, { orderId }: OpenLeg): boolean {
  const status = (findOrder(store, orderId) ?? findOperation(store, orderId))?.status;
  return status === "processing" || status === "unknown";
}

/** Null while the index of fills lacks some of them, or an order has still to be told of some. */
function tradesOf(store: Store, doubt: BotDoubt): TimedTrade[] | null {
  const trades: TimedTrade[] = [];
  for (const source of doubt.sources) {
    const fills = fillsOf(store, doubt, source);
    if (fills === null) return null;
    const { side, reduceOnly } = source;
    trades.push(...fills.map(({ size, price, timeMs }) => ({ side, reduceOnly, size, price, timeMs })));
  }
  return trades;
}

function fillsOf(store: Store, { accountId, market }: BotDoubt, source: DoubtSource): StoredFill[] | null {
  const { kind, id, side, before } = source;
  const isIts = (fill: StoredFill) => fill.market === market && fill.side === side;
  const order = kind === "order" ? findOrder(store, id) : null;
  const twapId = kind === "twap" ? (findOperation(store, id)?.exchangeId ?? null) : null;
  const ofTwap = twapId === null ? [] : listFillsOfTwap(store, accountId, twapId);
  const legs = order === null ? [] : listLegs(store, id);
  const ofOrder = legs.flatMap(({ oid }) => (oid === null ? [] : listFillsOf(store, accountId, oid)));
  const inOrder = [...ofTwap, ...ofOrder].filter(isIts).toSorted((a, b) => a.timeMs - b.timeMs);
  const indexed = sum(inOrder.map(({ size }) => size));
  const told = kind === "order" ? (order?.filledSize ?? ZERO) : indexed;
  return compare(indexed, told) === 0 ? fillsBetween(inOrder, before, told) : null;
}
