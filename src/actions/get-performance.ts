import { API_NETWORK } from "../core/account.ts";
import { add, type Decimal, divide, isZero, subtract, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { findMarket } from "../core/market.ts";
import {
  type Figures,
  type HeldBy,
  type Line,
  NO_FIGURES,
  NOBODY,
  sumFigures,
  unrealizedPnl,
} from "../core/performance.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { botOf } from "../store/bots.ts";
import { findLedgerCursor } from "../store/ledger.ts";
import {
  type Days,
  earliestLateMs,
  findPerformanceCursor,
  type LinePlace,
  listHeld,
  listLines,
  type PerformanceCursor,
} from "../store/performance.ts";
import { toldWholeAtMost } from "../store/short-of-fills.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, type ListFilter, type WantedFilter } from "./list-filter.ts";

export const PERFORMANCE_GROUPS = ["day", "market", "bot", "key"] as const;
export type PerformanceGroup = (typeof PERFORMANCE_GROUPS)[number];

export type WantedPerformance = { filter: WantedFilter; groups: readonly PerformanceGroup[] };

/** Days times markets times keys that one answer adds up: some milliseconds. */
const MAX_LINES = 2_000;
const DAY_MS = 86_400_000;
/** Later than any day that there will be. */
const LAST_DAY = 100_000_000;
/** Digits behind the point of an average price. */
const PRICE_DECIMALS = 8;

type ToTellPerformance = With<"marketView" | "markets" | "store">;

/** `GET /v1/performance`: from the books, which are some seconds behind; what is held is valued at the mark as it is now. */
export async function getPerformance(
  deps: ToTellPerformance,
  caller: Caller,
  { filter: wanted, groups }: WantedPerformance,
): Promise<ReadAnswer> {
  const { account } = caller;
  const filter = filterOf(deps, caller, wanted);
  const isIt = (of: { market: string; keyHash: string }) => isWanted(of, filter);
  const held = listHeld(deps.store, account.id).filter((each) => !isZero(each.size) && isIt(each));
  const lines = requireLines(deps, account.id, wanted).filter(isIt);
  const marks = await marksOf(deps, caller, new Set(held.map(({ market }) => market)));
  const { id } = account;
  const fromMs = daysOf(id, wanted).fromDay * DAY_MS;
  const body = performanceResource(deps, { accountId: id, fromMs, lines, groups, held, marks });
  return { body: JSON.stringify(body), asOfMs: null };
}

type PerformanceToTell = {
  accountId: string;
  /** Where the first of the days begins, unix milliseconds; 0 for all. */
  fromMs: number;
  lines: readonly Line[];
  groups: readonly PerformanceGroup[];
  held: readonly HeldBy[];
  marks: ReadonlyMap<string, Decimal>;
};

/** Where nothing has been booked nothing is known, and no figure says so: a zero would. */
export function performanceResource(deps: With<"store">, told: PerformanceToTell) {
  const { accountId, fromMs, lines, groups, held, marks } = told;
  const cursor = findPerformanceCursor(deps.store, accountId);
  const funding = findLedgerCursor(deps.store, accountId, "funding");
  const isBooked = cursor !== null && cursor.toMs >= fromMs;
  return {
    object: "performance" as const,
    account: accountId,
    network: API_NETWORK,
    complete_from: cursor === null || funding === null ? null : isoTime(funding.fromMs),
    complete_to: cursor === null ? null : isoTime(bookedToMs(deps, cursor)),
    total: isBooked ? figuresResource(lines.reduce<Figures>(sumFigures, NO_FIGURES)) : null,
    data: grouped(deps, lines, groups),
    positions: cursor === null ? null : held.map((each) => heldResource(deps, each, marks.get(each.market) ?? null)),
  };
}

/** Up to where the figures have all that is known: what came late is booked with the next round, and limits them until then. */
function bookedToMs({ store }: With<"store">, cursor: PerformanceCursor): number {
  const lateMs = earliestLateMs(store, cursor);
  const knownToMs = Math.min(cursor.toMs, toldWholeAtMost(store, cursor.accountId));
  return lateMs === null ? knownToMs : Math.min(knownToMs, lateMs - 1);
}

function isWanted({ market, keyHash }: { market: string; keyHash: string }, filter: ListFilter | null): boolean {
  if (filter === null) return true;
  if (filter.market !== null && filter.market !== market) return false;
  return filter.keyHashes === null || filter.keyHashes.includes(keyHash);
}

/** Whole days of UTC: those that begin in that time. */
function daysOf(accountId: string, { sinceMs, untilMs }: Pick<WantedFilter, "sinceMs" | "untilMs">): Days {
  const fromDay = sinceMs === null ? 0 : Math.ceil(sinceMs / DAY_MS);
  const beforeDay = untilMs === null ? LAST_DAY : Math.ceil(untilMs / DAY_MS);
  return { accountId, fromDay, beforeDay };
}

/** A row for each day, market and key, of which every sum is made; `seen`: as it was read, where the next page begins. */
export function performancePage(
  { store }: With<"store">,
  {
    accountId,
    filter,
    after,
    limit,
  }: { accountId: string; filter: ListFilter; after: LinePlace | null; limit: number },
) {
  const lines = listLines(store, daysOf(accountId, filter), limit, after);
  const rows = lines
    .filter((line) => isWanted(line, filter))
    .flatMap((line) => grouped({ store }, [line], ["day", "market", "key"]));
  return { rows, seen: lines.length < limit ? null : (lines.at(-1) ?? null) };
}

function requireLines({ store }: With<"store">, accountId: string, wanted: WantedFilter): Line[] {
  const lines = listLines(store, daysOf(accountId, wanted), MAX_LINES + 1);
  if (lines.length <= MAX_LINES) return lines;
  const oldest = lines.at(-1)?.day ?? 0;
  const words = `There is more in that time than one answer adds up; ask with a later since, ${isoTime((oldest + 1) * DAY_MS)} say.`;
  throw new ApiError("invalid_parameter", words);
}

async function marksOf(
  deps: ToTellPerformance,
  { reader }: Caller,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Decimal>> {
  const universe = deps.markets.current();
  const markets = [...names].flatMap((name) => (universe === null ? [] : (findMarket(universe, name) ?? [])));
  const looks = await Promise.all(
    markets.map(async (market) => ({ market, look: await deps.marketView.mark(market, reader) })),
  );
  return new Map(looks.flatMap(({ market, look }) => (look.kind === "ok" ? [[market.name, look.value.mark]] : [])));
}

function grouped({ store }: With<"store">, lines: readonly Line[], groups: readonly PerformanceGroup[]) {
  const has = (group: PerformanceGroup) => groups.includes(group);
  const nameOf = (line: Line) => {
    const { bot, attributed, keyHash } = ownerOf(store, line.keyHash);
    return {
      day: has("day") ? isoTime(line.day * DAY_MS).slice(0, "2026-11-21".length) : null,
      market: has("market") ? line.market : null,
      bot: has("bot") || has("key") ? bot : null,
      key_hash: has("key") ? keyHash : null,
      attributed: has("bot") || has("key") ? attributed : null,
    };
  };
  const byName = Map.groupBy(lines, (line) => JSON.stringify(nameOf(line)));
  return [...byName.values()].flatMap((own) => own.slice(0, 1).map((first) => lineResource(nameOf(first), own)));
}

type Name = Record<"day" | "market" | "bot" | "key_hash", string | null> & { attributed: boolean | null };

function lineResource(name: Name, own: readonly Line[]) {
  return { ...name, ...figuresResource(own.reduce<Figures>(sumFigures, NO_FIGURES)) };
}

function figuresResource({ fills, volume, fees, builderFees, funding, realizedPnl }: Figures) {
  return {
    fills,
    volume,
    fees,
    builder_fees: builderFees,
    funding,
    realized_pnl: realizedPnl,
    net_pnl: subtract(add(realizedPnl, funding), fees),
  };
}

function ownerOf(store: With<"store">["store"], keyHash: string) {
  const isKeys = keyHash !== NOBODY;
  return { bot: isKeys ? botOf(store, keyHash) : null, keyHash: isKeys ? keyHash : null, attributed: isKeys };
}

function heldResource({ store }: With<"store">, held: HeldBy, mark: Decimal | null) {
  const { bot, keyHash, attributed } = ownerOf(store, held.keyHash);
  return {
    market: held.market,
    bot,
    key_hash: keyHash,
    attributed,
    size: held.size,
    entry_price: isZero(held.size) ? ZERO : divide(held.cost, held.size, PRICE_DECIMALS),
    mark_price: mark,
    unrealized_pnl: mark === null ? null : unrealizedPnl(held, mark),
  };
}
