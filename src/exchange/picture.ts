import type { Shown } from "../core/mark.ts";
import type { AccountMode, ClearinghouseState, SpotBalance } from "../wire/answer/account.ts";
import type { AccountPart } from "../wire/answer/account-frame.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { statusMeaning } from "../wire/answer/status-words.ts";
import type { OrderUpdate } from "../wire/answer/stream.ts";
import type { TwapRecord } from "../wire/answer/twap.ts";
import type { FeedEvent } from "./feed-event.ts";

/** A part of an account's state as last shown: it is of its mark's time or later. */
export type Known<T> = Shown & {
  value: T;
  /** Up to here nothing else was told of it: quiet is not old. Exchange time, unix milliseconds. */
  asOfMs: number;
  /** Its feed shows it, and tells how it changes; false where it was read. */
  isTold: boolean;
};

/** What a feed has told of an order last. */
export type ToldOrder = {
  timeMs: number;
  heard: number;
  isOver: boolean;
  /** As it said that the order is over; null while it has not. */
  end: OrderUpdate | null;
};

/** An order that a feed has told to be open. */
export type ToldOpen = { oid: string; cloid: string | null; market: string; timeMs: number };

/**
 * Each followed account as it is now: what its feed shows, and what was read where the feed shows nothing. For those who
 * look on; nothing in it concludes anything about an order.
 */
