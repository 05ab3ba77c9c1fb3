/**
 * What is sealed of a trade while it lives: what was asked for, and how far it has come. Who edits its row neither takes away what
 * protects nor makes it enter another thing; a row that nobody has sealed enters nothing. That no more is to be entered is obeyed
 * without any proof. What an ended one has been is history, and its row is shown as it is.
 */
import { type Trade, UNTOLD } from "../core/trade.ts";
import type { Store } from "./open.ts";
import {
  findSealed,
  hasSealedRows,
  isSealedInTable,
  listSealed,
  type RowFault,
  tellFault,
  vouch,
} from "./sealed-rows.ts";

/** Figures and words are worked out anew from its orders at each look. */
type UnsealedMember =
  | "status"
  | "stopId"
  | "profitId"
  | "filledSize"
  | "heldSize"
  | "unprotectedSinceMs"
  | "unprotectedBecause"
  | "error";
type SealedTrade = Omit<Trade, UnsealedMember | "endedAtMs">;

export type TradeRow = { trade: string; accountId: string; endedAtMs: number | null };

/** Inside the transaction that writes its row. */
export function vouchForTrade(store: Store, trade: Trade): void {
  vouch(store, "trade", trade.id, trade.endedAtMs === null ? contentOf(trade) : null);
}

/** False for a connection without the passphrase, of a trade that is sealed: what it wrote would be taken for somebody else's. */
export function mayWriteTrade(store: Store, id: string): boolean {
  return hasSealedRows(store) || !isSealedInTable(store, "trade", id);
}

/** Ids of those that live. */
export function listSealedTrades(store: Store): string[] {
  return listSealed(store, "trade").map(([id]) => id);
}

/** @param row null where there is none */
export function believedTrade(store: Store, id: string, row: TradeRow | null): Trade | null {
  const found = row === null ? null : readTrade(row.trade);
  const fault = tradeFault(store, id, row);
  if (fault === null) return found;
  tellFault(store, fault);
  const sealed = findSealed(store, "trade", id);
  return sealed === null ? null : restoredTrade(sealed, found);
}

/** Null for a connection without the passphrase. */
export function tradeFault(store: Store, id: string, row: TradeRow | null): RowFault | null {
  if (!hasSealedRows(store)) return null;
  const sealed = findSealed(store, "trade", id);
  const found = row === null ? null : readTrade(row.trade);
  const isOver = row !== null && row.endedAtMs !== null && found !== null && found.endedAtMs !== null;
  if (sealed === null) return row === null || isOver ? null : planted(id);
  const isSame = row !== null && row.endedAtMs === null && found !== null && found.endedAtMs === null;
  return isSame && row.accountId === found.accountId && contentOf(found) === sealed ? null : changed(id);
}

function planted(id: string): RowFault {
  return { kind: "trade", id, what: `trade ${id} was added from outside, or brought back: it enters nothing` };
}

function changed(id: string): RowFault {
  return {
    kind: "trade",
    id,
    what: `the row of trade ${id} was deleted or changed from outside: it goes on as it was sealed`,
  };
}

function restoredTrade(content: string, found: Trade | null): Trade {
  // Only `contentOf` makes what the seal covers.
  const sealed = JSON.parse(content) as SealedTrade;
  return {
    ...sealed,
    isEntryUnwanted: sealed.isEntryUnwanted || found?.isEntryUnwanted === true,
    status: "arming",
    ...UNTOLD,
    error: null,
    endedAtMs: null,
  };
}

/** What `putTrade` writes, unless somebody else has: null where it is no trade. */
function readTrade(text: string): Trade | null {
  try {
    const parsed: unknown = JSON.parse(text);
    // One that is not as `putTrade` has written it differs from its sealed copy, and is not believed.
    return typeof parsed === "object" && parsed !== null ? (parsed as Trade) : null;
  } catch {
    return null;
  }
}

function contentOf(trade: Trade): string {
  const { id, accountId, keyHash, market, side, size, price, timeInForce, stopLoss, takeProfit } = trade;
  const { createdAtMs, path, isEntryUnwanted, entryId, stops, profits, replacedStops } = trade;
  const asked = { id, accountId, keyHash, market, side, size, price, timeInForce, stopLoss, takeProfit };
  return JSON.stringify({
    ...asked,
    createdAtMs,
    path,
    isEntryUnwanted,
    entryId,
    stops,
    profits,
    ...(replacedStops === undefined ? {} : { replacedStops }),
  } satisfies SealedTrade);
}
