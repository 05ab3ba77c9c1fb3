/**
 * A price-only modify is for what is left of the order. When the original was filled further while it was being replaced,
 * or its fills were shown late, what was placed is too much. That is a property of the legs, whenever it is looked at.
 */
import type { Attempt } from "./attempt.ts";
import { compare, type Decimal, decimal, subtract, ZERO } from "./decimal.ts";
import { isRefused, type Leg } from "./order.ts";

/**
 * What the replacement of a modify has too much. `live`: `by` of it is open, and only `remainder` may be; `past`: `by` is
 * filled already.
 */
export type Excess =
  | { kind: "none" }
  | { kind: "live"; leg: Leg; by: Decimal; remainder: Decimal }
  | { kind: "past"; leg: Leg; by: Decimal };

/** Counted over all legs before the replacement: an order may have been modified often. */
export function excessOf(legs: readonly Leg[], replacement: Leg, intendedTotal: string | null): Excess {
  if (intendedTotal === null) return { kind: "none" };
  const left = legs
    .filter((leg) => leg.ordinal < replacement.ordinal)
    .reduce((sum, leg) => subtract(sum, leg.filledSize), decimal(intendedTotal));
  const leg = replacement;
  if (isOpen(replacement) && compare(replacement.size, left) > 0)
    return { kind: "live", leg, by: subtract(leg.size, left), remainder: subtract(left, leg.filledSize) };
  const by = subtract(replacement.filledSize, left);
  return compare(by, ZERO) > 0 && compare(leg.filledSize, ZERO) > 0 ? { kind: "past", leg, by } : { kind: "none" };
}

/** What waits for its trigger is open as well: it may fire at any moment, and be filled whole in the same. */
function isOpen({ state }: Leg): boolean {
  return state === "resting" || state === "armed";
}

/**
 * What an order has too much as it stands: of its newest leg that the exchange has, or had, and the modify that placed
 * it.
 */
export function standingExcess(legs: readonly Leg[], attempts: readonly Attempt[]): Excess {
  const newest = legs.findLast(({ state }) => STANDING.has(state));
  const modify = attempts.find(({ kind, cloid }) => kind === "modify" && cloid !== null && cloid === newest?.cloid);
  return newest === undefined || modify === undefined ? { kind: "none" } : excessOf(legs, newest, modify.intendedTotal);
}

const STANDING: ReadonlySet<Leg["state"]> = new Set(["resting", "armed", "closing", "filled", "canceled"]);

/** Words for as long as it is open. */
export function excessWords(by: Decimal): string {
  return `${by} more than asked for is open: the order was filled further while it was being replaced. It is being taken off.`;
}

/** Words for an order of which nothing could be left open. */
export const REMOVED_WORDS = "The modify had placed more than was left of the order; what was open of it was canceled.";

/** True of what the gateway sends by itself after a modify, under its key: that takes off what was placed too much. */
export function isTakingOff(attempt: Attempt, attempts: readonly Attempt[]): boolean {
  return attempts.some(
    ({ kind, idempotencyKey, id }) => kind === "modify" && idempotencyKey === attempt.idempotencyKey && id < attempt.id,
  );
}

/** Times that the exchange may refuse to reduce a leg before what is open of it is canceled. */
const MAX_REFUSALS = 3;
/** Shortest time before it is reduced again, milliseconds; it doubles. */
const REDUCE_AGAIN_AFTER_MS = 1_000;
const MAX_REDUCE_AGAIN_AFTER_MS = 30_000;

/**
 * Whether it is worth another try to reduce this leg, and how long to wait before it. What waits for its trigger is canceled:
 * the exchange replaces it only by what it places in any case, which would stand beside one that has just fired.
 */
export function reductionsOf(
  { oid, state }: Leg,
  legs: readonly Leg[],
  attempts: readonly Attempt[],
): { mayReduce: boolean; pauseMs: number } {
  const tries = attempts.filter(
    (each) => each.kind === "modify" && each.targetOid === oid && isTakingOff(each, attempts),
  );
  const refused = tries.filter(({ cloid }) => legs.some((leg) => leg.cloid === cloid && isRefused(leg)));
  const pauseMs = tries.length === 0 ? 0 : REDUCE_AGAIN_AFTER_MS * 2 ** (tries.length - 1);
  return {
    mayReduce: state !== "armed" && refused.length < MAX_REFUSALS,
    pauseMs: Math.min(pauseMs, MAX_REDUCE_AGAIN_AFTER_MS),
  };
}
