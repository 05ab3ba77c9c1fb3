import { type Attempt, endsAtMs, isNoopDue, overByMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import {
  type Absence,
  areFillsAll,
  CLOCK_DOUBT_MS,
  concludeAbsence,
  type HistoryAnswer,
  isOutlived,
  isWitness,
  WITNESSES_NEEDED,
} from "../../core/evidence.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { Leg } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findProvenWholeTo } from "../../store/short-of-fills.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import { countLeftOut, countRefusalReading, hastenSweeps, type Pursuit, type Tools } from "../pursuit.ts";
import { listShownBeside, updateNumber } from "../record/batch.ts";
import { note } from "../record/note.ts";
import { openAttempt } from "../record/record.ts";
import { latestNowMs } from "../send/intent.ts";
import { burnNonce } from "../send/seal.ts";
import { compareHolding } from "./position-check.ts";
import { countUnfound, isProvenUnfound } from "./unfound.ts";

/** A look that did not show what was looked for. */
export type Missed = {
  pursuit: Pursuit;
  /** Of a look at open orders, history and fills together: what its history vouches for. Null for a look by id. */
  history: HistoryAnswer | null;
  /** Native ids in that history. */
  recorded?: ReadonlySet<string>;
  /** Of a trigger: what may have come of it is shown. */
  isPerhapsFired?: boolean;
  /** Of a modify that places only where it cancels: its original had another end. */
  hadNothingToReplace?: boolean;
};

/**
 * What a "not found" is worth: by itself nothing. First the number of the action is asked for, then an absence has to be
 * witnessed. Calls `conclude` inside a transaction, and returns true, when `core/evidence` concludes.
 */
export async function weighAbsence(
  tools: Tools,
  attempt: Attempt,
  missed: Missed,
  conclude: (absence: Absence) => void,
): Promise<boolean> {
  const { world } = tools;
  // Its key may have been given back, and have placed another order, after the snapshot.
  if (awaitsTakeUp(world.store, attempt.accountId)) return false;
  const beside = listShownBeside(world.store, attempt);
  const numbered = beside.length === 0 ? attempt : noteRan(tools, attempt);
  const burnt = await burnWhenDue(tools, numbered, missed.pursuit);
  noteTaken(world, burnt, missed.pursuit);
  if (missed.history !== null) await countOutlived(tools, burnt, missed.pursuit, missed.history);
  const witnessed = missed.history === null ? burnt : countWitness(tools, burnt, missed.pursuit, missed.history);
  const hasLacked = missed.history !== null && missed.isPerhapsFired !== true;
  if (missed.recorded !== undefined) await countUnfound(tools, burnt, missed.pursuit, hasLacked);
  // Only once something of ours is known to have taken its number.
  if (missed.history !== null && burnt.seal !== null && burnt.hasLanded)
    countRefusalReading(missed.pursuit, world.clock.elapsedMs());
  // What a server has indexed of an action it would have of the whole of it: both stand there as of one block.
  const isBesideThere = beside.some(({ oid }) => oid !== null && missed.recorded?.has(oid) === true);
  if (isBesideThere && missed.history?.reachesBack === true) countLeftOut(missed.pursuit, world.clock.elapsedMs());
  return concludeFrom(tools, witnessed, missed, conclude);
}

/**
 * Whoever took its number, nothing of it runs later than this moment by the exchange's time, however wrong ours is. After a start
 * as well: what was written down then is so now.
 */
function noteTaken(world: With<"exchange">, { seal }: Attempt, pursuit: Pursuit): void {
  if (seal === null || seal === "expiry") return;
  pursuit.takenByMs ??= latestNowMs(world) + CLOCK_DOUBT_MS;
}

/** Another order of its batch is at the exchange: their action ran, and took its number itself. */
function noteRan({ world }: Tools, attempt: Attempt): Attempt {
  if (attempt.seal !== null || openAttempt(world.store, attempt.id) === null) return attempt;
  const change = { seal: "nonce_taken", hasLanded: true } as const;
  inTransaction(world.store, () => {
    updateNumber(world.store, attempt, change);
    note(world, attempt, "its action ran", "another order of its batch is at the exchange");
  });
  return { ...attempt, ...change };
}

/** Asks for the number of an attempt, now and then, until something is known of it. */
export async function burnWhenDue(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<Attempt> {
  const { clock, exchange } = tools.world;
  const isExpired = exchange.nowMs() > endsAtMs(attempt);
  if (attempt.seal !== null || !isNoopDue(pursuit.noop.lastElapsedMs, clock.elapsedMs(), isExpired)) return attempt;
  pursuit.noop.lastElapsedMs = clock.elapsedMs();
  return burnNonce(tools.world, attempt);
}

/** Writes down an answer that itself is newer than the end of the action and lacks what it placed. */
function countWitness(tools: Tools, attempt: Attempt, pursuit: Pursuit, history: HistoryAnswer): Attempt {
  const { world } = tools;
  const nowMs = world.clock.elapsedMs();
  const isTooSoon = pursuit.lastWitnessElapsedMs !== null && nowMs - pursuit.lastWitnessElapsedMs < WITNESS_SPACING_MS;
  if (isTooSoon || !isWitness(history, overByMs(attempt, pursuit.takenByMs))) return attempt;
  pursuit.lastWitnessElapsedMs = nowMs;
  hastenSweeps(pursuit);
  // What happened after its end is told in the same answer: it has expired, where nothing has taken its number before.
  const change = { negatives: attempt.negatives + 1, seal: attempt.seal ?? ("expiry" as const) };
  if (openAttempt(world.store, attempt.id) === null) return attempt;
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt, change);
    const count = `${change.negatives} of ${WITNESSES_NEEDED}`;
    note(world, attempt, "absence witnessed", `${count}: a history that reaches to ${history.newestAtMs} lacks it`);
  });
  return { ...attempt, ...change };
}

