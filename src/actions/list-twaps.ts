import { type Account, API_NETWORK } from "../core/account.ts";
import { endsAtMs } from "../core/attempt.ts";
import { compare, decimal, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { areFillsAll, CLOCK_DOUBT_MS } from "../core/evidence.ts";
import { averagePrice } from "../core/market.ts";
import type { Filled, Side } from "../core/order.ts";
import { pageOf } from "../core/page.ts";
import { twapWord } from "../core/rails/twap-end.ts";
import { isoTime, listText } from "../core/resource.ts";
import type { ToShow, With } from "../deps.ts";
import { signedAtMs } from "../settle/record/noted-time.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { findWholeTo } from "../store/fill-holes.ts";
import { sumFillsOfTwap } from "../store/fills.ts";
import {
  listStartedTwaps,
  listTwapCancels,
  listTwapOperations,
  type StoredOperation,
  twapIdIn,
  twapKeys,
} from "../store/operations.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { AGE_MS, currentTwaps, toldAge } from "./current.ts";
import { filterOf, type ListFilter, type WantedFilter } from "./list-filter.ts";

/** The exchange's words and ours. A word that is new to us is shown as `unknown`. */
type ToldTwapStatus = "running" | "waiting_for_trigger" | "finished" | "canceled" | "stopped" | "error" | "unknown";

const STATUSES: ReadonlyMap<string, ToldTwapStatus> = new Map<string, ToldTwapStatus>([
  ["activated", "running"],
  ["finished", "finished"],
  ["terminated", "canceled"],
  ["waitingForTrigger", "waiting_for_trigger"],
  ["stopped", "stopped"],
  ["error", "error"],
]);

const NATIVE_ID = /^[0-9]{1,20}$/;

export type ListTwaps = {
  /** Null for all. */
  status: string | null;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
  filter: WantedFilter;
};

type NamedRecord = TwapRecord & { twapId: string };

/**
 * `GET /v1/twaps`: the account's TWAPs as the exchange tells them, newest first, those started elsewhere included, each
 * with the operation of ours that started it. What our own operations know better, they say: the history may be behind.
 */
export async function listTwaps(
  deps: ToShow & With<"markets" | "store">,
  caller: Caller,
  { status, cursor, limit, filter: wanted }: ListTwaps,
): Promise<ReadAnswer> {
  requireStatus(status);
  if (cursor !== null && !NATIVE_ID.test(cursor)) {
    throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
  }
  const { account } = caller;
  const { value, asOfMs } = await currentTwaps(deps, caller);
  const below = cursor === null ? null : BigInt(cursor);
  const records = latest([...value, ...startedSince(deps, account, value)]);
  const canceled = canceledByUs(deps, account);
  const endOf = (row: NamedRecord): TwapEnd | null =>
    isOver(row) ? { atMs: row.timeS * 1_000, overByMs: null } : (canceled.get(row.twapId) ?? null);
  const isIt = isWanted(deps, account, { filter: filterOf(deps, caller, wanted), records });
  const rows = records.filter(
    (row) =>
      (below === null || BigInt(row.twapId) < below) &&
      (status === null || status === statusOf(row, endOf(row))) &&
      isIt(row),
  );
  const page = pageOf(rows, limit, ({ twapId }) => twapId);
  const ids = page.rows.map(({ twapId }) => twapId);
  const operations = listTwapOperations(deps.store, account.id, ids);
  const data = page.rows.map((row) =>
    twapResource(deps, caller, { row, end: endOf(row), operationId: operations.get(row.twapId) }),
  );
  return { body: listText(data, page.nextCursor), asOfMs: toldAge(deps, asOfMs, AGE_MS) };
}

export const TWAP_STATUSES = [
  "running",
  "waiting_for_trigger",
  "finished",
  "canceled",
  "stopped",
  "error",
  "unknown",
] as const satisfies readonly ToldTwapStatus[];

function requireStatus(text: string | null): void {
  if (text === null || TWAP_STATUSES.some((status) => status === text)) return;
  throw new ApiError("invalid_status", `\`status\` is one of ${TWAP_STATUSES.join(", ")}.`);
}

type NarrowedTwaps = { filter: ListFilter | null; records: readonly NamedRecord[] };

/** One that was started elsewhere is no key's. */
function isWanted(
  { store }: With<"store">,
  { id }: Account,
  { filter, records }: NarrowedTwaps,
): (row: NamedRecord) => boolean {
  if (filter === null) return () => true;
  const { sinceMs, untilMs, market, keyHashes } = filter;
  const ids = keyHashes === null ? [] : records.map(({ twapId }) => twapId);
  const keys = twapKeys(store, id, ids);
  return ({ twapId, state: { coin, timestampMs } }) => {
    if (sinceMs !== null && timestampMs < sinceMs) return false;
    if (untilMs !== null && timestampMs >= untilMs) return false;
    return (market === null || coin === market) && (keyHashes?.includes(keys.get(twapId) ?? "") ?? true);
  };
}

/** Our operations that are looked through: older ones the exchange's history has long shown. */
const MAX_OPERATIONS = 100;
/** So long, past the last moment at which its action can have run, a history may lack what runs, milliseconds. */
const HISTORY_BEHIND_MS = 60_000;

/** What the exchange has started for us and its history does not show yet: as it was asked for. */
function startedSince(
  deps: With<"exchange" | "settings" | "store">,
  { id, tradingAddress }: Account,
  records: readonly TwapRecord[],
): TwapRecord[] {
  const shown = records.flatMap(({ twapId }) => (twapId === null ? [] : [BigInt(twapId)]));
  const known = new Set(shown);
  return listStartedTwaps(deps.store, id, MAX_OPERATIONS).flatMap((operation) => {
    const twapId = operation.exchangeId ?? "";
    const isNew = shown.every((id) => id < BigInt(twapId)) || isJustStarted(deps, operation);
    return isNew && !known.has(BigInt(twapId))
      ? [asAsked(operation, { twapId, user: tradingAddress, timestampMs: startedAtMs(deps, operation) })]
      : [];
  });
}

/** By the exchange's time: our own clock may have been set since. */
function isJustStarted({ exchange, store }: With<"exchange" | "store">, { id }: StoredOperation): boolean {
  const nowMs = exchange.nowMs();
  return listAttemptsOf(store, id).some((attempt) => nowMs < endsAtMs(attempt) + HISTORY_BEHIND_MS);
}

/** By the exchange's time, as its own records are: the operation is dated by our clock. */
function startedAtMs(deps: With<"settings" | "store">, { id, createdAtMs }: StoredOperation): number {
  const attempt = listAttemptsOf(deps.store, id).at(-1);
  return attempt === undefined ? createdAtMs : signedAtMs(deps, attempt);
}

type StartedTwap = { twapId: string; user: string; timestampMs: number };

function asAsked(operation: StoredOperation, { twapId, user, timestampMs }: StartedTwap): TwapRecord {
  const { market: coin } = operation;
  // Our own text: what `create-twap` has put there.
  const asked = JSON.parse(operation.parameters) as TwapParameters;
  return {
    timeS: Math.floor(timestampMs / 1_000),
    state: {
      coin,
      user,
      timestampMs,
      minutes: asked.duration_minutes,
      side: asked.side === "buy" ? "B" : "A",
      size: decimal(asked.size),
      executedSize: ZERO,
      executedNotional: ZERO,
      reduceOnly: asked.reduce_only,
      randomize: asked.randomize,
    },
    status: "activated",
    description: null,
    twapId,
  };
}

type TwapParameters = { side: Side; size: string; duration_minutes: number; randomize: boolean; reduce_only: boolean };

/** TWAPs that we have canceled, by native id; the history may not show it yet. */
function canceledByUs(deps: With<"settings" | "store">, { id }: Account): ReadonlyMap<string, TwapEnd> {
  const cancels = listTwapCancels(deps.store, id, MAX_OPERATIONS);
  return new Map(cancels.map((cancel) => [twapIdIn(cancel.parameters), endByCancel(deps, cancel)]));
}

function endByCancel(deps: With<"settings" | "store">, cancel: StoredOperation): TwapEnd {
  const atMs = startedAtMs(deps, cancel);
  const attempt = listAttemptsOf(deps.store, cancel.id).at(-1);
  return { atMs, overByMs: attempt === undefined ? atMs : endsAtMs(attempt) };
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

const RANKS = { running: 0, new: 1, ended: 2 } as const;

/** Times are whole seconds: of two records of one second the one that ends the TWAP is the later. */
function isLater(record: TwapRecord, known: TwapRecord): boolean {
  if (record.timeS !== known.timeS) return record.timeS > known.timeS;
  return RANKS[twapWord(record.status)] > RANKS[twapWord(known.status)];
}

/** By a word that is known: one that is new is no end. */
function isOver({ status }: TwapRecord): boolean {
  return twapWord(status) === "ended";
}

/** Unix milliseconds, exchange time. */
type TwapEnd = {
  atMs: number;
  /** By when it was over at the latest; null where its record of that tells what it has executed. */
  overByMs: number | null;
};

type ShownTwap = { row: NamedRecord; end: TwapEnd | null; operationId: string | undefined };

const SIZE_NOT_KNOWN = "it is over; how much of it was filled is being read";

export function twapResource(deps: With<"store">, caller: Caller, { row, end, operationId }: ShownTwap) {
  const { coin, side, size, minutes, randomize, reduceOnly, timestampMs } = row.state;
  const { account } = caller;
  const colon = coin.indexOf(":");
  const filled = filledOf(deps, account.id, { row, end });
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
    filled_size: filled?.size ?? null,
    average_price: filled === null ? null : averagePrice(filled.notional, filled.size),
    duration_minutes: minutes,
    randomize,
    reduce_only: reduceOnly,
    status: statusOf(row, end),
    error: row.description ?? (filled === null ? SIZE_NOT_KNOWN : null),
    created_at: isoTime(timestampMs),
    // Its end is told to the second, its beginning to the millisecond.
    ended_at: end === null ? null : isoTime(Math.max(end.atMs, timestampMs)),
  };
}

function statusOf(row: NamedRecord, end: TwapEnd | null): ToldTwapStatus {
  return !isOver(row) && end !== null ? "canceled" : (STATUSES.get(row.status) ?? "unknown");
}

/**
 * A running one's record is from its beginning: what it has filled since is in the index of fills. Null for one that is over while not all of
 * it is known: by its record of its end, or by fills that are whole up to then.
 */
function filledOf(
  { store }: With<"store">,
  accountId: string,
  { row, end }: Pick<ShownTwap, "end" | "row">,
): Filled | null {
  const { executedSize: size, executedNotional: notional, timestampMs } = row.state;
  const indexed = sumFillsOfTwap(store, accountId, row.twapId);
  if (end === null) return indexed;
  if (end.overByMs === null) return compare(indexed.size, size) > 0 ? null : { size, notional };
  const isWhole = compare(indexed.size, row.state.size) >= 0;
  const wholeToMs = findWholeTo(store, accountId, timestampMs - CLOCK_DOUBT_MS);
  return isWhole || areFillsAll(wholeToMs, end.overByMs) ? indexed : null;
}
