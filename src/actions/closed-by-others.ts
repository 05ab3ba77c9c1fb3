import type { Account } from "../core/account.ts";
import { compare, isNegative, isZero, ZERO } from "../core/decimal.ts";
import { CLOCK_DOUBT_MS, WITNESSES_NEEDED } from "../core/evidence.ts";
import { keptMoment } from "../core/kept-moment.ts";
import type { With } from "../deps.ts";
import { comparePosition, heldByFills } from "../settle/evidence/position-check.ts";
import { sumFillsOf } from "../store/fills.ts";
import type { StoredOrder } from "../store/orders.ts";

/** Between two readings of the position that count, milliseconds. */
const SPACING_MS = 30_000;
/** Stops whose readings are remembered; past it the oldest begins again. */
const MAX_REMEMBERED = 1_000;

type PositionReadings = {
  /** Exchange time after which a reading has to be. */
  sinceMs: number;
  /** How many have shown nothing to reduce, one after the other. */
  seen: number;
  /** Elapsed time of the last one, milliseconds. */
  lastElapsedMs: number;
};

export type ClosedByOthers = {
  /**
   * True once a stop that stands in for that of `parent` has nothing left to reduce: all fills of `parent` are known, and two readings of
   * the position, half a minute apart, agree with the known fills that nothing is held on its side. Such a stop is left over, and would
   * close what somebody opens next.
   */
  isClosed(closed: { account: Account; order: StoredOrder; parent: StoredOrder }): Promise<boolean>;
};

export function openClosedByOthers(world: With<"clock" | "exchange" | "feeds" | "store">): ClosedByOthers {
  const looks = new Map<string, PositionReadings>();
  return {
    async isClosed({ account, order, parent }) {
      if (!areAllKnown(world, parent) || holdsSomething(world, order)) {
        looks.delete(order.id);
        return false;
      }
      const nowMs = world.clock.elapsedMs();
      const byNowMs = world.exchange.nowMs() + CLOCK_DOUBT_MS;
      const look = looks.get(order.id) ?? { sinceMs: byNowMs, seen: 0, lastElapsedMs: nowMs };
      look.sinceMs = keptMoment(look.sinceMs, byNowMs);
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

/** Whether, by the known fills, something is held that the stop would reduce. */
function holdsSomething({ store }: With<"store">, { accountId, market, side }: StoredOrder): boolean {
  const held = heldByFills(store, accountId).get(market) ?? ZERO;
  return !isZero(held) && isNegative(held) === (side === "buy");
}
