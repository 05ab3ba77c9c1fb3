/** Whether a position stands where the fills that are known have left it. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { comparePictured, comparePosition } from "../../src/settle/evidence/position-check.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { parseClearinghouseState } from "../../src/wire/answer/account.ts";
import { type Fill, parseFills } from "../../src/wire/answer/fills.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { filledByAnswer } from "../support/rows.ts";

/** Bought (or, with a minus, sold) at that time, from that position. */
type Traded = { size: string; from: string; atMs?: number; coin?: string };

function fillOf({ size, from, atMs = START_MS, coin = "BTC" }: Traded, nth: number): unknown {
  const isSold = size.startsWith("-");
  return {
    coin,
    px: "100.0",
    sz: isSold ? size.slice(1) : size,
    side: isSold ? "A" : "B",
    time: atMs,
    dir: "Open Long",
    startPosition: from,
    closedPnl: "0.0",
    hash: "0x00",
    oid: nth + 1,
    crossed: false,
    fee: "0.0",
    feeToken: "USDC",
    tid: nth + 1,
    cloid: null,
  };
}

function read(traded: readonly Traded[]): Fill[] {
  return parseFills(traded.map(fillOf)) ?? [];
}

function rows(traded: readonly Traded[]): StoredFill[] {
  return read(traded).map((fill) => ({
    accountId: ACCOUNT.id,
    id: `kept-${fill.tid}`,
    timeMs: fill.timeMs,
    market: fill.coin,
    oid: fill.oid,
    side: fill.side === "B" ? "buy" : "sell",
    price: fill.price,
    size: fill.size,
    isTaker: false,
    fee: decimal("0"),
    feeToken: "USDC",
    builderFee: null,
    realizedPnl: decimal("0"),
    twapId: null,
    startPosition: fill.startPosition,
    direction: fill.direction,
    isLiquidation: false,
    transactionHash: "0x00",
  }));
}

function manyElsewhere(count: number): Traded[] {
  return Array.from({ length: count }, (_, nth) => ({ size: "1", from: String(nth), coin: "ETH" }));
}

type Known = { kept?: Traded[]; read?: Traded[]; isIndexed?: boolean };

const LATER_MS = START_MS + 1;
const ROUND_TRIP: Traded[] = [
  { size: "1", from: "0" },
  { size: "-1", from: "1" },
];
const THERE_AGAIN: Traded[] = [...ROUND_TRIP, { size: "1", from: "0" }];

const CASES: [string, Known, shown: string | null, string][] = [
  ["bought, by what is kept", { kept: [{ size: "1", from: "0" }] }, "1.0", "unmoved"],
  ["bought, by what was read", { read: [{ size: "1", from: "0" }] }, "1.0", "unmoved"],
  ["sold short", { read: [{ size: "-1", from: "0" }] }, "-1.0", "unmoved"],
  ["sold from a long", { read: [{ size: "-1", from: "3" }] }, "2.0", "unmoved"],
  ["bought from a short", { read: [{ size: "1", from: "-3" }] }, "-2.0", "unmoved"],
  ["sold to nothing", { read: [{ size: "-1", from: "1" }] }, null, "unmoved"],
  ["bought, and shown as more", { read: [{ size: "1", from: "0" }] }, "1.4", "moved"],
  ["bought, and shown on the other side", { read: [{ size: "1", from: "0" }] }, "-1.0", "moved"],
  ["bought, and not shown yet", { read: [{ size: "1", from: "0" }] }, null, "moved"],
  [
    "sold after what is kept",
    { kept: [{ size: "3", from: "0" }], read: [{ size: "-1", from: "3", atMs: LATER_MS }] },
    "2.0",
    "unmoved",
  ],
  [
    "sold after what was read, by what is kept",
    { kept: [{ size: "-1", from: "3", atMs: LATER_MS }], read: [{ size: "3", from: "0" }] },
    "2.0",
    "unmoved",
  ],
  [
    "bought twice in one moment",
    {
      read: [
        { size: "1", from: "2" },
        { size: "2", from: "0" },
      ],
    },
    "3.0",
    "unmoved",
  ],
  ["bought elsewhere alone", { read: [{ size: "1", from: "0", coin: "ETH" }], isIndexed: true }, null, "unmoved"],
  ["never traded, as far as all that was ever filled is kept", { isIndexed: true }, null, "unmoved"],
  [
    "bought twice in one moment, of which neither joins the other",
    {
      read: [
        { size: "1", from: "2" },
        { size: "1", from: "5" },
      ],
    },
    "3.0",
    "unknown",
  ],
  // There and back in one moment (simulated seed 185051).
  ["there and back, flat before", { kept: ROUND_TRIP, read: ROUND_TRIP, isIndexed: true }, null, "unmoved"],
  ["there and back, flat before, and held", { kept: ROUND_TRIP, isIndexed: true }, "1.0", "moved"],
  ["there and back, and what was before is not kept", { read: ROUND_TRIP }, null, "unknown"],
  [
    "back and there again, held before",
    { kept: [{ size: "1", from: "0", atMs: START_MS - 1 }, ...ROUND_TRIP], isIndexed: true },
    "1.0",
    "unmoved",
  ],
  [
    "back and there again, held before, and flat",
    { kept: [{ size: "1", from: "0", atMs: START_MS - 1 }, ...ROUND_TRIP], isIndexed: true },
    null,
    "moved",
  ],
  [
    "there and back, from elsewhere than what was before has left",
    { kept: [{ size: "3", from: "0", atMs: START_MS - 1 }, ...ROUND_TRIP], isIndexed: true },
    null,
    "unknown",
  ],
  ["there, back and there", { read: THERE_AGAIN }, "1.0", "unmoved"],
  ["there, back and there, kept and read", { kept: THERE_AGAIN, read: THERE_AGAIN }, "1.0", "unmoved"],
  ["there, back and there, the last of which is read alone", { kept: ROUND_TRIP, read: THERE_AGAIN }, "1.0", "unmoved"],
  ["there, back and there, and flat", { read: THERE_AGAIN }, null, "moved"],
  ["never traded, and a position is shown", { isIndexed: true }, "1.0", "moved"],
  ["never traded, as far as nothing is kept", {}, null, "unknown"],
  ["traded longer ago than is looked through", { kept: manyElsewhere(500), isIndexed: true }, null, "unknown"],
  ["not traded, by all that is looked through", { kept: manyElsewhere(499), isIndexed: true }, null, "unmoved"],
];

