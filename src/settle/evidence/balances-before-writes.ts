/** Balances that a server shows as of before something that was told: they name no time, and what they add up to tells of when they are. */
import type { Account } from "../../core/account.ts";
import { compare, type Decimal } from "../../core/decimal.ts";
import type { ShownState } from "../../core/mark.ts";
import { dexOf, isSpot } from "../../core/market.ts";
import { type BalanceMove, type BalanceReading, type BalancesWord, balancesWord } from "../../core/told-balances.ts";
import type { With } from "../../deps.ts";
import { listAccountsAt } from "../../store/accounts.ts";
import { type FilledLeg, listNewFilledLegs } from "../../store/filled-legs.ts";
import { listNewFills } from "../../store/position-fills.ts";
import { areSameTotals, listShownBalances, noteShownBalances, type ShownBalances } from "../../store/shown-balances.ts";
import type { AccountMode, SpotBalance } from "../../wire/answer/account.ts";
import { tokensOf } from "./balance-check.ts";
import {
  type MovesAmong,
  momentsOf,
  movesByFill,
  movesByLedger,
  movesByMargin,
  type TokenMove,
} from "./balance-moves.ts";
import { areBeforeFills, heldByFillsMs } from "./balances-before.ts";
import { CASH } from "./dex-token.ts";
import { ordersNotHeld } from "./held-back.ts";
import { type GivenMargin, givenMargins, isolatedNow, withIsolated } from "./isolated-collateral.ts";
import { type MomentsNow, momentsNow } from "./moments-now.ts";

type ToDoubt = With<"clock" | "exchange" | "markets" | "picture" | "settings" | "store">;
type BalancesShown = Pick<ShownState, "timeMs" | "heard"> & { mode: AccountMode; balances: readonly SpotBalance[] };

/**
 * Why balances are not told. `before`: they are of before something that was told. `fills`: something was told to be filled of which the fills lack.
 * `moved`: something else has moved them, which may be known soon. `held`: less is held back than these orders hold.
 */
export type BalancesDoubt = { kind: "before" | "fills" | "moved" } | { kind: "held"; orderIds: readonly string[] };

/** So long a server is taken to be behind for, milliseconds: what it shows after that is taken for what is. */
const DOUBTED_FOR_MS = 20_000;
/** By so much our idea of the exchange's time may be wrong beside what is known of that, milliseconds. */
const CLOCK_SLACK_MS = 500;
/** Moves that are looked at, the newest: what was shown before these is compared with nothing. */
const MAX_MOVES = 64;

/**
 * Null where they may be told as of now. What was shown before, and all that is known to have moved it since (fills; where collateral is shared what
 * perpetuals pay, what isolated positions hold and what we have given these; transfers and funding that have been read), says what they have to be. What a feed tells comes in the order in which it happened, and is
 * doubted only where it is of before for certain; what is read has to be what it comes to, and has to hold back what open orders of ours do. After
 * `DOUBTED_FOR_MS` without anything new what is shown is what is. All that is shown is remembered.
 */
export function balancesDoubt(world: ToDoubt, account: Account, shown: BalancesShown): BalancesDoubt | null {
  if (areBeforeFills(world, account.id, shown.balances)) return { kind: "before" };
  const universe = world.markets.current();
  if (universe === null) return null;
  const among = { universe, isShared: shown.mode !== "standard" };
  const isRead = shown.heard === null;
  const held = { totals: totalsOf(shown.balances), isolated: isolatedNow(world, account.tradingAddress) };
  const heldMs = heldByFillsMs(world, account.id, shown.balances) ?? Number.NEGATIVE_INFINITY;
  const leastMs = Math.max(shown.timeMs - DOUBTED_FOR_MS, heldMs);
  const unlisted = unlistedLegs(world, account, among.isShared);
  const readings = listShownBalances(world.store, account.id);
  const known = knownMoves(world, account, { ...among, leastMs, readings, isNewsKnown: unlisted.length > 0 });
  const moves = isRead ? known.moves : newest(momentsOf([...known.all, ...movesUnknown(world, unlisted, among)]));
  const usable = readings.filter((reading) => reading.leastMs >= known.afterMs);
  const told = { moves, readings: usable, given: known.given };
  const word = wordOf(world, account.id, { ...held, leastMs, mostMs: shown.timeMs }, { ...told, ...among });
  const isProven = word === "holds" && unlisted.length === 0;
  const provenMs = isProven ? (moves.at(-1)?.timeMs ?? leastMs) : leastMs;
  note(world, account.id, { ...held, leastMs: Math.max(leastMs, provenMs) });
  const isBlind = () => among.isShared && isFilledUnseen(world, account.id, known.afterMs);
  const doubt = doubtBy(word, { isRead, isUnlisted: unlisted.length > 0, isBlind });
  if (doubt !== null) return doubt;
  const orderIds = ordersNotHeld(world, account, { ...shown, universe, withinMs: DOUBTED_FOR_MS });
  return orderIds === null ? null : { kind: "held", orderIds };
}

