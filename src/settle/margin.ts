import type { Attempt } from "../core/attempt.ts";
import { compare, type Decimal, decimal, fromUnits, subtract } from "../core/decimal.ts";
import type { World } from "../deps.ts";
import { parseClearinghouseState } from "../wire/answer/account.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, operationOf } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isConfirmed, isGivenUp, readSealed, sealOperation } from "./reading.ts";

/** What tells a margin change: an isolated position's cash, with what else may have moved it. */
export type MarginReading = { signedSize: Decimal; rawUsd: Decimal; fundingSinceOpen: Decimal };

/** The isolated position of a market in an answer of `clearinghouseState`; null where there is none. */
export function readMargin(json: unknown, market: string): MarginReading | null {
  const position = parseClearinghouseState(json)?.positions.find((each) => each.coin === market);
  const rawUsd = position?.leverage.rawUsd ?? null;
  if (position === undefined || rawUsd === null) return null;
  return { signedSize: position.signedSize, rawUsd, fundingSinceOpen: position.fundingSinceOpen };
}

export function dexOf(market: string): string {
  return market.includes(":") ? (market.split(":")[0] ?? "") : "";
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
  const reading = await readSealed(tools, attempt, { pursuit, user, request });
  if (reading === null) return false;
  const before = parseBefore(operation.before);
  const after = readMargin(reading.json, operation.market);
  // What was asked for is seen as soon as any state shows it; that it is not there, only one that must show it can say.
  if (!reading.isFinal && !(reading.attempt.seal === "nonce_taken" && isChanged(attempt, before, after))) {
    await sealOperation(tools, reading.attempt, pursuit);
    return false;
  }
  if (reading.attempt.seal === "noop") {
    finishOperation(world, attempt, neverExecuted(attempt));
    return true;
  }
  return conclude(tools, attempt, { pursuit, before, after });
}

type Readings = { pursuit: Pursuit; before: MarginReading | null; after: MarginReading | null };

function conclude(tools: Tools, attempt: Attempt, { pursuit, before, after }: Readings): boolean {
  const { world } = tools;
  if (isChanged(attempt, before, after)) {
    finishOperation(world, attempt, { status: "succeeded", exchangeId: null });
    return true;
  }
  const change = changeBetween(before, after);
  if (change === "0" && isConfirmed(tools, pursuit)) {
    finishOperation(world, attempt, { status: "rejected", error: "The position's margin did not change." });
    return true;
  }
  if (change === "0" || !isGivenUp(tools, pursuit)) return false;
  finishOperation(world, attempt, { status: "unknown", error: undecidable(before, after) });
  return true;
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