/** Shortest time between two sweeps that find it forgotten, milliseconds: its list of open orders may be behind. */
const OUTLIVED_SPACING_MS = 20_000;

async function countOutlived(
  { world, soughtOf }: Tools,
  attempt: Attempt,
  pursuit: Pursuit,
  history: HistoryAnswer,
): Promise<void> {
  const nowMs = world.clock.elapsedMs();
  const isTooSoon =
    pursuit.lastOutlivedElapsedMs !== null && nowMs - pursuit.lastOutlivedElapsedMs < OUTLIVED_SPACING_MS;
  if (isTooSoon || !isOutlived(history, endsAtMs(attempt))) return;
  pursuit.lastOutlivedElapsedMs = nowMs;
  pursuit.outlived += 1;
  // What rested may have been filled as late as the list that lacks it tells.
  pursuit.outlivedByMs = keptMoment(pursuit.outlivedByMs, world.exchange.nowMs() + CLOCK_DOUBT_MS);
  if (attempt.cloid === null) return;
  const about = { ...soughtOf(attempt), read: [], sinceMs: pursuit.outlivedByMs };
  const position = await compareHolding(world, about, { purpose: "settle" });
  pursuit.unmoved = position === "unmoved" ? pursuit.unmoved + 1 : 0;
}

async function concludeFrom(
  tools: Tools,
  attempt: Attempt,
  { pursuit, history, hadNothingToReplace = false }: Missed,
  conclude: (absence: Absence) => void,
): Promise<boolean> {
  const { world } = tools;
  const legNow = () => (attempt.cloid === null ? null : findLegByCloid(world.store, attempt.cloid));
  const weigh = () =>
    concludeAbsence(
      attempt,
      {
        ...traceOf(world, legNow()),
        sweeps: history === null ? 0 : pursuit.refusalReadings,
        outlived: pursuit.outlived,
        areFillsKnown: areFillsKnown(tools, attempt, pursuit),
        hasRun: listShownBeside(world.store, attempt).length > 0,
        leftOut: history === null ? 0 : pursuit.leftOut,
        hadNothingToReplace,
        isUnfound: isProvenUnfound(tools, attempt, pursuit),
      },
      pursuit.refusal,
    );
  if (weigh() === null) return false;
  await world.point("settle_before_conclude");
  if (openAttempt(world.store, attempt.id) === null) return false;
  return inTransaction(world.store, () => {
    // The stream may have told of it meanwhile.
    const absence = weigh();
    if (absence === null) return false;
    conclude(absence);
    note(world, attempt, "concluded", absence.replaceAll("_", " "));
    return true;
  });
}

/** The index is whole up to when it was over at the latest, or a newer position stands where the known fills have left it, seen twice. */
function areFillsKnown({ world }: Tools, { accountId, nonce }: Attempt, { unmoved, outlivedByMs }: Pursuit): boolean {
  if (outlivedByMs === null) return false;
  return (
    unmoved >= WITNESSES_NEEDED ||
    areFillsAll(findProvenWholeTo(world.store, accountId, nonce - CLOCK_DOUBT_MS), outlivedByMs)
  );
}

/** What a cancel found was there: a cancel by client order id names no native id. */
function traceOf(world: With<"store">, leg: Leg | null): { isNamed: boolean; hasFills: boolean } {
  if (leg === null) return { isNamed: false, hasFills: false };
  return { isNamed: leg.oid !== null || isCarriedOut(world, leg), hasFills: leg.filledSize !== "0" };
}
