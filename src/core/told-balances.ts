/** Whether balances hold all that was told to have moved them. They name no time: what they add up to says of when they are. */
import { type Decimal, toUnits, ZERO } from "./decimal.ts";

/**
 * What has moved at one moment, by token; null for a token that it moved by nobody knows how much. Exchange time, unix milliseconds. `parts`: of so many
 * amounts, each of which the exchange has rounded by itself.
 */
export type BalanceMove = { timeMs: number; amounts: ReadonlyMap<string, Decimal | null>; parts: number };

/**
 * Totals by token, zero where one is missing. They hold what came up to `leastMs` and nothing from after `mostMs`; exchange time. `parts`: of so many
 * amounts beside the balance itself, each of which the exchange has rounded.
 */
export type BalanceReading = { totals: ReadonlyMap<string, Decimal>; leastMs: number; mostMs: number; parts: number };

/**
 * `holds`: nothing that is known is missing, as nothing is new, or as they are what earlier ones and all moves since come to. `before`: they are what earlier
 * ones and some of the moves come to. `unclear`: something else has moved them, or they may be either.
 */
export type BalancesWord = "holds" | "before" | "unclear";

/** Totals are compared in units of so many decimals. */
const SCALE = 8;
/** By so much the exchange's own rounding of what it tells of one part of a move may be wrong, in such units. */
const ROUNDED = 200n;

type BalancesTold = {
  /** Oldest first, one for each moment. */
  moves: readonly BalanceMove[];
  readings: readonly BalanceReading[];
};

/** `shown`: its `mostMs` is not looked at, for all that is known was told before it was asked for. */
export function balancesWord(shown: BalanceReading, { moves, readings }: BalancesTold): BalancesWord {
  if (moves.every(({ timeMs }) => timeMs <= shown.leastMs)) return "holds";
  const tokens = [...new Set(moves.flatMap(({ amounts }) => [...amounts.keys()]))];
  const sums = new Map(tokens.map((token) => [token, sumsOf(moves, token)]));
  const wordOf = (some: readonly string[]): BalancesWord =>
    wordBy(
      readings.map((reading) =>
        placesOf(shown, reading, { moves, sums: some.map((one) => [one, sums.get(one) ?? []]) }),
      ),
    );
  const together = wordOf(tokens);
  if (together !== "unclear") return together;
  // What nobody knows may have moved one of them: another still shows that it is of before.
  return tokens.some((token) => wordOf([token]) === "before") ? "before" : "unclear";
}

/** After how many of the moves it may be, as one earlier reading has it, and how many it has to hold. */
type MovePlaces = { found: readonly number[]; needed: number };

function wordBy(each: readonly MovePlaces[]): BalancesWord {
  const clear = each.filter(({ found }) => found.length > 0);
  if (clear.some(({ found, needed }) => found.every((place) => place < needed))) return "before";
  return clear.some(({ found, needed }) => found.every((place) => place >= needed)) ? "holds" : "unclear";
}

type OfTokens = { moves: readonly BalanceMove[]; sums: readonly (readonly [string, readonly MovedSum[]])[] };

function placesOf(shown: BalanceReading, reading: BalanceReading, { moves, sums }: OfTokens): MovePlaces {
  const leastStart = countUpTo(moves, reading.leastMs);
  const starts = range(leastStart, Math.max(leastStart, countUpTo(moves, reading.mostMs)));
  const leastPlace = countUpTo(moves, shown.leastMs);
  // What neither of them lists is paid out of something else.
  const listed = sums.filter(([token]) => shown.totals.has(token) || reading.totals.has(token));
  const isAt = (place: number): boolean =>
    starts.some((start) =>
      listed.every(([token, ofToken]) => {
        const gap = units(shown.totals, token) - units(reading.totals, token);
        return isGap({ gap, parts: shown.parts + reading.parts }, ofToken[start], ofToken[place]);
      }),
    );
  const found = listed.length === 0 ? [] : range(leastPlace, moves.length).filter(isAt);
  // Up to the last that moves one of these.
  const last = moves.findLastIndex(({ amounts }) => listed.some(([token]) => amounts.has(token)));
  return { found, needed: Math.max(last + 1, leastPlace) };
}

/** True where what has moved between two places comes to that; never where some of it is not known. */
function isGap(
  { gap, parts }: { gap: bigint; parts: number },
  from: MovedSum | undefined,
  to: MovedSum | undefined,
): boolean {
  if (from === undefined || to === undefined || from.unknown !== to.unknown) return false;
  const wrong = to.sum - from.sum - gap;
  const spread = ROUNDED * BigInt(parts + Math.abs(to.moved - from.moved));
  return wrong <= spread && wrong >= -spread;
}

type MovedSum = { sum: bigint; moved: number; unknown: number };

/** What all moves up to each place come to, with of how many parts it is and how many of these by nobody knows how much. */
function sumsOf(moves: readonly BalanceMove[], token: string): MovedSum[] {
  const sums: MovedSum[] = [{ sum: 0n, moved: 0, unknown: 0 }];
  for (const { amounts, parts } of moves) {
    const { sum, moved, unknown } = sums.at(-1) ?? { sum: 0n, moved: 0, unknown: 0 };
    const amount = amounts.get(token);
    if (amount === undefined) sums.push({ sum, moved, unknown });
    else if (amount === null) sums.push({ sum, moved: moved + parts, unknown: unknown + 1 });
    else sums.push({ sum: sum + toUnits(amount, SCALE), moved: moved + parts, unknown });
  }
  return sums;
}

function units(totals: ReadonlyMap<string, Decimal>, token: string): bigint {
  return toUnits(totals.get(token) ?? ZERO, SCALE);
}

/** Moves up to a time: those are the first ones. */
function countUpTo(moves: readonly BalanceMove[], timeMs: number): number {
  const first = moves.findIndex((move) => move.timeMs > timeMs);
  return first === -1 ? moves.length : first;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_each, nth) => from + nth);
}
