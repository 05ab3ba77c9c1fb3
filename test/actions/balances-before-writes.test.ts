/** Balances of before an own write that was told are asked for again, and never shown: what they show stood there before it. */
import { expect, test } from "bun:test";
import { getAccount } from "../../src/actions/get-account.ts";
import { add, decimal, ZERO } from "../../src/core/decimal.ts";
import { buildUniverse } from "../../src/core/market.ts";
import { balancesDoubt } from "../../src/settle/evidence/balances-before-writes.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertPlacing, type StoredOrder } from "../../src/store/orders.ts";
import type { AccountMode, ClearinghouseState, SpotBalance } from "../../src/wire/answer/account.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow, placingRows } from "../support/rows.ts";
import { PURR } from "../support/spot-market.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";

const SECOND = 1_000;

function balance(coin: string, total: string, hold = "0"): SpotBalance {
  return { coin, token: coin === "USDC" ? 0 : 1, total: decimal(total), hold: decimal(hold), entryNotional: ZERO };
}

const BEFORE = [balance("USDC", "20000"), balance("PURR", "1000")];
/** When what is written happens: the balances were shown before. */
const WRITTEN_MS = START_MS + 5 * SECOND;

type Order = Partial<Pick<StoredOrder, "market" | "side" | "status">> & {
  /** How long ago it was sent, milliseconds. */
  agoMs?: number;
  size: string;
  price: string;
  filled: string;
};
type Fill = {
  market: string;
  fee?: string;
  feeToken?: string;
  realizedPnl?: string;
  timeMs?: number;
  startPosition?: string;
  id?: string;
};

async function openStage(written: { order?: Order; fill?: Fill }): Promise<GatewayRig> {
  const rig = openGatewayRig();
  const listed = [...(rig.deps.markets.current()?.byName.values() ?? []), PURR];
  Object.assign(rig.deps.markets, { current: () => buildUniverse(listed, START_MS) });
  rig.deps.picture.take(
    ACCOUNT.tradingAddress,
    { part: "spot", value: BEFORE },
    { timeMs: START_MS, askedAtMs: START_MS },
  );
  expect(doubtOf(rig, { mode: "standard", balances: BEFORE, heard: null })).toBeNull();
  await rig.clock.advance(6 * SECOND);
  if (written.order !== undefined) place(rig, written.order);
  await rig.clock.advance(SECOND + (written.order?.agoMs ?? 0));
  if (written.fill !== undefined) fill(rig, written.fill);
  return rig;
}

type Told = { mode: AccountMode; balances: readonly SpotBalance[]; heard: number | null };

function doubtOf({ deps, clock }: GatewayRig, told: Told): string | null {
  return balancesDoubt(deps, ACCOUNT, { ...told, timeMs: clock.nowMs() })?.kind ?? null;
}

function place(rig: GatewayRig, { size, price, filled, ...some }: Order): void {
  const rows = placingRows(1, { state: "done", nonce: WRITTEN_MS });
  const terms = { size, price, filledSize: decimal(filled), accountId: ACCOUNT.id, createdAtMs: WRITTEN_MS, ...some };
  const leg = { ...rows.leg, filledSize: decimal(filled) };
  inTransaction(rig.store, () => insertPlacing(rig.store, { ...rows, leg, order: { ...rows.order, ...terms } }));
}

function fill(
  rig: GatewayRig,
  { fee = "0", feeToken = "USDC", realizedPnl = "0", startPosition = "0", ...some }: Fill,
): void {
  const paid = {
    fee: decimal(fee),
    realizedPnl: decimal(realizedPnl),
    feeToken,
    startPosition: decimal(startPosition),
  };
  const row = fillRow({ accountId: ACCOUNT.id, timeMs: WRITTEN_MS, id: "1", oid: "88", ...paid, ...some });
  insertFills(rig.store, [row], { atMs: WRITTEN_MS, toldFromMs: Number.POSITIVE_INFINITY });
}

const RESTS: Order = { market: "PURR/USDC", side: "buy", status: "open", size: "300", price: "0.2", filled: "0" };
const SELLS: Order = { ...RESTS, side: "sell" };
const BOUGHT: Order = { ...RESTS, status: "filled", filled: "300" };
const PERPETUAL: Order = { market: "BTC", side: "buy", status: "filled", size: "1", price: "60000", filled: "1" };
const USDC_MOVED = [balance("USDC", "19940"), balance("PURR", "1000")];
const BOTH_MOVED = [balance("USDC", "19940"), balance("PURR", "1299.9")];

