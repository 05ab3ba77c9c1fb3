import { compare } from "../core/decimal.ts";
import type { Filled, Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { findCompleteTo, sumFillsOf } from "../store/fills.ts";
import { findOrder } from "../store/orders.ts";
import type { Sight, Sought } from "./look.ts";
import { reachesBackTo, type Sweep } from "./sweep.ts";
import type { Sweeps } from "./sweeps.ts";

/**
 * Orders that rested by the exchange's own word and of which it has no record any more. It keeps about the newest 2,000
 * records of an account, so the end of an order can be forgotten before we have seen it. Its list of open orders is a
 * statement of its own: what rested once and is not in it, in a later state, is over.
 */
export type Vanished = {
  /** Looks for an order that a look-up by id has just missed; `not_found` until enough readings agree that it is over. */
  look(sought: Sought): Promise<Sight>;
};

/** Readings without the order that it takes, each over a connection of its own and in a state later than the last one's. */
const READINGS_NEEDED = 3;
/** Shortest time between two readings that count, milliseconds of exchange time. */
const SPACING_MS = 10_000;
/** Orders whose readings are remembered; past it the oldest starts over. */
const MAX_REMEMBERED = 10_000;

type Missed = { sinceMs: number; lastChainTimeMs: number; count: number };

export function openVanished(world: World, sweeps: Sweeps): Vanished {
  const missed = new Map<string, Missed>();

  function remember(cloid: string): Missed {
    const known = missed.get(cloid);
    if (known !== undefined) return known;
    const oldest = missed.keys().next().value;
    if (missed.size >= MAX_REMEMBERED && oldest !== undefined) missed.delete(oldest);
    const fresh = { sinceMs: world.exchange.nowMs(), lastChainTimeMs: 0, count: 0 };
    missed.set(cloid, fresh);
    return fresh;
  }

  return {
    async look(sought) {
      const { leg, user, accountId } = sought;
      if (leg.oid === null || (leg.state !== "resting" && leg.state !== "armed")) return { kind: "not_found" };
      const memory = remember(leg.cloid);
      const timed = await sweeps.read(user, accountId, { purpose: "settle", onNewConnection: true });
      if (timed === null) return { kind: "failed", reason: "the list of open orders could not be read" };
      if (shows(timed.sweep, leg.oid) || reachesBackTo(timed.sweep, placedAtMs(world, leg))) {
        // It is there after all, or its record ought to be: nothing follows from a look-up that missed it.
        missed.delete(leg.cloid);
        return { kind: "not_found" };
      }
      if (timed.chainTimeMs < Math.max(memory.sinceMs, memory.lastChainTimeMs + SPACING_MS))
        return { kind: "not_found" };
      memory.lastChainTimeMs = timed.chainTimeMs;
      memory.count += 1;
      if (memory.count < READINGS_NEEDED || !areFillsKnown(world, sought, memory)) return { kind: "not_found" };
      missed.delete(leg.cloid);
      return gone(leg, leg.oid, sumFillsOf(world.store, accountId, leg.oid));
    },
  };
}

function shows({ open, history }: Sweep, oid: string): boolean {
  return open.some((order) => order.oid === oid) || history.some(({ order }) => order.oid === oid);
}

/** Exchange time at which it was signed, or, of an order from outside, placed. */
function placedAtMs({ store }: World, leg: Leg): number {
  const placed = listAttemptsOf(store, leg.orderId).find(({ cloid }) => cloid === leg.cloid);
  return placed?.nonce ?? findOrder(store, leg.orderId)?.createdAtMs ?? 0;
}

/** The index of fills has been read to the end since the order was first missed: a feed tells nothing of before it. */
function areFillsKnown(world: World, { accountId }: Sought, { sinceMs }: Missed): boolean {
  return (findCompleteTo(world.store, accountId) ?? 0) >= sinceMs;
}

function gone(leg: Leg, oid: string, filled: Filled): Sight {
  const reason = "The exchange lists it as open no longer and keeps no record that old.";
  return {
    kind: "seen",
    isClosed: true,
    events: [
      compare(filled.size, leg.size) >= 0 ? { type: "filled", oid, filled } : { type: "canceled", oid, reason, filled },
    ],
  };
}
