/** Spot pairs by the names that people know. */
import { expect, test } from "bun:test";
import { marketNamed, shownMarket } from "../../src/console/figures/market-name.ts";

const MARKETS = [
  { market: "BTC", pair: null },
  { market: "PURR/USDC", pair: "PURR/USDC" },
  { market: "@107", pair: "HYPE/USDC" },
  { market: "@200", pair: "TWICE/USDC" },
  { market: "@201", pair: "TWICE/USDC" },
];

const NAMES: [said: string, found: string | null, shown: string][] = [
  ["BTC", "BTC", "BTC"],
  ["PURR/USDC", "PURR/USDC", "PURR/USDC"],
  ["HYPE/USDC", "@107", "HYPE/USDC"],
  ["@107", "@107", "HYPE/USDC"],
  ["@200", "@200", "@200"],
  ["TWICE/USDC", null, "TWICE/USDC"],
  ["HYPE", null, "HYPE"],
];

test.each(NAMES)("%s is %p, and shown as %s", (said, found, shown) => {
  const market = marketNamed(MARKETS, said)?.market ?? null;
  expect(market).toBe(found);
  expect(shownMarket(MARKETS, market ?? said)).toBe(shown);
  expect(shownMarket(null, said)).toBe(said);
});
