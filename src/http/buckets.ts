/** Buckets of requests: of keys that have proven who they are, and of addresses, which prove nothing. */
import { type BucketLevel, type Draw, draw, isFull, type Rate } from "../core/rate.ts";
import { networkOf } from "./client-address.ts";

/**
 * Buckets of addresses, which cost nothing: whoever rents one IPv6 network has four billion of them. So there is room
 * for so many, a bucket keeps its place until it is full again, and an address that finds no room draws on the bucket of
 * its network, or on one for everybody else. A bucket that gets a place of its own begins with what was left in the one
 * that it shared: no address is ever let through more often than its own bucket would have, whoever else asks.
 */
export type AddressBuckets = { draw(address: string, nowMs: number): Draw };

export type BucketRoom = { addresses: number; networks: number };

const ROOM: BucketRoom = { addresses: 10_000, networks: 1_000 };
/** Full ones are looked for at most this often, milliseconds: looking must not be what a flood costs. */
const LOOK_EVERY_MS = 1_000;

export function openAddressBuckets(rate: Rate, room: BucketRoom = ROOM): AddressBuckets {
  const addresses = openPlaces(rate, room.addresses);
  const networks = openPlaces(rate, room.networks);
  let everybodyElse: BucketLevel | null = null;

  function take(level: BucketLevel | null, nowMs: number, keep: (level: BucketLevel) => void): Draw {
    const drawn = draw(rate, level, nowMs);
    keep(drawn.level);
    return drawn;
  }

  return {
    draw(address, nowMs) {
      const network = networkOf(address);
      const shared = networks.levels.get(network) ?? everybodyElse;
      if (addresses.hasPlace(address, nowMs)) {
        return take(addresses.levels.get(address) ?? shared, nowMs, (level) => addresses.levels.set(address, level));
      }
      if (networks.hasPlace(network, nowMs)) {
        return take(shared, nowMs, (level) => networks.levels.set(network, level));
      }
      return take(everybodyElse, nowMs, (level) => {
        everybodyElse = level;
      });
    },
  };
}

type BucketPlaces = { levels: Levels; hasPlace(name: string, nowMs: number): boolean };

function openPlaces(rate: Rate, most: number): BucketPlaces {
  const levels = openLevels(rate);
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    levels,
    hasPlace(name, nowMs) {
      if (levels.get(name) !== null || levels.size < most) return true;
      if (nowMs - lookedMs < LOOK_EVERY_MS) return false;
      lookedMs = nowMs;
      levels.forgetFull(nowMs);
      return levels.size < most;
    },
  };
}

/** Buckets of one rate that somebody has drawn on, by name. */
export type Levels = {
  get(name: string): BucketLevel | null;
  set(name: string, level: BucketLevel): void;
  /** Forgets the buckets that are full again, which is no loss: one that was never drawn on is full. Nothing else is. */
  forgetFull(nowMs: number): void;
  readonly size: number;
};

export function openLevels(rate: Rate): Levels {
  const levels = new Map<string, BucketLevel>();
  return {
    get: (name) => levels.get(name) ?? null,
    set: (name, level) => void levels.set(name, level),
    forgetFull(nowMs) {
      for (const [name, level] of levels) if (isFull(rate, level, nowMs)) levels.delete(name);
    },
    get size() {
      return levels.size;
    },
  };
}

/** Buckets of keys that have proven who they are: as many as there are keys, and none is forgotten before it is full. */
export type KeyBuckets = { draw(keyHash: string, nowMs: number, count?: number): Draw };

/** Below so many nobody looks for full ones. */
const FEW = 1_024;

export function openKeyBuckets(rate: Rate): KeyBuckets {
  const levels = openLevels(rate);
  let enough = FEW;
  return {
    draw(keyHash, nowMs, count) {
      const drawn = draw(rate, levels.get(keyHash), nowMs, count);
      levels.set(keyHash, drawn.level);
      if (levels.size > enough) {
        levels.forgetFull(nowMs);
        // Twice what is left, so that looking costs no request more than a few of them.
        enough = Math.max(FEW, 2 * levels.size);
      }
      return drawn;
    },
  };
}
