/** A wallet's signature as the gateway takes it: 65 bytes, low s, v 27 or 28. */

const PLAIN = /^0x[0-9a-f]{130}$/;
/** EIP-2098: v in the topmost bit of s. */
const COMPACT = /^0x[0-9a-f]{128}$/;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const TOP_BIT = 1n << 255n;

/** Null where the text is no plain signature: a contract wallet's is longer, for example. */
export function normalSignature(text: string): string | null {
  const hex = text.trim().toLowerCase();
  const whole = hex.startsWith("0x") ? hex : `0x${hex}`;
  if (COMPACT.test(whole)) return fromCompact(whole);
  if (!PLAIN.test(whole)) return null;
  const last = Number.parseInt(whole.slice(130), 16);
  const v = last < 27 ? last + 27 : last;
  if (v !== 27 && v !== 28) return null;
  return written(whole.slice(2, 66), BigInt(`0x${whole.slice(66, 130)}`), v);
}

function fromCompact(whole: string): string {
  const packed = BigInt(`0x${whole.slice(66)}`);
  const v = (packed & TOP_BIT) === 0n ? 27 : 28;
  return written(whole.slice(2, 66), packed & (TOP_BIT - 1n), v);
}

/** A high s is the mirror image of the same signature. */
function written(r: string, s: bigint, v: 27 | 28): string {
  const isHigh = s > ORDER / 2n;
  const low = isHigh ? ORDER - s : s;
  const parity = isHigh ? 55 - v : v;
  return `0x${r}${low.toString(16).padStart(64, "0")}${parity.toString(16)}`;
}
