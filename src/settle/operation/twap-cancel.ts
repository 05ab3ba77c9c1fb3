import type { Attempt } from "../../core/attempt.ts";
import { BEHIND_MS, isNothingToCancel, type MissingTwap } from "../../core/evidence.ts";
import type { OperationEnd } from "../../core/operation.ts";
import { LAPSED_WORDS } from "../../core/rails/idle-reduction.ts";
import { twapWord } from "../../core/rails/twap-end.ts";
import type { Slot, ToSign, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { updateAttempt } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { findOperation, listTwapOperations } from "../../store/operations.ts";
import { twapCancelAction } from "../../wire/action/twap.ts";
import { isOutOfActions, plainWords } from "../../wire/answer/refusal.ts";
import { parseTwapHistoryOf, type TwapRecord } from "../../wire/answer/twap.ts";
import { foundNothing } from "../cancel/cancel.ts";
import { groundOf } from "../cancel/grounds.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { openAttempt } from "../record/record.ts";
import { actionOf, signerOfToday, storeAttempt } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";
import { isUnderWay } from "../unsettled.ts";
import {
  finishOperation,
  neverExecuted,
  neverProven,
  operationOf,
  recordOperationReply,
  refusedUnlisted,
  saysNothingToCancel,
} from "./operation.ts";
import { completeToMs, heardRefusal, isEffectWitnessedAbsent, isGivenUp, tellWaiting } from "./reading.ts";
import { readHistory, type TwapHistory } from "./twap-sights.ts";

/** One step toward the truth about the cancel of a TWAP: its history says how it stands. */
export async function stepTwapCancel(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  if (foundNothing(attempt)) return stepMissing(tools, attempt, pursuit);
  const reading = await readHistory(tools, attempt, pursuit);
  if (reading === null) return false;
  const end = endOfCancel(tools, pursuit, reading);
  if (end === null) tellWaiting(tools.world, reading.attempt, WAITING);
  else finishOperation(tools.world, attempt, end);
  return end !== null;
}

const WAITING =
  "the exchange's history of TWAPs is asked whether it still runs; a server may be from before the cancel, and the answers count once none can be, two and a half minutes after its end.";

function endOfCancel(tools: Tools, pursuit: Pursuit, reading: TwapHistory): OperationEnd | null {
  const { attempt, newestAtMs } = reading;
  const records = recordsOf(attempt, reading.records);
  const ended = endIn(records);
  // What was asked for is in force, whoever did it.
  if (ended?.status === "terminated") return { status: "succeeded", exchangeId: null };
  if (ended !== null) {
    const error = `There was nothing left to cancel: the TWAP had ended by itself (${ended.status}).`;
    return { status: "rejected", error };
  }
  if (attempt.seal === "noop") return neverExecuted(attempt);
  const refusal = heardRefusal(tools, attempt, { pursuit, isShown: false });
  if (refusal !== null) return refusedUnlisted(refusal);
  // That it still runs is shown, not concluded from silence: late enough no server is from before the cancel.
  const completeMs = completeToMs(tools, attempt, newestAtMs);
  const isRunning = records.length > 0 && records.every(({ status }) => twapWord(status) === "running");
  if (isRunning && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs: completeMs }))
    return { status: "rejected", error: "The cancel was not carried out: the TWAP still runs." };
  if (!isGivenUp(tools, attempt, pursuit)) return null;
  return neverProven(attempt, records.length === 0 ? "The exchange shows no TWAP of this number." : UNPROVEN);
}

const UNPROVEN = "Whether it was carried out cannot be proven: the exchange shows nothing of it, and nothing newer.";

function recordsOf(attempt: Attempt, records: readonly TwapRecord[]): TwapRecord[] {
  const twapId = cancelOf(attempt).t.toString();
  return records.filter((record) => record.twapId === twapId);
}

function cancelOf(attempt: Attempt) {
  const action = actionOf(attempt);
  if (action?.type !== "twapCancel") throw new Error("bug: a TWAP cancel that is none");
  return action;
}

/** Its end stands, wherever in the list: times are whole seconds and do not tell what came last. */
function endIn(records: readonly TwapRecord[]): TwapRecord | null {
  return records.find(({ status }) => twapWord(status) === "ended") ?? null;
}

/**
 * One step after the exchange found nothing to cancel. It says that of a TWAP which is new as well, and of one whose market
 * has moved in the list: only its history tells, and until then the cancel is tried again.
 */
async function stepMissing(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const shown = await weighMissing(tools, attempt, pursuit);
  if (shown === null || shown === "settled") return shown !== null;
  const { reissues } = pursuit;
  if ((await groundOf(tools, attempt)) === "lapsed") {
    finishOperation(world, attempt, { status: "rejected", error: `${LAPSED_WORDS}.` });
    return true;
  }
  if (await cancelAgain(tools, attempt, { pursuit, shown })) return true;
  const next = openAttempt(world.store, pursuit.attemptId);
  // The answer that was still missing may be there; that nothing shows it has to be so after it as well.
  if (next === null || pursuit.reissues === reissues || shown !== "nothing") return next === null;
  return (await weighMissing(tools, next, pursuit)) === "settled";
}

/** What its history shows now; `settled` where that ends the cancel, null where it could not be read. */
async function weighMissing(
  tools: Tools,
  attempt: Attempt,
  pursuit: Pursuit,
): Promise<MissingTwap["shown"] | "settled" | null> {
  const records = await readRecords(tools, attempt, pursuit);
  if (records === null) return null;
  const shown = shownOf(tools.world, attempt, records);
  const end = endOfMissing(tools, pursuit, { attempt, records, shown });
  if (end === null) return shown;
  finishOperation(tools.world, attempt, end);
  return "settled";
}

