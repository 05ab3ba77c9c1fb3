/** What one file of this folder knows about its action: how it is read, and how it was signed. */
import type { L1Action, UserSignedAction } from "../engine/action.ts";
import type { Decoded } from "./decode.ts";
import type { ExactJson } from "./json-text.ts";

/** Members in signing order; exactly this is hashed. */
export type Canonical = Readonly<Record<string, unknown>>;

/** `action` null: read and signed correctly, but the simulator has no such thing; answered with `refusal`. */
export type L1Reading = { readonly canonical: Canonical; readonly action: L1Action | { readonly refusal: string } };
export type L1Reader = { readonly kind: "l1"; readonly read: (json: ExactJson) => Decoded<L1Reading> };

/** A member of the typed message, in its order. */
export type UserField = { readonly name: string; readonly type: "string" | "address" | "uint64" | "bool" };

export type UserReading = {
  readonly chain: "Mainnet" | "Testnet";
  readonly chainId: bigint;
  /** Values of the typed fields by name. */
  readonly message: Canonical;
  /** `nonce` or `time` of the action; must equal the nonce of the envelope. */
  readonly nonce: bigint;
  readonly action: UserSignedAction | { readonly refusal: string };
};
export type UserReader = {
  readonly kind: "user";
  readonly primaryType: string;
  readonly fields: readonly UserField[];
  readonly read: (json: ExactJson) => Decoded<UserReading>;
};

export type ActionReader = L1Reader | UserReader;

/** Ids above 2^53 name nothing that exists here; they still have to be hashed as they came. */
export function engineId(id: bigint): number {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : -1;
}
