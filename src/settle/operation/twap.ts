import type { Attempt } from "../../core/attempt.ts";
import type { OperationEnd } from "../../core/operation.ts";
import { listClaimedTwaps } from "../../store/operations.ts";
import { readFillsSince } from "../fills/fill-pages.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { openAttempt } from "../record/record.ts";
import { stepNamed } from "./named-twap.ts";
import {
  finishOperation,
  neverExecuted,
  neverProven,
  operationOf,
  raiseDifference,
  refusedUnlisted,
} from "./operation.ts";
import { heardRefusal, isEffectWitnessedAbsent, isGivenUp, tellWaiting } from "./reading.ts";
import { readHistory, type TwapHistory, toldTwaps } from "./twap-sights.ts";
import { LEAD_MS, lookIn, ofItsTime } from "./twap-terms.ts";

/**
 * One step toward the truth about a TWAP whose answer was lost: it has no client id, so it is looked for by what was
 * asked and when, among those that no other operation has claimed.
 */
export async function stepTwap(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const { exchangeId } = operationOf(world, attempt);
  if (exchangeId !== null) return stepNamed(tools, attempt, { pursuit, exchangeId });
  const reading = await readBesideTold(tools, attempt, pursuit);
  if (reading === null) return false;
  // It trades at once where it runs: a history that is behind is not the only store that would show it.
  if (pursuit.refusal !== null && !(await noteSlices(tools, pursuit, reading.attempt))) return false;
  const end = endOfTwap(tools, pursuit, reading);
  if (end === null) tellWaiting(world, reading.attempt, WAITING);
  else finishOperation(world, attempt, end);
  return end !== null;
}

/** The history, and what the feed has told: either may be the first to show it. Null where the one could not be read and the other tells nothing of it. */
async function readBesideTold(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<TwapHistory | null> {
  const { world } = tools;
  const read = await readHistory(tools, attempt, pursuit);
  const told = toldTwaps(world, tools.userOf(attempt));
  if (read !== null) return { ...read, records: [...read.records, ...told] };
  const now = openAttempt(world.store, attempt.id);
  const isTold = now !== null && ofItsTime(world, now, told).length > 0;
  return isTold ? { records: told, newestAtMs: null, attempt: now } : null;
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

const UNPROVEN = "Whether it was carried out cannot be proven: the exchange shows nothing of it, and nothing newer.";
