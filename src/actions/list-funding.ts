import { API_NETWORK } from "../core/account.ts";
import { type Page, pageLooked } from "../core/page.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { wholeToMs } from "../settle/ledger/index-ledger.ts";
import { findLedgerCursor, type LedgerList, listFunding as listStored, type StoredFunding } from "../store/ledger.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { marketNamed } from "./list-filter.ts";
import { requirePlace } from "./list-place.ts";

export type ListFunding = {
  sinceMs: number | null;
  untilMs: number | null;
  /** Null for all. */
  market: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
};

/** `GET /v1/funding`: newest first, from the local index, which keeps what the exchange forgets. */
export function listFunding(
  deps: With<"exchange" | "markets" | "store">,
  { account }: Caller,
  wanted: ListFunding,
): ReadAnswer {
  const { sinceMs, untilMs, cursor, limit } = wanted;
  const market = marketNamed(deps, wanted.market);
  const after = requirePlace(cursor);
  const looked = listStored(deps.store, { accountId: account.id, sinceMs, untilMs, market, after, limit });
  const page = pageLooked(looked, limit, (row) => row.id);
  return {
    body: ledgerText(deps, { accountId: account.id, list: "funding" }, pageOf(page, fundingResource)),
    asOfMs: null,
  };
}

type ListedPage = { data: readonly unknown[]; nextCursor: string | null };

export function pageOf<Row>({ rows, nextCursor }: Page<Row>, tell: (row: Row) => unknown): ListedPage {
  return { data: rows.map(tell), nextCursor };
}

/** A page, and from when to when its list is whole: null where it has not been read to its end yet. */
export function ledgerText(
  { exchange, store }: With<"exchange" | "store">,
  { accountId, list }: { accountId: string; list: LedgerList },
  { data, nextCursor }: ListedPage,
): string {
  const cursor = findLedgerCursor(store, accountId, list);
  const wholeMs = wholeToMs(cursor, exchange.nowMs());
  return JSON.stringify({
    object: "list",
    data,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
    complete_from: cursor === null || wholeMs === null ? null : isoTime(cursor.fromMs),
    complete_to: wholeMs === null ? null : isoTime(wholeMs),
  });
}

export function fundingResource(payment: StoredFunding) {
  const colon = payment.market.indexOf(":");
  return {
    object: "funding_payment" as const,
    id: payment.id,
    account: payment.accountId,
    network: API_NETWORK,
    dex: colon === -1 ? "" : payment.market.slice(0, colon),
    market: payment.market,
    amount: payment.amount,
    position: payment.position,
    funding_rate: payment.rate,
    samples: payment.samples,
    transaction_hash: payment.transactionHash,
    created_at: isoTime(payment.timeMs),
  };
}
