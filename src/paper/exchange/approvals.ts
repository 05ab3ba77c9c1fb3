/** What the owner allows others: an agent to trade, a builder to charge, the account to be one pool. */
import { address, literal, MISMATCH, optional, required, struct, text } from "./decode.ts";
import type { UserReader } from "./reader.ts";
import { NONCE, signedFields, typedFields } from "./user-signed.ts";

const ApproveAgent = struct(
  { ...signedFields("approveAgent"), agentAddress: required(address), agentName: optional(text), ...NONCE },
  "refuse",
);
const ApproveBuilderFee = struct(
  { ...signedFields("approveBuilderFee"), maxFeeRate: required(text), builder: required(address), ...NONCE },
  "refuse",
);
const UserSetAbstraction = struct(
  {
    ...signedFields("userSetAbstraction"),
    user: required(address),
    abstraction: required(literal("disabled", "unifiedAccount", "portfolioMargin")),
    ...NONCE,
  },
  "refuse",
);

export const approveAgent: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:ApproveAgent",
  fields: typedFields("agentAddress address", "agentName string", "nonce uint64"),
  read: (json) => {
    const read = ApproveAgent(json);
    if (read === MISMATCH) return MISMATCH;
    const { agentAddress, nonce } = read;
    // Clients sign an unnamed agent as "" and then leave the key out of the body.
    const name = read.agentName ?? "";
    return {
      chain: read.hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain: read.hyperliquidChain, agentAddress, agentName: name, nonce },
      nonce,
      action: { type: "approveAgent", agentAddress, agentName: name === "" ? null : name },
    };
  },
};

export const approveBuilderFee: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:ApproveBuilderFee",
  fields: typedFields("maxFeeRate string", "builder address", "nonce uint64"),
  read: (json) => {
    const read = ApproveBuilderFee(json);
    if (read === MISMATCH || !/^[0-9]+(\.[0-9]+)?%$/.test(read.maxFeeRate)) return MISMATCH;
    const { maxFeeRate, builder, nonce } = read;
    return {
      chain: read.hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain: read.hyperliquidChain, maxFeeRate, builder, nonce },
      nonce,
      action: { type: "approveBuilderFee", maxFeeRate, builder },
    };
  },
};

export const userSetAbstraction: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:UserSetAbstraction",
  fields: typedFields("user address", "abstraction string", "nonce uint64"),
  read: (json) => {
    const read = UserSetAbstraction(json);
    if (read === MISMATCH) return MISMATCH;
    const { user, abstraction, nonce } = read;
    return {
      chain: read.hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain: read.hyperliquidChain, user, abstraction, nonce },
      nonce,
      action: { type: "userSetAbstraction", user, abstraction },
    };
  },
};
