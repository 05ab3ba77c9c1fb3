/** Ends doubts about what bots hold: by the exchange's times of all that was filled around them, once nothing is left to be told. */
import { add, compare, isZero, subtract, sum, ZERO } from "../core/decimal.ts";
import { areFillsAll } from "../core/evidence.ts";
import type { Side } from "../core/order.ts";
import { bookedInOrder, sumSigned, type TimedTrade } from "../core/rails/bot-net.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { dayOf } from "../core/rails/trip.ts";
import { bookOf } from "./bot-books.ts";
import { type BotDoubt, dropDoubt, listAllDoubts } from "./bot-doubt-rows.ts";
import { botOf, listBotNets, setBotNet } from "./bots.ts";
import { bookCash } from "./day-markets.ts";
import { findWholeTo } from "./fill-holes.ts";
import { listFillsOf, listFillsSince, type StoredFill } from "./fills.ts";
import { findLegByOid, listLegs } from "./legs.ts";
import type { Store } from "./open.ts";
import { listOpenLegs } from "./open-legs.ts";
import { findOperation, listTwapOperations } from "./operations.ts";
import { findOrder } from "./orders.ts";

/** Within this what was filled has been told, by whatever store of the exchange. Milliseconds. */
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
  const open = openIn(store, doubt);
  if (open.some((leg) => isUnknown(store, leg))) return;
  const trades = tradesSince(store, doubt, doubt.sinceMs - TOLD_WITHIN_MS);
  if (trades === null) return;
  const isAwaited = open.length > 0 && nowMs - doubt.atMs < TOLD_WITHIN_MS;
  if (isAwaited && !isAllToldUpTo(store, doubt, trades)) return;
  dropDoubt(store, doubt);
  const { accountId, bot, market, soldBeyond, boughtBeyond } = doubt;
  const booked = listBotNets(store, accountId, bot).get(market) ?? ZERO;
  // Taken back: what all of them have moved, which what counted as another's has not.
  const base = add(subtract(booked, sumSigned(trades)), subtract(boughtBeyond, soldBeyond));
  const { net, beyondCash } = bookedInOrder(base, trades);
  if (net !== booked) setBotNet(store, { accountId, bot, market }, net);
  const cash = subtract(doubt.cash, beyondCash);
  if (!isZero(cash))
    bookCash(store, bookOf(store, { accountId, bot }), { market, openNet: booked, cash, day: dayOf(nowMs) });
}

/** What was out by then, and of which a fill from before may still be told. */
function openIn(store: Store, doubt: BotDoubt): OpenLeg[] {
  const { accountId, bot, market, atMs } = doubt;
  return listOpenLegs(store, accountId).filter(
    (leg) => leg.bot === bot && leg.market === market && isInDoubt(doubt, leg) && wasOutBy(store, leg, atMs),
  );
}

/** The index is whole up to the last of these: whatever else is told of comes after them. */
function isAllToldUpTo(store: Store, { accountId, sinceMs }: BotDoubt, trades: readonly TimedTrade[]): boolean {
  const lastAtMs = Math.max(...trades.map(({ timeMs }) => timeMs));
  return trades.length > 0 && areFillsAll(findWholeTo(store, accountId, sinceMs - TOLD_WITHIN_MS), lastAtMs);
}

/** What increases may have been filled before what reduces it; and that before what has increased, against it or beside it. */
function isInDoubt(
  { longSold, shortBought, openedLong, openedShort }: BotDoubt,
  { canOnlyReduce, side }: OpenLeg,
): boolean {
  const before = side === "sell" ? [longSold, openedLong] : [shortBought, openedShort];
  return !canOnlyReduce || before.some((size) => !isZero(size));
}

function wasOutBy(store: Store, { orderId }: OpenLeg, atMs: number): boolean {
  const made = findOrder(store, orderId) ?? findOperation(store, orderId);
  return made === null || made.createdAtMs <= atMs + CLOCKS_APART_MS;
}

function isUnknown(store: Store, { orderId }: OpenLeg): boolean {
  const status = (findOrder(store, orderId) ?? findOperation(store, orderId))?.status;
  return status === "processing" || status === "unknown";
}

/** Null while the index of fills lacks some of what was booked, or an order has still to be told of some. */
function tradesSince(store: Store, doubt: BotDoubt, fromMs: number): TimedTrade[] | null {
  const orders = new Set(doubt.sources.flatMap(({ kind, id }) => (kind === "order" ? [id] : [])));
  const trades: TimedTrade[] = [];
  for (const fill of listFillsSince(store, doubt, fromMs)) {
    const own = ownOf(store, doubt, fill);
    if (own === null || own.side !== fill.side) continue;
    if (own.orderId !== null) orders.add(own.orderId);
    const { size, price, timeMs } = fill;
    trades.push({ side: own.side, reduceOnly: own.reduceOnly, size, price, timeMs });
  }
  return [...orders].every((id) => isWhollyIndexed(store, doubt, id)) ? trades : null;
}

type Own = Pick<TimedTrade, "side" | "reduceOnly"> & { orderId: string | null };

/** Null for a fill of somebody else. */
function ownOf(store: Store, { accountId, bot }: BotDoubt, { oid, twapId }: StoredFill): Own | null {
  if (twapId !== null) return ownTwap(store, { accountId, bot, twapId });
  const leg = findLegByOid(store, accountId, oid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  if (order === null || botOf(store, order.keyHash) !== bot) return null;
  return { side: order.side, reduceOnly: order.reduceOnly, orderId: order.id };
}

function ownTwap(store: Store, of: { accountId: string; bot: string; twapId: string }): Own | null {
  const id = listTwapOperations(store, of.accountId, [of.twapId]).get(of.twapId);
  const operation = id === undefined ? null : findOperation(store, id);
  if (operation === null || botOf(store, operation.keyHash) !== of.bot) return null;
  // Our own text: what `create-twap` has put there.
  const { side, reduce_only: reduceOnly } = JSON.parse(operation.parameters) as { side: Side; reduce_only: boolean };
  return { side, reduceOnly, orderId: null };
}

/** An order that was taken back lacks nothing. */
function isWhollyIndexed(store: Store, { accountId, market }: BotDoubt, id: string): boolean {
  const order = findOrder(store, id);
  if (order === null) return true;
  const fills = listLegs(store, id).flatMap(({ oid }) => (oid === null ? [] : listFillsOf(store, accountId, oid)));
  const own = fills.filter((fill) => fill.market === market && fill.side === order.side);
  return compare(sum(own.map(({ size }) => size)), order.filledSize ?? ZERO) === 0;
}
