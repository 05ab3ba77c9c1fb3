/** What all actions have in common that the main wallet signs as typed data of their own. */
import {
  type Decoded,
  type Decoder,
  decimalText,
  type Field,
  literal,
  MISMATCH,
  required,
  text,
  u64,
} from "./decode.ts";
import type { UserField } from "./reader.ts";

/** Wallets sign with the id of the chain that they happen to be on. 52 bits hold every one of them. */
function chainId(json: Parameters<Decoder<bigint>>[0]): Decoded<bigint> {
  return typeof json === "string" && /^0x[0-9a-fA-F]{1,13}$/.test(json) ? BigInt(json) : MISMATCH;
}

/** An amount is hashed as the text that the wallet showed, so it is checked but not normalised. */
export function amountText(json: Parameters<Decoder<string>>[0]): Decoded<string> {
  return decimalText(json) === MISMATCH ? MISMATCH : text(json);
}

type SignedFields = {
  readonly type: Field<string>;
  readonly signatureChainId: Field<bigint>;
  readonly hyperliquidChain: Field<"Mainnet" | "Testnet">;
};

export function signedFields<T extends string>(type: T): SignedFields & { readonly type: Field<T> } {
  return {
    type: required(literal(type)),
    signatureChainId: required(chainId),
    hyperliquidChain: required(literal("Mainnet", "Testnet")),
  };
}

export const NONCE = { nonce: required(u64) };
export const TIME = { time: required(u64) };

/** `names` as "name type" pairs, after the chain name with which every one of these messages begins. */
export function typedFields(...names: readonly string[]): readonly UserField[] {
  return ["hyperliquidChain string", ...names].map((pair) => {
    const [name = "", type = ""] = pair.split(" ");
    if (type !== "string" && type !== "address" && type !== "uint64" && type !== "bool") {
      throw new Error(`bug: unknown type in ${pair}`);
    }
    return { name, type };
  });
}
