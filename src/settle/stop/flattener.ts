import type { Account } from "../../core/account.ts";
import type { Decimal } from "../../core/decimal.ts";
import type { Flatten, Left, LeftReason } from "../../core/flatten.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { Stop } from "../../core/stop.ts";
import { type NewWait, waitsSince } from "../../core/wait.ts";
import type { Flattener, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { botOfStop } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findFlatten, listRunningFlattens, listSteps, tellFlatten } from "../../store/flattens.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStop } from "../../store/stops.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { mayStillExecute } from "../unsettled.ts";
import { cancelCovered, nameOfStop } from "./cancel-covered.ts";
import { closeMarkets } from "./close-markets.ts";
import { type FlattenMemory, type FlattenParts, type FlattenRound, newFlattenMemory } from "./flatten-round.ts";
import { isStepOut, type ToFlatten } from "./flatten-step.ts";
import { areFillsAwaited, closableIn, listContradicted, listUnproven } from "./still-held.ts";
import { isNothingToCome, isNothingToComeIn, lookForTraces } from "./traceless.ts";
import { tellWaits } from "./waits.ts";

/** Between two readings of the position, milliseconds. */
const ROUND_EVERY_MS = 2_000;
/** Readings that show nothing held, one after the other, before that is told. */
const FLAT_READINGS = 2;

/** Closes what is held by whom a stop covers, in each market once nothing can increase it there any more. */
export function openFlattener(world: ToFlatten, parts: FlattenParts): RunningRowWorker & Flattener {
  const memories = new Map<string, FlattenMemory>();
  const worker = openRowWorker(world, {
    field: "stop",
    failed: "a step of a flattening failed",
    list: () => listRunningFlattens(world.store).map(({ stopId: id }) => ({ id })),
    open({ id: stopId }) {
      const memory = newFlattenMemory();
      memories.set(stopId, memory);
      return async () => {
        const isOver = await playRound(world, parts, { stopId, memory });
        if (isOver) memories.delete(stopId);
        return isOver;
      };
    },
    firstMs: ROUND_EVERY_MS,
  });
  return { ...worker, waitsOf: (stopId) => memories.get(stopId)?.waits ?? null };
}

type FollowedFlatten = { stopId: string; memory: FlattenMemory };

/** Keeps what a round that ends nothing waits for, and tells it; false, as such a round returns. */
function waitFor(world: ToFlatten, { stopId, memory }: FollowedFlatten, waits: readonly NewWait[]): false {
  const named: readonly NewWait[] = waits.length > 0 ? waits : [{ reason: "next_look" }];
  memory.waits = waitsSince(memory.waits ?? [], named, world.clock.nowMs());
  tellWaits(world, { stopId, told: memory.told, waits: memory.waits });
  return false;
}

function stepWait({ id: orderId, market, createdAtMs: sinceMs }: StoredOrder): NewWait {
  return { reason: "order_unsettled", orderId, market, sinceMs };
}

/** True when there is nothing more to do for it. */
async function playRound(world: ToFlatten, parts: FlattenParts, followed: FollowedFlatten): Promise<boolean> {
  const { store, state } = world;
  const { stopId, memory } = followed;
  const [flatten, stop] = [findFlatten(store, stopId), findStop(store, stopId)];
  const account = stop === null ? null : findAccount(store, stop.accountId);
  if (flatten === null || stop === null || account === null || flatten.endedAtMs !== null) return true;
  const steps = listSteps(store, flatten);
  heedRequest(memory, flatten, steps);
  // What its bot bought and sold since the backup is in no books yet: neither flat nor more than that is told by them.
  if (awaitsTakeUp(store, account.id)) return waitFor(world, followed, [{ reason: "restore_not_taken_up" }]);
  const isResumed = stop.resumedAtMs !== null;
  const isOpen = state.phase === "ready" && (await mayBegin(world, parts, { stop, account, memory }));
  if (!isOpen) memory.sinceMs = null;
  if (!isOpen && !isResumed && (state.phase !== "ready" || stop.stoppedAtMs !== null))
    return waitFor(world, followed, [{ reason: stop.stoppedAtMs === null ? "not_stopped" : "gateway_opening" }]);
  if (!isOpen && !isResumed) return closeApart(world, parts, { ...followed, flatten, stop, account, steps });
  memory.sinceMs = keptMoment(memory.sinceMs, world.exchange.nowMs());
  const outAt = (exchangeMs: number) => steps.filter((order) => isStepOut(world, stop, order, exchangeMs));
  const out = outAt(world.exchange.nowMs());
  if (out.length > 0) {
    await settleLost(world, parts, { stop, account, out });
    return waitFor(world, followed, out.map(stepWait));
  }
  const shown = await parts.positions(account);
  if (shown === null) return waitFor(world, followed, [{ reason: "position_not_read" }]);
  const since = outAt(shown.timeMs);
  if (since.length > 0) return waitFor(world, followed, [{ reason: "position_behind" }]);
  const held = closableIn(store, stop, shown.held);
  const round: FlattenRound = {
    stop,
    account,
    flatten,
    memory,
    held,
    waits: [],
    shownMs: shown.timeMs,
    steps: steps.slice(memory.stepsBefore),
  };
  const isLater = shown.timeMs > memory.sinceMs;
  if (!shown.holdsTold || !isLater) {
    if (!isResumed) await closeBehind(world, parts, round, isLater && shown.mayHoldTold);
    return waitFor(world, followed, [{ reason: "position_behind" }, ...round.waits]);
  }
  if (!isResumed) return closeShown(world, parts, round, shown.held);
  const unproven = leftOf(listUnproven(store, stop, shown.held), "unproven");
  return end(world, flatten, [...leftOf(held, "resumed"), ...unproven]);
}

