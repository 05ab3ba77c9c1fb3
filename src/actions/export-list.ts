/** The lists of the record as files: just what the lists show under the same filters, whole, a page at a time. */
import type { Account } from "../core/account.ts";
import { auditFacts, factWords } from "../core/audit-words.ts";
import { type CsvCell, csvLine } from "../core/csv.ts";
import { keyAsSent } from "../core/idempotency.ts";
import type { OrderStatus } from "../core/order.ts";
import { orderResource } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { lookForFills } from "../store/fills.ts";
import { listFunding, listTransfers } from "../store/ledger.ts";
import { lookForOrders } from "../store/listed-orders.ts";
import type { Looked, RowPlace } from "../store/looked-through.ts";
import { lookForOperations, type StoredOperation } from "../store/operations.ts";
import type { StoredOrder } from "../store/orders.ts";
import { openHistory, type WantedHistory } from "./export-history.ts";
import { performancePage } from "./get-performance.ts";
import { auditResource, lookForAudit, placeOf } from "./list-audit.ts";
import { type EquityResolution, equityPage } from "./list-equity.ts";
import { fillResource } from "./list-fills.ts";
import { filterOf, type ListFilter, type WantedFilter } from "./list-filter.ts";
import { fundingResource } from "./list-funding.ts";
import { listedOperation } from "./list-operations.ts";
import { transferResource } from "./list-transfers.ts";

export const EXPORTED_LISTS = [
  "orders",
  "fills",
  "operations",
  "funding",
  "transfers",
  "equity",
  "performance",
  "audit",
  "history",
] as const;
export type ExportedList = (typeof EXPORTED_LISTS)[number];
export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type ExportRow = Readonly<Record<string, CsvCell>>;

/** Stable: a new one is added at the end. */
const COLUMNS: Readonly<Record<ExportedList, readonly string[]>> = {
  orders: columns(
    "id,account,market,side,size,price,time_in_force,reduce_only,trigger_price,trigger_kind,trigger_market,status",
    "exchange_order_id,filled_size,average_price,error,created_at,key_hash,idempotency_key",
  ),
  fills: columns(
    "id,account,dex,market,order_id,key_hash,exchange_order_id,side,price,size,liquidity,fee,fee_token,builder_fee",
    "realized_pnl,start_position,direction,twap_id,liquidation,transaction_hash,created_at",
  ),
  operations: columns(
    "id,account,action,status,exchange_id,error,market,key_hash,leverage,margin_type,amount,side,size",
    "duration_minutes,randomize,reduce_only,twap_id,created_at",
  ),
  funding: columns("id,account,dex,market,amount,position,funding_rate,samples,transaction_hash,created_at"),
  equity: columns("account,from,to,open,close,transfers,profit,unpriced"),
  performance: columns(
    "account,day,market,bot,key_hash,attributed,fills,volume,fees,builder_fees,funding,realized_pnl,net_pnl",
  ),
  audit: columns("id,account,actor,key_hash,event,reference,order_id,facts,created_at"),
  history: columns("at,kind,market,side,size,price,status,bot,fee,realized,words,order_id,id,key_hash,account"),
  transfers: columns("id,account,type,token,amount,fee,value,counterparty,transaction_hash,created_at"),
};

function columns(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(","));
}

export type WantedExport = {
  list: ExportedList;
  format: ExportFormat;
  filter: WantedFilter;
  /** Of orders, as they are kept here; null for all. */
  status: OrderStatus | null;
  /** Of equity: how long a row is. */
  resolution: EquityResolution;
  /** Of equity: dexes that its samples count for certain, besides the native one. */
  dexes: readonly string[];
  /** Of the history: what is left of it. */
  history: WantedHistory;
};

/** Rows that are read, and held in memory, at a time. */
const PAGE_ROWS = 64;

/** A file in the making. */
export type Export = {
  /** The names of the columns; empty where each row has them. */
  head: string;
  /** The next rows, `""` where a page had none; null at the end. */
  next(): string | null;
};

export type ExportAsker = {
  account: Account;
  /** The key that asks; null for the owner of the machine. */
  keyHash: string | null;
};

/** A key that is withdrawn opens nothing more, the rest of a file included. */
function requireOpen({ store }: With<"store">, keyHash: string | null): void {
  const key = keyHash === null ? null : findApiKey(store, keyHash);
  if (keyHash === null || (key?.state === "active" && key.fault === null)) return;
  throw new Error("the key of an export was withdrawn");
}

const ALL: ListFilter = { sinceMs: null, untilMs: null, market: null, keyHashes: null };

export function exportOf(
  deps: With<"store"> & { markets: Pick<With<"markets">["markets"], "current"> },
  { account, keyHash }: ExportAsker,
  { list, format, filter: wanted, ...asked }: WantedExport,
): Export {
  const names = COLUMNS[list];
  const filter = filterOf(deps, { account }, wanted) ?? ALL;
  const read =
    list === "history"
      ? openHistory(deps, account, { wanted: asked.history, filter })
      : openList(deps, account, { list, filter, ...asked });
  return {
    head: format === "csv" ? csvLine(names) : "",
    next() {
      requireOpen(deps, keyHash);
      return (
        read()
          ?.map((row) => lineOf(names, row, format))
          .join("") ?? null
      );
    },
  };
}