type Row = [string, { order?: Order; fill?: Fill }, AccountMode, readonly SpotBalance[]];

/** Each: what is shown, after what was written, how collateral is shared, and what that is. */
const OF_BEFORE: Row[] = [
  ["what a perpetual has paid its fee from", { fill: { market: "BTC", fee: "1.35" } }, "unified", BEFORE],
  ["what a purchase is paid with", { fill: { market: "PURR/USDC" } }, "standard", BEFORE],
  ["what an order has filled of which no fill is kept", { order: PERPETUAL }, "unified", BEFORE],
  ["what a purchase of which no fill is kept has bought", { order: BOUGHT }, "standard", BEFORE],
  ["what it has paid without what it has bought", { order: BOUGHT }, "standard", USDC_MOVED],
  ["less than an order of ours holds back", { order: RESTS }, "standard", BEFORE],
  ["less than a sale of ours holds back", { order: SELLS }, "standard", BEFORE],
];

const NOT_OF_BEFORE: Row[] = [
  ["the same where nothing is shared", { fill: { market: "BTC", fee: "1.35" } }, "standard", BEFORE],
  ["what a perpetual has paid", { fill: { market: "BTC", fee: "1.35" } }, "unified", USDC_MOVED],
  ["what a fill without a fee leaves", { fill: { market: "BTC" } }, "unified", BEFORE],
  ["what pays another collateral", { fill: { market: "BTC", fee: "1", feeToken: "USDH" } }, "unified", BEFORE],
  ["a fill of long ago", { fill: { market: "BTC", fee: "1", timeMs: START_MS - 60_000 } }, "unified", BEFORE],
  ["the same of a dex that may pay in another token", { order: { ...PERPETUAL, market: "xyz:A" } }, "unified", BEFORE],
  ["what it has bought and paid", { order: BOUGHT }, "standard", BOTH_MOVED],
  ["what it holds back", { order: RESTS }, "standard", [balance("USDC", "20000", "60")]],
  ["what it and others hold back", { order: RESTS }, "standard", [balance("USDC", "20000", "75.5")]],
  ["what it held back until it was traded", { order: RESTS }, "standard", USDC_MOVED],
  [
    "what a sale holds back",
    { order: SELLS },
    "standard",
    [BEFORE[0] ?? balance("USDC", "0"), balance("PURR", "1000", "300")],
  ],
  ["what an order that is over holds back", { order: { ...RESTS, status: "canceled" } }, "standard", BEFORE],
  ["an order of long ago", { order: { ...RESTS, agoMs: 60_000 } }, "standard", BEFORE],
];

test.each(OF_BEFORE)(
  "balances that a feed tells are of before where they show %s",
  async (_name, written, mode, balances) => {
    const rig = await openStage(written);
    expect(doubtOf(rig, { mode, balances, heard: 1 })).not.toBeNull();
    expect(doubtOf(rig, { mode, balances, heard: null })).not.toBeNull();
    // And they stay so, whatever has been shown of them meanwhile.
    expect(doubtOf(rig, { mode, balances, heard: 1 })).not.toBeNull();
  },
);

test.each(NOT_OF_BEFORE)(
  "balances that a feed tells may be of now that show %s",
  async (_name, written, mode, balances) => {
    const rig = await openStage(written);
    expect(doubtOf(rig, { mode, balances, heard: 1 })).toBeNull();
  },
);

const FEE = { market: "BTC", fee: "1.35", startPosition: "-1" };
const AFTER_FEE = [balance("USDC", "19998.65"), balance("PURR", "1000")];
const HELD = [balance("USDC", "20000", "60"), balance("PURR", "1000")];

