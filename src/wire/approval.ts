import type { Network } from "../core/account.ts";
import { trimTail } from "../core/trim.ts";
import { writeJson } from "./json.ts";
import type { SignatureParts } from "./recover.ts";
import { typedDataDigest } from "./typed-data.ts";
import type { TypedData, TypedField } from "./wallet-form.ts";

/**
 * What the owner's own wallet signs for the exchange: let this agent trade, let this builder take a fee. We only
 * show these; the key that could sign them never comes near us.
 */

/**
 * Arbitrum Sepolia, as the official SDKs send it on every network. The exchange takes any; a wallet in a browser signs
 * for none but the one that it is connected to.
 */
export const DEFAULT_CHAIN_ID = 0x66eee;

const DOMAIN = {
  name: "HyperliquidSignTransaction",
  version: "1",
  verifyingContract: "0x0000000000000000000000000000000000000000",
} as const;

const AGENT_TYPE = "HyperliquidTransaction:ApproveAgent";
const BUILDER_TYPE = "HyperliquidTransaction:ApproveBuilderFee";

const TYPES = {
  [AGENT_TYPE]: [
    { name: "hyperliquidChain", type: "string" },
    { name: "agentAddress", type: "address" },
    { name: "agentName", type: "string" },
    { name: "nonce", type: "uint64" },
  ],
  [BUILDER_TYPE]: [
    { name: "hyperliquidChain", type: "string" },
    { name: "maxFeeRate", type: "string" },
    { name: "builder", type: "address" },
    { name: "nonce", type: "uint64" },
  ],
} as const satisfies Record<string, readonly TypedField[]>;

/** Members stand in the order in which the exchange's SDKs send them. */
export type ApprovalAction =
  | {
      type: "approveAgent";
      signatureChainId: string;
      hyperliquidChain: HyperliquidChain;
      agentAddress: string;
      agentName: string;
      nonce: number;
    }
  | {
      type: "approveBuilderFee";
      signatureChainId: string;
      hyperliquidChain: HyperliquidChain;
      maxFeeRate: string;
      builder: string;
      nonce: number;
    };

export type HyperliquidChain = "Mainnet" | "Testnet";

/** A paper directory signs as testnet: what is signed there must be worthless on the real exchange. */
function hyperliquidChain(network: Network): HyperliquidChain {
  return network === "mainnet" ? "Mainnet" : "Testnet";
}

function chainIdText(chainId: number | undefined): string {
  return `0x${(chainId ?? DEFAULT_CHAIN_ID).toString(16)}`;
}

/** `agentName` may carry ` valid_until <ms>` after the name; `nonce` is unix milliseconds. */
export function approveAgent(input: {
  network: Network;
  agentAddress: string;
  agentName: string;
  nonce: number;
  chainId?: number;
}): ApprovalAction {
  return {
    type: "approveAgent",
    signatureChainId: chainIdText(input.chainId),
    hyperliquidChain: hyperliquidChain(input.network),
    agentAddress: input.agentAddress.toLowerCase(),
    agentName: input.agentName,
    nonce: input.nonce,
  };
}

export function approveBuilderFee(input: {
  network: Network;
  builder: string;
  feeTenthsBps: number;
  nonce: number;
  chainId?: number;
}): ApprovalAction {
  return {
    type: "approveBuilderFee",
    signatureChainId: chainIdText(input.chainId),
    hyperliquidChain: hyperliquidChain(input.network),
    maxFeeRate: feeRatePercent(input.feeTenthsBps),
    builder: input.builder.toLowerCase(),
    nonce: input.nonce,
  };
}

/** Tenths of a basis point as the exchange spells a rate: 50 is `0.05%`. */
export function feeRatePercent(feeTenthsBps: number): string {
  if (!Number.isSafeInteger(feeTenthsBps) || feeTenthsBps < 0)
    throw new Error("bug: builder fee is not a whole number");
  const digits = feeTenthsBps.toString().padStart(4, "0");
  const fraction = trimTail(digits.slice(-3), "0");
  return `${digits.slice(0, -3)}${fraction === "" ? "" : `.${fraction}`}%`;
}

/** What the owner's wallet is asked to sign. */
export function approvalTypedData(action: ApprovalAction): TypedData {
  const { type, signatureChainId, ...message } = action;
  const { name, version, verifyingContract } = DOMAIN;
  const domain = { name, version, chainId: Number(signatureChainId), verifyingContract };
  const primaryType = type === "approveAgent" ? AGENT_TYPE : BUILDER_TYPE;
  // Signers refuse types that the message does not use.
  return { domain, types: { [primaryType]: TYPES[primaryType] }, primaryType, message };
}

export function approvalDigest(action: ApprovalAction): Uint8Array {
  return typedDataDigest(approvalTypedData(action));
}

/** The body for /exchange. The nonce of the envelope has to be the action's own. */
export function approvalBody(action: ApprovalAction, signature: SignatureParts): string {
  return writeJson({ action, nonce: action.nonce, signature });
}
