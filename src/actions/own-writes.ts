import type { Account } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import type { About, Happened } from "../core/mark.ts";
import { dexOf, isSpot } from "../core/market.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Picture } from "../exchange/picture.ts";
import { aheadAtNumbers } from "../settle/record/noted-time.ts";
import { listEventsAfter, newestEventIds } from "../store/account-events.ts";
import { onEvents, type StoredEvent } from "../store/events.ts";
import type { Store } from "../store/open.ts";
import { ownChanges } from "../store/while-unchanged.ts";
import { parseJson } from "../wire/json.ts";

/** What an account was told last, by the exchange's time: what is shown of it must not be older. */
export type OwnWrites = {
  /** What was told by now, and when that happened as far as is known when it is asked: what dates it better may come meanwhile. */
  told(account: Account, about: About): () => readonly Happened[];
};

/** One change that was told. */
type WriteChange = {
  /** Null for any. */
  market: string | null;
  happened: Exclude<Happened, { kind: "heard" }>;
  /** How the exchange's time stood to our clocks, as it was held to be when it was noted. */
  clocks: Clocks;
  /** The order's native id, and whether it is over by then; null where its feed says nothing of it. */
  told: { oid: string; isOver: boolean } | null;
};

/** By how much the exchange's time is ahead of our wall clock, which may be set, and of our monotonic one, which may not; milliseconds. */
type Clocks = { offsetMs: number; paceMs: number };

type KnownToBeTold = Pick<Picture, "toldOf" | "heardFillAt" | "heardOf">;

type WritesMemory = {
  lastId: number;
  changes: readonly WriteChange[];
  /** As of which change of ours it was read, null before the first time: beside a running gateway nobody else tells an account anything. */
  mark: unknown;
  answered: KeptAnswer;
};

/** What was answered while nothing that it is made of has changed: by what was asked, and by how the clocks differ. */
type KeptAnswer = { changes: readonly WriteChange[]; heard: number; by: Map<string, readonly Happened[]> };

/** Answers that are kept; a clock's own pace makes two or three of each. */
const MAX_ANSWERED = 64;

/** Changes of each dex of an account that are looked at: what shows these shows all before them. */
const MAX_CHANGES = 128;
/** Events of an account that are looked through after a start: every order that was in flight when it stopped has told of itself since. */
const MAX_LOOKED_THROUGH = 1_024;
/** By so much our idea of the exchange's time moves by itself, milliseconds; more is a step of our wall clock. */
const CLOCK_STEP_MS = 1_000;
/** By so much it may be set right by what the exchange has dated, milliseconds; by more where our wall clock bears that out. */
const CLOCK_MEND_MS = 5_000;
/** What it moves by from reading to reading, milliseconds. */
const CLOCK_SLACK_MS = 250;
const PAGE = 256;

type OwnWritesParts = { store: Store; clock: Clock; exchange: Pick<Exchange, "nowMs">; picture: KnownToBeTold };

/**
 * From the log of events, read when somebody asks: every answered write and everything that was told is in it. Its time is
 * that of our clock, which is later than the change; the feed tells the exchange's own.
 */
export function openOwnWrites({ store, clock, exchange, picture }: OwnWritesParts): OwnWrites {
  const memories = new Map<string, WritesMemory>();
  /** By how much the exchange's time was ahead of our wall clock as an account was told something that has not been read here, at most. */
  const toldOffsets = new Map<string, number>();
  onEvents(store, (accountIds) => {
    const { offsetMs } = clocksNow();
    for (const id of accountIds) toldOffsets.set(id, Math.max(offsetMs, toldOffsets.get(id) ?? offsetMs));
  });

  function clocksNow(): Clocks {
    const nowMs = exchange.nowMs();
    return { offsetMs: nowMs - clock.nowMs(), paceMs: nowMs - clock.elapsedMs() };
  }

  function memoryOf({ id }: Account): WritesMemory {
    const known = memories.get(id);
    if (known !== undefined) return known;
    const lastId = (newestEventIds(store, id, MAX_LOOKED_THROUGH).at(-1) ?? 1) - 1;
    const answered: KeptAnswer = { changes: [], heard: 0, by: new Map() };
    const fresh = { lastId, changes: [], mark: null, answered };
    memories.set(id, fresh);
    return fresh;
  }

  function catchUp(account: Account, memory: WritesMemory): void {
    const clocks = clocksNow();
    const { offsetMs } = clocks;
    // Our wall clock may have been set in between, and again, before or after what happened; it did happen before now.
    const latestOffsetMs = Math.max(offsetMs, toldOffsets.get(account.id) ?? offsetMs);
    toldOffsets.delete(account.id);
    const mark = ownChanges(store);
    if (memory.mark === mark) return;
    const isOfBefore = memory.mark === null;
    memory.mark = mark;
    const timeOf = timesTold(store, { nowMs: exchange.nowMs(), latestOffsetMs, isOfBefore });
    for (;;) {
      const rows = listEventsAfter(store, { accountId: account.id, after: memory.lastId, limit: PAGE });
      memory.lastId = rows.at(-1)?.id ?? memory.lastId;
      const news = rows.flatMap((row) => changeOf(row, { timeOf, clocks }) ?? []);
      if (news.length > 0) memory.changes = newestOfEach([...memory.changes, ...news]);
      if (rows.length < PAGE) break;
    }
  }

  function datedNow(account: Account, about: About, changes: readonly WriteChange[]): readonly Happened[] {
    const clocks = clocksNow();
    const { by } = answeredOf(memoryOf(account), changes, picture.heardOf(account.tradingAddress));
    const asked = nameOf(about, clocks);
    const known = by.get(asked);
    if (known !== undefined) return known;
    const told = changes
      .filter(({ market }) => market === null || isAbout(market, about))
      .map((change) => asHeard(picture, account, asOfClock(change, clocks)));
    if (by.size >= MAX_ANSWERED) by.clear();
    by.set(asked, told);
    return told;
  }

  return {
    told(account, about) {
      const memory = memoryOf(account);
      catchUp(account, memory);
      const { changes } = memory;
      return () => datedNow(account, about, changes);
    },
  };
}

