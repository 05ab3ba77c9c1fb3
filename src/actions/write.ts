import { alarmIn } from "../core/alarm.ts";
import { ApiError } from "../core/errors.ts";
import { decide, type KeyRecord } from "../core/idempotency.ts";
import { type FlightRank, MAX_IN_FLIGHT } from "../core/in-flight.ts";
import { operationText, orderText } from "../core/resource.ts";
import type { Deps, Place, RunningAnswer } from "../deps.ts";
import {
  type ActionUse,
  budgetObstacle,
  closedGateway,
  NOT_LOOKED_AT,
  type Obstacle,
  orderObstacle,
} from "../settle/obstacles.ts";
import { findApiKey } from "../store/api-keys.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import type { Store } from "../store/open.ts";
import { findOperation } from "../store/operations.ts";
import { findOrder } from "../store/orders.ts";
import { adoptKey, requireNothingToAdopt } from "./adopt-key.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { changedOutside } from "./authenticate.ts";
import { type Asked, differences } from "./differences.ts";

/** A write on its way through the steps that all writes share. */
export type Write = WriteKey & {
  /** Route name, for the message that says what differs. */
  route: string;
  /** What the body asks for, to name what differs when the key has been used for something else. */
  asked: Asked;
  /** The same of what it would place; null for a write that places nothing. */
  placing: Asked | null;
  /** Elapsed time at which the request was in; from there its deadline counts. */
  startedElapsedMs: number;
};

/** What an intent comes to inside its transaction: stored, or already there from an earlier request. */
export type Stored<T> = { kind: "stored"; value: T } | { kind: "earlier"; record: KeyRecord };

/**
 * Answers a write whose key has been used: replayed, joined while it runs, or as the row stands. Null when the
 * key is free. Throws `idempotency_key_reused` for another request under the same key.
 */
export async function answerEarlier(deps: Deps, caller: Caller, write: Write): Promise<WriteAnswer | null> {
  const { id: accountId } = caller.account;
  await adoptKey(deps, { ...write, accountId, key: write.idempotencyKey, answerStatus: successOf(write) });
  const record = findKeyRecord(deps.store, accountId, write.idempotencyKey);
  if (record === null) return null;
  caller.charge("reads");
  return answerRecord(deps, record, write);
}

/** What a write answers when it is settled: a new order is created, everything else is done. */
function successOf({ route }: Write): 200 | 201 {
  return route === "POST /v1/orders" ? 201 : 200;
}

/** The answer that a stored key gives to a request. */
export async function answerRecord(deps: Deps, record: KeyRecord, write: Write): Promise<WriteAnswer> {
  switch (decide(record, write.fingerprint)) {
    case "reused":
      throw new ApiError("idempotency_key_reused", reusedMessage(deps.store, record, write));
    case "replay":
      return { ...storedAnswer(record), isReplay: true };
    case "as_it_stands": {
      const joined = deps.running.join(record.accountId, record.key);
      if (joined !== null) return { ...(await joined), isReplay: true };
      // It may have been settled since the record was read.
      const now = findKeyRecord(deps.store, record.accountId, record.key) ?? record;
      if (now.answer !== null) return { ...now.answer, isReplay: true };
      requireLookedAt(deps);
      return { ...asItStands(deps.store, now), isReplay: true };
    }
    case "first":
      throw new Error("bug: a stored key cannot be a first one");
  }
}

/**
 * A power cut may have taken an outcome that was told already, and that one look gives back: until each has been looked
 * at, `unknown` would be a step back from it.
 */
function requireLookedAt({ state: { phase } }: Deps): void {
  const isLooking = phase === "trial" || phase === "opening" || phase === "starting";
  if (isLooking) throw new ApiError("not_ready", NOT_LOOKED_AT);
}

function reusedMessage(store: Store, record: KeyRecord, write: Write): string {
  const names = record.route === write.route ? differences(store, record, write.asked) : [];
  const other = names.length === 0 ? "with other parameters" : `with another ${names.join(", ")}`;
  const what = record.route === write.route ? other : `for ${record.route}`;
  return `This Idempotency-Key has been used ${what}. Nothing was sent. Use a new key for a new action.`;
}

