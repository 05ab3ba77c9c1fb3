import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { isCloid } from "../core/cloid.ts";
import { madeOnce } from "../core/made-once.ts";
import { isUuid, uuidOfHex } from "../core/uuid.ts";
import { addressBytes } from "./hex.ts";
import { hmacSha256Hex, sha256Hex } from "./sha256.ts";

/**
 * Ids that explain themselves. An order's id is a UUIDv7 whose 12 free bits carry the tag of this instance; the next
 * 14 are a keyed hash of (account, bot), whose order it is, and the last 48 one of (account, Idempotency-Key). Its client
 * order id at the exchange is the same 128 bits. A restored database thus recognises its own orders at the exchange and
 * knows whose they are, and a repeated key finds the order that it placed before the loss.
 */

/** Hex digits of the keyed hash of account and Idempotency-Key. */
const KEY_DIGITS = 12;
const KEY_BITS = 48n;
const BOT_BITS = 14n;
const LOW_48_BITS = 2n ** KEY_BITS - 1n;
const MAX_TIME = 2n ** 48n - 1n;
const MAX_TAG = 0xfff;
const LOW_62_BITS = 2n ** 62n - 1n;
const LOW_64_BITS = 2n ** 64n - 1n;

/**
 * A new order id (UUIDv7, lower case). The same account and key always give the same last 48 bits.
 *
 * @param key with the time of the id, 12 bits that tell this instance from another one on the same account, and whose order it is: null
 *   for one of no bot, and for what is no order
 */
export function mintOrderId(key: {
  accountId: string;
  idempotencyKey: string;
  nowMs: number;
  instanceTag: number;
  secret: Uint8Array;
  bot: string | null;
}): string {
  const { nowMs, instanceTag, secret } = key;
  if (!Number.isSafeInteger(nowMs) || nowMs < 0 || BigInt(nowMs) > MAX_TIME) throw new Error("bug: time out of range");
  assertTag(instanceTag);
  const high = (BigInt(nowMs) << 16n) | (7n << 12n) | BigInt(instanceTag);
  const low = (0b10n << 62n) | (botBitsOf(secret, key) << KEY_BITS) | keyBitsOf(secret, key);
  return uuidText((high << 64n) | low);
}

/**
 * The 48 bits that ids of this account and key carry.
 *
 * @param secret the instance's: without it nobody can tell from an id which key made it
 */
export function keyBitsOf(
  secret: Uint8Array,
  { accountId, idempotencyKey }: { accountId: string; idempotencyKey: string },
): bigint {
  // The zero byte keeps ("a", "bc") and ("ab", "c") apart.
  const digest = hmacSha256Hex(secret, `${accountId}\0${idempotencyKey}`);
  return (first64Bits(digest) >> 2n) & LOW_48_BITS;
}

/** The 14 bits that ids of this bot's orders carry; null of no bot. Another bot has the same one time in 16,384. */
export function botBitsOf(secret: Uint8Array, { accountId, bot }: { accountId: string; bot: string | null }): bigint {
  const marks = marksOf(secret);
  // No Idempotency-Key begins with a zero byte, and no bot's name is empty.
  const name = `${accountId}\0\0${bot ?? ""}`;
  const bits = marks.get(name) ?? first64Bits(hmacSha256Hex(secret, name)) >> (64n - BOT_BITS);
  marks.set(name, bits);
  return bits;
}

/** Each order asks for its bot's: of a secret, those that were worked out. Bots are few. */
const marksOf = madeOnce((_secret: Uint8Array) => new Map<string, bigint>());

/** The 14 bits of a client order id that tell whose order it is: see `botBitsOf`. */
export function botBitsOfCloid(cloid: string): bigint {
  if (!isCloid(cloid.toLowerCase())) throw new Error("bug: not a client order id");
  return (BigInt(cloid) & LOW_62_BITS) >> KEY_BITS;
}

/** The 48 bits that an id carries; null when it is not a UUID. */
export function keyBits(uuid: string): bigint | null {
  return isUuid(uuid.toLowerCase()) ? uuidNumber(uuid) & LOW_48_BITS : null;
}

