/** Positions that a server shows as of before fills that were told: its own time vouches for it alone, and for no other store. */
import type { Account } from "../../core/account.ts";
import { type Decimal, smaller, ZERO } from "../../core/decimal.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import type { ShownState } from "../../core/mark.ts";
import { dexOf, isSpot } from "../../core/market.ts";
import { signedSize } from "../../core/signed-size.ts";
import { isPositionBefore, type KeptEnd, type OrderFilling } from "../../core/told-position.ts";
import type { With } from "../../deps.ts";
import { type FilledLeg, listFilledLegs } from "../../store/filled-legs.ts";
import { findFillCursor } from "../../store/fills.ts";
import type { Store } from "../../store/open.ts";
import { listNewestFillsIn, listNewFills, type NewFill } from "../../store/position-fills.ts";
import { listShownPositions, noteShownPositions } from "../../store/shown-positions.ts";
import type { ClearinghouseState } from "../../wire/answer/account.ts";
import { endOf, lastEnd } from "./last-end.ts";

/** Orders that are looked through: further back nothing is told that a server may lack. */
const MAX_LOOKED_AT = 100;

type OfDex = { accountId: string; dex: string };
type ReadState = Pick<ClearinghouseState, "positions" | "timeMs"> & Pick<ShownState, "askedAtMs">;

/**
 * True where one of them stands where it stood before a fill that was told, and not where the last of them has left it
 * (`core/told-position`), although its time says that it is of after it. No server is behind for longer than fills and orders are looked at here. What is read is remembered where it is
 * not of before; what a feed tells comes in order with its fills.
 */
export function arePositionsBefore(
  deps: With<"clock" | "exchange" | "store">,
  of: OfDex,
  { positions, timeMs, askedAtMs }: ReadState,
): boolean {
  if (askedAtMs === null) return false;
  const { store } = deps;
  const nowMs = deps.exchange.nowMs();
  const aheadMs = nowMs - deps.clock.nowMs();
  const sinceMs = nowMs - BEHIND_MS;
  const fills = listNewFills(store, of.accountId, sinceMs).filter(({ market }) => isOfPerpetuals(market, of.dex));
  const orders = listFilledLegs(store, { accountId: of.accountId, newest: MAX_LOOKED_AT })
    .filter(({ market }) => isOfPerpetuals(market, of.dex))
    .map((leg) => ({ market: leg.market, order: toldOf(leg, aheadMs) }));
  const sizes = new Map(positions.map(({ coin, signedSize: size }) => [coin, size]));
  const shown = listShownPositions(store, of);
  const news = orders.filter(({ order }) => order.toldAtMs >= sinceMs);
  const isBefore = [...new Set([...fills, ...news].map(({ market }) => market))].some((market) =>
    isPositionBefore(sizes.get(market) ?? ZERO, {
      fills: fills
        .filter((fill) => fill.market === market)
        .map(({ timeMs: atMs, startPosition }) => ({ timeMs: atMs, start: startPosition })),
      end: endIn(store, of.accountId, { market, fills }),
      orders: orders.filter((each) => each.market === market).map(({ order }) => order),
      earlier: shown.map((each) => ({
        ...each,
        size: each.sizes.get(market) ?? ZERO,
        askedAtMs: each.askedAtMs + aheadMs,
      })),
      sinceMs,
      untilMs: timeMs,
    }),
  );
  if (!isBefore) noteShownPositions(store, of, { sizes, timeMs, askedAtMs });
  return isBefore;
}

/** Puts what was read into the picture, where the gate and others look, but for what is of before: false then. */
export function takePositions(
  deps: With<"clock" | "exchange" | "picture" | "store">,
  { account, dex }: { account: Account; dex: string },
  { value, askedAtMs }: { value: ClearinghouseState; askedAtMs: number },
): boolean {
  const { positions, timeMs } = value;
  if (arePositionsBefore(deps, { accountId: account.id, dex }, { positions, timeMs, askedAtMs })) return false;
  deps.picture.take(account.tradingAddress, { part: "state", dex, value }, { timeMs, askedAtMs });
  return true;
}

function isOfPerpetuals(market: string, dex: string): boolean {
  return !isSpot(market) && dexOf(market) === dex;
}

/** By the exchange's time, as our wall clock stands to it now. */
function toldOf({ number, oid, side, filled, kept, createdAtMs, seenAtMs }: FilledLeg, aheadMs: number): OrderFilling {
  const signed = (size: Decimal) => signedSize(side, size);
  return {
    number,
    oid,
    filled: signed(filled),
    kept: signed(smaller(kept, filled)),
    createdAtMs: createdAtMs + aheadMs,
    toldAtMs: (seenAtMs ?? Number.POSITIVE_INFINITY) + aheadMs,
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
  const size = lastEnd(kept, endOf);
  return size === null ? null : { size, timeMs: last.timeMs, oids: newest.map(({ oid }) => oid) };
}
