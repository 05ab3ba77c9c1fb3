import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { type Happened, isAfter, type ShownState } from "../core/mark.ts";
import type { ToLook, ToShow, With } from "../deps.ts";
import type { InfoRequest, Purpose } from "../exchange/exchange.ts";
import type { Known, ReadPart } from "../exchange/picture.ts";
import { type AccountState, exchangeTimeOf, type Read } from "../exchange/reads.ts";
import { type BalancesDoubt, balancesDoubt } from "../settle/evidence/balances-before-writes.ts";
import { arePositionsBefore, noteRead } from "../settle/evidence/positions-before.ts";
import { shownListed, shownPositions } from "../settle/feed/shown.ts";
import { nameUnnamed } from "../settle/look/unnamed.ts";
import type { AccountMode, ClearinghouseState, SpotBalance } from "../wire/answer/account.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import { couldNotAsk, type Unanswered, withRest } from "./not-asked.ts";

/** Margin and marks come from the exchange every few seconds; older than this they are shown with their age, milliseconds. */
export const MARGIN_AGE_MS = 6_000;
/** What is neither margin nor a mark is shown with its age when it is older than this, milliseconds. */
export const AGE_MS = 1_000;

/**
 * So long what was read stands, milliseconds: a state costs 2 of our weight, a list 20 or more. While no feed tells it anew
 * it is asked for again after that; where it cannot be, it is shown with its age while it may be shown at all.
 */
const STATE_STANDS_MS = 2_000;
const LIST_STANDS_MS = 9_000;

/** A frame that shows the caller's last write is waited for so long before the exchange is asked, milliseconds. Who reduces waits for none. */
const FRAME_WITHIN_MS = 300;
/** Between two questions to a server that is behind, milliseconds. */
const AGAIN_AFTER_MS = 250;
/** What is left of an answer's time for the answer itself, milliseconds. */
const SPARE_MS = 1_000;

/** Whose account it is, and who reads it. */
type AskingPart = { account: Account; reader: Purpose };

/** The time of an answer as it is told: null while it counts as now. */
export function toldAge({ exchange }: With<"exchange">, asOfMs: number, withinMs: number): number | null {
  return exchange.nowMs() - asOfMs > withinMs ? asOfMs : null;
}

/** As of a time of the exchange's own, which may be further ahead of that than we know: an age is not told to be less than it may be. */
export function datedAge(deps: With<"exchange">, asOfMs: number, withinMs: number): number | null {
  return toldAge(deps, asOfMs, withinMs - deps.exchange.mayBeAheadMs());
}

/** Positions are held against fills and orders. */
export type ToShowPositions = ToShow & With<"feeds" | "fillIndex" | "ownWrites" | "store">;

/** Positions and margin of one dex, not older than what the account was told last. */
export function currentState(
  deps: ToShowPositions,
  asking: AskingPart,
  dex: string,
): Promise<Known<ClearinghouseState>> {
  return readCurrent(deps, wantedState(deps, asking, dex));
}

function wantedState(
  deps: ToShowPositions,
  { account, reader }: AskingPart,
  dex: string,
): WantedPart<ClearinghouseState> {
  const { picture, reads } = deps;
  const user = account.tradingAddress;
  return {
    account,
    reader,
    standsMs: STATE_STANDS_MS,
    what: "the positions",
    told: deps.ownWrites.told(account, { dex }),
    known: () => picture.state(user, dex),
    ask: async () => {
      const read = await reads.clearinghouse(user, dex, reader);
      if (read.kind === "ok") deps.feeds.showed(user, shownPositions(dex, read.value.positions));
      return read;
    },
    part: (value) => ({ part: "state", dex, value }),
    timeOf: ({ timeMs }) => timeMs,
    isBefore: ({ positions }, { timeMs, askedAtMs }) =>
      arePositionsBefore(deps, { accountId: account.id, dex }, { positions, timeMs, askedAtMs }),
    onBefore: () => deps.fillIndex.readSoon(account),
    onTaken: (value, askedAtMs) => noteRead(deps, { accountId: account.id, dex }, value, askedAtMs),
  };
}