test.each(CASES)("%s", async (_name, { kept = [], read: traded = [], isIndexed = false }, shown, verdict) => {
  const rig = openGatewayRig({ areFillsRead: isIndexed });
  insertFills(rig.store, rows(kept), { atMs: START_MS, toldFromMs: START_MS });
  rig.exchange.answer("clearinghouseState", () => stateWith(shown));
  const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "BTC", read: read(traded) };
  const found: string = await comparePosition(rig.deps, about, { purpose: "settle" });
  expect(found).toBe(verdict);
});

test.each([
  ["stands as it should, stamped later than the close", START_MS - 1, "1.0", "unmoved"],
  ["stands as it should, stamped as the close is", START_MS, "1.0", "behind"],
  ["stands as it should, stamped earlier than the close", START_MS + 1, "1.0", "behind"],
  ["stands elsewhere, stamped earlier than the close", START_MS + 1, "1.4", "moved"],
] as const)("a position that %s", async (_name, sinceMs, shown, verdict) => {
  const rig = openGatewayRig();
  rig.exchange.answer("clearinghouseState", () => stateWith(shown));
  const traded = read([{ size: "1", from: "0" }]);
  const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "BTC", read: traded, sinceMs };
  const found: string = await comparePosition(rig.deps, about, { purpose: "settle" });
  expect(found).toBe(verdict);
});

const SINCE: Traded[] = [
  { size: "1", from: "0" },
  { size: "2", from: "1", atMs: LATER_MS },
];

/** One that nobody has listed came between. */
const GAP: Traded[] = [
  { size: "1", from: "0" },
  { size: "2", from: "1.5", atMs: LATER_MS },
];

// A market that is traded all the time has moved on by when an answer is here.
const MOVED_ON: [string, Known, sinceMs: number | null, shown: string, string][] = [
  ["as what was filled up to its time has left it", { kept: SINCE }, START_MS - 1, "1.0", "unmoved"],
  ["so, by what was read", { read: SINCE }, START_MS - 1, "1.0", "unmoved"],
  ["so, and the close is of its own moment", { kept: SINCE }, START_MS, "1.0", "behind"],
  ["as what has come since has left it", { kept: SINCE }, START_MS - 1, "3.0", "unmoved"],
  ["as neither has left it", { kept: SINCE }, START_MS - 1, "2.0", "moved"],
  ["as the first has left it, where it is asked of no moment", { kept: SINCE }, null, "1.0", "moved"],
  [
    "as the first has left it, under a time of before the next, which began elsewhere",
    { kept: GAP },
    START_MS - 1,
    "1.0",
    "moved",
  ],
  ["so, by what was read", { read: GAP }, START_MS - 1, "1.0", "moved"],
  ["with what came first of all since it", { kept: SINCE.slice(1) }, START_MS - 1, "1.0", "moved"],
];

