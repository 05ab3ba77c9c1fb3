/** The line of time: the newest rows are kept by events, older ones are read as they are scrolled to. */
import { PAGE_ROWS, request } from "../api/request.ts";
import type { ApiKey, List, Operation, Order } from "../api/resources.ts";
import { shortId } from "../figures/format.ts";
import {
  type Entry,
  type Filter,
  fillEntry,
  matches,
  merged,
  NO_FILTER,
  operationEntry,
  orderEntry,
  takenAt,
} from "../figures/timeline.ts";
import type { App } from "./app.ts";
import type { State } from "./state.ts";

/** Pages of one list that were read by hand. */
export type Older<Item> = {
  rows: readonly Item[];
  /** Where the next page begins; undefined before the first, null behind the last. */
  cursor: string | null | undefined;
};

export type Timeline = {
  filter: Filter;
  orders: Older<Order>;
  operations: Older<Operation>;
  /** Order to the hash of the key that placed it, where events or a question for one bot have told it. */
  placedBy: Map<string, string>;
  isReading: boolean;
  failure: string | null;
};

export function newTimeline(): Timeline {
  return {
    filter: { ...NO_FILTER },
    orders: { rows: [], cursor: undefined },
    operations: { rows: [], cursor: undefined },
    placedBy: new Map(),
    isReading: false,
    failure: null,
  };
}

/** Rows of the lists that events keep; fewer than that were all of them. */
const KEPT_ROWS = 200;

type Dated<Item> = { item: Item; at: string };

/** What events keep and what was read by hand, each once, newest first; and up to when it is whole (empty: to its beginning). */
function whole<Item extends { id: string }>(
  kept: readonly Item[],
  { rows, cursor }: Older<Item>,
  atOf: (item: Item) => string,
): { items: Dated<Item>[]; since: string } {
  const known = new Set(kept.map(({ id }) => id));
  const all = [...kept, ...rows.filter(({ id }) => !known.has(id))];
  const items = all.map((item) => ({ item, at: atOf(item) })).sort((one, other) => (one.at < other.at ? 1 : -1));
  const isWhole = cursor === null || (cursor === undefined && kept.length < KEPT_ROWS);
  return { items, since: isWhole ? "" : (items.at(-1)?.at ?? "") };
}

export type Shown = { entries: Entry[]; hasMore: boolean };

/** Every entry since the time up to which all lists are whole; older ones of a single list would look like all there was. */
export function timelineOf({ history, operations, fills, timeline }: State): Shown {
  const made = [
    history.value,
    operations.value,
    fills,
    fills.version,
    timeline.placedBy.size,
    timeline.orders.rows,
    timeline.operations.rows,
  ];
  return shownOf(made, () => show({ history, operations, fills, timeline }));
}

/** Scrolling draws every frame, and thousands of rows are merged only where one of them is new. */
const shownOf = keptWhileSame<Shown>();
const filteredOf = keptWhileSame<Entry[]>();

function keptWhileSame<Value>(): (made: readonly unknown[], make: () => Value) => Value {
  let kept: { made: readonly unknown[]; value: Value } | null = null;
  return (made, make) => {
    if (kept?.made.length !== made.length || kept.made.some((part, index) => part !== made[index]))
      kept = { made, value: make() };
    return kept.value;
  };
}

function show({
  history,
  operations,
  fills,
  timeline,
}: Pick<State, "history" | "operations" | "fills" | "timeline">): Shown {
  const orders = whole(history.value ?? [], timeline.orders, ({ created_at: at }) => at);
  const acts = whole(operations.value ?? [], timeline.operations, ({ id }) => takenAt(id));
  const since = [orders.since, acts.since].toSorted().at(-1) ?? "";
  const keys = new Map(fills.rows.map(({ fill }) => [fill.order_id, fill.key_hash]));
  const lists = [
    orders.items.map(({ item }) => orderEntry(item, timeline.placedBy.get(item.id) ?? keys.get(item.id) ?? null)),
    fills.rows.map(({ fill }) => fillEntry(fill)),
    acts.items.map(({ item }) => operationEntry(item)),
  ];
  return { entries: merged(lists).filter(({ at }) => at >= since), hasMore: since !== "" };
}

/** Orders of one bot that are asked for at most, in pages. */
const MAX_PAGES = 20;

/** A list of orders does not say whose they are, and a question for one bot does. */
export async function chooseBot(app: App, bot: string): Promise<void> {
  const { timeline, keys } = app.state;
  changeFilter(app, { bot });
  const nameOf = botNames(app.state);
  const key = keys.value?.find(({ key_hash: hash }) => nameOf(hash) === bot);
  if (key === undefined) return;
  const whose = key.limits === null ? `key_hash=${key.key_hash}` : `bot=${encodeURIComponent(bot)}`;
  const found: Older<Order> = { rows: [], cursor: undefined };
  for (let page = 0; page < MAX_PAGES && found.cursor !== null; page += 1) {
    await readPage(app, found, `/v1/orders?limit=${PAGE_ROWS}&${whose}`);
    if (app.state.timeline !== timeline || timeline.failure !== null || timeline.filter.bot !== bot) return;
    for (const { id } of found.rows) timeline.placedBy.set(id, key.key_hash);
    app.changed();
  }
}

/** By bot, or by the front of the hash of a key without one; the key that this page holds by that. */
export function botNames({ keys, session }: State): (keyHash: string | null) => string {
  const own = session?.me.key_hash;
  const nameOf = (key: ApiKey) => key.limits?.bot ?? (key.key_hash === own ? "this page" : shortId(key.key_hash));
  const names = new Map((keys.value ?? []).map((key) => [key.key_hash, nameOf(key)]));
  return (keyHash) => (keyHash === null ? "" : (names.get(keyHash) ?? shortId(keyHash)));
}

export function filtered(state: State, entries: readonly Entry[]): Entry[] {
  const { filter } = state.timeline;
  const nameOf = botNames(state);
  return filteredOf([entries, state.keys.value, ...Object.values(filter)], () =>
    entries.filter((entry) => matches(entry, filter, nameOf)),
  );
}

export function changeFilter(app: App, change: Partial<Filter>): void {
  Object.assign(app.state.timeline.filter, change);
  app.changed();
}

/** Another page of the list that is whole for the shortest time. */
export async function readOlder(app: App): Promise<void> {
  const { timeline, history, operations, session } = app.state;
  if (session === null || timeline.isReading) return;
  const orders = whole(history.value ?? [], timeline.orders, ({ created_at: at }) => at);
  const acts = whole(operations.value ?? [], timeline.operations, ({ id }) => takenAt(id));
  if (orders.since === "" && acts.since === "") return;
  timeline.isReading = true;
  app.changed();
  if (orders.since >= acts.since) await readPage(app, timeline.orders, `/v1/orders?limit=${PAGE_ROWS}`);
  else await readPage(app, timeline.operations, `/v1/operations?limit=${PAGE_ROWS}`);
  timeline.isReading = false;
  app.changed();
}

async function readPage<Item>(app: App, older: Older<Item>, path: string): Promise<void> {
  const { session, timeline } = app.state;
  const after = typeof older.cursor === "string" ? `&cursor=${encodeURIComponent(older.cursor)}` : "";
  const answer = await request<List<Item>>({ method: "GET", path: `${path}${after}`, bearer: session?.apiKey ?? null });
  if (app.state.timeline !== timeline) return;
  timeline.failure = answer.kind === "ok" ? null : answer.message;
  if (answer.kind !== "ok") return;
  older.rows = [...older.rows, ...answer.body.data];
  older.cursor = answer.body.next_cursor;
}
