import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { type Decimal, fromUnits, ZERO } from "../../core/decimal.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import {
  concludeMargin,
  hasAllBefore,
  isWorthReadingAgain,
  type KnownBefore,
  type MarginBefore,
  type MarginReading,
  type OtherMargin,
  type TimedMargin,
} from "../../core/margin-evidence.ts";
import { dexOf } from "../../core/market.ts";
import type { OperationEnd } from "../../core/operation.ts";
import { isoTime } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, newestAttemptId } from "../../store/attempts.ts";
import { listOperations, type StoredOperation } from "../../store/operations.ts";
import { listNewestFillsIn } from "../../store/position-fills.ts";
import { parseClearinghouseState } from "../../wire/answer/account.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { actionOf } from "../send/intent.ts";
import { finishOperation, neverExecuted, neverProven, operationOf, refusedUnlisted } from "./operation.ts";
import { heardRefusal, isEffectWitnessedAbsent, isGivenUp, readEffect, tellWaiting } from "./reading.ts";

/**
 * The isolated position of a market in an answer of `clearinghouseState`; null when that cannot be read.
 *
 * @param askedAtMs exchange time, unix milliseconds
 */
export function readMargin(json: unknown, market: string, askedAtMs: number): TimedMargin | null {
  const state = parseClearinghouseState(json);
  if (state === null) return null;
  const position = state.positions.find((each) => each.coin === market);
  const rawUsd = position?.leverage.rawUsd ?? null;
  const isIsolated = position !== undefined && rawUsd !== null;
  const times = { askedAtMs, timeMs: state.timeMs };
  if (!isIsolated) return { ...times, reading: null };
  return {
    ...times,
    reading: { signedSize: position.signedSize, rawUsd, fundingSinceOpen: position.fundingSinceOpen },
  };
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
  const askedAtMs = world.exchange.nowMs();
  const reading = await readEffect(tools, attempt, { pursuit, request });
  const after = reading === null ? null : readMargin(reading.json, operation.market, askedAtMs);
  if (reading === null || after === null) return false;
  const before = parseBefore(operation.before);
  const concluded = concludeFrom(world, operation, { attempt, before, after });
  const end = endOf(tools, reading.attempt, { pursuit, before, after, concluded });
  if (end === null)
    tellWaiting(world, reading.attempt, before?.isProven === true ? waitingFor(attempt) : WAITING_IN_VAIN);
  else finishOperation(world, attempt, end);
  return end !== null;
}

/**
 * Whether the position's cash has moved by what was refused. Where that cannot be told nothing is.
 *
 * @param shown an answer of `clearinghouseState`, asked for by `askedAtMs`, exchange time, unix milliseconds
 */
export function showsMargin(
  world: With<"store">,
  attempt: Attempt,
  shown: { json: unknown; askedAtMs: number },
): "shown" | "silent" | "failed" {
  const operation = operationOf(world, attempt);
  const after = readMargin(shown.json, operation.market, shown.askedAtMs);
  if (after === null) return "failed";
  const before = parseBefore(operation.before);
  return concludeFrom(world, operation, { attempt, before, after }) === "moved" ? "shown" : "silent";
}

/** What is waited for: for proof that it was carried out at any time, for proof that it was not until no server is behind. */
function waitingFor(attempt: Attempt): string {
  const from = isoTime(endsAtMs(attempt) + BEHIND_MS);
  return `the position's cash is compared with what it was before; that it has not moved counts from ${from}, and a fill or another change between makes it no proof: after ten minutes without one it stays unknown.`;
}
const WAITING_IN_VAIN =
  "the reading before it may be of before another change, and the position's cash may not tell the two apart; unless it does, or the number does, it stays unknown after ten minutes.";

type Readings = {
  pursuit: Pursuit;
  before: MarginBefore | null;
  after: TimedMargin;
  concluded: ReturnType<typeof concludeMargin>;
};

/** How it ended; null while that is not known. */
function endOf(tools: Tools, attempt: Attempt, about: Readings): OperationEnd | null {
  const { pursuit, before, after, concluded } = about;
  if (attempt.seal === "noop") return neverExecuted(attempt);
  // While nothing is known of its number, the change may be somebody else's.
  const isTaken = attempt.seal === "nonce_taken";
  if (isTaken && concluded === "moved") return { status: "succeeded", exchangeId: null };
  const refusal = isTaken ? heardRefusal(tools, attempt, { pursuit, isShown: false }) : null;
  if (refusal !== null) return refusedUnlisted(refusal);
  const isUnmoved = concluded === "unmoved";
  if (isUnmoved && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs: after.timeMs }))
    return { status: "rejected", error: "The position's margin did not change." };
  return isGivenUp(tools, attempt, pursuit) ? neverProven(attempt, undecidable(before, after)) : null;
}

