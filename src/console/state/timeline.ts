/**
 * The line of time: what events keep, and pages that are read as they are scrolled to. What is asked for by day, market and bot
 * the gateway filters; of a million rows the page holds the last six thousand that were read.
 */

import { type Filter, type HistoryEntry, matches, merged } from "../../core/history.ts";
import { PAGE_ROWS, request } from "../api/request.ts";
import type { App } from "./app.ts";
import type { State } from "./state.ts";
import {
  askedOf,
  botNames,
  createdAt,
  keyOf,
  NEVER,
  newTimeline,
  olderOf,
  operationAt,
  type Parts,
  queryOf,
  READ_FROM,
  sourcesOf,
  type Timeline,
  type TimelineSource,
} from "./timeline-lists.ts";

export type ShownTimeline = { entries: HistoryEntry[]; hasMore: boolean };

/** Every entry since the time up to which all lists are whole; older ones of a single list would look like all there was. */
export function timelineOf({ history, operations, fills, timeline }: Parts): ShownTimeline {
  const { placedBy, before, filter } = timeline;
  const read = olderOf(timeline).flatMap(({ rows, cursor }) => [rows, cursor]);
  const told = [history.value, operations.value, fills, fills.version, fills.isCut, placedBy.size];
  const made = [before, ...told, ...Object.values(filter), ...read];
  return shownOf(made, () => show({ history, operations, fills, timeline }));
}

/** Scrolling draws every frame, and thousands of rows are merged only where one of them is new. */
const shownOf = keptWhileSame<ShownTimeline>();
const filteredOf = keptWhileSame<HistoryEntry[]>();

function keptWhileSame<Value>(): (made: readonly unknown[], make: () => Value) => Value {
  let kept: { made: readonly unknown[]; value: Value } | null = null;
  return (made, make) => {
    if (kept?.made.length !== made.length || kept.made.some((part, index) => part !== made[index]))
      kept = { made, value: make() };
    return kept.value;
  };
}

function show(parts: Parts): ShownTimeline {
  const sources = sourcesOf(parts);
  // A list of which nothing has been read keeps nobody from seeing the others; that there is more is said.
  const since =
    sources
      .map((source) => (source.since === NEVER && askedOf(parts.timeline.filter) === "" ? "" : source.since))
      .toSorted()
      .at(-1) ?? "";
  const { before } = parts.timeline;
  const entries = merged(sources.map((source) => source.entries())).filter(
    ({ at }) => at >= since && (before === "" || at <= before),
  );
  return { entries, hasMore: sources.some((source) => source.since !== "") };
}

export function filtered(state: State, entries: readonly HistoryEntry[]): HistoryEntry[] {
  const { filter } = state.timeline;
  const nameOf = botNames(state);
  return filteredOf([entries, state.keys.value, ...Object.values(filter)], () =>
    entries.filter((entry) => matches(entry, filter, nameOf)),
  );
}

/** Another question begins anew: what was read under the last one is no answer to it. */
export async function changeFilter(app: App, change: Partial<Filter>): Promise<void> {
  const before = app.state.timeline;
  const filter = { ...before.filter, ...change };
  const isHeld = before.before === "" && !before.isSifted;
  if (isHeld && askedOf(filter) === askedOf(before.filter)) {
    before.filter = filter;
    app.changed();
    return;
  }
  app.state.timeline = { ...newTimeline(filter), placedBy: before.placedBy };
  app.changed();
  if (askedOf(filter) !== "") await readOlder(app);
}

/** Back to the newest rows, which were put away. */
export function readNewest(app: App): void {
  const { filter, placedBy } = app.state.timeline;
  app.state.timeline = { ...newTimeline(filter), placedBy };
  app.changed();
  if (askedOf(filter) !== "") void readOlder(app);
}

/** Pages that are read for one wish: where few rows fit a text, many are passed over. */
const PAGES_AT_ONCE = 12;
/** Rows that fit, with which a wish is fulfilled. */
const ENOUGH_ROWS = 100;

/** Further pages, each of the list that is whole for the shortest time, until there is something to see. */
export async function readOlder(app: App): Promise<void> {
  const { timeline } = app.state;
  if (app.state.session === null || timeline.isReading) return;
  timeline.isReading = true;
  app.changed();
  const rows = () => timeline.putAway + filtered(app.state, timelineOf(app.state).entries).length;
  const before = rows();
  for (let page = 0; page < PAGES_AT_ONCE; page += 1) {
    const isRead = await readNext(app);
    if (!isRead || app.state.timeline !== timeline) break;
    putAwayNewest(app);
    app.changed();
    if (rows() - before >= ENOUGH_ROWS) break;
  }
  timeline.isReading = false;
  app.changed();
}

