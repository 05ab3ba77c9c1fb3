/** Closes what is held under a stop, market by market: one order at a time, that only reduces and rests nowhere. */
import { absolute, compare, type Decimal, decimal } from "../../core/decimal.ts";
import { closingOrder, type Flatten, type Left, type LeftReason } from "../../core/flatten.ts";
import { findMarket } from "../../core/market.ts";
import { isTooLittle } from "../../core/minimum-value.ts";
import type { Stop } from "../../core/stop.ts";
import type { NewWait } from "../../core/wait.ts";
import type { With } from "../../deps.ts";
import { botOfStop, listBotGrants } from "../../store/bots.ts";
import { railsOfKey } from "../../store/narrowings.ts";
import { cancelCovered, nameOfStop } from "./cancel-covered.ts";
import { cancelRunningTwap } from "./cancel-twaps.ts";
import type { FlattenClosing, FlattenMemory, FlattenParts, FlattenRound } from "./flatten-round.ts";
import { closingTwaps, isUndecided, restingReductions, sendStep, type ToFlatten } from "./flatten-step.ts";
import { isTriggerWaiting } from "./kept-triggers.ts";
import { isNothingToComeIn } from "./traceless.ts";

/** Orders in one market; a request that comes afterwards has as many again. */
const MAX_ROUNDS = 10;
/** Rounds in one market in which nothing could be placed. */
const MAX_IDLE = 10;
/** Rounds in one market that wait for what is not known of a trigger, which may be all that protects what is held. */
const MAX_UNDECIDED = 3;

/** One try in each market; what is left of those where there is to be no further one. */
export async function closeMarkets(world: ToFlatten, parts: FlattenParts, round: FlattenRound): Promise<Left[]> {
  const { held, ...closing } = round;
  const tries = [...held].map(([market, closable]) => {
    const steps = closing.steps.filter((order) => order.market === market);
    return closeMarket(world, parts, { ...closing, market, closable, steps });
  });
  return (await Promise.all(tries)).flatMap((left) => left ?? []);
}

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
    await Promise.all(
      resting.map(({ id: orderId }) => {
        const isStillSo = () => !isTriggerWaiting(world, orderId);
        return cancelCovered(world, parts.settling, { ...of, orderId, isStillSo });
      }),
    );
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
    isNothingToComeIn(world, now, { progress: parts.progressOf(now), looks: memory.looks, exchangeMs }, market);
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
  // What our own orders took off the book makes the next one no worse; one of the other side, from before somebody turned the position, says nothing.
  const before = steps.find((order) => order.side === side);
  const first = before === undefined ? null : decimal(before.price);
  const order = closingOrder(listed, closable, {
    prices,
    maxSlippageBps,
    maxDistance: distanceOf(world, stop, flatten),
    first,
  });
  return order === null ? null : { listed, ...order };
}

/**
 * What the newest grant of the stop's bot says, and of a key with rails, which flattens its own bot alone, what those were narrowed to;
 * null where there is none. Who is held to no rails gets a bot out however narrow a thief of its key has made them.
 */
function distanceOf({ store }: With<"store">, stop: Stop, { askedBy }: Flatten): Decimal | null {
  const asking = askedBy === null ? null : railsOfKey(store, askedBy);
  if (asking !== null) return asking.maxDistance;
  const bot = botOfStop(store, stop);
  return bot === null ? null : (listBotGrants(store, stop.accountId, bot)[0]?.rails.maxDistance ?? null);
}
