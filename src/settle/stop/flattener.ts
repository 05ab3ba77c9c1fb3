import type { Account } from "../../core/account.ts";
import { absolute, compare, type Decimal, decimal } from "../../core/decimal.ts";
import { closingOrder, type Flatten, type Left, type LeftReason } from "../../core/flatten.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import { findMarket } from "../../core/market.ts";
import { isTooLittle } from "../../core/minimum-value.ts";
import type { Side } from "../../core/order.ts";
import type { Stop } from "../../core/stop.ts";
import { type NewWait, type ToldWaits, type Wait, waitsSince } from "../../core/wait.ts";
import type { Prices } from "../../core/worst-price.ts";
import type { Flattener, Settling, StopProgress, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { botOfStop, listBotGrants } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findFlatten, listRunningFlattens, listSteps, tellFlatten } from "../../store/flattens.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStop } from "../../store/stops.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { cancelCovered, nameOfStop } from "./cancel-covered.ts";
import { cancelRunningTwap } from "./cancel-twaps.ts";
import { closingTwaps, isStepOut, isUndecided, restingReductions, sendStep, type ToFlatten } from "./flatten-step.ts";
import { type Contradiction, closableIn, listContradicted, listInDoubt, listUnproven } from "./still-held.ts";
import { isNothingToCome, lookForTraces, type TracelessLooks } from "./traceless.ts";
import { tellWaits } from "./waits.ts";

/** What an account was shown to hold on perpetuals. */
export type ShownPositions = {
  /** By market, signed; none that is flat. */
  held: ReadonlyMap<string, Decimal>;
  /** The exchange's own time of the oldest part of it, unix milliseconds. */
  timeMs: number;
  /** It is of after everything that the account was told. */
  holdsTold: boolean;
};

export type FlattenParts = {
  settling: Pick<Settling, "burn" | "pursue">;
  /** How far the stop itself has come. */
  progressOf(stop: Stop): StopProgress;
  /** Null where it could not be read. */
  positions(account: Account): Promise<ShownPositions | null>;
  /** False while a TWAP of the bot that could increase runs, or has a fill that is not known: then nobody knows what the bot holds. */
  areTwapsOver(account: Account, bot: string): Promise<boolean>;
  /** What an order of this side that only reduces is priced by now; null where neither a book nor a mark of now is known. */
  prices(account: Account, market: string, side: Side): Promise<Prices | null>;
};

/** Between two readings of the position, milliseconds. */
const ROUND_EVERY_MS = 2_000;
/** Orders in one market; a request that comes afterwards has as many again. */
const MAX_ROUNDS = 10;
/** Rounds in one market in which nothing could be placed. */
const MAX_IDLE = 10;
/** Rounds in one market that wait for what is not known of a trigger, which may be all that protects what is held. */
const MAX_UNDECIDED = 3;
/** Readings that show nothing held, one after the other, before that is told. */
const FLAT_READINGS = 2;

/** What is kept in mind of one between two rounds. Losing it costs some readings. */
type FlattenMemory = {
  askedAtMs: number;
  /** Exchange time when nothing could increase it any more, or later, unix milliseconds; null before. */
  sinceMs: number | null;
  looks: TracelessLooks;
  /** Orders of earlier requests. */
  stepsBefore: number;
  flatReadings: number;
  idle: Map<string, number>;
  undecided: Map<string, number>;
  contradiction: Contradiction;
  /** Null before the first round. */
  waits: readonly Wait[] | null;
  told: ToldWaits;
};