function storedAnswer(record: KeyRecord): { status: 200 | 201; body: string } {
  if (record.answer === null) throw new Error("bug: no answer stored");
  return record.answer;
}

/** 202: the order or operation as it stands, shown as `unknown` while this write's own outcome is. */
export function asItStands(store: Store, { resource }: Pick<KeyRecord, "resource">): RunningAnswer {
  if (resource.kind === "operation") {
    const operation = findOperation(store, resource.id);
    if (operation === null) throw new Error("bug: a key without its operation");
    const error = operation.error ?? NOT_KNOWN;
    return { status: 202, body: operationText({ ...operation, status: "unknown", error }) };
  }
  const order = findOrder(store, resource.id);
  if (order === null) throw new Error("bug: a key without its order");
  const error = order.status === "unknown" ? order.error : (alarmIn(order.error) ?? NOT_KNOWN);
  return { status: 202, body: orderText({ ...order, status: "unknown", error }) };
}

const NOT_KNOWN = "the outcome of this request is not known yet; it is being looked up";

/** Refuses a write that must not start now. */
export function requireOpenForWrites(deps: Deps, isCancel: boolean): void {
  refuseFor(closedGateway(deps, isCancel));
}

/** Refuses an order that would not be taken, before anything is stored. */
export function requireTaken(deps: Deps, { account }: Caller, reducesOnly: boolean): void {
  refuseFor(orderObstacle(deps, account, reducesOnly));
}

/** Refuses a write for which our weight, or the account's own number of actions, is used up at the exchange. */
export function requireBudget(deps: Deps, { account }: Caller, use: ActionUse): void {
  refuseFor(budgetObstacle(deps, account, use));
}

function refuseFor(obstacle: Obstacle | null): void {
  if (obstacle !== null) throw obstacle.error;
}

/**
 * Commits an intent together with the others of this turn, on disk before it resolves. The key is looked up again
 * inside the transaction, where no other request can come between; `work` stores it, and the rest, and returns null where
 * nothing is to be sent. Where as much is under way as can be, it waits its turn before anything is stored: a number that
 * were taken before would be overtaken, and its life would run out.
 */
export async function commitIntent<T>(
  deps: Deps,
  intent: Intent,
  work: (store: Store, record: KeyRecord, place: Place) => T,
): Promise<Stored<T>> {
  const place = deps.flights.take(intent.caller.account.ownerAddress, rankOf(intent));
  const own = place ?? (await waitForPlace(deps, intent));
  try {
    const stored = await commitInPlace(deps, intent, (store, record) => work(store, record, own));
    if (stored.kind === "earlier" || stored.value === null) own.leave();
    return stored;
  } catch (error) {
    own.leave();
    throw error;
  }
}

type Intent = Pick<Write, "startedElapsedMs"> & {
  caller: Caller;
  record: Omit<KeyRecord, "createdAtMs">;
  isCancel?: boolean;
  /** When its turn comes where others wait as well; that of a cancel or an order where it is left out. */
  rank?: "cancel" | "order";
};

function rankOf({ rank, isCancel = false }: Intent): FlightRank {
  return rank ?? (isCancel ? "cancel" : "order");
}

/** The other half of an answer's time is left for sending. */
async function waitForPlace(deps: Deps, intent: Intent): Promise<Place> {
  const { caller, isCancel = false, startedElapsedMs } = intent;
  const untilMs = startedElapsedMs + deps.settings.timings.answerDeadlineMs / 2;
  const { ownerAddress } = caller.account;
  const place = await deps.flights.wait(ownerAddress, rankOf(intent), untilMs - deps.clock.elapsedMs());
  if (place === null) throw new ApiError("exchange_rate_limited", TOO_MANY_UNDER_WAY, UNDER_WAY_RETRY_AFTER_S);
  const closed = closedGateway(deps, isCancel);
  if (closed === null) return place;
  place.leave();
  throw closed.error;
}

const TOO_MANY_UNDER_WAY = `As many actions of this account's owner are under way at the exchange as can be (${MAX_IN_FLIGHT}). Nothing was sent.`;
const UNDER_WAY_RETRY_AFTER_S = 2;