function concludeFrom(
  { store }: With<"store">,
  operation: StoredOperation,
  { attempt, before, after }: { attempt: Attempt; before: KeptBefore | null; after: TimedMargin },
): ReturnType<typeof concludeMargin> {
  if (before === null) return null;
  const others = otherChanges(store, operation).map((other): OtherMargin => {
    const isSignedBefore = other.attempts.every(({ id }) => id <= before.newestAttemptId);
    const isBeside = !isSignedBefore && other.attempts.some(({ id }) => id < attempt.id);
    const signed = isSignedBefore ? "before the reading" : isBeside ? "beside it" : "after the change";
    return { ...toChange(other), signed };
  });
  const change = { amount: amountOf(attempt), endsAtMs: endsAtMs(attempt) };
  return concludeMargin(change, { before, after, others, newestFillAtMs: newestFillAtMs(store, operation) });
}

type StoredChange = { operation: StoredOperation; attempts: readonly Attempt[] };

/** Changes that are looked through for those of one position: older ones are over long since. */
const MAX_LOOKED_THROUGH = 200;

/** Changes of ours to one position which were not refused, but for one; the one that was signed last first, whatever our clock said. */
function otherChanges(
  store: With<"store">["store"],
  about: { accountId: string; market: string; id: string | null },
): StoredChange[] {
  const { accountId, market, id } = about;
  const page = { accountId, action: "isolated_margin", status: null, after: null, limit: MAX_LOOKED_THROUGH } as const;
  return listOperations(store, page)
    .filter((other) => other.id !== id && other.market === market && other.status !== "rejected")
    .map((operation) => ({ operation, attempts: listAttemptsOf(store, operation.id) }))
    .filter(({ attempts }) => attempts.length > 0)
    .sort((one, other) => newestOf(other) - newestOf(one));
}

function newestOf({ attempts }: StoredChange): number {
  return Math.max(...attempts.map(({ id }) => id));
}

function toChange({ operation, attempts }: StoredChange) {
  return {
    amount: attempts[0] === undefined ? ZERO : amountOf(attempts[0]),
    isDone: operation.status === "succeeded",
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
  const words = ({ reading }: TimedMargin) =>
    reading === null ? "no isolated position" : `size ${reading.signedSize}, cash ${reading.rawUsd}`;
  const first = before === null ? "Before: read by an earlier version." : `Before: ${words(before)}.`;
  const why = before?.isProven === false ? " The reading before it may be of before another change." : "";
  return `Whether the margin was changed cannot be proven. ${first} After: ${words(after)}.${why}`;
}

/** As it is kept with the operation. `newestAttemptId`: of what was sent before it was asked for. */
type KeptBefore = MarginBefore & { newestAttemptId: number };

function parseBefore(text: string | null): KeptBefore | null {
  // The column holds only what `marginReadingText` wrote, or a reading of an earlier version, that vouched by its own time.
  const kept = text === null ? null : (JSON.parse(text) as KeptBefore | MarginReading | null);
  return kept !== null && "askedAtMs" in kept ? kept : null;
}

/** No reading: `isOurBudget` and `waitS` as an `InfoOutcome` has them. */
export type MarginUnread = { kind: "failed"; isOurBudget: boolean; waitS?: number };

/** Text of a reading for the operation's row. */
export function marginReadingText(before: KeptBefore): string {
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
): Promise<KeptBefore | MarginUnread> {
  const { user, market } = about;
  const request = { type: "clearinghouseState", user, dex: dexOf(market) };
  let newest: KeptBefore | MarginUnread = { kind: "failed", isOurBudget: false };
  for (let count = 0; count < READINGS; count += 1) {
    if (count > 0) await world.clock.sleep(READING_PAUSE_MS);
    const sentBefore = newestAttemptId(world.store);
    const askedAtMs = world.exchange.nowMs();
    const outcome = await world.exchange.info(request, { purpose: "order", onNewConnection: count > 0 });
    const read = outcome.kind === "ok" ? readMargin(outcome.json, market, askedAtMs) : null;
    if (outcome.kind === "failed" && count === 0) return outcome;
    if (read === null) return newest;
    const known = knownBefore(world, about);
    newest = { ...read, isProven: hasAllBefore(read, known), newestAttemptId: sentBefore };
    if (!isWorthReadingAgain(read, known)) return newest;
  }
  return newest;
}

function knownBefore({ store }: With<"store">, about: { accountId: string; market: string }): KnownBefore {
  const [last] = otherChanges(store, { ...about, id: null });
  const earlier = last === undefined ? null : { ...toChange(last), before: parseBefore(last.operation.before) };
  return { last: earlier, newestFillAtMs: newestFillAtMs(store, about) };
}
