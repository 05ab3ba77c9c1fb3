import type { Account } from "../core/account.ts";
import { compare, isNegative, isZero, ZERO } from "../core/decimal.ts";
import { CLOCK_DOUBT_MS, WITNESSES_NEEDED } from "../core/evidence.ts";
import type { With } from "../deps.ts";
import { comparePosition, heldByFills } from "../settle/evidence/position-check.ts";
import { sumFillsOf } from "../store/fills.ts";
import type { StoredOrder } from "../store/orders.ts";

/** Between two positions that count, milliseconds. */
const SPACING_MS = 30_000;
/** Stops of which looks are remembered; past it the oldest starts over. */
const MAX_REMEMBERED = 1_000;

/** `sinceMs`: exchange time after which a position has to be; `seen`: such positions, apart, and the elapsed time of the last. */
type LookPace = { sinceMs: number; seen: number; lastElapsedMs: number };

export type ClosedByOthers = {
  /**
   * True once a stop that stands in for that of `parent` has nothing to reduce: all fills of `parent` are known, and two positions, half a
   * minute apart, stand where the known fills have left them, which is nothing on that side. It is an order that stays behind, and would
   * close what somebody opens next.
   */
  isClosed(closed: { account: Account; order: StoredOrder; parent: StoredOrder }): Promise<boolean>;
};

export function openClosedByOthers(world: With<"clock" | "exchange" | "feeds" | "store">): ClosedByOthers {
  const looks = new Map<string, LookPace>();
  return {
    async isClosed({ account, order, parent }) {
      if (!areAllKnown(world, parent) || holdsSomething(world, order)) {
        looks.delete(order.id);
        return false;
      }
      const nowMs = world.clock.elapsedMs();
      const look = looks.get(order.id) ?? {
        sinceMs: world.exchange.nowMs() + CLOCK_DOUBT_MS,
        seen: 0,
        lastElapsedMs: nowMs,
      };
      const oldest = looks.keys().next().value;
      if (looks.size >= MAX_REMEMBERED && oldest !== undefined) looks.delete(oldest);
      looks.set(order.id, look);
      if (nowMs - look.lastElapsedMs < SPACING_MS) return false;
      look.lastElapsedMs = nowMs;
      const about = { user: account.tradingAddress, accountId: account.id, market: order.market, read: [] };
      const word = await comparePosition(world, { ...about, sinceMs: look.sinceMs }, { purpose: "settle" });
      // A fill may have come while that was read.
      look.seen = word === "unmoved" && !holdsSomething(world, order) ? look.seen + 1 : 0;
      return look.seen >= WITNESSES_NEEDED;
    },
  };
}

function areAllKnown(
  { store }: With<"store">,
  { accountId, exchangeOrderId, filledSize, ...parent }: StoredOrder,
): boolean {
  if (filledSize === null || exchangeOrderId === null) return false;
  return compare(sumFillsOf(store, accountId, { ...parent, oid: exchangeOrderId }).size, filledSize) >= 0;
}

/** By the known fills. */
function holdsSomething({ store }: With<"store">, { accountId, market, side }: StoredOrder): boolean {
  const held = heldByFills(store, accountId).get(market) ?? ZERO;
  return !isZero(held) && isNegative(held) === (side === "buy");
}
