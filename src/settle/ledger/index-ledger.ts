/** The local index of funding and transfers: read now and then, kept for good, and whole from a time on that it names. */
import type { Account } from "../../core/account.ts";
import { SHOWN_WITHIN_MS } from "../../core/evidence.ts";
import type { With } from "../../deps.ts";
import type { Reader } from "../../exchange/exchange.ts";
import { listAccounts } from "../../store/accounts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { newestFillMs } from "../../store/fills.ts";
import {
  findLedgerCursor,
  insertFundingPayments,
  insertTransfers,
  type LedgerCursor,
  type LedgerList,
  putLedgerCursor,
  type StoredFunding,
  type StoredTransfer,
} from "../../store/ledger.ts";
import { type FundingPayment, type LedgerUpdate, parseFunding, parseLedger } from "../../wire/answer/ledger.ts";
import { isAtLeisure } from "./leisure.ts";

export type ToIndexLedger = With<"clock" | "exchange" | "log" | "picture" | "settings" | "store">;

/** A reader of its own: it takes from nobody what clients may read. */
const READER: Reader = { reader: "ledger" };

/** Rows of one answer; fewer mean that it was the last. */
export const LEDGER_PAGE_ROWS = 500;
/** Pages of one list in one round: 45 of our weight each. The rest is the next round's. */
const MAX_PAGES = 4;
/** Read again before the newest that an answer held: what is older than that no server shows out of turn any more, milliseconds. */
const OVERLAP_MS = SHOWN_WITHIN_MS;
/** Of funding from before an account was added, milliseconds: what years of it weigh nobody wants to wait for. */
const FUNDING_BEFORE_MS = 30 * 24 * 3_600_000;

/** Between two rounds, milliseconds. */
export const LEDGER_INTERVAL_MS = 60_000;
/** Accounts of one round: those that were read longest ago. */
const ACCOUNTS_AT_ONCE = 2;
/** So long transfers stand, milliseconds. */
const TRANSFERS_STAND_MS = 10 * 60_000;
/** So long transfers and funding of an account without a position stand, milliseconds. */
const QUIET_STANDS_MS = 6 * 3_600_000;
const HOUR_MS = 3_600_000;

/** One round: whoever is due, the longest unread first. */
export async function keepLedgers(world: ToIndexLedger, isStopped: () => boolean): Promise<void> {
  const nowMs = world.exchange.nowMs();
  const due = listAccounts(world.store)
    .flatMap((account) => (["funding", "transfers"] as const).map((list) => ({ account, list })))
    .map((one) => ({ ...one, readToMs: readToMs(world, one.account, one.list) }))
    // One that lies ahead was noted by a clock that has been contradicted since.
    .map((one) => (one.readToMs !== null && one.readToMs > nowMs ? { ...one, readToMs: null } : one))
    .filter((one) => isDue(world, one, nowMs))
    .sort((a, b) => (a.readToMs ?? 0) - (b.readToMs ?? 0));
  for (const { account, list } of due.slice(0, ACCOUNTS_AT_ONCE * 2)) {
    if (isStopped() || !isAtLeisure(world)) return;
    await readLedger(world, account, { list, isStopped });
  }
}

/** Both of an account, whether or not they are due: somebody waits for what is new in them. */
export async function readLedgers(world: ToIndexLedger, account: Account, isStopped: () => boolean): Promise<void> {
  for (const list of ["transfers", "funding"] as const) await readLedger(world, account, { list, isStopped });
}

function readToMs({ store }: With<"store">, { id }: Account, list: LedgerList): number | null {
  return findLedgerCursor(store, id, list)?.readToMs ?? null;
}

type IndexedList = { account: Account; list: LedgerList; readToMs: number | null };

function isDue(world: ToIndexLedger, { account, list, readToMs: read }: IndexedList, nowMs: number): boolean {
  if (read === null || nowMs - read >= QUIET_STANDS_MS) return true;
  if (isQuiet(world, account, read)) return false;
  if (list === "transfers") return nowMs - read >= TRANSFERS_STAND_MS;
  // Paid on the hour: once an answer has to have it.
  return fundingHourOf(nowMs - SHOWN_WITHIN_MS) > fundingHourOf(read - SHOWN_WITHIN_MS);
}

/** Hours since 1970. */
function fundingHourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/**
 * Up to when a list is whole, by the exchange's clock; null where it has not been read to its end, or by a clock that was ahead and has been
 * contradicted since: when that was nobody knows.
 */
export function wholeToMs(cursor: LedgerCursor | null, nowMs: number): number | null {
  if (cursor === null || cursor.readToMs === null || cursor.readToMs > nowMs) return null;
  return Math.max(cursor.fromMs, cursor.readToMs - SHOWN_WITHIN_MS);
}

/** Where funding is whole up to that time, all of it up to here is known: it is paid on the hour alone. */
export function paidToMs(wholeMs: number): number {
  return (fundingHourOf(wholeMs) + 1) * HOUR_MS - 1;
}