/** Closes what is held by whom a stop covers, once nothing can increase it any more. */
export function openFlattener(world: ToFlatten, parts: FlattenParts): RunningRowWorker & Flattener {
  const memories = new Map<string, FlattenMemory>();
  const worker = openRowWorker(world, {
    field: "stop",
    failed: "a step of a flattening failed",
    list: () => listRunningFlattens(world.store).map(({ stopId: id }) => ({ id })),
    open({ id: stopId }) {
      const memory: FlattenMemory = {
        askedAtMs: 0,
        sinceMs: null,
        looks: new Map(),
        stepsBefore: 0,
        flatReadings: 0,
        idle: new Map(),
        undecided: new Map(),
        contradiction: { sinceMs: null },
        waits: null,
        told: { names: "", atMs: null },
      };
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
  memory.waits = waitsSince(memory.waits ?? [], waits, world.clock.nowMs());
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
  if (!isOpen && !isResumed)
    return waitFor(world, followed, [{ reason: stop.stoppedAtMs === null ? "not_stopped" : "gateway_opening" }]);
  memory.sinceMs = keptMoment(memory.sinceMs, world.exchange.nowMs());
  const outAt = (exchangeMs: number) => steps.filter((order) => isStepOut(world, stop, order, exchangeMs));
  const out = outAt(world.exchange.nowMs());
  if (out.length > 0) return waitFor(world, followed, out.map(stepWait));
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
  const isCurrent = shown.holdsTold && shown.timeMs > memory.sinceMs;
  if (!isCurrent) {
    if (!isResumed) await beginBehind(world, parts, round);
    return waitFor(world, followed, [{ reason: "position_behind" }, ...round.waits]);
  }
  return isResumed ? end(world, flatten, leftOf(held, "resumed")) : closeShown(world, parts, round, shown.held);
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

/** A round by positions of after the stop. */
async function closeShown(
  world: ToFlatten,
  parts: FlattenParts,
  round: FlattenRound,
  positions: ReadonlyMap<string, Decimal>,
): Promise<boolean> {
  const { held, memory, flatten, waits, stop } = round;
  const unsure = [...unsureOf(world, round, positions), ...(await unknownFills(world, parts, round))];
  const isKnown = unsure.length === 0;
  memory.flatReadings = held.size === 0 && isKnown ? memory.flatReadings + 1 : 0;
  const followed = { stopId: flatten.stopId, memory };
  if (held.size === 0) {
    const isFlat = memory.flatReadings >= FLAT_READINGS;
    const unproven = leftOf(listUnproven(world.store, stop, positions), "unproven");
    if (isFlat && stop.stoppedAtMs !== null) return end(world, flatten, unproven);
    if (isFlat) return waitFor(world, followed, awaitStop(parts, round));
    return waitFor(world, followed, isKnown ? [{ reason: "second_reading" }] : unsure);
  }
  const left = await closeMarkets(world, parts, round);
  const isAllLeft = isKnown && left.length === held.size;
  if (isAllLeft && stop.stoppedAtMs !== null) return end(world, flatten, left);
  return waitFor(world, followed, [...(isAllLeft ? stopWaits(parts, stop) : unsure), ...waits]);
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
function unsureOf(
  world: With<"clock" | "store">,
  { stop, held, memory }: FlattenRound,
  positions: ReadonlyMap<string, Decimal>,
): NewWait[] {
  const contradicted = listContradicted(world, stop, { held, seen: memory.contradiction });
  const markets = new Set([...contradicted, ...listInDoubt(world.store, stop, positions)]);
  return [...markets].map((market) => ({ reason: "fills_not_known", market }));
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

type FlattenRound = Omit<FlattenClosing, "market" | "closable"> & {
  /** What is to be closed, by market. */
  held: ReadonlyMap<string, Decimal>;
};

/**
 * By what a server shows that is behind: it may be held no more, or something may be that is not shown yet. The first order of a market
 * goes all the same, as it can only reduce; nothing is told.
 */
async function beginBehind(world: ToFlatten, parts: FlattenParts, round: FlattenRound): Promise<void> {
  const begun = new Set(round.steps.map(({ market }) => market));
  const held = new Map([...round.held].filter(([market]) => !begun.has(market)));
  await closeMarkets(world, parts, { ...round, held });
}

/** One try in each market; what is left of those where there is to be no further one. */
async function closeMarkets(world: ToFlatten, parts: FlattenParts, round: FlattenRound): Promise<Left[]> {
  const { held, ...closing } = round;
  const tries = [...held].map(([market, closable]) => {
    const steps = closing.steps.filter((order) => order.market === market);
    return closeMarket(world, parts, { ...closing, market, closable, steps });
  });
  return (await Promise.all(tries)).flatMap((left) => left ?? []);
}

function leftOf(held: ReadonlyMap<string, Decimal>, reason: LeftReason): Left[] {
  return [...held].map(([market, size]) => ({ market, size, reason }));
}

type FlattenClosing = {
  stop: Stop;
  account: Account;
  flatten: Flatten;
  memory: FlattenMemory;
  /** As of when it was shown, exchange time, unix milliseconds. */
  shownMs: number;
  market: string;
  closable: Decimal;
  /** Orders that this request has placed in this market. */
  steps: readonly StoredOrder[];
  /** Filled by the tries of a round: what those wait for that leave nothing. */
  waits: NewWait[];
};

/** One try in one market. What is left where there is to be no further one, else null. */
async function closeMarket(world: ToFlatten, parts: FlattenParts, closing: FlattenClosing): Promise<Left | null> {
  const { stop, account, market, closable, memory, steps, waits } = closing;
  const left = (reason: LeftReason): Left => ({ market, size: closable, reason });
  // Both would close it: what of a bot rests goes first, or it would reduce what another holds.
  const resting = restingReductions(world, stop, market);
  const undecided = resting.filter(isUndecided);
  if (undecided.length > 0 && isWorthWaiting(memory, market)) {
    waits.push(...undecided.map(({ id: orderId }): NewWait => ({ reason: "trigger_unclear", orderId, market })));
    return null;
  }
  if (resting.length > 0) {
    waits.push(...resting.map(({ id: orderId }): NewWait => ({ reason: "reduction_resting", orderId, market })));
    const of = { name: nameOfStop(stop), account };
    await Promise.all(resting.map(({ id }) => cancelCovered(world, parts.settling, { ...of, orderId: id })));
    return null;
  }
  const twaps = closingTwaps(world.store, stop, market);
  if (twaps.length > 0) {
    waits.push(...twaps.map(({ operationId }): NewWait => ({ reason: "twap_reducing", operationId, market })));
    await Promise.all(
      twaps.flatMap(({ twapId }) =>
        twapId === null
          ? []
          : cancelRunningTwap(world, parts.settling, { name: nameOfStop(stop), account, twapId, market }),
      ),
    );
    return isLast(memory, market) ? left("twap_running") : null;
  }
  const last = steps.at(-1);
  const wasTooLittle = last?.status === "rejected" && isTooLittle(last.error ?? "");
  if (wasTooLittle && compare(absolute(closable), absolute(decimal(last.size))) === 0) return left("below_minimum");
  if (steps.length >= MAX_ROUNDS) return left("not_filled");
  const order = await orderFor(world, parts, closing);
  const mayClose = (now: Stop, exchangeMs: number) =>
    isNothingToCome(world, now, { progress: parts.progressOf(now), looks: memory.looks }, exchangeMs);
  waits.push({ reason: order === null ? "no_price" : "being_closed", market });
  if (order === null) return isLast(memory, market) ? left("no_price") : null;
  await sendStep(world, parts.settling, { ...closing, ...order, mayClose });
  return null;
}

/** Counts a round that waits until a look has told whether a trigger still waits. */
function isWorthWaiting({ undecided }: FlattenMemory, market: string): boolean {
  const times = (undecided.get(market) ?? 0) + 1;
  undecided.set(market, times);
  return times <= MAX_UNDECIDED;
}

/** Counts a round that came to nothing. */
function isLast({ idle }: FlattenMemory, market: string): boolean {
  const times = (idle.get(market) ?? 0) + 1;
  idle.set(market, times);
  return times >= MAX_IDLE;
}

async function orderFor(
  world: ToFlatten,
  parts: FlattenParts,
  { stop, account, flatten, market, closable, steps }: FlattenClosing,
) {
  const universe = world.markets.current();
  const listed = universe === null ? null : findMarket(universe, market);
  if (listed === null) return null;
  const side = closable.startsWith("-") ? "buy" : "sell";
  const prices = await parts.prices(account, market, side);
  if (prices === null) return null;
  const { maxSlippageBps } = flatten;
  // What our own orders took off the book makes the next one no worse.
  const first = steps[0] === undefined ? null : decimal(steps[0].price);
  const order = closingOrder(listed, closable, { prices, maxSlippageBps, maxDistance: distanceOf(world, stop), first });
  return order === null ? null : { listed, ...order };
}

/** What the newest grant of the stop's bot says; null where it has none. */
function distanceOf({ store }: With<"store">, stop: Stop): Decimal | null {
  const bot = botOfStop(store, stop);
  return bot === null ? null : (listBotGrants(store, stop.accountId, bot)[0]?.rails.maxDistance ?? null);
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
