import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { addressBytes } from "./hex.ts";
import { encodeMsgpack, type MsgpackValue } from "./msgpack.ts";
import { signedDigest } from "./typed-data.ts";

/** Which network a signature is worth something on: "a" is mainnet, "b" everything else. */
export type AgentSource = "a" | "b";

export type ActionHashInput = {
  /** Plain object whose keys are in signing order, absent members left out. */
  action: MsgpackValue;
  /** Unix milliseconds by custom; any unsigned 64-bit number that is a safe integer. */
  nonce: number;
  /** Vault or sub-account that is acted for, or null. */
  vaultAddress: string | null;
  /** Exchange time after which the action is refused, unix milliseconds, or null. */
  expiresAfter: number | null;
};

/** The exchange's `connectionId`: keccak of msgpack(action), nonce, vault marker and, when there is one, expiry. */
export function actionHash({ action, nonce, vaultAddress, expiresAfter }: ActionHashInput): Uint8Array {
  const parts = [
    encodeMsgpack(action),
    bigEndian64(nonce),
    vaultAddress === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), addressBytes(vaultAddress)),
  ];
  if (expiresAfter !== null) parts.push(Uint8Array.of(0), bigEndian64(expiresAfter));
  return keccak_256(concatBytes(...parts));
}

function bigEndian64(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error("bug: nonce or expiry is not an unsigned integer");
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}

/**
 * The separator of the domain `Exchange`, version 1, chain 1337, contract 0. Written out, because working it out is a twentieth
 * of what a start takes to its first answer.
 */
const EXCHANGE_DOMAIN = hexToBytes("d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040");
const AGENT_TYPE = keccak_256(utf8ToBytes("Agent(string source,bytes32 connectionId)"));
const SOURCE_HASH = { a: keccak_256(utf8ToBytes("a")), b: keccak_256(utf8ToBytes("b")) } as const;

/** The EIP-712 digest that an agent signs for an action with this `connectionId`. */
export function agentDigest(connectionId: Uint8Array, source: AgentSource): Uint8Array {
  if (connectionId.length !== 32) throw new Error("bug: connectionId is not 32 bytes");
  return signedDigest(EXCHANGE_DOMAIN, keccak_256(concatBytes(AGENT_TYPE, SOURCE_HASH[source], connectionId)));
}
