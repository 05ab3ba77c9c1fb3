import type { Account } from "../../core/account.ts";
import type { Attempt } from "../../core/attempt.ts";
import { twapWord, unnamedTwapEndsAtMs } from "../../core/rails/twap-end.ts";
import type { Settling, Slot, With } from "../../deps.ts";
import { listAttemptsOf, listOpenAttempts } from "../../store/attempts.ts";
import { inTransaction } from "../../store/commit.ts";
import { insertOperation, listCanceledTwaps, listClaimedTwaps, type StoredOperation } from "../../store/operations.ts";
import { twapCancelAction } from "../../wire/action/twap.ts";
import { parseTwapHistory, type TwapRecord } from "../../wire/answer/twap.ts";
import { mintOrderId } from "../../wire/order-id.ts";
import { nameDoubtIn, recordOperationReply } from "../operation/operation.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import { actionOf, storeAttempt } from "../send/intent.ts";
import { sendOwn } from "../send/send-own.ts";
import type { CancelWhile, ToCancel } from "./cancel-covered.ts";
import { askedTwap } from "./remaining.ts";

/** To cancel what a stop covers. */
export type ToWithdraw = ToCancel & With<"instance">;

/** A TWAP of the account that the exchange's history shows without an end. */
export type UnendedTwap = { twapId: string; market: string; isReduceOnly: boolean };

export type TwapsShown = {
  records: readonly TwapRecord[];
  running: UnendedTwap[];
  /** Native ids of those that have ended. */
  ended: Set<string>;
  /** The exchange's own time of its newest row, unix milliseconds; 0 for none. */
  newestMs: number;
};

/** Null where the exchange could not be asked. */
export async function readTwaps(world: ToWithdraw, { id, tradingAddress }: Account): Promise<TwapsShown | null> {
  const outcome = await world.exchange.info({ type: "twapHistory", user: tradingAddress }, { purpose: "cancel" });
  const records = outcome.kind === "ok" ? parseTwapHistory(outcome.json) : null;
  if (records === null) return null;
  const ended = listCanceledTwaps(world.store, id);
  for (const { twapId, status } of records) if (twapId !== null && twapWord(status) === "ended") ended.add(twapId);
  const running = new Map<string, UnendedTwap>();
  for (const { twapId, state } of records) {
    if (twapId === null || ended.has(twapId)) continue;
    running.set(twapId, { twapId, market: state.coin, isReduceOnly: state.reduceOnly });
  }
  const newestMs = Math.max(0, ...records.map(({ timeS }) => timeS * 1_000));
  return { records, running: [...running.values()], ended, newestMs };
}

/** A number that the exchange has taken was this near to its time at most, and a TWAP ends by itself, milliseconds. */
const NUMBER_OFF_MS = 2 * 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;

/**
 * Of our operations those whose TWAP runs no more: its history shows an end, its number was burnt, the history lacks it and
 * holds what is newer than it can have become, or nothing has shown it as ours and its own minutes are over.
 */
export function endedOf(
  world: With<"exchange" | "store">,
  sent: readonly StoredOperation[],
  shown: TwapsShown,
): string[] {
  const running = new Set(shown.running.map(({ twapId }) => twapId));
  return sent.flatMap((operation) => {
    const { id, exchangeId } = operation;
    if (exchangeId !== null && running.has(exchangeId)) return [];
    const [attempt] = listAttemptsOf(world.store, id);
    const lastMs = (attempt?.nonce ?? 0) + askedTwap(operation).duration_minutes * MINUTE_MS + NUMBER_OFF_MS;
    const isEnded = exchangeId !== null && shown.ended.has(exchangeId);
    const isOver = isEnded || attempt?.seal === "noop" || shown.newestMs > lastMs;
    return isOver || isTimeOver(world, operation, shown) ? [id] : [];
  });
}

/** Something has shown it as it was asked for: an answer that names one is no more than a word, and may have been another's. */
function isConfirmed({ status, exchangeId }: StoredOperation): boolean {
  return status === "succeeded" && exchangeId !== null;
}

/**
 * It began before its action expired or never, and the exchange ends it after the minutes that it was asked for. Its history may be that
 * of a quiet account, which never goes on; one that runs in its market and is nobody's may be this one all the same.
 */
function isTimeOver(
  { store, exchange }: With<"exchange" | "store">,
  operation: StoredOperation,
  { running }: TwapsShown,
): boolean {
  const { id, accountId, market } = operation;
  const [attempt] = listAttemptsOf(store, id);
  if (isConfirmed(operation) || attempt === undefined || attempt.state !== "done") return false;
  const claimed = listClaimedTwaps(store, accountId);
  if (running.some((twap) => twap.market === market && !claimed.has(twap.twapId))) return false;
  return exchange.nowMs() > unnamedTwapEndsAtMs(attempt, askedTwap(operation).duration_minutes);
}

