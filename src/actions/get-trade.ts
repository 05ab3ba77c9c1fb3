import { ApiError } from "../core/errors.ts";
import { pageLooked } from "../core/page.ts";
import { listText, tradeResource, tradeText } from "../core/resource.ts";
import type { Trade } from "../core/trade.ts";
import { isUuid } from "../core/uuid.ts";
import type { With } from "../deps.ts";
import { findTrade, listTrades as listStored, lookForTrades } from "../store/trades.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, type WantedFilter } from "./list-filter.ts";

/** Throws `invalid_id` or `trade_not_found`. */
export function requireTrade({ store }: With<"store">, { account }: Caller, givenId: string): Trade {
  const id = givenId.toLowerCase();
  if (!isUuid(id)) throw new ApiError("invalid_id", "`id` is the UUID of a trade.");
  const trade = findTrade(store, id);
  if (trade === null || trade.accountId !== account.id)
    throw new ApiError("trade_not_found", "There is no such trade on this account.");
  return trade;
}

/** `GET /v1/trades/{id}`. Asks the exchange nothing: a trade is pursued all the while, and is told as its orders are by now. */
export function getTrade(deps: With<"store" | "trader">, caller: Caller, id: string): ReadAnswer {
  deps.trader.refresh(caller.account.id);
  return { body: tradeText(requireTrade(deps, caller, id)), asOfMs: null };
}

export type ListTrades = {
  /** Null for all. */
  status: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
  filter: WantedFilter;
};

/** `GET /v1/trades`: newest first; the cursor is the id of a trade of this account. */
export function listTrades(
  deps: With<"markets" | "store" | "trader">,
  caller: Caller,
  { status, cursor, limit, filter: wanted }: ListTrades,
): ReadAnswer {
  const { store } = deps;
  if (status !== null && status !== "live")
    throw new ApiError("invalid_status", "`status` is `live`, or left out for all.");
  const accountId = caller.account.id;
  deps.trader.refresh(accountId);
  const after = cursor === null ? null : findTrade(store, cursor.toLowerCase());
  if (cursor !== null && after?.accountId !== accountId)
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  const filter = filterOf(deps, caller, wanted);
  const asked = { accountId, after, isOpen: status === "live", limit };
  const looked =
    filter === null ? { rows: listStored(store, asked), lookedTo: null } : lookForTrades(store, { ...asked, filter });
  const page = pageLooked(looked, limit, ({ id }) => id);
  return { body: listText(page.rows.map(tradeResource), page.nextCursor), asOfMs: null };
}
