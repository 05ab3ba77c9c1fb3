/** Whether a position is of before a fill that was told, whatever time it bears: it stands where the account stood before that, and not where it is now. */
import { add, compare, type Decimal, isZero, subtract } from "./decimal.ts";
import { CLOCK_DOUBT_MS } from "./evidence.ts";

/** A fill that is kept. Exchange time, unix milliseconds; sizes are signed. */
export type KeptFill = { timeMs: number; start: Decimal };

/** Where the newest fills that are kept have left the position, and under which native ids. `timeMs`: minus infinity where there is none. */
export type KeptEnd = { size: Decimal; timeMs: number; oids: readonly string[] };

/**
 * What was told to be filled of one order, and how much of that is kept. Signed, below zero for a sale. It was filled between the two
 * times, exchange time as we know it, unix milliseconds; `sentAtMs` null where nobody knows when it was sent.
 */
export type OrderFilling = {
  /** Orders are numbered as they are stored: one of a higher number than another was sent later. */
  number: number;
  oid: string | null;
  filled: Decimal;
  kept: Decimal;
  sentAtMs: number | null;
  toldAtMs: number;
};

/**
 * A position that was shown before, with the number of the newest order by then. `askedAtMs` as we know the exchange's time, `timeMs` its own,
 * `keptToMs` of the newest fill of its market that was kept by then: it was held against those.
 */
export type EarlierPosition = {
  size: Decimal;
  lastNumber: number;
  askedAtMs: number;
  timeMs: number;
  keptToMs: number;
};

/**
 * What is known of one market. Fills and orders that were told before `sinceMs` every server holds; those that were told after `untilMs`, which
 * is the time that the position bears, it does not claim to hold.
 */
export type MarketTold = {
  fills: readonly KeptFill[];
  /** Null where the fills that are kept do not tell. */
  end: KeptEnd | null;
  orders: readonly OrderFilling[];
  /** Newest first. */
  earlier: readonly EarlierPosition[];
  sinceMs: number;
  untilMs: number;
};

/**
 * Of when a position is. `before`: it stands where the account stood before one of these fills, and not where they may have left it by now.
 * What fills that are not known here have brought back to the very same size is taken for that, until they are known. `unclear`: it was moved by
 * fills that are not known here (another's orders, a trigger, a liquidation), before what was told or after: nobody can say which until the fills
 * of what was told are kept, and those before them with them. So is one that lacks what may be of before the newest fill that is kept or of after it.
 */
export type PositionMoment = "now" | "before" | "unclear";

export function momentOfPosition(size: Decimal, told: MarketTold): PositionMoment {
  const chain = chainOf(told);
  if (chain === null) return isAwaited(told) ? "unclear" : "now";
  const { moves, unclear } = chain;
  const sums = sumsOf(chain);
  const atTheEnd = momentAt(size, told, { sums: sums.slice(-1), unclear });
  if (atTheEnd !== null) return atTheEnd;
  const lacking = sums.filter((_sum, nth) => moves.slice(nth).some(({ toldAtMs }) => isClaimed(told, toldAtMs)));
  const former = [
    ...told.fills.filter(({ timeMs }) => timeMs < told.untilMs).map(({ start }) => start),
    ...placesOf({ sums: lacking, unclear }).map(({ at }) => at),
    ...told.earlier.filter((one) => isOfBeforeSome(told, one)).map((one) => one.size),
  ];
  if (former.some(isJust(size))) return "before";
  return momentAt(size, told, { sums, unclear }) ?? (isAwaited(told) ? "unclear" : "now");
}

type PlacesFrom = { sums: readonly Decimal[]; unclear: readonly NotKept[] };

/** Null where it stands at none of these, with whichever of what is unclear; `unclear` where it may lack some of that which it claims to hold. */
function momentAt(size: Decimal, told: MarketTold, among: PlacesFrom): "now" | "unclear" | null {
  const places = placesOf(among).filter(({ at }) => isJust(size)(at));
  if (places.length === 0) return null;
  const mayLack = places.some(({ without }) => without.some(({ toldAtMs }) => isClaimed(told, toldAtMs)));
  return mayLack ? "unclear" : "now";
}

function isJust(size: Decimal): (other: Decimal) => boolean {
  return (other) => compare(other, size) === 0;
}

/** Of an order it claims to hold fills that are not kept yet. Where a position was shown that had them, this one may be of before that. */
function isAwaited(told: MarketTold): boolean {
  return told.orders.some((order) => !isZero(missingOf(order)) && isClaimed(told, order.toldAtMs));
}

function isClaimed({ sinceMs, untilMs }: MarketTold, toldAtMs: number): boolean {
  return toldAtMs >= sinceMs && toldAtMs <= untilMs;
}

/** What of an order's fills is not kept, and when it was told. */
type NotKept = { by: Decimal; toldAtMs: number };

