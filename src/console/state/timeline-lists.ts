/** The lists that make the line of time: what events keep of each, what was read of it, and how far it is whole. */

import {
  auditEntry,
  type Filter,
  fillEntry,
  fundingEntry,
  type HistoryEntry,
  type Kind,
  NO_FILTER,
  operationEntry,
  orderEntry,
  takenAt,
  transferEntry,
} from "../../core/history.ts";
import { madeOnce } from "../../core/made-once.ts";
import type {
  ApiAuditEntry,
  ApiFill,
  ApiFundingPayment,
  ApiOperation,
  ApiOrder,
  ApiTransfer,
  List,
  ListedApiKey,
} from "../api/resources.ts";
import { shortId } from "../figures/format.ts";
import type { State } from "./state.ts";

/** Pages of one list. */
export type Older<Item> = {
  rows: readonly Item[];
  /** Where the next page begins; undefined before the first, null behind the last. */
  cursor: string | null | undefined;
  /** ISO 8601 of the last row that was read, whether it is still held or not; empty before the first. */
  oldest: string;
};

export type Timeline = {
  filter: Filter;
  orders: Older<ApiOrder>;
  fills: Older<ApiFill>;
  operations: Older<ApiOperation>;
  funding: Older<ApiFundingPayment>;
  transfers: Older<ApiTransfer>;
  audit: Older<ApiAuditEntry>;
  /** Order to the hash of the key that placed it, where events or a question for one bot have told it. */
  placedBy: Map<string, string>;
  isReading: boolean;
  failure: string | null;
  /** Rows at the front that are held no longer, and the time that nothing held is newer than; empty while none are. */
  putAway: number;
  before: string;
  /** What does not fit the text or the status was let go: another text asks again. */
  isSifted: boolean;
};

export function newTimeline(filter: Filter = NO_FILTER): Timeline {
  return {
    filter: { ...filter },
    orders: emptyOlder(),
    fills: emptyOlder(),
    operations: emptyOlder(),
    funding: emptyOlder(),
    transfers: emptyOlder(),
    audit: emptyOlder(),
    placedBy: new Map(),
    isReading: false,
    failure: null,
    putAway: 0,
    before: "",
    isSifted: false,
  };
}

function emptyOlder<Item>(): Older<Item> {
  return { rows: [], cursor: undefined, oldest: "" };
}

export function olderOf({ orders, fills, operations, funding, transfers, audit }: Timeline): Older<{ id: string }>[] {
  return [orders, fills, operations, funding, transfers, audit];
}

/** Rows of the lists that events keep; fewer than that were all of them. */
const KEPT_ROWS = 200;
/** Later than everything: nothing of a list is known yet. */
export const NEVER = "~";

/** What events keep of a list; its first page, where nothing is filtered. */
type KeptList<Item> = { items: readonly Item[]; isAll: boolean; isFirstPage: boolean };

/** Up to when a list is whole; empty: to its beginning. What events keep is its first page where nothing is filtered. */
function wholeSince<Item>(
  { items, isAll, isFirstPage }: KeptList<Item>,
  older: Older<Item>,
  atOf: (item: Item) => string,
): string {
  if (older.cursor === null) return "";
  if (older.cursor !== undefined) return older.oldest;
  if (!isFirstPage) return NEVER;
  if (isAll) return "";
  return items.map(atOf).toSorted()[0] ?? NEVER;
}

/** Each once, as events tell it where both have it. */
function union<Item extends { id: string }>({ items }: KeptList<Item>, { rows }: Older<Item>): Item[] {
  const known = new Set(items.map(({ id }) => id));
  return [...items, ...rows.filter(({ id }) => !known.has(id))];
}

function newestFirst(entries: HistoryEntry[]): HistoryEntry[] {
  return entries.sort((one, other) => (one.at < other.at ? 1 : -1));
}

export type Parts = Pick<State, "history" | "operations" | "fills" | "timeline">;

/** One list of those that make the line. */
export type TimelineSource = {
  kind: Kind;
  path: string;
  older: Older<unknown>;
  /** Up to when it is whole; empty: to its beginning. */
  since: string;
  entries: () => HistoryEntry[];
  /** Another page of it; returns the ids of its rows. */
  take: (page: unknown) => string[];
};

type TimelineList<Item> = {
  kind: Kind;
  path: string;
  kept: KeptList<Item>;
  older: Older<Item>;
  atOf: (item: Item) => string;
  entryOf: (item: Item) => HistoryEntry;
};

function sourceOf<Item extends { id: string }>({
  kind,
  path,
  kept,
  older,
  atOf,
  entryOf,
}: TimelineList<Item>): TimelineSource {
  const since = wholeSince(kept, older, atOf);
  return {
    kind,
    path,
    older,
    since,
    entries: () => newestFirst(union(kept, older).map(entryOf)),
    take(page) {
      // The gateway's description promises this shape for this path.
      const { data, next_cursor: cursor } = page as List<Item>;
      const last = data.at(-1);
      const oldest = last === undefined ? older.oldest || since : atOf(last);
      Object.assign(older, { rows: [...older.rows, ...data], cursor, oldest });
      return data.map(({ id }) => id);
    },
  };
}

