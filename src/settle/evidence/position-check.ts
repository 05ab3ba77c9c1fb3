import { compare, type Decimal, isZero, ZERO } from "../../core/decimal.ts";
import { BEHIND_MS, type PositionWord } from "../../core/evidence.ts";
import { dexOf, findMarket, isSpot } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import {
  listNewestFillsByMarket,
  listNewestFillsIn,
  listNextFillsIn,
  type PositionFill,
} from "../../store/position-fills.ts";
import { listUnkept, type ShortLeg } from "../../store/short-of-fills.ts";
import { type ClearinghouseState, parseClearinghouseState } from "../../wire/answer/account.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { sumFills } from "../fills/fill-pages.ts";
import { compareBalance } from "./balance-check.ts";
import { positionAfter } from "./last-end.ts";
import { readPositions } from "./position-readings.ts";

type Compared = { user: string; accountId: string; market: string; read: readonly Fill[]; sinceMs?: number };

/**
 * Whether the position in a perpetual stands where the fills that we know have left it: a store of its own that would show
 * a fill which the others do not show yet.
 *
 * @param about `read`: fills that were just read, which may be newer than those that are kept. `sinceMs`: of which moment it has to
 *   be newer to say that nothing has moved it, exchange time, unix milliseconds; left out where any reading counts
 */
export async function comparePosition(
  world: With<"exchange" | "feeds" | "store">,
  about: Compared,
  options: InfoOptions,
): Promise<PositionWord> {
  const { user, market } = about;
  // Spot has balances, which other things move as well.
  if (isSpot(market)) return "unknown";
  const state = await readPositions(world, { user, dex: dexOf(market) }, options);
  return state === null ? "unknown" : wordOf(world, about, state);
}

/**
 * The same of any market, of what has been over since `sinceMs`: on spot by a balance, which has no time of its own and is asked for when
 * no server is from before that any more.
 */
export async function compareHolding(
  world: With<"exchange" | "feeds" | "markets" | "store">,
  about: Compared & { sinceMs: number; side: "buy" | "sell" },
  options: InfoOptions,
): Promise<PositionWord> {
  if (!isSpot(about.market)) return comparePosition(world, about, options);
  return world.exchange.nowMs() < about.sinceMs + BEHIND_MS ? "behind" : compareBalance(world, about, options);
}

/**
 * What the position that a feed shows says of the fills that are known. It costs nothing and is no proof: it can say
 * that fills are missing, not that none are.
 */
export function comparePictured(
  world: With<"picture" | "store">,
  about: Omit<Compared, "sinceMs"> & { sinceMs: number },
): PositionWord {
  const { user, market, sinceMs } = about;
  const state = isSpot(market) ? null : world.picture.state(user, dexOf(market));
  if (state === null || state.timeMs <= sinceMs) return "unknown";
  return wordOf(world, about, state.value) === "moved" ? "moved" : "unknown";
}

/**
 * Asked after the answer: what the stream has told meanwhile counts. In a market that is traded all the time that is mostly something: of what
 * came after the answer's own time it shows nothing, and what was filled up to then has to have left what it shows. Its time alone does not vouch
 * for that: what came next has to have started there too, which tells of a fill between that nobody has listed.
 */
export function wordOf(world: With<"store">, about: Compared, state: ClearinghouseState): PositionWord {
  const now = wordByFills(world, about, { state, beforeMs: Number.POSITIVE_INFINITY });
  if (now !== "moved" || about.sinceMs === undefined) return now;
  const nextMs = state.timeMs + 1;
  const then = wordByFills(world, about, { state, beforeMs: nextMs });
  if (then === "behind") return then;
  const next = { shown: shownIn(state, about.market), nextMs };
  return then === "unmoved" && hasGoneOnFrom(world, about, next) ? then : now;
}

/** Whether the next that is known to have been filled, from a moment on, started from this position. */
function hasGoneOnFrom(
  { store }: With<"store">,
  about: Compared,
  { shown, nextMs }: { shown: Decimal; nextMs: number },
): boolean {
  const kept = listNextFillsIn(store, about.accountId, about.market, nextMs);
  const all = [...kept, ...inMarket(about).filter(({ timeMs }) => timeMs >= nextMs)];
  const firstMs = Math.min(...all.map(({ timeMs }) => timeMs));
  return all.some(({ timeMs, startPosition }) => timeMs === firstMs && compare(startPosition, shown) === 0);
}

function shownIn({ positions }: ClearinghouseState, market: string): Decimal {
  return positions.find(({ coin }) => coin === market)?.signedSize ?? ZERO;
}

