/** What only reduces is told before the entry that it reduced: which of them came first is not guessed, and both are judged. */
import { expect, test } from "bun:test";
import { decimal, multiply } from "../../src/core/decimal.ts";
import type { Side } from "../../src/core/order.ts";
import { listAllDoubts } from "../../src/store/bot-doubt-rows.ts";
import { settleDoubts } from "../../src/store/bot-doubts.ts";
import { listBotNets } from "../../src/store/bots.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listDayMarkets } from "../../src/store/day-markets.ts";
import { insertFills, type StoredFill, setFillCursor } from "../../src/store/fills.ts";
import { listLegs, updateLeg } from "../../src/store/legs.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { fillAt, inSeconds, limitedRig, MARK, OTHER_BOT, place, railOf, register, textOf } from "./rails-rig.ts";
import { ACCOUNTS, type Rig } from "./rig.ts";

const SIZE = "0.002";
const REDUCE = { side: "sell", size: SIZE, reduce_only: true, time_in_force: "ioc" };
const ENTRY_OID = "555";

type Placed = { id: string; exchange_order_id: string | null };

async function placed(rig: Rig, terms: Record<string, unknown>, apiKey?: string): Promise<Placed> {
  const answer = await inSeconds(rig, place(rig, terms, apiKey === undefined ? {} : { apiKey }));
  expect(answer.status).toBeLessThan(300);
  return (await answer.json()) as Placed;
}

/** The entry's answer was lost; what reduces it has been filled, and told. */
async function inDoubt() {
  // Twice what the entry is worth, so that the gate is asked for one more.
  const rig = await limitedRig({ maxPosition: "120 USD" });
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  const entry = await placed(rig, { size: SIZE });
  fillAt(rig, MARK);
  const reduction = await placed(rig, REDUCE);
  return { rig, entry, reduction };
}

/** A look has found what became of it. */
function tellFilled({ deps: { store } }: Rig, { id }: Placed): void {
  inTransaction(store, () => {
    const order = findOrder(store, id);
    const [leg] = listLegs(store, id);
    if (order === null || leg === undefined) throw new Error("bug: an order without a leg");
    const filledSize = decimal(SIZE);
    const notional = multiply(filledSize, decimal(MARK));
    updateLeg(store, { ...leg, state: "filled", oid: ENTRY_OID, filledSize, filledNotional: notional });
    const filled = { status: "filled", filledSize, averagePrice: decimal(MARK), exchangeOrderId: ENTRY_OID } as const;
    expect(updateOrder(store, { ...order, ...filled })).toBe(true);
  });
}

function index({ deps: { store, clock } }: Rig, fill: { oid: string; side: Side; timeMs: number }): void {
  const row: StoredFill = {
    accountId: ACCOUNTS.main,
    id: `${fill.timeMs}-BTC-${fill.oid}`,
    market: "BTC",
    price: decimal(MARK),
    size: decimal(SIZE),
    isTaker: true,
    fee: decimal("0"),
    feeToken: "USDC",
    builderFee: null,
    realizedPnl: decimal("0"),
    startPosition: decimal("0"),
    direction: "Open Long",
    twapId: null,
    isLiquidation: false,
    transactionHash: "0x00",
    ...fill,
  };
  inTransaction(store, () => insertFills(store, [row], { atMs: clock.nowMs(), toldFromMs: 0 }));
}

function settle({ deps: { store, clock } }: Rig): number {
  inTransaction(store, () => settleDoubts(store, clock.nowMs()));
  return listAllDoubts(store).length;
}

function net({ deps: { store } }: Rig): string {
  return listBotNets(store, ACCOUNTS.main, "grid-1").get("BTC") ?? "0";
}

function cash({ deps: { store, clock } }: Rig): number {
  const of = { accountId: ACCOUNTS.main, bot: "grid-1", day: Math.floor(clock.nowMs() / 86_400_000) };
  return listDayMarkets(store, of).reduce((sum, row) => sum + Number(row.cash), 0);
}

test("a sale is judged as if what was reduced had been the bot's own, until that is known", async () => {
  const { rig, entry } = await inDoubt();
  tellFilled(rig, entry);
  // By the order in which they were told it is long; it is flat.
  expect(net(rig)).toBe(SIZE);
  expect(await railOf(await inSeconds(rig, place(rig, { side: "sell", size: SIZE })))).toBe("passed");
  expect(await railOf(await inSeconds(rig, place(rig, { side: "sell", size: "0.00001" })))).toBe("max_position");
});