/** Of what is read, whose server may be behind: why it is not told, if it is not. */
const READ: [string, { order?: Order; fill?: Fill }, AccountMode, readonly SpotBalance[], string | null][] = [
  ["what a fill leaves", { fill: FEE }, "unified", AFTER_FEE, null],
  ["what a fill without a fee leaves", { fill: { market: "BTC" } }, "unified", BEFORE, null],
  ["what it leaves, as the exchange rounds it", { fill: FEE }, "unified", [balance("USDC", "19998.6500009")], null],
  ["what nothing that is known explains", { fill: FEE }, "unified", USDC_MOVED, "moved"],
  ["what an order has filled of which no fill is kept", { order: PERPETUAL }, "unified", AFTER_FEE, "fills"],
  ["the same where it moves no balance", { order: PERPETUAL }, "standard", BEFORE, null],
  [
    "the same of a dex that may pay in another token",
    { order: { ...PERPETUAL, market: "xyz:A" } },
    "unified",
    BEFORE,
    "fills",
  ],
  ["what it has bought and paid", { order: BOUGHT }, "standard", BOTH_MOVED, "fills"],
  ["what an order holds back", { order: RESTS }, "standard", HELD, null],
  ["less than it holds back, of another total", { order: RESTS }, "standard", USDC_MOVED, "held"],
  ["a fill of long ago", { fill: { ...FEE, timeMs: START_MS - 60_000 } }, "unified", USDC_MOVED, null],
];

test.each(READ)("balances that are read: %s", async (_name, written, ...[mode, balances, doubt]) => {
  const rig = await openStage(written);
  expect(doubtOf(rig, { mode, balances, heard: null })).toBe(doubt);
});

/** What an isolated position holds beside 20000 before the fill, and after it: null for no position. */
const ISOLATED: [string, [string | null, string | null], string, string | null][] = [
  ["an isolated position was opened", [null, "40"], "19958.65", null],
  ["one was closed", ["40", null], "20038.65", null],
  ["margin was added to one by hand", ["40", "140"], "19898.65", null],
  ["margin was taken out of one by hand", ["140", "40"], "20098.65", null],
  ["the same, with more than that", ["140", "40"], "20098.75", "moved"],
  ["one was opened, and the balance is of before", [null, "40"], "20000", "before"],
  ["one was opened, and both are of before", [null, null], "20000", "before"],
  ["one was opened, and the balance holds its margin still", [null, "40"], "19998.65", null],
  ["one was opened, and something else has moved it", [null, "40"], "19950", "moved"],
  ["one was opened, and its position is not known yet", [null, null], "19958.65", "moved"],
];

test.each(ISOLATED)("balances that are read after a fill: %s", async (_name, [before, after], total, doubt) => {
  const rig = await openStage({});
  const read = (shown: string) => doubtOf(rig, { mode: "unified", balances: [balance("USDC", shown)], heard: null });
  rig.store.memory.shownBalances.clear();
  isolate(rig, before);
  expect(read("20000")).toBeNull();
  await rig.clock.advance(SECOND);
  fill(rig, { ...FEE, timeMs: rig.clock.nowMs() });
  await rig.clock.advance(SECOND);
  isolate(rig, after);
  expect(read(total)).toBe(doubt);
});

/** With a profit that is no part of what it holds. */
function isolate({ deps, clock }: GatewayRig, held: string | null): void {
  const unrealizedPnl = decimal("2.5");
  const leverage = { type: "isolated", value: 10 };
  const positions =
    held === null ? [] : [{ coin: "BTC", marginUsed: add(decimal(held), unrealizedPnl), unrealizedPnl, leverage }];
  const value = { positions } as unknown as ClearinghouseState;
  const nowMs = clock.nowMs();
  deps.picture.take(ACCOUNT.tradingAddress, { part: "state", dex: "", value }, { timeMs: nowMs, askedAtMs: nowMs });
}

/** Each: the market of a fill, what is shown then, and why it is not told. */
const UNSEEN: [string, string, string | null][] = [
  ["unread:A", "19958.65", null],
  ["unread:A", "20000", "before"],
  ["BTC", "19958.65", "moved"],
];

test.each(UNSEEN)(
  "what a fill in %s has moved by its margin nobody knows where its dex is not read: %s",
  async (market, total, doubt) => {
    const rig = await openStage({ fill: { ...FEE, market } });
    expect(doubtOf(rig, { mode: "unified", balances: [balance("USDC", total)], heard: null })).toBe(doubt);
  },
);