/** The lists that the filter is for: what has no bot or no market is none of what is asked for by one. */
export function sourcesOf({ history, operations, fills, timeline }: Parts): TimelineSource[] {
  const { filter, placedBy } = timeline;
  const isAsked = askedOf(filter) !== "";
  // A question of its own is answered by its own pages.
  const kept = <Item>(items: readonly Item[], isAll: boolean): KeptList<Item> => ({
    items,
    isAll: isAll && !isAsked,
    isFirstPage: !isAsked,
  });
  const keys = new Map(fills.rows.map(({ fill: { order_id: id, key_hash: hash } }) => [id, hash]));
  const [orders, acts] = [history.value ?? [], operations.value ?? []];
  const fillRows = fills.rows.map(({ fill }) => fill);
  const all = [
    sourceOf<ApiOrder>({
      kind: "order",
      path: "/v1/orders",
      kept: kept(orders, orders.length < KEPT_ROWS),
      older: timeline.orders,
      atOf: createdAt,
      entryOf: (item) => orderLine(item)(placedBy.get(item.id) ?? keys.get(item.id) ?? null),
    }),
    sourceOf<ApiFill>({
      kind: "fill",
      path: "/v1/fills",
      kept: kept(fillRows, !fills.isCut && !fills.isLoading),
      older: timeline.fills,
      atOf: createdAt,
      entryOf: fillLine,
    }),
    sourceOf<ApiOperation>({
      kind: "operation",
      path: "/v1/operations",
      kept: kept(acts, acts.length < KEPT_ROWS),
      older: timeline.operations,
      atOf: operationAt,
      entryOf: operationLine,
    }),
    readSource<ApiFundingPayment>("funding", timeline.funding, fundingLine),
    readSource<ApiTransfer>("transfer", timeline.transfers, transferLine),
    readSource<ApiAuditEntry>("audit", timeline.audit, auditLine),
  ];
  return all.filter(({ kind }) => (filter.kind === "" || filter.kind === kind) && isAnswered(kind, filter));
}

/** Whose an order is may be learned later; what is known of it else is never changed. */
const orderLine = madeOnce((order: ApiOrder) => {
  let line: HistoryEntry | null = null;
  return (keyHash: string | null): HistoryEntry => {
    if (line === null || line.keyHash !== keyHash) line = orderEntry(order, keyHash);
    return line;
  };
});
const fillLine = madeOnce<ApiFill, HistoryEntry>(fillEntry);
const operationLine = madeOnce<ApiOperation, HistoryEntry>(operationEntry);
const fundingLine = madeOnce<ApiFundingPayment, HistoryEntry>(fundingEntry);
const transferLine = madeOnce<ApiTransfer, HistoryEntry>(transferEntry);
const auditLine = madeOnce<ApiAuditEntry, HistoryEntry>(auditEntry);

/** Lists of which no event tells. */
export const READ_FROM = { funding: "/v1/funding", transfer: "/v1/transfers", audit: "/v1/audit" } as const;

/** No event tells of it: all that is known was read. */
function readSource<Item extends { id: string; created_at: string }>(
  kind: keyof typeof READ_FROM,
  older: Older<Item>,
  entryOf: (item: Item) => HistoryEntry,
): TimelineSource {
  const kept: KeptList<Item> = { items: [], isAll: false, isFirstPage: false };
  return sourceOf({ kind, path: READ_FROM[kind], kept, older, atOf: createdAt, entryOf });
}

/** Funding is of a market, transfers of none, and neither of a bot. */
function isAnswered(kind: Kind, { bot, market }: Filter): boolean {
  if (kind === "transfer") return bot === "" && market === "";
  return kind !== "funding" || bot === "";
}

export function createdAt({ created_at: at }: { created_at: string }): string {
  return at;
}

export function operationAt({ id, created_at: at }: ApiOperation): string {
  return at ?? takenAt(id);
}

/** By bot, or by the front of the hash of a key without one; the key that this page holds by that. */
export function botNames({ keys, session }: State): (keyHash: string | null) => string {
  const own = session?.me.key_hash;
  const nameOf = (key: ListedApiKey) => key.limits?.bot ?? (key.key_hash === own ? "this page" : shortId(key.key_hash));
  const names = new Map((keys.value ?? []).map((key) => [key.key_hash, nameOf(key)]));
  return (keyHash) => (keyHash === null ? "" : (names.get(keyHash) ?? shortId(keyHash)));
}

/** What of a filter is the gateway's to answer; empty for nothing. */
export function askedOf({ from, to, market, bot }: Filter): string {
  return [from, to, market, bot].join("");
}

const DAY_MS = 86_400_000;

/** The filter as lists and exports take it. */
export function queryOf(state: State, filter: Filter): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.from !== "") query.set("since", filter.from);
  if (filter.to !== "") query.set("until", new Date(Date.parse(filter.to) + DAY_MS).toISOString().slice(0, 10));
  if (filter.market !== "") query.set("market", filter.market);
  const key = keyOf(state, filter.bot);
  if (key?.limits === null) query.set("key_hash", key.key_hash);
  else if (key !== null) query.set("bot", filter.bot);
  return query;
}

export function keyOf(state: State, bot: string): ListedApiKey | null {
  const nameOf = botNames(state);
  return bot === "" ? null : (state.keys.value?.find(({ key_hash: hash }) => nameOf(hash) === bot) ?? null);
}
