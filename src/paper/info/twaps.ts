/** twapHistory, and the running TWAPs of the channel `twapStates`. */
import type { TwapHistoryRow, Venue, VenueTwapState } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { numberText, usdText } from "./number-format.ts";
import { sideText } from "./order-shapes.ts";
import { accountOf, dexIndex, infoRequest, type ReadContext } from "./request.ts";

/** Rows of one answer. */
const MAX_ROWS = 2_000;
const MS_PER_S = 1_000;

export const twapHistory = infoRequest({ user: required(address) }, (context, { user }) =>
  twapHistoryRows(context, user),
);

/** Newest first. */
export function twapHistoryRows(context: ReadContext, user: string): unknown[] {
  const rows = accountOf(context, user)?.twapHistory.slice(-MAX_ROWS) ?? [];
  return rows.reverse().map(twapHistoryRow);
}

export function twapHistoryRow({ timeMs, state, status }: TwapHistoryRow): unknown {
  // The only time in seconds that the exchange sends.
  return { time: Math.floor(timeMs / MS_PER_S), state: twapState(state), status, twapId: state.twapId };
}

export function twapState(state: VenueTwapState): unknown {
  return {
    coin: state.coin,
    user: state.user,
    side: sideText(state.isBuy),
    sz: numberText(state.size),
    executedSz: numberText(state.executedSize),
    executedNtl: usdText(state.executedNotional),
    minutes: state.minutes,
    reduceOnly: state.reduceOnly,
    randomize: state.randomize,
    stopPx: state.stopPrice === null ? null : numberText(state.stopPrice),
    trigger: state.trigger === null ? null : { px: numberText(state.trigger.price), above: state.trigger.isAbove },
    timestamp: state.timestampMs,
  };
}

export function runningTwaps(venue: Venue, user: string, dex: string | undefined): unknown[] {
  const index = dexIndex(venue, dex);
  return [...venue.twaps.values()]
    .filter((twap) => twap.user === user && dexOf(venue, twap.asset) === index)
    .map((twap) => [twap.twapId, twapState(twap)]);
}

function dexOf(venue: Venue, asset: number): number {
  const market = venue.markets.get(asset);
  return market?.kind === "perp" ? market.dex : 0;
}