/** False where nothing is left, or it could not be read. */
async function readNext(app: App): Promise<boolean> {
  const open = sourcesOf(app.state).filter(({ since }) => since !== "");
  const next = open.toSorted((one, other) => (one.since < other.since ? 1 : -1))[0];
  return next === undefined ? false : readPage(app, next);
}

/** What no event tells, as the screen is opened: its newest page, with what was read before behind it. */
export async function beginHistory(app: App): Promise<void> {
  const { timeline, route, session } = app.state;
  if (route.screen !== "history" || session === null || timeline.before !== "") return;
  for (const source of sourcesOf(app.state)) {
    if (!Object.hasOwn(READ_FROM, source.kind)) continue;
    if (source.older.cursor === undefined) await readPage(app, source);
    if (app.state.timeline !== timeline) return;
  }
  app.changed();
}

async function readPage(app: App, source: TimelineSource): Promise<boolean> {
  const { session, timeline } = app.state;
  const { older, path, since } = source;
  const query = queryOf(app.state, timeline.filter);
  query.set("limit", String(PAGE_ROWS));
  if (typeof older.cursor === "string") query.set("cursor", older.cursor);
  // Behind what events keep; the row at the seam comes twice.
  else if (since !== NEVER && since !== "") query.set("until", new Date(Date.parse(since) + 1).toISOString());
  const bearer = session?.apiKey ?? null;
  const answer = await request<unknown>({ method: "GET", path: `${path}?${query.toString()}`, bearer });
  if (app.state.timeline !== timeline) return false;
  timeline.failure = answer.kind === "ok" ? null : answer.message;
  if (answer.kind !== "ok") return false;
  const ids = source.take(answer.body);
  const key = keyOf(app.state, timeline.filter.bot);
  // A list of orders does not say whose they are, and a question for one bot does.
  if (key !== null && source.kind === "order") for (const id of ids) timeline.placedBy.set(id, key.key_hash);
  return true;
}

/** Rows that are held of what was read, and rows that go at a time. */
const MAX_HELD = 6_000;
const PUT_AWAY = 3_000;

function heldRows(timeline: Timeline): number {
  return olderOf(timeline).reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Memory stays bounded however far somebody scrolls: what cannot be seen goes first, then what was seen first. */
function putAwayNewest(app: App): void {
  const { timeline } = app.state;
  if (heldRows(timeline) > MAX_HELD && (timeline.filter.text !== "" || timeline.filter.status !== "")) sift(app);
  if (heldRows(timeline) <= MAX_HELD) return;
  const rows = filtered(app.state, timelineOf(app.state).entries);
  const last = rows[Math.min(PUT_AWAY, rows.length - 1)];
  if (last === undefined) return;
  timeline.putAway += rows.filter(({ at }) => at > last.at).length;
  timeline.before = last.at;
  for (const { id } of timeline.orders.rows.filter((row) => createdAt(row) > last.at)) timeline.placedBy.delete(id);
  timeline.orders.rows = timeline.orders.rows.filter((row) => createdAt(row) <= last.at);
  timeline.fills.rows = timeline.fills.rows.filter((row) => createdAt(row) <= last.at);
  timeline.operations.rows = timeline.operations.rows.filter((row) => operationAt(row) <= last.at);
  timeline.funding.rows = timeline.funding.rows.filter((row) => createdAt(row) <= last.at);
  timeline.transfers.rows = timeline.transfers.rows.filter((row) => createdAt(row) <= last.at);
  timeline.audit.rows = timeline.audit.rows.filter((row) => createdAt(row) <= last.at);
}

function sift({ state }: App): void {
  const { timeline } = state;
  const fitting = new Set(filtered(state, timelineOf(state).entries).map(({ id }) => id));
  for (const id of timeline.orders.rows.map((row) => row.id)) if (!fitting.has(id)) timeline.placedBy.delete(id);
  for (const older of olderOf(timeline)) older.rows = older.rows.filter(({ id }) => fitting.has(id));
  timeline.isSifted = true;
}
