import type { Account } from "../../core/account.ts";
import { absolute, compare, type Decimal, ZERO } from "../../core/decimal.ts";
import { closableOf, type Flatten } from "../../core/flatten.ts";
import type { Market } from "../../core/market.ts";
import type { Side } from "../../core/order.ts";
import type { Stop } from "../../core/stop.ts";
import type { Settling, Slot, With } from "../../deps.ts";
import { type BotTwap, listReducingTwaps } from "../../store/bot-twap-rows.ts";
import { botOf, botOfStop, listBotNets } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findFlatten, listSteps, nameOfStep, putFlatten } from "../../store/flattens.ts";
import type { Store } from "../../store/open.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStop } from "../../store/stops.ts";
import { listedAssetId } from "../cancel/asset-id.ts";
import { newOrder } from "../place/new-order.ts";
import { placeOwn, storeOwnOrder } from "../place/place-own.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import { isUnsettled, mayStillExecute } from "../unsettled.ts";
import type { ToWithdraw } from "./cancel-twaps.ts";
import { keptOrders } from "./remaining.ts";

/** To close what is held. */
export type ToFlatten = ToWithdraw & With<"commits" | "feeds" | "picture">;

export type FlattenStep = {
  stop: Stop;
  account: Account;
  flatten: Flatten;
  listed: Market;
  closable: Decimal;
  side: Side;
  size: Decimal;
  price: Decimal;
  /** As of when what is to be closed was shown, exchange time, unix milliseconds. */
  shownMs: number;
  /** Whether nothing that could increase can newly come as of then. */
  mayClose(stop: Stop, exchangeMs: number): boolean;
};

/** One order that only reduces and rests nowhere, with an intent of its own; a lost answer is settled before the next one. */
export function sendStep(world: ToFlatten, settling: Pick<Settling, "pursue">, step: FlattenStep): Promise<void> {
  return placeOwn(world, settling, { account: step.account, store: (slot) => storeStep(world, step, slot) });
}

/** Null where by now there is nothing to do, or more than is to be closed would be. */
function storeStep(world: ToFlatten, step: FlattenStep, slot: Slot): Placing | null {
  return inTransaction(world.store, (store) => {
    const { account } = step;
    const flatten = requireStanding(world, step);
    const agent = signingAgent(world, account);
    if (flatten === null || agent.kind === "obstacle" || awaitsTakeUp(store, account.id)) return null;
    const steps = listSteps(store, flatten).filter(({ market }) => market === step.listed.name);
    if (steps.some((order) => isStepOut(world, step.stop, order, step.shownMs))) return null;
    const order = orderOf(world, step, flatten);
    putFlatten(store, { ...flatten, steps: flatten.steps + 1 });
    return storeOwnOrder(world, account, order, { route: "flatten", signer: agent.address, slot });
  });
}

/** As it stands now: not ended, under a stop that stands and leaves nothing to come, and no more than its bot holds. */
function requireStanding(world: ToFlatten, step: FlattenStep): Flatten | null {
  const { stop, flatten, listed, closable, size } = step;
  const { store } = world;
  const [now, standing] = [findFlatten(store, flatten.stopId), findStop(store, stop.id)];
  if (now === null || now.endedAtMs !== null || now.askedAtMs !== flatten.askedAtMs) return null;
  if (standing === null || standing.resumedAtMs !== null || !step.mayClose(standing, step.shownMs)) return null;
  // It may have moved in the list while this waited its turn: the next step goes by where it is then.
  if (listedAssetId(world, { market: listed.name }) !== listed.assetId) return null;
  if (stop.scope === "account") return now;
  // They close the same, and none knows of the other.
  if (closingTwaps(store, stop, listed.name).length + restingReductions(world, stop, listed.name).length > 0)
    return null;
  const bot = botOf(store, stop.keyHash);
  const net = bot === null ? ZERO : (listBotNets(store, stop.accountId, bot).get(listed.name) ?? ZERO);
  return compare(size, absolute(closableOf(closable, net))) <= 0 ? now : null;
}

/** Of a bot's stop: its orders that only reduce in a market and may fill at any moment. */
export function restingReductions(world: ToFlatten, stop: Stop, market: string): StoredOrder[] {
  if (stop.scope !== "bot") return [];
  return keptOrders(world, stop).filter((order) => order.market === market && !isWaiting(order));
}

/** It may wait for its trigger, and protect what is held until then, or rest and close the same; its answer may be on its way. */
export function isUndecided({ trigger, status }: StoredOrder): boolean {
  return trigger !== null && (status === "unknown" || status === "processing");
}

/** A stop with a limit that has fired rests like any other order, and one of which nothing is known may. */
export function isWaiting({ trigger, status }: StoredOrder): boolean {
  return trigger !== null && status === "waiting_for_trigger";
}

/** Of a bot's stop: what of its TWAPs may still close the same in a market. */
export function closingTwaps(store: Store, stop: Stop, market: string): readonly BotTwap[] {
  const bot = botOfStop(store, stop);
  return bot === null ? [] : listReducingTwaps(store, { accountId: stop.accountId, bot, market });
}

function orderOf(world: With<"clock" | "instance" | "store">, step: FlattenStep, flatten: Flatten): StoredOrder {
  const { stop, account, listed, side, size, price } = step;
  const terms = { side, size, price, timeInForce: "ioc", reduceOnly: true, trigger: null } as const;
  // What it fills is the bot's.
  const keyHash = stop.scope === "bot" ? stop.keyHash : flatten.askedBy;
  const idempotencyKey = nameOfStep(flatten, flatten.steps + 1);
  return newOrder(world, { accountId: account.id, market: listed, terms, idempotencyKey, keyHash });
}

/** Of a bot only fills tell what it holds by itself: its order is out until they are known. */
export function isStepOut(world: With<"store">, { scope }: Stop, order: StoredOrder, exchangeMs: number): boolean {
  return scope === "account" ? mayStillExecute(world, order, exchangeMs) : isUnsettled(world, order);
}