/** One reading, whatever comes of it. */
async function readStateAnew(deps: ToShowPositions, asking: AskingPart, dex: string): Promise<void> {
  const wanted = wantedState(deps, asking, dex);
  const read = await wanted.ask();
  if (read.kind === "ok" && !isOfBefore(deps, wanted, read)) take(deps, wanted, read);
}

/** The newest positions that are known without asking, not older than that nor than what the account was told last; else null. */
export function knownState(
  deps: With<"exchange" | "ownWrites" | "picture">,
  account: Account,
  { dex, withinMs }: { dex: string; withinMs: number },
): Known<ClearinghouseState> | null {
  const known = deps.picture.state(account.tradingAddress, dex);
  if (known === null || deps.exchange.nowMs() - known.toldToMs > withinMs) return null;
  const told = deps.ownWrites.told(account, { dex });
  return holdsAll<ClearinghouseState>(deps, known, { told, timeOf: ({ timeMs }) => timeMs }) ? known : null;
}

/** Balances are held against fills, orders and the ledger. */
export type ToShowSpot = ToShow & With<"fillIndex" | "ledgerIndex" | "markets" | "settling" | "store">;

type AskingSpot = AskingPart & { mode: AccountMode; dexes: readonly string[] };

/**
 * What is not told is asked for until it is known to be of now, and so is what would tell that: where one balance stands behind all, also the positions, for
 * what isolated ones hold was taken out of it, and margin of the others is held back of it.
 */
function currentSpot(deps: ToShowSpot & ToShowPositions, asking: AskingSpot): Promise<Known<readonly SpotBalance[]>> {
  const { account, reader, mode, dexes } = asking;
  const { picture, reads } = deps;
  const user = account.tradingAddress;
  let doubt: BalancesDoubt | null = null;
  return readCurrent<readonly SpotBalance[]>(deps, {
    account,
    reader,
    standsMs: STATE_STANDS_MS,
    what: "the balances",
    told: deps.ownWrites.told(account, mode === "standard" ? "spot" : "all"),
    known: () => picture.spot(user),
    ask: async () => {
      const isByPositions = mode !== "standard" && doubt !== null && doubt.kind !== "fills";
      const readAlso = isByPositions ? dexes.map((dex) => readStateAnew(deps, asking, dex)) : [];
      const [read] = await Promise.all([reads.spot(user, reader), ...readAlso]);
      return read;
    },
    part: (value) => ({ part: "spot", value: [...value] }),
    isBefore: (balances, { timeMs, heard }) => {
      doubt = balancesDoubt(deps, account, { mode, balances, timeMs, heard });
      return doubt !== null;
    },
    onBefore: () => askAbout(deps, account, doubt),
  });
}

/** What would say of when they are: the fills, what else has moved them, or what has become of orders. */
function askAbout(
  { fillIndex, ledgerIndex, settling }: ToShowSpot,
  account: Account,
  doubt: BalancesDoubt | null,
): void {
  if (doubt === null || doubt.kind === "before") return;
  fillIndex.readSoon(account);
  if (doubt.kind === "moved") ledgerIndex.readSoon(account);
  if (doubt.kind === "held") for (const orderId of doubt.orderIds) void settling.look(orderId);
}

function currentMode(deps: ToShow, { account, reader }: AskingPart): Promise<Known<AccountMode>> {
  const { picture, reads } = deps;
  const user = account.tradingAddress;
  return readCurrent<AccountMode>(deps, {
    account,
    reader,
    standsMs: LIST_STANDS_MS,
    what: "the account's mode",
    told: nothing,
    known: () => picture.mode(user),
    ask: () => reads.mode(user, reader),
    part: (value) => ({ part: "mode", value }),
  });
}

export type CurrentAccount = { state: AccountState; spotAsOfMs: number; marginAsOfMs: number };

/** Balances and margin over all dexes. Collateral that dexes share moves with every one of them. */
export async function currentAccount(
  deps: ToShowSpot & ToShowPositions,
  asking: AskingPart,
  dexes: readonly string[],
): Promise<CurrentAccount> {
  const mode = await currentMode(deps, asking);
  const [spot, ...states] = await Promise.all([
    currentSpot(deps, { ...asking, mode: mode.value, dexes }),
    ...dexes.map((dex) => currentState(deps, asking, dex)),
  ]);
  const byDex = states.map(({ value }, nth) => ({ dex: dexes[nth] ?? "", state: value }));
  return {
    state: { mode: mode.value, spotBalances: spot.value, byDex },
    spotAsOfMs: Math.min(spot.asOfMs, mode.asOfMs),
    marginAsOfMs: Math.min(...states.map(({ asOfMs }) => asOfMs)),
  };
}

