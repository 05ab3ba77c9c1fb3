/**
 * Where the exchange is not known, or two answers are plausible: one switch each. The defaults and the reasons
 * are listed in the simulator's README.
 */
export type EngineOptions = {
  /** Reply to a Gtc order that filled in part and rests with the remainder. */
  partialGtcReply: "resting" | "filled";
  /** Reply to a trigger order with grouping `na`. */
  plainTriggerReply: "resting" | "waitingForTrigger";
  /** Reply to a modify into a trigger: with its oid, or as one that is placed is answered. */
  modifyTriggerReply: "resting" | "asPlaced";
  /** Where an error that covers the whole batch before matching is put. */
  batchErrorForm: "statuses" | "err";
  /** Whether `Too many cumulative requests` uses up the nonce. */
  rateLimitUsesNonce: boolean;
  /** A second order with the cloid of a live one. */
  duplicateLiveCloid: "accept" | "reject";
  builderOnSpotBuy: "ignore" | "reject";
  /** A priority fee (`grouping: {p}` above 0): nobody has stake here. */
  priorityFee: "reject" | "ignore";
  /** Whether a builder must hold 100 dollars of perp value before it can be approved. */
  builderNeedsBalance: boolean;
  /** A reduce-only order of less than ten dollars that closes the whole position. */
  fullCloseBelowMinimum: "taken" | "refused";
  /** Price at which the margin of an Ioc or market order is checked; a resting one reserves at its limit. */
  marginCheckPrice: "limit" | "mark";
  /** Margin of resting orders on both sides of one market: of both, or of the larger side. */
  openOrderMargin: "sum" | "larger";
  /** `size` that a filled order keeps in its record. */
  filledRecordSize: "zero" | "original";
  /** A trigger order on a spot pair. */
  spotTriggers: "reject" | "accept";
  /** A trigger that mark has met already when it is placed: taken, and it fires at once, or refused. */
  metTrigger: "fire" | "reject";
  /** Where met triggers are refused: whether one whose price is exactly mark counts as met. */
  triggerAtMark: "reject" | "accept";
  /** Which triggers the worst-price rule binds: stops at market, everything at market, or limit triggers as well. */
  worstPriceRule: "marketStops" | "market" | "all";
  /** A reduce-only trigger of grouping `na` without a position to reduce; one that is taken is refused when it fires. */
  reduceOnlyTriggerWithoutPosition: "accept" | "reject";
  /** A reduce-only trigger of grouping `na` and size 0: the whole position, whatever that is when it fires. */
  zeroSizeTrigger: "wholePosition" | "reject";
  /** Lowest value of a TWAP: 100 dollars in all, or 10 dollars a minute. */
  twapMinimum: "total" | "perMinute";
  twapMaxMinutes: number;
  maxActiveTwaps: number;
  /** A limit further than this from the reference price is refused for the whole batch. Percent. */
  perpBandPercent: number;
  /** A limit further than this from the oracle on its aggressive side is `oracleRejected`. Percent. */
  oracleDistancePercent: number;
  /** How long a replaced or removed agent is still answered `Must deposit`. */
  removedAgentGraceMs: number;
  /** Expiry is enforced lazily: an agent is still taken this long after it. */
  agentExpiryGraceMs: number;
  agentRemovalPendingMs: number;
  /** Positions above this many dollars are liquidated in slices. */
  liquidationSliceFromUsd: number;
  liquidationCoolDownMs: number;
  /** Actions an address may send before it has traded. */
  requestAllowance: number;
  /** Fixed rates before discounts, in 10^-12. */
  perpTakerRateE12: bigint;
  perpMakerRateE12: bigint;
  spotTakerRateE12: bigint;
  spotMakerRateE12: bigint;
  /** Fraction of a positive fee taken off, in 10^-12: a referral or staking discount of everybody. */
  feeDiscountE12: bigint;
  /** Dollars that must have been traded before `scheduleCancel`. */
  scheduleCancelVolumeUsd: number;
  /** Dollars that must have been traded before `createSubAccount`. */
  subAccountVolumeUsd: number;
  /** Whether `setReferrer` knows every code or none. */
  referralCodes: "any" | "none";
};

export const DEFAULT_OPTIONS: EngineOptions = {
  partialGtcReply: "resting",
  plainTriggerReply: "resting",
  modifyTriggerReply: "resting",
  batchErrorForm: "statuses",
  rateLimitUsesNonce: false,
  duplicateLiveCloid: "accept",
  builderOnSpotBuy: "ignore",
  priorityFee: "reject",
  builderNeedsBalance: true,
  fullCloseBelowMinimum: "taken",
  marginCheckPrice: "mark",
  openOrderMargin: "sum",
  filledRecordSize: "zero",
  spotTriggers: "reject",
  metTrigger: "fire",
  triggerAtMark: "reject",
  worstPriceRule: "marketStops",
  reduceOnlyTriggerWithoutPosition: "accept",
  zeroSizeTrigger: "wholePosition",
  twapMinimum: "total",
  twapMaxMinutes: 10_080,
  maxActiveTwaps: 100,
  perpBandPercent: 95,
  oracleDistancePercent: 80,
  removedAgentGraceMs: 60_000,
  agentExpiryGraceMs: 900_000,
  agentRemovalPendingMs: 5_000,
  liquidationSliceFromUsd: 100_000,
  liquidationCoolDownMs: 30_000,
  requestAllowance: 10_000,
  perpTakerRateE12: 450_000_000n,
  perpMakerRateE12: 150_000_000n,
  spotTakerRateE12: 700_000_000n,
  spotMakerRateE12: 400_000_000n,
  feeDiscountE12: 0n,
  scheduleCancelVolumeUsd: 1_000_000,
  subAccountVolumeUsd: 100_000,
  referralCodes: "any",
};
