/** What only reduces, of a bot, and would close what another holds and nothing of the bot's: a trigger, an order that rests, a TWAP. */
import type { Attempt } from "../attempt.ts";
import { isNegative, isZero, larger, negate, ZERO } from "../decimal.ts";
import type { OpenLeg } from "./exposure.ts";
import type { Facts } from "./wish.ts";

/** What only reduces: whose it is, where, and on which side it executes. */
type ReducedBy = Pick<OpenLeg, "bot" | "market" | "side">;

type KnownFacts = Pick<Facts, "accountOf" | "legs" | "ownOf">;

/** True when its bot holds nothing that it would close, and has nothing out that could become such. */
export function protectsNothing(facts: Pick<Facts, "legs" | "ownOf">, of: ReducedBy): boolean {
  const { market, side } = of;
  const isComing = mayGrow(facts.legs, of);
  const own = facts.ownOf(market);
  return !isComing && isZero(larger(side === "sell" ? own : negate(own), ZERO));
}

/** True while its bot has something out that could become what it would close. */
export function mayGrow(legs: readonly OpenLeg[], { market, side, bot }: ReducedBy): boolean {
  return legs.some((leg) => leg.bot === bot && leg.market === market && leg.side !== side && !leg.canOnlyReduce);
}

/** True when the account holds something that it would close then. False where nobody can say what the account holds. */
export function isIdleReduction(facts: KnownFacts, leg: OpenLeg): boolean {
  const account = facts.accountOf(leg.market);
  if (account === null || isZero(account) || !protectsNothing(facts, leg)) return false;
  return isNegative(account) === (leg.side === "buy");
}

const NAME = "idle ";

/** How long every look has to find a waiting trigger idle, milliseconds: a bot's fill may be told later than the position it makes. */
const TRIGGER_IDLE_FOR_MS = 30_000;
/**
 * The same of what may be filled at any moment: shorter, because each second may close what another holds; and still three looks,
 * as what is booked comes seconds after what is filled.
 */
const FILLING_IDLE_FOR_MS = 10_000;

export function idleForMs({ triggerPrice }: Pick<OpenLeg, "triggerPrice">): number {
  return triggerPrice === null ? FILLING_IDLE_FOR_MS : TRIGGER_IDLE_FOR_MS;
}

/** The name under which one is canceled: with a space, so that it is no client's Idempotency-Key. */
export function nameOfIdle(id: string): string {
  return `${NAME}${id}`;
}

/** True for the cancel of one. */
export function isOfIdle(attempt: Pick<Attempt, "idempotencyKey" | "kind">): boolean {
  return attempt.kind === "cancel" && idOfIdle(attempt) !== null;
}

/** Of the cancel of one, the order or the TWAP's operation that it is to cancel; null for any other. */
export function idOfIdle({ kind, idempotencyKey }: Pick<Attempt, "idempotencyKey" | "kind">): string | null {
  if (kind !== "cancel" && kind !== "twap_cancel") return null;
  return idempotencyKey.startsWith(NAME) ? (idempotencyKey.slice(NAME.length).split(" ")[0] ?? null) : null;
}

/** Why its cancel was given up. */
export const LAPSED_WORDS =
  "Postern gave its cancel up: it protects something of its bot again, or may, or a stop keeps it, or it closes nothing of another's";

/** What its order says then. */
export const IDLE_WORDS =
  "canceled by Postern: it protected nothing of its bot any more, and would have closed what another holds";
