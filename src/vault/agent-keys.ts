import { addressOfKey } from "./signers.ts";

/** Length of a private key, bytes. */
const KEY_BYTES = 32;

/** The exchange keeps three named agents an account; the same name with a new address replaces the old one. */
const NAMED_SLOTS = 3;
const NAME_PREFIX = "postern-";
/** Longest agent name that the exchange's clients accept, characters. */
const MAX_NAME = 16;

/** The agent key that these random bytes are, or null for bytes that are no key (draw again; about one in 2^128). */
export function makeAgentKey(randomBytes: Uint8Array): { address: string; privateKey: Uint8Array } | null {
  if (randomBytes.length !== KEY_BYTES) throw new Error("bug: an agent key takes 32 random bytes");
  try {
    return { address: addressOfKey(randomBytes), privateKey: randomBytes };
  } catch {
    return null;
  }
}

/** Name of the slot with this number: `postern-1` and so on. */
export function agentName(slot: number): string {
  if (!Number.isInteger(slot) || slot < 1 || slot > NAMED_SLOTS) throw new Error("bug: no such agent slot");
  return `${NAME_PREFIX}${slot}`;
}

/**
 * Name for the next agent: a slot that is not taken, else the one after the newest (round and round), so that the
 * newest agent keeps trading while its successor is being approved.
 *
 * @param taken names of the agents that live at the exchange, oldest first
 */
export function nextAgentName(taken: readonly string[]): string {
  const slots = taken.map(slotOf).filter((slot) => slot !== null);
  for (let slot = 1; slot <= NAMED_SLOTS; slot += 1) if (!slots.includes(slot)) return agentName(slot);
  return agentName(((slots.at(-1) ?? 0) % NAMED_SLOTS) + 1);
}

function slotOf(name: string): number | null {
  const match = /^postern-([1-9])$/.exec(name);
  const slot = match === null ? null : Number(match[1]);
  return slot !== null && slot <= NAMED_SLOTS ? slot : null;
}

/** True for a name that the exchange takes for an agent. */
export function isAgentName(name: string): boolean {
  return name.length <= MAX_NAME && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}
