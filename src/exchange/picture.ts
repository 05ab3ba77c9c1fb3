import type { ShownState } from "../core/mark.ts";
import type { AccountMode, ClearinghouseState, Leverage, SpotBalance } from "../wire/answer/account.ts";
import type { AccountPart } from "../wire/answer/account-frame.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import type { TwapRecord, TwapStanding } from "../wire/answer/twap.ts";
import {
  type AccountPicture,
  channelOf,
  forgetRecords,
  type HeardOrder,
  type HeldState,
  hear,
  newAccountPicture,
  type ToldOpen,
  totalsOf,
} from "./account-picture.ts";
import type { FeedEvent } from "./feed-event.ts";
import { isSilent } from "./pace.ts";
import { isDoubtful } from "./told-twaps.ts";

/** A part of an account's state as last shown: it is of its mark's time or later. */
export type Known<T> = ShownState & {
  value: T;
  /**
   * Up to here it stands: quiet is not old. But positions move with every price, so that a state with some counts by its own
   * time alone. Exchange time, unix milliseconds.
   */
  asOfMs: number;
  /** Up to here what no price moves stands (sizes, and totals). Exchange time, unix milliseconds. */
  toldToMs: number;
  /** Its feed shows it, and tells how it changes; false where it was read. */
  isTold: boolean;
};

/**
 * Each followed account as it is now: what its feed shows, and what was read where the feed shows nothing. For those who
 * look on; nothing in it concludes anything about an order.
 */
export type Picture = {
  hear(address: string, event: FeedEvent): void;
  /** What a read has shown, and of when it is at least. False where something newer is known. */
  take(address: string, shown: ReadPart, read: ReadMark): boolean;
  state(address: string, dex: string): Known<ClearinghouseState> | null;
  openOrders(address: string, dex: string): Known<readonly FrontendOrder[]> | null;
  spot(address: string): Known<readonly SpotBalance[]> | null;
  mode(address: string): Known<AccountMode> | null;
  twaps(address: string): Known<readonly TwapRecord[]> | null;
  /** Those that the present connection has told to run, of every dex. */
  runningTwaps(address: string): readonly TwapStanding[];
  /** What is set in a perpetual, whether or not there is a position. */
  leverage(address: string, market: string): Known<Leverage> | null;
  /** By native id. */
  toldOf(address: string, oid: string): HeardOrder | null;
  /** The place of the last fill of that moment among what its feed has told; null where it told none. */
  heardFillAt(address: string, timeMs: number): number | null;
  /** How much its feed has told so far: what was told of orders and fills is the same while this is. */
  heardOf(address: string): number;
  /** Told open since the list of their dex was shown, and not over since. */
  toldOpen(address: string): readonly ToldOpen[];
  /** Whether a list of open orders of its feed has held it, and the newest one does not. */
  hasLeftList(address: string, oid: string): boolean;
  /** Those of which that is so since what its feed told last. */
  justLeftList(address: string): readonly string[];
  /** What the record of an order shows that was told open, until its list is shown anew; null when it is over. */
  takeRecord(address: string, oid: string, record: FrontendOrder | null): void;
  /** True when something of the present connection has come: a frame may be waited for. */
  isTold(address: string): boolean;
  /** Resolves when the account's feed has told something more. */
  next(address: string): Promise<void>;
};

/** What a read is of, at least, by exchange time, and when it was asked for by our wall clock; unix milliseconds. */
export type ReadMark = { timeMs: number; askedAtMs: number };

/** Parts as reads show them. */
export type ReadPart =
  | Extract<AccountPart, { part: "state" | "open" | "spot" }>
  | { part: "mode"; value: AccountMode }
  | { part: "twaps"; value: readonly TwapRecord[] }
  | { part: "leverage"; market: string; value: Leverage };

/** So long a mode holds that was read and is not named in frames, milliseconds. */
const MODE_HOLDS_MS = 60_000;

