/**
 * Actions as the engine takes them: the exchange's own names, absent optionals as null, decimals canonical with
 * at most 8 places, addresses and cloids lower case. Schema errors (422) were refused before this point.
 */
import type { Decimal } from "../../core/decimal.ts";
import type { Address } from "./state.ts";

export type LimitOrTrigger =
  | { limit: { tif: "Gtc" | "Ioc" | "Alo" | "FrontendMarket" } }
  | { trigger: { isMarket: boolean; triggerPx: Decimal; tpsl: "tp" | "sl" } };

export type OrderRequest = {
  a: number;
  b: boolean;
  p: Decimal;
  s: Decimal;
  r: boolean;
  t: LimitOrTrigger;
  c: string | null;
};

/** The priority-fee form `{ p }`, where it is taken, is matched as `na`. */
export type Grouping = "na" | "normalTpsl" | "positionTpsl" | { p: number };

export type EngineOrderAction = {
  type: "order";
  orders: OrderRequest[];
  grouping: Grouping;
  builder: { b: Address; f: number } | null;
};
export type EngineCancelAction = { type: "cancel"; cancels: { a: number; o: number }[]; f: boolean };
export type EngineCancelByCloidAction = {
  type: "cancelByCloid";
  cancels: { asset: number; cloid: string }[];
  f: boolean;
};
export type ModifyRequest = { oid: number | string; order: OrderRequest };
export type EngineModifyAction = { type: "modify"; oid: number | string; order: OrderRequest; a: boolean };
export type EngineBatchModifyAction = { type: "batchModify"; modifies: ModifyRequest[]; a: boolean };
export type EngineTwapOrderAction = {
  type: "twapOrder";
  twap: { a: number; b: boolean; s: Decimal; r: boolean; m: number; t: boolean };
  /** `t.a`: true starts at or above the price `t.p`, false at or below. `s`: stop price. */
  details: { t: { p: Decimal; a: boolean } | null; s: Decimal | null } | null;
};

/** Signed as an L1 action: by the owner or an agent, for the account or one of its sub-accounts. */
export type L1Action =
  | EngineOrderAction
  | EngineCancelAction
  | EngineCancelByCloidAction
  | EngineModifyAction
  | EngineBatchModifyAction
  | EngineTwapOrderAction
  | { type: "twapCancel"; a: number; t: number }
  | { type: "scheduleCancel"; time: number | null }
  | { type: "updateLeverage"; asset: number; isCross: boolean; leverage: number }
  | { type: "updateIsolatedMargin"; asset: number; isBuy: boolean; ntli: bigint }
  | { type: "topUpIsolatedOnlyMargin"; asset: number; leverage: Decimal }
  | { type: "noop" }
  | { type: "reserveRequestWeight"; weight: number; destination: Address | null }
  | { type: "setReferrer"; code: string }
  | { type: "agentSetAbstraction"; abstraction: "i" | "u" | "p" }
  | { type: "createSubAccount"; name: string }
  /** `usd` in micro-dollars. */
  | { type: "subAccountTransfer"; subAccountUser: Address; isDeposit: boolean; usd: bigint }
  | {
      type: "subAccountSpotTransfer";
      subAccountUser: Address;
      isDeposit: boolean;
      token: string;
      amount: Decimal;
    };

/** Signed by the main wallet as typed data of its own; applies to the recovered signer's account. */
export type UserSignedAction =
  | { type: "approveAgent"; agentAddress: Address; agentName: string | null }
  | { type: "approveBuilderFee"; maxFeeRate: string; builder: Address }
  | {
      type: "userSetAbstraction";
      user: Address;
      abstraction: "disabled" | "unifiedAccount" | "portfolioMargin";
    }
  | { type: "usdSend"; destination: Address; amount: Decimal }
  | { type: "withdraw3"; destination: Address; amount: Decimal }
  | { type: "spotSend"; destination: Address; token: string; amount: Decimal }
  | { type: "usdClassTransfer"; amount: Decimal; toPerp: boolean; subAccount: Address | null }
  | {
      type: "sendAsset";
      destination: Address;
      sourceDex: string;
      destinationDex: string;
      token: string;
      amount: Decimal;
      fromSubAccount: Address | null;
    };

export type ParsedAction = L1Action | UserSignedAction;

export type ActionInput = {
  action: ParsedAction;
  /** Recovered from the bytes: the owner's or an agent's address. */
  signer: Address;
  vaultAddress: Address | null;
  nonce: number;
  expiresAfter: number | null;
  nowMs: number;
};

export type OrderReplyStatus =
  | { resting: { oid: number; cloid?: string } }
  | { filled: { totalSz: string; avgPx: string; oid: number; cloid?: string } }
  | { error: string }
  | "waitingForFill"
  | "waitingForTrigger";

export type CancelReplyStatus = "success" | { error: string };

/** The exchange's own JSON, ready to be written out. */
export type VenueReply =
  | { status: "ok"; response: { type: "order"; data: { statuses: OrderReplyStatus[] } } }
  | { status: "ok"; response: { type: "cancel"; data: { statuses: CancelReplyStatus[] } } }
  | {
      status: "ok";
      response: { type: "twapOrder"; data: { status: { running: { twapId: number } } | { error: string } } };
    }
  | { status: "ok"; response: { type: "twapCancel"; data: { status: "success" | { error: string } } } }
  | { status: "ok"; response: { type: "createSubAccount"; data: Address } }
  | { status: "ok"; response: { type: "default" } }
  | { status: "err"; response: string };
