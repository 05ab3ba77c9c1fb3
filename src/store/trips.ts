/** Days on which a bot may not increase. A row is obeyed without any proof, and one that was sealed although it is gone. */
import { createHash } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { ZERO } from "../core/decimal.ts";
import { tripResource } from "../core/rails/rails-resource.ts";
import { dayOf, type Trip } from "../core/rails/trip.ts";
import { newUuid } from "../core/uuid.ts";
import { appendAudit } from "./audit.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { rememberedOfBot } from "./remembered-of-bot.ts";
import { botTrips } from "./schema-bots.ts";
import { findSealed, listSealed, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

/** Inside the caller's transaction. */
export function insertTrip(store: Store, trip: Trip, actor: string): void {
  store.insert(botTrips).values(trip).run();
  forgetPast(store, trip.day);
  sealTrip(store, trip);
  const { id, accountId, bot, cause, day, loss, limit, createdAtMs: atMs } = trip;
  const detail = { account: accountId, id, cause, day, loss, limit };
  appendAudit(store, { atMs, actor, event: "rail_tripped", reference: bot, detail });
  tellTrip(store, trip, atMs);
}

/** Also what the audit log tells of one that was made without the passphrase, so that it cannot be taken back. */
export function sealTrip(store: Store, trip: Trip): void {
  if (findSealed(store, "trip", trip.id) === null) vouch(store, "trip", trip.id, contentOf(trip));
  forget(store);
}

/** What a bot had used and lost of this day before a restore nobody knows: all of it counts as used. Once. */
export function countDayAsUsed(
  store: Store,
  of: Pick<Trip, "accountId" | "bot">,
  { atMs, actor }: { atMs: number; actor: string },
): void {
  const day = dayOf(atMs);
  const isDone = listTrips(store, of, day).some((trip) => trip.cause === "restored" && trip.clearedAtMs === null);
  if (isDone) return;
  const named = createHash("sha256").update(`${of.accountId} ${of.bot} restored ${atMs}`).digest();
  const id = newUuid(named.subarray(0, 16));
  const trip = { id, ...of, cause: "restored", day, loss: ZERO, limit: null, createdAtMs: atMs } as const;
  insertTrip(store, { ...trip, clearedAtMs: null }, actor);
}

/** What is over need not be vouched for any more. */
function forgetPast(store: Store, day: number): void {
  for (const [id, content] of listSealed(store, "trip"))
    if (sealedTrip(content).day < day) vouch(store, "trip", id, null);
}

function tellTrip(store: Store, trip: Trip, atMs: number): void {
  const { accountId, id: resourceId } = trip;
  appendEvent(store, {
    accountId,
    atMs,
    type: "rail.tripped",
    resourceId,
    payload: JSON.stringify(tripResource(trip)),
  });
}

const isOfBot = and(eq(botTrips.accountId, sql.placeholder("accountId")), eq(botTrips.bot, sql.placeholder("bot")));
const ofBot = prepared((store) => store.select().from(botTrips).where(isOfBot).prepare());

const tripsOf = rememberedOfBot<readonly Trip[]>((store, { accountId, bot }) => {
  const lost = listLostTrips(store).filter((trip) => trip.accountId === accountId && trip.bot === bot);
  for (const trip of lost) tellFault(store, faultOf(trip));
  const gone = new Set(lost.map(({ id }) => id));
  const rows = ofBot(store).all({ accountId, bot });
  // Of one that was changed both hold: what only tightens needs no proof.
  return [...rows.filter(({ id, clearedAtMs }) => !gone.has(id) || clearedAtMs === null), ...lost];
}, rememberedAsSettled);

/** Of one day, ended or not. */
export function listTrips(store: Store, { accountId, bot }: Pick<Trip, "accountId" | "bot">, day: number): Trip[] {
  return (tripsOf.find(store, { accountId, bot }) ?? []).filter((trip) => trip.day === day);
}

/** What keeps a bot from increasing on this day; null where nothing does. */
export function findTrip(store: Store, of: Pick<Trip, "accountId" | "bot">, day: number): Trip | null {
  const trips = tripsOf.find(store, of) ?? [];
  return trips.find((trip) => trip.day === day && trip.clearedAtMs === null) ?? null;
}

/** Ends what keeps a bot from increasing; returns what was ended. */
export function clearTrips(
  store: Store,
  trips: readonly Trip[],
  { actor, atMs }: { actor: string; atMs: number },
): void {
  for (const trip of trips) {
    const cleared = { ...trip, clearedAtMs: atMs };
    store.insert(botTrips).values(cleared).onConflictDoUpdate({ target: botTrips.id, set: cleared }).run();
    if (findSealed(store, "trip", trip.id) !== null) vouch(store, "trip", trip.id, contentOf(cleared));
    const detail = { account: trip.accountId, id: trip.id };
    appendAudit(store, { atMs, actor, event: "trip_cleared", reference: trip.bot, detail });
    tellTrip(store, cleared, atMs);
  }
  forget(store);
}

/** Sealed, and not what their rows say. */
function listLostTrips(store: Store): Trip[] {
  return listSealed(store, "trip").flatMap(([id, content]) => {
    const row = store.select().from(botTrips).where(eq(botTrips.id, id)).get();
    return row !== undefined && contentOf(row) === content ? [] : [sealedTrip(content)];
  });
}

export function listTripFaults(store: Store): RowFault[] {
  return listLostTrips(store).map(faultOf);
}

function faultOf({ id, bot }: Trip): RowFault {
  return {
    kind: "trip",
    id,
    what: `the row of trip ${id} of bot ${bot} was deleted or changed from outside: it holds`,
  };
}

/** What is sealed of a trip: its row may be anybody's. */
function contentOf({ id, accountId, bot, cause, day, loss, limit, createdAtMs, clearedAtMs }: Trip): string {
  return JSON.stringify({ id, accountId, bot, cause, day, loss, limit, createdAtMs, clearedAtMs });
}

function sealedTrip(content: string): Trip {
  // Only `contentOf` makes what the seal covers.
  return JSON.parse(content) as Trip;
}
