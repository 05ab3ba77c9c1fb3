import { expect, test } from "bun:test";
import fc from "fast-check";
import * as account from "../../../src/wire/answer/account.ts";
import * as fills from "../../../src/wire/answer/fills.ts";
import * as marketData from "../../../src/wire/answer/market-data.ts";
import * as markets from "../../../src/wire/answer/markets.ts";
import * as openOrders from "../../../src/wire/answer/open-orders.ts";
import * as orderStatus from "../../../src/wire/answer/order-status.ts";
import * as twap from "../../../src/wire/answer/twap.ts";

const PARSERS: [name: string, parse: (json: unknown) => unknown][] = [
  ["clearinghouseState", account.parseClearinghouseState],
  ["spotClearinghouseState", account.parseSpotState],
  ["userAbstraction", account.parseAccountMode],
  ["activeAssetData", account.parseActiveAssetData],
  ["userRateLimit", account.parseRateLimit],
  ["extraAgents", account.parseExtraAgents],
  ["subAccounts", account.countSubAccounts],
  ["maxBuilderFee", account.parseMaxBuilderFee],
  ["userRole", account.parseUserRole],
  ["exchangeStatus", account.parseExchangeTime],
  ["userFills", fills.parseFills],
  ["userTwapSliceFills", fills.parseTwapSliceFills],
  ["meta", (json) => markets.perpMarkets(0, "", json)],
  ["spotMeta", markets.spotMarkets],
  ["perpDexs", markets.parsePerpDexs],
  ["allPerpMetas", markets.parseAllPerpMetas],
  ["allMids", markets.parseAllMids],
  ["l2Book", marketData.parseBook],
  ["metaAndAssetCtxs", marketData.parsePerpMarks],
  ["spotMetaAndAssetCtxs", marketData.parseSpotMarks],
  ["openOrders", openOrders.parseOpenOrders],
  ["frontendOpenOrders", openOrders.parseFrontendOpenOrders],
  ["orderStatus", orderStatus.parseOrderStatus],
  ["historicalOrders", orderStatus.parseHistoricalOrders],
  ["twapHistory", twap.parseTwapHistory],
  ["twapStates", twap.parseTwapStates],
];

/** Values with the keys that parsers look for, so that they get past the first member. */
const KEYS = [
  "coin",
  "universe",
  "tokens",
  "order",
  "status",
  "balances",
  "time",
  "assetPositions",
  "children",
  "__proto__",
];
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(
      null,
      undefined,
      "",
      "1.0",
      "order",
      1,
      -1,
      2 ** 60,
      1.5,
      Number.NaN,
      true,
      5n,
      Symbol.iterator,
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 5 }),
  ),
}));

for (const [name, parse] of PARSERS) {
  test(`the parser of ${name} gives an answer for any value at all`, () => {
    fc.assert(
      fc.property(value, (json) => void parse(json)),
      { numRuns: 300 },
    );
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("hostile");
        },
        has: () => true,
      },
    );
    expect(() => parse(hostile)).not.toThrow();
    // One that fails wherever it is touched, by itself and as a row.
    const refuse = () => {
      throw new Error("hostile");
    };
    const worst = new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
    for (const json of [worst, [worst], [[worst]], { universe: [worst] }]) expect(() => parse(json)).not.toThrow();
  });
}