test.each(MOVED_ON)("a position that stands %s", async (...[, known, sinceMs, shown, verdict]) => {
  const rig = openGatewayRig();
  insertFills(rig.store, rows(known.kept ?? []), { atMs: START_MS, toldFromMs: START_MS });
  rig.exchange.answer("clearinghouseState", () => stateWith(shown));
  const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "BTC", read: read(known.read ?? []) };
  const since = sinceMs === null ? {} : { sinceMs };
  const found: string = await comparePosition(rig.deps, { ...about, ...since }, { purpose: "settle" });
  expect(found).toBe(verdict);
});

/** Under the native id of an order of one, of which the answer has told that it was filled whole. */
const PART: Traded = { size: "0.4", from: "0" };
const REST: Traded = { size: "0.6", from: "0.4" };

// What its fills lack has moved the position, and something else that nobody shows may have moved it back.
const TOLD: [string, Known & { oid?: null }, shown: string | null, verdict: string][] = [
  ["none of its fills is kept", {}, null, "behind"],
  ["a part of them is kept", { kept: [PART] }, "0.4", "behind"],
  ["a part of them is kept, and the same read", { kept: [PART], read: [PART] }, "0.4", "behind"],
  ["a part of them is kept, and all read", { kept: [PART], read: [PART, REST] }, "1.0", "unmoved"],
  ["they are kept whole", { kept: [PART, REST] }, "1.0", "unmoved"],
  ["it has no native id, and a part of them is kept", { kept: [PART], oid: null }, "0.4", "unmoved"],
  ["they are kept whole in another market", { kept: [{ ...PART, size: "1", coin: "ETH" }] }, null, "unmoved"],
];

test.each(TOLD)(
  "of an order that was told to be filled %s",
  async (_what, { kept = [], read: traded = [], oid = "77" }, shown, verdict) => {
    const rig = openGatewayRig({ areFillsRead: true });
    insertPlacing(rig.store, filledByAnswer(1, { accountId: ACCOUNT.id, market: "BTC", oid, filled: "1" }));
    const own = rows(kept).map((fill) => ({ ...fill, oid: "77" }));
    insertFills(rig.store, own, { atMs: START_MS, toldFromMs: START_MS });
    rig.exchange.answer("clearinghouseState", () => stateWith(shown));
    const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "BTC" };
    const fills = read(traded).map((fill) => ({ ...fill, oid: "77" }));
    expect<string>(await comparePosition(rig.deps, { ...about, read: fills }, { purpose: "settle" })).toBe(verdict);
  },
);

test.each([
  ["newer than the close", START_MS - 1, "moved"],
  ["of the close, or of before it", START_MS, "unknown"],
] as const)("a position that a feed shows elsewhere, %s", (_when, sinceMs, verdict) => {
  const rig = openGatewayRig();
  const value = parseClearinghouseState(stateWith("1.4"));
  if (value === null) throw new Error("the test's own state cannot be read");
  const at = { timeMs: START_MS, askedAtMs: START_MS };
  rig.deps.picture.take(ACCOUNT.tradingAddress, { part: "state", dex: "", value }, at);
  const traded = read([{ size: "1", from: "0" }]);
  const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "BTC", read: traded, sinceMs };
  expect<string>(comparePictured(rig.deps, about)).toBe(verdict);
});

test("of spot no position says anything", async () => {
  const rig = openGatewayRig({ areFillsRead: true });
  rig.exchange.answer("clearinghouseState", () => stateWith(null));
  const about = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id, market: "@107", read: [] };
  expect(await comparePosition(rig.deps, about, { purpose: "settle" })).toBe("unknown");
});

function stateWith(size: string | null): unknown {
  const summary = { accountValue: "1.0", totalNtlPos: "0.0", totalRawUsd: "1.0", totalMarginUsed: "0.0" };
  const position = {
    coin: "BTC",
    szi: size,
    entryPx: "100.0",
    positionValue: "0.0",
    unrealizedPnl: "0.0",
    marginUsed: "0.0",
    returnOnEquity: "0.0",
    liquidationPx: null,
    maxLeverage: 40,
    leverage: { type: "cross", value: 20 },
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "0.0",
    assetPositions: size === null ? [] : [{ type: "oneWay", position }],
    time: START_MS,
  };
}
