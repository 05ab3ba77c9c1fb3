import type { LimitedGrantText } from "../core/rails/limited-grant.ts";
import {
  type Grant,
  grantTypedData,
  type HookGrant,
  type HookRevocation,
  hookRevocationTypedData,
  hookTypedData,
  type ProposalDecision,
  proposalTypedData,
  type Resumption,
  type Revocation,
  resumptionTypedData,
  revocationTypedData,
} from "./grant-data.ts";
import { limitedGrantTypedData } from "./limited-grant-data.ts";
import { recoverAddress } from "./recover.ts";
import { sha256Hex } from "./sha256.ts";
import { readSignature } from "./signature.ts";
import { typedDataDigest } from "./typed-data.ts";

export function grantDigest(grant: Grant): Uint8Array {
  return typedDataDigest(grantTypedData(grant));
}

export function limitedGrantDigest(message: LimitedGrantText): Uint8Array {
  return typedDataDigest(limitedGrantTypedData(message));
}

export function revocationDigest(revocation: Revocation): Uint8Array {
  return typedDataDigest(revocationTypedData(revocation));
}

export function resumptionDigest(resumption: Resumption): Uint8Array {
  return typedDataDigest(resumptionTypedData(resumption));
}

export function proposalDigest(decision: ProposalDecision): Uint8Array {
  return typedDataDigest(proposalTypedData(decision));
}

export function hookDigest(grant: HookGrant): Uint8Array {
  return typedDataDigest(hookTypedData(grant));
}

export function hookRevocationDigest(revocation: HookRevocation): Uint8Array {
  return typedDataDigest(hookRevocationTypedData(revocation));
}

/** Lower-case hex SHA-256 of the whole key text, prefix included. Only this is ever stored of a key. */
export function keyHash(apiKey: string): string {
  return sha256Hex(apiKey);
}

/** Who signed the digest with this signature text; null when the text or the signature is unusable. */
export function signerOf(digest: Uint8Array, signatureText: string): string | null {
  const signature = readSignature(signatureText);
  return signature === null ? null : recoverAddress(digest, signature);
}
