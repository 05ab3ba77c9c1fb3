const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * One spelling of what wallets give: v 27 or 28 where some say 0 or 1, and the lower of the two values of s. Null for
 * what is no signature.
 */
export function normalisedSignature(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{130}$/.test(text)) return null;
  const r = text.slice(2, 66).toLowerCase();
  const s = BigInt(`0x${text.slice(66, 130)}`);
  const v = Number.parseInt(text.slice(130), 16);
  const parity = v >= 27 ? v - 27 : v;
  if (parity !== 0 && parity !== 1) return null;
  const isHigh = s > ORDER / 2n;
  const low = (isHigh ? ORDER - s : s).toString(16).padStart(64, "0");
  return `0x${r}${low}${(27 + (isHigh ? 1 - parity : parity)).toString(16)}`;
}