/** Without asking for its number: the exchange has answered to it. */
async function readRecords(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<TwapRecord[] | null> {
  const request = { type: "twapHistory", user: tools.userOf(attempt) };
  const onNewConnection = pursuit.looks % 2 === 1;
  const outcome = await tools.world.exchange.info(request, { purpose: "settle", onNewConnection });
  return outcome.kind === "ok" ? parseTwapHistoryOf(outcome.json, cancelOf(attempt).t.toString()) : null;
}

/** What is shown of a TWAP; one that an operation of ours made is there, though nothing shows it. Its number may be an answer's word alone. */
function shownOf({ store }: With<"store">, attempt: Attempt, records: readonly TwapRecord[]): MissingTwap["shown"] {
  if (records.length > 0) return endIn(records) === null ? "running" : "ended";
  const twapId = cancelOf(attempt).t.toString();
  const id = listTwapOperations(store, attempt.accountId, [twapId]).get(twapId);
  if (id === undefined) return "nothing";
  if (findOperation(store, id)?.status === "succeeded") return "running";
  // Once nobody looks into it any more nothing will show it.
  return isUnderWay({ store }, id) ? "named" : "nothing";
}

type MissingCancel = { attempt: Attempt; records: readonly TwapRecord[]; shown: MissingTwap["shown"] };

function endOfMissing(tools: Tools, pursuit: Pursuit, { attempt, records, shown }: MissingCancel): OperationEnd | null {
  const { market } = operationOf(tools.world, attempt);
  const refused = plainWords(attempt.answerText ?? "");
  const elsewhere = records.find(({ state }) => state.coin !== market);
  if (elsewhere !== undefined)
    return { status: "rejected", error: `The exchange shows this TWAP in ${elsewhere.state.coin}. ${refused}` };
  if (isNothingToCancel({ shown, misses: pursuit.reissues + 1 })) return { status: "rejected", error: refused };
  return isGivenUp(tools, attempt, pursuit) ? neverProven(attempt, STILL_SHOWN) : null;
}

const STILL_SHOWN = "Whether the TWAP still runs cannot be proven: nothing of the exchange shows its end.";

const MISSING = { because: "a TWAP that a cancel does not find there", isCertain: false };

/** Shortest time between two cancels of one TWAP, elapsed milliseconds; from the third on it doubles: a refusal costs little. */
const AGAIN_AFTER_MS = 1_000;
const MAX_AGAIN_AFTER_MS = 60_000;

/** Cancels it once more, under a new number and by the newest list of markets; true when that has settled it. */
async function cancelAgain(
  { world, grounds }: Pick<Tools, "grounds" | "world">,
  attempt: Attempt,
  { pursuit, shown }: { pursuit: Pursuit; shown: MissingTwap["shown"] },
): Promise<boolean> {
  const nowMs = world.clock.elapsedMs();
  pursuit.lastSentElapsedMs ??= nowMs;
  const pauseMs = Math.min(AGAIN_AFTER_MS * 2 ** Math.max(0, pursuit.reissues - 1), MAX_AGAIN_AFTER_MS);
  if (nowMs - pursuit.lastSentElapsedMs < pauseMs) return false;
  const { market } = operationOf(world, attempt);
  // A number that nothing shows is most often none: it must not keep orders out of the market.
  if (pursuit.reissues > 0 && shown === "running") {
    pursuit.firstMissedElapsedMs ??= nowMs;
    // Until then the history may be from before a cancel that has ended it.
    if (nowMs - pursuit.firstMissedElapsedMs >= BEHIND_MS) world.markets.doubt(market, MISSING);
    else world.markets.suspect(market);
  }
  await world.markets.refresh();
  const store = (slot: Slot) => {
    if (openAttempt(world.store, attempt.id) === null || grounds.judge(attempt) !== "stands") return null;
    const stored = storeNext(world, attempt, { market, slot });
    pursuit.lastSentElapsedMs = nowMs;
    pursuit.attemptId = stored.id;
    return stored;
  };
  const sent = await sendOwn(world, { accountId: attempt.accountId, purpose: "cancel", store });
  if (sent === null) return openAttempt(world.store, attempt.id) === null;
  const { attempt: next, result } = sent;
  const said = result.kind === "not_sent" ? null : result;
  // Not sent, or out of actions for now, is no news of the TWAP: a later step tries again.
  const isNoNews = said === null || (said.kind === "refused" && isOutOfActions(said.text));
  if (!isNoNews && !saysNothingToCancel(next, said)) return recordOperationReply(world, next, said);
  if (!isNoNews) pursuit.reissues += 1;
  const change = { state: "ambiguous", sentAtMs: next.createdAtMs, answerText: attempt.answerText } as const;
  inTransaction(world.store, () => updateAttempt(world.store, next, change));
  return false;
}

function storeNext(
  world: ToSign & With<"markets">,
  attempt: Attempt,
  { market, slot }: { market: string; slot: Slot },
): Attempt {
  const { accountId, resource, idempotencyKey } = attempt;
  const account = findAccount(world.store, accountId);
  if (account === null) throw new Error("bug: an operation without its account");
  const { a, t } = cancelOf(attempt);
  const action = twapCancelAction(world.markets.current()?.byName.get(market)?.assetId ?? a, t.toString());
  return inTransaction(world.store, () => {
    updateAttempt(world.store, attempt, { state: "done", settledAtMs: world.clock.nowMs() });
    const intended = { kind: "twap_cancel", account, resource, idempotencyKey, actor: "gateway" } as const;
    const signer = signerOfToday(world, account, attempt);
    return storeAttempt(world, { ...intended, action, cloid: null, targetOid: null }, { signer, slot });
  });
}
