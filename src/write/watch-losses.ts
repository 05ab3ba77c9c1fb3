/**
 * Watches what bots lose on a day. Best effort: it goes by marks as they are told, by fees and funding as far as they
 * are read, and begins a day with the first mark that it knows of.
 */
import type { Account } from "../core/account.ts";
import { add, compare, type Decimal, isZero, ZERO } from "../core/decimal.ts";
import { dexOf, findMarket } from "../core/market.ts";
import { fundingShare } from "../core/rails/loss.ts";
import { dayOf } from "../core/rails/trip.ts";
import { newUuid } from "../core/uuid.ts";
import type { With } from "../deps.ts";
import { beginStop } from "../settle/stop/begin-stop.ts";
import { listAccounts } from "../store/accounts.ts";
import type { StoredDayMarket } from "../store/bot-books.ts";
import { findBotDay, listBotNets, noteFees } from "../store/bots.ts";
import { inTransaction } from "../store/commit.ts";
import { countFillsOfDay, sumFeesOfDay } from "../store/day-fees.ts";
import { listDayMarkets, newDayMarket, putDayMarket } from "../store/day-markets.ts";
import { type HeldBot, listHeldBots } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { findTrip, insertTrip } from "../store/trips.ts";
import { lossToday } from "./day-loss.ts";

export type ToWatchLosses = With<
  "clock" | "marketView" | "markets" | "picture" | "randomBytes" | "state" | "stopper" | "store"
>;

/** Between two looks, milliseconds. */
export const LOSS_INTERVAL_MS = 5_000;
/** Greatest age of the marks at which a loss is worked out, milliseconds. */
const LOSS_MARK_MAX_AGE_MS = 10_000;
/**
 * Between two questions for a mark, milliseconds: asking keeps the market followed, which costs nothing; where no feed
 * tells the mark, the question does.
 */
const ASK_EVERY_MS = 30_000;

/** `limit`: what it may lose on a day; null where it is held to none, and its loss is told all the same. */
type WatchedBot = HeldBot & { account: Account; limit: Decimal | null };

/** `isStopped` says that the database may be closed by now. */
export function openLossWatch(deps: ToWatchLosses, isStopped: () => boolean) {
  const askedAtMs = new Map<string, number>();
  const countedFills = new Map<string, string>();

  /**
   * Asks for marks every half minute, for all bots together, and of all markets when it is the time of one: a loss is worked out where the marks of all
   * of them are known at once.
   */
  async function ask(markets: readonly string[]): Promise<void> {
    const nowMs = deps.clock.elapsedMs();
    const universe = deps.markets.current();
    if (markets.every((name) => nowMs - (askedAtMs.get(name) ?? -ASK_EVERY_MS) < ASK_EVERY_MS)) return;
    for (const name of markets) askedAtMs.set(name, nowMs);
    const listed = markets.flatMap((name) => (universe === null ? [] : (findMarket(universe, name) ?? [])));
    await Promise.all(listed.map((market) => deps.marketView.mark(market, "reduce")));
  }

  /** Counts the fees of all bots of an account, anew when there are fills that were not counted. */
  function countFees(account: Account, bots: readonly WatchedBot[], day: number): void {
    const count = `${day} ${countFillsOfDay(deps.store, account.id, day)}`;
    if (countedFills.get(account.id) === count) return;
    countedFills.set(account.id, count);
    const fees = sumFeesOfDay(deps.store, account.id, day);
    inTransaction(deps.store, (store) => {
      for (const { rails } of bots) {
        const of = { accountId: account.id, bot: rails.bot, day };
        const sum = fees.get(rails.bot) ?? ZERO;
        if (findBotDay(store, of, deps.clock.nowMs()).fees !== sum) noteFees(store, of, sum);
      }
    });
  }

  return {
    async look(): Promise<void> {
      if (deps.state.phase !== "ready") return;
      const watched = listWatched(deps.store);
      await ask([...new Set(watched.flatMap((bot) => marketsOf(deps.store, bot, dayOf(deps.clock.nowMs()))))]);
      if (isStopped()) return;
      const day = dayOf(deps.clock.nowMs());
      for (const [account, bots] of Map.groupBy(watched, (bot) => bot.account)) countFees(account, bots, day);
      for (const bot of watched) lookAt(deps, bot, day);
    },
  };
}

