import type { Account } from "../../core/account.ts";
import { copiesSinceMs } from "../../core/attempt.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { findAccount } from "../../store/accounts.ts";
import { listOpenAttempts } from "../../store/attempts.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { reopenShown } from "../feed/known-leg.ts";
import { newFills } from "../fills/new-fills.ts";
import { readSweep, type Sweep, sweepRequests } from "./sweep.ts";
import { nameUnnamed } from "./unnamed.ts";

/**
 * Sweeps of accounts, each for all attempts of an account that are open: forty lost answers would cost more weight than a
 * minute has, and ten that are looked for one after another as well.
 */
export type Sweeps = {
  /** @param sinceMs one that was asked for since then will do, elapsed milliseconds; null where only one of now will */
  read(about: SweptAccount, options: InfoOptions, sinceMs?: number | null): Promise<Sweep | Unread>;
  /** When the newest whole one was asked for, elapsed milliseconds; null where there is none. */
  newestMs(user: string): number | null;
};

/** The trading address of an account, and the account. */
type SweptAccount = { user: string; accountId: string };

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
  /** By trading address and kind of connection; whatever has become of them. */
  const last = new Map<string, BegunSweep>();
  /** By trading address, and of these the newest that is whole. */
  const newest = new Map<string, BegunSweep>();
  const whole = new Map<string, BegunSweep>();

  async function sweepNow({ user, accountId }: SweptAccount, options: InfoOptions): Promise<Sweep | Unread> {
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
    const news = newFills(world.store, accountId, sweep.fills);
    if (news.length > 0) heeding.onFills(account, news);
    if (reopenShown(world, account, mayBeCopies(world, sweep)).length > 0) heeding.onReopened();
    return sweep;
  }

  function ask(about: SweptAccount, options: InfoOptions): BegunSweep {
    const asked: BegunSweep = { atMs: world.clock.elapsedMs(), swept: sweepNow(about, options) };
    remember(newest, about.user, asked);
    const end = (isWhole: boolean) => {
      if (isWhole) remember(whole, about.user, asked);
      else if (newest.get(about.user) === asked) newest.delete(about.user);
    };
    asked.swept.then(
      (swept) => end(typeof swept !== "string"),
      () => end(false),
    );
    return asked;
  }

  return {
    read(about, options, sinceMs = null) {
      const { user } = about;
      const known = [newest, whole].map((those) => those.get(user)).find((asked) => isSince(asked, sinceMs));
      if (known !== undefined) return known.swept;
      const name = `${user} ${options.onNewConnection ?? false}`;
      const shared = last.get(name);
      if (shared !== undefined && world.clock.elapsedMs() - shared.atMs < SHARED_FOR_MS) return shared.swept;
      const asked = ask(about, options);
      remember(last, name, asked);
      return asked.swept;
    },
    newestMs: (user) => whole.get(user)?.atMs ?? null,
  };
}

type BegunSweep = { atMs: number; swept: Promise<Sweep | Unread> };

function isSince(asked: BegunSweep | undefined, sinceMs: number | null): asked is BegunSweep {
  return asked !== undefined && sinceMs !== null && asked.atMs >= sinceMs;
}

function remember(those: Map<string, BegunSweep>, name: string, asked: BegunSweep): void {
  those.delete(name);
  those.set(name, asked);
  const [oldest] = those.keys();
  if (those.size > MAX_REMEMBERED && oldest !== undefined) those.delete(oldest);
}

/** Of the history only what is so new that a copy of a refused action may have placed it: it may have thousands of rows. */
function* mayBeCopies({ exchange }: With<"exchange">, { open, history }: Sweep): Generator<FrontendOrder> {
  yield* open;
  const sinceMs = copiesSinceMs(exchange.nowMs());
  for (const { order, status } of history)
    if (order.timestampMs > sinceMs && statusMeaning(status) !== "rejected") yield order;
}