/** By the fills that are older than `beforeMs` alone, exchange time, unix milliseconds. */
function wordByFills(
  world: With<"store">,
  about: Compared,
  { state, beforeMs }: { state: ClearinghouseState; beforeMs: number },
): PositionWord {
  const { accountId, market } = about;
  const shown = shownIn(state, market);
  const kept = listNewestFillsIn(world.store, accountId, market, beforeMs);
  const isIndexed = findFillCursor(world.store, accountId) !== null;
  const read = inMarket(about).filter(({ timeMs }) => timeMs < beforeMs);
  const newest = newestOf(kept ?? [], read);
  // Without a fill the position is nothing, where every fill that there has been is kept.
  const isKnown = newest.length > 0 || (kept !== null && isIndexed);
  const expected = isKnown ? positionAfter(world.store, about, newest) : null;
  if (expected === null) return "unknown";
  if (compare(shown, expected) !== 0) return "moved";
  // It has moved with these, and stands here again: what else there is may have been made up for as well.
  if (listUnread(world.store, about).some((order) => order.market === market)) return "behind";
  return about.sinceMs === undefined || state.timeMs > about.sinceMs ? "unmoved" : "behind";
}

/** Orders of which more was filled than is kept, and was just read. */
export function listUnread(store: Store, { accountId, read }: Pick<Compared, "accountId" | "read">): ShortLeg[] {
  const isRead = ({ oid, filled }: ShortLeg) =>
    compare(sumFills(read.filter((fill) => fill.oid === oid)).size, filled) >= 0;
  return listUnkept(store, accountId).filter((order) => !isRead(order));
}

/** What the newest fills that are known leave in each perpetual, signed; none that is flat, or where they do not tell. */
export function heldByFills(store: Store, accountId: string): Map<string, Decimal> {
  const left = [...listNewestFillsByMarket(store, accountId)].flatMap(([market, fills]): [string, Decimal][] => {
    const position = isSpot(market) ? null : positionAfter(store, { accountId, market }, fills);
    return position === null || isZero(position) ? [] : [[market, position]];
  });
  return new Map(left);
}

/**
 * What the fills that are known leave of a perpetual, signed: what takes a position away leaves a fill, so that no position which shows
 * less is believed alone. Null where they do not tell, or where more was filled than is kept.
 */
export function leftByFills(store: Store, accountId: string, market: string): Decimal | null {
  if (listUnkept(store, accountId).some((order) => order.market === market)) return null;
  const newest = listNewestFillsIn(store, accountId, market);
  return newest === null ? null : positionAfter(store, { accountId, market }, newest);
}

/** A server that shows no position against the fills is believed after so long: a market may be settled without one. Milliseconds. */
export const SETTLED_AFTER_MS = 10 * 60_000;

/**
 * Whether a perpetual is over by the list of markets, and an answer of after that moment shows nothing held there: it was settled, which
 * leaves no fill, so that no position ever stands where the known fills have left it.
 */
export async function isSettled(
  world: With<"exchange" | "markets">,
  { user, market, sinceMs }: { user: string; market: string; sinceMs: number },
  options: InfoOptions,
): Promise<boolean> {
  const universe = world.markets.current();
  if (universe === null || isSpot(market) || findMarket(universe, market)?.isDelisted !== true) return false;
  const outcome = await world.exchange.info({ type: "clearinghouseState", user, dex: dexOf(market) }, options);
  const state = outcome.kind === "ok" ? parseClearinghouseState(outcome.json) : null;
  if (state === null || state.timeMs <= sinceMs) return false;
  return state.positions.every(({ coin, signedSize }) => coin !== market || isZero(signedSize));
}

function inMarket({ market, read }: { market: string; read: readonly Fill[] }): PositionFill[] {
  return read
    .filter(({ coin }) => coin === market)
    .map(({ side, ...fill }) => ({ ...fill, side: side === "B" ? ("buy" as const) : ("sell" as const) }));
}

/** Those of the newest moment, each once: what was read may be kept already. */
function newestOf(kept: readonly PositionFill[], read: readonly PositionFill[]): PositionFill[] {
  const newestMs = Math.max(...[...kept, ...read].map(({ timeMs }) => timeMs));
  const own = kept.filter(({ timeMs }) => timeMs === newestMs);
  const unmatched = own.map(shapeOf);
  const others = read.filter((fill) => {
    const place = fill.timeMs === newestMs ? unmatched.indexOf(shapeOf(fill)) : -1;
    if (place >= 0) unmatched.splice(place, 1);
    return fill.timeMs === newestMs && place < 0;
  });
  return [...own, ...others];
}

function shapeOf({ side, size, startPosition }: PositionFill): string {
  return `${side} ${size} ${startPosition}`;
}