test("while the entry is not known, or the fills are not all there, both stay possible", async () => {
  const { rig, entry, reduction } = await inDoubt();
  expect(settle(rig)).toBe(1);
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: rig.clock.nowMs() - 1_000 });
  inTransaction(rig.deps.store, (store) => setFillCursor(store, ACCOUNTS.main, rig.clock.nowMs()));
  expect(settle(rig)).toBe(1);
  tellFilled(rig, entry);
  expect(settle(rig)).toBe(1);
  index(rig, { oid: ENTRY_OID, side: "buy", timeMs: rig.clock.nowMs() - 2_000 });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test.each([
  ["the entry came first: it was its own", { entryMs: 0, reductionMs: 1_000, held: "0", brought: 0 }],
  ["both at one moment: what reduces comes behind", { entryMs: 1_000, reductionMs: 1_000, held: "0", brought: 0 }],
  ["what reduces came first: it was another's", { entryMs: 1_000, reductionMs: 0, held: SIZE, brought: -120 }],
])("by the exchange's times, where %s", async (_what, { entryMs, reductionMs, held, brought }) => {
  const { rig, entry, reduction } = await inDoubt();
  tellFilled(rig, entry);
  const beganMs = rig.clock.nowMs() - 10_000;
  index(rig, { oid: ENTRY_OID, side: "buy", timeMs: beganMs + entryMs });
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: beganMs + reductionMs });
  expect([settle(rig), net(rig)]).toEqual([0, held]);
  expect(cash(rig)).toBeCloseTo(brought, 5);
});

test.each([
  ["that is whole up to the last of them ends it", 0, 0],
  ["that is behind leaves ten minutes for what was out", -1, 1],
])("while something else was out an index of fills %s", async (_what, behindMs, left) => {
  const rig = await limitedRig({ maxPosition: "1000 USD" });
  await placed(rig, { size: SIZE, price: "50000" });
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  const entry = await placed(rig, { size: SIZE });
  fillAt(rig, MARK);
  const reduction = await placed(rig, REDUCE);
  tellFilled(rig, entry);
  const lastMs = rig.clock.nowMs() - 1_000;
  index(rig, { oid: ENTRY_OID, side: "buy", timeMs: lastMs - 1_000 });
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: lastMs });
  expect(settle(rig)).toBe(1);
  inTransaction(rig.deps.store, (store) => setFillCursor(store, ACCOUNTS.main, lastMs + behindMs));
  expect([settle(rig), net(rig)]).toEqual([left, left === 0 ? "0" : SIZE]);
  await rig.clock.advance(10 * 60_000);
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

/** All of it is known, but for whose it was. */
async function toldWhole() {
  const { rig, entry, reduction } = await inDoubt();
  tellFilled(rig, entry);
  const nowMs = rig.clock.nowMs();
  index(rig, { oid: ENTRY_OID, side: "buy", timeMs: nowMs - 3_000 });
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 2_000 });
  return { rig, nowMs };
}