export type Picture = {
  hear(address: string, event: FeedEvent): void;
  /** What a read has shown, and of when it is at least. */
  take(address: string, shown: ReadPart, read: ReadMark): void;
  state(address: string, dex: string): Known<ClearinghouseState> | null;
  openOrders(address: string, dex: string): Known<readonly FrontendOrder[]> | null;
  spot(address: string): Known<readonly SpotBalance[]> | null;
  mode(address: string): Known<AccountMode> | null;
  twaps(address: string): Known<readonly TwapRecord[]> | null;
  /** By native id. */
  toldOf(address: string, oid: string): ToldOrder | null;
  /** The place of the last fill of that moment among what its feed has told; null where it told none. */
  heardFillAt(address: string, timeMs: number): number | null;
  /** Told open since the list of their dex was shown, and not over since. */
  toldOpen(address: string): readonly ToldOpen[];
  /** What the record of an order shows that was told open: it is listed from now on; null when it is over. */
  takeRecord(address: string, told: { oid: string; dex: string }, order: FrontendOrder | null): void;
  /** The newest exchange time that the present connection has shown; null before the first. */
  heardToMs(address: string): number | null;
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
  | { part: "twaps"; value: readonly TwapRecord[] };

/** `connection` null: nobody tells how it changes; it was read, or what was told since could not be read. */
type Held<T> = Shown & { value: T; connection: number | null };

/** A frame that named it, one that named none, or a read. */
type ModeSource = "named" | "unnamed" | "read";

type Sitter = {
  connection: number;
  /** Events heard so far. */
  heard: number;
  heardToMs: number | null;
  states: Map<string, Held<ClearinghouseState>>;
  open: Map<string, Held<readonly FrontendOrder[]>>;
  spot: Held<readonly SpotBalance[]> | null;
  mode: (Held<AccountMode> & { from: ModeSource }) | null;
  /** What a frame that names no mode means: known once a read has shown the mode beside such a frame. */
  unnamedMode: "standard" | "nothing";
  twaps: Held<readonly TwapRecord[]> | null;
  updates: Map<string, ToldOrder>;
  /** By exchange time: the place of the last fill of that moment. */
  fills: Map<number, number>;
  toldOpen: Map<string, ToldOpen>;
  waiters: (() => void)[];
};

/** Orders of which it is remembered what was told; past it the oldest is forgotten. */
const MAX_UPDATES = 5_000;
/** So long a mode holds that was read and is not named in frames, milliseconds. */
const MODE_HOLDS_MS = 60_000;
/** Records of TWAPs that are kept: the exchange's newest 2,000, and what came since. */
const MAX_TWAP_RECORDS = 4_000;

export function createPicture(): Picture {
  const sitters = new Map<string, Sitter>();

  function sitterOf(address: string): Sitter {
    const known = sitters.get(address);
    if (known !== undefined) return known;
    const fresh: Sitter = {
      ...{
        connection: 0,
        heard: 0,
        fills: new Map(),
        heardToMs: null,
        states: new Map(),
        open: new Map(),
        spot: null,
        mode: null,
      },
      ...{ unnamedMode: "nothing", twaps: null, updates: new Map(), toldOpen: new Map(), waiters: [] },
    };
    sitters.set(address, fresh);
    return fresh;
  }

  function known<T>(address: string, pick: (sitter: Sitter) => Held<T> | null | undefined): Known<T> | null {
    const sitter = sitters.get(address);
    const held = sitter === undefined ? null : pick(sitter);
    if (sitter === undefined || held == null) return null;
    const { value, timeMs, heard, askedAtMs } = held;
    const isTold = held.connection === sitter.connection;
    return { value, timeMs, heard, askedAtMs, asOfMs: Math.max(timeMs, quietToMs(sitter, held) ?? timeMs), isTold };
  }

  return {
    hear(address, event) {
      const sitter = sitterOf(address);
      sitter.heard += 1;
      hear(sitter, event);
      for (const wake of sitter.waiters.splice(0)) wake();
    },
    take: (address, shown, read) => takeRead(sitterOf(address), shown, read),
    state: (address, dex) => known(address, ({ states }) => states.get(dex)),
    openOrders: (address, dex) => known(address, ({ open }) => open.get(dex)),
    spot: (address) => known(address, ({ spot }) => spot),
    mode: (address) => known(address, modeOf),
    twaps: (address) => known(address, ({ twaps }) => twaps),
    toldOf: (address, oid) => sitters.get(address)?.updates.get(oid) ?? null,
    heardFillAt: (address, timeMs) => sitters.get(address)?.fills.get(timeMs) ?? null,
    toldOpen: (address) => [...(sitters.get(address)?.toldOpen.values() ?? [])],
    takeRecord: (address, told, order) => takeRecord(sitterOf(address), told, order),
    heardToMs: (address) => sitters.get(address)?.heardToMs ?? null,
    isTold: (address) => (sitters.get(address)?.heardToMs ?? null) !== null,
    next: (address) => new Promise((resolve) => sitterOf(address).waiters.push(resolve)),
  };
}

/**
 * Positions move with every price, so that a state with some counts by its own time alone; all else stays as it was shown
 * while its connection goes on to show newer times.
 */
function quietToMs({ connection, heardToMs }: Sitter, held: Held<unknown>): number | null {
  if (held.connection !== connection || hasPositions(held.value)) return null;
  return heardToMs;
}

function hasPositions(value: unknown): boolean {
  return typeof value === "object" && value !== null && "positions" in value && isFilled(value.positions);
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function hear(sitter: Sitter, event: FeedEvent): void {
  switch (event.kind) {
    case "disconnected":
      sitter.connection += 1;
      sitter.heardToMs = null;
      sitter.toldOpen.clear();
      return;
    case "order_updates":
      for (const update of event.updates) hearUpdate(sitter, update);
      return;
    case "fills":
      for (const { timeMs } of event.fills) hearFill(sitter, timeMs);
      return;
    case "twap_records":
      hearTwaps(sitter, event.records, event.isSnapshot);
      return;
    case "account_part":
      hearPart(sitter, event.shown);
      return;
    case "gap":
      // It may have been a record of a TWAP, which nothing tells again, or of an order.
      sitter.twaps = untold(sitter.twaps);
      for (const [dex, list] of sitter.open) sitter.open.set(dex, { ...list, connection: null });
      return;
    case "connected":
    case "refused":
    case "running_twaps":
      return;
  }
}

/** Still what was shown last, of when it was shown: what came after that is not known. */
function untold<T>(held: Held<T> | null): Held<T> | null {
  return held === null ? null : { ...held, connection: null };
}

function hearTime(sitter: Sitter, timeMs: number): void {
  sitter.heardToMs = Math.max(sitter.heardToMs ?? 0, timeMs);
}

function hearFill(sitter: Sitter, timeMs: number): void {
  hearTime(sitter, timeMs);
  const { fills, heard } = sitter;
  fills.delete(timeMs);
  fills.set(timeMs, heard);
  const [oldest] = fills.keys();
  if (fills.size > MAX_UPDATES && oldest !== undefined) fills.delete(oldest);
}

function hearUpdate(sitter: Sitter, { order, status, statusTimestampMs: timeMs }: OrderUpdate): void {
  hearTime(sitter, timeMs);
  const { updates, toldOpen } = sitter;
  const { oid, cloid, coin: market } = order;
  const meaning = statusMeaning(status);
  const isOver = meaning === "filled" || meaning === "canceled" || meaning === "rejected";
  const before = updates.get(oid);
  updates.delete(oid);
  const newestMs = Math.max(timeMs, before?.timeMs ?? 0);
  const end = isOver ? { order, status, statusTimestampMs: timeMs } : (before?.end ?? null);
  updates.set(oid, { isOver: end !== null, timeMs: newestMs, heard: sitter.heard, end });
  const [oldest] = updates.keys();
  if (updates.size > MAX_UPDATES && oldest !== undefined) updates.delete(oldest);
  if (updates.get(oid)?.isOver === true) toldOpen.delete(oid);
  else if (meaning === "open" && toldOpen.size < MAX_UPDATES) toldOpen.set(oid, { oid, cloid, market, timeMs });
}

/** Of what names no time itself it is certain that it was shown after the newest time that the connection had shown before. */
function heldNow<T>(sitter: Sitter, value: T): Held<T> | null {
  const { connection, heardToMs, heard } = sitter;
  return heardToMs === null ? null : { value, timeMs: heardToMs, heard, askedAtMs: null, connection };
}

function hearTwaps(sitter: Sitter, records: readonly TwapRecord[], isSnapshot: boolean): void {
  const { twaps, connection, heard } = sitter;
  for (const { timeS } of records) if (!isSnapshot) hearTime(sitter, timeS * 1_000);
  if (isSnapshot) sitter.twaps = { value: records, timeMs: sitter.heardToMs ?? 0, heard, askedAtMs: null, connection };
  else if (twaps !== null && twaps.connection === connection)
    twaps.value = [...records, ...twaps.value].slice(0, MAX_TWAP_RECORDS);
  else sitter.twaps = null;
}

function hearPart(sitter: Sitter, shown: AccountPart): void {
  switch (shown.part) {
    case "head":
      if (shown.value !== null) hearHead(sitter, shown.value);
      return;
    case "state":
      hearState(sitter, shown.dex, shown.value);
      return;
    case "open":
      hearList(sitter, shown.dex, shown.value);
      return;
    case "spot":
      sitter.spot = (shown.value === null ? null : heldNow(sitter, shown.value)) ?? untold(sitter.spot);
      return;
  }
}

function hearHead(sitter: Sitter, { serverTimeMs, mode }: { serverTimeMs: number; mode: AccountMode | null }): void {
  hearTime(sitter, serverTimeMs);
  const { connection, heard } = sitter;
  const shown = { timeMs: serverTimeMs, askedAtMs: null, connection };
  if (mode !== null) sitter.mode = { ...shown, value: mode, heard, from: "named" };
  // It has told nothing of the mode.
  else if (sitter.unnamedMode === "standard")
    sitter.mode = { ...shown, value: "standard", heard: null, from: "unnamed" };
  else if (sitter.mode?.from !== "read") sitter.mode = null;
}

/** One that was read holds for a while: an account's owner changes it, and hardly ever. */
function modeOf({ mode, heardToMs }: Sitter): Held<AccountMode> | null {
  if (mode === null || mode.from !== "read" || heardToMs === null) return mode;
  return heardToMs - mode.timeMs < MODE_HOLDS_MS ? mode : { ...mode, connection: null };
}

function hearState(sitter: Sitter, dex: string, value: ClearinghouseState | null): void {
  const known = sitter.states.get(dex);
  if (value === null) {
    if (known !== undefined) sitter.states.set(dex, { ...known, connection: null });
    return;
  }
  hearTime(sitter, value.timeMs);
  if (known !== undefined && known.timeMs > value.timeMs) return;
  const { connection, heard } = sitter;
  sitter.states.set(dex, { value, timeMs: value.timeMs, heard, askedAtMs: null, connection });
}

function hearList(sitter: Sitter, dex: string, value: readonly FrontendOrder[] | null): void {
  const held = (value === null ? null : heldNow(sitter, value)) ?? untold(sitter.open.get(dex) ?? null);
  if (held !== null) sitter.open.set(dex, held);
  for (const { oid } of value ?? []) sitter.toldOpen.delete(oid);
}

function takeRecord(sitter: Sitter, { oid, dex }: { oid: string; dex: string }, order: FrontendOrder | null): void {
  const list = sitter.open.get(dex);
  if (order !== null && list === undefined) return;
  sitter.toldOpen.delete(oid);
  if (order !== null && list !== undefined) list.value = [order, ...list.value];
}

function takeRead(sitter: Sitter, shown: ReadPart, read: ReadMark): void {
  const held = <T>(value: T): Held<T> => ({ value, ...read, heard: null, connection: null });
  const isNewer = (known: Held<unknown> | null | undefined): boolean => known == null || known.timeMs <= read.timeMs;
  switch (shown.part) {
    case "state":
      if (shown.value !== null && isNewer(sitter.states.get(shown.dex)))
        sitter.states.set(shown.dex, held(shown.value));
      return;
    case "open":
      if (shown.value !== null && isNewer(sitter.open.get(shown.dex))) sitter.open.set(shown.dex, held(shown.value));
      return;
    case "spot":
      if (shown.value !== null && isNewer(sitter.spot)) sitter.spot = held(shown.value);
      return;
    case "mode":
      takeMode(sitter, shown.value, read);
      return;
    case "twaps":
      if (isNewer(sitter.twaps)) sitter.twaps = held(shown.value);
      return;
  }
}

/** Frames name the modes that an owner has to choose; whether they do for this one, a read shows. */
function takeMode(sitter: Sitter, value: AccountMode, read: ReadMark): void {
  const { mode, heardToMs } = sitter;
  if (mode !== null && mode.from !== "unnamed" && mode.timeMs > read.timeMs) return;
  sitter.unnamedMode = value === "standard" ? "standard" : "nothing";
  const connection = heardToMs === null ? null : sitter.connection;
  sitter.mode = { value, ...read, heard: null, connection, from: "read" };
}
