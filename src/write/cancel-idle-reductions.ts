/**
 * Cancels what only reduces, of a bot, and has nothing of its own to reduce any more, in a market in which another holds what it
 * would close: triggers that wait, orders that rest and TWAPs. What they were for was closed or canceled, and the exchange keeps
 * them while the account holds anything. Only of bots with `touches own`, not of trades, which see to their own, and not under a stop.
 */
import type { Account } from "../core/account.ts";
import type { Attempt } from "../core/attempt.ts";
import { isSpot } from "../core/market.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { idleForMs, idOfIdle, isIdleReduction, nameOfIdle, protectsNothing } from "../core/rails/idle-reduction.ts";
import type { Rails } from "../core/rails/rails.ts";
import type { Facts } from "../core/rails/wish.ts";
import type { Settling, ToJudge, With } from "../deps.ts";
import type { Ground, Grounds } from "../settle/cancel/grounds.ts";
import { cancelCovered } from "../settle/stop/cancel-covered.ts";
import { cancelRunningTwap, listToCancel, readTwaps, type ToWithdraw } from "../settle/stop/cancel-twaps.ts";
import { findAccount, listAccounts } from "../store/accounts.ts";
import { listHeldBots } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { findOperation, listCanceledTwaps } from "../store/operations.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { awaitsTakeUp, isFromBeforeTakeUp } from "../store/restores.ts";
import { findStopOf } from "../store/stops.ts";
import { listGuards, listOpenTradesOf } from "../store/trades.ts";
import { isTimeOrdered, mintedAtMs } from "../wire/order-id.ts";
import { factsNow, listOut, rereadPosition } from "./rails-facts.ts";
import { closeEndedTwaps } from "./twap-ends.ts";

export type ToCancelIdle = ToWithdraw & ToJudge & With<"state">;

/** Between two looks, milliseconds. */
export const IDLE_INTERVAL_MS = 5_000;

export function openIdleReductions(world: ToCancelIdle, settling: Pick<Settling, "burn" | "pursue">) {
  /** By id of the order, or of a TWAP's operation: since when every look has found it idle, elapsed milliseconds. */
  let sinceMs = new Map<string, number>();
  return {
    async look(): Promise<void> {
      if (world.state.phase !== "ready") return;
      const suspects = listAccounts(world.store).flatMap((account) => suspectsIn(world, account));
      await Promise.all(suspects.map((suspect) => readAround(world, suspect)));
      const nowMs = world.clock.elapsedMs();
      const idle = suspects.flatMap((suspect) => idleOf(world, suspect));
      sinceMs = new Map(idle.map(({ leg }) => [leg.orderId, sinceMs.get(leg.orderId) ?? nowMs]));
      const due = idle.filter(({ leg }) => nowMs - (sinceMs.get(leg.orderId) ?? nowMs) >= idleForMs(leg));
      // A TWAP is listed until its end and its fills are known: it is asked for again as seldom as it was waited for.
      for (const { leg } of due) if (isTwap(leg)) sinceMs.set(leg.orderId, nowMs);
      await Promise.all(due.map((each) => cancelIfIdle(world, settling, each)));
    },
  };
}

/** A market in which a bot has something out that only reduces, and protects nothing of its own. */
type Suspect = { account: Account; rails: Rails; market: string };

function suspectsIn(world: ToCancelIdle, account: Account): Suspect[] {
  if (awaitsTakeUp(world.store, account.id)) return [];
  const bots = listHeldBots(world.store, account.id).filter(({ rails }) => rails.touches === "own");
  return bots.flatMap(({ rails }) => {
    const facts = factsOf(world, { account, rails });
    const idle = reductionsOf(world.store, facts, rails).filter((leg) => protectsNothing(facts, leg));
    return [...new Set(idle.map(({ market }) => market))].map((market) => ({ account, rails, market }));
  });
}

/** Reads the account's position in the market, where no feed tells it, and which of its TWAPs are over. */
async function readAround(world: ToCancelIdle, { account, rails, market }: Suspect): Promise<void> {
  const facts = factsOf(world, { account, rails });
  const reductions = reductionsOf(world.store, facts, rails).filter((leg) => leg.market === market);
  if (reductions.some(isTwap)) await closeEndedTwaps(world, account);
  if (facts.accountOf(market) !== null) return;
  await rereadPosition(world, { account, market, purpose: "settle" });
}

type Idle = Suspect & { leg: OpenLeg };

function idleOf(world: ToCancelIdle, suspect: Suspect): Idle[] {
  const { account, rails, market } = suspect;
  const facts = factsOf(world, { account, rails });
  const guards = guardsIn(world.store, account.id);
  return reductionsOf(world.store, facts, rails)
    .filter((leg) => leg.market === market && !guards.has(leg.orderId) && isIdleReduction(facts, leg))
    .map((leg) => ({ ...suspect, leg }));
}