type HeldTotals = Omit<ShownBalances, "firstMs">;
type ToldBefore = {
  moves: readonly BalanceMove[];
  readings: readonly HeldTotals[];
  given: readonly GivenMargin[];
  isShared: boolean;
};

/** With what isolated positions hold of them; and by themselves, for positions may be of another moment. */
function wordOf({ store }: With<"store">, accountId: string, shown: HeldTotals, told: ToldBefore): BalancesWord {
  const { moves, readings, given } = told;
  const isIsolated = told.isShared && [shown, ...readings].some(holdsIsolated);
  const wholeOf = (one: HeldTotals): BalanceReading | null => withIsolated({ store, accountId, given }, one);
  const whole = isIsolated ? wholeOf(shown) : null;
  const word =
    whole === null
      ? "unclear"
      : balancesWord(whole, { moves, readings: readings.flatMap((one) => wholeOf(one) ?? []) });
  if (word !== "unclear") return word;
  return balancesWord({ ...shown, parts: 0 }, { moves, readings: readings.map((one) => alone(one, readings)) });
}

function holdsIsolated({ isolated }: HeldTotals): boolean {
  return [...isolated.values()].some(({ parts }) => parts > 0);
}

/** Whatever stood beside them: the same totals are of the same time. */
function alone({ totals }: HeldTotals, readings: readonly HeldTotals[]): BalanceReading {
  const same = readings.filter((other) => areSameTotals(other, { totals }));
  const leastMs = Math.max(...same.map((other) => other.leastMs));
  return { totals, leastMs, mostMs: Math.min(...same.map((other) => other.mostMs)), parts: 0 };
}

type DoubtFacts = { isRead: boolean; isUnlisted: boolean; isBlind(): boolean };

function doubtBy(word: BalancesWord, { isRead, isUnlisted, isBlind }: DoubtFacts): BalancesDoubt | null {
  // What is not listed yet may make up for what lacks.
  if (isRead && isUnlisted) return { kind: "fills" };
  if (word === "before") return { kind: "before" };
  if (!isRead) return null;
  return word === "unclear" && !isBlind() ? { kind: "moved" } : null;
}

/** Of a dex whose positions are not read: what these have taken out of the balance, or given back, nobody tells. */
function isFilledUnseen({ settings, store }: With<"settings" | "store">, accountId: string, afterMs: number): boolean {
  const read = ["", ...settings.dexes];
  return listNewFills(store, accountId, afterMs).some(({ market }) => !isSpot(market) && !read.includes(dexOf(market)));
}

/** What a feed has just shown of an address: asked for or not, it is what stood there. */
export function noteTold(world: With<"exchange" | "picture" | "settings" | "store">, address: string): void {
  const spot = world.picture.spot(address);
  if (spot === null || spot.heard === null) return;
  const held = { totals: totalsOf(spot.value), isolated: isolatedNow(world, address) };
  for (const { id } of listAccountsAt(world.store, address))
    note(world, id, { ...held, leastMs: spot.timeMs - DOUBTED_FOR_MS });
}

function totalsOf(balances: readonly SpotBalance[]): Map<string, Decimal> {
  return new Map(balances.map(({ coin, total }) => [coin, total]));
}