/**
 * The exchange's list of open orders of one dex, spot with `""`. What rows know better is the caller's to say.
 *
 * @param wholly all that the caller's answer may ask for; left out where it is this alone
 */
export function currentOpenOrders(
  deps: ToLook & With<"reads">,
  { account, reader, wholly = [] }: AskingPart & { wholly?: readonly InfoRequest[] },
  dex: string,
): Promise<Known<readonly FrontendOrder[]>> {
  const { picture, reads } = deps;
  const user = account.tradingAddress;
  return readCurrent<readonly FrontendOrder[]>(deps, {
    account,
    reader,
    standsMs: LIST_STANDS_MS,
    what: "the open orders",
    wholly,
    told: nothing,
    known: () => picture.openOrders(user, dex),
    ask: async () => {
      const read = await reads.openOrders(user, dex, reader);
      if (read.kind === "ok") heedList(deps, account, read.value);
      return read;
    },
    part: (value) => ({ part: "open", dex, value: [...value] }),
  });
}

/** A list that was read is evidence as well; what a feed shows is not. */
function heedList(
  deps: With<"clock" | "feeds" | "store">,
  { id, tradingAddress }: Account,
  orders: readonly FrontendOrder[],
): void {
  deps.feeds.showed(tradingAddress, shownListed(orders));
  nameUnnamed(deps, id, orders);
}

/** The history of TWAPs, newest first or not: see `list-twaps`. */
export function currentTwaps(deps: ToShow, { account, reader }: AskingPart): Promise<Known<readonly TwapRecord[]>> {
  const { picture, reads } = deps;
  const user = account.tradingAddress;
  return readCurrent<readonly TwapRecord[]>(deps, {
    account,
    reader,
    standsMs: LIST_STANDS_MS,
    what: "the TWAPs",
    told: nothing,
    known: () => picture.twaps(user),
    ask: () => reads.twapHistory(user, reader),
    part: (value) => ({ part: "twaps", value }),
  });
}

type WantedPart<T> = AskingPart & {
  /** For words: "The exchange could not be asked for …". */
  what: string;
  wholly?: readonly InfoRequest[];
  /** What is shown must hold all of this; nothing where rows tell better. */
  told(): readonly Happened[];
  /** So long an answer stands that nobody tells anew, milliseconds. */
  standsMs: number;
  known(): Known<T> | null;
  ask(): Promise<Read<T>>;
  part(value: T): ReadPart;
  /** The time that an answer itself shows, exchange time; left out where it shows none: then it is of when it was asked for. */
  timeOf?(value: T): number;
  /** Shows by itself that it is of before something that was told, whatever time it may be of; left out where nothing in it does. */
  isBefore?(value: T, shown: ShownState): boolean;
  /** Called where a reading is of before: what bears it out, if something does, may be asked for. */
  onBefore?(): void;
  /** Called with each other reading. @param askedAtMs by our wall clock as it goes now */
  onTaken?(value: T, askedAtMs: number): void;
};

/**
 * From the picture where that is new enough, else by a read. What is older than the caller's last write is waited for, and
 * never shown.
 */
async function readCurrent<T>(
  deps: With<"clock" | "exchange" | "picture" | "settings">,
  wanted: WantedPart<T>,
): Promise<Known<T>> {
  const startedMs = deps.clock.elapsedMs();
  const spentMs = (): number => deps.clock.elapsedMs() - startedMs;
  const enough = deps.settings.timings.answerDeadlineMs - SPARE_MS;
  const frameWithinMs = wanted.reader === "reduce" ? 0 : FRAME_WITHIN_MS;
  for (;;) {
    const known = wanted.known();
    if (known !== null && isCurrent(deps, wanted, known)) return known;
    if (deps.picture.isTold(wanted.account.tradingAddress) && spentMs() < frameWithinMs) {
      await nextFrame(deps, wanted, frameWithinMs - spentMs());
      continue;
    }
    const read = await wanted.ask();
    if (read.kind === "failed" && known !== null && isShowable(deps, wanted, known)) return known;
    if (read.kind === "failed") throw notRead(deps, wanted, read);
    const taken = isOfBefore(deps, wanted, read) ? null : take(deps, wanted, read);
    if (taken !== null && isShowable(deps, wanted, taken)) return taken;
    if (taken === null) wanted.onBefore?.();
    if (spentMs() >= enough) throw isBehind(wanted);
    await deps.clock.sleep(AGAIN_AFTER_MS);
  }
}

