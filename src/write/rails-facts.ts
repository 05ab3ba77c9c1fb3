/**
 * The facts by which a key with rails is judged: our rows as they are in the intent's transaction, and what the feeds
 * have told.
 */
import type { Account } from "../core/account.ts";
import { copiesSinceMs } from "../core/attempt.ts";
import { type Decimal, isZero, larger, smaller, ZERO } from "../core/decimal.ts";
import { dexOf, findMarket, isSpot } from "../core/market.ts";
import type { OpenLeg, Reference, Sums } from "../core/rails/exposure.ts";
import type { Books } from "../core/rails/left.ts";
import type { Rails } from "../core/rails/rails.ts";
import { dayOf } from "../core/rails/trip.ts";
import type { Facts } from "../core/rails/wish.ts";
import type { ToJudge, With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { takeOrAskFills } from "../settle/evidence/positions-before.ts";
import { within } from "../settle/within.ts";
import { bookOf, dayIn } from "../store/bot-books.ts";
import { listBotTwaps } from "../store/bot-twap-rows.ts";
import { botOf, listBotNets } from "../store/bots.ts";
import { haltOf } from "../store/halts.ts";
import { type FilledAt, KEPT_MS, sumAllJustFilled, sumJustFilled } from "../store/just-filled.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { listReservedLegs } from "../store/trades.ts";
import { listUnprovenTwaps } from "../store/unproven-twaps.ts";
import { listUnusedLegs } from "../store/unused-numbers.ts";
import type { Caller } from "./caller.ts";
import { lossToday } from "./day-loss.ts";
import { isSettingKnown, readSetting, settingsOf } from "./leverage-facts.ts";
import { LAST_PRICE_MAX_AGE_MS, MARK_MAX_AGE_MS, newestReference } from "./newest-reference.ts";
import { closeEndedTwaps } from "./twap-ends.ts";

/** How long a reduction waits for newer facts, milliseconds. */
const REDUCTION_WAITS_MS = 1_000;
/** How long an increase waits for newer facts, milliseconds; the rest of the time of its answer is left for sending. */
const INCREASE_WAITS_MS = 2_000;

export type Needed = {
  account: Account;
  rails: Pick<Rails, "bot" | "maxExposure" | "maxLeverage" | "maxLossPerDay" | "maxTurnoverPerDay">;
  /** The market in which something would be stored. */
  market: string;
  isReduction: boolean;
  /** True where the request changes leverage or margin. */
  isSetting: boolean;
};

/**
 * Before the transaction: reads the facts that are missing or too old. Null where nothing has to be waited for, as most
 * often. What stays missing the judge speaks of (`rails_unproven`).
 */
export function readFacts(deps: ToJudge, needed: Needed): Promise<void> | null {
  const { account, rails, market, isReduction } = needed;
  // These rails are about all markets in which the bot holds something or has something out.
  const sums = [rails.maxExposure, rails.maxLossPerDay, rails.maxTurnoverPerDay];
  const isAlone = isReduction || sums.every((rail) => rail === null);
  const markets = isAlone ? [market] : marketsOf(deps, { account, bot: rails.bot, market });
  const untold = markets.filter((each) => !deps.marketView.isMarkTold(each, MARK_MAX_AGE_MS));
  const all = untold.map((each) => readPrice(deps, each, isReduction));
  if (!isReduction && listBotTwaps(deps.store, account.id).length > 0) all.push(closeEndedTwaps(deps, account));
  const isHeld = needed.isSetting || (!isReduction && rails.maxLeverage !== null);
  if (isHeld && !isSpot(market) && !isSettingKnown(deps, { account, market }))
    all.push(readSetting(deps, { account, market }));
  if (!isSpot(market) && accountState(deps, account, dexOf(market)) === null)
    all.push(readPosition(deps, { account, market, purpose: isReduction ? "reduce" : "order" }));
  if (all.length === 0) return null;
  const reading = Promise.all(all).then(() => undefined);
  return atMost(deps, reading, isReduction ? REDUCTION_WAITS_MS : INCREASE_WAITS_MS);
}

async function atMost({ clock }: With<"clock">, reading: Promise<void>, ms: number): Promise<void> {
  await within(clock, ms, reading);
}

/** The market that is asked for, and all others in which the bot holds something or has something out. */
function marketsOf({ store }: With<"store">, of: { account: Account; bot: string; market: string }): string[] {
  const { account, bot, market } = of;
  const markets = new Set([market]);
  for (const held of listBotNets(store, account.id, bot).keys()) markets.add(held);
  for (const unproven of listUnprovenTwaps(store, { accountId: account.id, bot }).keys()) markets.add(unproven);
  for (const leg of listOpenLegs(store, account.id)) if (leg.bot === bot) markets.add(leg.market);
  return [...markets];
}

async function readPrice(deps: ToJudge, name: string, isReduction: boolean): Promise<void> {
  const universe = deps.markets.current();
  const market = universe === null ? null : findMarket(universe, name);
  if (market !== null) await deps.marketView.mark(market, isReduction ? "reduce" : "order", MARK_MAX_AGE_MS);
}

type PositionOf = { account: Account; market: string; purpose: Purpose };

/** Reads the position again, for no longer than an increase waits for what it is judged by. */
export function rereadPosition(deps: ToJudge, of: PositionOf): Promise<void> {
  return atMost(deps, readPosition(deps, of), INCREASE_WAITS_MS);
}

/** Between two readings of a position that is of before what was filled last, milliseconds. */
const REREAD_PAUSE_MS = 400;

/** Reads the position until it is of after what was filled last, for no longer than an increase waits for what it is judged by. */
export async function readPositionAnew(deps: ToJudge, of: PositionOf): Promise<void> {
  const untilMs = deps.clock.elapsedMs() + INCREASE_WAITS_MS;
  await atMost(deps, readAfterFills(deps, of, untilMs), INCREASE_WAITS_MS);
}

async function readAfterFills(deps: ToJudge, of: PositionOf, untilMs: number): Promise<void> {
  for (;;) {
    const isTaken = await askForPosition(deps, of);
    const { buys, sells } = movedOf(deps, of);
    if (isTaken && isZero(buys) && isZero(sells)) return;
    if (deps.clock.elapsedMs() + REREAD_PAUSE_MS >= untilMs) return;
    await deps.clock.sleep(REREAD_PAUSE_MS);
  }
}

/**
 * Not what others were told a moment ago: that may be of before what was filled since. An account that quotes has many requests of one moment, which
 * wait for the same: it is dated by when it was asked for, and taken or not by all that is told when it is there.
 */
async function askForPosition(deps: ToJudge, { account, market, purpose }: PositionOf): Promise<boolean> {
  const dex = dexOf(market);
  const read = await deps.reads.clearinghouseAnew(account.tradingAddress, dex, purpose);
  return read.kind === "ok" && takeOrAskFills(deps, { account, dex }, read) === "now";
}

/**
 * How many resting orders are looked at, the newest, before a reduction is refused because their fills may not be told
 * yet.
 */
const MAX_LOOKED_AT = 4;

/**
 * Looks at resting orders of a bot that increase: they may have been filled without its being told, and what they have
 * filled is then the bot's own to reduce. Returns the ids of those that nothing has shown: what they were filled nobody knows.
 */
export async function lookAtOpened(
  { store, settling, clock }: With<"clock" | "settling" | "store">,
  { account, key, reader, market }: Pick<Caller, "account" | "key" | "reader"> & { market: string },
): Promise<ReadonlySet<string>> {
  const bot = botOf(store, key.keyHash);
  const resting = listOpenLegs(store, account.id).filter(
    (leg) => leg.bot === bot && leg.market === market && !leg.canOnlyReduce && leg.price !== null,
  );
  const unshown = new Set(resting.map(({ orderId }) => orderId));
  const looking = resting.slice(-MAX_LOOKED_AT).map(async ({ orderId }) => {
    const looked = await settling.look(orderId, reader);
    if (looked === "open" || looked === "closed") unshown.delete(orderId);
  });
  await atMost(
    { clock },
    Promise.all(looking).then(() => undefined),
    REDUCTION_WAITS_MS,
  );
  // What is shown later than it was waited for was not known then.
  return new Set(unshown);
}

/** Reads the state of the account and puts it into the picture, where the gate looks. */
async function readPosition(deps: ToJudge, { account, market, purpose }: PositionOf): Promise<void> {
  const dex = dexOf(market);
  const read = await deps.reads.clearinghouse(account.tradingAddress, dex, purpose);
  if (read.kind === "failed" || takeOrAskFills(deps, { account, dex }, read) === "now") return;
  // Nothing else is known: a bot that reduces is not kept from it by a position that something untold may have moved back.
  const { value, askedAtMs } = read;
  deps.picture.take(account.tradingAddress, { part: "state", dex, value }, { timeMs: value.timeMs, askedAtMs });
}

/** What is judged, and the bot whose order it changes. */
export type Judged = Pick<Needed, "account" | "isReduction"> &
  Pick<Facts, "targetBot"> & {
    rails: Rails;
    /** Id of the order, operation or trade that is asked for. */
    asked: string;
    /** The order as it is signed, whatever its row says; null where no order is placed. */
    leg: OpenLeg | null;
    /** Client order ids of the orders that are judged after it and count only then. */
    later: ReadonlySet<string | null>;
  };

/** The facts of this moment, by which ages are counted too. Inside the intent's transaction. */
export function factsNow(deps: ToJudge, judged: Judged): Facts {
  const { store } = deps;
  const { account, rails, isReduction, asked, targetBot } = judged;
  const { bot } = rails;
  const nowMs = deps.clock.nowMs();
  const { heldIn, ...books } = booksOf(deps, { account, bot, nowMs });
  const out = listOut(deps, account.id);
  const maxAgeMs = isReduction ? LAST_PRICE_MAX_AGE_MS : MARK_MAX_AGE_MS;
  return {
    ...books,
    targetBot,
    legs: legsWith(out, judged),
    get held() {
      return heldIn();
    },
    justFilledOf: (market) => justFilledOf(deps, { account, bot, market }),
    movedOf: (market) => movedOf(deps, { account, market }),
    settingsOf: (market) => settingsOf(deps, { account, market }, asked),
    referenceOf: ofLastMarket((market) =>
      isReduction && !isSpot(market)
        ? newestReference(deps, account, market)
        : referenceOf(deps, market, { maxAgeMs, isReduction }),
    ),
    halt: haltOf(store, account.id, rails, nowMs),
    lossToday: () => lossToday(deps, store, { accountId: account.id, bot, maxAgeMs }),
  };
}

export type ToShowBooks = With<"clock" | "exchange" | "marketView" | "picture" | "settings" | "store">;

/** The same books by the newest prices, however old: they are shown, and nobody is judged by them. */
export function booksShown(deps: ToShowBooks, { account, bot }: { account: Account; bot: string }): Books {
  const { heldIn, ...books } = booksOf(deps, { account, bot, nowMs: deps.clock.nowMs() });
  const maxAgeMs = Number.POSITIVE_INFINITY;
  return {
    ...books,
    legs: listOut(deps, account.id),
    held: heldIn(),
    referenceOf: (market) => referenceOf(deps, market, { maxAgeMs, isReduction: false }),
    lossToday: () => lossToday(deps, deps.store, { accountId: account.id, bot, maxAgeMs }),
  };
}

type BooksAt = { account: Account; bot: string; nowMs: number };

/** What is a bot's own, and what may be. */
function booksOf(deps: ToShowBooks, { account, bot, nowMs }: BooksAt) {
  const { store } = deps;
  const book = bookOf(store, { accountId: account.id, bot });
  const { nets } = book;
  const unproven = listUnprovenTwaps(store, { accountId: account.id, bot });
  const netOf = (market: string) => nets.get(market) ?? ZERO;
  const { turnover, actions } = dayIn(store, book, dayOf(nowMs)).own;
  return {
    turnover,
    actions,
    heldIn: () => (unproven.size === 0 ? [...nets.keys()] : [...new Set([...nets.keys(), ...unproven.keys()])]),
    ownOf: netOf,
    unprovenOf: (market: string) => heldOf(deps, { account, market }, unproven.get(market) ?? null),
    // On spot, what the account holds beside the bot is no part of what the bot may sell.
    accountOf: (market: string) => (isSpot(market) ? netOf(market) : positionOf(deps, account, market)),
  };
}

/**
 * Everything of the account that may still execute: its open orders, what its trades will send, and refused actions of
 * which a copy may still be executed.
 */
export function listOut({ store, exchange }: With<"exchange" | "store">, accountId: string): readonly OpenLeg[] {
  const open = listOpenLegs(store, accountId);
  const reserved = listReservedLegs(store, accountId);
  const unused = listUnusedLegs(store, accountId, copiesSinceMs(exchange.nowMs()));
  return reserved.length + unused.length === 0 ? open : [...open, ...reserved, ...unused];
}

/** Of what may be a bot's: an account that holds nothing holds nothing of it. */
function heldOf(
  deps: ToSeePositions,
  { account, market }: { account: Account; market: string },
  unproven: Sums | null,
): Sums | null {
  return unproven === null || positionOf(deps, account, market) === ZERO ? null : unproven;
}

type ToSeePositions = With<"exchange" | "picture" | "settings">;

function legsWith(out: readonly OpenLeg[], { leg, later }: Pick<Judged, "leg" | "later">): readonly OpenLeg[] {
  const before = later.size === 0 ? out : out.filter(({ cloid }) => !later.has(cloid));
  if (leg === null) return before;
  const all = before.filter(({ cloid }) => cloid !== leg.cloid);
  all.push(leg);
  return all;
}

/** Remembers the answer for the market that was asked for last: the judge asks for one again and again. */
function ofLastMarket<Value>(find: (market: string) => Value): (market: string) => Value {
  let last: { market: string; value: Value } | null = null;
  return (market) => {
    if (last?.market !== market) last = { market, value: find(market) };
    return last.value;
  };
}

type Freshness = { maxAgeMs: number; isReduction: boolean };

/**
 * The prices between which a market is taken to be. Spot has no oracle: its own mark of the last minutes stands in, and
 * without that nothing increases.
 */
function referenceOf(
  { marketView }: With<"marketView">,
  market: string,
  { maxAgeMs, isReduction }: Freshness,
): Reference | null {
  const known = marketView.peek("mark", market);
  if (known === null || known.ageMs > maxAgeMs) return null;
  const { mark, oracle: told } = known.value;
  const oracle = isSpot(market) ? marketView.median(market) : told;
  if (isSpot(market) && oracle === null && !isReduction) return null;
  return oracle === null ? { low: mark, high: mark } : { low: smaller(mark, oracle), high: larger(mark, oracle) };
}

/** The mark, by which triggers fire; null where it is not known. */
export function markOf({ marketView }: With<"marketView">, market: string): Decimal | null {
  const known = marketView.peek("mark", market);
  return known === null || known.ageMs > LAST_PRICE_MAX_AGE_MS ? null : known.value.mark;
}

function positionOf(deps: ToSeePositions, account: Account, market: string): Decimal | null {
  const state = accountState(deps, account, dexOf(market));
  if (state === null) return null;
  return state.positions.find(({ coin }) => coin === market)?.signedSize ?? ZERO;
}

/** What the bot was filled, and what may open a position of others, since the position was as it was told. */
function justFilledOf(
  deps: ToJudge,
  { account, bot, market }: { account: Account; bot: string; market: string },
): Sums {
  const isSince = sinceTold(deps, account, market);
  if (isSince === null) return { buys: ZERO, sells: ZERO };
  const { buy: buys, sell: sells } = sumJustFilled(deps.store, { accountId: account.id, market, bot }, isSince);
  return { buys, sells };
}

/** All that anybody was filled since then, what only reduces as well: it moves the position too. */
function movedOf(deps: ToJudge, { account, market }: { account: Account; market: string }): Sums {
  const isSince = sinceTold(deps, account, market);
  if (isSince === null) return { buys: ZERO, sells: ZERO };
  const { buy: buys, sell: sells } = sumAllJustFilled(deps.store, { accountId: account.id, market }, isSince);
  return { buys, sells };
}

/** Whether a fill may be of after the position as it was told; null where none is told, when nobody is judged by this. */
function sinceTold(deps: ToJudge, account: Account, market: string): ((at: FilledAt) => boolean) | null {
  const sinceMs = isSpot(market) ? null : (accountState(deps, account, dexOf(market))?.timeMs ?? null);
  if (sinceMs === null) return null;
  const nowMs = deps.exchange.nowMs();
  const aheadMs = { wall: deps.clock.nowMs() - nowMs, monotonic: deps.clock.elapsedMs() - nowMs, exchange: 0 };
  return ({ clock, atMs }) => {
    const filledMs = atMs - aheadMs[clock];
    // What is to come by far more than a moment is of before our clock was set back.
    return filledMs >= sinceMs && Math.abs(nowMs - filledMs) <= KEPT_MS;
  };
}

/**
 * The state of an account on a dex, as its feed shows it or as it was read not long ago; null where neither is fresh.
 */
function accountState({ picture, exchange, settings }: ToSeePositions, { tradingAddress }: Account, dex: string) {
  const known = picture.state(tradingAddress, dex);
  if (known === null) return null;
  const ageMs = exchange.nowMs() - known.toldToMs;
  return ageMs <= settings.timings.maxReadAgeMs ? known.value : null;
}
