import type { Attempt } from "../core/attempt.ts";
import { compare, type Decimal, decimal, fromUnits, subtract } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { OperationEnd } from "../core/operation.ts";
import type { World } from "../deps.ts";
import { parseClearinghouseState } from "../wire/answer/account.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, neverProven, operationOf, refusedUnlisted } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isEffectWitnessedAbsent, isGivenUp, readEffect } from "./reading.ts";

/** What tells a margin change: an isolated position's cash, with what else may have moved it. */
export type MarginReading = { signedSize: Decimal; rawUsd: Decimal; fundingSinceOpen: Decimal };

/** The isolated position of a market in an answer of `clearinghouseState`; null where there is none. */
export function readMargin(json: unknown, market: string): MarginReading | null {
  const position = parseClearinghouseState(json)?.positions.find((each) => each.coin === market);
  const rawUsd = position?.leverage.rawUsd ?? null;
  if (position === undefined || rawUsd === null) return null;
  return { signedSize: position.signedSize, rawUsd, fundingSinceOpen: position.fundingSinceOpen };
}

/**
 * One step toward the truth about a margin change: a delta without an id, so only the exact change of the position's
 * cash proves it. Fills in between make it undecidable, and then it is said to be.
 */
export async function stepMargin(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const user = tools.userOf(attempt);
  const operation = operationOf(world, attempt);
  const request = { type: "clearinghouseState", user, dex: dexOf(operation.market) };
  const reading = await readEffect(tools, attempt, { pursuit, request });
  if (reading === null) return false;
  const before = parseBefore(operation.before);
  const after = readMargin(reading.json, operation.market);
  const newestAtMs = parseClearinghouseState(reading.json)?.timeMs ?? null;
  const end = endOf(tools, reading.attempt, { pursuit, before, after, newestAtMs });
  if (end !== null) finishOperation(world, attempt, end);
  return end !== null;
}

type Readings = {
  pursuit: Pursuit;
  before: MarginReading | null;
  after: MarginReading | null;
  /** Exchange time of the state that `after` is of, unix milliseconds. */
  newestAtMs: number | null;
};

/** How it ended; null while that is not known. */
function endOf(tools: Tools, attempt: Attempt, about: Readings): OperationEnd | null {
  const { pursuit, before, after, newestAtMs } = about;
  if (attempt.seal === "noop") return neverExecuted(attempt);
  // While nothing is known of its number, the change may be an earlier one that the first reading did not show yet.
  const isTaken = attempt.seal === "nonce_taken";
  if (isTaken && isChanged(attempt, before, after)) return { status: "succeeded", exchangeId: null };
  if (isTaken && attempt.hasLanded && pursuit.refusal !== null) return refusedUnlisted(pursuit.refusal);
  const isUnmoved = changeBetween(before, after) === "0";
  if (isUnmoved && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs }))
    return { status: "rejected", error: "The position's margin did not change." };
  return isGivenUp(tools, attempt, pursuit) ? neverProven(attempt, undecidable(before, after)) : null;
}

function isChanged(attempt: Attempt, before: MarginReading | null, after: MarginReading | null): boolean {
  const change = changeBetween(before, after);
  return change !== null && compare(change, amountOf(attempt)) === 0;
}

/** Cash that neither fills nor funding explain; null when fills have moved the position, or a reading is missing. */
function changeBetween(before: MarginReading | null, after: MarginReading | null): Decimal | null {
  if (before === null || after === null) return null;
  if (compare(before.signedSize, after.signedSize) !== 0) return null;
  const paid = subtract(after.fundingSinceOpen, before.fundingSinceOpen);
  return subtract(subtract(after.rawUsd, before.rawUsd), subtract(decimal("0"), paid));
}

const USDC_DECIMALS = 6;

function amountOf(attempt: Attempt): Decimal {
  const action = actionOf(attempt);
  if (action?.type !== "updateIsolatedMargin") throw new Error("bug: a margin change that is none");
  return fromUnits(BigInt(action.ntli), USDC_DECIMALS);
}

function undecidable(before: MarginReading | null, after: MarginReading | null): string {
  const words = (reading: MarginReading | null) =>
    reading === null ? "no isolated position" : `size ${reading.signedSize}, cash ${reading.rawUsd}`;
  return `Whether the margin was changed cannot be proven. Before: ${words(before)}. After: ${words(after)}.`;
}

function parseBefore(text: string | null): MarginReading | null {
  // The column holds only what `storeMarginReading` wrote.
  return text === null ? null : (JSON.parse(text) as MarginReading | null);
}

/** Text of a reading for the operation's row. */
export function marginReadingText(reading: MarginReading | null): string {
  return JSON.stringify(reading);
}

/** Reads the position before the action is signed; null when it cannot be read. */
export async function takeMarginReading(
  world: World,
  user: string,
  market: string,
): Promise<{ reading: MarginReading | null } | null> {
  const request = { type: "clearinghouseState", user, dex: dexOf(market) };
  const outcome = await world.exchange.info(request, { purpose: "order" });
  return outcome.kind === "ok" ? { reading: readMargin(outcome.json, market) } : null;
}
