/**
 * Cancels triggers of a bot that protect nothing of its own any more, in a market in which another holds what they
 * would close: what they were for was closed or canceled, and the exchange keeps them while the account holds anything.
 * Only of bots with `touches own`, not of trades, which see to their own, and not under a stop.
 */
import type { Account } from "../core/account.ts";
import { isSpot } from "../core/market.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { isIdleTrigger, nameOfIdle, protectsNothing } from "../core/rails/idle-trigger.ts";
import type { Rails } from "../core/rails/rails.ts";
import type { Facts } from "../core/rails/wish.ts";
import type { Settling, ToJudge, With } from "../deps.ts";
import { cancelCovered, type ToCancel } from "../settle/stop/cancel-covered.ts";
import { listAccounts } from "../store/accounts.ts";
import { listHeldBots } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { findOrder } from "../store/orders.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import { findStopOf } from "../store/stops.ts";
import { listGuards, listOpenTradesOf } from "../store/trades.ts";
import { factsNow, rereadPosition } from "./rails-facts.ts";

export type ToCancelIdle = ToCancel & ToJudge & With<"state">;

/** Between two looks, milliseconds. */
export const IDLE_INTERVAL_MS = 5_000;
/**
 * How long every look has to find a trigger idle, milliseconds: a bot's fill may be told later than the position it
 * makes.
 */
const IDLE_FOR_MS = 30_000;

export function openIdleTriggers(world: ToCancelIdle, settling: Pick<Settling, "burn" | "pursue">) {
  /** By order id: since when every look has found its trigger idle, elapsed milliseconds. */
  let sinceMs = new Map<string, number>();
  return {
    async look(): Promise<void> {
      if (world.state.phase !== "ready") return;
      const suspects = listAccounts(world.store).flatMap((account) => suspectsIn(world, account));
      await Promise.all(suspects.map((suspect) => readPosition(world, suspect)));
      const nowMs = world.clock.elapsedMs();
      const idle = suspects.flatMap((suspect) => idleOf(world, suspect));
      sinceMs = new Map(idle.map(({ orderId }) => [orderId, sinceMs.get(orderId) ?? nowMs]));
      const due = idle.filter(({ orderId }) => nowMs - (sinceMs.get(orderId) ?? nowMs) >= IDLE_FOR_MS);
      await Promise.all(
        due.map(({ account, orderId }) =>
          cancelCovered(world, settling, { name: nameOfIdle(orderId), account, orderId }),
        ),
      );
    },
  };
}

/** A market in which a bot has triggers waiting that protect nothing of its own. */
type Suspect = { account: Account; rails: Rails; market: string };

function suspectsIn(world: ToCancelIdle, account: Account): Suspect[] {
  if (awaitsTakeUp(world.store, account.id)) return [];
  const bots = listHeldBots(world.store, account.id).filter(({ rails }) => rails.touches === "own");
  return bots.flatMap(({ rails }) => {
    const facts = factsOf(world, { account, rails });
    const idle = triggersOf(world.store, facts, rails).filter((leg) => protectsNothing(facts, leg));
    return [...new Set(idle.map(({ market }) => market))].map((market) => ({ account, rails, market }));
  });
}

/** Reads the account's position in the market, where no feed tells it. */
async function readPosition(world: ToCancelIdle, { account, rails, market }: Suspect): Promise<void> {
  if (factsOf(world, { account, rails }).accountOf(market) !== null) return;
  await rereadPosition(world, { account, market, purpose: "settle" });
}

function idleOf(world: ToCancelIdle, { account, rails, market }: Suspect): { account: Account; orderId: string }[] {
  const facts = factsOf(world, { account, rails });
  const guards = guardsIn(world.store, account.id);
  return triggersOf(world.store, facts, rails)
    .filter((leg) => leg.market === market && !guards.has(leg.orderId) && isIdleTrigger(facts, leg))
    .map(({ orderId }) => ({ account, orderId }));
}

function factsOf(world: ToCancelIdle, of: { account: Account; rails: Rails }): Facts {
  return factsNow(world, { ...of, isReduction: true, asked: "", targetBot: null, leg: null, later: new Set() });
}

function triggersOf(store: Store, { legs }: Facts, { bot }: Rails): OpenLeg[] {
  return legs.filter((leg) => leg.bot === bot && isWaiting(store, leg));
}

function isWaiting(store: Store, { orderId, market, canOnlyReduce, triggerPrice }: OpenLeg): boolean {
  if (!canOnlyReduce || triggerPrice === null || isSpot(market)) return false;
  const order = findOrder(store, orderId);
  if (order?.status !== "waiting_for_trigger") return false;
  // Under a stop everything that may protect stays: whoever asked for it looks after what is held.
  return findStopOf(store, order.accountId, order.keyHash) === null;
}

/** Ids of the stops and take-profits of the account's trades that are not over. */
function guardsIn(store: Store, accountId: string): ReadonlySet<string> {
  const guards = listOpenTradesOf(store, accountId).flatMap((trade) => [
    ...listGuards(store, trade, "stop"),
    ...listGuards(store, trade, "profit"),
  ]);
  return new Set(guards.map(({ id }) => id));
}