/**
 * Of our operations those whose TWAP can be canceled by its number, which needs no history to show it: the exchange's own answer has named it,
 * and its minutes run. Past these only what was shown running is, and so is one whose number the history speaks against.
 *
 * @param shown market by native id, of those that a history has shown running
 */
export function listToCancel(
  world: With<"exchange" | "store">,
  sent: readonly StoredOperation[],
  shown: ReadonlyMap<string, string>,
): Pick<UnendedTwap, "market" | "twapId">[] {
  return sent.flatMap((operation) => {
    const { exchangeId: twapId, market } = operation;
    if (twapId === null) return [];
    const shownIn = shown.get(twapId);
    if (shownIn !== undefined) return [{ twapId, market: shownIn }];
    return nameDoubtIn(operation) === null && mayTwapRun(world, operation) ? [{ twapId, market }] : [];
  });
}

/** By its own minutes: one that has ended before counts until then. */
export function mayTwapRun({ store, exchange }: With<"exchange" | "store">, operation: StoredOperation): boolean {
  const [attempt] = listAttemptsOf(store, operation.id);
  if (attempt === undefined || attempt.seal === "noop") return false;
  const endMs = unnamedTwapEndsAtMs(attempt, askedTwap(operation).duration_minutes);
  return attempt.state !== "done" || exchange.nowMs() <= endMs;
}

/** A cancel of which nothing has been heard for so long is sent anew, milliseconds. */
const UNHEARD_MS = 10_000;

/** `name`: under which it acts; see `nameOfStop`. */
type CancelingTwap = CancelWhile & { name: string; account: Account; twapId: string; market: string };

/**
 * Cancels a TWAP by an operation of its own, which settling follows to its end; not while one is under way that may still be heard of. False where
 * nothing could be signed.
 */
export async function cancelRunningTwap(
  world: ToWithdraw,
  settling: Pick<Settling, "pursue">,
  canceling: CancelingTwap,
): Promise<boolean> {
  const { account, twapId } = canceling;
  if (isUnderWay(world, account, twapId)) return true;
  const store = (slot: Slot) => storeTwapCancel(world, canceling, slot);
  const sent = await sendOwn(world, { accountId: account.id, purpose: "cancel", store });
  if (sent === null) return false;
  const { attempt, result } = sent;
  if (result.kind === "not_sent" || !recordOperationReply(world, attempt, result)) void settling.pursue(attempt.id);
  return true;
}

/**
 * One of which nothing has been heard for long holds no other back: an empty action may have to take its number first, and a TWAP that is
 * canceled twice is canceled.
 */
function isUnderWay({ exchange, store }: With<"exchange" | "store">, { id }: Account, twapId: string): boolean {
  const nowMs = exchange.nowMs();
  return listOpenAttempts(store).some((attempt) => {
    if (isUnheard(attempt) && nowMs - attempt.nonce > UNHEARD_MS) return false;
    const action = attempt.kind === "twap_cancel" && attempt.accountId === id ? actionOf(attempt) : null;
    return action?.type === "twapCancel" && action.t.toString() === twapId;
  });
}

/** Neither an answer to it, nor to an empty action on its number. */
function isUnheard({ state, answerText, hasLanded, seal }: Attempt): boolean {
  return state === "ambiguous" && answerText === null && !hasLanded && seal === null;
}

function storeTwapCancel(
  world: ToWithdraw,
  { name: by, account, twapId, market, isStillSo }: CancelingTwap,
  slot: Slot,
): Attempt | null {
  const listed = world.markets.current()?.byName.get(market);
  const agent = signingAgent(world, account);
  if (listed === undefined || agent.kind === "obstacle") return null;
  const nowMs = world.clock.nowMs();
  const name = `${by} twap ${twapId}`;
  const { tag: instanceTag, secret } = world.instance;
  const idempotencyKey = `${name} ${nowMs}`;
  const id = mintOrderId({ nowMs, instanceTag, secret, accountId: account.id, idempotencyKey, bot: null });
  return inTransaction(world.store, (store) => {
    if (isStillSo?.() === false) return null;
    // Another may have been stored while this one waited for its turn.
    if (isUnderWay(world, account, twapId)) return null;
    insertOperation(store, {
      id,
      accountId: account.id,
      action: "twap_cancel",
      market,
      before: null,
      status: "processing",
      exchangeId: null,
      error: null,
      createdAtMs: nowMs,
      releasedAtMs: null,
      version: 0,
      keyHash: null,
      parameters: JSON.stringify({ twap_id: Number(twapId) }),
    });
    const intended = {
      kind: "twap_cancel" as const,
      account,
      resource: { kind: "operation" as const, id },
      idempotencyKey: name,
      actor: "gateway",
      action: twapCancelAction(listed.assetId, twapId),
      cloid: null,
      targetOid: null,
    };
    return storeAttempt(world, intended, { signer: agent.address, slot });
  });
}
