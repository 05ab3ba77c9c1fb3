/** The exchange refuses nonces more than a day ahead of its time; we stop well before, milliseconds. */
export const MAX_AHEAD_MS = 12 * 60 * 60 * 1_000;

/**
 * The next nonce of a signer: exchange time in milliseconds, and strictly above the last one whatever the clock does. A last
 * one that is further ahead than the exchange would accept came of a clock that was wrong; the exchange takes any number
 * that is unused and not below the hundred highest, so the numbers go on below it.
 *
 * @param lastInReach the highest number that is at most `MAX_AHEAD_MS` ahead of `exchangeNowMs`; null when there is none
 */
export function nextNonce(lastInReach: number | null, exchangeNowMs: number): number {
  return lastInReach === null ? exchangeNowMs : Math.max(exchangeNowMs, lastInReach + 1);
}
