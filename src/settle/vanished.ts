import { compare } from "../core/decimal.ts";
import { WITNESSES_NEEDED } from "../core/evidence.ts";
import type { Filled, Leg } from "../core/order.ts";
import type { World } from "../deps.ts";
import { findCompleteTo, sumFillsOf } from "../store/fills.ts";
import type { Sight, Sought } from "./look.ts";
import type { Sweep } from "./sweep.ts";
import type { Sweeps } from "./sweeps.ts";

/**
 * Orders that rested by the exchange's own word and of which it has no record any more: it keeps about the newest 2,000
 * records of an account, and has been seen to lose some sooner. That such an order is over is said by an answer that
 * lacks it and itself holds something newer than the moment at which it was first missed.
 */
export type Vanished = {
  /** Looks for an order that a look-up by id has just missed; `not_found` until enough answers say that it is over. */
  look(sought: Sought): Promise<Sight>;
};

/** Shortest time between two answers that count, milliseconds. */
const SPACING_MS = 10_000;
/** Orders whose answers are remembered; past it the oldest starts over. */
const MAX_REMEMBERED = 10_000;

type Missed = { sinceMs: number; lastElapsedMs: number | null; count: number };

export function openVanished(world: World, sweeps: Sweeps): Vanished {
  const missed = new Map<string, Missed>();

  function remember(cloid: string): Missed {
    const known = missed.get(cloid);
    if (known !== undefined) return known;
    const oldest = missed.keys().next().value;
    if (missed.size >= MAX_REMEMBERED && oldest !== undefined) missed.delete(oldest);
    const fresh = { sinceMs: world.exchange.nowMs(), lastElapsedMs: null, count: 0 };
    missed.set(cloid, fresh);
    return fresh;
  }

  return {
    async look(sought) {
      const { leg, user, accountId } = sought;
      if (leg.oid === null || (leg.state !== "resting" && leg.state !== "armed")) return { kind: "not_found" };
      const memory = remember(leg.cloid);
      const nowMs = world.clock.elapsedMs();
      if (memory.lastElapsedMs !== null && nowMs - memory.lastElapsedMs < SPACING_MS) return { kind: "not_found" };
      memory.lastElapsedMs = nowMs;
      const sweep = await sweeps.read(user, accountId, { purpose: "settle", onNewConnection: true });
      if (sweep === null) return { kind: "failed", reason: "the list of open orders could not be read" };
      if (shows(sweep, leg.oid)) {
        missed.delete(leg.cloid);
        return { kind: "not_found" };
      }
      if (isNewerThan(sweep, memory.sinceMs)) memory.count += 1;
      if (memory.count < WITNESSES_NEEDED || !areFillsKnown(world, sought, memory)) return { kind: "not_found" };
      missed.delete(leg.cloid);
      return gone(leg, leg.oid, sumFillsOf(world.store, accountId, leg.oid));
    },
  };
}

function shows({ open, history }: Sweep, oid: string): boolean {
  return open.some((order) => order.oid === oid) || history.some(({ order }) => order.oid === oid);
}

/** The list of open orders and the history both hold something from after that moment, or the list alone does. */
function isNewerThan({ open, history }: Sweep, sinceMs: number): boolean {
  const isListNewer = open.some(({ timestampMs }) => timestampMs > sinceMs);
  return isListNewer || history.some(({ statusTimestampMs }) => statusTimestampMs > sinceMs);
}

/** The index of fills has been read to the end since the order was first missed: a feed tells nothing of before it. */
function areFillsKnown(world: World, { accountId }: Sought, { sinceMs }: Missed): boolean {
  return (findCompleteTo(world.store, accountId) ?? 0) >= sinceMs;
}

function gone(leg: Leg, oid: string, filled: Filled): Sight {
  const reason = "The exchange lists it as open no longer and keeps no record of it.";
  return {
    kind: "seen",
    isClosed: true,
    events: [
      compare(filled.size, leg.size) >= 0 ? { type: "filled", oid, filled } : { type: "canceled", oid, reason, filled },
    ],
  };
}
