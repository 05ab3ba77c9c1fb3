import { hashTypedData } from "viem";
import { addressOfKey, signDigest } from "../../src/vault/signers.ts";

/** A wallet that signs what a command printed: hashed by another library than ours. */
export type Wallet = {
  address: string;
  /** `v` as 27 or 28, or as 0 or 1 where `isOldStyle`. */
  sign(typedData: Parameters<typeof hashTypedData>[0], isOldStyle?: boolean): string;
};

export function walletOf(privateKey: Uint8Array): Wallet {
  return {
    address: addressOfKey(privateKey),
    sign(typedData, isOldStyle = false) {
      const { r, s, v } = signDigest(Buffer.from(hashTypedData(typedData).slice(2), "hex"), privateKey);
      const last = (isOldStyle ? v - 27 : v).toString(16).padStart(2, "0");
      return `0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${last}`;
    },
  };
}
