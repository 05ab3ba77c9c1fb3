/** Who has made what, over the interface: by key and bot, day and market, and behind nothing that is not known yet. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { isoTime } from "../../src/core/resource.ts";
import { bookNext, hasNext } from "../../src/settle/ledger/keep-performance.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { insertFundingPayments, putLedgerCursor } from "../../src/store/ledger.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { insertOperation } from "../../src/store/operations.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { legRow, orderRow } from "../support/rows.ts";
import { BOT, limitedRig, openMarketRig } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig, START_MS } from "./rig.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BEGUN_MS = START_MS - 30 * HOUR_MS;

type Line = Record<string, unknown>;
type Performance = { data: Line[]; positions: Line[] | null; total: Line | null } & Record<
  "complete_from" | "complete_to",
  string | null
>;

/** Every payment up to this time is read. */
function funded(rig: Rig, readToMs: number): void {
  putLedgerCursor(rig.deps.store, {
    accountId: ACCOUNTS.main,
    list: "funding",
    fromMs: BEGUN_MS,
    newestMs: readToMs,
    readToMs,
  });
}

function paid(rig: Rig, timeMs: number, amount: string, position: string): void {
  const figures = { amount: decimal(amount), position: decimal(position), rate: decimal("0.00001") };
  const names = { accountId: ACCOUNTS.main, timeMs, id: `${timeMs}-BTC`, market: "BTC", samples: null };
  insertFundingPayments(rig.deps.store, [{ ...names, ...figures, transactionHash: "0x" }]);
}

let made = 0;

/** An order of this key, which the exchange has under this id. */
function ordered(rig: Rig, oid: string, apiKey: string): void {
  made += 1;
  const id = `0190a0b0-0000-7007-8000-${String(made).padStart(12, "0")}`;
  const { store } = rig.deps;
  insertOrder(store, orderRow({ id, accountId: ACCOUNTS.main, keyHash: keyHash(apiKey), status: "open" }));
  const cloid = `0x${id.replaceAll("-", "")}`;
  insertLeg(store, legRow({ cloid, orderId: id, oid, state: "resting" }));
}

type Some = Partial<StoredFill> & { oid: string; timeMs: number; start?: string };

function filled(rig: Rig, { start = "0", ...some }: Some): void {
  const id = `${some.timeMs}-BTC-${some.oid}`;
  const names = { accountId: ACCOUNTS.main, id, market: "BTC", side: "buy", isTaker: true, feeToken: "USDC" } as const;
  const figures = { price: decimal("100"), size: decimal("1"), fee: decimal("0.05"), builderFee: decimal("0.01") };
  const rest = { realizedPnl: decimal("0"), direction: "", twapId: null, isLiquidation: false, transactionHash: "" };
  const row = { ...names, ...figures, ...rest, startPosition: decimal(start), ...some };
  insertFills(rig.deps.store, [row], { atMs: START_MS, toldFromMs: Number.MAX_SAFE_INTEGER });
}

function booked(rig: Rig, nowMs = START_MS): void {
  const { store } = rig.deps;
  while (hasNext(store, ACCOUNTS.main, nowMs) && bookNext(store, ACCOUNTS.main, nowMs));
}

async function performance(rig: Rig, query = "", apiKey: string = KEYS.both): Promise<Performance> {
  const response = await rig.ask({ path: `/v1/performance${query}`, apiKey });
  expect([query, response.status]).toEqual([query, 200]);
  // The status says what it is.
  return (await response.json()) as Performance;
}

/** A bot buys, a plain key sells half of it, a TWAP of the bot goes on, and somebody trades by hand; funding in between. */
async function traded(): Promise<Rig> {
  const rig = await limitedRig({ bot: "grid-1" });
  ordered(rig, "11", BOT);
  ordered(rig, "12", KEYS.both);
  insertOperation(rig.deps.store, {
    id: "0190a0b0-0000-7007-8000-00000000aaaa",
    accountId: ACCOUNTS.main,
    action: "twap",
    market: "BTC",
    parameters: JSON.stringify({ side: "buy", size: "1", duration_minutes: 30, reduce_only: false }),
    before: null,
    status: "succeeded",
    exchangeId: "7",
    error: null,
    createdAtMs: BEGUN_MS,
    releasedAtMs: null,
    version: 0,
    keyHash: keyHash(BOT),
  });
  const sell = { side: "sell", price: decimal("110") } as const;
  filled(rig, { oid: "11", timeMs: BEGUN_MS + 1_000, size: decimal("2") });
  paid(rig, BEGUN_MS + HOUR_MS, "-0.4", "2");
  filled(rig, { oid: "12", timeMs: BEGUN_MS + 2 * HOUR_MS, start: "2", ...sell });
  paid(rig, BEGUN_MS + 3 * HOUR_MS, "-0.2", "1");
  filled(rig, { oid: "900", timeMs: START_MS - HOUR_MS, start: "1", twapId: "7" });
  filled(rig, { oid: "77", timeMs: START_MS - HOUR_MS + 1, start: "2", ...sell });
  funded(rig, START_MS);
  return rig;
}