async function commitInPlace<T>(
  deps: Deps,
  { caller, record, isCancel = false }: Intent,
  work: (store: Store, record: KeyRecord) => T,
): Promise<Stored<T>> {
  await deps.point("before_intent");
  const startedMs = deps.clock.elapsedMs();
  const stored = await storing(deps, () =>
    deps.commits.intent((store): Stored<T> => {
      const earlier = findKeyRecord(store, record.accountId, record.key);
      if (earlier !== null) return { kind: "earlier", record: earlier };
      requireActiveKey(store, caller, isCancel);
      requireNothingToAdopt(deps, record);
      return { kind: "stored", value: work(store, { ...record, createdAtMs: deps.clock.nowMs() }) };
    }),
  );
  deps.metrics.passed("commit", deps.clock.elapsedMs() - startedMs);
  return stored;
}

/** What came after the request was let in, a revocation or a row changed from outside, still stops it here. */
function requireActiveKey(store: Store, caller: Caller, isCancel: boolean): void {
  const key = findApiKey(store, caller.key.keyHash);
  if (key?.state !== "active") {
    throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was sent.");
  }
  // A cancel goes by what was sealed, and takes risk away.
  const fault = key.fault ?? (isCancel ? null : key.accountFault);
  if (fault !== null) throw new ApiError("storage_unavailable", changedOutside(fault));
}

/** Nothing is stored and nothing was sent when the disk refuses an intent. */
async function storing<T>(deps: Deps, commit: () => Promise<T>): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    deps.log.error({ error: String(error) }, "an intent could not be stored");
    throw new ApiError("storage_unavailable", "The database could not be written. Nothing was sent.");
  }
}

/** A write whose intent is stored. */
export type Underway = Pick<KeyRecord, "accountId" | "key" | "resource"> & Pick<Write, "startedElapsedMs">;

/** What follows a stored intent. Resolves with the answer that it has fixed, or null where that has to be read. */
type AfterIntent = () => Promise<RunningAnswer | null>;

/**
 * Runs what follows a stored intent and answers at the latest at the deadline. From here on no exception leaves:
 * what is not known by then is 202, and the work goes on by itself, whether or not the client is still there. The
 * one exception is an intent that `work` has given back: nobody has been told anything of it.
 */
export function finishWrite(deps: Deps, write: Underway, work: AfterIntent): Promise<RunningAnswer> {
  const answer = answerInTime(deps, write, work);
  deps.running.start(write.accountId, write.key, answer);
  return answer;
}

async function answerInTime(deps: Deps, write: Underway, work: AfterIntent): Promise<RunningAnswer> {
  const done = runToTheEnd(deps, write, work);
  const spentMs = deps.clock.elapsedMs() - write.startedElapsedMs;
  const timer = deps.clock.timer(Math.max(0, deps.settings.timings.answerDeadlineMs - spentMs));
  const answer = await Promise.race([done, timer.up.then(() => null)]).finally(timer.cancel);
  await deps.point("before_reply");
  if (answer !== null) return answer;
  const now = findKeyRecord(deps.store, write.accountId, write.key);
  // Given back at the very moment of the deadline: the refusal is what there is to say.
  if (now === null) await done;
  if (now !== null && now.answer !== null) return now.answer;
  deps.running.tell(write.accountId, write.key);
  return asItStands(deps.store, write);
}

async function runToTheEnd(deps: Deps, write: Underway, work: AfterIntent): Promise<RunningAnswer | null> {
  try {
    await deps.point("after_intent");
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    deps.log.error({ resource: write.resource.id, error: String(error) }, "a write failed after its intent was stored");
    await pursueWhatIsOpen(deps, write);
    return null;
  }
}

/** A fault of ours, or of the disk, after the intent: the outcome is found out as if the answer had been lost. */
async function pursueWhatIsOpen(deps: Deps, write: Underway): Promise<void> {
  const open = listAttemptsOf(deps.store, write.resource.id).filter(
    (each) => each.state !== "done" && each.idempotencyKey === write.key,
  );
  await Promise.all(open.map((each) => deps.settling.pursue(each.id)));
}
