/** Answers that name somebody or something else than was asked for are told from those that are ours, or name nothing. */
import { expect, test } from "bun:test";
import { addresseeInstead } from "../../../src/wire/answer/addressee.ts";

const OURS = `0x${"1a".repeat(20)}`;
const OTHERS = `0x${"2b".repeat(20)}`;

type Row = [what: string, request: { type: string }, ours: unknown, another: [answer: unknown, named: string]];

const ASKED: readonly Row[] = [
  [
    "a setting of an account",
    ask({ type: "activeAssetData", user: OURS, coin: "BTC" }),
    { user: OURS.toUpperCase().replace("0X", "0x"), coin: "BTC", leverage: {} },
    [{ user: OTHERS, coin: "BTC", leverage: {} }, OTHERS],
  ],
  [
    "a setting in a market",
    ask({ type: "activeAssetData", user: OURS, coin: "BTC" }),
    { user: OURS, coin: "BTC" },
    [{ user: OURS, coin: "ETH" }, "ETH"],
  ],
  ["a book", ask({ type: "l2Book", coin: "BTC" }), { coin: "BTC", levels: [] }, [{ coin: "ETH", levels: [] }, "ETH"]],
  [
    "trades",
    ask({ type: "recentTrades", coin: "BTC" }),
    [{ coin: "BTC" }],
    [[{ coin: "BTC" }, { coin: "ETH" }], "ETH"],
  ],
  [
    "candles of a market",
    ask({ type: "candleSnapshot", req: { coin: "BTC", interval: "1m" } }),
    [{ s: "BTC", i: "1m" }],
    [[{ s: "xyz:TSLA", i: "1m" }], "xyz:TSLA"],
  ],
  [
    "candles of an interval",
    ask({ type: "candleSnapshot", req: { coin: "BTC", interval: "1m" } }),
    [{ s: "BTC", i: "1m" }],
    [[{ s: "BTC", i: "1h" }], "1h"],
  ],
  [
    "TWAPs",
    ask({ type: "twapHistory", user: OURS }),
    [{ state: { user: OURS } }],
    [[{ state: { user: OURS } }, { state: { user: OTHERS } }], OTHERS],
  ],
  [
    "a state of a dex",
    ask({ type: "clearinghouseState", user: OURS, dex: "xyz" }),
    { assetPositions: [{ position: { coin: "xyz:TSLA" } }] },
    [{ assetPositions: [{ position: { coin: "BTC" } }] }, ""],
  ],
  [
    "markets",
    ask({ type: "meta", dex: "" }),
    { universe: [{ name: "BTC" }] },
    [{ universe: [{ name: "BTC" }, { name: "xyz:TSLA" }] }, "xyz"],
  ],
  [
    "marks",
    ask({ type: "metaAndAssetCtxs", dex: "xyz" }),
    [{ universe: [{ name: "xyz:TSLA" }] }, []],
    [[{ universe: [{ name: "BTC" }] }, []], ""],
  ],
  [
    "middle prices",
    ask({ type: "allMids", dex: "" }),
    { BTC: "1", "@107": "2", "PURR/USDC": "3", "#10": "4" },
    [{ "xyz:TSLA": "1" }, "xyz"],
  ],
];

function ask<T extends { type: string }>(request: T): T {
  return request;
}

test.each(ASKED)("%s of another are known by what they name", (_what, request, ours, [another, named]) => {
  expect(addresseeInstead(request, ours)).toBeNull();
  expect(addresseeInstead(request, another)).toBe(named);
});

test("what names nothing, and what is no such answer at all, is held against nothing", () => {
  const things = [null, undefined, 7, "", "text", [], {}, [null], [[]], { universe: 7 }, { assetPositions: [null] }];
  for (const [, request] of ASKED)
    for (const json of things) expect([request.type, addresseeInstead(request, json)]).toEqual([request.type, null]);
  const lists = ["frontendOpenOrders", "historicalOrders", "userFills", "spotClearinghouseState", "userRateLimit"];
  for (const type of lists) expect(addresseeInstead({ type, user: OURS }, [{ coin: "BTC", user: OTHERS }])).toBeNull();
});
