import type { Network } from "../core/account.ts";
import { type Action, actionJson, canonicalAction } from "../wire/action/index.ts";
import { actionHash, agentDigest } from "../wire/digest.ts";
import { toHex } from "../wire/hex.ts";
import { writeJson } from "../wire/json.ts";
import { addressOfPublicKey, type SignatureParts } from "../wire/recover.ts";
import { chooseEcdsa } from "./ecdsa.ts";

export type ActionToSign = {
  /** Which agent key signs; lower-case address. */
  agentAddress: string;
  action: Action;
  nonce: number;
  vaultAddress: string | null;
  /** Exchange time, unix milliseconds. Never optional: a signed action without an end is a bearer instrument. */
  expiresAfter: number;
};

/** The agent keys that are open in this process. The bytes stay in here. */
export type Signers = {
  /** The body for /exchange, signed. Synchronous and deterministic: the same input gives the same bytes. */
  sign(input: ActionToSign): string;
  has(agentAddress: string): boolean;
  addresses(): readonly string[];
  /** Wipes the keys; signing throws from then on. */
  lock(): void;
};

export type OpenKey = { address: string; privateKey: Uint8Array };

/**
 * Takes over the key bytes: each stays in the one array it came in, until `lock` overwrites it. Throws `bug:` when
 * an address does not belong to its key, which would sign for somebody else.
 */
export function openSigners(input: { network: Network; keys: readonly OpenKey[] }): Signers {
  const keys = new Map<string, Uint8Array>();
  for (const { address, privateKey } of input.keys) {
    if (addressOfKey(privateKey) !== address.toLowerCase())
      throw new Error("bug: agent key does not match its address");
    keys.set(address.toLowerCase(), privateKey);
  }
  // Only a mainnet directory may make signatures that the real exchange would take.
  const source = input.network === "mainnet" ? "a" : "b";
  return {
    sign({ agentAddress, action, nonce, vaultAddress, expiresAfter }) {
      const key = keys.get(agentAddress.toLowerCase());
      if (key === undefined) throw new Error("bug: no open key for this agent");
      const canonical = canonicalAction(action);
      const vault = vaultAddress === null ? null : vaultAddress.toLowerCase();
      const connectionId = actionHash({ action: canonical, nonce, vaultAddress: vault, expiresAfter });
      const signature = signDigest(agentDigest(connectionId, source), key);
      const beside = writeJson({ nonce, signature, vaultAddress: vault, expiresAfter });
      return `{"action":${actionJson(canonical)},${beside.slice(1)}`;
    },
    has: (agentAddress) => keys.has(agentAddress.toLowerCase()),
    addresses: () => [...keys.keys()],
    lock() {
      for (const key of keys.values()) key.fill(0);
      keys.clear();
    },
  };
}

/** RFC 6979 signature with low s over a 32-byte digest. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): SignatureParts {
  const bytes = chooseEcdsa().sign(digest, privateKey);
  // 0 or 1; 2 and 3 have never been seen and are refused by the exchange.
  const recovery = bytes[0] ?? 0;
  return { r: toHex(bytes.subarray(1, 33)), s: toHex(bytes.subarray(33, 65)), v: 27 + recovery };
}

/** Lower-case address of a private key (32 bytes). Throws when the bytes are no key. */
export function addressOfKey(privateKey: Uint8Array): string {
  return addressOfPublicKey(chooseEcdsa().publicKey(privateKey));
}
