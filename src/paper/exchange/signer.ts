/** Who signed: recovered from the bytes that came, never taken from anything that the request says. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { type AgentSource, actionHash, agentDigest } from "../../wire/digest.ts";
import { addressBytes, fromHex } from "../../wire/hex.ts";
import type { MsgpackValue } from "../../wire/msgpack.ts";
import { recoverAddress } from "../../wire/recover.ts";
import { domainSeparator, signedDigest } from "../../wire/typed-data.ts";
import type { Envelope } from "./envelope.ts";
import type { UserField, UserReader, UserReading } from "./reader.ts";

/** `any` takes signatures of both networks: the one whose signer is known counts. */
export type PaperNetwork = "any" | "mainnet" | "testnet";

const SOURCES: Readonly<Record<PaperNetwork, readonly AgentSource[]>> = {
  any: ["a", "b"],
  mainnet: ["a"],
  testnet: ["b"],
};
const CHAINS: Readonly<Record<PaperNetwork, readonly string[]>> = {
  any: ["Mainnet", "Testnet"],
  mainnet: ["Mainnet"],
  testnet: ["Testnet"],
};

/** Lower-case address of the signer; null when the signature is good for nobody. */
export function recoverSigner(
  envelope: Envelope,
  network: PaperNetwork,
  isKnown: (address: string) => boolean,
): string | null {
  const { signed, signature } = envelope;
  if (signed.kind === "user") {
    if (!CHAINS[network].includes(signed.reading.chain)) return null;
    return recoverAddress(userSignedDigest(signed.reader, signed.reading), signature);
  }
  const connectionId = actionHash({
    // Decoders put nothing into the canonical form but strings, booleans, integers, null, lists and structs.
    action: signed.reading.canonical as MsgpackValue,
    nonce: Number(envelope.nonce),
    vaultAddress: envelope.vaultAddress,
    expiresAfter: envelope.expiresAfter === null ? null : Number(envelope.expiresAfter),
  });
  let first: string | null = null;
  for (const source of SOURCES[network]) {
    const signer = recoverAddress(agentDigest(connectionId, source), signature);
    if (signer !== null && isKnown(signer)) return signer;
    first ??= signer;
  }
  return first;
}

/** The EIP-712 digest of a user-signed action; the chain id is whatever the wallet was on. */
export function userSignedDigest(reader: UserReader, { chainId, message }: UserReading): Uint8Array {
  const separator = domainSeparator({
    name: "HyperliquidSignTransaction",
    version: "1",
    chainId: Number(chainId),
    verifyingContract: "0x0000000000000000000000000000000000000000",
  });
  const type = `${reader.primaryType}(${reader.fields.map((field) => `${field.type} ${field.name}`).join(",")})`;
  const words = reader.fields.map((field) => word(field, message[field.name]));
  return signedDigest(separator, keccak_256(concatBytes(keccak_256(utf8ToBytes(type)), ...words)));
}

function word({ name, type }: UserField, value: unknown): Uint8Array {
  if (type === "string" && typeof value === "string") return keccak_256(utf8ToBytes(value));
  if (type === "address" && typeof value === "string") return concatBytes(new Uint8Array(12), addressBytes(value));
  if (type === "uint64" && typeof value === "bigint") return integerWord(value);
  if (type === "bool" && typeof value === "boolean") return integerWord(value ? 1n : 0n);
  throw new Error(`bug: typed field ${name} is not ${type}`);
}

function integerWord(value: bigint): Uint8Array {
  const bytes = fromHex(`0x${value.toString(16).padStart(64, "0")}`);
  if (bytes === null) throw new Error("bug: hex of a number");
  return bytes;
}
