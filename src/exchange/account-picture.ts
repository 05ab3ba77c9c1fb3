/** What is known of one account, and what everything that its feed tells makes of it. */
import type { ShownState } from "../core/mark.ts";
import { dexOf } from "../core/market.ts";
import type { AccountMode, ClearinghouseState, Leverage, SpotBalance } from "../wire/answer/account.ts";
import type { AccountPart } from "../wire/answer/account-frame.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { saysOver, statusMeaning } from "../wire/answer/status-words.ts";
import type { OrderUpdate } from "../wire/answer/stream.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import type { FeedEvent } from "./feed-event.ts";
import { nextPace, type Pace } from "./pace.ts";
import { compareTwaps, newRunningTwaps, type RunningTwaps } from "./told-twaps.ts";

/** What a feed has told of an order last. */
export type HeardOrder = {
  timeMs: number;
  heard: number;
  isOver: boolean;
  /** The last word of it was that it is open and has not fired, and none that came after it can have been missed. */
  isOpen: boolean;
  market: string;
  cloid: string | null;
  /** It waited for its trigger, which has fired. */
  hasFired: boolean;
  /** As it said that the order is over; null while it has not. */
  end: OrderUpdate | null;
};

/** An order that a feed has told to be open, with its record where that was read since. */
export type ToldOpen = {
  oid: string;
  cloid: string | null;
  market: string;
  timeMs: number;
  record: FrontendOrder | null;
};

/** `connection` null: nobody tells how it changes; it was read, or what was told since could not be read. */
export type HeldState<T> = ShownState & { value: T; connection: number | null };

/** A frame that named it, one that named none, or a read. */
type ModeSource = "named" | "unnamed" | "read";

export type AccountPicture = {
  connection: number;
  /** Events heard so far. */
  heard: number;
  heardToMs: number | null;
  states: Map<string, HeldState<ClearinghouseState>>;
  open: Map<string, HeldState<readonly FrontendOrder[]>>;
  /** Native ids of the newest list of the present connection, by dex, whatever has been read since. */
  listed: Map<string, ReadonlySet<string>>;
  /** Those that such a list has held and its next one has not, with the place of that among what was heard. */
  leftLists: Map<string, number>;
  spot: HeldState<readonly SpotBalance[]> | null;
  /** Totals that the feed told, and then told to be others: when that was, by exchange time. */
  balancesBefore: Map<string, number>;
  mode: (HeldState<AccountMode> & { from: ModeSource }) | null;
  /** What a frame that names no mode means: known once a read has shown the mode beside such a frame. */
  unnamedMode: "standard" | "nothing";
  twaps: HeldState<readonly TwapRecord[]> | null;
  running: RunningTwaps;
  /** As it was read, by market. */
  leverages: Map<string, HeldState<Leverage>>;
  /** By the name of the channel, and its dex. */
  paces: Map<string, Pace>;
  updates: Map<string, HeardOrder>;
  /** By exchange time: the place of the last fill of that moment. */
  fills: Map<number, number>;
  toldOpen: Map<string, ToldOpen>;
  waiters: (() => void)[];
};

/** Orders of which it is remembered what was told; past it the oldest is forgotten. */
const MAX_UPDATES = 5_000;
/** Records of TWAPs that are kept: the exchange's newest 2,000, and what came since. */
const MAX_TWAP_RECORDS = 4_000;
/** Balances that were told to be over. */
const MAX_BALANCES_BEFORE = 16;

export function newAccountPicture(): AccountPicture {
  return {
    connection: 0,
    heard: 0,
    heardToMs: null,
    states: new Map(),
    open: new Map(),
    listed: new Map(),
    leftLists: new Map(),
    spot: null,
    balancesBefore: new Map(),
    mode: null,
    unnamedMode: "nothing",
    twaps: null,
    running: newRunningTwaps(),
    leverages: new Map(),
    paces: new Map(),
    updates: new Map(),
    fills: new Map(),
    toldOpen: new Map(),
    waiters: [],
  };
}