/** The digits in which every client order id of this account and key ends, whenever it was made. */
export function keyDigitsOf(secret: Uint8Array, key: { accountId: string; idempotencyKey: string }): string {
  return keyBitsOf(secret, key).toString(16).padStart(KEY_DIGITS, "0");
}

/** The last digits of a client order id, which tell its account and key: see `keyDigitsOf`. */
export function keyDigitsOfCloid(cloid: string): string {
  if (!isCloid(cloid.toLowerCase())) throw new Error("bug: not a client order id");
  return cloid.slice(-KEY_DIGITS).toLowerCase();
}

/** True for a UUIDv7, whoever made it. */
export function isTimeOrdered(uuid: string): boolean {
  const bits = isUuid(uuid.toLowerCase()) ? uuidNumber(uuid) : 0n;
  return version(bits) === 7n && variant(bits) === 0b10n;
}

/** The milliseconds with which a time-ordered id, or the client order id made of it, begins. */
export function mintedAtMs(id: string): number {
  return Number.parseInt(id.replace(/^0x/, "").replaceAll("-", "").slice(0, 12), 16);
}

/** True for a UUIDv7 made by the instance with this tag (or, one time in 4096, by a stranger). */
export function carriesTag(uuid: string, instanceTag: number): boolean {
  assertTag(instanceTag);
  if (!isUuid(uuid.toLowerCase())) return false;
  const bits = uuidNumber(uuid);
  return version(bits) === 7n && variant(bits) === 0b10n && ((bits >> 64n) & 0xfffn) === BigInt(instanceTag);
}

const CHECK_BITS = 58n;
const LOW_58_BITS = 2n ** CHECK_BITS - 1n;

/**
 * The id (UUIDv8) of an open order placed outside the API: 64 bits native id, 58 bits of a hash of network and
 * trading address; the other six are version and variant. Nothing has to be stored to find the order again.
 */
export function outsideOrderId(network: string, tradingAddress: string, oid: string): string {
  const native = BigInt(oid);
  if (native < 0n || native > LOW_64_BITS) throw new Error("bug: native id does not fit 64 bits");
  const payload = (native << CHECK_BITS) | addressCheck(network, tradingAddress);
  const high = ((payload >> 74n) << 16n) | (8n << 12n) | ((payload >> 62n) & 0xfffn);
  return uuidText((high << 64n) | (0b10n << 62n) | (payload & LOW_62_BITS));
}

/** The native id (decimal digits) in the id of an outside order of this account; null for any other id. */
export function decodeOutsideOrderId(uuid: string, network: string, tradingAddress: string): string | null {
  if (!isUuid(uuid.toLowerCase())) return null;
  const bits = uuidNumber(uuid);
  if (version(bits) !== 8n || variant(bits) !== 0b10n) return null;
  const payload = ((bits >> 80n) << 74n) | (((bits >> 64n) & 0xfffn) << 62n) | (bits & LOW_62_BITS);
  return (payload & LOW_58_BITS) === addressCheck(network, tradingAddress) ? (payload >> CHECK_BITS).toString() : null;
}

/** Ties the id to one account of one network, so that an id of elsewhere is unknown here instead of wrong. */
function addressCheck(network: string, tradingAddress: string): bigint {
  const digest = sha256Hex(concatBytes(utf8ToBytes(network), Uint8Array.of(0), addressBytes(tradingAddress)));
  return first64Bits(digest) >> 6n;
}

function first64Bits(hex: string): bigint {
  return BigInt(`0x${hex.slice(0, 16)}`);
}

function assertTag(instanceTag: number): void {
  if (!Number.isInteger(instanceTag) || instanceTag < 0 || instanceTag > MAX_TAG) {
    throw new Error("bug: instance tag does not fit 12 bits");
  }
}

function version(bits: bigint): bigint {
  return (bits >> 76n) & 0xfn;
}

function variant(bits: bigint): bigint {
  return (bits >> 62n) & 0b11n;
}

function uuidNumber(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll("-", "")}`);
}

function uuidText(bits: bigint): string {
  return uuidOfHex(bits.toString(16).padStart(32, "0"));
}
