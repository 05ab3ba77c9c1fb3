/** The exchange refuses nonces more than a day ahead of its time; we stop well before, milliseconds. */
const MAX_AHEAD_MS = 12 * 60 * 60 * 1_000;

/**
 * The next nonce of a signer: exchange time in milliseconds, and strictly above the last one whatever the clock
 * does. Null when the last one is so far ahead of the clock that the exchange would refuse the next.
 */
export function nextNonce(lastNonce: number | null, exchangeNowMs: number): number | null {
  const nonce = lastNonce === null ? exchangeNowMs : Math.max(exchangeNowMs, lastNonce + 1);
  return nonce > exchangeNowMs + MAX_AHEAD_MS ? null : nonce;
}