function openList(deps: With<"store">, account: Account, asked: Omit<PageRequest, "after">): () => ExportRow[] | null {
  let after: RowPlace | null = null;
  let isOver = false;
  return () => {
    if (isOver) return null;
    const page = pageOf(deps, account, { ...asked, after });
    after = page.next;
    isOver = after === null;
    return page.rows.length === 0 && isOver ? null : page.rows;
  };
}

function lineOf(names: readonly string[], row: ExportRow, format: ExportFormat): string {
  const cells = names.map((name) => row[name] ?? null);
  if (format === "csv") return csvLine(cells);
  return `${JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])))}\n`;
}

type PageRequest = Pick<WantedExport, "dexes" | "status" | "resolution"> & {
  list: Exclude<ExportedList, "history">;
  filter: ListFilter;
  after: RowPlace | null;
};

function pageOf(deps: With<"store">, { id: accountId }: Account, asked: PageRequest): ExportPage {
  const { store } = deps;
  const { list, filter, status, after } = asked;
  const limit = PAGE_ROWS;
  switch (list) {
    case "orders": {
      const page = { accountId, status, dex: null, after: createdBefore(after), limit, filter };
      return cut(lookForOrders(store, page), createdAt, orderRow);
    }
    case "operations": {
      const page = { accountId, action: null, status: null, after: createdBefore(after), limit, filter };
      return cut(lookForOperations(store, page), createdAt, listedOperation);
    }
    case "fills": {
      const from = after === null ? null : { timeMs: after.atMs, id: after.id };
      const looked = lookForFills(store, { accountId, after: from, limit, filter });
      return cut(looked, ({ fill }) => timed(fill), fillResource);
    }
    // What is no key's has no rows for one.
    case "funding":
      return cut(listFunding(store, { accountId, after, limit, ...filter }), timed, fundingResource);
    case "transfers":
      return cut(listTransfers(store, { accountId, after, limit, ...filter }), timed, transferResource);
    case "audit":
      return auditRows(deps, accountId, asked);
    case "equity":
      return equityRows(deps, accountId, asked);
    case "performance":
      return performanceRows(deps, accountId, asked);
  }
}

type ExportPage = { rows: ExportRow[]; next: RowPlace | null };

function auditRows(deps: With<"store">, accountId: string, { filter, after }: PageRequest): ExportPage {
  const place = after === null ? null : placeOf(after.id);
  const looked = lookForAudit(deps.store, { accountId, after: place, limit: PAGE_ROWS, filter });
  return cut(
    looked,
    ({ atMs, id }) => ({ atMs, id: `${atMs}-${id}` }),
    (row) => ({ ...auditResource(deps, accountId, row), facts: factWords(auditFacts(row.detail)) }),
  );
}

function equityRows(
  deps: With<"store">,
  accountId: string,
  { filter, resolution, dexes, after }: PageRequest,
): ExportPage {
  const { sinceMs, untilMs } = filter;
  // Beside a gateway that does not run nobody knows the exchange's time.
  const nowMs = Number.POSITIVE_INFINITY;
  const wanted = { sinceMs, untilMs, resolution, after: after?.atMs ?? null, nowMs, dexes, limit: PAGE_ROWS };
  const { rows, next } = equityPage(deps, accountId, wanted);
  return {
    rows: rows.map((row) => ({ ...row, unpriced: row.unpriced.join(" ") })),
    next: next === null ? null : { atMs: next, id: "" },
  };
}

/** A place among the books is a day, and behind it the market and the key, neither of which has a tab. */
function performanceRows(deps: With<"store">, accountId: string, { filter, after }: PageRequest): ExportPage {
  const [market = "", keyHash = ""] = after?.id.split("\t") ?? [];
  const behind = after === null ? null : { day: after.atMs, market, keyHash };
  const { rows, seen } = performancePage(deps, { accountId, filter, after: behind, limit: PAGE_ROWS });
  return {
    rows: rows.map((row) => ({ account: accountId, ...row })),
    next: seen === null ? null : { atMs: seen.day, id: `${seen.market}\t${seen.keyHash}` },
  };
}

function createdBefore(after: RowPlace | null): { createdAtMs: number; id: string } | null {
  return after === null ? null : { createdAtMs: after.atMs, id: after.id };
}

function timed({ timeMs, id }: { timeMs: number; id: string }): RowPlace {
  return { atMs: timeMs, id };
}

function createdAt({ createdAtMs, id }: StoredOrder | StoredOperation): RowPlace {
  return { atMs: createdAtMs, id };
}

function cut<Found>(
  { rows, lookedTo }: Looked<Found>,
  placeOf: (row: Found) => RowPlace,
  rowOf: (row: Found) => ExportRow,
): ExportPage {
  const shown = rows.slice(0, PAGE_ROWS);
  const last = shown.at(-1);
  const next = rows.length > PAGE_ROWS && last !== undefined ? placeOf(last) : lookedTo;
  return { rows: shown.map(rowOf), next };
}

function orderRow(order: StoredOrder): ExportRow {
  const { trigger, ...rest } = orderResource(order);
  return {
    ...rest,
    trigger_price: trigger?.price ?? null,
    trigger_kind: trigger?.kind ?? null,
    trigger_market: trigger?.market ?? null,
    key_hash: order.keyHash,
    idempotency_key: order.idempotencyKey === null ? null : keyAsSent(order.idempotencyKey),
  };
}
