/** What readings of an isolated position prove of a change to its margin: a delta without an id, which its cash alone shows. */
import { add, compare, type Decimal, subtract, ZERO } from "./decimal.ts";
import { BEHIND_MS } from "./evidence.ts";

/** What tells a change of margin: an isolated position's cash, with what else may have moved it. */
export type MarginReading = { signedSize: Decimal; rawUsd: Decimal; fundingSinceOpen: Decimal };

/**
 * A position as an answer has it; `reading` is null where it shows no isolated one. Times of the exchange, unix milliseconds: the
 * answer's own, and when it was asked for. The former says which of two is newer, and not that what it stands on is of then.
 */
export type TimedMargin = { askedAtMs: number; timeMs: number; reading: MarginReading | null };

/** A reading taken before a change. `isProven`: it has all that went before. */
export type MarginBefore = TimedMargin & { isProven: boolean };

/** A change of ours to the margin of a position. `endsAtMs`: by then it has run or never will, exchange time, unix milliseconds. */
export type MarginChange = { amount: Decimal; endsAtMs: number };

/** Another one of the same position, which was not refused. */
export type OtherMargin = MarginChange & {
  /** True where it is known to have been carried out; else it may have been. */
  isDone: boolean;
  /** Beside: after the first reading was asked for, and before the change that is looked for. */
  signed: "before the reading" | "beside it" | "after the change";
};

/** The last change of ours before a reading, with the reading that was taken before it. */
export type EarlierMargin = MarginChange & { isDone: boolean; before: MarginBefore | null };

/** What a reading that is to be taken before a change is held against. */
export type KnownBefore = { last: EarlierMargin | null; newestFillAtMs: number | null };

/**
 * True when a reading that is taken before a change has all that went before it: it is of after the last fill that is known, and
 * no server can be from before the last change of ours any more, or it shows just what that change did.
 */
export function hasAllBefore(read: TimedMargin, { last, newestFillAtMs }: KnownBefore): boolean {
  if (newestFillAtMs !== null && newestFillAtMs > read.timeMs) return false;
  return last === null || hasSettled(last, read) || showsLast(read, last);
}

/**
 * True when one that does not have all of it may have it if it is asked for again: it is of before a fill by its own time, or nothing was
 * traded since the last change and it does not show that, or that may still turn out to be done. What was traded hides it from every server;
 * and of one before which nothing is proven no answer tells that it has it before no server can be behind.
 */
export function isWorthReadingAgain(read: TimedMargin, known: KnownBefore): boolean {
  const { last, newestFillAtMs } = known;
  if (hasAllBefore(read, known)) return false;
  if (newestFillAtMs !== null && newestFillAtMs > read.timeMs) return true;
  if (last === null || last.before?.isProven !== true) return false;
  return last.isDone ? cashBetween(last.before.reading, read.reading) !== null : read.timeMs <= last.endsAtMs;
}

function showsLast(read: TimedMargin, { isDone, before, amount }: EarlierMargin): boolean {
  if (!isDone || before?.isProven !== true || read.timeMs < before.timeMs) return false;
  const change = cashBetween(before.reading, read.reading);
  return change !== null && compare(change, amount) === 0;
}

/** What is known around a change, and of the fills of its position. */
export type AroundMargin = {
  before: MarginBefore;
  after: TimedMargin;
  others: readonly OtherMargin[];
  newestFillAtMs: number | null;
};

/**
 * Whether a change has moved the position's cash. Every other change of ours may be in each of the two readings, or not, as long as a server
 * may be from before it: only what all of these ways leave as the one answer is told. Null where there is none: a reading of before
 * the first, fills that moved the position, cash that somebody else moved.
 */
export function concludeMargin(change: MarginChange, around: AroundMargin): "moved" | "unmoved" | null {
  const { before, after, newestFillAtMs } = around;
  if (after.timeMs < before.timeMs) return null;
  if (newestFillAtMs !== null && newestFillAtMs > before.timeMs) return null;
  const moved = cashBetween(before.reading, after.reading);
  const without = waysWithout(around);
  if (moved === null || without === null) return null;
  const mayBe = without.has(moved);
  const mayBeMoved = [...without].some((way) => compare(add(way, change.amount), moved) === 0);
  if (mayBeMoved && !mayBe) return "moved";
  return mayBe && !mayBeMoved && hasSettled(change, after) ? "unmoved" : null;
}

/** With more ways than so many nothing is told: ten other changes that may be in a reading or not, each by an amount of its own. */
const MAX_WAYS = 1_024;

/** What the cash may have moved by without the change; null where these are too many. */
function waysWithout({ before, after, others }: AroundMargin): Set<Decimal> | null {
  const moves = others.map((other) => new Set(movesOf(other, before, after)));
  let ways = new Set<Decimal>([ZERO]);
  for (const each of moves) {
    ways = new Set([...ways].flatMap((way) => [...each].map((by) => add(way, by))));
    if (ways.size > MAX_WAYS) return null;
  }
  return ways;
}

function movesOf(
  { amount, endsAtMs, isDone, signed }: OtherMargin,
  before: MarginBefore,
  after: TimedMargin,
): Decimal[] {
  const isInFirst = hasSettled({ endsAtMs }, before) || (before.isProven && signed === "before the reading");
  const first = signed === "after the change" ? [ZERO] : isInFirst ? [amount] : [ZERO, amount];
  const second = hasSettled({ endsAtMs }, after) ? [amount] : [ZERO, amount];
  const moves = first.flatMap((had) => second.map((has) => subtract(has, had)));
  return isDone ? moves : [ZERO, ...moves];
}

/** No server can be from before it any more. */
function hasSettled({ endsAtMs }: { endsAtMs: number }, { askedAtMs }: TimedMargin): boolean {
  return askedAtMs > endsAtMs + BEHIND_MS;
}

/** Cash that neither fills nor funding moved; null where that cannot be told. */
function cashBetween(before: MarginReading | null, after: MarginReading | null): Decimal | null {
  if (before === null || after === null) return null;
  if (compare(before.signedSize, after.signedSize) !== 0) return null;
  const paid = subtract(after.fundingSinceOpen, before.fundingSinceOpen);
  return add(subtract(after.rawUsd, before.rawUsd), paid);
}