test("what is not booked yet is null, and never zero: before anything is, and of a time that the books have not reached", async () => {
  const rig = await traded();
  const unknown = { complete_from: null, complete_to: null, total: null, positions: null, data: [] };
  expect(await performance(rig)).toMatchObject(unknown);
  booked(rig);
  expect(await performance(rig)).toMatchObject({ total: { fills: 4 }, positions: expect.any(Array) });
  const { complete_to } = await performance(rig);
  const day = Math.floor(Date.parse(complete_to ?? "") / DAY_MS);
  const [reached, ahead] = [day, day + 1].map((each) => `?since=${new Date(each * DAY_MS).toISOString()}`);
  expect(await performance(rig, reached)).toMatchObject({ total: { fills: expect.any(Number) } });
  expect(await performance(rig, ahead)).toMatchObject({ total: null, data: [] });
});

const NOTHING = { day: null, market: null, bot: null, key_hash: null, attributed: null };

test("each key and bot has its own line, what belongs to nobody too, and together they are the account's", async () => {
  const rig = await traded();
  booked(rig);
  const byKey = await performance(rig);
  const own = (line: object) => expect.objectContaining({ ...NOTHING, ...line });
  const bot = { bot: "grid-1", key_hash: keyHash(BOT), attributed: true };
  const plain = { bot: null, key_hash: keyHash(KEYS.both), attributed: true };
  const nobody = { bot: null, key_hash: null, attributed: false };
  expect(byKey.data).toHaveLength(3);
  expect(byKey.data).toEqual(
    expect.arrayContaining([
      own({
        ...bot,
        fills: 2,
        volume: "300",
        fees: "0.1",
        builder_fees: "0.02",
        funding: "-0.8",
        realized_pnl: "0",
        net_pnl: "-0.9",
      }),
      own({ ...plain, fills: 1, volume: "110", funding: "0.2", net_pnl: "0.15" }),
      own({ ...nobody, fills: 1, volume: "110", funding: "0", net_pnl: "-0.05" }),
    ]),
  );
  expect(byKey.total).toEqual({
    fills: 4,
    volume: "520",
    fees: "0.2",
    builder_fees: "0.04",
    funding: "-0.6",
    realized_pnl: "0",
    net_pnl: "-0.8",
  });
  const held = (byKey.positions ?? []).map(({ size, entry_price, mark_price, unrealized_pnl }) => [
    size,
    entry_price,
    mark_price,
    unrealized_pnl,
  ]);
  expect(held.toSorted()).toEqual([
    ["-1", "110", "60000", "-59890"],
    ["-1", "110", "60000", "-59890"],
    ["3", "100", "60000", "179700"],
  ]);
  expect(byKey.complete_from).toBe(new Date(BEGUN_MS).toISOString());
  expect(byKey.complete_to).toBe(new Date(START_MS - 10_000).toISOString());
  expect(await performance(rig, "", KEYS.other)).toMatchObject({ data: [], positions: null, complete_to: null });
});

test("lines are told apart by what is asked for, and narrowed by time, market, key and bot", async () => {
  const rig = await traded();
  booked(rig);
  const figures = async (query: string) =>
    (await performance(rig, query)).data.map(({ day, market, bot, attributed, fills, funding }) => [
      day,
      market,
      bot,
      attributed,
      fills,
      funding,
    ]);
  const [first, second] = [BEGUN_MS, START_MS].map((ms) => new Date(ms).toISOString().slice(0, 10));
  expect(await figures("?group_by=day")).toEqual([
    [second, null, null, null, 2, "0"],
    [first, null, null, null, 2, "-0.6"],
  ]);
  expect(await figures("?group_by=market")).toEqual([[null, "BTC", null, null, 4, "-0.6"]]);
  expect(await figures(`?group_by=day,bot&bot=grid-1`)).toEqual([
    [second, null, "grid-1", true, 1, "0"],
    [first, null, "grid-1", true, 1, "-0.8"],
  ]);
  expect(await figures(`?group_by=market&since=${second}`)).toEqual([[null, "BTC", null, null, 2, "0"]]);
  expect(await figures(`?group_by=market&until=${second}`)).toEqual([[null, "BTC", null, null, 2, "-0.6"]]);
  expect(await figures(`?group_by=market&key_hash=${keyHash(KEYS.both)}`)).toEqual([
    [null, "BTC", null, null, 1, "0.2"],
  ]);
  expect(await figures("?market=ETH")).toEqual([]);
  expect((await performance(rig, "?bot=grid-1")).positions).toMatchObject([{ bot: "grid-1", size: "3" }]);
  expect((await performance(rig, "?market=ETH")).positions).toEqual([]);
});

