/** What is judged where more than one reading of a net or of a price is possible, or none. */
import { expect, test } from "bun:test";
import { notionalAt, type OpenLeg } from "../../../src/core/rails/exposure.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import type { Facts, Wish } from "../../../src/core/rails/wish.ts";
import { HALT, judged, type Known, leg, usd } from "./judged.ts";

/** What was bought, and nobody knows whether the bot has. */
function unproven(buys: number): Pick<Facts, "unprovenOf"> {
  return { unprovenOf: () => ({ buys: usd(buys), sells: usd(0) }) };
}

/** Prices of the markets that have one: low and high. */
function priced(prices: Record<string, [number, number]>): Pick<Facts, "referenceOf"> {
  return {
    referenceOf(market) {
      const [low, high] = prices[market] ?? [];
      return low === undefined || high === undefined ? null : { low: usd(low), high: usd(high) };
    },
  };
}

function inEth(some: Partial<OpenLeg>): OpenLeg {
  return leg({ market: "ETH", ...some });
}

const STOP = { canOnlyReduce: true, triggerPrice: usd(90) } as const;
const BUY_STOP = { canOnlyReduce: true, triggerPrice: usd(110), price: usd(110) } as const;
const TWAPS: Partial<Rails> = { may: ["increase", "reduce", "twap"] };
const RAISED: Wish = { kind: "leverage", market: "BTC", setting: { leverage: 5, isCross: true } };
const RAISER: Partial<Rails> = { may: ["increase", "leverage"], maxLeverage: 5 };
const FOUR = { settings: [{ leverage: 4, isCross: true }] };

test.each<[string, string, [Partial<Rails>, OpenLeg | Wish, Known]]>([
  [
    "a stop behind what is to be bought, of a bot that may be short no more",
    "allowed",
    [
      {},
      leg({ ...STOP, side: "sell", remaining: usd(2) }),
      { net: "-1", account: null, legs: [leg({ remaining: usd(2) })] },
    ],
  ],
  [
    "a stop of a short that may have been bought back",
    "allowed",
    [{}, leg({ ...BUY_STOP }), { net: "-1", account: null }],
  ],
  [
    "a purchase that may make a bot long where others are short",
    "opposite_position",
    [{}, leg({ remaining: usd(2) }), { ...unproven(4), net: "-3", account: "-5" }],
  ],
  [
    "a sale on spot of what may be its own",
    "touches 1",
    [
      { markets: ["PURR/USDC"] },
      leg({ market: "PURR/USDC", canOnlyReduce: true, side: "sell", remaining: usd(2) }),
      { ...unproven(2), net: "1", account: "3", pairName: "PURR/USDC" },
    ],
  ],
  [
    "raised leverage where another has closed what was the bot's",
    "touches",
    [RAISER, RAISED, { ...FOUR, net: "1", account: "0" }],
  ],
  ["raised leverage of a bot that is halted", "may", [RAISER, RAISED, { ...FOUR, halt: HALT }]],
  [
    "what is out elsewhere, at the higher of two prices",
    "maxExposure 0.9",
    [
      { maxExposure: usd(150) },
      leg({}),
      { ...priced({ BTC: [100, 100], ETH: [50, 60] }), legs: [inEth({ price: usd(50) })] },
    ],
  ],
  [
    "exposure where what is out elsewhere has no price",
    "unproven",
    [{ maxExposure: usd(900) }, leg({}), { ...priced({ BTC: [100, 100] }), legs: [inEth({})] }],
  ],
  [
    "a day's turnover where a TWAP elsewhere has no price",
    "unproven",
    [{ maxTurnoverPerDay: usd(900) }, leg({}), { ...priced({ BTC: [100, 100] }), legs: [inEth({ price: null })] }],
  ],
  [
    "a day's turnover of a TWAP, whose slices may be worse than the market",
    "maxTurnoverPerDay 0.99",
    [{ ...TWAPS, maxTurnoverPerDay: usd(102) }, leg({ price: null }), {}],
  ],
  [
    "a day's turnover of a sale that waits for more than it asks",
    "maxTurnoverPerDay 0.96",
    [{ maxTurnoverPerDay: usd(145) }, leg({ side: "sell", triggerPrice: usd(150), price: usd(140) }), {}],
  ],
  ["as many actions as a day has", "allowed", [{ maxActionsPerDay: 2 }, leg({}), { actions: 2 }]],
  ["one more than a day has", "maxActionsPerDay", [{ maxActionsPerDay: 2 }, leg({}), { actions: 3 }]],
  ["as many open orders as may be", "allowed", [{ maxOpenOrders: 2 }, leg({}), { legs: [leg({})] }]],
  ["one open order too many", "maxOpenOrders", [{ maxOpenOrders: 1 }, leg({}), { legs: [leg({})] }]],
  [
    "a reduction beside another's, where nobody knows what the account holds",
    "allowed",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell" }),
      { net: "1", account: null, legs: [leg({ canOnlyReduce: true, side: "sell", bot: "b" })] },
    ],
  ],
  [
    "a sale at the very price of another's reduction",
    "touches",
    [{}, leg({ side: "sell" }), { legs: [leg({ canOnlyReduce: true, bot: "b" })] }],
  ],
  [
    "a purchase that is far from the lower of two prices",
    "maxDistance",
    [{ maxDistance: usd(2) }, leg({ price: usd(103) }), priced({ BTC: [100, 110] })],
  ],
  [
    "a profit of which no price says whether it has fired",
    "maxDistance",
    [
      { maxDistance: usd(2) },
      leg({ canOnlyReduce: true, side: "sell", price: usd(81), triggerPrice: usd(90) }),
      { net: "1", trigger: { price: usd(90), kind: "take_profit", hasFired: null } },
    ],
  ],
  [
    "a TWAP where just what its slices may be worse is allowed",
    "allowed",
    [{ ...TWAPS, maxDistance: usd(3) }, leg({ price: null }), {}],
  ],
])("%s comes to %s", (_what, outcome, asked) => {
  expect(judged(...asked)).toBe(outcome);
});

test("where no price is known a purchase is worth its limit, and of a sale nobody can say", () => {
  const worth = (some: Partial<OpenLeg>) => notionalAt(leg({ remaining: usd(2), ...some }), null);
  expect([worth({}), worth({ triggerPrice: usd(110) })]).toEqual([usd(200), usd(220)]);
  expect([worth({ side: "sell" }), worth({ price: null })]).toEqual([null, null]);
});