test("what was read first after a fill is told once another shows that it was of after it, or no server can be behind any more", async () => {
  const rig = await openStage({ fill: FEE });
  rig.store.memory.shownBalances.clear();
  const read = (total: string) => doubtOf(rig, { mode: "unified", balances: [balance("USDC", total)], heard: null });
  expect(read("500")).toBe("moved");
  await rig.clock.advance(3 * SECOND);
  fill(rig, { ...FEE, fee: "0.2", timeMs: WRITTEN_MS + 3 * SECOND, id: "2" });
  expect(read("500")).toBe("before");
  expect(read("499.8")).toBeNull();
  await rig.clock.advance(SECOND);
  expect(read("777")).toBe("moved");
  await rig.clock.advance(20 * SECOND);
  expect(read("777")).toBeNull();
});

test("two fills that pay the same leave open after which of them the next one is", async () => {
  const rig = await openStage({ fill: { ...FEE, fee: "1" } });
  rig.store.memory.shownBalances.clear();
  const read = (total: string) => doubtOf(rig, { mode: "unified", balances: [balance("USDC", total)], heard: null });
  expect(read("500")).toBe("moved");
  await rig.clock.advance(3 * SECOND);
  fill(rig, { ...FEE, fee: "1", timeMs: WRITTEN_MS + 3 * SECOND, id: "2" });
  expect(read("499")).toBe("moved");
  expect(read("498")).toBeNull();
});

test("of a unified account the margin of its positions is held back beside what its orders hold", async () => {
  const rig = await openStage({ order: RESTS });
  const position = { coin: "BTC", marginUsed: decimal("600"), leverage: { type: "cross" as const, value: 10 } };
  const value = { positions: [position] } as unknown as ClearinghouseState;
  rig.deps.picture.take(
    ACCOUNT.tradingAddress,
    { part: "state", dex: "", value },
    { timeMs: START_MS, askedAtMs: START_MS },
  );
  const holding = (hold: string) =>
    doubtOf(rig, { mode: "unified", balances: [balance("USDC", "20000", hold)], heard: null });
  expect([holding("600"), holding("660"), holding("655")]).toEqual(["held", null, null]);
});

const ON_WALL_CLOCKS = [BOUGHT, RESTS].flatMap((order) =>
  WALL_CLOCKS.map(([what, before, since]) => [order.status, what, { order, before, since }] as const),
);

test.each(ON_WALL_CLOCKS)(
  "an order of ours that is %s is of its moment, where our wall clock %s",
  async (_status, _what, { order, before, since }) => {
    const rig = await openStage({});
    const { clock } = rig;
    const isBefore = () => doubtOf(rig, { mode: "standard", balances: BEFORE, heard: null }) !== null;
    clock.stepWall(before);
    place(rig, order);
    clock.stepWall(since);
    await clock.advance(10 * SECOND);
    expect(isBefore()).toBe(true);
    await clock.advance(10 * SECOND);
    expect(isBefore()).toBe(true);
    await clock.advance(SECOND);
    expect(isBefore()).toBe(false);
  },
);

test("one of an earlier process that lies ahead by our wall clock doubts no balance", async () => {
  const rig = await openStage({ order: BOUGHT });
  const { clock, deps } = rig;
  deps.store.memory.legMoments.clear();
  deps.store.memory.sentMarks.length = 0;
  clock.stepWall(-600_000);
  expect(doubtOf(rig, { mode: "standard", balances: BEFORE, heard: null })).toBeNull();
});

test("a unified account is not told what it held before a fill of its own, and is told what it holds", async () => {
  // It leaves nothing held, as the state shows.
  const rig = await openStage({ fill: { market: "BTC", fee: "1.35", startPosition: "-1" } });
  rig.exchange.answer("userAbstraction", () => "unifiedAccount");
  const shows = (total: string, hold: string) => {
    rig.venue.balances = [{ coin: "USDC", token: 0, total, hold, entryNtl: "0.0" }];
  };
  shows("20000.0", "0.0");
  let told = "";
  const asked = getAccount(rig.deps, rig.caller).then(({ body }) => {
    told = body;
  });
  await rig.clock.advance(3 * SECOND);
  expect(told).toBe("");
  shows("19998.65", "150.0");
  await rig.clock.advance(SECOND);
  await asked;
  expect(JSON.parse(told)).toMatchObject({ withdrawable: "19848.65", spot: [{ total: "19998.65", hold: "150" }] });
});