export function hear(account: AccountPicture, event: FeedEvent): void {
  account.heard += 1;
  switch (event.kind) {
    case "disconnected":
      account.connection += 1;
      account.heardToMs = null;
      account.toldOpen.clear();
      account.listed.clear();
      account.leftLists.clear();
      account.running = newRunningTwaps();
      doubtOpen(account);
      return;
    case "order_updates":
      for (const update of event.updates) hearUpdate(account, update);
      return;
    case "fills":
      for (const { timeMs } of event.fills) hearFill(account, timeMs);
      return;
    case "twap_records":
      hearTwaps(account, event.records, event.isSnapshot);
      compareTwaps(account.running, account.twaps?.value ?? null, account.heardToMs);
      return;
    case "running_twaps":
      account.running.byDex.set(event.dex, event.twaps);
      compareTwaps(account.running, account.twaps?.value ?? null, account.heardToMs);
      return;
    case "account_part":
      hearPart(account, event.shown);
      return;
    case "gap":
      // It may have been a record of a TWAP, which nothing tells again, or of an order.
      account.twaps = untold(account.twaps);
      for (const [dex, list] of account.open) account.open.set(dex, { ...list, connection: null });
      doubtOpen(account);
      return;
    case "connected":
    case "refused":
      return;
  }
}

/** Their ends may have been told to nobody. */
function doubtOpen({ updates }: AccountPicture): void {
  for (const [oid, told] of updates) if (told.isOpen) updates.set(oid, { ...told, isOpen: false });
}

/** Still what was shown last, of when it was shown: what came after that is not known. */
function untold<T>(held: HeldState<T> | null): HeldState<T> | null {
  return held === null ? null : { ...held, connection: null };
}

/** The name of what a channel tells of a dex, for its pace. */
export function channelOf(part: "state" | "open" | "spot", dex = ""): string {
  return `${part} ${dex}`;
}

/** In brief: what no price moves. */
function hearBeat({ paces, connection, heardToMs }: AccountPicture, channel: string, told: unknown): void {
  if (heardToMs === null) return;
  const frame = { connection, told: JSON.stringify(told), atMs: heardToMs };
  paces.set(channel, nextPace(paces.get(channel), frame));
}

function hearTime(account: AccountPicture, timeMs: number): void {
  account.heardToMs = Math.max(account.heardToMs ?? 0, timeMs);
}

function hearFill(account: AccountPicture, timeMs: number): void {
  hearTime(account, timeMs);
  const { fills, heard } = account;
  fills.delete(timeMs);
  fills.set(timeMs, heard);
  const [oldest] = fills.keys();
  if (fills.size > MAX_UPDATES && oldest !== undefined) fills.delete(oldest);
}

function hearUpdate(account: AccountPicture, { order, status, statusTimestampMs: timeMs }: OrderUpdate): void {
  hearTime(account, timeMs);
  const { updates, toldOpen } = account;
  const { oid, cloid, coin: market } = order;
  const meaning = statusMeaning(status);
  const before = updates.get(oid);
  updates.delete(oid);
  const newestMs = Math.max(timeMs, before?.timeMs ?? 0);
  const end = saysOver(status) ? { order, status, statusTimestampMs: timeMs } : (before?.end ?? null);
  const hasFired = meaning === "triggered" || before?.hasFired === true;
  const isOpen = meaning === "open" && timeMs === newestMs && end === null && !hasFired;
  const stands = { isOver: end !== null, isOpen, hasFired, timeMs: newestMs, heard: account.heard, end };
  updates.set(oid, { ...stands, market, cloid });
  const [oldest] = updates.keys();
  if (updates.size > MAX_UPDATES && oldest !== undefined) updates.delete(oldest);
  if (updates.get(oid)?.isOver === true) toldOpen.delete(oid);
  else if (meaning === "open" && toldOpen.size < MAX_UPDATES)
    toldOpen.set(oid, { oid, cloid, market, timeMs, record: null });
}

/** Of what names no time itself it is certain that it was shown after the newest time that the connection had shown before. */
function heldNow<T>(account: AccountPicture, value: T): HeldState<T> | null {
  const { connection, heardToMs, heard } = account;
  return heardToMs === null ? null : { value, timeMs: heardToMs, heard, askedAtMs: null, connection };
}

function hearTwaps(account: AccountPicture, records: readonly TwapRecord[], isSnapshot: boolean): void {
  const { twaps, connection, heard } = account;
  for (const { timeS } of records) if (!isSnapshot) hearTime(account, timeS * 1_000);
  if (isSnapshot)
    account.twaps = { value: records, timeMs: account.heardToMs ?? 0, heard, askedAtMs: null, connection };
  else if (twaps !== null && twaps.connection === connection)
    twaps.value = [...records, ...twaps.value].slice(0, MAX_TWAP_RECORDS);
  else account.twaps = null;
}

