import { createHmac } from "node:crypto";
import { addressOfKey } from "./signers.ts";

/** Length of a private key, bytes. */
const KEY_BYTES = 32;

/** The exchange keeps three named agents an account; the same name with a new address replaces the old one. */
const NAMED_SLOTS = 3;
/** Of installations from before each had a name of its own. */
export const SHARED_PREFIX = "postern-";
/** Longest agent name that the exchange's clients accept, characters. */
const MAX_NAME = 16;

const BASE_32 = "abcdefghijklmnopqrstuvwxyz234567";
const BASE_32_BITS = 5;
/** Characters that are the installation's own: two of one owner share them once in 2^25. */
const OWN_CHARACTERS = 5;

/** The agent key that these random bytes are, or null for bytes that are no key (draw again; about one in 2^128). */
export function makeAgentKey(randomBytes: Uint8Array): { address: string; privateKey: Uint8Array } | null {
  if (randomBytes.length !== KEY_BYTES) throw new Error("bug: an agent key takes 32 random bytes");
  try {
    return { address: addressOfKey(randomBytes), privateKey: randomBytes };
  } catch {
    return null;
  }
}

/**
 * How the names of an installation's agents begin: `postern-k7q2m-`. Two gateways of one owner that shared a name would end
 * each other's agents. A restored one has the name of its original, whose agent its own is to end.
 *
 * @param secret of the data directory; nothing of it shows in the name
 */
export function agentPrefix(secret: Uint8Array): string {
  const digest = createHmac("sha256", secret).update("agent names").digest();
  const bits = digest.readUInt32BE(0);
  const own = Array.from({ length: OWN_CHARACTERS }, (_, at) => BASE_32[(bits >>> (at * BASE_32_BITS)) & 31]);
  return `${SHARED_PREFIX}${own.join("")}-`;
}

/** Name of the slot with this number: `postern-k7q2m-1` and so on. */
export function agentName(prefix: string, slot: number): string {
  if (!Number.isInteger(slot) || slot < 1 || slot > NAMED_SLOTS) throw new Error("bug: no such agent slot");
  return `${prefix}${slot}`;
}

/**
 * Name for the next agent: a slot that is not taken, else the one after the newest (round and round), so that the
 * newest agent keeps trading while its successor is being approved.
 *
 * @param taken names of the agents that live at the exchange, oldest first
 */
export function nextAgentName(prefix: string, taken: readonly string[]): string {
  const slots = taken.map((name) => slotOf(prefix, name)).filter((slot) => slot !== null);
  for (let slot = 1; slot <= NAMED_SLOTS; slot += 1) if (!slots.includes(slot)) return agentName(prefix, slot);
  return agentName(prefix, ((slots.at(-1) ?? 0) % NAMED_SLOTS) + 1);
}

/** The slot of a name that begins so, or null for any other. */
export function slotOf(prefix: string, name: string): number | null {
  const slot = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^[1-9]$/.test(slot) && Number(slot) <= NAMED_SLOTS ? Number(slot) : null;
}

/** True for a name that the exchange takes for an agent. */
export function isAgentName(name: string): boolean {
  return name.length <= MAX_NAME && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}
