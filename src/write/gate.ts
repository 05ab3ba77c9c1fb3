/**
 * The one gate of keys with rails. It judges the action that is about to be signed, read back from the intent's
 * transaction: whatever a verb planned or a client said, nothing else leaves. A refusal rolls all of it back.
 */
import type { Account } from "../core/account.ts";
import type { Attempt } from "../core/attempt.ts";
import { compare, decimal, ZERO } from "../core/decimal.ts";
import { ApiError, batchRefused, batchWords, type OrderRefusal } from "../core/errors.ts";
import type { Market } from "../core/market.ts";
import { distanceFault } from "../core/rails/distance.ts";
import type { OpenLeg } from "../core/rails/exposure.ts";
import { judge } from "../core/rails/judge.ts";
import type { LimitedGrant } from "../core/rails/limited-grant.ts";
import { memberName } from "../core/rails/member-name.ts";
import type { Rails } from "../core/rails/rails.ts";
import { reducingTwaps } from "../core/rails/reductions.ts";
import { type RailVerdict, refusal } from "../core/rails/verdict.ts";
import type { Facts, Ordered as OrderWish, Wish, WishedTrigger } from "../core/rails/wish.ts";
import { canIncreaseIn } from "../core/stop.ts";
import type { ToJudge, With } from "../deps.ts";
import { actionOf } from "../settle/send/intent.ts";
import type { StoredKey } from "../store/api-keys.ts";
import { addToBotDay, botOf } from "../store/bots.ts";
import { haltOfOrder } from "../store/halts.ts";
import { railsOf } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { findOperation, listTwapOperations } from "../store/operations.ts";
import { findOrder } from "../store/orders.ts";
import type { WireOrder } from "../wire/action/order.ts";
import type { TwapOrderAction } from "../wire/action/twap.ts";
import type { Caller } from "./caller.ts";
import { factsNow, type Judged, markOf } from "./rails-facts.ts";
import { tellSelfTrades } from "./tell-self-trade.ts";
import type { Reserved, Stored } from "./verb.ts";

/**
 * Judges what a write of a key with rails has stored, inside the intent's transaction. Throws `rail_refused` or
 * `rails_unproven`, which takes all of it back. A key without rails is held to nothing of its own.
 */
export function passGate(deps: ToJudge, caller: Caller, key: StoredKey, stored: Stored): void {
  const { limited } = key;
  if (limited === null) {
    requireNotHalted(deps, stored);
    return;
  }
  requireTime(deps, limited);
  const by: Judging = { account: caller.account, rails: railsFor(caller, railsOf(deps.store, key, limited)) };
  if (stored.kind === "said") {
    if (stored.reserves !== undefined) judgeReserved(deps, by, stored.reserves);
    return;
  }
  // `begun` is no action: the verb itself has asked whose orders the key may cancel.
  if (stored.kind !== "outgoing") return;
  const { attempt, batch } = stored;
  if (batch === undefined) judgeOne(deps, by, attempt, NOTHING_LATER);
  else judgeEach(deps, by, batch);
}

/**
 * What a modify places stands in the books of whoever placed its original: while that bot may not increase, nobody increases it for it.
 * Other bots do not change what is its own.
 */
function requireNotHalted({ clock, markets, store }: With<"clock" | "markets" | "store">, stored: Stored): void {
  if (stored.kind !== "outgoing" || stored.attempt.kind !== "modify") return;
  const order = findOrder(store, stored.attempt.resource.id);
  if (order === null) throw new Error("bug: a modify without its order");
  const halted = haltOfOrder(store, order, clock.nowMs());
  if (halted === null || !canIncreaseIn(markets.current(), order)) return;
  const { rails, halt } = halted;
  throw refusalOf(rails, refusal(halt.rail, halt), " Place it as an order of this key's own.");
}

/** Lets a key that may propose place the one order that a person has approved; every other rail still holds. */
function railsFor({ isApproved }: Caller, rails: Rails): Rails {
  if (isApproved !== true || !rails.may.includes("propose")) return rails;
  return { ...rails, may: [...rails.may, "increase", "reduce"] };
}

