/** An order that a model has proposed: nothing of it is placed before it is said so, and much of it by a person. */
import type { OrderTerms } from "./order.ts";

/** How long a proposal may be placed for the first time; of one that was approved, counted from then. Milliseconds. */
export const PROPOSAL_LIFE_MS = 60_000;
/** How long a person has to approve; whoever says nothing has refused. Milliseconds from when it was asked for. */
export const APPROVAL_LIFE_MS = 10 * 60_000;

export const DECISIONS = ["approve", "refuse"] as const;
export type Decision = (typeof DECISIONS)[number];

/** `proposed`: nobody has asked for it to be placed, or it needed no approval. */
export const PROPOSAL_STATUSES = ["proposed", "waiting", "approved", "refused", "expired"] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export type Proposal = {
  /** The order's Idempotency-Key is made from it, so that placing it after a crash is the same order. */
  id: string;
  accountId: string;
  /** Of the API key that has proposed it. */
  keyHash: string;
  /** Null for a key without rails. */
  bot: string | null;
  terms: OrderTerms;
  proposedAtMs: number;
  /** When it was first to be placed by a key that may only propose; null before, and for every other key. */
  askedAtMs: number | null;
  decision: Decision | null;
  decidedAtMs: number | null;
  /** `owner`, `operator`, or the hash of a key that may approve. */
  decidedBy: string | null;
};

export function proposalStatus({ askedAtMs, decision }: Proposal, nowMs: number): ProposalStatus {
  if (decision !== null) return decision === "approve" ? "approved" : "refused";
  if (askedAtMs === null) return "proposed";
  return isWithin(askedAtMs, APPROVAL_LIFE_MS, nowMs) ? "waiting" : "expired";
}

/** Whether it may be placed, or asked to be, for the first time. A clock that was set back makes it no younger. */
export function isLive({ proposedAtMs, decidedAtMs }: Proposal, nowMs: number): boolean {
  return isWithin(decidedAtMs ?? proposedAtMs, PROPOSAL_LIFE_MS, nowMs);
}

/** The last moment of that, unix milliseconds. */
export function placedUntilMs({ proposedAtMs, decidedAtMs }: Proposal): number {
  return (decidedAtMs ?? proposedAtMs) + PROPOSAL_LIFE_MS - 1;
}

function isWithin(sinceMs: number, lifeMs: number, nowMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < lifeMs;
}

/** The client's name for its order. No model has a part in it. */
export function keyOfProposal({ id }: Pick<Proposal, "id">): string {
  return `mcp-${id}`;
}

const MS_DIGITS = 13;

/** @param random 32 hex digits */
export function proposalId(nowMs: number, random: string): string {
  return `${String(nowMs).padStart(MS_DIGITS, "0")}-${random}`;
}

/** All of the order, as a person reads it before it is approved and as a wallet shows it. */
export function inWords({ side, size, market, price, timeInForce, reduceOnly, trigger }: OrderTerms): string {
  const whatFor = reduceOnly ? ", only to reduce" : "";
  const kind = trigger?.kind === "stop_loss" ? "stop loss" : "take profit";
  const then = trigger?.market === true ? "at market, " : "";
  const when = trigger === null ? "" : `, ${kind} once the mark price reaches ${trigger.price}`;
  return `${side} ${size} ${market} ${then}at ${price} or better (${timeInForce})${whatFor}${when}`;
}
