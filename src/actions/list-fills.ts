import { type Account, API_NETWORK } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { SHOWN_WITHIN_MS } from "../core/evidence.ts";
import { pageLooked } from "../core/page.ts";
import { isoTime, listText } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findFill, findFillCursor, type ListedFill, listFills as listStored, lookForFills } from "../store/fills.ts";
import { toldWholeAtMost } from "../store/short-of-fills.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, UNFILTERED, type WantedFilter } from "./list-filter.ts";

/** `GET /v1/fills`: newest first, from the local index, which keeps what the exchange forgets. */
export function listFills(
  deps: With<"fillIndex" | "markets" | "store">,
  caller: Caller,
  { cursor, limit, filter: wanted = UNFILTERED }: { cursor: string | null; limit: number; filter?: WantedFilter },
): ReadAnswer {
  const { account } = caller;
  const after = cursor === null ? null : findFill(deps.store, account.id, cursor);
  if (cursor !== null && after === null) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const filter = filterOf(deps, caller, wanted);
  const asked = { accountId: account.id, after, limit };
  const looked =
    filter === null
      ? { rows: listStored(deps.store, asked), lookedTo: null }
      : lookForFills(deps.store, { ...asked, filter });
  const page = pageLooked(looked, limit, (row) => row.fill.id);
  const body = listText(page.rows.map(fillResource), page.nextCursor);
  return { body, asOfMs: wholeToMs(deps, account) };
}

/**
 * Up to the newest fill of what was read, or to so long before it was asked for that no server would have lacked more; not past a
 * millisecond of which the exchange may keep more than it gives, nor past the sending of what was filled by more than is listed.
 */
function wholeToMs({ store, fillIndex }: With<"fillIndex" | "store">, account: Account): number {
  const readToMs = fillIndex.readToMs(account) ?? 0;
  const shownToMs = Math.max(findFillCursor(store, account.id) ?? 0, readToMs - SHOWN_WITHIN_MS);
  return Math.max(0, Math.min(shownToMs, toldWholeAtMost(store, account.id)));
}

export function fillResource({ fill, orderId, keyHash }: ListedFill) {
  const colon = fill.market.indexOf(":");
  return {
    object: "fill" as const,
    id: fill.id,
    account: fill.accountId,
    network: API_NETWORK,
    dex: colon === -1 ? "" : fill.market.slice(0, colon),
    market: fill.market,
    order_id: orderId,
    key_hash: keyHash,
    exchange_order_id: fill.oid,
    side: fill.side,
    price: fill.price,
    size: fill.size,
    liquidity: fill.isTaker ? ("taker" as const) : ("maker" as const),
    fee: fill.fee,
    fee_token: fill.feeToken,
    builder_fee: fill.builderFee,
    realized_pnl: fill.realizedPnl,
    start_position: fill.startPosition,
    direction: fill.direction,
    twap_id: fill.twapId,
    liquidation: fill.isLiquidation,
    transaction_hash: fill.transactionHash,
    created_at: isoTime(fill.timeMs),
  };
}
