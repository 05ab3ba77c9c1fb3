import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { compare, type Decimal, fromUnits, ZERO } from "../../core/decimal.ts";
import {
  type EarlierMargin,
  isMarginCurrent,
  type MarginReading,
  marginMovedBetween,
  type OtherMargin,
  type TimedMargin,
} from "../../core/evidence.ts";
import { dexOf } from "../../core/market.ts";
import type { OperationEnd } from "../../core/operation.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, newestAttemptId } from "../../store/attempts.ts";
import { listOperations, type StoredOperation } from "../../store/operations.ts";
import { listNewestFillsIn } from "../../store/position-fills.ts";
import { parseClearinghouseState } from "../../wire/answer/account.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { actionOf } from "../send/intent.ts";
import { finishOperation, neverExecuted, neverProven, operationOf, refusedUnlisted } from "./operation.ts";
import { heardRefusal, isEffectWitnessedAbsent, isGivenUp, readEffect, tellWaiting } from "./reading.ts";

/** The isolated position of a market in an answer of `clearinghouseState`; null when that cannot be read. */
export function readMargin(json: unknown, market: string): TimedMargin | null {
  const state = parseClearinghouseState(json);
  if (state === null) return null;
  const position = state.positions.find((each) => each.coin === market);
  const rawUsd = position?.leverage.rawUsd ?? null;
  const isIsolated = position !== undefined && rawUsd !== null;
  const { timeMs } = state;
  if (!isIsolated) return { timeMs, reading: null };
  return { timeMs, reading: { signedSize: position.signedSize, rawUsd, fundingSinceOpen: position.fundingSinceOpen } };
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
  const after = reading === null ? null : readMargin(reading.json, operation.market);
  if (reading === null || after === null) return false;
  const before = parseBefore(operation.before);
  const moved = movedBy(world, operation, { attempt, before, after });
  const end = endOf(tools, reading.attempt, { pursuit, before, after, moved });
  if (end === null) tellWaiting(world, reading.attempt, before?.isProven === true ? WAITING : WAITING_IN_VAIN);
  else finishOperation(world, attempt, end);
  return end !== null;
}

/** Whether the position's cash has moved by what was refused. Where that cannot be told nothing is. */
export function showsMargin(world: With<"store">, attempt: Attempt, json: unknown): "shown" | "silent" | "failed" {
  const operation = operationOf(world, attempt);
  const after = readMargin(json, operation.market);
  if (after === null) return "failed";
  const moved = movedBy(world, operation, { attempt, before: parseBefore(operation.before), after });
  return moved !== null && compare(moved, amountOf(attempt)) === 0 ? "shown" : "silent";
}

const WAITING =
  "the position's cash is compared with what it was before; a fill or another change between makes that no proof, and after ten minutes without one it stays unknown.";
const WAITING_IN_VAIN =
  "the reading before it may be of before another change, so that the position's cash cannot tell; unless the number does, it stays unknown after ten minutes.";

type Readings = {
  pursuit: Pursuit;
  before: MarginBefore | null;
  after: TimedMargin;
  /** Cash that only this change, or somebody else, can have moved; null where that cannot be told. */
  moved: Decimal | null;
};

/** How it ended; null while that is not known. */
function endOf(tools: Tools, attempt: Attempt, about: Readings): OperationEnd | null {
  const { pursuit, before, after, moved } = about;
  if (attempt.seal === "noop") return neverExecuted(attempt);
  // While nothing is known of its number, the change may be somebody else's.
  const isTaken = attempt.seal === "nonce_taken";
  if (isTaken && moved !== null && compare(moved, amountOf(attempt)) === 0)
    return { status: "succeeded", exchangeId: null };
  const refusal = isTaken ? heardRefusal(tools, attempt, { pursuit, isShown: false }) : null;
  if (refusal !== null) return refusedUnlisted(refusal);
  const isUnmoved = moved !== null && compare(moved, ZERO) === 0;
  if (isUnmoved && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs: after.timeMs }))
    return { status: "rejected", error: "The position's margin did not change." };
  return isGivenUp(tools, attempt, pursuit) ? neverProven(attempt, undecidable(before, after)) : null;
}

function movedBy(
  { store }: With<"store">,
  operation: StoredOperation,
  { attempt, before, after }: { attempt: Attempt; before: MarginBefore | null; after: TimedMargin },
): Decimal | null {
  if (before === null || !before.isProven) return null;
  const later = otherChanges(store, operation)
    .filter(({ attempts }) => attempts.some(({ id }) => id > before.newestAttemptId))
    .map((change) => ({ ...toOtherMargin(change), isBeside: change.attempts.some(({ id }) => id < attempt.id) }));
  return marginMovedBetween(before, after, { later, newestFillAtMs: newestFillAtMs(store, operation) });
}

type MarginChange = { operation: StoredOperation; attempts: readonly Attempt[] };