test.each(["group_by=", "group_by=week", "group_by=day,,bot", "group_by=day,day,day,day,day", "limit=5"])(
  "what is asked with %s is refused",
  async (query) => {
    const rig = openMarketRig();
    expect((await rig.ask({ path: `/v1/performance?${query}`, apiKey: KEYS.both })).status).toBe(400);
  },
);

test("nothing is booked past an hour whose funding is not known, nor in the last seconds", async () => {
  const rig = openMarketRig();
  const hourMs = Math.floor(START_MS / HOUR_MS) * HOUR_MS;
  filled(rig, { oid: "1", timeMs: hourMs - 60_000 });
  filled(rig, { oid: "2", timeMs: hourMs + 170_000, start: "1" });
  filled(rig, { oid: "3", timeMs: hourMs + 230_000, start: "2" });
  const fills = async (nowMs: number) => {
    booked(rig, nowMs);
    return (await performance(rig)).total?.["fills"] ?? null;
  };
  expect(await fills(hourMs + 60_000)).toBeNull();
  funded(rig, hourMs - 30 * 60_000);
  expect(await fills(hourMs + 300_000)).toBe(1);
  // Payments of the hour may not have been told yet.
  for (const readAfterMs of [30_000, 61_000, 159_999]) {
    funded(rig, hourMs + readAfterMs);
    expect([readAfterMs, await fills(hourMs + 300_000)]).toEqual([readAfterMs, 1]);
  }
  // By a clock that was ahead.
  funded(rig, hourMs + 900_000);
  expect(await fills(hourMs + 300_000)).toBe(1);
  funded(rig, hourMs + 160_000);
  expect(await fills(hourMs + 235_000)).toBe(2);
  expect(await fills(hourMs + 241_000)).toBe(3);
});

test("what comes late and is older is booked as if it had been there: the books begin anew", async () => {
  const late = async (isLate: boolean) => {
    const rig = await traded();
    const fill = { oid: "12", timeMs: BEGUN_MS + 2_000, start: "2" } as const;
    if (isLate) booked(rig);
    filled(rig, fill);
    paid(rig, BEGUN_MS + 2 * HOUR_MS, "-0.9", "3");
    booked(rig);
    const { data, total, positions } = await performance(rig, "?group_by=day,market,key");
    return { data: data.map((line) => JSON.stringify(line)).sort(), total, positions: positions?.length };
  };
  expect(await late(true)).toEqual(await late(false));
});

test.each([
  ["a fill", (rig: Rig) => filled(rig, { oid: "12", timeMs: BEGUN_MS + 2_000, start: "2" })],
  ["a payment", (rig: Rig) => paid(rig, BEGUN_MS + 2_000, "-0.9", "3")],
])("until %s that comes late is booked, the figures are complete to right before it", async (_name, come) => {
  const rig = await traded();
  booked(rig);
  const before = Date.parse((await performance(rig)).complete_to ?? "");
  come(rig);
  expect((await performance(rig)).complete_to).toBe(isoTime(BEGUN_MS + 1_999));
  booked(rig);
  expect(Date.parse((await performance(rig)).complete_to ?? "")).toBe(before);
});

test.each([130, 325])(
  "fills of one moment are booked together: %d of them, however many are booked at once",
  async (each) => {
    const rig = openMarketRig();
    for (let nth = 0; nth < 650; nth += 1) {
      const timeMs = BEGUN_MS + Math.floor(nth / each);
      filled(rig, { oid: `${1_000 + nth}`, timeMs, start: String(nth) });
    }
    funded(rig, START_MS);
    booked(rig);
    const { total, positions } = await performance(rig);
    expect(total).toMatchObject({ fills: 650, volume: "65000" });
    expect(positions).toMatchObject([{ attributed: false, size: "650", entry_price: "100" }]);
  },
);

test("more lines than one answer adds up are refused with a time from which on they are not", async () => {
  const rig = openMarketRig();
  const { store } = rig.deps;
  const insert = store.$client.prepare("insert into performance_days values (?, ?, ?, '', 1, '1', '0', '0', '0', '0')");
  for (let nth = 0; nth < 2_100; nth += 1) insert.run(ACCOUNTS.main, 20_000 + Math.floor(nth / 21), `M${nth % 21}`);
  const refused = await rig.ask({ path: "/v1/performance?group_by=day", apiKey: KEYS.both });
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  expect([refused.status, error.code]).toEqual([400, "invalid_parameter"]);
  const since = /since, (\S+) say/.exec(error.message)?.[1] ?? "";
  const { data } = await performance(rig, `?group_by=market&since=${since}`);
  expect(data.reduce((sum, { fills }) => sum + Number(fills), 0)).toBe(1_995);
});
