import { type Attempt, endsAtMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import type { OperationEnd } from "../../core/operation.ts";
import { isoTime } from "../../core/resource.ts";
import { concludeSetting, type SettingEnd, settingCountsFromMs } from "../../core/setting-evidence.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { listOperations, type StoredOperation } from "../../store/operations.ts";
import { type Leverage, parseActiveAssetData } from "../../wire/answer/account.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { actionOf } from "../send/intent.ts";
import { finishOperation, neverExecuted, neverProven, notInForce, operationOf, refusedUnlisted } from "./operation.ts";
import { heardRefusal, isGivenUp, readEffect, tellWaiting } from "./reading.ts";

/**
 * One step toward the truth about a leverage change. A number that nobody had used says that it never ran. Once the
 * number is taken, a setting that is shown as asked, again and again and not as what an earlier change left, is done, whoever
 * did it. The answer carries no time: one that shows something else may be from before, until no server can be that far behind.
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
  const end = endOf(tools, reading.attempt, { pursuit, operation, shown: shown.leverage });
  if (end !== null) finishOperation(world, attempt, end);
  return end !== null;
}

/**
 * Whether it is in force though it was refused: no such value is refused while it is. While a server may be from before another change of
 * ours, what it shows tells nothing.
 *
 * @param read of the account's setting in the market
 */
export async function showsLeverage(
  world: With<"exchange" | "store">,
  attempt: Attempt,
  read: () => Promise<unknown>,
): Promise<"shown" | "silent" | "failed"> {
  const otherEndsAtMs = otherChangeEndsAtMs(world, operationOf(world, attempt));
  const from = settingCountsFromMs({ endsAtMs: endsAtMs(attempt), otherEndsAtMs });
  if (world.exchange.nowMs() < from.shown) return "failed";
  const shown = parseActiveAssetData(await read());
  if (shown === null) return "failed";
  return isAsAsked(attempt, shown.leverage) ? "shown" : "silent";
}

type ShownSetting = { pursuit: Pursuit; operation: StoredOperation; shown: Leverage };

/** How it ended; null while that is not known, and then the operation says what it waits for. */
function endOf(tools: Tools, attempt: Attempt, { pursuit, operation, shown }: ShownSetting): OperationEnd | null {
  const { world } = tools;
  const isShown = isAsAsked(attempt, shown);
  const refusal = heardRefusal(tools, attempt, { pursuit, isShown });
  const otherEndsAtMs = otherChangeEndsAtMs(world, operation);
  const from = settingCountsFromMs({ endsAtMs: endsAtMs(attempt), otherEndsAtMs });
  const nowMs = world.exchange.nowMs();
  noteUnwatched(world, attempt, pursuit);
  countWitness(world, pursuit, { isShown, isCounting: nowMs >= (isShown ? from.shown : from.otherwise) });
  const { witnesses, isWitnessedAsAsked } = pursuit;
  const concluded = concludeSetting({
    seal: attempt.seal,
    shown: isWitnessedAsAsked ? witnesses : 0,
    otherwise: isWitnessedAsAsked ? 0 : witnesses,
    mayHaveBeenShown: pursuit.isRefusalDoubted || pursuit.wasUnwatched,
    mayBeReplaced: mayBeReplaced(world, attempt, otherEndsAtMs),
  });
  if (concluded !== null) return settledAs(concluded, attempt, shown);
  if (refusal !== null) return refusedUnlisted(refusal);
  if (isGivenUp(tools, attempt, pursuit)) return settledAs("untold", attempt, shown);
  tellWaiting(world, attempt, `${COUNTS_FROM} ${isoTime(from.otherwise)}.`);
  return null;
}

function settledAs(end: SettingEnd, attempt: Attempt, { value, type }: Leverage): OperationEnd {
  if (end === "in_force") return { status: "succeeded", exchangeId: null };
  const shows = `The exchange shows ${value}x ${type}`;
  if (end === "not_in_force")
    return notInForce(attempt, `It is not in force. ${shows}, long after it can last have run.`);
  return neverProven(attempt, `Whether it was applied cannot be proven. ${shows}.`);
}

/** Nothing that changes with each reading: servers that are behind show another thing each. */
const COUNTS_FROM =
  "the exchange is asked for what is in force; a server may be from before this change or another, and the answers count once none can be, at the latest from";

/** Another change may have run after this one, unless it was over well before this one was signed. */
function mayBeReplaced(
  { settings }: With<"settings">,
  { expiresAtMs }: Attempt,
  otherEndsAtMs: number | null,
): boolean {
  return otherEndsAtMs !== null && otherEndsAtMs >= expiresAtMs - 2 * settings.timings.actionLifeMs;
}

function isAsAsked(attempt: Attempt, shown: Leverage): boolean {
  const action = actionOf(attempt);
  if (action?.type !== "updateLeverage") throw new Error("bug: a leverage change that is none");
  return shown.value === action.leverage && (shown.type === "cross") === action.isCross;
}

/** Readings further apart than this, elapsed milliseconds, leave room for what somebody else sets between them. */
const WATCHED_EVERY_MS = 30_000;

/** Notes when it was not watched from the time on at which it can have run: after a start as well. */
function noteUnwatched({ clock, exchange }: With<"clock" | "exchange">, attempt: Attempt, pursuit: Pursuit): void {
  const last = pursuit.lastReadingElapsedMs;
  const isGap = last === null ? exchange.nowMs() > endsAtMs(attempt) : clock.elapsedMs() - last > WATCHED_EVERY_MS;
  pursuit.wasUnwatched ||= isGap;
  pursuit.lastReadingElapsedMs = clock.elapsedMs();
}

/** Counts readings that count, apart, and show the same of it; one that shows the other says that either may be from before. */
function countWitness(
  { clock }: With<"clock">,
  pursuit: Pursuit,
  { isShown, isCounting }: { isShown: boolean; isCounting: boolean },
): void {
  const nowMs = clock.elapsedMs();
  if (isShown !== pursuit.isWitnessedAsAsked) pursuit.witnesses = 0;
  pursuit.isWitnessedAsAsked = isShown;
  const last = pursuit.lastWitnessElapsedMs;
  const isApart = pursuit.witnesses === 0 || last === null || nowMs - last >= WITNESS_SPACING_MS;
  if (!isCounting || !isApart) return;
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