/** Nothing is held that funding could be paid for, as far as its feed tells, nor was since. */
function isQuiet(
  { picture, settings, store }: ToIndexLedger,
  { id, tradingAddress }: Account,
  sinceMs: number,
): boolean {
  if ((newestFillMs(store, id) ?? 0) >= sinceMs - HOUR_MS) return false;
  return ["", ...settings.dexes].every((dex) => picture.state(tradingAddress, dex)?.value.positions.length === 0);
}

type LedgerReading = { list: LedgerList; isStopped(): boolean };

/** Reads what is new to its end, or as far as one round goes. True where that was the end. */
export async function readLedger(
  world: ToIndexLedger,
  account: Account,
  { list, isStopped }: LedgerReading,
): Promise<boolean> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const cursor = findLedgerCursor(world.store, account.id, list) ?? firstCursor(account, list);
    const askedAtMs = world.exchange.nowMs();
    const beginMs = page === 0 ? cursor.newestMs - OVERLAP_MS : cursor.newestMs;
    const rows = await readPage(world, account, { list, startTime: Math.max(cursor.fromMs, beginMs) });
    if (rows === null || isStopped()) return false;
    const isLast = rows.count < LEDGER_PAGE_ROWS;
    inTransactionNotWaiting(world.store, () => {
      rows.insert();
      putLedgerCursor(world.store, isLast ? ended(cursor, rows, askedAtMs) : goneOn(cursor, rows, page));
    });
    if (isLast) return true;
  }
  return false;
}

function firstCursor(account: Account, list: LedgerList): LedgerCursor {
  const fromMs = list === "transfers" ? 0 : Math.max(0, account.createdAtMs - FUNDING_BEFORE_MS);
  return { accountId: account.id, list, fromMs, newestMs: fromMs, readToMs: null };
}

function ended(cursor: LedgerCursor, { newestMs }: LedgerRound, askedAtMs: number): LedgerCursor {
  return { ...cursor, newestMs: Math.max(cursor.newestMs, newestMs), readToMs: askedAtMs };
}

/** A full page of one moment would be read for ever: what it cannot show is missing, and the list says from when on it is whole. */
function goneOn(cursor: LedgerCursor, { newestMs }: LedgerRound, page: number): LedgerCursor {
  if (newestMs > cursor.newestMs) return { ...cursor, newestMs };
  // The first page of a round begins before the newest that is known.
  return page === 0 ? cursor : { ...cursor, fromMs: newestMs + 1, newestMs: newestMs + 1 };
}

type LedgerRound = { count: number; newestMs: number; insert(): void };

async function readPage(
  world: ToIndexLedger,
  account: Account,
  { list, startTime }: { list: LedgerList; startTime: number },
): Promise<LedgerRound | null> {
  const { store } = world;
  const user = account.tradingAddress;
  const type = list === "funding" ? "userFunding" : "userNonFundingLedgerUpdates";
  const outcome = await world.exchange.info({ type, user, startTime }, { purpose: READER });
  if (outcome.kind === "failed") return null;
  if (list === "funding") {
    const read = parseFunding(outcome.json);
    return read === null
      ? unreadable(world, type)
      : pageOf(read, () => insertFundingPayments(store, fundingRows(account, read)));
  }
  const read = parseLedger(outcome.json, user);
  if (read === null) return unreadable(world, type);
  // A transaction that a page has cut is read whole by the next one.
  const whole = read.length < LEDGER_PAGE_ROWS ? read : withoutNewest(read);
  return pageOf(read, () => insertTransfers(store, transferRows(account, whole)));
}

function unreadable({ log }: With<"log">, type: string): null {
  log.warn({ type }, "the answer to a reading of the ledger has another shape");
  return null;
}

function pageOf(rows: readonly { timeMs: number }[], insert: () => void): LedgerRound {
  return { count: rows.length, newestMs: newestOf(rows), insert };
}

function newestOf(rows: readonly { timeMs: number }[]): number {
  return rows.reduce((newest, { timeMs }) => Math.max(newest, timeMs), 0);
}

/** All of one millisecond stays together, in whatever order they come; where there is only one there is nothing else to do. */
function withoutNewest<Row extends { timeMs: number }>(rows: readonly Row[]): readonly Row[] {
  const lastMs = newestOf(rows);
  const whole = rows.filter(({ timeMs }) => timeMs !== lastMs);
  return whole.length === 0 ? rows : whole;
}

function fundingRows({ id: accountId }: Account, read: readonly FundingPayment[]): StoredFunding[] {
  return read.map(({ timeMs, hash, coin, ...payment }) => ({
    accountId,
    timeMs,
    id: `${timeMs}-${coin}`,
    market: coin,
    ...payment,
    transactionHash: hash,
  }));
}

/** Transactions may hold several: they are told apart by their place among their like. */
function transferRows({ id: accountId }: Account, read: readonly LedgerUpdate[]): StoredTransfer[] {
  const seen = new Map<string, number>();
  return read.map(({ hash, ...update }) => {
    const name = `${update.timeMs}-${hash}`;
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return { accountId, id: nth === 0 ? name : `${name}-${nth}`, ...update, transactionHash: hash };
  });
}
