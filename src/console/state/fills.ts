/** The fills that the page knows, with what they add up to. Adding a new one costs the same whether there are 5 or 5,000. */
import type { ApiFill } from "../api/resources.ts";
import { add, subtract } from "../figures/decimal.ts";

/** Rows kept in the page; older ones are read from the interface. */
export const MAX_FILLS = 5_000;

/** The token in which profit is told. */
export const PROFIT_TOKEN = "USDC";

export type FillSums = {
  count: number;
  /** Without fees, USDC. */
  realizedPnl: string;
  /** Token to what was paid in it; negative is a rebate. */
  fees: Map<string, string>;
};

export type FillRow = {
  fill: ApiFill;
  /** Realised profit of this and every older row, USDC, without fees. */
  runningPnl: string;
  /** Fees in USDC of this and every older row. */
  runningFees: string;
};

export type FillBook = {
  /** Newest first. */
  rows: FillRow[];
  /** Each as long as it has rows, newest first. */
  byMarket: Map<string, FillRow[]>;
  /** By id. */
  known: Map<string, FillRow>;
  /** By the hash of the key that placed the order; the empty text is for everything else. */
  byKey: Map<string, FillSums>;
  isLoading: boolean;
  /** There are older ones that were not read. */
  isCut: boolean;
  failure: string | null;
  /** Counts changes. */
  version: number;
};

export function emptyFills(): FillBook {
  return {
    rows: [],
    byMarket: new Map(),
    known: new Map(),
    byKey: new Map(),
    isLoading: false,
    isCut: false,
    failure: null,
    version: 0,
  };
}

/** Takes those that are not there yet; returns how many. */
export function addFills(book: FillBook, fills: readonly ApiFill[]): number {
  let deepest = -1;
  let added = 0;
  for (const fill of fills) {
    const known = book.known.get(fill.id);
    if (known !== undefined) {
      learnKey(book, known, fill);
      continue;
    }
    const row = { fill, runningPnl: "0", runningFees: "0" };
    book.known.set(fill.id, row);
    const at = insert(book.rows, row);
    const own = book.byMarket.get(fill.market) ?? [];
    book.byMarket.set(fill.market, own);
    insert(own, row);
    deepest = at > deepest ? at : deepest + 1;
    count(book.byKey, fill, add);
    added += 1;
  }
  for (let index = deepest; index >= 0; index -= 1) sumRow(book.rows, index);
  if (added > 0) book.version += 1;
  dropOldest(book);
  return added;
}

function insert(rows: FillRow[], row: FillRow): number {
  const at = placeOf(rows, row.fill.created_at);
  rows.splice(at, 0, row);
  return at;
}

/** Where a fill of that time stands among rows that are newest first: before those of the same time. */
function placeOf(rows: readonly FillRow[], createdAt: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isNewer = (rows[middle]?.fill.created_at ?? "") > createdAt;
    if (isNewer) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumRow(rows: FillRow[], index: number): void {
  const row = rows[index];
  if (row === undefined) return;
  const older = rows[index + 1];
  row.runningPnl = add(older?.runningPnl ?? "0", row.fill.realized_pnl);
  const fee = row.fill.fee_token === PROFIT_TOKEN ? row.fill.fee : "0";
  row.runningFees = add(older?.runningFees ?? "0", fee);
}

/** A fill may be told before it is known whose order it was. */
function learnKey(book: FillBook, row: FillRow, fill: ApiFill): void {
  if (isOurs(row.fill) || !isOurs(fill)) return;
  count(book.byKey, row.fill, subtract);
  row.fill = fill;
  count(book.byKey, fill, add);
  book.version += 1;
}

export function isOurs({ key_hash: hash }: ApiFill): boolean {
  return hash !== null && hash !== undefined;
}

function count(byKey: Map<string, FillSums>, fill: ApiFill, calculate: typeof add): void {
  const key = fill.key_hash ?? "";
  const sums = byKey.get(key) ?? { count: 0, realizedPnl: "0", fees: new Map<string, string>() };
  sums.count += calculate === add ? 1 : -1;
  sums.realizedPnl = calculate(sums.realizedPnl, fill.realized_pnl);
  sums.fees.set(fill.fee_token, calculate(sums.fees.get(fill.fee_token) ?? "0", fill.fee));
  if (sums.count === 0) byKey.delete(key);
  else byKey.set(key, sums);
}

function dropOldest(book: FillBook): void {
  while (book.rows.length > MAX_FILLS) {
    const row = book.rows.pop();
    if (row === undefined) return;
    const { id, market } = row.fill;
    book.known.delete(id);
    const own = book.byMarket.get(market);
    // The oldest of all is the oldest of its market.
    own?.pop();
    if (own?.length === 0) book.byMarket.delete(market);
    book.isCut = true;
  }
}

export type Realized = {
  /** USDC, after the fees that were paid in it. */
  net: string;
  /** Not all of them were read: there may be more. */
  isCut: boolean;
};

/** Of every fill after that time, ISO 8601 in UTC as fills carry it. */
export function realizedAfter(book: FillBook, iso: string): Realized {
  const end = placeOf(book.rows, iso);
  const [newest, older] = [book.rows[0], book.rows[end]];
  const pnl = subtract(newest?.runningPnl ?? "0", older?.runningPnl ?? "0");
  const fees = subtract(newest?.runningFees ?? "0", older?.runningFees ?? "0");
  return { net: netOf(pnl, fees), isCut: older === undefined && (book.isCut || book.isLoading) };
}

/** Profit after the fees that were paid in the same token. */
export function netOf(realizedPnl: string, fees: string): string {
  return subtract(realizedPnl, fees);
}
