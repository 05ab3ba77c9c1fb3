import type { Attempt } from "../../core/attempt.ts";
import { compare, decimal } from "../../core/decimal.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import type { OperationEnd } from "../../core/operation.ts";
import type { With } from "../../deps.ts";
import { listClaimedTwaps } from "../../store/operations.ts";
import type { TwapOrderAction } from "../../wire/action/twap.ts";
import { parseTwapHistory, parseTwapHistoryOf, type TwapRecord, type TwapState } from "../../wire/answer/twap.ts";
import { readFillsSince } from "../fills/fill-pages.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { actionOf } from "../send/intent.ts";
import { within } from "../within.ts";
import {
  finishOperation,
  nameDoubtOf,
  neverExecuted,
  neverProven,
  operationOf,
  raiseDifference,
  refusedUnlisted,
  tellPending,
} from "./operation.ts";
import { heardRefusal, isEffectWitnessedAbsent, isGivenUp, readEffect, tellWaiting } from "./reading.ts";

/** A TWAP made by the action may carry a time this much before its send, milliseconds. */
const LEAD_MS = 1_000;
/** A TWAP made by the action may carry a time this much after its expiry, milliseconds. */
const LAG_MS = 1_000;

/**
 * One step toward the truth about a TWAP whose answer was lost: it has no client id, so it is looked for by what was
 * asked and when, among those that no other operation has claimed.
 */
export async function stepTwap(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { exchangeId } = operationOf(world, attempt);
  if (exchangeId !== null) return stepNamed(tools, attempt, { pursuit, exchangeId });
  const reading = await readHistory(tools, attempt, pursuit);
  if (reading === null) return false;
  // It trades at once where it runs: a history that is behind is not the only store that would show it.
  if (pursuit.refusal !== null && !(await noteSlices(tools, pursuit, reading.attempt))) return false;
  const end = endOfTwap(tools, pursuit, reading);
  if (end === null) tellWaiting(world, reading.attempt, WAITING);
  else finishOperation(world, attempt, end);
  return end !== null;
}

const WAITING =
  "the exchange's history of TWAPs is asked for one that is just as asked, or for anything newer without it; where neither comes within ten minutes it stays unknown.";

/** A slice of a TWAP in its market that no operation has says that the refusal was perhaps a copy's. False where fills could not be read. */
async function noteSlices({ world, userOf }: Tools, pursuit: Pursuit, attempt: Attempt): Promise<boolean> {
  const asked = { user: userOf(attempt), sinceMs: attempt.nonce - LEAD_MS };
  const fills = await readFillsSince(world, asked, { purpose: "settle", onNewConnection: true });
  if (fills === "failed") return false;
  const claimed = listClaimedTwaps(world.store, attempt.accountId);
  const { market } = operationOf(world, attempt);
  const isOfNobody = (twapId: string | null) => twapId !== null && !claimed.has(twapId);
  pursuit.isRefusalDoubted ||= fills.some(({ coin, twapId }) => coin === market && isOfNobody(twapId));
  return true;
}

/** Looks at a TWAP that the exchange has named, before it is believed as it is. */
const LOOKS_AT_NAMED = 2;
/** What does not answer in this time is not waited for, milliseconds: the exchange has said that it runs. */
const NAMED_READ_WITHIN_MS = 1_500;
/**
 * A history that lacks it is asked again for so long after its number was made, milliseconds: servers are behind by a second on an
 * ordinary day, and an answer that was another's names one that never comes.
 */
const NAMED_SHOWN_WITHIN_MS = 5_000;

