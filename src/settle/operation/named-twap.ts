/**
 * A TWAP that the exchange's answer has named. The number is one word, and the answer may have been another's: it is told once something else
 * shows that TWAP as it was asked for.
 */
import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import type { OperationEnd } from "../../core/operation.ts";
import type { With } from "../../deps.ts";
import { parseTwapHistory, parseTwapHistoryOf } from "../../wire/answer/twap.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { openAttempt } from "../record/record.ts";
import { within } from "../within.ts";
import { finishOperation, nameDoubtOf, neverExecuted, operationOf, raiseDifference, tellPending } from "./operation.ts";
import { isEffectWitnessedAbsent, isGivenUp } from "./reading.ts";
import { readHistory, readSlicedTwaps, type TwapHistory, toldTwaps } from "./twap-sights.ts";
import { differenceOf, ofItsTime } from "./twap-terms.ts";

/** Looks at one that was named which ask nothing of its number: most are shown by then. */
const QUICK_LOOKS = 2;
/** What does not answer in this time is not waited for by them, milliseconds. */
const QUICK_READ_WITHIN_MS = 1_500;
/** Between two readings of fills for its slices, milliseconds. */
const SLICES_EVERY_MS = 4_000;
/** What a feed has told of TWAPs for so long since the send is of after all that the send can have begun at once, milliseconds. */
const TOLD_APART_MS = 5_000;

type NamedTwap = { pursuit: Pursuit; exchangeId: string };

/** One step toward what shows the TWAP that the exchange has named, or another in its place. */
export async function stepNamed(tools: Tools, attempt: Attempt, named: NamedTwap): Promise<boolean> {
  const { world } = tools;
  const isQuick = named.pursuit.looks < QUICK_LOOKS;
  const read = isQuick ? await readQuickly(tools, attempt, named) : await readHistory(tools, attempt, named.pursuit);
  const told = toldTwaps(world, tools.userOf(attempt));
  // What could not be read shows nothing, and what the feed has told all the same.
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return true;
  const reading = { attempt: now, newestAtMs: read?.newestAtMs ?? null, records: [...(read?.records ?? []), ...told] };
  const end = (await isSliced(tools, named, reading))
    ? { status: "succeeded" as const, exchangeId: named.exchangeId }
    : endOfNamed(tools, named, reading);
  if (end !== null) finishOperation(world, now, end);
  return end !== null;
}

/** The history is long: where it shows the one that was named as it was asked for, no other row is read. */
async function readQuickly(
  { world, userOf }: Tools,
  attempt: Attempt,
  { pursuit, exchangeId }: NamedTwap,
): Promise<Omit<TwapHistory, "attempt"> | null> {
  const request = { type: "twapHistory", user: userOf(attempt) };
  const options = { purpose: "settle", onNewConnection: pursuit.looks % 2 === 1 } as const;
  const outcome = await within(world.clock, QUICK_READ_WITHIN_MS, world.exchange.info(request, options));
  if (outcome?.kind !== "ok") return null;
  const own = parseTwapHistoryOf(outcome.json, exchangeId) ?? [];
  const isAsAsked = own[0] !== undefined && differenceOf(world, attempt, own[0].state) === null;
  return { records: isAsAsked ? own : (parseTwapHistory(outcome.json) ?? own), newestAtMs: null };
}

/** That it has traded there is another word for its number, where nothing else as new has, and nothing shows it as something else. */
async function isSliced(
  { world, userOf }: Tools,
  { pursuit, exchangeId }: NamedTwap,
  { attempt, records }: TwapHistory,
): Promise<boolean> {
  if (pursuit.looks === 0 || nameDoubtOf(world, attempt) !== null) return false;
  if (records.some(({ twapId }) => twapId === exchangeId) || ofItsTime(world, attempt, records).length > 0)
    return false;
  const nowMs = world.clock.elapsedMs();
  const last = pursuit.lastReadingElapsedMs;
  if (last !== null && nowMs - last < SLICES_EVERY_MS) return false;
  pursuit.lastReadingElapsedMs = nowMs;
  const sliced = await readSlicedTwaps(world, { attempt, user: userOf(attempt) }, { purpose: "settle" });
  return sliced?.length === 1 && sliced[0] === exchangeId && openAttempt(world.store, attempt.id) !== null;
}

