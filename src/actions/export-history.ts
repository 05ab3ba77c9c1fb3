/** The line of time as a file: what the lists show, merged newest first, and of that what fits a kind, a status and a text. */
import type { Account } from "../core/account.ts";
import {
  auditEntry,
  fillEntry,
  fundingEntry,
  type HistoryEntry,
  KINDS,
  type Kind,
  matches,
  NO_FILTER,
  operationEntry,
  orderEntry,
  transferEntry,
} from "../core/history.ts";
import { orderResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { botOf } from "../store/bots.ts";
import { lookForFills } from "../store/fills.ts";
import { listFunding, listTransfers } from "../store/ledger.ts";
import { lookForOrders } from "../store/listed-orders.ts";
import type { Looked, RowPlace } from "../store/looked-through.ts";
import { lookForOperations } from "../store/operations.ts";
import { auditResource, lookForAudit, placeOf } from "./list-audit.ts";
import { fillResource } from "./list-fills.ts";
import type { ListFilter } from "./list-filter.ts";
import { fundingResource } from "./list-funding.ts";
import { listedOperation } from "./list-operations.ts";
import { transferResource } from "./list-transfers.ts";

/** As it was asked for; empty members ask for nothing. */
export type WantedHistory = { kind: Kind | ""; status: string; text: string };

export const ALL_OF_IT: WantedHistory = { kind: "", status: "", text: "" };

export type HistoryRow = ReturnType<typeof rowOf>;

/** Rows of one list that are read at a time. */
const PAGE_ROWS = 64;
/** Lines that are told at a time, of those that were looked at. */
const LINES_AT_ONCE = 128;

type HistorySource = { kind: Kind; entries: HistoryEntry[]; after: RowPlace | null; isRead: boolean };

/** The next lines, none where a page had none that fit; null at the end. */
export function openHistory(
  { store }: With<"store">,
  { id: accountId }: Account,
  { wanted, filter }: { wanted: WantedHistory; filter: ListFilter },
): () => HistoryRow[] | null {
  const kinds = KINDS.filter((kind) => (wanted.kind === "" || wanted.kind === kind) && isAnswered(kind, filter));
  const sources = kinds.map((kind): HistorySource => ({ kind, entries: [], after: null, isRead: false }));
  const asked = { ...NO_FILTER, status: wanted.status, text: wanted.text };
  return () => {
    for (const source of sources.filter(isHungry)) readPage(store, { accountId, filter, source });
    const lines = takeNewest(sources);
    if (lines.length === 0) return sources.some(isHungry) ? [] : null;
    return lines.filter((entry) => matches(entry, asked, () => "")).map((entry) => rowOf(store, accountId, entry));
  };
}

/** Funding is of a market, transfers of none, and neither of a key. */
function isAnswered(kind: Kind, { market, keyHashes }: ListFilter): boolean {
  if (kind === "transfer") return market === null && keyHashes === null;
  return kind !== "funding" || keyHashes === null;
}

/** Where filters leave little a page may have nothing, and the next something. */
function isHungry({ entries, isRead }: HistorySource): boolean {
  return entries.length === 0 && !isRead;
}

/** Up to where a list that goes on has no more of its page: what comes of it then may be newer than the others' next. */
function takeNewest(sources: readonly HistorySource[]): HistoryEntry[] {
  const lines: HistoryEntry[] = [];
  while (lines.length < LINES_AT_ONCE) {
    if (sources.some(isHungry)) break;
    const newest = sources.reduce<HistorySource | null>(
      (best, source) => (isNewer(source, best) ? source : best),
      null,
    );
    const line = newest?.entries.shift();
    if (line === undefined) break;
    lines.push(line);
  }
  return lines;
}

/** Of two at one time the earlier list's is first. */
function isNewer({ entries: [next] }: HistorySource, best: HistorySource | null): boolean {
  return next !== undefined && next.at > (best?.entries[0]?.at ?? "");
}

type HistoryRequest = { accountId: string; filter: ListFilter; source: HistorySource };

function readPage(store: With<"store">["store"], asked: HistoryRequest): void {
  const { source } = asked;
  const { entries, next } = pageOf(store, asked);
  source.entries = entries;
  source.after = next;
  source.isRead = next === null;
}

function pageOf(store: With<"store">["store"], { accountId, filter, source: { kind, after } }: HistoryRequest) {
  const limit = PAGE_ROWS;
  const created = after === null ? null : { createdAtMs: after.atMs, id: after.id };
  switch (kind) {
    case "order": {
      const page = { accountId, status: null, dex: null, after: created, limit, filter };
      return cut(
        lookForOrders(store, page),
        ({ createdAtMs: atMs, id }) => ({ atMs, id }),
        (order) => orderEntry(orderResource(order), order.keyHash),
      );
    }
    case "operation": {
      const page = { accountId, action: null, status: null, after: created, limit, filter };
      return cut(
        lookForOperations(store, page),
        ({ createdAtMs: atMs, id }) => ({ atMs, id }),
        (operation) => operationEntry(listedOperation(operation)),
      );
    }
    case "fill": {
      const from = after === null ? null : { timeMs: after.atMs, id: after.id };
      const looked = lookForFills(store, { accountId, after: from, limit, filter });
      return cut(
        looked,
        ({ fill: { timeMs: atMs, id } }) => ({ atMs, id }),
        (fill) => fillEntry(fillResource(fill)),
      );
    }
    case "funding": {
      const looked = listFunding(store, { accountId, after, limit, ...filter });
      return cut(
        looked,
        ({ timeMs: atMs, id }) => ({ atMs, id }),
        (payment) => fundingEntry(fundingResource(payment)),
      );
    }
    case "transfer": {
      const looked = listTransfers(store, { accountId, after, limit, ...filter });
      return cut(
        looked,
        ({ timeMs: atMs, id }) => ({ atMs, id }),
        (transfer) => transferEntry(transferResource(transfer)),
      );
    }
    case "audit": {
      const place = after === null ? null : placeOf(after.id);
      const looked = lookForAudit(store, { accountId, after: place, limit, filter });
      return cut(
        looked,
        ({ atMs, id }) => ({ atMs, id: `${atMs}-${id}` }),
        (row) => auditEntry(auditResource({ store }, accountId, row)),
      );
    }
  }
}

function cut<Row>(
  { rows, lookedTo }: Looked<Row>,
  placeOfRow: (row: Row) => RowPlace,
  tell: (row: Row) => HistoryEntry,
) {
  const shown = rows.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const next = rows.length > PAGE_ROWS && last !== undefined ? placeOfRow(last) : lookedTo;
  return { entries: shown.map(tell), next };
}

function rowOf(store: With<"store">["store"], account: string, { keyHash, orderId, ...entry }: HistoryEntry) {
  const bot = keyHash === null ? null : botOf(store, keyHash);
  return { account, ...entry, bot, key_hash: keyHash, order_id: orderId };
}
