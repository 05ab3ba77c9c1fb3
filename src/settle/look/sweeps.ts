import type { Account } from "../../core/account.ts";
import { copiesSinceMs } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { findAccount } from "../../store/accounts.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import { findCompleteTo } from "../../store/fills.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { reopenShown } from "../feed/known-leg.ts";
import { OVERLAP_MS } from "../fills/index-fills.ts";
import { readSweep, type Sweep, sweepRequests } from "./sweep.ts";
import { nameUnnamed } from "./unnamed.ts";

/**
 * Sweeps of accounts, each shared by all attempts of an account that want one at the same time: forty lost answers
 * would cost more weight than a minute has.
 */
export type Sweeps = {
  read(user: string, accountId: string, options: InfoOptions): Promise<Sweep | Unread>;
};

/** Who is told of what a reading shows beside what it was made for. */
export type SweepHeeding = {
  /** Something that had been concluded never to have arrived was shown: it is open again. */
  onReopened(): void;
  /** Fills of whatever order: what is known of one is not to be told without them. */
  onFills(account: Account, fills: readonly Fill[]): void;
};

/** `failed`: a part of it could not be read. `no_room`: our own weight had none for it, and nothing was asked. */
export type Unread = "failed" | "no_room";

type ToSweep = With<"clock" | "exchange" | "feeds" | "log" | "markets" | "settings" | "store">;

/** Less than the time between two answers that both count, so that none counts the same sweep twice. */
const SHARED_FOR_MS = 900;
/** Accounts whose last sweep is remembered. */
const MAX_REMEMBERED = 100;

export function openSweeps(world: ToSweep, heeding: SweepHeeding): Sweeps {
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
    const account = findAccount(world.store, accountId);
    if (account === null) return sweep;
    // What is older the index has: a reading may reach back over thousands.
    const knownToMs = (findCompleteTo(world.store, accountId) ?? 0) - OVERLAP_MS;
    const news = sweep.fills.filter(({ timeMs }) => timeMs >= knownToMs);
    if (news.length > 0) heeding.onFills(account, news);
    if (reopenShown(world, account, mayBeCopies(world, sweep)).length > 0) heeding.onReopened();
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

/** Of the history only what is so new that a copy of a refused action may have placed it: it may have thousands of rows. */
function* mayBeCopies({ exchange }: With<"exchange">, { open, history }: Sweep): Generator<FrontendOrder> {
  yield* open;
  const sinceMs = copiesSinceMs(exchange.nowMs());
  for (const { order, status } of history)
    if (order.timestampMs > sinceMs && statusMeaning(status) !== "rejected") yield order;
}