function notRead<T>(
  deps: With<"exchange">,
  { what, wholly = [], reader }: WantedPart<T>,
  failed: Unanswered,
): ApiError {
  return couldNotAsk(deps, `for ${what}`, withRest(deps, failed, { purpose: reader, requests: wholly }), reader);
}

function isCurrent<T>(deps: With<"exchange" | "settings">, wanted: WantedPart<T>, known: Known<T>): boolean {
  const isStanding = known.isTold || deps.exchange.nowMs() - known.asOfMs < wanted.standsMs;
  return isStanding && isShowable(deps, wanted, known);
}

/** Not older than the caller's last write, nor than anything may be. */
function isShowable<T>(deps: With<"exchange" | "settings">, wanted: WantedPart<T>, known: Known<T>): boolean {
  if (!holdsAll(deps, known, wanted) || wanted.isBefore?.(known.value, known) === true) return false;
  return deps.exchange.nowMs() - known.asOfMs <= deps.settings.timings.maxReadAgeMs;
}

type ReadOk<T> = Extract<Read<T>, { kind: "ok" }>;

/** It is kept from everybody else then. */
function isOfBefore<T>(
  deps: With<"clock" | "exchange">,
  { isBefore, timeOf }: WantedPart<T>,
  { value, askedAtMs }: ReadOk<T>,
): boolean {
  const timeMs = timeOf?.(value) ?? exchangeTimeOf(deps, askedAtMs);
  return isBefore?.(value, { timeMs, askedAtMs, heard: null }) === true;
}

function nothing(): readonly Happened[] {
  return [];
}

/** What carries no time of the exchange's own is of when it was asked for, by the same clock as what was told. */
function holdsAll<T>(
  { exchange }: With<"exchange">,
  shown: ShownState,
  { told, timeOf }: Pick<WantedPart<T>, "told" | "timeOf">,
): boolean {
  const aheadMs = timeOf === undefined ? 0 : exchange.mayBeAheadMs();
  return told().every((happened) => isAfter(shown, atLatest(happened, aheadMs)));
}

function atLatest(happened: Happened, aheadMs: number): Happened {
  return happened.kind === "noted" && aheadMs > 0 ? { ...happened, timeMs: happened.timeMs + aheadMs } : happened;
}

async function nextFrame<T>(deps: With<"clock" | "picture">, { account }: WantedPart<T>, forMs: number): Promise<void> {
  const timer = deps.clock.timer(forMs);
  await Promise.race([deps.picture.next(account.tradingAddress), timer.up]);
  timer.cancel();
}

/** What was read, or what was shown before where the server that answered is behind that. */
function take<T>(
  deps: With<"clock" | "exchange" | "picture">,
  { account, part, timeOf, known, onTaken }: WantedPart<T>,
  { value, askedAtMs }: ReadOk<T>,
): Known<T> {
  onTaken?.(value, askedAtMs);
  const timeMs = timeOf?.(value) ?? exchangeTimeOf(deps, askedAtMs);
  const isTaken = deps.picture.take(account.tradingAddress, part(value), { timeMs, askedAtMs });
  const shown = known();
  if (shown !== null && (!isTaken || shown.timeMs > timeMs)) return shown;
  return { value, timeMs, askedAtMs, heard: null, asOfMs: timeMs, toldToMs: timeMs, isTold: false };
}

function isBehind<T>({ what }: WantedPart<T>): ApiError {
  const words = `The exchange still shows ${what} as of before this account's last change, or as of too long ago.`;
  return new ApiError("exchange_unreachable", words, 1);
}
