import type { Account } from "../../core/account.ts";
import { compare, type Decimal, isZero, ZERO } from "../../core/decimal.ts";
import { isLive } from "../../core/order.ts";
import { nameOfTrade, STOPPED_WORDS, type Trade } from "../../core/trade.ts";
import {
  heldAtMostOf,
  isStanding,
  isTrusted,
  nextSteps,
  type TradeFacts,
  type TradeStep,
  wantsMark,
} from "../../core/trade-step.ts";
import { PROFIT_REFUSED, profitRefused, unprotectedBecause } from "../../core/trade-words.ts";
import type { Settling, Trader, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { inTransaction } from "../../store/commit.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findTrade, listOpenTrades, listOpenTradesOf, putTrade } from "../../store/trades.ts";
import { listUnused } from "../copies/late-copies.ts";
import { endUnused, type NumbersMemory, settleUnused } from "../copies/unused-numbers.ts";
import type { ToPlaceOwn } from "../place/place-own.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { cancelCovered } from "../stop/cancel-covered.ts";
import { type HeldMemory, heldAtMost, newHeldMemory, type PositionParts, readHeld } from "./held-now.ts";
import { placeGuard } from "./place-guard.ts";
import {
  factsOf,
  isStoppedSince,
  NOTHING_READ,
  rowsOf,
  rowsWhileUnchanged,
  type StopShown,
  type TradeRead,
  type TradeRows,
} from "./trade-facts.ts";

export type TraderParts = PositionParts & {
  settling: Pick<Settling, "burn" | "look" | "pursue">;
  /** Null where it could not be read. */
  mark(market: string): Promise<Decimal | null>;
  /** Sends the entry, once, as any order of its key. In words why it never will be; null where it was sent, or may be later. */
  enter(trade: Trade, account: Account, stopShown: StopShown | null): Promise<string | null>;
};

/** Between two looks at the rows of a trade, milliseconds. */
export const TRADE_LOOK_MS = 250;
/**
 * Between two questions for an entry that nothing tells of, milliseconds, for each trade that lives: a look may weigh forty, and
 * all that is to be settled shares one weight with it.
 */
const ASK_EVERY_MS = 5_000;
/** Between two questions for an entry before which its stop stands whole, milliseconds. */
const ASK_PROTECTED_EVERY_MS = 10_000;
/** Between two questions whether a stop waits still before which no entry has been sent yet, milliseconds. */
const ASK_STOP_EVERY_MS = 1_000;
/**
 * Between two questions whether a stop still waits once its entry was sent, milliseconds; asked while no feed is live.
 */
const ASK_UNHEARD_STOP_EVERY_MS = 10_000;
/**
 * Before each of the first questions for a guard that was there and of which nothing is known now, milliseconds; later ones are as seldom as those
 * for one that waits. Asked while no feed is live: what shows its end wants a second reading, and until there is one another guard waits.
 */
const ASK_LOST_AFTER_MS = [1_000, 3_000, 3_000] as const;
/** Between two questions for the mark, milliseconds. */
const ASK_MARK_EVERY_MS = 1_000;
/** What is kept in mind of one between two looks. Losing it costs readings. */
type TradeMemory = {
  askedMs: number;
  stopAskedMs: number;
  stopShown: StopShown | null;
  held: HeldMemory;
  /** A guard that was there and of which nothing is known; null while there is none. `askedMs`: elapsed milliseconds. */
  lost: { orderId: string; times: number; askedMs: number } | null;
  markAskedMs: number;
  mark: Decimal | null;
  /** By guard: since when nobody knows what became of it, elapsed milliseconds. */
  unsettledSinceMs: ReadonlyMap<string, number>;
  numbers: NumbersMemory;
  /** Steps that are under way. */
  taking: Set<string>;
};

function newMemory(): TradeMemory {
  return {
    askedMs: 0,
    stopAskedMs: Number.NEGATIVE_INFINITY,
    stopShown: null,
    held: newHeldMemory(),
    lost: null,
    markAskedMs: Number.NEGATIVE_INFINITY,
    mark: null,
    unsettledSinceMs: new Map(),
    numbers: new Map(),
    taking: new Set(),
  };
}

export type RunningTrader = RunningRowWorker & Trader;

/** Pursues trades: their stops, their entries, their ends. */
export function openTrader(world: ToPlaceOwn, parts: TraderParts): RunningTrader {
  const memories = new Map<string, TradeMemory>();
  const failed = "a step of a trade failed";
  // As of a step that is waited for: once nobody goes on, what still comes back is no fault.
  const noteFailed = (id: string, error: unknown) => {
    if (!worker.isStopped()) world.log.error({ trade: id, error: String(error) }, failed);
  };
  const worker = openRowWorker(world, {
    field: "trade",
    failed,
    list: () => listOpenTrades(world.store),
    open({ id }) {
      const memory = newMemory();
      memories.set(id, memory);
      return async () => {
        const isOver = await look(world, parts, { id, memory, noteFailed });
        if (isOver) memories.delete(id);
        return isOver;
      };
    },
    firstMs: TRADE_LOOK_MS,
  });
  return {
    ...worker,
    refresh(accountId) {
      if (world.state.phase !== "ready" || worker.isStopped()) return;
      for (const { id } of listOpenTradesOf(world.store, accountId)) {
        const memory = memories.get(id);
        if (memory !== undefined) writeDown(world, parts, { id, memory });
      }
    },
  };
}

type FollowedTrade = { id: string; memory: TradeMemory };
type LookedAt = FollowedTrade & { noteFailed(id: string, error: unknown): void };

/** True when there is nothing more to do for it. */
async function look(world: ToPlaceOwn, parts: TraderParts, looked: LookedAt): Promise<boolean> {
  const { id, memory, noteFailed } = looked;
  const { store, state } = world;
  const rows = rowsWhileUnchanged(store, id);
  const account = rows === null ? null : findAccount(store, rows.trade.accountId);
  if (rows === null || account === null || rows.trade.endedAtMs !== null) return true;
  if (state.phase !== "ready" || awaitsTakeUp(store, account.id)) return false;
  await ask(world, parts, { rows, account, memory });
  memory.unsettledSinceMs = unsettledNow(world, rowsWhileUnchanged(store, id), memory);
  const now = writeDown(world, parts, { id, memory });
  if (now === null) return true;
  for (const step of now.steps)
    begin(memory.taking, step, () => take(world, parts, { ...now, account, step, memory })).catch((error) =>
      noteFailed(id, error),
    );
  return false;
}

/** No step waits for another, nor the next look for any: a stop that is needed does not stand behind an answer that does not come. */
async function begin(taking: Set<string>, step: TradeStep, work: () => Promise<void>): Promise<void> {
  const name = JSON.stringify(step);
  if (taking.has(name)) return;
  taking.add(name);
  await work().finally(() => taking.delete(name));
}

function unsettledNow(
  world: ToPlaceOwn,
  rows: TradeRows | null,
  { unsettledSinceMs }: TradeMemory,
): ReadonlyMap<string, number> {
  if (rows === null) return unsettledSinceMs;
  const { stops, profits } = factsOf(world, rows.trade, NOTHING_READ, rows);
  const unsettled = [...stops, ...profits].filter(({ state }) => state === "unsettled");
  const nowMs = world.clock.elapsedMs();
  return new Map(unsettled.map(({ orderId }) => [orderId, unsettledSinceMs.get(orderId) ?? nowMs]));
}

/** What was read beside the rows, but for what the account holds. */
function readIn({ clock }: ToPlaceOwn, { stopShown, mark, unsettledSinceMs }: TradeMemory): TradeRead {
  const nowMs = clock.elapsedMs();
  const unsettledForMs = new Map([...unsettledSinceMs].map(([orderId, sinceMs]) => [orderId, nowMs - sinceMs]));
  return { position: null, stopShown, mark, unsettledForMs };
}

type TradeContext = { rows: TradeRows; account: Account; memory: TradeMemory };

/** What the rows alone do not tell: whether a stop waits still, an entry of which no feed tells, and what other hands have closed. */
async function ask(world: ToPlaceOwn, parts: TraderParts, { rows, account, memory }: TradeContext): Promise<void> {
  const { trade, entryOrder: entry } = rows;
  const nowMs = world.clock.elapsedMs();
  const isTold = world.feeds.isLive(account.tradingAddress);
  if (entry === null) await askForStop(world, parts, { rows, memory, everyMs: ASK_STOP_EVERY_MS });
  else if (!isTold) await askForStop(world, parts, { rows, memory, everyMs: ASK_UNHEARD_STOP_EVERY_MS });
  if (!isTold) await askForLost(world, parts, { rows, memory });
  await askForMark(world, parts, { rows, memory });
  const isAsked = entry !== null && isLive(entry.status) && !isTold;
  if (isAsked && nowMs - memory.askedMs >= askEveryMs(world, trade)) {
    memory.askedMs = nowMs;
    await parts.settling.look(entry.id, "settle");
  }
  const ownNow = () => heldNow(world, trade.id);
  await readHeld(world, parts, { account, trade, memory: memory.held, ownNow });
}

function heldNow(world: ToPlaceOwn, id: string): Decimal {
  const rows = rowsWhileUnchanged(world.store, id);
  return rows === null ? ZERO : heldAtMostOf(factsOf(world, rows.trade, NOTHING_READ, rows));
}

/**
 * Before an entry is sent behind it, and on and on while no feed would tell: it may have fired since the exchange last had a word about it,
 * and have been refused because nothing was held.
 */
async function askForStop(
  world: ToPlaceOwn,
  { settling }: TraderParts,
  { rows, memory, everyMs }: Omit<TradeContext, "account"> & { everyMs: number },
): Promise<void> {
  const { stops, nowMs } = factsOf(world, rows.trade, { ...NOTHING_READ, stopShown: memory.stopShown }, rows);
  const stop = stops.findLast(({ state, isLeaving }) => state === "waiting" && !isLeaving);
  const elapsedMs = world.clock.elapsedMs();
  if (stop === undefined || isTrusted(stop, nowMs) || elapsedMs - memory.stopAskedMs < everyMs) return;
  memory.stopAskedMs = elapsedMs;
  const askedAtMs = world.clock.nowMs();
  if ((await settling.look(stop.orderId, "settle")) === "open")
    memory.stopShown = { orderId: stop.orderId, atMs: askedAtMs };
}

/** A look has shown it to be ending, and nobody else asks for it again. What the trade has told to go is pursued by its cancel. */
async function askForLost(
  world: ToPlaceOwn,
  { settling }: TraderParts,
  { rows, memory }: Omit<TradeContext, "account">,
): Promise<void> {
  const { stops, profits } = factsOf(world, rows.trade, NOTHING_READ, rows);
  const lost = [...stops, ...profits].find(({ state, wasTaken, isLeaving }) => {
    return state === "unsettled" && wasTaken && !isLeaving;
  });
  const nowMs = world.clock.elapsedMs();
  const before = lost !== undefined && memory.lost?.orderId === lost.orderId ? memory.lost : null;
  memory.lost = lost === undefined ? null : (before ?? { orderId: lost.orderId, times: 0, askedMs: nowMs });
  if (memory.lost === null) return;
  const { orderId, times, askedMs } = memory.lost;
  if (nowMs - askedMs < (ASK_LOST_AFTER_MS[times] ?? ASK_UNHEARD_STOP_EVERY_MS)) return;
  memory.lost = { orderId, times: times + 1, askedMs: nowMs };
  await settling.look(orderId, "settle");
}

/** Where the exchange has refused the stop because of it. A mark of before is none to close by. */
async function askForMark(
  world: ToPlaceOwn,
  { mark }: TraderParts,
  { rows, memory }: Omit<TradeContext, "account">,
): Promise<void> {
  const { trade } = rows;
  const elapsedMs = world.clock.elapsedMs();
  const facts = factsOf(world, trade, { ...NOTHING_READ, position: memory.held.position }, rows);
  if (!wantsMark(trade, facts)) memory.mark = null;
  else if (elapsedMs - memory.markAskedMs >= ASK_MARK_EVERY_MS) {
    memory.mark = await mark(trade.market);
    memory.markAskedMs = elapsedMs;
  }
}

function askEveryMs({ store }: With<"store">, { path }: Trade): number {
  const everyMs = path === "stop_first" ? ASK_PROTECTED_EVERY_MS : ASK_EVERY_MS;
  return everyMs * Math.max(1, listOpenTrades(store).length);
}

/** `position`: what it holds at most, by what its steps were worked out; null where nothing is known to be missing. */
type JudgedTrade = { trade: Trade; steps: readonly TradeStep[]; position: Decimal | null };

/**
 * Null where it has ended. In one transaction with the rows that it is concluded from, where anything of it changes: most looks find
 * everything as it was, and nobody waits for the disk because of them.
 */
function writeDown(world: ToPlaceOwn, parts: PositionParts, { id, memory }: FollowedTrade): JudgedTrade | null {
  const asItIs = judge(world, parts, { rows: rowsWhileUnchanged(world.store, id), memory });
  if (asItIs === null || !asItIs.isChanged) return asItIs;
  return inTransaction(world.store, (store) => {
    const trade = findTrade(store, id);
    const judged = judge(world, parts, { rows: trade === null ? null : rowsOf(store, trade), memory });
    if (judged === null) return null;
    if (judged.isChanged) putTrade(store, judged.trade, judged.nowMs);
    return judged.trade.endedAtMs === null ? judged : null;
  });
}

function judge(
  world: ToPlaceOwn,
  parts: PositionParts,
  { rows, memory }: { rows: TradeRows | null; memory: TradeMemory },
): (JudgedTrade & { isChanged: boolean; nowMs: number }) | null {
  if (rows === null || rows.trade.endedAtMs !== null) return null;
  const { trade: row } = rows;
  const found = { ...row, entryId: rows.entryOrder?.id ?? null };
  const isStopped = found.entryId === null && !found.isEntryUnwanted && isStoppedSince(world, found);
  const trade = isStopped ? { ...found, isEntryUnwanted: true, error: STOPPED_WORDS } : found;
  const byFills = factsOf(world, trade, readIn(world, memory), rows);
  const facts = { ...byFills, position: heldAtMost(memory.held, heldAtMostOf(byFills)) };
  const wanted = nextSteps(trade, facts);
  const booked = wanted.some(isPlacing) ? { ...facts, position: atMostByBooks(world, parts, { trade, facts }) } : facts;
  const steps = booked.position === facts.position ? wanted : withoutSold(wanted, nextSteps(trade, booked));
  const next = shownAs(concluded(trade, steps, facts), booked);
  const { position } = booked;
  return { trade: next, steps, position, isChanged: JSON.stringify(next) !== JSON.stringify(row), nowMs: facts.nowMs };
}

/**
 * What its bot has sold by other orders stands in the books at once, and counts here only once two readings have shown it: no guard is placed
 * for it meanwhile, which would close what others hold, and it is not told as held. Nothing goes or ends because of that.
 */
function atMostByBooks(
  { store }: With<"store">,
  { leftToTrade }: PositionParts,
  { trade, facts }: { trade: Trade; facts: TradeFacts },
): Decimal | null {
  const account = findAccount(store, trade.accountId);
  const left = account === null ? null : leftToTrade(account, trade);
  return left === null || compare(left, heldAtMostOf(facts)) >= 0 ? facts.position : left;
}

function withoutSold(steps: readonly TradeStep[], byBooks: readonly TradeStep[]): TradeStep[] {
  return [...steps.filter((step) => !isPlacing(step)), ...byBooks.filter(isPlacing)];
}

function isPlacing({ kind }: TradeStep): boolean {
  return kind === "place_guard" || kind === "close_now";
}

/** Steps that are no more than words. */
function concluded(trade: Trade, steps: readonly TradeStep[], { nowMs }: TradeFacts): Trade {
  const [first] = steps;
  if (first?.kind === "follow_fills") return { ...trade, path: "after_fills" };
  return first?.kind === "end"
    ? { ...trade, status: first.status, error: first.error ?? trade.error, endedAtMs: nowMs }
    : trade;
}

function shownAs(trade: Trade, facts: TradeFacts): Trade {
  const { entry, stops, profits, nowMs } = facts;
  const because = unprotectedBecause(trade, facts);
  const isOpen = entry !== null && entry.state === "over" && !isZero(entry.filled);
  const living = entry === null ? "arming" : isOpen ? "open" : "entering";
  const standing = (parts: TradeFacts["stops"]) =>
    parts.findLast((part) => isStanding(part) && !part.isLeaving)?.orderId ?? null;
  return {
    ...trade,
    status: trade.endedAtMs === null ? living : trade.status,
    stopId: standing(stops),
    profitId: standing(profits),
    filledSize: entry?.filled ?? ZERO,
    heldSize: heldAtMostOf(facts),
    unprotectedSinceMs: because === null ? null : (trade.unprotectedSinceMs ?? nowMs),
    unprotectedBecause: because,
    error: profitRefused(trade, facts) ?? (trade.error?.startsWith(PROFIT_REFUSED) === true ? null : trade.error),
  };
}

type Taking = Pick<JudgedTrade, "trade" | "position"> & { account: Account; step: TradeStep; memory: TradeMemory };

async function take(world: ToPlaceOwn, parts: TraderParts, taking: Taking): Promise<void> {
  const { settling } = parts;
  const { trade, position, account, step, memory } = taking;
  switch (step.kind) {
    case "place_guard":
    case "close_now":
      return placeGuard(world, settling, { trade, account, step, read: { ...readIn(world, memory), position } });
    case "cancel":
      return cancelCovered(world, settling, { name: nameOfTrade(trade), account, orderId: step.orderId });
    case "take_number": {
      const unused = listUnused(world, account.id).find(({ order }) => order?.id === step.orderId);
      if (unused === undefined) return endUnused(world, step.orderId);
      return settleUnused(world, account, unused, memory.numbers);
    }
    case "place_entry":
      return noteRefusal(world, trade.id, await parts.enter(trade, account, memory.stopShown));
    case "follow_fills":
    case "end":
      return;
  }
}

function noteRefusal(world: ToPlaceOwn, id: string, refusal: string | null): void {
  if (refusal === null) return;
  inTransaction(world.store, (store) => {
    const trade = findTrade(store, id);
    if (trade === null || trade.endedAtMs !== null || rowsOf(store, trade).entryOrder !== null) return;
    putTrade(store, { ...trade, isEntryUnwanted: true, error: refusal }, world.clock.nowMs());
  });
}