/** Changes that are looked through for those of one position: older ones are over long since. */
const MAX_LOOKED_THROUGH = 200;

/** Changes of ours to one position which were not refused, but for one; the one that was signed last first, whatever our clock said. */
function otherChanges(
  store: With<"store">["store"],
  about: { accountId: string; market: string; id: string | null },
): MarginChange[] {
  const { accountId, market, id } = about;
  const page = { accountId, action: "isolated_margin", status: null, after: null, limit: MAX_LOOKED_THROUGH } as const;
  return listOperations(store, page)
    .filter((other) => other.id !== id && other.market === market && other.status !== "rejected")
    .map((operation) => ({ operation, attempts: listAttemptsOf(store, operation.id) }))
    .filter(({ attempts }) => attempts.length > 0)
    .sort((one, other) => newestOf(other) - newestOf(one));
}

function newestOf({ attempts }: MarginChange): number {
  return Math.max(...attempts.map(({ id }) => id));
}

function toOtherMargin({ operation, attempts }: MarginChange): OtherMargin {
  return {
    amount: attempts[0] === undefined ? ZERO : amountOf(attempts[0]),
    isDone: operation.status === "succeeded",
    signedAtMs: Math.min(...attempts.map(({ nonce }) => nonce)),
    endsAtMs: Math.max(...attempts.map(endsAtMs)),
  };
}

/** Of those that we know, exchange time. */
function newestFillAtMs(store: With<"store">["store"], { accountId, market }: { accountId: string; market: string }) {
  return listNewestFillsIn(store, accountId, market)?.[0]?.timeMs ?? null;
}

const USDC_DECIMALS = 6;

function amountOf(attempt: Attempt): Decimal {
  const action = actionOf(attempt);
  if (action?.type !== "updateIsolatedMargin") throw new Error("bug: a margin change that is none");
  return fromUnits(BigInt(action.ntli), USDC_DECIMALS);
}

function undecidable(before: MarginBefore | null, after: TimedMargin): string {
  const words = (reading: MarginReading | null) =>
    reading === null ? "no isolated position" : `size ${reading.signedSize}, cash ${reading.rawUsd}`;
  const first = `Before: ${words(before?.reading ?? null)}. After: ${words(after.reading)}.`;
  const why = before?.isProven === true ? "" : " The reading before it may be of before another change.";
  return `Whether the margin was changed cannot be proven. ${first}${why}`;
}

/** A reading taken before a change. */
type MarginBefore = TimedMargin & {
  /** It has all that went before. */
  isProven: boolean;
  /** What was sent before it was asked for. */
  newestAttemptId: number;
};

function parseBefore(text: string | null): MarginBefore | null {
  // The column holds only what `marginReadingText` wrote, or a reading without its time, of an earlier version.
  const kept = text === null ? null : (JSON.parse(text) as MarginBefore | MarginReading | null);
  return kept !== null && "isProven" in kept ? kept : null;
}

/** No reading: `isOurBudget` and `waitS` as an `InfoOutcome` has them. */
export type MarginUnread = { kind: "failed"; isOurBudget: boolean; waitS?: number };

/** Text of a reading for the operation's row. */
export function marginReadingText(before: MarginBefore): string {
  return JSON.stringify(before);
}

/** Readings before a change, so that one is of after the change before it, and between two, milliseconds. */
const READINGS = 5;
const READING_PAUSE_MS = 500;

/**
 * Reads the position before the action is signed, or says why it cannot be read. A server that is behind is asked again for a
 * while: what it shows could not tell this change from the one before.
 */
export async function takeMarginReading(
  world: With<"clock" | "exchange" | "store">,
  about: { user: string; accountId: string; market: string },
): Promise<MarginBefore | MarginUnread> {
  const { user, market } = about;
  const request = { type: "clearinghouseState", user, dex: dexOf(market) };
  let newest: MarginBefore | MarginUnread = { kind: "failed", isOurBudget: false };
  for (let count = 0; count < READINGS; count += 1) {
    if (count > 0) await world.clock.sleep(READING_PAUSE_MS);
    const sentBefore = newestAttemptId(world.store);
    const outcome = await world.exchange.info(request, { purpose: "order", onNewConnection: count > 0 });
    const read = outcome.kind === "ok" ? readMargin(outcome.json, market) : null;
    if (outcome.kind === "failed" && count === 0) return outcome;
    if (read === null) return newest;
    const isProven = isMarginCurrent(read, lastChange(world, about), newestFillAtMs(world.store, about));
    newest = { ...read, isProven, newestAttemptId: sentBefore };
    if (isProven) return newest;
  }
  return newest;
}

function lastChange({ store }: With<"store">, about: { accountId: string; market: string }): EarlierMargin | null {
  const [last] = otherChanges(store, { ...about, id: null });
  return last === undefined ? null : { ...toOtherMargin(last), before: parseBefore(last.operation.before) };
}
