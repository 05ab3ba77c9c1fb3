/**
 * What was just filled, kept in memory alone: an account's position may have been told before it. A rollback takes nothing back, for the
 * exchange has told it: what is run again afterwards counts twice until the next position.
 */
import { add, type Decimal, isNegative, isZero, ZERO } from "../core/decimal.ts";
import { isSpot } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Store } from "./open.ts";

/**
 * Of a fill that was heard of, monotonic milliseconds, or unix milliseconds of our wall clock where nobody counts those; of one that names its
 * own time, unix milliseconds of the exchange's.
 */
export type FilledAt = { clock: "monotonic" | "wall" | "exchange"; atMs: number };

/** `bot`: null for what no bot has placed. */
type JustFilled = { bot: string | null; side: Side; reduceOnly: boolean; size: Decimal; at: FilledAt };

/** By account and market, what each bot was filled on each side, the newest last. */
export type JustFilledBook = Map<string, Map<string, JustFilled[]>>;

/** So long a fill is kept, milliseconds: three times as long as a position may be old. */
export const KEPT_MS = 30_000;
/** Fills of one bot, on one side, are kept as one, of the later time, where they are of the same such piece of time; milliseconds. */
const TOGETHER_MS = 250;

type OfMarket = { accountId: string; market: string };

/** Notes what may move a position: what is taken back or is of spot moves none. */
export function noteJustFilled(store: Store, of: OfMarket, fill: JustFilled): void {
  const { reduceOnly, bot, side, size, at } = fill;
  if (isZero(size) || isNegative(size) || isSpot(of.market)) return;
  const { justFilled } = store.memory;
  const name = nameOf(of);
  const ofMarket = justFilled.get(name) ?? new Map<string, JustFilled[]>();
  justFilled.set(name, ofMarket);
  const whose = `${side} ${reduceOnly} ${bot ?? ""}`;
  const kept = ofMarket.get(whose) ?? [];
  const last = kept.at(-1);
  if (last !== undefined && pieceOf(last.at) === pieceOf(at)) {
    kept[kept.length - 1] = { ...last, size: add(last.size, size), at: laterOf(last.at, at) };
    return;
  }
  // Once a piece of time, and not with each fill: a bot may be filled a hundred times in one.
  ofMarket.set(whose, [...kept.filter((each) => isNear(each.at, at)), { bot, side, reduceOnly, size, at }]);
}

/** Two of different clocks are not compared. */
function isNear(one: FilledAt, other: FilledAt): boolean {
  return one.clock !== other.clock || Math.abs(one.atMs - other.atMs) <= KEPT_MS;
}

function pieceOf({ clock, atMs }: FilledAt): string {
  return `${clock} ${Math.floor(atMs / TOGETHER_MS)}`;
}

function laterOf(one: FilledAt, other: FilledAt): FilledAt {
  return one.atMs > other.atMs ? one : other;
}

/**
 * What was filled, of the times that are asked for, by the bot itself and by all others, of whom what only reduces makes no position of
 * its side.
 */
export function sumJustFilled(
  store: Pick<Store, "memory">,
  of: OfMarket & { bot: string },
  isAsked: (at: FilledAt) => boolean,
): Record<Side, Decimal> {
  return sumOf(store, of, ({ bot, reduceOnly, at }) => {
    const isMoved = bot === of.bot || !reduceOnly;
    return isMoved && isAsked(at);
  });
}

/** All that was filled, of the times that are asked for, by whomever, and what only reduces as well. */
export function sumAllJustFilled(
  store: Pick<Store, "memory">,
  of: OfMarket,
  isAsked: (at: FilledAt) => boolean,
): Record<Side, Decimal> {
  return sumOf(store, of, ({ at }) => isAsked(at));
}

function sumOf(
  { memory }: Pick<Store, "memory">,
  of: OfMarket,
  isCounted: (fill: JustFilled) => boolean,
): Record<Side, Decimal> {
  const sums = { buy: ZERO, sell: ZERO };
  const ofMarket = memory.justFilled.get(nameOf(of));
  if (ofMarket === undefined) return sums;
  for (const fills of ofMarket.values()) {
    for (const fill of fills) if (isCounted(fill)) sums[fill.side] = add(sums[fill.side], fill.size);
  }
  return sums;
}

function nameOf({ accountId, market }: OfMarket): string {
  return `${accountId} ${market}`;
}
