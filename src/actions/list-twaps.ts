import { API_NETWORK } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled } from "../core/order.ts";
import { pageOf } from "../core/page.ts";
import { isoTime, listText } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { sumFillsOfTwap } from "../store/fills.ts";
import { listTwapOperations } from "../store/operations.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import type { Caller, ReadAnswer } from "./answer.ts";
import { couldNotAsk } from "./not-asked.ts";

/** The exchange's words and ours. A word that is new to us is shown as `unknown`. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ["activated", "running"],
  ["finished", "finished"],
  ["terminated", "canceled"],
  ["waitingForTrigger", "waiting_for_trigger"],
  ["stopped", "stopped"],
  ["error", "error"],
]);

const NATIVE_ID = /^[0-9]{1,20}$/;

type NamedRecord = TwapRecord & { twapId: string };

/**
 * `GET /v1/twaps`: the account's TWAPs as the exchange tells them, newest first, those started elsewhere included, each
 * with the operation of ours that started it.
 */
export async function listTwaps(
  deps: Deps,
  caller: Caller,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<ReadAnswer> {
  if (cursor !== null && !NATIVE_ID.test(cursor)) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const read = await deps.reads.twapHistory(caller.account.tradingAddress, caller.reader);
  if (read.kind === "failed") {
    throw couldNotAsk(deps, "for the TWAPs", read, caller.reader);
  }
  const below = cursor === null ? null : BigInt(cursor);
  const rows = latest(read.value).filter(({ twapId }) => below === null || BigInt(twapId) < below);
  const page = pageOf(rows, limit, ({ twapId }) => twapId);
  const ids = page.rows.map(({ twapId }) => twapId);
  const operations = listTwapOperations(deps.store, caller.account.id, ids);
  const data = page.rows.map((row) => twapResource(deps, caller, { row, operationId: operations.get(row.twapId) }));
  return { body: listText(data, page.nextCursor), asOfMs: null };
}

/** The last record of each, by id descending. Rows so old that the exchange gave them no id cannot be told apart. */
function latest(records: readonly TwapRecord[]): NamedRecord[] {
  const byId = new Map<string, NamedRecord>();
  for (const record of records) {
    const { twapId } = record;
    if (twapId === null) continue;
    const known = byId.get(twapId);
    if (known === undefined || isLater(record, known)) byId.set(twapId, { ...record, twapId });
  }
  return [...byId.values()].sort((a, b) => (BigInt(b.twapId) > BigInt(a.twapId) ? 1 : -1));
}

/** Times are whole seconds: of two records of one second the one that ends the TWAP is the later. */
function isLater(record: TwapRecord, known: TwapRecord): boolean {
  return record.timeS === known.timeS ? !isOver(known) : record.timeS > known.timeS;
}

function isOver({ status }: TwapRecord): boolean {
  return status !== "activated" && status !== "waitingForTrigger";
}

function twapResource(deps: Deps, caller: Caller, about: { row: NamedRecord; operationId: string | undefined }) {
  const { row, operationId } = about;
  const { coin, side, size, minutes, randomize, reduceOnly, timestampMs } = row.state;
  const { account } = caller;
  const colon = coin.indexOf(":");
  const status = STATUSES.get(row.status) ?? "unknown";
  const filled = filledOf(deps, account.id, row);
  return {
    object: "twap" as const,
    exchange_id: row.twapId,
    operation_id: operationId ?? null,
    account: account.id,
    network: API_NETWORK,
    dex: colon === -1 ? "" : coin.slice(0, colon),
    market: coin,
    side: side === "B" ? ("buy" as const) : ("sell" as const),
    size,
    filled_size: filled.size,
    average_price: averagePrice(filled.notional, filled.size),
    duration_minutes: minutes,
    randomize,
    reduce_only: reduceOnly,
    status,
    error: row.description,
    created_at: isoTime(timestampMs),
    ended_at: isOver(row) ? isoTime(row.timeS * 1_000) : null,
  };
}

/** A running one's record is from its beginning: what it has filled since is in the index of fills. */
function filledOf(deps: Deps, accountId: string, row: NamedRecord): Filled {
  const { executedSize, executedNotional } = row.state;
  return isOver(row)
    ? { size: executedSize, notional: executedNotional }
    : sumFillsOfTwap(deps.store, accountId, row.twapId);
}