/** Compares what the exchange shows of the TWAP that it has named with what was asked. */
async function stepNamed(
  tools: Tools,
  attempt: Attempt,
  { pursuit, exchangeId }: { pursuit: Pursuit; exchangeId: string },
): Promise<boolean> {
  const { world } = tools;
  const request = { type: "twapHistory", user: tools.userOf(attempt) };
  const options = { purpose: "settle", onNewConnection: pursuit.looks % 2 === 1 } as const;
  const outcome = await within(world.clock, NAMED_READ_WITHIN_MS, world.exchange.info(request, options));
  const json = outcome?.kind === "ok" ? outcome.json : null;
  const shown = parseTwapHistoryOf(json, exchangeId)?.[0]?.state;
  const equal = shown === undefined ? ofItsTime(world, attempt, parseTwapHistory(json) ?? []) : [];
  if (equal.length > 0 && stepMisnamed(world, attempt, { exchangeId, equal })) return true;
  const doubt = nameDoubtOf(world, attempt);
  if (shown === undefined && doubt !== null) {
    // Another has been shown in its place: an answer that has neither is of a server that is behind, or none.
    const isOver = isGivenUp(tools, attempt, pursuit);
    if (isOver) finishOperation(world, attempt, { status: "unknown", exchangeId, error: doubt });
    return isOver;
  }
  const mayBeBehind = json !== null && world.exchange.nowMs() - attempt.nonce < NAMED_SHOWN_WITHIN_MS;
  if (shown === undefined && (mayBeBehind || pursuit.looks < LOOKS_AT_NAMED - 1)) return false;
  const difference = shown === undefined ? null : differenceOf(world, attempt, shown);
  const end: OperationEnd =
    difference === null
      ? { status: "succeeded", exchangeId }
      : {
          status: "unknown",
          exchangeId,
          error: raiseDifference(world, attempt, {
            because: difference,
            isCertain: shown?.coin !== operationOf(world, attempt).market,
          }),
        };
  finishOperation(world, attempt, end);
  return true;
}

/**
 * The exchange has named one that its history lacks, which shows one as asked for that is nobody's: the answer was perhaps another's.
 * While a history may be behind, the two may also be two.
 */
function stepMisnamed(
  world: With<"clock" | "exchange" | "log" | "store">,
  attempt: Attempt,
  { exchangeId, equal }: { exchangeId: string; equal: readonly string[] },
): boolean {
  const { id } = operationOf(world, attempt);
  const named = `the exchange has named it TWAP ${exchangeId}, which its history does not show; as asked for it shows ${equal.join(", ")}`;
  const [only] = equal;
  if (world.exchange.nowMs() - attempt.nonce <= BEHIND_MS || equal.length > 1 || only === undefined) {
    tellPending(world, attempt, named);
    return false;
  }
  world.log.error({ operation_id: id, error: named }, "the exchange has named another TWAP than it has made");
  finishOperation(world, attempt, { status: "succeeded", exchangeId: only });
  return true;
}

function endOfTwap(tools: Tools, pursuit: Pursuit, reading: TwapHistory): OperationEnd | null {
  const { attempt, newestAtMs } = reading;
  // Whatever else is seen: where an empty action took its number, it never ran, and an equal one is somebody else's.
  if (attempt.seal === "noop") return neverExecuted(attempt);
  const { found, elsewhere, isOneOfAnotherTime } = lookIn(tools.world, reading);
  const isTaken = attempt.seal === "nonce_taken";
  const [only] = found;
  if (isTaken && only !== undefined && found.length === 1) return { status: "succeeded", exchangeId: only };
  const [other] = elsewhere;
  // One that is the same but for its market is what a list that has moved makes of ours.
  if (isTaken && found.length === 0 && other !== undefined)
    raiseDifference(tools.world, attempt, { because: other, isCertain: false });
  const isNothing = found.length === 0 && elsewhere.length === 0;
  const refusal = heardRefusal(tools, attempt, { pursuit, isShown: !isNothing });
  if (refusal !== null) return refusedUnlisted(refusal);
  // A clock that was wrong when it was signed makes another time of its own.
  if (isNothing && !isOneOfAnotherTime && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs }))
    return { status: "rejected", error: "The exchange's history has gone on past it and shows no such TWAP." };
  if (!isGivenUp(tools, attempt, pursuit)) return null;
  return neverProven(attempt, isNothing ? UNPROVEN : `${UNCLEAR} ${[...found, ...elsewhere].join(", ")}.`);
}