/** The account that is judged, and the rails by which it is. */
type Judging = { account: Account; rails: Rails };

/**
 * Judges each order of a batch together with those before it, so the last with all. Names every one that is refused.
 */
function judgeEach(deps: ToJudge, by: Judging, batch: readonly Attempt[]): void {
  const later = new Set(batch.map(({ cloid }) => cloid));
  const refusals: OrderRefusal[] = [];
  let first: RailRefused | null = null;
  let isToRead = false;
  for (const [index, attempt] of batch.entries()) {
    later.delete(attempt.cloid);
    try {
      judgeOne(deps, by, attempt, later);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error instanceof RailRefused) first ??= error;
      if (error instanceof RailsUnproven) isToRead ||= error.isToRead;
      refusals.push({ index, code: error.code, message: error.message });
    }
  }
  if (refusals.length === 0) return;
  const words = batchWords(refusals, batch.length);
  if (first !== null) throw new RailRefused(first.refused, words, refusals);
  throw isToRead ? new RailsUnproven(words, isToRead, refusals) : batchRefused(refusals, batch.length);
}

const NOTHING_LATER: Judged["later"] = new Set();

/** Judges one action. `later`: client order ids of the orders behind it in its batch, which do not count yet. */
function judgeOne(deps: ToJudge, by: Judging, attempt: Attempt, later: Judged["later"]): void {
  const wish = wishOf(deps, attempt, by.rails);
  const targetBot = targetBotOf(deps.store, attempt);
  judgeWish(deps, by, wish, { asked: attempt.resource.id, targetBot, later });
}

/**
 * Judges a trade before any of it is sent: its entry as if it were sent now, its stop and take-profit by their distance
 * alone, because they reduce only what the entry fills.
 */
function judgeReserved(deps: ToJudge, by: Judging, { id, entry, guards }: Reserved): void {
  const { rails } = by;
  const of: LegName = { orderId: id, cloid: id, bot: rails.bot };
  const isReduction = entry === null;
  for (const order of guards) {
    const wish = orderWish(deps, of, order, false);
    const waits = { ...wish, trigger: wish.trigger === null ? null : { ...wish.trigger, hasFired: false } };
    const alone = { leg: null, later: NOTHING_LATER, targetBot: undefined };
    const facts = factsNow(deps, { ...by, isReduction, asked: id, ...alone });
    const fault = distanceFault(rails, facts, waits);
    if (fault !== null) throw refusalOf(rails, fault);
  }
  if (entry === null) return;
  const wish = orderWish(deps, of, entry, false);
  judgeWish(deps, by, wish, { asked: id, targetBot: undefined, later: NOTHING_LATER });
}

type JudgedAsking = Pick<Judged, "asked" | "targetBot" | "later">;

function judgeWish(deps: ToJudge, { account, rails }: Judging, wish: Wish, asking: JudgedAsking): void {
  const { store } = deps;
  const of = { accountId: account.id, bot: rails.bot };
  if (wish.kind === "order") {
    addToBotDay(store, of, { turnover: ZERO, actions: 1, atMs: deps.clock.nowMs() });
  }
  const isReduction = wish.kind !== "order" || wish.leg.canOnlyReduce;
  const leg = wish.kind === "order" ? wish.leg : null;
  const facts = factsNow(deps, { account, rails, isReduction, leg, ...asking });
  const verdict = judge(rails, facts, wish);
  if (verdict.kind !== "allowed") {
    const isOfSize = verdict.kind === "refused" && verdict.rail === "touches" && verdict.largest !== null;
    const twaps = isOfSize && wish.kind === "order" ? reducingTwaps(rails, facts, wish) : [];
    throw refusalOf(rails, verdict, twaps.map((twap) => cancelFirst(store, twap)).join(""));
  }
  if (wish.kind === "order") tellSelfTrades(deps, store, { account, rails, wish, legs: facts.legs });
}

