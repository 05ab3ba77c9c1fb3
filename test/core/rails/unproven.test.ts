/** What TWAPs of nobody have traded for a bot, perhaps: judged as if it were the bot's, on the side on which it is more. */
import { expect, test } from "bun:test";
import { decimal, ZERO } from "../../../src/core/decimal.ts";
import { judged, type Known, leg } from "./judged.ts";

const ONE = decimal("1");
const LIMIT = decimal("150");
const BOUGHT = { buys: ONE, sells: ZERO };
const SOLD = { buys: ZERO, sells: ONE };

function inMarket(name: string, sums: typeof BOUGHT): Pick<Known, "unprovenOf"> {
  return { unprovenOf: (market) => (market === name ? sums : null) };
}

test.each<[what: string, verdict: string, asked: Parameters<typeof judged>]>([
  ["nothing", "allowed", [{ maxPosition: LIMIT }, leg({}), { account: "1" }]],
  ["what they bought, to buy", "maxPosition 0.5", [{ maxPosition: LIMIT }, leg({}), bought("BTC")]],
  ["what they bought, to sell", "allowed", [{ maxPosition: LIMIT }, leg({ side: "sell" }), bought("BTC")]],
  ["what they sold, to sell", "maxPosition 0.5", [{ maxPosition: LIMIT }, leg({ side: "sell" }), sold("BTC")]],
  ["what they sold, to buy", "allowed", [{ maxPosition: LIMIT }, leg({}), sold("BTC")]],
  ["what they bought elsewhere", "maxExposure 0.5", [{ maxExposure: LIMIT }, leg({}), bought("ETH")]],
  ["what they sold elsewhere", "maxExposure 0.5", [{ maxExposure: LIMIT }, leg({}), { ...sold("ETH"), account: "0" }]],
])("of TWAPs of nobody %s counts: %s", (_what, verdict, asked) => {
  expect(judged(...asked)).toBe(verdict);
});

/** The account holds that, and the bot's books nothing of it. */
function bought(market: string): Known {
  return { ...inMarket(market, BOUGHT), account: "1", held: [market] };
}

function sold(market: string): Known {
  return { ...inMarket(market, SOLD), account: "-1", held: [market] };
}
