/** Trades and their orders as tests of what comes next have them. */
import { decimal, subtract, ZERO } from "../../src/core/decimal.ts";
import type { Trade } from "../../src/core/trade.ts";
import type { Part, TradeFacts } from "../../src/core/trade-step.ts";

export const TRADE: Trade = {
  id: "t",
  accountId: "a",
  keyHash: "k",
  market: "BTC",
  side: "buy",
  size: "10",
  price: "100",
  timeInForce: "gtc",
  stopLoss: { triggerPrice: "90", price: "81", isMarket: true },
  takeProfit: null,
  createdAtMs: 0,
  path: "stop_first",
  status: "arming",
  isEntryUnwanted: false,
  entryId: null,
  stops: 0,
  profits: 0,
  stopId: null,
  profitId: null,
  filledSize: ZERO,
  heldSize: ZERO,
  unprotectedSinceMs: null,
  unprotectedBecause: null,
  error: null,
  endedAtMs: null,
};

export function part(orderId: string, some: Partial<Part> = {}): Part {
  const size = some.size ?? decimal("10");
  return {
    orderId,
    state: "waiting",
    remaining: size,
    filled: ZERO,
    isLeaving: false,
    cancelRefusedAtMs: null,
    mayBeReplaced: false,
    size,
    triggerPrice: "90",
    price: "81",
    wasTaken: true,
    refusal: null,
    isNumberUnused: false,
    error: null,
    createdAtMs: 0,
    shownAtMs: 0,
    unsettledForMs: 0,
    isListed: false,
    ...some,
  };
}

export const OVER = { state: "over", remaining: ZERO } as const;
export const REFUSED = { ...OVER, wasTaken: false };

export function entry(filled: string, some: Partial<Part> = {}): Part {
  const remaining = subtract(decimal("10"), decimal(filled));
  const price = { triggerPrice: null, price: "100" };
  return part("entry", { state: "working", remaining, filled: decimal(filled), ...price, ...some });
}

export function facts(some: Partial<TradeFacts>): TradeFacts {
  const none = { stops: [], profits: [], closedOfOthers: ZERO, isClosingUnclear: false };
  return { entry: null, ...none, position: null, mark: null, isWithdrawn: false, nowMs: 0, ...some };
}

export const FOLLOWING = { path: "after_fills" } as const;
export const PROFIT = { takeProfit: { triggerPrice: "120", price: "108", isMarket: true } };