/** Throws where the key has expired since the request was let in. */
function requireTime({ clock }: With<"clock">, { expiresAtMs }: LimitedGrant): void {
  if (clock.nowMs() >= expiresAtMs)
    throw new ApiError("expired_api_key", "This API key has expired. Nothing was sent.");
}

/** The bot whose order or TWAP is canceled or changed; null where no bot placed it, undefined where none is changed. */
function targetBotOf(store: Store, attempt: Attempt): Facts["targetBot"] {
  const { kind, resource, accountId } = attempt;
  if (kind === "twap_cancel") return botOf(store, starterOf(store, accountId, attempt));
  if (kind !== "modify" && kind !== "cancel") return undefined;
  return botOf(store, findOrder(store, resource.id)?.keyHash ?? null);
}

/** Hash of the key that started the TWAP which a cancel names; null where it was started elsewhere. */
function starterOf(store: Store, accountId: string, attempt: Attempt): string | null {
  const action = actionOf(attempt);
  const twapId = action?.type === "twapCancel" ? action.t.toString() : "";
  const id = listTwapOperations(store, accountId, [twapId]).get(twapId);
  return id === undefined ? null : (findOperation(store, id)?.keyHash ?? null);
}

function wishOf(deps: ToJudge, attempt: Attempt, { bot }: Rails): Wish {
  const action = actionOf(attempt);
  const { id: orderId } = attempt.resource;
  const cloid = attempt.cloid ?? "";
  switch (action?.type) {
    case "order":
      return orderWish(deps, { orderId, cloid, bot }, only(action.orders), false);
    case "batchModify":
      return orderWish(deps, { orderId, cloid, bot }, only(action.modifies).order, true);
    case "cancel":
    case "cancelByCloid":
    case "twapCancel":
      return { kind: "cancel" };
    case "updateLeverage":
      return {
        kind: "leverage",
        market: marketOf(deps, action.asset).name,
        setting: { leverage: action.leverage, isCross: action.isCross },
      };
    case "updateIsolatedMargin":
      return { kind: "margin", market: marketOf(deps, action.asset).name, isRemoval: action.ntli < 0n };
    case "twapOrder":
      return twapWish(deps, { orderId, cloid: orderId, bot }, action.twap);
    case "noop":
    case undefined:
      throw new Error("bug: an intent whose action nobody can judge");
  }
}

function only<T>(all: readonly T[]): T {
  const first = all[0];
  if (first === undefined || all.length > 1) throw new Error("bug: an action of more or less than one order");
  return first;
}

/** The bot that the judged order will belong to, and the order's names. */
type LegName = Pick<OpenLeg, "orderId" | "cloid" | "bot">;

/** What a signed order comes to. Its market is that of the signed number, whatever market the order's row has. */
function orderWish(deps: ToJudge, name: LegName, order: WireOrder, isModify: boolean): OrderWish {
  const market = marketOf(deps, order.a);
  const trigger =
    "trigger" in order.t ? triggerOf(deps, { order, market: market.name, trigger: order.t.trigger }) : null;
  const waits = trigger !== null && trigger.hasFired !== true;
  const leg: OpenLeg = {
    ...name,
    market: market.name,
    side: order.b ? "buy" : "sell",
    remaining: decimal(order.s),
    price: decimal(order.p),
    canOnlyReduce: order.r || (!order.b && market.kind === "spot"),
    triggerPrice: waits ? trigger.price : null,
    triggerKind: waits ? trigger.kind : null,
    isUnheard: false,
    isInFlight: true,
    mayRest: "trigger" in order.t || order.t.limit.tif !== "Ioc",
  };
  const { sizeDecimals, pairName } = market;
  return { kind: "order", isModify, leg, trigger, sizeDecimals, pairName };
}

