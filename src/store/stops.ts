import { and, between, eq, inArray, isNull, sql } from "drizzle-orm";
import type { EventType } from "../core/event.ts";
import { stopResource, waitingStopResource } from "../core/resource.ts";
import { endsOneKey, isStanding, type Stop } from "../core/stop.ts";
import type { Wait } from "../core/wait.ts";
import { appendAudit } from "./audit.ts";
import { botOf } from "./bots.ts";
import { appendEvent } from "./events.ts";
import { holdBack, listHooksWithWork } from "./hook-deliveries.ts";
import { findHook } from "./hooks.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { stops, stopsOutside } from "./schema-stops.ts";
import { findSealed, listSealed, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

const COLUMNS = {
  id: stops.id,
  accountId: stops.accountId,
  scope: stops.scope,
  keyHash: stops.keyHash,
  cause: stops.cause,
  keepsProtection: stops.keepsProtection,
  upTo: stops.upTo,
  createdAtMs: stops.createdAtMs,
  outsideAtMs: stops.outsideAtMs,
  stoppedAtMs: stops.stoppedAtMs,
  resumedAtMs: stops.resumedAtMs,
};

/** In the words of the index that holds only these. */
const IS_IN_FORCE = sql`resumed_at_ms is null and (cause = 'asked' or stopped_at_ms is null)`;

/** What is sealed of a stop that refuses what increases: its row may be anybody's. */
type SealedStop = Pick<Stop, "accountId" | "scope" | "keyHash"> & { isResumed: boolean };

/** Who asked for it, and the client's own name for it; null where it has none. */
export type StopAsker = { actor: string; idempotencyKey: string | null };

/** Inside the caller's transaction: from its commit on it stands. */
export function insertStop(store: Store, stop: Stop, { actor, idempotencyKey }: StopAsker): void {
  store
    .insert(stops)
    .values({ ...stop, idempotencyKey })
    .run();
  if (isStanding(stop)) vouchForStop(store, stop.id, { ...stop, isResumed: false });
  const { accountId: account, scope, keyHash, cause, keepsProtection } = stop;
  appendAudit(store, {
    atMs: stop.createdAtMs,
    actor,
    reference: stop.id,
    event: isStanding(stop) ? "trading_stopped" : "increases_withdrawn",
    detail: { account, scope, key_hash: keyHash, cause, keep_protection: keepsProtection },
  });
  tellStop(store, stop, "stop.created", stop.createdAtMs);
  forget(store);
}

function tellStop(store: Store, stop: Stop, type: EventType, atMs: number): void {
  const payload = JSON.stringify(stopResource(stop));
  appendEvent(store, { accountId: stop.accountId, atMs, type, resourceId: stop.id, payload });
}

/** Inside the caller's transaction. */
export function tellWaiting(store: Store, stop: Stop, waits: readonly Wait[], atMs: number): void {
  const payload = JSON.stringify(waitingStopResource(stop, waits));
  appendEvent(store, { accountId: stop.accountId, atMs, type: "stop.waiting", resourceId: stop.id, payload });
}

const byId = prepared((store) =>
  store
    .select(COLUMNS)
    .from(stops)
    .where(eq(stops.id, sql.placeholder("id")))
    .prepare(),
);

export function findStop(store: Store, id: string): Stop | null {
  return byId(store).get({ id }) ?? null;
}

const byKey = prepared((store) =>
  store
    .select(COLUMNS)
    .from(stops)
    .where(
      and(
        eq(stops.accountId, sql.placeholder("accountId")),
        eq(stops.idempotencyKey, sql.placeholder("idempotencyKey")),
      ),
    )
    .prepare(),
);

export function findStopByKey(store: Store, accountId: string, idempotencyKey: string): Stop | null {
  return byKey(store).get({ accountId, idempotencyKey }) ?? null;
}

const inForce = prepared((store) => store.select(COLUMNS).from(stops).where(IS_IN_FORCE).prepare());

/** Of every account: those that stand, and those of which something is left to do. */
export function listStopsInForce(store: Store): Stop[] {
  return inForce(store).all();
}

const askedInForce = prepared((store) =>
  store
    .select(COLUMNS)
    .from(stops)
    .where(and(IS_IN_FORCE, eq(stops.accountId, sql.placeholder("accountId")), eq(stops.cause, "asked")))
    .prepare(),
);

/** What refuses what increases: a row is obeyed without any proof, and one that was sealed although it is gone or changed. */
const standing = rememberedAsSettled<readonly StandingStop[]>((store, accountId) => {
  const rows: StandingStop[] = askedInForce(store).all({ accountId });
  const lost = listLostStops(store).filter((stop) => stop.accountId === accountId);
  for (const stop of lost) tellFault(store, faultOf(stop));
  return [...rows, ...lost];
});

export type StandingStop = Pick<Stop, "id" | "accountId" | "scope" | "keyHash">;

export function listStandingStops(store: Store, accountId: string): readonly StandingStop[] {
  return standing.find(store, accountId) ?? [];
}

/** The stop that refuses what increases by what this key placed; null where none does. */
export function findStopOf(store: Store, accountId: string, placedBy: string | null): StandingStop | null {
  return (
    listStandingStops(store, accountId).find((stop) => covers(store, { ...stop, cause: "asked" }, placedBy)) ?? null
  );
}

/**
 * Whether a stop covers what this API key of its account has placed; null is what was placed elsewhere. A bot's stop is the
 * bot's, whichever of its keys asked for it: a new key under the same name does not get round it.
 */
export function covers(
  store: Store,
  { scope, keyHash, cause }: Pick<Stop, "scope" | "keyHash" | "cause">,
  placedBy: string | null,
): boolean {
  if (scope === "account" || (keyHash !== null && keyHash === placedBy)) return true;
  if (keyHash === null || placedBy === null || endsOneKey(cause)) return false;
  const bot = botOf(store, keyHash);
  return bot !== null && bot === botOf(store, placedBy);
}

/** Sealed as standing, and not what their rows say. */
function listLostStops(store: Store): StandingStop[] {
  return listSealed(store, "stop").flatMap(([id, content]) => {
    const sealed = sealedStop(content);
    const row = findStop(store, id);
    const isAsSealed = row !== null && isStanding(row) && isSame(row, sealed);
    return sealed.isResumed || isAsSealed ? [] : [{ id, ...sealed }];
  });
}

function isSame(row: Stop, sealed: SealedStop): boolean {
  return row.accountId === sealed.accountId && row.scope === sealed.scope && row.keyHash === sealed.keyHash;
}

export function listStopFaults(store: Store): RowFault[] {
  return listLostStops(store).map(faultOf);
}

function faultOf({ id }: StandingStop): RowFault {
  return { kind: "stop", id, what: `the row of stop ${id} was deleted or changed from outside: it stays in force` };
}

/** What the audit log tells of a stop made without the passphrase is sealed, so that it cannot be taken back. */
export function sealStop(store: Store, id: string, stop: Pick<Stop, "accountId" | "scope" | "keyHash">): void {
  if (findSealed(store, "stop", id) === null) vouchForStop(store, id, { ...stop, isResumed: false });
}

function vouchForStop(store: Store, id: string, { accountId, scope, keyHash, isResumed }: SealedStop): void {
  vouch(store, "stop", id, JSON.stringify({ accountId, scope, keyHash, isResumed }));
  forget(store);
}

function sealedStop(content: string): SealedStop {
  // Only `vouchForStop` makes what the seal covers.
  return JSON.parse(content) as SealedStop;
}

type StopChange = Partial<Pick<Stop, "outsideAtMs" | "stoppedAtMs">>;

/** How far it has come. */
export function updateStop(store: Store, id: string, change: StopChange, atMs: number): void {
  const isThis = and(eq(stops.id, id), isNull(stops.resumedAtMs));
  for (const stop of store.update(stops).set(change).where(isThis).returning().all())
    tellStop(store, stop, "stop.updated", atMs);
  forget(store);
}

/** Ends stops that stand, also those of which only the sealed form is left. */
export function resumeStops(
  store: Store,
  ids: readonly string[],
  { actor, atMs }: { actor: string; atMs: number },
): void {
  for (const id of ids) {
    const content = findSealed(store, "stop", id);
    if (content !== null) vouchForStop(store, id, { ...sealedStop(content), isResumed: true });
    appendAudit(store, { atMs, actor, event: "trading_resumed", reference: id, detail: {} });
  }
  const open = and(inArray(stops.id, [...ids]), isNull(stops.resumedAtMs));
  for (const stop of store.update(stops).set({ resumedAtMs: atMs }).where(open).returning().all()) {
    if (stop.cause === "asked") holdBackAlerts(store, stop);
    tellStop(store, stop, "stop.updated", atMs);
  }
  forget(store);
}

/** What has waited through it increases nothing any more, whatever our clock says of the two. */
function holdBackAlerts(store: Store, stop: Stop): void {
  const covered = listHooksWithWork(store).filter((id) => {
    const hook = findHook(store, id);
    return hook !== null && hook.accountId === stop.accountId && covers(store, stop, hook.keyHash);
  });
  holdBack(store, covered, "trading was stopped while it waited: it makes no position larger any more");
}

export type OutsideRow = typeof stopsOutside.$inferSelect;

/** Once for each order or TWAP of elsewhere. */
export function noteOutside(store: Store, row: OutsideRow): void {
  store.insert(stopsOutside).values(row).onConflictDoNothing().run();
}

const outsideOf = prepared((store) =>
  store
    .select()
    .from(stopsOutside)
    .where(eq(stopsOutside.stopId, sql.placeholder("stopId")))
    .prepare(),
);

export function listOutside(store: Store, stopId: string): OutsideRow[] {
  return outsideOf(store).all({ stopId });
}

export type StopsBetween = { accountId: string; keyHash: string; sinceMs: number; untilMs: number };

/** Whether any stop that covers what this key has placed came between these times, whatever became of it. */
export function hasStopSince(store: Store, { accountId, keyHash, sinceMs, untilMs }: StopsBetween): boolean {
  const isBetween = between(stops.createdAtMs, sinceMs, untilMs);
  return store
    .select(COLUMNS)
    .from(stops)
    .where(and(eq(stops.accountId, accountId), isBetween))
    .all()
    .some((stop) => covers(store, stop, keyHash));
}

/** How many stops that were asked for, over what this key places, are ended by now: one more has come and gone since. */
export function countEndedStops(store: Store, accountId: string, keyHash: string): number {
  const ended = listEnded(store, accountId, { sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER });
  return ended.filter((stop) => covers(store, stop, keyHash)).length;
}

type Ended = Pick<StopsBetween, "sinceMs" | "untilMs">;

/** Whether a stop of the account was ended between these times, whomever it covered. */
export function endedStopSince(store: Store, accountId: string, ended: Ended): boolean {
  return listEnded(store, accountId, ended).length > 0;
}

function listEnded(store: Store, accountId: string, { sinceMs, untilMs }: Ended): Stop[] {
  const isEnded = between(stops.resumedAtMs, sinceMs, untilMs);
  const isOf = and(eq(stops.accountId, accountId), eq(stops.cause, "asked"), isEnded);
  return store.select(COLUMNS).from(stops).where(isOf).all();
}

/** Whether a stop that stands takes away what could only make a position smaller as well. */
export function isUnprotectedByStop(store: Store, accountId: string, keyHash: string): boolean {
  return listStandingStops(store, accountId).some(({ id }) => {
    const stop = findStop(store, id);
    return stop !== null && !stop.keepsProtection && covers(store, stop, keyHash);
  });
}
