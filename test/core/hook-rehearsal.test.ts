/** What the alerts of a day would have done: by the same rules, from nothing held. */
import { expect, test } from "bun:test";
import { rehearse } from "../../src/core/hook/rehearsal.ts";
import type { Market } from "../../src/core/market.ts";

const START_MS = Date.parse("2026-11-22T09:30:00Z");
const TERMS = { mode: "target", market: "BTC", maxAgeMs: 60_000, sameWithinMs: 60_000 } as const;

type Came = [afterS: number, alert: object];

type Known = Parameters<typeof rehearse>[2];

function outcomes(terms: Parameters<typeof rehearse>[0], came: Came[], markets: Known = null): string[] {
  const alerts = came.map(([afterS, value], nth) => ({
    id: nth,
    receivedAtMs: START_MS + afterS * 1_000,
    repeats: 0,
    json: { kind: "value" as const, value },
  }));
  return rehearse(terms, alerts, markets).map(({ outcome }) => outcome);
}

test("targets: each by what the one before left, the late and the old without effect", () => {
  const came: Came[] = [
    [1, { time: "2026-11-22T09:30:00Z", target: "0.5" }],
    [9, { time: "2026-11-22T09:30:00Z", target: "0.5" }],
    [20, { time: "2026-11-22T09:30:20Z", target: "-0.2" }],
    [30, { time: "2026-11-22T09:30:10Z", target: "1" }],
    [99, { time: "2026-11-22T09:30:30Z", target: "1" }],
    [99, { time: "2026-11-22T09:31:30Z", target: "-0.2" }],
    [99, { time: "2026-11-22T09:33:00Z", target: "7" }],
    [99, { target: "1" }],
  ];
  expect(outcomes(TERMS, came)).toEqual([
    "buy 0.5; then 0.5 is held",
    "the same again",
    "sell 0.5, only to reduce; then sell 0.2; then -0.2 is held",
    "superseded: a newer alert has said what is to be held",
    "too old: it is older than 60 s",
    "nothing: -0.2 is held already",
    "refused: its time is ahead of this machine's clock",
    "refused: time is required where an alert says what is to be held",
  ]);
});

test("orders: alike without a time they are one for as long as the hook says", () => {
  const buy = { side: "buy", size: "1", price: "60000" };
  const came: Came[] = [
    [0, buy],
    [59, buy],
    [60, buy],
    [61, { side: "sell", size: "1", reduce_only: true }],
  ];
  expect(outcomes({ ...TERMS, mode: "order" }, came)).toEqual([
    "buy 1 at 60000 gtc",
    "the same again",
    "buy 1 at 60000 gtc",
    "sell 1 at the best price, only to reduce",
  ]);
});

const HYPE: Market = {
  name: "@107",
  kind: "spot",
  dex: "",
  assetId: 10_107,
  sizeDecimals: 2,
  maxLeverage: null,
  marginMode: "any",
  isDelisted: false,
  pairName: "HYPE/USDC",
};
const KNOWN = new Map([
  ["HYPE/USDC", HYPE],
  ["@107", HYPE],
]);

test("what the market's rules would refuse is shown refused, as far as it would have come", () => {
  const at = (second: number) => `2026-11-22T09:30:0${second}Z`;
  const came: Came[] = [
    [1, { time: at(1), market: "HYPE/USDC", target: "1.234" }],
    [2, { time: at(2), market: "HYPE/USDC", target: "1.23" }],
    [3, { time: at(3), market: "@107", target: "-0.005" }],
    [4, { time: at(4), market: "HYPE", target: "1" }],
  ];
  expect(outcomes({ ...TERMS, market: null }, came, KNOWN)).toEqual([
    "refused: Size 1.234 has more decimals than @107 allows (2). Nearest valid: 1.23.",
    "buy 1.23; then 1.23 is held",
    "sell 1.23, only to reduce; then refused: Size 0.005 has more decimals than @107 allows (2). Nearest valid: 0.01.",
    "refused: There is no market HYPE.",
  ]);
  const priced = [[1, { market: "@107", side: "buy", size: "1", price: "12.3456789" }] as Came];
  expect(outcomes({ ...TERMS, market: null, mode: "order" }, priced, KNOWN)[0]).toStartWith(
    "refused: Price 12.3456789",
  );
});