function hearPart(account: AccountPicture, shown: AccountPart): void {
  switch (shown.part) {
    case "head":
      if (shown.value !== null) hearHead(account, shown.value);
      return;
    case "state":
      hearState(account, shown.dex, shown.value);
      return;
    case "open":
      hearList(account, shown.dex, shown.value);
      return;
    case "spot":
      hearSpot(account, shown.value);
      return;
  }
}

function hearSpot(account: AccountPicture, value: SpotBalance[] | null): void {
  const { spot, balancesBefore, heardToMs } = account;
  const held = value === null ? null : heldNow(account, value);
  if (held !== null && spot !== null) {
    const [before, now] = [totalsOf(spot.value), totalsOf(held.value)];
    if (before !== now) balancesBefore.set(before, heardToMs ?? 0);
    balancesBefore.delete(now);
    const [oldest] = balancesBefore.keys();
    if (balancesBefore.size > MAX_BALANCES_BEFORE && oldest !== undefined) balancesBefore.delete(oldest);
  }
  account.spot = held ?? untold(spot);
  if (value !== null) hearBeat(account, channelOf("spot"), value);
}

/** What only trades and transfers change: an order that comes and goes leaves the same behind. */
export function totalsOf(balances: readonly SpotBalance[]): string {
  return JSON.stringify(balances.map(({ coin, total }) => [coin, total]));
}

function hearHead(
  account: AccountPicture,
  { serverTimeMs, mode }: { serverTimeMs: number; mode: AccountMode | null },
): void {
  hearTime(account, serverTimeMs);
  const { connection, heard } = account;
  const shown = { timeMs: serverTimeMs, askedAtMs: null, connection };
  if (mode !== null) account.mode = { ...shown, value: mode, heard, from: "named" };
  // It has told nothing of the mode.
  else if (account.unnamedMode === "standard")
    account.mode = { ...shown, value: "standard", heard: null, from: "unnamed" };
  else if (account.mode?.from !== "read") account.mode = null;
}

function hearState(account: AccountPicture, dex: string, value: ClearinghouseState | null): void {
  const known = account.states.get(dex);
  if (value === null) {
    if (known !== undefined) account.states.set(dex, { ...known, connection: null });
    return;
  }
  hearTime(account, value.timeMs);
  if (known !== undefined && known.timeMs > value.timeMs) return;
  const sizes = value.positions.map(({ coin, signedSize }) => [coin, signedSize]);
  hearBeat(account, channelOf("state", dex), sizes);
  const { connection, heard } = account;
  account.states.set(dex, { value, timeMs: value.timeMs, heard, askedAtMs: null, connection });
}

function hearList(account: AccountPicture, dex: string, value: readonly FrontendOrder[] | null): void {
  const held = (value === null ? null : heldNow(account, value)) ?? untold(account.open.get(dex) ?? null);
  if (held !== null) account.open.set(dex, held);
  const sizes = value?.map(({ oid, size }) => [oid, size]);
  if (sizes !== undefined) hearBeat(account, channelOf("open", dex), sizes);
  for (const { oid } of value ?? []) account.toldOpen.delete(oid);
  if (value !== null) noteLeft(account, dex, new Set(value.map(({ oid }) => oid)));
  forgetRecords(account, dex);
}

/** Lists of one connection are compared with one another, and not with what was read, or told before it. */
function noteLeft({ listed, leftLists, heard }: AccountPicture, dex: string, now: ReadonlySet<string>): void {
  for (const oid of now) leftLists.delete(oid);
  for (const oid of listed.get(dex) ?? []) if (!now.has(oid)) leftLists.set(oid, heard);
  listed.set(dex, now);
  for (const oid of leftLists.keys()) {
    if (leftLists.size <= MAX_UPDATES) return;
    leftLists.delete(oid);
  }
}

/** A list that lacks them is behind, or they are over: their records tell. */
export function forgetRecords({ toldOpen }: AccountPicture, dex: string): void {
  for (const told of toldOpen.values()) if (dexOf(told.market) === dex) told.record = null;
}