const UNCLEAR = "Whether it is this one cannot be proven. Equal TWAPs were made:";

/** TWAPs that no other operation has: of its time the ids of those as asked, and in words those of another market. */
function lookIn(
  world: With<"store">,
  { attempt, records }: Pick<TwapHistory, "attempt" | "records">,
): { found: string[]; elsewhere: string[]; isOneOfAnotherTime: boolean } {
  const claimed = listClaimedTwaps(world.store, attempt.accountId);
  const { market } = operationOf(world, attempt);
  const asked = askedTwap(attempt);
  const found = new Set<string>();
  const elsewhere = new Set<string>();
  let isOneOfAnotherTime = false;
  for (const record of records) {
    const { twapId, state } = record;
    if (twapId === null || claimed.has(twapId) || termsDifference(asked, state) !== null) continue;
    if (!isOfItsTime(attempt, record)) isOneOfAnotherTime ||= record.status !== "error";
    else if (state.coin === market) found.add(twapId);
    else elsewhere.add(`TWAP ${twapId} in ${state.coin} instead of ${market}`);
  }
  return { found: [...found], elsewhere: [...elsewhere], isOneOfAnotherTime };
}

const UNPROVEN = "Whether it was carried out cannot be proven: the exchange shows nothing of it, and nothing newer.";

/** What the history of TWAPs shows, and what is known of the number of the operation by then. */
export type TwapHistory = { records: TwapRecord[]; newestAtMs: number | null; attempt: Attempt };

export async function readHistory(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<TwapHistory | null> {
  const user = tools.userOf(attempt);
  const reading = await readEffect(tools, attempt, { pursuit, request: { type: "twapHistory", user } });
  const records = reading === null ? null : parseTwapHistory(reading.json);
  if (reading === null || records === null) return null;
  const times = records.map(({ timeS }) => timeS * 1_000);
  return { records, newestAtMs: times.length === 0 ? null : Math.max(...times), attempt: reading.attempt };
}

function isOfItsTime(attempt: Attempt, { state, status }: TwapRecord): boolean {
  const { timestampMs } = state;
  const isInTime = timestampMs >= attempt.nonce - LEAD_MS && timestampMs <= attempt.expiresAtMs + LAG_MS;
  return status !== "error" && isInTime;
}

/** What tells a TWAP that the exchange shows from the one that was asked for, in words; null when they are the same. */
function differenceOf(world: With<"store">, attempt: Attempt, state: TwapState): string | null {
  const { market } = operationOf(world, attempt);
  return state.coin === market
    ? termsDifference(askedTwap(attempt), state)
    : `the market ${state.coin} instead of ${market}`;
}

/** Native ids of the TWAPs of its time that are as asked for and that no operation has. */
export function ofItsTime(world: With<"store">, attempt: Attempt, records: TwapRecord[]): string[] {
  return lookIn(world, { attempt, records }).found;
}

type AskedTwap = TwapOrderAction["twap"];

function askedTwap(attempt: Attempt): AskedTwap {
  const action = actionOf(attempt);
  if (action?.type !== "twapOrder") throw new Error("bug: a TWAP that is none");
  return action.twap;
}

function termsDifference(asked: AskedTwap, { side, size, minutes, reduceOnly, randomize }: TwapState): string | null {
  if ((side === "B") !== asked.b) return `a ${side === "B" ? "buy" : "sell"} instead of a ${asked.b ? "buy" : "sell"}`;
  if (compare(size, decimal(asked.s)) !== 0) return `the size ${size} instead of ${asked.s}`;
  if (minutes !== asked.m) return `${minutes} minutes instead of ${asked.m}`;
  if (reduceOnly !== asked.r) return `reduce_only ${reduceOnly} instead of ${asked.r}`;
  return randomize === asked.t ? null : `randomize ${randomize} instead of ${asked.t}`;
}
