/** Payments of funding and transfers, kept for good; and how far they have been read. */
import { and, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { isWithin, type Looked, type RowPlace, type Span, spanOf, type Times } from "./looked-through.ts";
import type { Store } from "./open.ts";
import { assignments, columnsOf, placeholders, prepared } from "./prepared.ts";
import { fundingPayments, ledgerCursors, transfers } from "./schema-record.ts";

export type StoredFunding = typeof fundingPayments.$inferSelect;
export type StoredTransfer = typeof transfers.$inferSelect;
export type LedgerList = "funding" | "transfers";
export type LedgerCursor = typeof ledgerCursors.$inferSelect;

const insertFunding = prepared((store) =>
  store.insert(fundingPayments).values(placeholders(fundingPayments)).onConflictDoNothing().prepare(),
);

/** Adds payments that are new and leaves those that are known. */
export function insertFundingPayments(store: Store, rows: readonly StoredFunding[]): void {
  for (const row of rows) insertFunding(store).run(row);
}

const insertTransfer = prepared((store) =>
  store.insert(transfers).values(placeholders(transfers)).onConflictDoNothing().prepare(),
);

/** Adds transfers that are new and leaves those that are known. */
export function insertTransfers(store: Store, rows: readonly StoredTransfer[]): void {
  for (const row of rows) insertTransfer(store).run(row);
}

const cursorOf = prepared((store) =>
  store
    .select()
    .from(ledgerCursors)
    .where(
      and(eq(ledgerCursors.accountId, sql.placeholder("accountId")), eq(ledgerCursors.list, sql.placeholder("list"))),
    )
    .prepare(),
);

/** Null before the first reading. */
export function findLedgerCursor(store: Store, accountId: string, list: LedgerList): LedgerCursor | null {
  return cursorOf(store).get({ accountId, list }) ?? null;
}

const putCursor = prepared((store) =>
  store
    .insert(ledgerCursors)
    .values(placeholders(ledgerCursors))
    .onConflictDoUpdate({
      target: [ledgerCursors.accountId, ledgerCursors.list],
      set: assignments(ledgerCursors, ["fromMs", "newestMs", "readToMs"]),
    })
    .prepare(),
);

export function putLedgerCursor(store: Store, cursor: LedgerCursor): void {
  putCursor(store).run(cursor);
}

export type LedgerPage = Times & {
  accountId: string;
  /** Canonical name; null for all. */
  market: string | null;
  /** Rows after this one in the listing. */
  after: RowPlace | null;
  limit: number;
};

/** Funding payments, newest first, then by id descending. Up to one row past `limit`: it tells that there is more. */
export function listFunding(
  store: Store,
  { accountId, market, after, limit, ...times }: LedgerPage,
): Looked<StoredFunding> {
  const { timeMs: atMs, id } = fundingPayments;
  const isOfMarket = market === null ? undefined : eq(fundingPayments.market, market);
  const is = and(eq(fundingPayments.accountId, accountId), isOfMarket);
  const rows = store
    .select()
    .from(fundingPayments)
    .where(isWithin({ table: fundingPayments, atMs, id, is }, spanOf(times, after)))
    .orderBy(desc(atMs), desc(id))
    .limit(limit + 1)
    .all();
  return { rows, lookedTo: null };
}

/** Transfers, newest first, then by id descending. Up to one row past `limit`: it tells that there is more. */
export function listTransfers(
  store: Store,
  { accountId, after, limit, ...times }: Omit<LedgerPage, "market">,
): Looked<StoredTransfer> {
  const span = spanOf(times, after);
  const rows = store
    .select()
    .from(transfers)
    .where(isTransferWithin(accountId, span))
    .orderBy(desc(transfers.timeMs), desc(transfers.id))
    .limit(limit + 1)
    .all();
  return { rows, lookedTo: null };
}

function isTransferWithin(accountId: string, span: Span): SQL | undefined {
  const { timeMs: atMs, id } = transfers;
  return isWithin({ table: transfers, atMs, id, is: eq(transfers.accountId, accountId) }, span);
}

/** Transfers whose worth one answer adds up. */
const MAX_VALUES = 10_000;

export type TransferValue = Pick<StoredTransfer, "kind" | "told" | "timeMs" | "value">;

/** After the first time and up to the other; null for more than are added up. */
export function listTransferValues(
  store: Store,
  accountId: string,
  { afterMs, toMs }: { afterMs: number; toMs: number },
): TransferValue[] | null {
  const rows = store
    .select(columnsOf(transfers, ["kind", "told", "timeMs", "value"]))
    .from(transfers)
    .where(and(eq(transfers.accountId, accountId), gt(transfers.timeMs, afterMs), lte(transfers.timeMs, toMs)))
    .limit(MAX_VALUES + 1)
    .all();
  return rows.length > MAX_VALUES ? null : rows;
}

const newFunding = prepared((store) =>
  store
    .select(columnsOf(fundingPayments, ["timeMs", "market", "amount"]))
    .from(fundingPayments)
    .where(
      and(
        eq(fundingPayments.accountId, sql.placeholder("accountId")),
        gt(fundingPayments.timeMs, sql.placeholder("afterMs")),
      ),
    )
    .prepare(),
);

const newTransfers = prepared((store) =>
  store
    .select(columnsOf(transfers, ["timeMs", "kind", "token", "amount", "fee", "value", "told"]))
    .from(transfers)
    .where(and(eq(transfers.accountId, sql.placeholder("accountId")), gt(transfers.timeMs, sql.placeholder("afterMs"))))
    .prepare(),
);

export type NewPayment = Pick<StoredFunding, "timeMs" | "market" | "amount">;
export type NewTransfer = Pick<StoredTransfer, "timeMs" | "kind" | "token" | "amount" | "fee" | "value" | "told">;

/** Payments of funding that are known from after a time, exchange time, unix milliseconds. */
export function listNewPayments(store: Store, accountId: string, afterMs: number): NewPayment[] {
  return newFunding(store).all({ accountId, afterMs });
}

/** Transfers that are known from after a time, exchange time, unix milliseconds. */
export function listNewTransfers(store: Store, accountId: string, afterMs: number): NewTransfer[] {
  return newTransfers(store).all({ accountId, afterMs });
}
