import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import type { ChainTime } from "./chain-time.ts";
import { readSweep, type Sweep, sweepRequests } from "./sweep.ts";

/** A sweep with the time that the exchange's state had reached just before it, unix milliseconds. */
export type TimedSweep = { sweep: Sweep; chainTimeMs: number };

/**
 * Sweeps of accounts, each shared by all attempts of an account that want one at the same time: forty lost answers
 * would cost more weight than a minute has.
 */
export type Sweeps = {
  /** Null when any part could not be read. */
  read(user: string, accountId: string, options: InfoOptions): Promise<TimedSweep | null>;
};

/** Less than the time between two looks of one attempt that count, so that none counts the same sweep twice. */
const SHARED_FOR_MS = 900;
/** Accounts whose last sweep is remembered. */
const MAX_REMEMBERED = 100;

export function openSweeps(world: World, chainTime: ChainTime): Sweeps {
  const last = new Map<string, { atMs: number; swept: Promise<TimedSweep | null> }>();

  async function sweepNow(user: string, accountId: string, options: InfoOptions): Promise<TimedSweep | null> {
    // A nonce is the exchange time of its making.
    const sentAtMs = listOpenAttempts(world.store)
      .filter((attempt) => attempt.accountId === accountId)
      .reduce((least, attempt) => Math.min(least, attempt.nonce), world.exchange.nowMs());
    const timed = await chainTime.readWith(user, sweepRequests(world, user, sentAtMs), options);
    const sweep =
      timed === null ? null : await readSweep(world, { user, sinceMs: sentAtMs, json: timed.json }, options);
    return timed === null || sweep === null ? null : { sweep, chainTimeMs: timed.chainTimeMs };
  }

  return {
    read(user, accountId, options) {
      const name = `${user} ${options.onNewConnection ?? false}`;
      const nowMs = world.clock.elapsedMs();
      const shared = last.get(name);
      if (shared !== undefined && nowMs - shared.atMs < SHARED_FOR_MS) return shared.swept;
      const oldest = last.keys().next().value;
      if (last.size >= MAX_REMEMBERED && oldest !== undefined) last.delete(oldest);
      const swept = sweepNow(user, accountId, options);
      last.delete(name);
      last.set(name, { atMs: nowMs, swept });
      return swept;
    },
  };
}