type LostSteps = { stop: Stop; account: Account; out: readonly StoredOrder[] };

/**
 * An order of ours whose answer was lost, and whose time is over, is told to go: in a quiet account nothing else ever tells what
 * became of it. It rests nowhere and protects nothing.
 */
async function settleLost(world: ToFlatten, parts: FlattenParts, { stop, account, out }: LostSteps): Promise<void> {
  const exchangeMs = world.exchange.nowMs();
  const lost = out.filter((order) => order.status === "unknown" && !mayStillExecute(world, order, exchangeMs));
  const name = nameOfStop(stop);
  await Promise.all(lost.map(({ id: orderId }) => cancelCovered(world, parts.settling, { name, account, orderId })));
}

/** What is held may still grow: increases go first. Of what nobody knows anything of, and that has ended, the exchange is asked. */
async function mayBegin(
  world: ToFlatten,
  parts: FlattenParts,
  { stop, account, memory: { looks } }: { stop: Stop; account: Account; memory: FlattenMemory },
): Promise<boolean> {
  if (stop.stoppedAtMs !== null) return true;
  await lookForTraces(world, account, { progress: parts.progressOf(stop), looks });
  const now = findStop(world.store, stop.id) ?? stop;
  return isNothingToCome(world, now, { progress: parts.progressOf(now), looks }, world.exchange.nowMs());
}

type Apart = FollowedFlatten & Pick<FlattenRound, "account" | "flatten" | "steps" | "stop">;

/**
 * While something may still increase, what is held where nothing of that can come. In each market the first order goes by what is shown,
 * however old, and later ones by what is shown of after that; nothing is ended.
 */
async function closeApart(world: ToFlatten, parts: FlattenParts, apart: Apart): Promise<boolean> {
  const { memory, flatten, stop, account } = apart;
  const waiting = (waits: readonly NewWait[] = []) => waitFor(world, apart, [...stopWaits(parts, stop), ...waits]);
  const shown = await parts.positions(account);
  if (shown === null) return waiting([{ reason: "position_not_read" }]);
  const exchangeMs = world.exchange.nowMs();
  const held = closableIn(world.store, stop, shown.held);
  const coming = { progress: parts.progressOf(stop), looks: memory.looks, exchangeMs };
  const free = [...held.keys()].filter((market) => isNothingToComeIn(world, stop, coming, market));
  memory.apart = new Map(free.map((market) => [market, keptMoment(memory.apart.get(market) ?? null, exchangeMs)]));
  // An order may have filled since what is shown was so.
  const out = apart.steps.filter((order) => isStepOut(world, stop, order, Math.min(exchangeMs, shown.timeMs)));
  if (out.length > 0) await settleLost(world, parts, { stop, account, out });
  const isOut = new Set(out.map(({ market }) => market));
  const steps = apart.steps.slice(memory.stepsBefore);
  const begun = new Set(steps.map(({ market }) => market));
  const isShown = (market: string) => shown.mayHoldTold && shown.timeMs > (memory.apart.get(market) ?? exchangeMs);
  const now = free.filter((market) => !isOut.has(market) && (isShown(market) || !begun.has(market)));
  const closing = new Map([...held].filter(([market]) => now.includes(market)));
  const round = { stop, account, flatten, memory, held: closing, waits: [], shownMs: shown.timeMs, steps };
  await closeMarkets(world, parts, round);
  return waiting([...out.map(stepWait), ...round.waits]);
}