/** A position that is known, and what it was moved by since, oldest first. `unclear`: what has moved it since or is in it already, nobody knows which. */
type Chain = { at: Decimal; moves: readonly NotKept[]; unclear: readonly NotKept[] };

/** Of so many every sum is tried; with more of them nothing is said. */
const MAX_UNCLEAR = 6;

/** Where it may stand at these. `without`: what is in them already, or in no server's position yet. */
type Place = { at: Decimal; without: readonly NotKept[] };

function placesOf({ sums, unclear }: PlacesFrom): Place[] {
  let places: Place[] = sums.map((at) => ({ at, without: [] }));
  for (const notKept of unclear) {
    places = places.flatMap(({ at, without }) => [
      { at: add(at, notKept.by), without },
      { at, without: [...without, notKept] },
    ]);
  }
  return places;
}

function sumsOf({ at, moves }: Chain): Decimal[] {
  const sums = [at];
  for (const { by } of moves) sums.push(add(sums.at(-1) ?? at, by));
  return sums;
}

/** From what was shown since the newest fill that is kept, where it is clear what came after it; else from that fill. */
function chainOf(told: MarketTold): Chain | null {
  const orders = told.orders.toSorted((a, b) => a.number - b.number);
  for (const earlier of told.earlier) {
    // Its own time says nothing of a fill that was kept later: it may be of before that all the same.
    const endMs = told.end?.timeMs ?? Number.NEGATIVE_INFINITY;
    if (earlier.timeMs <= endMs || earlier.keptToMs < endMs) break;
    const since = sinceShown(earlier, orders);
    if (since === null) continue;
    const moves = since.map(({ filled: by, toldAtMs }) => ({ by, toldAtMs }));
    return { at: earlier.size, moves, unclear: [] };
  }
  return told.end === null ? null : chainFrom(told.end, orders);
}

/** Orders that it cannot hold; null where one was under way as it was asked for. */
function sinceShown(shown: EarlierPosition, orders: readonly OrderFilling[]): OrderFilling[] | null {
  const since = orders.filter((order) => isSentSince(shown, order));
  const isHeld = ({ toldAtMs }: OrderFilling) => toldAtMs < shown.askedAtMs && toldAtMs <= shown.timeMs;
  const isClear = orders.every((order) => since.includes(order) || isHeld(order));
  return isClear ? since : null;
}

/** One that was found after a restore, or taken in from elsewhere, is stored later than it was sent. */
function isSentSince(shown: EarlierPosition, { number, sentAtMs }: OrderFilling): boolean {
  return number > shown.lastNumber && sentAtMs !== null && sentAtMs >= shown.askedAtMs;
}

/** Orders of which fills lack, by whether they came after the newest one that is kept. */
function chainFrom(end: KeptEnd, orders: readonly OrderFilling[]): Chain | null {
  const missing = orders.filter((order) => !isZero(missingOf(order)));
  const owners = orders.filter(({ oid }) => oid !== null && end.oids.includes(oid));
  const since = missing.filter((order) => isSince(end, owners, order));
  const unclear = missing.filter((order) => !since.includes(order) && !isUntil(end, owners, order));
  if (unclear.length > MAX_UNCLEAR) return null;
  return { at: end.size, moves: since.map(notKeptOf), unclear: unclear.map(notKeptOf) };
}

/** It was sent when all that is kept of that fill's own order had been told. */
function isSince(end: KeptEnd, owners: readonly OrderFilling[], order: OrderFilling): boolean {
  const { sentAtMs } = order;
  if (sentAtMs === null) return false;
  if (sentAtMs - CLOCK_DOUBT_MS > end.timeMs) return true;
  return owners.some(
    (owner) => owner.number < order.number && owner.toldAtMs <= sentAtMs && compare(owner.kept, owner.filled) === 0,
  );
}

/** It had been told when that fill's own order was sent. */
function isUntil(end: KeptEnd, owners: readonly OrderFilling[], order: OrderFilling): boolean {
  if (order.toldAtMs + CLOCK_DOUBT_MS < end.timeMs) return true;
  return owners.some(
    ({ number, sentAtMs }) => number > order.number && sentAtMs !== null && order.toldAtMs <= sentAtMs,
  );
}

function notKeptOf(order: OrderFilling): NotKept {
  return { by: missingOf(order), toldAtMs: order.toldAtMs };
}

function missingOf({ filled, kept }: OrderFilling): Decimal {
  return subtract(filled, kept);
}

/** Whether something was told that came after it was shown. */
function isOfBeforeSome(told: MarketTold, shown: EarlierPosition): boolean {
  return (
    told.fills.some(({ timeMs }) => timeMs > shown.timeMs && timeMs < told.untilMs) ||
    told.orders.some((order) => isSentSince(shown, order) && isClaimed(told, order.toldAtMs))
  );
}