/**
 * When something was told, by the exchange's time. What was told before this process nobody has heard here: the numbers of what was sent for it
 * tell how our wall clock stood then.
 */
function timesTold(
  store: Store,
  { nowMs, latestOffsetMs, isOfBefore }: { nowMs: number; latestOffsetMs: number; isOfBefore: boolean },
): Clocked["timeOf"] {
  return ({ atMs, resourceId }) => {
    const atNumbers = isOfBefore ? aheadAtNumbers(store, resourceId) : [];
    return Math.min(atMs + Math.max(latestOffsetMs, ...atNumbers), nowMs);
  };
}

function nameOf(about: About, { offsetMs, paceMs }: Clocks): string {
  return [offsetMs, paceMs, ...(typeof about === "string" ? [about] : ["dex", about.dex])].join(" ");
}

function answeredOf(memory: WritesMemory, changes: readonly WriteChange[], heard: number): KeptAnswer {
  const { answered } = memory;
  if (answered.changes !== changes || answered.heard !== heard) memory.answered = { changes, heard, by: new Map() };
  return memory.answered;
}

function newestOfEach(changes: readonly WriteChange[]): WriteChange[] {
  const later = new Map<string | null, number>();
  return changes
    .toReversed()
    .filter(({ market }) => {
      const place = market === null ? null : placeOf(market);
      const count = later.get(place) ?? 0;
      later.set(place, count + 1);
      return count < MAX_CHANGES;
    })
    .toReversed();
}

/** Its dex; spot by itself. */
function placeOf(market: string): string {
  return isSpot(market) ? "@" : dexOf(market);
}

/**
 * By our wall clock as it goes now: it may have been set since. The exchange's time may have turned out to be ahead of what it was
 * taken for, as the first reading of it comes from a node that stands still, or far behind, where a wrong clock of one server had been
 * believed: then so was what happened.
 */
function asOfClock(change: WriteChange, { offsetMs, paceMs }: Clocks): WriteChange {
  const { happened, clocks } = change;
  const aheadMs = offsetMs - clocks.offsetMs;
  const mendMs = paceMs - clocks.paceMs;
  if (happened.kind !== "noted" || (isSlack(aheadMs) && isSlack(mendMs))) return change;
  // Where our wall clock went on as our monotonic one did, the machine has not slept, and it is the exchange's time that was set right.
  const isBorneOut = Math.abs(aheadMs - mendMs) < CLOCK_STEP_MS;
  const isMend = mendMs > 0 && (mendMs <= CLOCK_MEND_MS || isBorneOut);
  const timeMs = isMend || mendMs < -CLOCK_MEND_MS ? happened.timeMs + mendMs : happened.timeMs;
  const atMs = Math.abs(aheadMs) < CLOCK_STEP_MS ? happened.atMs : timeMs - offsetMs;
  return { ...change, happened: { ...happened, atMs, timeMs } };
}

function isSlack(ms: number): boolean {
  return Math.abs(ms) < CLOCK_SLACK_MS;
}

function isAbout(market: string, about: About): boolean {
  if (about === "all") return true;
  return about === "spot" ? isSpot(market) : dexOf(market) === about.dex;
}

/** As the feed told it, where it did. */
function asHeard(picture: KnownToBeTold, { tradingAddress: user }: Account, { happened, told }: WriteChange): Happened {
  const { timeMs } = happened;
  if (happened.kind === "dated") {
    const heard = picture.heardFillAt(user, timeMs);
    return heard === null ? happened : { kind: "heard", timeMs, heard };
  }
  const update = told === null ? null : picture.toldOf(user, told.oid);
  const isOfThis = update !== null && (told?.isOver === false || update.isOver);
  return isOfThis ? { kind: "heard", timeMs: update.timeMs, heard: update.heard } : happened;
}

const FILL_ID = /^([0-9]{1,16})-([^-]{1,60})-/;

type Clocked = { timeOf(event: StoredEvent): number; clocks: Clocks };

/** Null for what moves neither positions nor balances. */
function changeOf(event: StoredEvent, { timeOf, clocks }: Clocked): WriteChange | null {
  const { type, resourceId, payload, atMs } = event;
  if (type === "fill.created") {
    const [, timeMs, market] = FILL_ID.exec(resourceId) ?? [];
    return timeMs === undefined || market === undefined
      ? null
      : { market, happened: { kind: "dated", timeMs: Number(timeMs) }, told: null, clocks };
  }
  const [area] = type.split(".");
  if ((area !== "order" && area !== "operation") || payload === null) return null;
  // Our own text of an order or an operation.
  const { market, status, exchange_order_id: oid, filled_size: filled } = parseJson(payload) as Record<string, unknown>;
  // What was removed was never sent; what is not known was not told, but for what was filled of it.
  const isFilled = typeof filled === "string" && filled !== "0";
  if (status === undefined || ((status === "processing" || status === "unknown") && !isFilled)) return null;
  const isOver = status === "filled" || status === "canceled" || status === "rejected";
  const told = area === "order" && typeof oid === "string" ? { oid, isOver } : null;
  // An operation does not say in which market it was.
  const where = typeof market === "string" ? market : null;
  const timeMs = timeOf(event);
  return {
    market: where,
    happened: { kind: "noted", timeMs, atMs: Math.min(atMs, timeMs - clocks.offsetMs) },
    told,
    clocks,
  };
}