export function createPicture(): Picture {
  const accounts = new Map<string, AccountPicture>();

  function accountOf(address: string): AccountPicture {
    const known = accounts.get(address);
    if (known !== undefined) return known;
    const fresh = newAccountPicture();
    accounts.set(address, fresh);
    return fresh;
  }

  function known<T>(
    address: string,
    pick: (account: AccountPicture) => HeldState<T> | null | undefined,
    hasFallenSilent: (account: AccountPicture) => boolean = () => false,
  ): Known<T> | null {
    const account = accounts.get(address);
    const held = account === undefined ? null : pick(account);
    if (account === undefined || held == null) return null;
    const { value, timeMs, heard, askedAtMs } = held;
    const isTold = held.connection === account.connection && !hasFallenSilent(account);
    const toldToMs = Math.max(timeMs, (isTold ? account.heardToMs : null) ?? timeMs);
    const asOfMs = hasPositions(value) ? timeMs : toldToMs;
    return { value, timeMs, heard, askedAtMs, asOfMs, toldToMs, isTold };
  }

  return {
    hear(address, event) {
      const account = accountOf(address);
      hear(account, event);
      for (const wake of account.waiters.splice(0)) wake();
    },
    take: (address, shown, read) => takeRead(accountOf(address), shown, read),
    state: (address, dex) => known(address, ({ states }) => states.get(dex), silent(channelOf("state", dex))),
    openOrders: (address, dex) => known(address, ({ open }) => open.get(dex), silent(channelOf("open", dex))),
    spot: (address) => known(address, ({ spot }) => spot, silent(channelOf("spot"))),
    mode: (address) => known(address, modeOf),
    twaps: (address) =>
      known(
        address,
        ({ twaps }) => twaps,
        ({ running, heardToMs }) => isDoubtful(running, heardToMs),
      ),
    runningTwaps: (address) => [...(accounts.get(address)?.running.byDex.values() ?? [])].flat(),
    leverage: (address, market) => known(address, ({ leverages }) => leverages.get(market)),
    toldOf: (address, oid) => accounts.get(address)?.updates.get(oid) ?? null,
    heardFillAt: (address, timeMs) => accounts.get(address)?.fills.get(timeMs) ?? null,
    heardOf: (address) => accounts.get(address)?.heard ?? 0,
    toldOpen: (address) => [...(accounts.get(address)?.toldOpen.values() ?? [])],
    hasLeftList: (address, oid) => accounts.get(address)?.leftLists.has(oid) === true,
    justLeftList(address) {
      const account = accounts.get(address);
      return account === undefined ? [] : justLeft(account);
    },
    takeRecord: (address, oid, record) => takeRecord(accountOf(address), oid, record),
    isTold: (address) => (accounts.get(address)?.heardToMs ?? null) !== null,
    next: (address) => new Promise((resolve) => accountOf(address).waiters.push(resolve)),
  };
}

/** Its channel, while others of the connection go on. */
function silent(channel: string): (account: AccountPicture) => boolean {
  return ({ paces, connection, heardToMs }) => isSilent(paces.get(channel), connection, heardToMs);
}

function justLeft({ leftLists, heard }: AccountPicture): string[] {
  return [...leftLists].flatMap(([oid, at]) => (at === heard ? oid : []));
}

/** They move with every price. */
function hasPositions(value: unknown): boolean {
  return typeof value === "object" && value !== null && "positions" in value && isFilled(value.positions);
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** One that was read holds for a while: an account's owner changes it, and hardly ever. */
function modeOf({ mode, heardToMs }: AccountPicture): HeldState<AccountMode> | null {
  if (mode === null || mode.from !== "read" || heardToMs === null) return mode;
  return heardToMs - mode.timeMs < MODE_HOLDS_MS ? mode : { ...mode, connection: null };
}

function takeRecord({ toldOpen }: AccountPicture, oid: string, record: FrontendOrder | null): void {
  const told = toldOpen.get(oid);
  if (told !== undefined) told.record = record;
  if (record === null) toldOpen.delete(oid);
}

/** A list, or balances, name no time: they are of when they were asked for, as far as the server that told them was not behind. */
function takeRead(account: AccountPicture, shown: ReadPart, read: ReadMark): boolean {
  const held = <T>(value: T): HeldState<T> => ({ value, ...read, heard: null, connection: null });
  const isNewer = (known: HeldState<unknown> | null | undefined): boolean =>
    known == null || known.timeMs <= read.timeMs;
  if (shown.value === null) return false;
  switch (shown.part) {
    case "state":
      if (!isNewer(account.states.get(shown.dex))) return false;
      account.states.set(shown.dex, held(shown.value));
      return true;
    case "open":
      if (!isNewer(account.open.get(shown.dex))) return false;
      account.open.set(shown.dex, held(shown.value));
      forgetRecords(account, shown.dex);
      return true;
    case "spot":
      if (!isNewer(account.spot) || isToldOver(account, shown.value, read)) return false;
      account.spot = held(shown.value);
      return true;
    case "mode":
      return takeMode(account, shown.value, read);
    case "leverage":
      if (!isNewer(account.leverages.get(shown.market))) return false;
      account.leverages.set(shown.market, held(shown.value));
      return true;
    case "twaps":
      if (!isNewer(account.twaps)) return false;
      account.twaps = held(shown.value);
      return true;
  }
}

/** So long balances that the feed has told to be over are those of a server that is behind, milliseconds. */
const BEHIND_MS = 20_000;

function isToldOver(
  { balancesBefore, spot, connection }: AccountPicture,
  value: readonly SpotBalance[],
  read: ReadMark,
) {
  const overMs = balancesBefore.get(totalsOf(value));
  return overMs !== undefined && spot?.connection === connection && read.timeMs - overMs < BEHIND_MS;
}

/** Frames name the modes that an owner has to choose; whether they do for this one, a read shows. */
function takeMode(account: AccountPicture, value: AccountMode, read: ReadMark): boolean {
  const { mode, heardToMs } = account;
  if (mode !== null && mode.from !== "unnamed" && mode.timeMs > read.timeMs) return false;
  account.unnamedMode = value === "standard" ? "standard" : "nothing";
  const connection = heardToMs === null ? null : account.connection;
  account.mode = { value, ...read, heard: null, connection, from: "read" };
  return true;
}