function listWatched(store: Store): WatchedBot[] {
  return listAccounts(store).flatMap((account) =>
    listHeldBots(store, account.id).map((held) => ({ ...held, account, limit: held.rails.maxLossPerDay })),
  );
}

function marketsOf(store: Store, { account, rails }: WatchedBot, day: number): string[] {
  const of = { accountId: account.id, bot: rails.bot };
  const opened = listDayMarkets(store, { ...of, day }).filter(({ openNet }) => !isZero(openNet));
  return [...listBotNets(store, of.accountId, of.bot).keys(), ...opened.map(({ market }) => market)];
}

function lookAt(deps: ToWatchLosses, watched: WatchedBot, day: number): void {
  noteMarkets(deps, watched, day);
  const { account, rails, limit } = watched;
  if (limit === null) return;
  const of = { accountId: account.id, bot: rails.bot };
  if (findTrip(deps.store, of, day) !== null) return;
  const loss = lossToday(deps, deps.store, { ...of, maxAgeMs: LOSS_MARK_MAX_AGE_MS });
  if (loss !== null && compare(loss, limit) >= 0) trip(deps, watched, { loss, limit, day });
}

/** Notes at which mark a bot's day began in each market, and funding that was paid since the last look. */
function noteMarkets(deps: ToWatchLosses, { account, rails }: WatchedBot, day: number): void {
  const of = { accountId: account.id, bot: rails.bot, day };
  const nets = listBotNets(deps.store, of.accountId, of.bot);
  const known = new Map(listDayMarkets(deps.store, of).map((row) => [row.market, row]));
  const changed = [...new Set([...nets.keys(), ...known.keys()])].flatMap((market) => {
    const net = nets.get(market) ?? ZERO;
    const before = known.get(market) ?? newDayMarket(market, net);
    const after = { ...before, ...openedIn(deps, before), ...fundedIn(deps, account, { row: before, net }) };
    const isSame = known.has(market) && JSON.stringify(after) === JSON.stringify(before);
    return isSame ? [] : [after];
  });
  if (changed.length === 0) return;
  inTransaction(deps.store, (store) => {
    for (const row of changed) putDayMarket(store, of, row);
  });
}

function openedIn({ marketView }: ToWatchLosses, { openMark, market }: StoredDayMarket) {
  const shown = marketView.peek("mark", market);
  const isNew = openMark === null && shown !== null && shown.ageMs <= LOSS_MARK_MAX_AGE_MS;
  return isNew ? { openMark: shown.value.mark } : {};
}

function fundedIn({ picture }: ToWatchLosses, account: Account, { row, net }: { row: StoredDayMarket; net: Decimal }) {
  const state = picture.state(account.tradingAddress, dexOf(row.market));
  const position = state?.value.positions.find(({ coin }) => coin === row.market);
  if (position === undefined) return {};
  const { fundingSinceOpen: now, signedSize } = position;
  const share = fundingShare({ before: row.fundingShown, now, position: signedSize, net });
  return { funding: add(row.funding, share), fundingShown: now };
}

/**
 * Trips a bot: from the commit on nothing of it increases; what is out and could increase is withdrawn, and what
 * protects stays.
 */
function trip(
  deps: ToWatchLosses,
  { account, rails, keyHash }: WatchedBot,
  { loss, limit, day }: { loss: Decimal; limit: Decimal; day: number },
) {
  const { id: accountId } = account;
  inTransaction(deps.store, (store) => {
    const atMs = deps.clock.nowMs();
    const { bot } = rails;
    const made = { id: newUuid(deps.randomBytes(16)), accountId, bot, cause: "loss", day, loss, limit } as const;
    insertTrip(store, { ...made, createdAtMs: atMs, clearedAtMs: null }, "gateway");
    // One of its keys stands for the whole bot.
    const wanted = { accountId, scope: "bot", keyHash, cause: "loss_tripped", keepsProtection: true } as const;
    beginStop(store, deps, { ...wanted, actor: "gateway", idempotencyKey: null });
  });
  deps.stopper.heed();
}
