/**
 * What the workers read of the exchange through the verbs, and how they send. `deps` is a function because the workers are opened before
 * everything that it holds.
 */
import type { Account } from "../core/account.ts";
import { isZero } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { isAfterAll } from "../core/mark.ts";
import { dexOf, findMarket } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Prices } from "../core/worst-price.ts";
import type { ToJudge, With } from "../deps.ts";
import type { CloserParts } from "../settle/close/closer.ts";
import { heldByFills, leftByFills } from "../settle/evidence/position-check.ts";
import { takeOrAskFills } from "../settle/evidence/positions-before.ts";
import type { FlattenParts, ShownPositions } from "../settle/stop/flatten-round.ts";
import type { ShownPosition } from "../settle/trade/held-now.ts";
import type { TraderParts } from "../settle/trade/trader.ts";
import { listBotTwaps } from "../store/bot-twap-rows.ts";
import { leftToTrade } from "../write/left-to-trade.ts";
import { MARK_MAX_AGE_MS } from "../write/newest-reference.ts";
import { closeEndedTwaps } from "../write/twap-ends.ts";
import { currentPosition, sizeIn } from "./close-facts.ts";
import type { ToShowPositions } from "./current.ts";
import { enterTrade } from "./enter-trade.ts";
import { markNow } from "./met-stop.ts";
import type { ToPlaceOrder } from "./place-order.ts";
import { pricesToReduce } from "./prices-now.ts";

type ToLookAtFacts = ToJudge & With<"exchange" | "marketView" | "markets" | "ownWrites" | "reads" | "settings">;

export function flattenParts(
  settling: FlattenParts["settling"],
  deps: () => ToLookAtFacts & With<"stopper">,
): FlattenParts {
  return {
    settling,
    progressOf: (stop) => deps().stopper.progressOf(stop),
    positions: (account) => positionsNow(deps(), account),
    async areTwapsOver(account, bot) {
      await closeEndedTwaps(deps(), account);
      return !listBotTwaps(deps().store, account.id).some((twap) => twap.bot === bot && !twap.reduceOnly);
    },
    areFillsRead(account, sinceMs) {
      const { fillIndex } = deps();
      const isRead = (fillIndex.readToMs(account) ?? 0) >= sinceMs;
      if (!isRead) fillIndex.readSoon(account);
      return isRead;
    },
    prices: (account, market, side) => priceNow(deps(), market, { account, side }),
  };
}

/**
 * Positions on every configured dex, and on those where the account's fills have left something: it is held, although nobody trades there
 * through this gateway. Null where a configured dex could not be read; one of the others may not exist any more. Read anew each time.
 */
async function positionsNow(deps: ToLookAtFacts, account: Account): Promise<ShownPositions | null> {
  const dexes = ["", ...deps.settings.dexes];
  const held = [...heldByFills(deps.store, account.id).keys()].map(dexOf);
  const others = [...new Set(held)].filter((dex) => !dexes.includes(dex));
  const shown = await Promise.all([...dexes, ...others].map((dex) => positionsIn(deps, account, dex)));
  const read = shown.flatMap((each) => each ?? []);
  if (shown.slice(0, dexes.length).includes(null)) return null;
  return {
    held: new Map(read.flatMap(({ held }) => [...held])),
    timeMs: Math.min(...read.map(({ timeMs }) => timeMs)),
    holdsTold: read.every(({ holdsTold }) => holdsTold),
    mayHoldTold: read.every(({ mayHoldTold }) => mayHoldTold),
  };
}

async function positionsIn(deps: ToLookAtFacts, account: Account, dex: string): Promise<ShownPositions | null> {
  const told = deps.ownWrites.told(account, { dex });
  const state = await deps.reads.clearinghouse(account.tradingAddress, dex, "reduce");
  if (state.kind === "failed") return null;
  const { askedAtMs, value } = state;
  const { positions, timeMs } = value;
  const moment = takeOrAskFills(deps, { account, dex }, { value, askedAtMs });
  const isAfter = isAfterAll({ timeMs, heard: null, askedAtMs }, told());
  const held = positions.filter(({ signedSize }) => !isZero(signedSize));
  return {
    held: new Map(held.map(({ coin, signedSize }) => [coin, signedSize])),
    timeMs,
    holdsTold: moment === "now" && isAfter,
    mayHoldTold: moment !== "before" && isAfter,
  };
}

/**
 * Prices to reduce by; null where none is new enough. In place of a book only a mark of now will do: later orders of a flattening are never
 * priced worse than its first, and an older mark may be far from what the book then offers.
 */
async function priceNow(
  deps: ToLookAtFacts,
  name: string,
  of: { account: Account; side: Side },
): Promise<Prices | null> {
  const universe = deps.markets.current();
  const market = universe === null ? null : findMarket(universe, name);
  if (market === null) return null;
  const now = await pricesToReduce(deps, market, of);
  if (now.kind !== "ok") return null;
  const isOfNow = now.by === "book" || deps.exchange.nowMs() - now.timeMs <= MARK_MAX_AGE_MS;
  return isOfNow ? now.prices : null;
}

export function traderParts(settling: TraderParts["settling"], deps: () => ToPlaceOrder & With<"reads">): TraderParts {
  return {
    settling,
    position: (account, market) => positionNow(deps(), account, market),
    leftToTrade: (account, trade) => leftToTrade(deps(), account, trade),
    leftByFills: ({ id }, { market }) => leftByFills(deps().store, id, market),
    mark: (market) => markNow(deps(), market, "reduce"),
    enter: (trade, account, stopShown) => enterTrade(deps(), { trade, account, stopShown }),
  };
}

async function positionNow(
  { reads }: With<"reads">,
  { tradingAddress }: Account,
  market: string,
): Promise<ShownPosition | null> {
  const state = await reads.clearinghouse(tradingAddress, dexOf(market), "reduce");
  if (state.kind === "failed") return null;
  return { size: sizeIn(state.value, market), timeMs: state.value.timeMs };
}

/** What the closer tells where no position can be read. */
function lastKnownOf(deps: () => With<"picture" | "store">): CloserParts["lastKnown"] {
  return ({ id, tradingAddress }, market) => {
    const { picture, store } = deps();
    const state = picture.state(tradingAddress, dexOf(market));
    const shown = state === null ? null : { size: sizeIn(state.value, market), timeMs: state.timeMs };
    return { shown, left: leftByFills(store, id, market) };
  };
}

export function closerParts(deps: () => ToShowPositions & ToLookAtFacts): Omit<CloserParts, "canceler"> {
  return {
    position: positionOf(deps),
    lastKnown: lastKnownOf(deps),
    endTwaps: (account) => closeEndedTwaps(deps(), account),
  };
}

/** How the closer reads a position; null where it cannot be had. What is shown against the known fills is not believed at once. */
function positionOf(deps: () => ToShowPositions & With<"store">): CloserParts["position"] {
  return async (account, market) => {
    try {
      const { size } = await currentPosition(deps(), account, market);
      return { size, left: isZero(size) ? (heldByFills(deps().store, account.id).get(market) ?? null) : null };
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  };
}
