import type { MsgpackValue } from "../../../src/wire/msgpack.ts";
import type { TypedDomain, TypedField } from "../../../src/wire/wallet-form.ts";
import file from "./signing-vectors.json";

export type SignedDigest = { digest: string; r: string; s: string; v: number };

type Base = { name: string; privateKey: string; address: string; published: boolean };

export type L1Vector = Base & {
  kind: "l1";
  action: { type: string } & { [key: string]: MsgpackValue };
  nonce: number;
  vaultAddress: string | null;
  expiresAfter: number | null;
  msgpack: string;
  preimage: string;
  connectionId: string;
  signatures: { mainnet: SignedDigest; testnet: SignedDigest };
  negative?: boolean;
};

export type AgentOnlyVector = Base & {
  kind: "agentOnly";
  connectionId: string;
  signatures: { mainnet: SignedDigest; testnet: SignedDigest };
};

export type UserSignedVector = Base & {
  kind: "userSigned";
  action: { [key: string]: string | number };
  domain: TypedDomain;
  primaryType: string;
  types: { [primaryType: string]: TypedField[] };
  digest: string;
  signature: { r: string; s: string; v: number };
};

// JSON gives up its literal types on import; the file's README describes the three kinds.
const VECTORS = file.vectors as unknown as (L1Vector | AgentOnlyVector | UserSignedVector)[];

export const L1_VECTORS = VECTORS.filter((vector) => vector.kind === "l1");
export const AGENT_ONLY_VECTORS = VECTORS.filter((vector) => vector.kind === "agentOnly");
export const USER_SIGNED_VECTORS = VECTORS.filter((vector) => vector.kind === "userSigned");

/** Bytes of `0x` text. */
export function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
}