type NotedTotals = Pick<ShownBalances, "totals" | "isolated" | "leastMs">;

/** @param noted `leastMs`: up to when it holds all that is known */
function note({ exchange, store }: With<"exchange" | "store">, accountId: string, noted: NotedTotals): void {
  const nowMs = exchange.nowMs();
  const mostMs = nowMs + exchange.mayBeAheadMs() + CLOCK_SLACK_MS;
  noteShownBalances(store, accountId, { ...noted, mostMs, firstMs: nowMs });
}

type KnownMoves = { all: TokenMove[]; moves: BalanceMove[]; given: readonly GivenMargin[]; afterMs: number };

/** All moves since what is remembered was shown, or as many as are looked at; none where nothing is new. */
function knownMoves(
  world: ToDoubt,
  { id }: Account,
  among: MovesAmong & { leastMs: number; readings: readonly ShownBalances[]; isNewsKnown: boolean },
): KnownMoves {
  const { leastMs, readings } = among;
  if (!among.isNewsKnown && movesSince(world, id, { ...among, sinceMs: leastMs }).all.length === 0)
    return { all: [], moves: [], given: [], afterMs: leastMs };
  const sinceMs = Math.min(leastMs, ...readings.map((reading) => reading.leastMs));
  const { all, given } = movesSince(world, id, { ...among, sinceMs });
  const moves = momentsOf(all);
  const kept = newest(moves);
  const afterMs = kept.length < moves.length ? (kept[0]?.timeMs ?? sinceMs) : sinceMs;
  return { all, moves: kept, given, afterMs };
}

function movesSince(
  world: ToDoubt,
  accountId: string,
  { sinceMs, ...among }: MovesAmong & { sinceMs: number },
): Pick<KnownMoves, "all" | "given"> {
  const { store } = world;
  const given = among.isShared ? givenMargins(world, accountId, sinceMs) : [];
  const all = [
    ...listNewFills(store, accountId, sinceMs).flatMap((fill) => movesByFill(fill, among)),
    ...movesByLedger(store, accountId, { afterMs: sinceMs, isShared: among.isShared }),
    ...movesByMargin(store, accountId, given),
  ];
  return { all, given };
}

function newest(moves: readonly BalanceMove[]): BalanceMove[] {
  return moves.slice(-MAX_MOVES);
}

/** Told to be filled a moment ago, of balances that are told, and not of what their fills come to. */
function unlistedLegs(world: ToDoubt, { id }: Account, isShared: boolean): FilledLeg[] {
  const moments = momentsNow(world);
  const isNews = (leg: FilledLeg) => {
    const agoMs = moments.nowMs - toldAtMs(moments, leg);
    return agoMs >= 0 && agoMs <= DOUBTED_FOR_MS;
  };
  return listNewFilledLegs(world.store, id)
    .filter(({ market }) => isShared || isSpot(market))
    .filter((leg) => compare(leg.kept, leg.filled) < 0 && isNews(leg));
}

function toldAtMs(now: MomentsNow, leg: FilledLeg): number {
  const { moments, seenAtMs, createdAtMs } = leg;
  const elapsedMs = moments.filledElapsedMs ?? moments.sentElapsedMs;
  return elapsedMs === null ? now.ofNoted(seenAtMs ?? createdAtMs, leg) : now.ofMonotonic(elapsedMs);
}

/** By how much nobody can say yet. In which another dex pays its fills say. */
function movesUnknown(world: ToDoubt, legs: readonly FilledLeg[], { universe }: MovesAmong): TokenMove[] {
  const now = momentsNow(world);
  return legs.flatMap(({ market, moments: { sentElapsedMs }, createdAtMs }) => {
    const timeMs = sentElapsedMs === null ? now.ofWall(createdAtMs) : now.ofMonotonic(sentElapsedMs);
    const native = dexOf(market) === "" ? [CASH] : [];
    const tokens = isSpot(market) ? tokensOf(universe, market) : native;
    return tokens.map((token) => ({ timeMs, token, amount: null }));
  });
}
