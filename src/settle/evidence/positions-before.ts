/** Positions that a server shows as of before fills that were told: its own time vouches for it alone, and for no other store. */
import type { Account } from "../../core/account.ts";
import { type Decimal, smaller, ZERO } from "../../core/decimal.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import type { ShownState } from "../../core/mark.ts";
import { dexOf, isSpot } from "../../core/market.ts";
import { signedSize } from "../../core/signed-size.ts";
import { type KeptEnd, momentOfPosition, type OrderFilling, type PositionMoment } from "../../core/told-position.ts";
import type { With } from "../../deps.ts";
import { type FilledLeg, listNewFilledLegs } from "../../store/filled-legs.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import { listNewestFillsIn, listNewFills, type NewFill } from "../../store/position-fills.ts";
import { type AccountDex, listShownPositions, noteShownPositions } from "../../store/shown-positions.ts";
import type { ClearinghouseState } from "../../wire/answer/account.ts";
import { positionAfter } from "./last-end.ts";
import { type MomentsNow, momentsNow } from "./moments-now.ts";

type ReadPositions = Pick<ClearinghouseState, "positions" | "timeMs"> & Pick<ShownState, "askedAtMs">;

/**
 * Of when they are (`core/told-position`), whatever their time says: `before` where one of them is, `unclear` where nobody can say of one.
 * No server is behind for longer than fills and orders are looked at here. What a feed tells comes in order with its fills.
 */
function momentOfPositions(
  deps: With<"clock" | "exchange" | "store">,
  of: AccountDex,
  { positions, timeMs, askedAtMs }: ReadPositions,
): PositionMoment {
  if (askedAtMs === null) return "now";
  const { store } = deps;
  const times = momentsNow(deps);
  const sinceMs = times.nowMs - BEHIND_MS;
  const fills = listNewFills(store, of.accountId, sinceMs).filter(({ market }) => isOfPerpetuals(market, of.dex));
  const orders = listNewFilledLegs(store, of.accountId)
    .filter(({ market }) => isOfPerpetuals(market, of.dex))
    .map((leg) => ({ market: leg.market, order: toldOf(leg, times) }));
  const sizes = sizesOf(positions);
  const shown = listShownPositions(store, of);
  const news = orders.filter(({ order }) => order.toldAtMs >= sinceMs);
  const moments = [...new Set([...fills, ...news].map(({ market }) => market))].map((market) =>
    momentOfPosition(sizes.get(market) ?? ZERO, {
      fills: fills
        .filter((fill) => fill.market === market)
        .map(({ timeMs: atMs, startPosition }) => ({ timeMs: atMs, start: startPosition })),
      end: endIn(store, of.accountId, { market, fills }),
      orders: orders.filter((each) => each.market === market).map(({ order }) => order),
      earlier: shown.map((each) => ({
        ...each,
        size: each.sizes.get(market) ?? ZERO,
        askedAtMs: times.ofMonotonic(each.askedElapsedMs),
        keptToMs: each.keptTo.newestMs.get(market) ?? each.keptTo.sinceMs,
      })),
      sinceMs,
      untilMs: timeMs,
    }),
  );
  return moments.find((moment) => moment === "before") ?? moments.find((moment) => moment !== "now") ?? "now";
}

/** True where they are of before a fill that was told, or nobody can say whether they are. */
export function arePositionsBefore(
  deps: With<"clock" | "exchange" | "store">,
  of: AccountDex,
  read: ReadPositions,
): boolean {
  return momentOfPositions(deps, of, read) !== "now";
}