async function cancelIfIdle(
  world: ToCancelIdle,
  settling: Pick<Settling, "burn" | "pursue">,
  idle: Idle,
): Promise<void> {
  const { account, market, leg } = idle;
  const { orderId } = leg;
  // All looks may have seen one reading, of before the bot had sold: nothing goes by what the bot itself held.
  await rereadPosition(world, { account, market, purpose: "settle" });
  // Asked again when its cancel is stored: while that waits for its turn the bot may have sent what it is to protect.
  const isStillSo = () => idleOf(world, idle).some((each) => each.leg.orderId === orderId);
  if (!isStillSo()) return;
  const about = { name: nameOfIdle(orderId), account, isStillSo };
  if (!isTwap(leg)) return cancelCovered(world, settling, { ...about, orderId });
  const operation = findOperation(world.store, orderId);
  const shown = await readTwaps(world, account);
  // Without a history a cancel that was carried out says that it has ended.
  const ended = shown?.ended ?? listCanceledTwaps(world.store, account.id);
  const isEnded = operation === null || ended.has(operation.exchangeId ?? "");
  const running = new Map(shown?.running.map((twap) => [twap.twapId, twap.market]));
  const going = isEnded ? [] : listToCancel(world, [operation], running);
  await Promise.all(going.map((twap) => cancelRunningTwap(world, settling, { ...about, ...twap })));
}

/**
 * Whether a cancel that was stored is to be sent again: its bot may have bought since, or have something out that may. What it had to
 * be for a while before it was stored it has to be now alone: a stop that stays harms less than one that is missed.
 */
export function idleGrounds(worldOf: () => ToJudge): Grounds {
  return {
    async read(attempt) {
      const found = idleOut(worldOf(), attempt);
      if (found === null) return;
      const { account, leg } = found;
      await rereadPosition(worldOf(), { account, market: leg.market, purpose: "settle" });
    },
    judge(attempt) {
      const world = worldOf();
      const found = idleOut(world, attempt);
      return found === null ? "stands" : groundNow(world, found);
    },
  };
}

type IdleOut = { account: Account; leg: OpenLeg };

/** What the cancel of an idle one would close; null where it is no such cancel, or nothing of that is out. */
function idleOut(world: ToJudge, attempt: Attempt): IdleOut | null {
  const id = idOfIdle(attempt);
  const account = id === null ? null : findAccount(world.store, attempt.accountId);
  const leg = account === null ? undefined : listOut(world, account.id).find(({ orderId }) => orderId === id);
  return account === null || leg === undefined ? null : { account, leg };
}

function groundNow(world: ToJudge, { account, leg }: IdleOut): Ground {
  const { store } = world;
  if (awaitsTakeUp(store, account.id)) return "unknown";
  const held = listHeldBots(store, account.id).find(({ rails }) => rails.bot === leg.bot && rails.touches === "own");
  const placed = findOrder(store, leg.orderId) ?? findOperation(store, leg.orderId);
  if (held === undefined || placed === null || isLeftAlone(store, placed)) return "lapsed";
  const facts = factsOf(world, { account, rails: held.rails });
  if (guardsIn(store, account.id).has(leg.orderId) || !protectsNothing(facts, leg)) return "lapsed";
  if (facts.accountOf(leg.market) === null) return "unknown";
  return isIdleReduction(facts, leg) ? "stands" : "lapsed";
}

function factsOf(world: ToJudge, of: { account: Account; rails: Rails }): Facts {
  return factsNow(world, { ...of, isReduction: true, asked: "", targetBot: null, leg: null, later: new Set() });
}

function reductionsOf(store: Store, { legs }: Facts, { bot }: Rails): OpenLeg[] {
  return legs.filter((leg) => leg.bot === bot && isToLookAfter(store, leg));
}

/** A TWAP's alone has none. */
function isTwap({ price }: OpenLeg): boolean {
  return price === null;
}

/** It is known to wait, to rest or to run: what is not settled is asked for by whoever pursues it. */
function isToLookAfter(store: Store, leg: OpenLeg): boolean {
  if (!leg.canOnlyReduce || isSpot(leg.market)) return false;
  if (isTwap(leg)) {
    const operation = findOperation(store, leg.orderId);
    return operation?.status === "succeeded" && !isLeftAlone(store, operation);
  }
  const order = findOrder(store, leg.orderId);
  if (order === null) return false;
  const isOut = order.status === "open" || order.status === "waiting_for_trigger";
  return isOut && !isLeftAlone(store, order);
}

/**
 * Under a stop everything that may protect stays: whoever asked for it looks after what is held. So does what is from before a restore:
 * what it protects may be in no books.
 */
function isLeftAlone(
  store: Store,
  { id, accountId, keyHash, createdAtMs }: Pick<StoredOrder, "accountId" | "createdAtMs" | "id" | "keyHash">,
): boolean {
  // What a modify placed beside its original has its row later than it was signed, which its id tells.
  const signedAtMs = isTimeOrdered(id) ? Math.min(createdAtMs, mintedAtMs(id)) : createdAtMs;
  return findStopOf(store, accountId, keyHash) !== null || isFromBeforeTakeUp(store, accountId, signedAtMs);
}

/** Ids of the stops and take-profits of the account's trades that are not over. */
function guardsIn(store: Store, accountId: string): ReadonlySet<string> {
  const guards = listOpenTradesOf(store, accountId).flatMap((trade) => [
    ...listGuards(store, trade, "stop"),
    ...listGuards(store, trade, "profit"),
  ]);
  return new Set(guards.map(({ id }) => id));
}
