/** A trigger of a bot that would close what another holds, and nothing of the bot's. */
import type { Attempt } from "../attempt.ts";
import { isNegative, isZero, larger, negate, ZERO } from "../decimal.ts";
import type { OpenLeg } from "./exposure.ts";
import type { Facts } from "./wish.ts";

type Known = Pick<Facts, "accountOf" | "legs" | "ownOf">;

/** True when its bot holds nothing that it would close, by whichever reading, and has nothing out that could become such. */
export function protectsNothing(facts: Known, { market, side, bot }: OpenLeg): boolean {
  const isComing = facts.legs.some(
    (leg) => leg.bot === bot && leg.market === market && leg.side !== side && !leg.canOnlyReduce,
  );
  const { low, high } = facts.ownOf(market);
  return !isComing && isZero(larger(side === "sell" ? high : negate(low), ZERO));
}

/** True when the account holds something that it would close then. False where nobody can say what the account holds. */
export function isIdleTrigger(facts: Known, trigger: OpenLeg): boolean {
  const account = facts.accountOf(trigger.market);
  if (account === null || isZero(account) || !protectsNothing(facts, trigger)) return false;
  return isNegative(account) === (trigger.side === "buy");
}

const NAME = "idle ";

/** The name under which one is canceled: with a space, so that it is no client's Idempotency-Key. */
export function nameOfIdle(orderId: string): string {
  return `${NAME}${orderId}`;
}

/** True for the cancel of one. */
export function isOfIdle({ kind, idempotencyKey }: Pick<Attempt, "idempotencyKey" | "kind">): boolean {
  return kind === "cancel" && idempotencyKey.startsWith(NAME);
}

/** What its order says then. */
export const IDLE_WORDS =
  "canceled by Postern: it protected nothing of its bot any more, and would have closed what another holds";
