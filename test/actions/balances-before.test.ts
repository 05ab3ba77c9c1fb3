/** Balances of before a purchase that was told are asked for again, and never shown: they name no time, and the fill says what it started from. */
import { expect, test } from "bun:test";
import { getAccount } from "../../src/actions/get-account.ts";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import { areBeforeFills, heldByFillsMs } from "../../src/settle/evidence/balances-before.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow } from "../support/rows.ts";
import { PURR } from "../support/spot-market.ts";

const SECOND = 1_000;

const PURR_FOR_USDH: Market = { ...PURR, name: "@150", assetId: 10_150, pairName: "PURR/USDH" };
const HFUN_FOR_PURR: Market = { ...PURR, name: "@151", assetId: 10_151, pairName: "HFUN/PURR" };

type Bought = Partial<Record<"id" | "market" | "startPosition" | "size" | "fee" | "feeToken" | "side", string>> & {
  timeMs?: number;
};

/** Its fills, and what the exchange says is held of the token. */
function openStage(fills: readonly Bought[], total: string): GatewayRig {
  const rig = openGatewayRig();
  const listed = [...(rig.deps.markets.current()?.byName.values() ?? []), PURR, PURR_FOR_USDH, HFUN_FOR_PURR];
  Object.assign(rig.deps.markets, { current: () => buildUniverse(listed, START_MS) });
  rig.exchange.answer("userAbstraction", () => "disabled");
  holds(rig, total);
  const rows = fills.map((some, nth) =>
    fillRow({
      accountId: ACCOUNT.id,
      market: "PURR/USDC",
      timeMs: START_MS,
      id: `${nth}`,
      ...(some as Partial<StoredFill>),
    }),
  );
  insertFills(rig.store, rows, { atMs: START_MS, toldFromMs: Number.POSITIVE_INFINITY });
  return rig;
}

function holds(rig: GatewayRig, total: string): void {
  rig.venue.balances = [{ coin: "PURR", token: 1, total, hold: "0.0", entryNtl: "0.0" }];
}

const HUNDRED: Bought = { startPosition: "1000", size: "100" };
const LATER: Bought = { startPosition: "1100", size: "100", timeMs: START_MS + 1 };

/** Each: fills that were told, what is shown to be held, and whether that is of before them. */
const SHOWN: [string, readonly Bought[], string, boolean][] = [
  ["what it started from", [HUNDRED], "1000.0", true],
  ["what it has left", [HUNDRED], "1100.0", false],
  ["what it has left without its fee", [{ ...HUNDRED, fee: "0.5", feeToken: "PURR" }], "1099.5", false],
  ["what transfers have moved", [HUNDRED], "900.0", false],
  ["the last but one of two", [HUNDRED, LATER], "1100.0", true],
  ["the first of two", [HUNDRED, LATER], "1000.0", true],
  ["what was bought and sold again", [HUNDRED, { ...LATER, side: "sell" }], "1000.0", false],
  ["the middle of one moment", [HUNDRED, { ...LATER, timeMs: START_MS }], "1100.0", true],
  ["what it started from in another market", [HUNDRED, { ...LATER, market: "@150" }], "1100.0", true],
  ["what pays in another market", [HUNDRED, { market: "@151", startPosition: "5", size: "1" }], "1000.0", false],
  ["what a fill on a perpetual started from", [{ ...HUNDRED, market: "BTC" }], "1000.0", false],
  ["what a fill of long ago started from", [{ ...HUNDRED, timeMs: START_MS - 150_001 }], "1000.0", false],
];

test.each(SHOWN)("balances that show %s", (_name, fills, total, isBefore) => {
  const { deps } = openStage(fills, "0.0");
  const shown = [{ coin: "PURR", token: 1, total: decimal(total), hold: ZERO, entryNotional: ZERO }];
  expect(areBeforeFills(deps, ACCOUNT.id, shown)).toBe(isBefore);
});

const SOLD: Bought = { ...LATER, side: "sell" };
const AGAIN: Bought = { ...HUNDRED, timeMs: START_MS + 2 };

test.each<[string, readonly Bought[], string, number | null]>([
  ["what it has left", [HUNDRED], "1100.0", START_MS],
  ["what the last of two has left", [HUNDRED, LATER], "1200.0", START_MS + 1],
  ["what transfers have moved", [HUNDRED], "900.0", null],
  ["what the first of three has left, and the last", [HUNDRED, SOLD, AGAIN], "1100.0", null],
  ["what pays in another market", [HUNDRED, { market: "@151", startPosition: "5", size: "1" }], "1100.0", null],
])("a balance tells of when it is that shows %s", (_name, fills, total, heldMs) => {
  const { deps } = openStage(fills, total);
  const shown = { coin: "PURR", token: 1, total: decimal(total.replace(".0", "")), hold: ZERO, entryNotional: ZERO };
  expect(heldByFillsMs(deps, ACCOUNT.id, [shown])).toBe(heldMs);
});

test("balances of before are asked for again, until they show what was told", async () => {
  const rig = openStage([HUNDRED], "1000.0");
  let told = "";
  const asked = getAccount(rig.deps, rig.caller).then(
    ({ body }) => {
      told = body;
    },
    (error: unknown) => {
      told = String(error);
    },
  );
  await rig.clock.advance(3 * SECOND);
  expect(told).toBe("");
  holds(rig, "1100.0");
  await rig.clock.advance(SECOND);
  await asked;
  expect(JSON.parse(told)).toMatchObject({ spot: [{ token: "PURR", total: "1100" }] });
});
