import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import { readSweep, type Sweep, sweepRequests } from "./sweep.ts";
import { nameUnnamed } from "./unnamed.ts";

/**
 * Sweeps of accounts, each shared by all attempts of an account that want one at the same time: forty lost answers
 * would cost more weight than a minute has.
 */
export type Sweeps = {
  read(user: string, accountId: string, options: InfoOptions): Promise<Sweep | Unread>;
};

/** `failed`: a part of it could not be read. `no_room`: our own weight had none for it, and nothing was asked. */
export type Unread = "failed" | "no_room";

/** Less than the time between two answers that both count, so that none counts the same sweep twice. */
const SHARED_FOR_MS = 900;
/** Accounts whose last sweep is remembered. */
const MAX_REMEMBERED = 100;

export function openSweeps(world: With<"clock" | "exchange" | "feeds" | "settings" | "store">): Sweeps {
  const last = new Map<string, { atMs: number; swept: Promise<Sweep | Unread> }>();

  async function sweepNow(user: string, accountId: string, options: InfoOptions): Promise<Sweep | Unread> {
    // From the oldest of all that are looked for; a nonce is the exchange time of its making.
    const sinceMs = listOpenAttempts(world.store)
      .filter((attempt) => attempt.accountId === accountId)
      .reduce((least, attempt) => Math.min(least, attempt.nonce), world.exchange.nowMs());
    const outcome = await world.exchange.infoInTurn(sweepRequests(world, user, sinceMs), options);
    if (outcome.kind === "failed") return outcome.isOurBudget ? "no_room" : "failed";
    const sweep = await readSweep(world, { user, sinceMs, json: outcome.json }, options);
    if (sweep === null) return "failed";
    nameUnnamed(world, accountId, [...sweep.open, ...sweep.history.map(({ order }) => order)]);
    return sweep;
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
