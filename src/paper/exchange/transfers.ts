/** Money that the owner moves. */
import { decimal } from "../../core/decimal.ts";
import { address, boolean, type Decoded, MISMATCH, optional, required, struct, text } from "./decode.ts";
import type { ExactJson } from "./json-text.ts";
import type { UserReader } from "./reader.ts";
import { amountText, NONCE, signedFields, TIME, typedFields } from "./user-signed.ts";

const UsdSend = struct(
  { ...signedFields("usdSend"), destination: required(address), amount: required(amountText), ...TIME },
  "refuse",
);
const Withdraw = struct(
  { ...signedFields("withdraw3"), destination: required(address), amount: required(amountText), ...TIME },
  "refuse",
);
const SpotSend = struct(
  {
    ...signedFields("spotSend"),
    destination: required(address),
    token: required(text),
    amount: required(amountText),
    ...TIME,
  },
  "refuse",
);
const UsdClassTransfer = struct(
  { ...signedFields("usdClassTransfer"), amount: required(text), toPerp: required(boolean), ...NONCE },
  "refuse",
);
const SendAsset = struct(
  {
    ...signedFields("sendAsset"),
    destination: required(address),
    sourceDex: required(text),
    destinationDex: required(text),
    token: required(text),
    amount: required(amountText),
    fromSubAccount: optional(addressOrEmpty),
    ...NONCE,
  },
  "refuse",
);

function addressOrEmpty(json: ExactJson): Decoded<string> {
  return json === "" ? "" : address(json);
}

/** Two actions of the same members: to somebody else at the exchange, and out of it. */
function sending(
  type: "usdSend" | "withdraw3",
  primaryType: string,
  decode: typeof UsdSend | typeof Withdraw,
): UserReader {
  return {
    kind: "user",
    primaryType,
    fields: typedFields("destination string", "amount string", "time uint64"),
    read: (json) => {
      const read = decode(json);
      if (read === MISMATCH) return MISMATCH;
      const { hyperliquidChain, destination, amount, time } = read;
      return {
        chain: hyperliquidChain,
        chainId: read.signatureChainId,
        message: { hyperliquidChain, destination, amount, time },
        nonce: time,
        action: { type, destination, amount: decimal(amount) },
      };
    },
  };
}

export const usdSend = sending("usdSend", "HyperliquidTransaction:UsdSend", UsdSend);
export const withdraw3 = sending("withdraw3", "HyperliquidTransaction:Withdraw", Withdraw);

export const spotSend: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:SpotSend",
  fields: typedFields("destination string", "token string", "amount string", "time uint64"),
  read: (json) => {
    const read = SpotSend(json);
    if (read === MISMATCH) return MISMATCH;
    const { hyperliquidChain, destination, token, amount, time } = read;
    return {
      chain: hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain, destination, token, amount, time },
      nonce: time,
      action: { type: "spotSend", destination, token, amount: decimal(amount) },
    };
  },
};

export const usdClassTransfer: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:UsdClassTransfer",
  fields: typedFields("amount string", "toPerp bool", "nonce uint64"),
  read: (json) => {
    const read = UsdClassTransfer(json);
    if (read === MISMATCH) return MISMATCH;
    const { hyperliquidChain, amount, toPerp, nonce } = read;
    // "12.5 subaccount:0x…" moves the money of a sub-account.
    const parts = /^(\S+)(?:\s+subaccount:(0x[0-9a-fA-F]{40}))?$/.exec(amount);
    const dollars = amountText(parts?.[1] ?? "");
    if (dollars === MISMATCH) return MISMATCH;
    return {
      chain: hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain, amount, toPerp, nonce },
      nonce,
      action: {
        type: "usdClassTransfer",
        amount: decimal(dollars),
        toPerp,
        subAccount: parts?.[2]?.toLowerCase() ?? null,
      },
    };
  },
};

export const sendAsset: UserReader = {
  kind: "user",
  primaryType: "HyperliquidTransaction:SendAsset",
  fields: typedFields(
    "destination string",
    "sourceDex string",
    "destinationDex string",
    "token string",
    "amount string",
    "fromSubAccount string",
    "nonce uint64",
  ),
  read: (json) => {
    const read = SendAsset(json);
    if (read === MISMATCH) return MISMATCH;
    const { hyperliquidChain, destination, sourceDex, destinationDex, token, amount, nonce } = read;
    const fromSubAccount = read.fromSubAccount ?? "";
    return {
      chain: hyperliquidChain,
      chainId: read.signatureChainId,
      message: { hyperliquidChain, destination, sourceDex, destinationDex, token, amount, fromSubAccount, nonce },
      nonce,
      action: {
        type: "sendAsset",
        destination,
        sourceDex,
        destinationDex,
        token,
        amount: decimal(amount),
        fromSubAccount: fromSubAccount === "" ? null : fromSubAccount,
      },
    };
  },
};
