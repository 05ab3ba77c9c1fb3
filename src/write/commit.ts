import { ApiError } from "../core/errors.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import { type FlightRank, MAX_IN_FLIGHT } from "../core/in-flight.ts";
import type { Slot, ToWrite, With } from "../deps.ts";
import { closedGateway, NOT_WRITTEN } from "../settle/pre-trade/obstacles.ts";
import { findApiKey, type StoredKey } from "../store/api-keys.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import type { Store } from "../store/open.ts";
import { findStopOf, type StandingStop } from "../store/stops.ts";
import { requireNothingToAdopt } from "./adopt.ts";
import type { Caller } from "./caller.ts";
import { changedOutside } from "./changed-outside.ts";
import { passGate } from "./gate.ts";
import { requireRoomForStops } from "./open-order-reserve.ts";
import type { Plan, Stored, Write } from "./verb.ts";

/** Inside the transaction: stores what is to be sent, or the answer where nothing is. */
type IntentWork = (keyRecord: KeyRecord, slot: Slot) => Stored;

/**
 * Commits an intent, in one transaction with the others of this turn of the event loop. The key is looked up again
 * inside it, where no other request can come between. Where all slots are taken it waits before anything is
 * stored: a number that was taken before the wait would be overtaken by others, and its life would run out.
 *
 * @returns `onDisk` resolves when the intent is on the disk: nothing of it leaves, and nobody is told of it, before
 */
export async function commitIntent(
  deps: ToWrite,
  write: Write,
  plan: Plan,
  work: IntentWork,
): Promise<{ stored: Stored; onDisk: Promise<void> }> {
  const { ownerAddress } = write.caller.account;
  const slot = deps.flights.take(ownerAddress, rankOf(write)) ?? (await waitForSlot(deps, write));
  try {
    const committed = await commitInSlot(deps, write, plan, (keyRecord) => work(keyRecord, slot));
    if (committed.stored.kind !== "outgoing") slot.leave();
    return committed;
  } catch (error) {
    slot.leave();
    throw error;
  }
}

/**
 * Waits for a slot for half of an answer's time at most, so that the other half is left for sending. Throws where none
 * came, or where the gateway has closed meanwhile.
 */
async function waitForSlot(deps: ToWrite, write: Write): Promise<Slot> {
  const untilMs = write.startedElapsedMs + deps.settings.timings.answerDeadlineMs / 2;
  const { ownerAddress } = write.caller.account;
  const slot = await deps.flights.wait(ownerAddress, rankOf(write), untilMs - deps.clock.elapsedMs());
  if (slot === null) throw new ApiError("exchange_rate_limited", TOO_MANY_UNDER_WAY, UNDER_WAY_RETRY_AFTER_S);
  const closed = closedGateway(deps, write.isCancel);
  if (closed === null) return slot;
  slot.leave();
  throw closed.error;
}

const TOO_MANY_UNDER_WAY = `As many actions of this account's owner are under way at the exchange as can be (${MAX_IN_FLIGHT}). Nothing was sent.`;
const UNDER_WAY_RETRY_AFTER_S = 2;

/** In which line it waits for a slot. */
function rankOf({ bucket }: Write): FlightRank {
  return bucket === "cancels" ? "cancel" : "order";
}

async function commitInSlot(
  deps: ToWrite,
  write: Write,
  plan: Plan,
  work: (keyRecord: KeyRecord) => Stored,
): Promise<{ stored: Stored; onDisk: Promise<void> }> {
  const { caller, accountId, idempotencyKey, route, fingerprint, isCancel } = write;
  const keyRecord = { accountId, idempotencyKey, route, fingerprint, resource: plan.resource, answer: null };
  const newOrders = newOrdersOf(plan);
  await deps.point("before_intent");
  const startedMs = deps.clock.elapsedMs();
  const committed = await storing(deps, () =>
    deps.commits.intent((store): Stored => {
      const earlier = findKeyRecord(store, accountId, idempotencyKey);
      if (earlier !== null) return { kind: "earlier", record: earlier };
      const known = requireActiveKey(store, caller, isCancel);
      requireNotStopped(store, caller, plan.increasesFor);
      if (newOrders > 0 && plan.increasesFor.length > 0) requireRoomForStops(deps, store, caller, newOrders);
      requireNothingToAdopt(deps, keyRecord);
      const stored = work({ ...keyRecord, createdAtMs: deps.clock.nowMs() });
      passGate(deps, caller, known, stored);
      return stored;
    }),
  );
  const onDisk = committed.onDisk.then(() => deps.metrics.passed("commit", deps.clock.elapsedMs() - startedMs));
  const reached = reachingDisk(deps, onDisk);
  // Signing goes on meanwhile and may fail before anybody awaits `reached`: this keeps its rejection from being
  // unhandled. Whoever awaits `reached` is told all the same.
  reached.catch(() => undefined);
  return { stored: committed.value, onDisk: reached };
}

/** How many orders it adds to the account's open ones. */
function newOrdersOf({ isOrder, resource, count = 1 }: Plan): number {
  return isOrder && resource.kind !== "operation" ? count : 0;
}

/** Refuses a key that was revoked, or a row that was changed from outside, since the request was let in. */
function requireActiveKey(store: Store, caller: Caller, isCancel: boolean): StoredKey {
  const key = findApiKey(store, caller.key.keyHash);
  if (key?.state !== "active") {
    throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was sent.");
  }
  // A fault of the account's row stops no cancel: a cancel takes risk away, and goes by the account as it was sealed.
  const fault = key.fault ?? (isCancel ? null : key.accountFault);
  if (fault !== null) throw new ApiError("storage_unavailable", changedOutside(fault));
  return key;
}

/**
 * Refuses what could increase by orders that a stop covers. What is stored after the stop's row meets it here; what was
 * stored before it the stop finds, and burns or cancels.
 */
function requireNotStopped(store: Store, { account }: Caller, increasesFor: Plan["increasesFor"]): void {
  for (const placedBy of increasesFor) {
    const stop = findStopOf(store, account.id, placedBy);
    if (stop !== null) throw new ApiError("trading_stopped", stoppedMessage(stop));
  }
}

function stoppedMessage({ id, scope }: StandingStop): string {
  const whose = scope === "account" ? "this account" : "an API key";
  return `Trading is stopped for ${whose} by stop ${id}, and this could make a position larger. Nothing was sent, and the Idempotency-Key is not used. Cancels and what can only make a position smaller pass. The operator resumes with "postern resume", or the owner by signature.`;
}

/** Commits; an error of the database becomes 503 `storage_unavailable`, with nothing stored and nothing sent. */
async function storing<T>(deps: With<"log">, commit: () => Promise<T>): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw notStored(deps, error);
  }
}

/**
 * Waits for the disk; its failure becomes 503 `storage_unavailable`. The intent is committed and is never sent; whether
 * its rows are still there the next start sees.
 */
async function reachingDisk(deps: With<"log">, onDisk: Promise<void>): Promise<void> {
  try {
    await onDisk;
  } catch (error) {
    throw notStored(deps, error);
  }
}

function notStored(deps: With<"log">, error: unknown): ApiError {
  deps.log.error({ error: String(error) }, "an intent could not be stored");
  return new ApiError("storage_unavailable", NOT_WRITTEN);
}