/** A round by positions of after the stop. */
async function closeShown(
  world: ToFlatten,
  parts: FlattenParts,
  round: FlattenRound,
  positions: ReadonlyMap<string, Decimal>,
): Promise<boolean> {
  const { held, memory, flatten, waits, stop } = round;
  const unread = unreadFills(world, parts, round);
  const unsure = [...unsureOf(world, round), ...(await unknownFills(world, parts, round))];
  const isKnown = unsure.length === 0;
  memory.flatReadings = held.size === 0 && isKnown ? memory.flatReadings + 1 : 0;
  const followed = { stopId: flatten.stopId, memory };
  // In whichever market, beside what else is left.
  const unproven = leftOf(listUnproven(world.store, stop, positions), "unproven");
  if (held.size === 0) {
    const isFlat = memory.flatReadings >= FLAT_READINGS && unread.length === 0;
    if (isFlat && stop.stoppedAtMs !== null) return end(world, flatten, unproven);
    if (isFlat) return waitFor(world, followed, awaitStop(parts, round));
    if (isKnown && unread.length === 0) return waitFor(world, followed, [{ reason: "second_reading" }]);
    return waitFor(world, followed, [...unsure, ...unread]);
  }
  const left = await closeMarkets(world, parts, round);
  const isAllLeft = isKnown && unread.length === 0 && left.length === held.size;
  if (isAllLeft && stop.stoppedAtMs !== null) return end(world, flatten, [...left, ...unproven]);
  return waitFor(world, followed, [...(isAllLeft ? stopWaits(parts, stop) : [...unsure, ...unread]), ...waits]);
}

/** What nobody knows of may have been filled. What turns up of it is closed as what was found first: at prices of then. */
function awaitStop(parts: FlattenParts, { memory, steps, stop }: FlattenRound): NewWait[] {
  memory.stepsBefore += steps.length;
  memory.idle.clear();
  memory.undecided.clear();
  return stopWaits(parts, stop);
}

/** Nothing ends a flattening before its stop is stopped: what turns up until then is closed as well. */
function stopWaits(parts: FlattenParts, stop: Stop): NewWait[] {
  return [{ reason: "not_stopped" }, ...parts.progressOf(stop).waits];
}

/** What is known that says that more is held than is shown. */
function unsureOf(world: With<"clock" | "store">, { stop, held, memory }: FlattenRound): NewWait[] {
  const contradicted = listContradicted(world, stop, { held, seen: memory.contradiction });
  return contradicted.map((market) => ({ reason: "fills_not_known", market }));
}

/** Of after nothing could increase any more: by those alone is told what servers leave out. */
function unreadFills(world: With<"clock">, parts: FlattenParts, { account, memory }: FlattenRound): NewWait[] {
  const isRead = parts.areFillsRead(account, memory.sinceMs ?? Number.POSITIVE_INFINITY);
  return areFillsAwaited(world, isRead, memory.unread) ? [{ reason: "fills_not_known" }] : [];
}

async function unknownFills(
  { store }: With<"store">,
  parts: FlattenParts,
  { stop, account }: FlattenRound,
): Promise<NewWait[]> {
  const bot = botOfStop(store, stop);
  const areKnown = bot === null || (await parts.areTwapsOver(account, bot));
  return areKnown ? [] : [{ reason: "twap_fills_not_known" }];
}

/** Our wall clock may be set back while it goes on: which orders are of this request is told by their number, and by time only after a start. */
function heedRequest(memory: FlattenMemory, { askedAtMs }: Flatten, steps: readonly StoredOrder[]): void {
  if (memory.askedAtMs === askedAtMs) return;
  const isHeardOf = memory.askedAtMs !== 0;
  const before = isHeardOf ? steps : steps.filter(({ createdAtMs }) => createdAtMs < askedAtMs);
  Object.assign(memory, {
    askedAtMs,
    stepsBefore: before.length,
    flatReadings: 0,
    idle: new Map(),
    undecided: new Map(),
  });
}

/**
 * By what a server shows that is behind, or may be: it may be held no more, or something may be that is not shown yet. What is shown is reduced
 * all the same, as an order can only reduce; by what is known to be behind the first of a market alone. Nothing is told.
 */
async function closeBehind(
  world: ToFlatten,
  parts: FlattenParts,
  round: FlattenRound,
  mayBeOfNow: boolean,
): Promise<void> {
  const begun = new Set(mayBeOfNow ? [] : round.steps.map(({ market }) => market));
  const held = new Map([...round.held].filter(([market]) => !begun.has(market)));
  await closeMarkets(world, parts, { ...round, held });
}

function leftOf(held: ReadonlyMap<string, Decimal>, reason: LeftReason): Left[] {
  return [...held].map(([market, size]) => ({ market, size, reason }));
}

/** In one transaction with the row that it is concluded from; false where it was asked for again meanwhile. */
function end(world: With<"clock" | "store">, flatten: Flatten, left: readonly Left[]): boolean {
  const atMs = world.clock.nowMs();
  return inTransaction(world.store, (store) => {
    const now = findFlatten(store, flatten.stopId);
    if (now === null || now.askedAtMs !== flatten.askedAtMs) return false;
    tellFlatten(store, { ...now, endedAtMs: atMs, left }, { event: "flatten_ended", actor: "gateway", atMs });
    return true;
  });
}