test("what another bot was filled meanwhile is no part of it", async () => {
  const { rig, nowMs } = await toldWhole();
  expect((await register(rig, textOf(rig, { bot: "grid-2" }, OTHER_BOT))).status).toBe(201);
  fillAt(rig, MARK, 70_000);
  const { exchange_order_id: oid } = await placed(rig, { size: SIZE }, OTHER_BOT);
  index(rig, { oid: oid ?? "", side: "buy", timeMs: nowMs - 1_000 });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test("nor is what has its native id on the other side", async () => {
  const { rig, nowMs } = await toldWhole();
  index(rig, { oid: ENTRY_OID, side: "sell", timeMs: nowMs - 1_000 });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test("what is asked for after it leaves nothing in doubt", async () => {
  const { rig } = await toldWhole();
  await rig.clock.advance(6_000);
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  await placed(rig, { side: "sell", size: "0.0002" });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test("it is not settled while the answer to the entry has not come", async () => {
  const rig = await limitedRig({ touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  rig.deps.exchange.send = () => new Promise(() => undefined);
  const entry = await placed(rig, { size: SIZE });
  fillAt(rig, MARK);
  const reduction = await placed(rig, REDUCE);
  expect(findOrder(rig.deps.store, entry.id)?.status).toBe("processing");
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: rig.clock.nowMs() - 1_000 });
  inTransaction(rig.deps.store, (store) => setFillCursor(store, ACCOUNTS.main, rig.clock.nowMs()));
  expect(settle(rig)).toBe(1);
});

test("what was out by the last of two reductions is waited for as well", async () => {
  const rig = await limitedRig({ touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  fillAt(rig, MARK);
  const first = await placed(rig, REDUCE);
  await rig.clock.advance(6_000);
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  await placed(rig, { size: SIZE });
  fillAt(rig, MARK, 80_000);
  const last = await placed(rig, REDUCE);
  for (const { exchange_order_id: oid } of [first, last])
    index(rig, { oid: oid ?? "", side: "sell", timeMs: rig.clock.nowMs() - 1_000 });
  expect(settle(rig)).toBe(1);
});

test("what has been sold meanwhile counts in its place", async () => {
  const { rig, entry, reduction } = await inDoubt();
  tellFilled(rig, entry);
  const sale = await placed(rig, { side: "sell", size: SIZE });
  const nowMs = rig.clock.nowMs();
  index(rig, { oid: ENTRY_OID, side: "buy", timeMs: nowMs - 3_000 });
  index(rig, { oid: reduction.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 2_000 });
  index(rig, { oid: sale.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 1_000 });
  expect([settle(rig), net(rig)]).toEqual([0, `-${SIZE}`]);
});

/** It holds something; what was to close that was lost, and something was sold since. */
async function soldSince() {
  const rig = await limitedRig({ maxPosition: "120 USD" });
  fillAt(rig, MARK);
  const entry = await placed(rig, { size: SIZE });
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  const reduction = await placed(rig, REDUCE);
  fillAt(rig, MARK, 80_000);
  return { rig, entry, reduction, sale: await placed(rig, { side: "sell", size: SIZE }) };
}

function tellAbsent({ deps: { store } }: Rig, { id }: Placed): void {
  inTransaction(store, () => {
    const order = findOrder(store, id);
    const [leg] = listLegs(store, id);
    if (order === null || leg === undefined) throw new Error("bug: an order without a leg");
    updateLeg(store, { ...leg, state: "absent" });
    expect(updateOrder(store, { ...order, status: "rejected" })).toBe(true);
  });
}

test("while what was to close it may have come before a sale, the sale may have made it short", async () => {
  const { rig, entry, reduction, sale } = await soldSince();
  expect(net(rig)).toBe("0");
  const more = async () => railOf(await inSeconds(rig, place(rig, { side: "sell", size: "0.00001" })));
  expect(await more()).toBe("max_position");
  const nowMs = rig.clock.nowMs();
  index(rig, { oid: entry.exchange_order_id ?? "", side: "buy", timeMs: nowMs - 9_000 });
  index(rig, { oid: sale.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 8_000 });
  expect(settle(rig)).toBe(1);
  tellAbsent(rig, reduction);
  expect(await more()).toBe("passed");
});

test("of two sales against what is held the first has found more of it", async () => {
  const rig = await limitedRig({ maxPosition: "120 USD" });
  fillAt(rig, MARK);
  await placed(rig, { size: SIZE });
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  await placed(rig, REDUCE);
  fillAt(rig, MARK, 80_000);
  for (const size of ["0.001", "0.001"]) await placed(rig, { side: "sell", size });
  expect(net(rig)).toBe("0");
  expect(await railOf(await inSeconds(rig, place(rig, { side: "sell", size: "0.00001" })))).toBe("max_position");
});

test("it is as it was booked once that has never arrived", async () => {
  const { rig, entry, reduction, sale } = await soldSince();
  tellAbsent(rig, reduction);
  const nowMs = rig.clock.nowMs();
  index(rig, { oid: entry.exchange_order_id ?? "", side: "buy", timeMs: nowMs - 9_000 });
  expect(settle(rig)).toBe(1);
  index(rig, { oid: sale.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 8_000 });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test("a sale against what is held is in no doubt where nothing that reduces is out on its side", async () => {
  const rig = await limitedRig({ maxPosition: "120 USD", touches: "all" });
  fillAt(rig, MARK);
  await placed(rig, { size: SIZE });
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  await placed(rig, { ...REDUCE, side: "buy" });
  fillAt(rig, MARK, 80_000);
  await placed(rig, { side: "sell", size: SIZE });
  expect(listAllDoubts(rig.deps.store).map(({ longSold }) => longSold)).toEqual([decimal("0")]);
  expect(await railOf(await inSeconds(rig, place(rig, { side: "sell", size: SIZE })))).toBe("passed");
});

/** And then it is told that what was to close it was filled. */
async function soldBefore() {
  const { rig, entry, reduction, sale } = await soldSince();
  tellFilled(rig, reduction);
  const nowMs = rig.clock.nowMs();
  index(rig, { oid: entry.exchange_order_id ?? "", side: "buy", timeMs: nowMs - 9_000 });
  return { rig, reduction, sale, nowMs };
}

test("a sale that was told before what it came behind is judged both ways too", async () => {
  const { rig } = await soldBefore();
  expect(net(rig)).toBe("0");
  expect(await railOf(await inSeconds(rig, place(rig, { side: "sell", size: "0.00001" })))).toBe("max_position");
});

test.each([
  ["what reduces came first: the sale has made it short", { saleMs: 2_000, reductionMs: 1_000, held: `-${SIZE}` }],
  ["the sale came first: what reduces was another's", { saleMs: 1_000, reductionMs: 2_000, held: "0" }],
])(
  "a sale that was told first is booked by the exchange's times, where %s",
  async (_what, { saleMs, reductionMs, held }) => {
    const { rig, sale, nowMs } = await soldBefore();
    index(rig, { oid: sale.exchange_order_id ?? "", side: "sell", timeMs: nowMs - 8_000 + saleMs });
    expect(settle(rig)).toBe(1);
    index(rig, { oid: ENTRY_OID, side: "sell", timeMs: nowMs - 8_000 + reductionMs });
    expect([settle(rig), net(rig)]).toEqual([0, held]);
  },
);

test("where nothing of its own was out it is another's, and nothing is in doubt for long", async () => {
  const rig = await limitedRig({ touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  fillAt(rig, MARK);
  const { exchange_order_id: oid } = await placed(rig, REDUCE);
  expect(settle(rig)).toBe(1);
  index(rig, { oid: oid ?? "", side: "sell", timeMs: rig.clock.nowMs() - 1_000 });
  expect([settle(rig), net(rig)]).toEqual([0, "0"]);
});

test("an order that rests keeps it in doubt for ten minutes, by which its fills of before would be told", async () => {
  const rig = await limitedRig({ touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  rig.deps.exchange.send = async (body) => {
    const { action } = JSON.parse(body) as { action: { orders: { c: string }[] } };
    const statuses = action.orders.map(({ c }) => ({ resting: { oid: 77, cloid: c } }));
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  await placed(rig, { size: SIZE, price: "59000" });
  fillAt(rig, MARK);
  const { exchange_order_id: oid } = await placed(rig, REDUCE);
  index(rig, { oid: oid ?? "", side: "sell", timeMs: rig.clock.nowMs() - 1_000 });
  expect(settle(rig)).toBe(1);
  const { store } = rig.deps;
  inTransaction(store, () => settleDoubts(store, rig.clock.nowMs() + 9 * 60_000));
  expect(listAllDoubts(store)).toHaveLength(1);
  inTransaction(store, () => settleDoubts(store, rig.clock.nowMs() + 11 * 60_000));
  expect(listAllDoubts(store)).toEqual([]);
});

/** What only reduces was out when something was bought, and is told to be filled after it. */
async function reducedBeside() {
  const rig = await limitedRig({ maxPosition: "120 USD", touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  const reduction = await placed(rig, REDUCE);
  fillAt(rig, MARK, 80_000);
  const entry = await placed(rig, { size: SIZE });
  tellFilled(rig, reduction);
  return { rig, entry };
}

test("what reduces may have closed another's before the bot bought anything: both are judged", async () => {
  const { rig } = await reducedBeside();
  expect(net(rig)).toBe("0");
  expect(await railOf(await inSeconds(rig, place(rig, { size: "0.00001" })))).toBe("max_position");
});

test.each([
  ["it came first, and was another's", { entryMs: 1_000, reductionMs: 0, held: SIZE }],
  ["it came after, and has closed the bot's own", { entryMs: 0, reductionMs: 1_000, held: "0" }],
])("where %s, is told by the exchange's times", async (_what, { entryMs, reductionMs, held }) => {
  const { rig, entry } = await reducedBeside();
  const beganMs = rig.clock.nowMs() - 10_000;
  index(rig, { oid: entry.exchange_order_id ?? "", side: "buy", timeMs: beganMs + entryMs });
  expect(settle(rig)).toBe(1);
  index(rig, { oid: ENTRY_OID, side: "sell", timeMs: beganMs + reductionMs });
  expect([settle(rig), net(rig)]).toEqual([0, held]);
});

test("what was asked for after the purchase has closed the bot's own, whatever else was out", async () => {
  const rig = await limitedRig({ maxPosition: "120 USD", touches: "all" }, [{ coin: "BTC", szi: "1" }]);
  rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "the connection was reset" });
  await placed(rig, REDUCE);
  fillAt(rig, MARK, 80_000);
  await placed(rig, { size: SIZE });
  await rig.clock.advance(10);
  fillAt(rig, MARK, 90_000);
  await placed(rig, REDUCE);
  expect(net(rig)).toBe("0");
  expect(await railOf(await inSeconds(rig, place(rig, { size: SIZE })))).toBe("passed");
});
