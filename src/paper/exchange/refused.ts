/**
 * Actions that exist at the exchange and not here. They are read and their signer is recovered, so that a
 * client with a wrong signature learns that first; then they are refused, with the exchange's words where known.
 */
import {
  address,
  boolean,
  type Decoder,
  decimalText,
  literal,
  MISMATCH,
  nullable,
  required,
  struct,
  text,
  u64,
} from "./decode.ts";
import type { Canonical, L1Reader, UserReader } from "./reader.ts";
import { NONCE, signedFields, typedFields } from "./user-signed.ts";

const NOT_HERE = "Action is not available on the paper exchange.";

function refusedL1(decode: Decoder<Canonical>, refusal: (canonical: Canonical) => string): L1Reader {
  return {
    kind: "l1",
    read: (json) => {
      const canonical = decode(json);
      return canonical === MISMATCH ? MISMATCH : { canonical, action: { refusal: refusal(canonical) } };
    },
  };
}

export const vaultTransfer = refusedL1(
  struct(
    {
      type: required(literal("vaultTransfer")),
      vaultAddress: required(address),
      isDeposit: required(boolean),
      usd: required(u64),
    },
    "refuse",
  ),
  (canonical) => `Vault not registered: ${canonical["vaultAddress"]}`,
);

export const createVault = refusedL1(
  struct(
    {
      type: required(literal("createVault")),
      name: required(text),
      description: required(text),
      initialUsd: required(u64),
      nonce: required(u64),
    },
    "refuse",
  ),
  () => NOT_HERE,
);

export const vaultModify = refusedL1(
  struct(
    {
      type: required(literal("vaultModify")),
      vaultAddress: required(address),
      allowDeposits: nullable(boolean),
      alwaysCloseOnWithdraw: nullable(boolean),
    },
    "refuse",
  ),
  (canonical) => `Vault not registered: ${canonical["vaultAddress"]}`,
);

export const vaultDistribute = refusedL1(
  struct({ type: required(literal("vaultDistribute")), vaultAddress: required(address), usd: required(u64) }, "refuse"),
  (canonical) => `Vault not registered: ${canonical["vaultAddress"]}`,
);

export const setDisplayName = refusedL1(
  struct({ type: required(literal("setDisplayName")), displayName: required(text) }, "refuse"),
  () => NOT_HERE,
);

export const registerReferrer = refusedL1(
  struct({ type: required(literal("registerReferrer")), code: required(text) }, "refuse"),
  () => NOT_HERE,
);

export const evmUserModify = refusedL1(
  struct({ type: required(literal("evmUserModify")), usingBigBlocks: required(boolean) }, "refuse"),
  () => NOT_HERE,
);

export const claimRewards = refusedL1(struct({ type: required(literal("claimRewards")) }, "refuse"), () => NOT_HERE);

export const agentEnableDexAbstraction = refusedL1(
  struct({ type: required(literal("agentEnableDexAbstraction")) }, "refuse"),
  () => NOT_HERE,
);

export const subAccountModify = refusedL1(
  struct(
    { type: required(literal("subAccountModify")), subAccountUser: required(address), name: required(text) },
    "refuse",
  ),
  () => NOT_HERE,
);

export const agentSendAsset = refusedL1(
  struct(
    {
      type: required(literal("agentSendAsset")),
      destination: required(address),
      sourceDex: required(text),
      destinationDex: required(text),
      token: required(text),
      amount: required(decimalText),
      fromSubAccount: required(text),
      nonce: required(u64),
    },
    "refuse",
  ),
  () => "Agent can only send asset to same user or their sub-accounts.",
);

const UserDexAbstraction = struct(
  { ...signedFields("userDexAbstraction"), user: required(address), enabled: required(boolean), ...NONCE },
  "refuse",
);

export const userDexAbstraction: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:UserDexAbstraction",
  fields: typedFields("user address", "enabled bool", "nonce uint64"),
  read: (json) => {
    const read = UserDexAbstraction(json);
    if (read === MISMATCH) return MISMATCH;
    const { hyperliquidChain, user, enabled, nonce } = read;
    return {
      chain: hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain, user, enabled, nonce },
      nonce,
      action: { refusal: NOT_HERE },
    };
  },
};

const Staking = struct({ ...signedFields("cDeposit"), wei: required(u64), ...NONCE }, "refuse");

export const cDeposit: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:CDeposit",
  fields: typedFields("wei uint64", "nonce uint64"),
  read: (json) => {
    const read = Staking(json);
    if (read === MISMATCH) return MISMATCH;
    const { hyperliquidChain, wei, nonce } = read;
    return {
      chain: hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain, wei, nonce },
      nonce,
      action: { refusal: NOT_HERE },
    };
  },
};
