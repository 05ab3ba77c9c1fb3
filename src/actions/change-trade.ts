import { decimal, isZero, subtract, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { MAX_WISHED_GUARDS } from "../core/guard-tries.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { Market } from "../core/market.ts";
import { tradeText } from "../core/resource.ts";
import type { Guard, Trade } from "../core/trade.ts";
import type { ToWrite, With } from "../deps.ts";
import { botOf } from "../store/bots.ts";
import { railsOfKey } from "../store/narrowings.ts";
import { findTrade, putTrade } from "../store/trades.ts";
import type { Caller } from "../write/caller.ts";
import { RailRefused } from "../write/gate.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { runWrite } from "../write/run.ts";
import type { Plan } from "../write/verb.ts";
import {
  guardOf,
  requireInTime,
  requireLimits,
  requireSides,
  reservedBy,
  type ToTrade,
  triggerOf,
  type WantedGuard,
} from "./create-trade.ts";
import { requireTrade } from "./get-trade.ts";
import { readBacking } from "./liquidation-facts.ts";
import { knownFault, requireMarket } from "./market-rules.ts";
import { requireUnmetWhereKnown } from "./met-stop.ts";

export type CancelTrade = WriteKey & { id: string };

/** `POST /v1/trades/{id}/cancel`: no more is entered. What protects it stays while it holds something. */
export async function cancelTrade(deps: ToTrade, caller: Caller, wanted: CancelTrade): Promise<WriteAnswer> {
  const answer = await runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/trades/{id}/cancel",
    bucket: "cancels",
    isCancel: true,
    asked: {},
    placedTerms: null,
    isCreating: false,
    plan: async () => {
      const { id } = requireOwnTrade(deps, caller, wanted.id);
      return {
        ...planFor(id, "cancel"),
        store({ createdAtMs }) {
          const trade = require(deps, id);
          const next = trade.endedAtMs === null ? { ...trade, isEntryUnwanted: true } : trade;
          putTrade(deps.store, next, createdAtMs);
          return { kind: "said", status: 200, body: tradeText(next) };
        },
      };
    },
  });
  deps.trader.heed();
  return answer;
}

export type ModifyTrade = WriteKey & {
  id: string;
  stopLoss: WantedGuard | null;
  takeProfit: WantedGuard | null;
};

/** `POST /v1/trades/{id}/modify`: other triggers; each new order stands before the old one goes. */
export async function modifyTrade(deps: ToTrade, caller: Caller, wanted: ModifyTrade): Promise<WriteAnswer> {
  const { stopLoss, takeProfit } = wanted;
  const named = (guard: WantedGuard | null) =>
    guard === null ? null : { trigger_price: guard.triggerPrice, limit_price: guard.limitPrice };
  const answer = await runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/trades/{id}/modify",
    bucket: "otherWrites",
    isCancel: false,
    asked: { stop_loss: named(stopLoss), take_profit: named(takeProfit) },
    placedTerms: null,
    isCreating: false,
    plan: () => planModify(deps, caller, wanted),
  });
  deps.trader.heed();
  return answer;
}

async function planModify(deps: ToTrade, caller: Caller, wanted: ModifyTrade): Promise<Plan> {
  const found = requireOwnTrade(deps, caller, wanted.id);
  requireLiving(found);
  const market = await requireMarket(deps, found.market, false);
  const guards = {
    ...(wanted.stopLoss === null ? {} : { stopLoss: guardOf(market, found.side, wanted.stopLoss) }),
    ...(wanted.takeProfit === null ? {} : { takeProfit: guardOf(market, found.side, wanted.takeProfit) }),
  };
  const fault = Object.values(guards)
    .map((guard: Guard) =>
      knownFault(deps, market, { size: found.size, price: guard.price, trigger: triggerOf(guard) }),
    )
    .find((each) => each !== null);
  if (fault !== undefined) throw new ApiError("invalid_parameter", `${fault} Nothing was sent.`);
  requireOnSides(found, wanted, guards.stopLoss ?? found.stopLoss);
  // Before anything is held no take-profit is placed.
  const takeProfit = isZero(found.heldSize) ? null : wanted.takeProfit;
  await requireUnmetWhereKnown(deps, { market: market.name, side: found.side, stopLoss: wanted.stopLoss, takeProfit });
  await requireStopInTime(deps, caller, { trade: found, market, stopLoss: wanted.stopLoss });
  return {
    ...planFor(found.id, "reduce"),
    market: market.name,
    store({ createdAtMs }) {
      const trade = require(deps, found.id);
      requireLiving(trade);
      requireTries(trade, wanted);
      requireOnSides(trade, wanted, guards.stopLoss ?? trade.stopLoss);
      const next = { ...trade, ...guards };
      putTrade(deps.store, next, createdAtMs);
      const { id, guards: reserved } = reservedBy(next, market);
      return { kind: "said", status: 200, body: tradeText(next), reserves: { id, entry: null, guards: reserved } };
    },
  };
}