/** Remembers what has just been read, and is not of before: later readings are held against it. */
export function noteRead(
  { clock, exchange, store }: With<"clock" | "exchange" | "store">,
  of: AccountDex,
  { positions, timeMs }: Pick<ClearinghouseState, "positions" | "timeMs">,
  askedAtMs: number,
): void {
  const sizes = sizesOf(positions);
  const sinceMs = exchange.nowMs() - BEHIND_MS;
  const oldestFirst = listNewFills(store, of.accountId, sinceMs).toReversed();
  const keptTo = { sinceMs, newestMs: new Map(oldestFirst.map((fill) => [fill.market, fill.timeMs])) };
  // Just noted by our wall clock, and not still to come.
  const askedElapsedMs = clock.elapsedMs() - Math.max(0, clock.nowMs() - askedAtMs);
  noteShownPositions(store, of, { sizes, timeMs, askedElapsedMs, keptTo });
}

function sizesOf(positions: ClearinghouseState["positions"]): Map<string, Decimal> {
  return new Map(positions.map(({ coin, signedSize: size }) => [coin, size]));
}

/** Puts what was read into the picture, where the gate and others look, where it is of now. */
export function takePositions(
  deps: With<"clock" | "exchange" | "picture" | "store">,
  { account, dex }: { account: Account; dex: string },
  { value, askedAtMs }: { value: ClearinghouseState; askedAtMs: number },
): PositionMoment {
  const { positions, timeMs } = value;
  const of = { accountId: account.id, dex };
  const moment = momentOfPositions(deps, of, { positions, timeMs, askedAtMs });
  if (moment !== "now") return moment;
  noteRead(deps, of, value, askedAtMs);
  deps.picture.take(account.tradingAddress, { part: "state", dex, value }, { timeMs, askedAtMs });
  return moment;
}

/**
 * The same. Where it is not of now what bears it out is asked for: it may be of before what was told, or of after a trade by hand, or a
 * liquidation, that is not listed yet.
 */
export function takeOrAskFills(
  deps: With<"clock" | "exchange" | "fillIndex" | "picture" | "store">,
  of: { account: Account; dex: string },
  read: { value: ClearinghouseState; askedAtMs: number },
): PositionMoment {
  const moment = takePositions(deps, of, read);
  if (moment !== "now") deps.fillIndex.readSoon(of.account);
  return moment;
}

function isOfPerpetuals(market: string, dex: string): boolean {
  return !isSpot(market) && dexOf(market) === dex;
}

/** What an earlier process was told is dated by our wall clock, as it goes now or as it stood when the order's number was made. */
function toldOf({ moments, seenAtMs, ...leg }: FilledLeg, times: MomentsNow): OrderFilling {
  const { number, oid, side, filled, kept, attemptedAtMs } = leg;
  const { sentElapsedMs, filledElapsedMs } = moments;
  const signed = (size: Decimal) => signedSize(side, size);
  const byWall = attemptedAtMs === null ? null : times.ofWall(attemptedAtMs);
  return {
    number,
    oid,
    filled: signed(filled),
    kept: signed(smaller(kept, filled)),
    sentAtMs: sentElapsedMs === null ? byWall : times.ofMonotonic(sentElapsedMs),
    toldAtMs:
      filledElapsedMs === null
        ? times.ofNoted(seenAtMs ?? Number.POSITIVE_INFINITY, leg)
        : times.ofMonotonic(filledElapsedMs),
  };
}

/** Where the newest fills of a market have left it, however old they are; flat where every fill is kept and there is none. */
function endIn(
  store: Store,
  accountId: string,
  { market, fills }: { market: string; fills: readonly NewFill[] },
): KeptEnd | null {
  const inMarket = fills.filter((fill) => fill.market === market);
  const newest = inMarket.filter(({ timeMs }) => timeMs === inMarket[0]?.timeMs);
  const kept = newest.length > 0 ? newest : listNewestFillsIn(store, accountId, market);
  if (kept === null) return null;
  const [last] = kept;
  if (last === undefined)
    return findFillCursor(store, accountId) === null
      ? null
      : { size: ZERO, timeMs: Number.NEGATIVE_INFINITY, oids: [] };
  const size = positionAfter(store, { accountId, market }, kept);
  return size === null ? null : { size, timeMs: last.timeMs, oids: newest.map(({ oid }) => oid) };
}
