/**
 * A stop: from its row on nothing that could make a position larger is signed for whom it covers, and what was signed
 * before is burnt or canceled. What can only make a position smaller passes: whoever holds one must get out of it.
 */
import type { Universe } from "./market.ts";
import type { OrderTerms } from "./order.ts";

export const STOP_SCOPES = ["bot", "account"] as const;
export type StopScope = (typeof STOP_SCOPES)[number];

/** Why what increases was withdrawn. Only a stop that was asked for refuses what comes after it. */
export const STOP_CAUSES = [
  "asked",
  "heartbeat_missed",
  "key_blocked",
  "key_revoked",
  "loss_tripped",
  "narrowed",
] as const;
export type StopCause = (typeof STOP_CAUSES)[number];

/**
 * `stopping`: something that was signed here may still increase a position. `stopped`: nothing can. `resumed`: the operator or
 * the owner has ended it.
 */
export const STOP_STATUSES = ["stopping", "stopped", "resumed"] as const;
export type StopStatus = (typeof STOP_STATUSES)[number];

export type Stop = {
  id: string;
  accountId: string;
  scope: StopScope;
  /** Hash of the API key whose orders it covers, with those of its whole bot; null where it covers the account. */
  keyHash: string | null;
  cause: StopCause;
  /** What can only make a position smaller stays. */
  keepsProtection: boolean;
  /** Number of the newest action that was signed before it; what came later is none of it. */
  upTo: number;
  createdAtMs: number;
  /** When all of the account's orders that were placed elsewhere had been told to go; null before, and for a bot. */
  outsideAtMs: number | null;
  /** When it was first known that nothing could increase; null before that, and again when something is found. */
  stoppedAtMs: number | null;
  resumedAtMs: number | null;
};

export function stopStatus({ stoppedAtMs, resumedAtMs }: Pick<Stop, "stoppedAtMs" | "resumedAtMs">): StopStatus {
  if (resumedAtMs !== null) return "resumed";
  return stoppedAtMs === null ? "stopping" : "stopped";
}

/** True while it refuses what increases. */
export function isStanding({ cause, resumedAtMs }: Pick<Stop, "cause" | "resumedAtMs">): boolean {
  return cause === "asked" && resumedAtMs === null;
}

/** Of these only what was signed before them is withdrawn: what comes after is for others to refuse. */
export function isOfThen({ cause }: Pick<Stop, "cause">): boolean {
  return cause === "heartbeat_missed" || cause === "loss_tripped" || cause === "narrowed";
}

/** True while there is still something to do for it. */
export function isUnfinished({ stoppedAtMs, resumedAtMs }: Pick<Stop, "stoppedAtMs" | "resumedAtMs">): boolean {
  return stoppedAtMs === null && resumedAtMs === null;
}

/** A key that ends leaves what its bot's other key has placed as it is. */
export function endsOneKey(cause: StopCause): boolean {
  return cause === "key_blocked" || cause === "key_revoked";
}

/** What a spot pair may be sold for without the buying of anything else. */
const CASH = "USDC";

/**
 * Whether a stop refuses or withdraws an order, because it can make a position larger. A sale on spot cannot: there is nothing
 * below zero, and what it brings is cash; where it brings another token, or the pair is not known, it can. Rails ask for less
 * (`canOnlyReduce` of an open leg): they bound what is held in one market, whatever the sale brings.
 *
 * @param pairName `BASE/QUOTE` of a spot market; null for perpetuals and where it is not known
 */
export function canIncrease(
  { side, reduceOnly }: Pick<OrderTerms, "side" | "reduceOnly">,
  pairName: string | null,
): boolean {
  const isSaleForCash = side === "sell" && pairName?.endsWith(`/${CASH}`) === true;
  return !reduceOnly && !isSaleForCash;
}

/** The same of an order by the list of markets; null where that has not been read. */
export function canIncreaseIn(
  universe: Universe | null,
  order: Pick<OrderTerms, "market" | "side" | "reduceOnly">,
): boolean {
  return canIncrease(order, universe?.byName.get(order.market)?.pairName ?? null);
}

/** Of one kind that are named of a stop: orders, what was placed elsewhere, what is waited for. */
export const MAX_NAMED = 500;