/** What a signed TWAP comes to. It has no price: the exchange prices each slice when it comes. */
function twapWish(deps: ToJudge, name: LegName, twap: TwapOrderAction["twap"]): Wish {
  const market = marketOf(deps, twap.a);
  const leg: OpenLeg = {
    ...name,
    market: market.name,
    side: twap.b ? "buy" : "sell",
    remaining: decimal(twap.s),
    price: null,
    canOnlyReduce: twap.r,
    triggerPrice: null,
    triggerKind: null,
    isUnheard: false,
    isInFlight: true,
    mayRest: false,
  };
  return { kind: "order", isModify: false, leg, trigger: null, sizeDecimals: market.sizeDecimals, pairName: null };
}

function marketOf({ markets }: With<"markets">, assetId: number): Market {
  const market = markets.current()?.byAssetId.get(assetId);
  if (market === undefined) throw unproven("the list of markets");
  return market;
}

type WireTrigger = Extract<WireOrder["t"], { trigger: unknown }>["trigger"];

/**
 * The trigger of an order, and whether it would fire at once: a stop that sells, and a profit that buys, fire at or
 * below their price, the others at or above it. `hasFired` is null where the mark is not known.
 */
function triggerOf(
  deps: ToJudge,
  { order, market, trigger }: { order: WireOrder; market: string; trigger: WireTrigger },
): WishedTrigger {
  const price = decimal(trigger.triggerPx);
  const mark = markOf(deps, market);
  const firesBelow = (trigger.tpsl === "sl") !== order.b;
  const isBeyond = mark === null ? null : firesBelow ? compare(mark, price) <= 0 : compare(mark, price) >= 0;
  return { price, kind: trigger.tpsl === "sl" ? "stop_loss" : "take_profit", hasFired: isBeyond };
}

/** Nothing else takes a TWAP out of the way of what reduces beside it. */
function cancelFirst(store: Store, { orderId, remaining }: OpenLeg): string {
  const twapId = findOperation(store, orderId)?.exchangeId ?? null;
  const name = twapId === null ? `A TWAP (operation ${orderId})` : `TWAP ${twapId} (operation ${orderId})`;
  return ` ${name} still reduces ${remaining} of it: cancel it first (POST /v1/twaps/cancel).`;
}

/** Ways out that a rail has always. */
const WAYS_OUT: Partial<Record<RailInTheWay["rail"], string>> = {
  // An account has one position a market.
  opposite_position: " To trade against it, give the bot a sub-account of its own.",
  // Where a trade's guard names none it is the exchange's own, 10 % from the trigger.
  maxStopDistance: " Its worst price can be named: `limit_price` in a trade, `price` in an order.",
};

function refusalOf({ bot }: Rails, verdict: Exclude<RailVerdict, { kind: "allowed" }>, mend = ""): ApiError {
  if (verdict.kind === "unproven") return unproven(verdict.missing, verdict.isToRead);
  const { rail, limit, use, largest } = verdict;
  const remedy = WAYS_OUT[rail] ?? mend;
  const fits = largest === null ? "" : ` Largest size that passes: ${largest}.`;
  const words = `Rail ${memberName(rail)} of bot ${bot}: limit ${limit}, use ${use}.${fits}${remedy} Nothing was sent.`;
  return new RailRefused({ rail: memberName(rail), limit, use, largest }, words);
}

/**
 * The rail that refuses, as the interface writes it. `largest`: the largest size that passes, in base units; null where
 * none is told.
 */
export type RailInTheWay = { rail: string; limit: string; use: string; largest: string | null };

export class RailRefused extends ApiError {
  readonly refused: RailInTheWay;

  constructor(refused: RailInTheWay, words: string, orders: readonly OrderRefusal[] = []) {
    super("rail_refused", words, undefined, orders);
    this.refused = refused;
  }
}

/** What cannot be said. `isToRead`: with the account's position as it is now it can. */
export class RailsUnproven extends ApiError {
  readonly isToRead: boolean;

  constructor(words: string, isToRead: boolean, orders: readonly OrderRefusal[] = []) {
    super("rails_unproven", words, undefined, orders);
    this.isToRead = isToRead;
  }
}

function unproven(missing: string, isToRead = false): RailsUnproven {
  const words = `Whether this is within the rails of this key cannot be said without ${missing}. Nothing was sent.`;
  return new RailsUnproven(words, isToRead);
}
