import { type Attempt, endsAtMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import { settingProvenAtMs } from "../../core/evidence.ts";
import { isoTime } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { listOperations, type StoredOperation } from "../../store/operations.ts";
import { type Leverage, parseActiveAssetData } from "../../wire/answer/account.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { actionOf } from "../send/intent.ts";
import {
  finishOperation,
  neverExecuted,
  neverProven,
  operationOf,
  raiseDifference,
  refusedUnlisted,
  tellPending,
} from "./operation.ts";
import { heardRefusal, isGivenUp, readEffect } from "./reading.ts";

/**
 * One step toward the truth about a leverage change. A number that nobody had used says that it never ran. Once the
 * number is taken, a setting that is shown as asked, again and again and not as what an earlier change left, is done, whoever
 * did it; one that is not proves nothing: the answer carries no time, so it may be from before.
 */
export async function stepLeverage(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const user = tools.userOf(attempt);
  const operation = operationOf(world, attempt);
  const request = { type: "activeAssetData", user, coin: operation.market };
  const reading = await readEffect(tools, attempt, { pursuit, request });
  if (reading === null) return false;
  const { seal } = reading.attempt;
  if (seal === "noop") {
    finishOperation(world, attempt, neverExecuted(attempt));
    return true;
  }
  const shown = parseActiveAssetData(reading.json);
  if (shown === null) return false;
  // A server that answers for another market has said nothing of this one.
  if (shown.coin !== operation.market) {
    const because = `the market ${shown.coin} instead of ${operation.market}`;
    raiseDifference(world, attempt, { because, isCertain: false });
    return false;
  }
  const isShown = isAsAsked(attempt, shown.leverage);
  countShown(world, pursuit, isShown);
  const trace = { seal, shown: pursuit.witnesses, otherEndsAtMs: otherChangeEndsAtMs(world, operation) };
  const provenAtMs = settingProvenAtMs(trace);
  if (provenAtMs !== null && world.exchange.nowMs() >= provenAtMs) {
    finishOperation(world, attempt, { status: "succeeded", exchangeId: null });
    return true;
  }
  if (provenAtMs !== null) tellPending(world, attempt, `${SHOWN_AS_ASKED} ${isoTime(provenAtMs)}`);
  const refusal = heardRefusal(tools, reading.attempt, { pursuit, isShown });
  if (refusal !== null) {
    finishOperation(world, attempt, refusedUnlisted(refusal));
    return true;
  }
  if (!isGivenUp(tools, reading.attempt, pursuit)) return false;
  const words = `Whether it was applied cannot be proven. The exchange shows ${shown.leverage.value}x ${shown.leverage.type}.`;
  finishOperation(world, attempt, neverProven(attempt, words));
  return true;
}

const SHOWN_AS_ASKED =
  "the exchange shows it as asked; another change of it ran shortly before or after, and what is shown counts once no server can be from before that, at";

function isAsAsked(attempt: Attempt, shown: Leverage): boolean {
  const action = actionOf(attempt);
  if (action?.type !== "updateLeverage") throw new Error("bug: a leverage change that is none");
  return shown.value === action.leverage && (shown.type === "cross") === action.isCross;
}

/** Counts readings, apart, that show it as asked; one that shows something else says that either may be from before. */
function countShown({ clock }: With<"clock">, pursuit: Pursuit, isShown: boolean): void {
  const nowMs = clock.elapsedMs();
  if (!isShown) pursuit.witnesses = 0;
  const last = pursuit.lastWitnessElapsedMs;
  const isApart = pursuit.witnesses === 0 || last === null || nowMs - last >= WITNESS_SPACING_MS;
  if (!isShown || !isApart) return;
  pursuit.witnesses += 1;
  pursuit.lastWitnessElapsedMs = nowMs;
}

/** Changes of leverage that are looked through for those of one market: a key's own limit allows fewer in the time. */
const MAX_LOOKED_THROUGH = 1_000;
/** Of those, the ones that may have been the last: the wall clock by which they are in order may have jumped. */
const LAST_FEW = 10;

/** When the last other change in this market to another setting can have run, exchange time; null where there was none. */
function otherChangeEndsAtMs(
  { store }: With<"store">,
  { id, accountId, market, parameters }: StoredOperation,
): number | null {
  const page = { accountId, action: "leverage", status: null, after: null, limit: MAX_LOOKED_THROUGH } as const;
  const others = listOperations(store, page).filter((other) => other.id !== id && other.market === market);
  const changing = others.filter((other) => other.status !== "rejected" && other.parameters !== parameters);
  const ends = changing.slice(0, LAST_FEW).flatMap((other) => listAttemptsOf(store, other.id).map(endsAtMs));
  return ends.length === 0 ? null : Math.max(...ends);
}
