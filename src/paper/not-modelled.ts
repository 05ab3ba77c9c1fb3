/**
 * Requests that exist at the exchange and not here. A schema error would tell a client that it wrote them wrongly, so they are
 * named instead; nothing of them is read, and no nonce is used.
 */
import type { HttpAnswer } from "./answers.ts";

const INFO_TYPES: ReadonlySet<string> = new Set([
  "borrowLendReserveState",
  "gossipPriorityAuctionStatus",
  "outcomeMetaUpdates",
  "perpDeployAuctionStatus",
  "spotDeployState",
  "spotPairDeployAuctionStatus",
  "validatorL1Votes",
]);

const ACTION_TYPES: ReadonlySet<string> = new Set([
  "activateOutcomeDeployer",
  "authorizeAqav2Role",
  "borrowLend",
  "cSignerAction",
  "cValidatorAction",
  "cWithdraw",
  "convertToMultiSigUser",
  "finalizeEvmContract",
  "gossipPriorityBid",
  "hip3LiquidatorTransfer",
  "linkStakingUser",
  "multiSig",
  "perpDeploy",
  "sendToEvmWithData",
  "spotDeploy",
  "spotUser",
  "stakingLinkDisableTradingUser",
  "tokenDelegate",
  "userOutcome",
  "userPortfolioMargin",
  "validatorL1Stream",
]);

/** Null where the type is modelled, or nobody knows it: then it is for the schema to say. */
export function notModelled(on: "info" | "exchange", type: string | null): HttpAnswer | null {
  const known = on === "info" ? INFO_TYPES : ACTION_TYPES;
  if (type === null || !known.has(type)) return null;
  return {
    status: 501,
    contentType: "text/plain; charset=utf-8",
    body: `${type} is not modelled by the paper exchange.`,
  };
}
