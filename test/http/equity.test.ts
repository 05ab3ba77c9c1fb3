/** What an account was worth: sampled in the background, thinned with age, and told as profit by hour and day. */
import { expect, test } from "bun:test";
import { EQUITY_INTERVAL_MS, SAMPLE_EVERY_MS, sampleEquity } from "../../src/actions/sample-equity.ts";
import { decimal } from "../../src/core/decimal.ts";
import { worthOf } from "../../src/settle/account/account-worth.ts";
import { insertEquitySample, thinEquitySamples } from "../../src/store/equity.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertTransfers, putLedgerCursor } from "../../src/store/ledger.ts";
import { fillRow } from "../support/rows.ts";
import { stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_0 = Math.floor(START_MS / DAY_MS) * DAY_MS - 10 * DAY_MS;

type Row = Record<string, unknown>;
type Listed = { data: Row[] } & Record<"next_cursor" | "complete_from" | "complete_to", string | null>;

function sample(rig: Rig, atMs: number, equity: string, unpriced = ""): void {
  insertEquitySample(rig.deps.store, { accountId: ACCOUNTS.main, atMs, equity: decimal(equity), unpriced });
}

function transfer(rig: Rig, timeMs: number, value: string | null, some = {}): void {
  const names = { accountId: ACCOUNTS.main, timeMs, id: `${timeMs}-0x`, kind: "deposit", token: "USDC", ...some };
  const figures = { amount: null, fee: null, value: value === null ? null : decimal(value) };
  const rest = { counterparty: null, transactionHash: "0x", told: "{}" };
  insertTransfers(rig.deps.store, [{ ...rest, ...names, ...figures }]);
}

/** Transfers up to this time are known. */
function known(rig: Rig, readToMs: number): void {
  const names = { accountId: ACCOUNTS.main, list: "transfers", fromMs: 0, newestMs: 0 } as const;
  putLedgerCursor(rig.deps.store, { ...names, readToMs });
}

async function listed(rig: Rig, query: string, apiKey: string = KEYS.both): Promise<Listed> {
  const response = await rig.ask({ path: `/v1/equity?${query}`, apiKey });
  expect([query, response.status]).toEqual([query, 200]);
  // The status says that it is a list.
  return (await response.json()) as Listed;
}

function told({ data }: Listed): unknown[] {
  return data.map(({ open, close, transfers, profit }) => [open, close, transfers, profit]);
}

test("profit by day is the change of what the account is worth without what came and went", async () => {
  const rig = openRig();
  sample(rig, DAY_0 + HOUR_MS, "100");
  sample(rig, DAY_0 + 9 * HOUR_MS, "120");
  sample(rig, DAY_0 + DAY_MS, "130.5");
  sample(rig, DAY_0 + DAY_MS + HOUR_MS, "1130.5", "HYPE");
  sample(rig, DAY_0 + 2 * DAY_MS + 5, "1100");
  sample(rig, DAY_0 + 4 * DAY_MS, "1000");
  sample(rig, DAY_0 + 4 * DAY_MS + HOUR_MS, "1010");
  transfer(rig, DAY_0 + HOUR_MS - MINUTE_MS, "77");
  transfer(rig, DAY_0 + DAY_MS + MINUTE_MS, "1000");
  transfer(rig, DAY_0 + 2 * DAY_MS + MINUTE_MS, "-50");
  known(rig, START_MS);
  const days = await listed(rig, "resolution=1d");
  expect(told(days)).toEqual([
    ["1000", "1010", "0", "10"],
    ["1100", "1000", "-50", "-50"],
    ["130.5", "1100", "1000", "-30.5"],
    ["100", "130.5", "0", "30.5"],
  ]);
  expect(days.data[2]).toMatchObject({
    from: new Date(DAY_0 + DAY_MS).toISOString(),
    to: new Date(DAY_0 + 2 * DAY_MS + 5).toISOString(),
    unpriced: [],
  });
  expect([days.complete_from, days.complete_to]).toEqual(
    [DAY_0 + HOUR_MS, DAY_0 + 4 * DAY_MS + HOUR_MS].map((ms) => new Date(ms).toISOString()),
  );
  expect(told(await listed(rig, "resolution=1h"))).toHaveLength(6);
  const first = await listed(rig, "resolution=1d&limit=3");
  expect(told(first)).toEqual(told(days).slice(0, 3));
  expect(told(await listed(rig, `resolution=1d&limit=3&cursor=${first.next_cursor}`))).toEqual(told(days).slice(3));
  const times = `since=${new Date(DAY_0 + DAY_MS).toISOString()}&until=${new Date(DAY_0 + 2 * DAY_MS).toISOString()}`;
  expect(told(await listed(rig, `resolution=1d&${times}`))).toEqual(told(days).slice(2, 3));
  expect((await listed(rig, "resolution=1d", KEYS.other)).data).toEqual([]);
});

test.each([
  ["shortly before it began", DAY_0 + DAY_MS - 20_000, "0", null],
  ["shortly after it began", DAY_0 + DAY_MS + 20_000, "0", null],
  ["a while after that", DAY_0 + DAY_MS + 20_001, "0", "10"],
  ["shortly before it ended", DAY_0 + 2 * DAY_MS - 20_000, "5000", null],
  ["shortly after it ended", DAY_0 + 2 * DAY_MS + 20_000, "5000", null],
])(
  "a day tells its profit as is where something was moved %s, of which a sample may hold the one side alone",
  async (_name, atMs, value, profit) => {
    const rig = openRig();
    sample(rig, DAY_0 + DAY_MS, "170");
    sample(rig, DAY_0 + 2 * DAY_MS, "180");
    transfer(rig, atMs, value);
    known(rig, START_MS);
    const { data } = await listed(rig, "resolution=1d");
    expect(data.map((row) => row["profit"])).toEqual([profit]);
  },
);

test.each([
  ["", "xyz", "10"],
  ["spot", "", "10"],
  ["", "unread", null],
  ["unread", "spot", null],
])(
  "what is sent from the dex %p to %p is no profit and no loss where both are counted, and else none is told",
  async (sourceDex, destinationDex, profit) => {
    const rig = openRig();
    sample(rig, DAY_0, "100");
    sample(rig, DAY_0 + DAY_MS, "110");
    transfer(rig, DAY_0 + HOUR_MS, "0", { kind: "send", told: JSON.stringify({ sourceDex, destinationDex }) });
    known(rig, START_MS);
    const { data } = await listed(rig, "resolution=1d");
    expect(data.map((row) => row["profit"])).toEqual([profit]);
    const file = await rig.ask({ path: "/v1/exports/equity.jsonl?resolution=1d", apiKey: KEYS.both });
    expect((JSON.parse(await file.text()) as Row)["profit"]).toBe(profit);
  },
);

test("profit is told of no time before that from which transfers are whole, nor where a clock that was ahead has read them", async () => {
  const rig = openRig();
  sample(rig, DAY_0, "100");
  sample(rig, DAY_0 + DAY_MS, "110");
  const names = { accountId: ACCOUNTS.main, list: "transfers", newestMs: 0 } as const;
  const profits = async (cursor: { fromMs: number; readToMs: number }) => {
    putLedgerCursor(rig.deps.store, { ...names, ...cursor });
    return (await listed(rig, "resolution=1d")).data.map((row) => row["profit"]);
  };
  expect(await profits({ fromMs: DAY_0 - 19_999, readToMs: START_MS })).toEqual([null]);
  expect(await profits({ fromMs: DAY_0 - 20_000, readToMs: START_MS + HOUR_MS })).toEqual([null]);
  expect(await profits({ fromMs: DAY_0 - 20_000, readToMs: START_MS })).toEqual(["10"]);
});

test("profit is told of no time whose transfers are not known, nor of one in which something came that has no price", async () => {
  const rig = openRig();
  sample(rig, DAY_0, "100");
  sample(rig, DAY_0 + DAY_MS, "110");
  sample(rig, DAY_0 + 2 * DAY_MS, "120");
  expect(told(await listed(rig, "resolution=1d"))).toEqual([
    ["110", "120", null, null],
    ["100", "110", null, null],
  ]);
  // A server may be behind by 160 s, and what was moved 20 s after a sample counts with it.
  known(rig, DAY_0 + DAY_MS + 20_000 + 159_999);
  expect(told(await listed(rig, "resolution=1d"))).toEqual([
    ["110", "120", null, null],
    ["100", "110", null, null],
  ]);
  known(rig, DAY_0 + DAY_MS + 20_000 + 160_000);
  expect(told(await listed(rig, "resolution=1d"))).toEqual([
    ["110", "120", null, null],
    ["100", "110", "0", "10"],
  ]);
  known(rig, START_MS);
  transfer(rig, DAY_0 + 1, null);
  transfer(rig, DAY_0 + 2, "3");
  expect(told(await listed(rig, "resolution=1d"))).toEqual([
    ["110", "120", "0", "10"],
    ["100", "110", null, null],
  ]);
});

const HELD = { coin: "BTC", szi: "1", unrealizedPnl: "5", marginUsed: "20" };

test.each([
  ["standard", "cross", "1302.5"],
  ["unified", "cross", "307.5"],
  ["unified", "isolated", "322.5"],
] as const)("an account in the mode %s with a position of %s margin is counted once", (mode, margin, equity) => {
  const position = { leverage: { type: margin, value: 5 }, marginUsed: decimal("20"), unrealizedPnl: decimal("5") };
  const state = { marginSummary: { accountValue: decimal("1000") }, positions: [position] };
  const balance = (coin: string, total: string) => ({ coin, total: decimal(total) });
  const spotBalances = [balance("USDC", "300"), balance("HYPE", "0.5"), balance("ODD", "7"), balance("NONE", "0")];
  // Of an account it reads no more than this.
  const account = { mode, spotBalances, byDex: [{ dex: "", state }] } as unknown as Parameters<typeof worthOf>[0];
  const worth = worthOf(account, (token) => (token === "HYPE" ? decimal("5") : null));
  expect(worth).toEqual({ equity: decimal(equity), unpriced: ["ODD"] });
});

test("each account is looked at once in five minutes, and not where the exchange cannot be asked", async () => {
  const rig = openRig();
  const round = () => sampleEquity(rig.deps, () => false);
  const count = () =>
    rig.deps.store.$client.query<{ n: number }, []>("select count(*) as n from equity_samples").get()?.n;
  await round();
  expect(count()).toBe(0);
  rig.answers.set("userAbstraction", () => "default");
  rig.answers.set("spotClearinghouseState", () => ({ balances: [] }));
  rig.answers.set("clearinghouseState", () => ({
    ...stateOf([HELD], rig.clock.nowMs()),
    marginSummary: { accountValue: "12.5", totalNtlPos: "0", totalRawUsd: "0", totalMarginUsed: "0" },
  }));
  for (let ms = 0; ms < 2 * SAMPLE_EVERY_MS; ms += EQUITY_INTERVAL_MS) {
    await round();
    await rig.clock.advance(EQUITY_INTERVAL_MS);
  }
  expect(count()).toBe(8);
  expect(told(await listed(rig, "resolution=5m"))).toEqual([["25", "25", null, null]]);
});

test.each([
  ["nothing", null, "unifiedAccount", 1],
  ["a perpetual", "BTC", "unifiedAccount", 0],
  ["a perpetual, and nothing is shared,", "BTC", "default", 1],
  ["spot", "PURR/USDC", "unifiedAccount", 1],
] as const)(
  "where %s was filled while its parts were read, an account has so many samples: %p %p %p",
  async (...row) => {
    const [, market, mode, samples] = row;
    const rig = openRig();
    rig.answers.set("userAbstraction", () => mode);
    rig.answers.set("spotClearinghouseState", () => ({ balances: [] }));
    rig.answers.set("clearinghouseState", () => stateOf([], rig.clock.nowMs()));
    const round = sampleEquity(rig.deps, () => false);
    await rig.clock.advance(1_000);
    const { store } = rig.deps;
    const timeMs = rig.clock.nowMs() - 900;
    if (market !== null)
      insertFills(store, [fillRow({ accountId: ACCOUNTS.main, market, timeMs })], { atMs: timeMs, toldFromMs: 0 });
    for (let seconds = 0; seconds < 20; seconds += 1) await rig.clock.advance(1_000);
    await round;
    const ofMain = store.$client.query<{ n: number }, [string]>(
      "select count(*) as n from equity_samples where account_id = ?",
    );
    expect(ofMain.get(ACCOUNTS.main)?.n).toBe(samples);
  },
);

test("samples are kept by the hour after a month and by the day after two years, the first of each", () => {
  const rig = openRig();
  const { store } = rig.deps;
  const nowMs = DAY_0 + 800 * DAY_MS + 1;
  const left = (fromMs: number) =>
    store.$client
      .query<{ atMs: number }, [number, number]>(
        "select at_ms as atMs from equity_samples where at_ms >= ? and at_ms < ?",
      )
      .all(fromMs, fromMs + DAY_MS).length;
  const ages = [30, 32, 732] as const;
  for (const age of ages) {
    const fromMs = DAY_0 + (800 - age) * DAY_MS;
    for (let nth = 0; nth < 288; nth += 1) sample(rig, fromMs + nth * SAMPLE_EVERY_MS + 7, String(nth));
  }
  thinEquitySamples(store, ACCOUNTS.other, nowMs);
  expect(ages.map((age) => left(DAY_0 + (800 - age) * DAY_MS))).toEqual([288, 288, 288]);
  thinEquitySamples(store, ACCOUNTS.main, nowMs);
  expect(ages.map((age) => left(DAY_0 + (800 - age) * DAY_MS))).toEqual([288, 24, 1]);
});

test.each(["resolution=2h", "cursor=x", "limit=501", "market=BTC"])(
  "a list asked with %s is refused",
  async (query) => {
    const rig = openRig();
    expect((await rig.ask({ path: `/v1/equity?${query}`, apiKey: KEYS.both })).status).toBe(400);
  },
);