function endOfNamed(tools: Tools, { pursuit, exchangeId }: NamedTwap, reading: TwapHistory): OperationEnd | null {
  const { world } = tools;
  const { attempt, records, newestAtMs } = reading;
  const shown = records.find(({ twapId }) => twapId === exchangeId)?.state;
  const difference = shown === undefined ? null : differenceOf(world, attempt, shown);
  if (shown !== undefined && difference === null) return { status: "succeeded", exchangeId };
  // Of two answers the one says that it runs and the other that it never can: what ran every server shows by then.
  if (attempt.seal === "noop") return isLate(world, attempt.nonce) ? neverExecuted(attempt) : null;
  const isElsewhere = shown !== undefined && shown.coin !== operationOf(world, attempt).market;
  const equal = isElsewhere ? [] : ofItsTime(world, attempt, records);
  if (equal.length > 0) return endOfMisnamed(tools, pursuit, { attempt, exchangeId, equal });
  if (difference !== null) {
    const error = raiseDifference(world, attempt, { because: difference, isCertain: isElsewhere });
    // Its terms are another's: its own may still come, where the answer was.
    return isElsewhere || isLate(world, attempt.nonce) ? { status: "unknown", exchangeId, error } : null;
  }
  const doubt = nameDoubtOf(world, attempt);
  // Where another has been shown in its place an answer that has neither is of a server that is behind, or none.
  const mayBeNone = doubt === null && isLate(world, endsAtMs(attempt));
  if (mayBeNone && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs }))
    return {
      status: "rejected",
      error: `${named(exchangeId)}, and its history has gone on past it and shows none such.`,
    };
  return isGivenUp(tools, attempt, pursuit)
    ? { status: "unknown", exchangeId, error: doubt ?? `${named(exchangeId)}, and nothing has shown that since.` }
    : null;
}

function named(exchangeId: string): string {
  return `the exchange has named it TWAP ${exchangeId}`;
}

/** What began at this time, by the exchange's clock, every server shows by now. */
function isLate({ exchange }: With<"exchange">, sinceMs: number): boolean {
  return exchange.nowMs() - sinceMs > BEHIND_MS;
}

type MisnamedTwap = { attempt: Attempt; exchangeId: string; equal: readonly string[] };

/**
 * The exchange has named one that nothing shows, and one as asked for is shown that is nobody's: the answer was perhaps another's. While a
 * history may be behind, the two may also be two.
 */
function endOfMisnamed(tools: Tools, pursuit: Pursuit, misnamed: MisnamedTwap): OperationEnd | null {
  const { world } = tools;
  const { attempt, exchangeId, equal } = misnamed;
  const words = `${named(exchangeId)}, which nothing shows as that; as asked for there is ${equal.join(", ")}`;
  const [only] = equal;
  if (only === undefined || equal.length > 1 || !isProven(tools, attempt, { exchangeId, only })) {
    tellPending(world, attempt, words);
    return isGivenUp(tools, attempt, pursuit) ? { status: "unknown", exchangeId, error: words } : null;
  }
  const { id } = operationOf(world, attempt);
  world.log.error({ operation_id: id, error: words }, "the exchange has named another TWAP than it has made");
  return { status: "succeeded", exchangeId: only };
}

/**
 * Something of ours has taken the number, and no server can be from before either of the two, or the account's feed has told the one and not
 * the other: it tells each that begins.
 */
function isProven(
  { world, userOf }: Tools,
  attempt: Attempt,
  { exchangeId, only }: { exchangeId: string; only: string },
): boolean {
  if (attempt.seal !== "nonce_taken") return false;
  if (isLate(world, attempt.nonce)) return true;
  if (world.exchange.nowMs() - attempt.nonce <= TOLD_APART_MS) return false;
  const user = userOf(attempt);
  const history = world.picture.twaps(user);
  const told = [...(history?.isTold === true ? history.value : []), ...world.picture.runningTwaps(user)];
  const ids = new Set(told.map(({ twapId }) => twapId));
  return ids.has(only) && !ids.has(exchangeId);
}