function requireOnSides(trade: Trade, wanted: ModifyTrade, stopLoss: Guard): void {
  requireLimits(trade.side, [wanted.stopLoss, wanted.takeProfit]);
  // Afterwards a stop may follow the price to where the trade has won.
  if (trade.status !== "open") requireSides({ ...trade, stopLoss: asWanted(stopLoss), takeProfit: wanted.takeProfit });
}

function requireLiving({ endedAtMs, status }: Trade): void {
  if (endedAtMs === null) return;
  throw new ApiError("trade_not_modifiable", `The trade has ended: it is ${status}. Nothing was sent.`);
}

/** What would not be placed is not told as its terms: the last tries are kept for what the exchange refuses. */
function requireTries({ stops, profits }: Trade, { stopLoss, takeProfit }: ModifyTrade): void {
  const usedUp = [
    ...(stopLoss !== null && stops >= MAX_WISHED_GUARDS ? ["stop_loss"] : []),
    ...(takeProfit !== null && profits >= MAX_WISHED_GUARDS ? ["take_profit"] : []),
  ];
  if (usedUp.length === 0) return;
  const words = `The ${usedUp.join(" and the ")} of the trade has been placed ${MAX_WISHED_GUARDS} times, and is not moved any more: what stands stays. Nothing was sent.`;
  throw new ApiError("trade_not_modifiable", words);
}

type Moving = { trade: Trade; market: Market; stopLoss: WantedGuard | null };

/** By what can be read: moving a stop takes nothing away, and does not wait for an exchange that is silent. */
async function requireStopInTime(
  deps: ToTrade,
  { account }: Caller,
  { trade, market, stopLoss }: Moving,
): Promise<void> {
  if (stopLoss === null) return;
  const facts = await readBacking(deps, { account, market, purpose: "reduce" });
  if ("kind" in facts) return;
  const { side, price, status, filledSize } = trade;
  const size = status === "open" ? ZERO : subtract(decimal(trade.size), filledSize);
  requireInTime(facts, market, { side, price, stopLoss, size });
}

function asWanted({ triggerPrice, price, isMarket }: Guard): WantedGuard {
  return { triggerPrice, limitPrice: isMarket ? null : price };
}

function planFor(id: string, use: "cancel" | "reduce"): Omit<Plan, "store"> {
  return {
    resource: { kind: "trade", id },
    use,
    isSent: false,
    isOrder: false,
    increasesFor: [],
    market: null,
    keyRow: "own",
  };
}

/** Inside the transaction: as it is now. */
function require({ store }: With<"store">, id: string): Trade {
  const trade = findTrade(store, id);
  if (trade === null) throw new Error("bug: a trade without its row");
  return trade;
}

/** One of its own bot, unless the key may touch all. Throws `trade_not_found` or `rail_refused`. */
function requireOwnTrade(deps: ToWrite, caller: Caller, id: string): Trade {
  const trade = requireTrade(deps, caller, id);
  const rails = railsOfKey(deps.store, caller.key.keyHash);
  if (rails === null || rails.touches === "all" || botOf(deps.store, trade.keyHash) === rails.bot) return trade;
  const refused = { rail: "touches", limit: rails.touches, use: "a trade that another has asked for", largest: null };
  throw new RailRefused(refused, `Rail touches of bot ${rails.bot}: limit own, use ${refused.use}. Nothing was sent.`);
}
