import { recoverAddress, type SignatureParts } from "./recover.ts";
import { sha256Hex } from "./sha256.ts";
import { type TypedData, type TypedField, typedDataDigest } from "./typed-data.ts";

/**
 * What an account owner signs to issue or revoke an API key. No chain id and no contract: the signature is worth
 * something to one instance only, which is the audience inside the message. An audience of a test or paper
 * directory starts with `testnet+` or `paper+`, so that nothing signed there verifies anywhere else.
 */
export const GRANT_DOMAIN = { name: "Postern", version: "1" } as const;

/** Type definitions as wallets want them. */
export const GRANT_TYPES = {
  ApiKeyGrant: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "network", type: "string" },
    { name: "keyHash", type: "bytes32" },
    { name: "scopes", type: "string" },
    { name: "issuedAt", type: "uint64" },
    { name: "expiresAt", type: "uint64" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

export const REVOCATION_TYPES = {
  ApiKeyRevocation: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "keyHash", type: "bytes32" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

export type Grant = {
  audience: string;
  accountId: string;
  network: string;
  /** 64 lower-case hex digits. */
  keyHash: string;
  /** In any order; signed sorted. */
  scopes: readonly string[];
  issuedAtMs: number;
  /** Null is signed as 0: keys do not expire. */
  expiresAtMs: number | null;
};

export type Revocation = Pick<Grant, "audience" | "accountId" | "keyHash">;

/** Everything that a wallet needs to show and sign a grant. */
export function grantTypedData(grant: Grant): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: GRANT_TYPES,
    primaryType: "ApiKeyGrant",
    message: {
      audience: grant.audience,
      account: grant.accountId.toLowerCase(),
      network: grant.network,
      keyHash: `0x${grant.keyHash}`,
      scopes: [...grant.scopes].sort().join(","),
      issuedAt: grant.issuedAtMs,
      expiresAt: grant.expiresAtMs ?? 0,
    },
  };
}

export function revocationTypedData({ audience, accountId, keyHash }: Revocation): TypedData {
  return {
    domain: GRANT_DOMAIN,
    types: REVOCATION_TYPES,
    primaryType: "ApiKeyRevocation",
    message: { audience, account: accountId.toLowerCase(), keyHash: `0x${keyHash}` },
  };
}

export function grantDigest(grant: Grant): Uint8Array {
  return typedDataDigest(grantTypedData(grant));
}

export function revocationDigest(revocation: Revocation): Uint8Array {
  return typedDataDigest(revocationTypedData(revocation));
}

/** Lower-case hex SHA-256 of the whole key text, prefix included. Only this is ever stored of a key. */
export function keyHash(apiKey: string): string {
  return sha256Hex(apiKey);
}

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
/** Half the order of secp256k1: a larger s is the mirror image of a valid signature. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * A 65-byte signature text, or null. Strict where recovery is lenient (low s, v 27 or 28 only), so that one consent
 * has one spelling.
 */
export function parseSignature(text: string): SignatureParts | null {
  if (!SIGNATURE.test(text)) return null;
  const r = `0x${text.slice(2, 66).toLowerCase()}`;
  const s = `0x${text.slice(66, 130).toLowerCase()}`;
  const v = Number.parseInt(text.slice(130), 16);
  return (v === 27 || v === 28) && BigInt(s) <= HALF_ORDER ? { r, s, v } : null;
}

/** Who signed the digest with this signature text; null when the text or the signature is unusable. */
export function signerOf(digest: Uint8Array, signatureText: string): string | null {
  const signature = parseSignature(signatureText);
  return signature === null ? null : recoverAddress(digest, signature);
}
