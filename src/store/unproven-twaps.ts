/**
 * TWAPs of which a restore cannot say whose they are: begun by the lost machine after the backup, or elsewhere. The exchange keeps no mark
 * of them, so what they bought and sold may be any bot's that may ask for TWAPs.
 */
import { and, eq, gte, inArray, isNotNull, lte } from "drizzle-orm";
import { add, type Decimal, ZERO } from "../core/decimal.ts";
import type { Sums } from "../core/rails/exposure.ts";
import { listBotGrants } from "./bots.ts";
import type { Store } from "./open.ts";
import { listTwapOperations } from "./operations.ts";
import type { BotName } from "./remembered-of-bot.ts";
import { findTakeUp, hasRestores } from "./restores.ts";
import { fills } from "./schema.ts";

/** A TWAP that runs has a slice each half minute, so one of before the take-up shows itself so soon after it. Milliseconds. */
const SHOWN_WITHIN_MS = 60_000;

type TwapFills = { market: string; buys: Decimal; sells: Decimal; lastAtMs: number };

/**
 * By market, what may be this bot's of that; empty where none may. Over for a market once a fill there has begun from nothing: whatever
 * was bought had been sold by then.
 */
export function listUnprovenTwaps(store: Store, { accountId, bot }: BotName): ReadonlyMap<string, Sums> {
  const mayBegin =
    hasRestores(store) && listBotGrants(store, accountId, bot).some(({ rails }) => rails.may.includes("twap"));
  if (!mayBegin) return NONE;
  const rows = twapFillsOf(store, accountId);
  const open = rows.filter(({ market, lastAtMs }) => !wasFlatSince(store, { accountId, market, lastAtMs }));
  return new Map(open.map(({ market, buys, sells }) => [market, { buys, sells }]));
}

const NONE: ReadonlyMap<string, Sums> = new Map();

function twapFillsOf(store: Store, accountId: string): TwapFills[] {
  const takeUp = findTakeUp(store, accountId);
  if (takeUp === null || takeUp.between.toMs === null) return [];
  const isThen = and(
    eq(fills.accountId, accountId),
    isNotNull(fills.twapId),
    gte(fills.timeMs, takeUp.between.sinceMs),
    lte(fills.timeMs, takeUp.between.toMs + SHOWN_WITHIN_MS),
  );
  const shown = store.selectDistinct({ twapId: fills.twapId }).from(fills).where(isThen).all();
  const ids = shown.flatMap(({ twapId }) => twapId ?? []);
  const ours = listTwapOperations(store, accountId, ids);
  const unknown = ids.filter((id) => !ours.has(id));
  if (unknown.length === 0) return [];
  const isTheirs = and(eq(fills.accountId, accountId), inArray(fills.twapId, unknown));
  const byMarket = Map.groupBy(store.select().from(fills).where(isTheirs).all(), ({ market }) => market);
  return [...byMarket].map(([market, all]) => ({
    market,
    buys: sizeOf(all, "buy"),
    sells: sizeOf(all, "sell"),
    lastAtMs: Math.max(...all.map(({ timeMs }) => timeMs)),
  }));
}

function sizeOf(all: readonly (typeof fills.$inferSelect)[], side: "buy" | "sell"): Decimal {
  return all.reduce((sum, fill) => (fill.side === side ? add(sum, fill.size) : sum), ZERO);
}

function wasFlatSince(
  store: Store,
  { accountId, market, lastAtMs }: Omit<TwapFills, keyof Sums> & { accountId: string },
) {
  const isLater = and(eq(fills.accountId, accountId), eq(fills.market, market), gte(fills.timeMs, lastAtMs + 1));
  const isFromNothing = and(isLater, eq(fills.startPosition, ZERO));
  return store.select({ timeMs: fills.timeMs }).from(fills).where(isFromNothing).limit(1).get() !== undefined;
}
