import { API_NETWORK } from "../core/account.ts";
import { add, type Decimal, subtract, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { wholeToMs } from "../settle/ledger/index-ledger.ts";
import { type EquitySample, findSampleBefore, findSampleFrom } from "../store/equity.ts";
import { findLedgerCursor, listTransferValues, type TransferValue } from "../store/ledger.ts";
import { parseJson } from "../wire/json.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";

/** Milliseconds of one row. */
const RESOLUTIONS = { "5m": 300_000, "1h": 3_600_000, "1d": 86_400_000 } as const;
export type EquityResolution = keyof typeof RESOLUTIONS;
export const EQUITY_RESOLUTIONS = ["5m", "1h", "1d"] as const satisfies readonly EquityResolution[];

export type ListEquity = {
  sinceMs: number | null;
  untilMs: number | null;
  resolution: EquityResolution;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
};

/** From one sample to the next: `close` is the first of the next row, or the newest. */
type EquityRow = { open: EquitySample; close: EquitySample };

/** `GET /v1/equity`: newest first, from samples that this gateway has taken since it knows the account. */
export function listEquity(
  deps: With<"exchange" | "settings" | "store">,
  { account }: Caller,
  wanted: ListEquity,
): ReadAnswer {
  const { store } = deps;
  const { id } = account;
  const known = { nowMs: deps.exchange.nowMs(), dexes: deps.settings.dexes };
  const { rows, next } = equityPage(deps, id, { ...wanted, ...known, after: requireCursor(wanted.cursor) });
  const [first, last] = [findSampleFrom(store, id, 0), findSampleBefore(store, id, Number.MAX_SAFE_INTEGER)];
  const body = {
    object: "list",
    data: rows,
    has_more: next !== null,
    next_cursor: next === null ? null : String(next),
    complete_from: first === null ? null : isoTime(first.atMs),
    complete_to: last === null ? null : isoTime(last.atMs),
  };
  return { body: JSON.stringify(body), asOfMs: null };
}

function requireCursor(cursor: string | null): number | null {
  if (cursor === null) return null;
  if (/^[0-9]{1,15}$/.test(cursor)) return Number(cursor);
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}

export type EquityPage = Omit<ListEquity, "cursor"> & {
  /** Of the page before, unix milliseconds; null for the newest. */
  after: number | null;
  /** Exchange time, unix milliseconds: what is said to be read up to later than that is not believed. */
  nowMs: number;
  /** Those that samples count, besides the native one. */
  dexes: readonly string[];
};

/** Rows as they are told, newest first, and where the next page begins; null on the last. */
export function equityPage(deps: With<"store">, accountId: string, wanted: EquityPage) {
  const { rows, next } = rowsOf(deps, accountId, wanted);
  const moved = movedIn(deps, { ...wanted, accountId }, rows);
  return { rows: rows.map((row) => equityResource(row, moved(row))), next };
}

/** Two seeks a row: how close samples are together does not matter. */
function rowsOf(
  { store }: With<"store">,
  accountId: string,
  { resolution, sinceMs, untilMs, after, limit }: EquityPage,
) {
  const periodMs = RESOLUTIONS[resolution];
  const rows: EquityRow[] = [];
  let beforeMs = Math.min(after ?? Number.MAX_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER);
  for (;;) {
    const newest = findSampleBefore(store, accountId, beforeMs);
    if (newest === null) return { rows, next: null };
    const beginMs = newest.atMs - (newest.atMs % periodMs);
    const open = findSampleFrom(store, accountId, beginMs) ?? newest;
    if (open.atMs < (sinceMs ?? 0)) return { rows, next: null };
    if (rows.length === limit) return { rows, next: rows.at(-1)?.open.atMs ?? 0 };
    const close = findSampleFrom(store, accountId, beginMs + periodMs) ?? newest;
    // The first of a row that has only begun says nothing yet.
    if (close.atMs > open.atMs) rows.push({ open, close });
    beforeMs = open.atMs;
  }
}

/**
 * A sample is made of what several servers show, each behind for itself: of a transfer so shortly before or after it one may hold the one
 * side and not the other, milliseconds.
 */
const BESIDE_MS = 20_000;

/**
 * What came and went without a trade; null where that is not known, or may not be shown yet, or not what it was worth, or where a sample may hold half
 * of it.
 */
function movedIn(
  { store }: With<"store">,
  { accountId, nowMs, dexes }: Pick<EquityPage, "dexes" | "nowMs"> & { accountId: string },
  rows: readonly EquityRow[],
): (row: EquityRow) => Decimal | null {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  const cursor = findLedgerCursor(store, accountId, "transfers");
  const knownToMs = wholeToMs(cursor, nowMs);
  if (cursor === null || knownToMs === null || newest === undefined || oldest === undefined) return () => null;
  const values = listTransferValues(store, accountId, {
    afterMs: oldest.open.atMs - BESIDE_MS - 1,
    toMs: newest.close.atMs + BESIDE_MS,
  });
  const isBeside = ({ atMs }: EquitySample) =>
    values?.some(({ timeMs }) => Math.abs(timeMs - atMs) <= BESIDE_MS) === true;
  return ({ open, close }) => {
    const isKnown = open.atMs - BESIDE_MS >= cursor.fromMs && close.atMs + BESIDE_MS <= knownToMs;
    if (values === null || !isKnown) return null;
    if (isBeside(open) || isBeside(close)) return null;
    const own = values.filter(({ timeMs }) => timeMs > open.atMs && timeMs <= close.atMs);
    const moved = own.map((each) => (isBetweenCounted(each, dexes) ? each.value : null));
    return moved.reduce<Decimal | null>(
      (sum, value) => (sum === null || value === null ? null : add(sum, value)),
      ZERO,
    );
  };
}

/** What is sent to a dex that no sample counts, or from one, is another change of what is counted than of what the account is worth. */
function isBetweenCounted({ kind, told }: TransferValue, dexes: readonly string[]): boolean {
  if (kind !== "send") return true;
  // What it is of any kind is told by what is in it.
  const { sourceDex, destinationDex } = Object(parseJson(told)) as { sourceDex?: unknown; destinationDex?: unknown };
  const counted: readonly unknown[] = [undefined, "", "spot", ...dexes];
  return counted.includes(sourceDex) && counted.includes(destinationDex);
}

export function equityResource({ open, close }: EquityRow, transfers: Decimal | null) {
  const change = subtract(close.equity, open.equity);
  const unpriced = [open, close].flatMap((sample) => (sample.unpriced === "" ? [] : sample.unpriced.split(",")));
  return {
    object: "equity" as const,
    account: open.accountId,
    network: API_NETWORK,
    from: isoTime(open.atMs),
    to: isoTime(close.atMs),
    open: open.equity,
    close: close.equity,
    transfers,
    profit: transfers === null ? null : subtract(change, transfers),
    unpriced: [...new Set(unpriced)],
  };
}
