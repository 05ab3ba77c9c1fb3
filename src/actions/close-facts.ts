import type { Account } from "../core/account.ts";
import { type Decimal, isZero, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { dexOf } from "../core/market.ts";
import { within } from "../settle/within.ts";
import type { ClearinghouseState } from "../wire/answer/account.ts";
import { LAST_PRICE_MAX_AGE_MS } from "../write/newest-reference.ts";
import { currentState, knownState, type ToShowPositions } from "./current.ts";

/** What an account holds in a perpetual market, signed, and as of when by the exchange's time, unix milliseconds. */
type CurrentPosition = { size: Decimal; timeMs: number };

/** The position, no older than its last change that was told. Throws where that cannot be had. */
export async function currentPosition(
  deps: ToShowPositions,
  account: Account,
  market: string,
): Promise<CurrentPosition> {
  const { value, timeMs } = await currentState(deps, { account, reader: "reduce" }, dexOf(market));
  return { size: sizeIn(value, market), timeMs };
}

/** Signed; nothing where it is not among them. */
export function sizeIn({ positions }: ClearinghouseState, market: string): Decimal {
  return positions.find(({ coin }) => coin === market)?.signedSize ?? ZERO;
}

/** How long a close waits for the position where there is another size to go by, milliseconds. */
const CLOSE_WAITS_MS = 3_000;

/** `hasOwnNet`: a bot closes, whose holding is known by its own fills. */
type ClosingMarket = { market: string; hasOwnNet: boolean };

/**
 * What an account holds, for a close. Where that cannot be had in time: `size` null for a bot, which goes by its own net, and else the
 * newest position of the last five minutes. The order only reduces, so a size that is too large opens nothing. Throws where nothing is known.
 */
export async function positionToClose(
  deps: ToShowPositions,
  account: Account,
  { market, hasOwnNet }: ClosingMarket,
): Promise<{ size: Decimal | null; timeMs: number }> {
  const reading = currentPosition(deps, account, market);
  try {
    const read = await within(deps.clock, CLOSE_WAITS_MS, reading);
    if (read !== null) return read;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  if (hasOwnNet) return { size: null, timeMs: deps.exchange.nowMs() };
  const known = knownState(deps, account, { dex: dexOf(market), withinMs: LAST_PRICE_MAX_AGE_MS });
  const size = known === null ? ZERO : sizeIn(known.value, market);
  // An old reading is no proof that nothing is held.
  return known === null || isZero(size) ? reading : { size, timeMs: known.timeMs };
}
