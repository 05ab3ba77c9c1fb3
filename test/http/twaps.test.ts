import { describe, expect, test } from "bun:test";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import { insertOperation } from "../../src/store/operations.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Row = {
  twapId?: number;
  timeS: number;
  status: string;
  coin?: string;
  executed?: [string, string];
  madeMs?: number;
};

function record({ twapId, timeS, status, coin, executed, madeMs }: Row): object {
  const [executedSz, executedNtl] = executed ?? ["0.0", "0.0"];
  const state = {
    coin: coin ?? "BTC",
    user: "0x11",
    side: "B",
    sz: "0.5",
    executedSz,
    executedNtl,
    minutes: 30,
    reduceOnly: false,
    randomize: true,
    timestamp: madeMs ?? START_MS,
  };
  const description = status === "error" ? { description: "Not enough margin." } : {};
  return { time: timeS, state, status: { status, ...description }, ...(twapId === undefined ? {} : { twapId }) };
}

const T = START_MS / 1_000;

function openWith(rows: readonly Row[]): Rig {
  const rig = openRig();
  const mine = findAccount(rig.deps.store, ACCOUNTS.main)?.tradingAddress;
  rig.answers.set("twapHistory", ({ user }) => (user === mine ? rows.map(record) : []));
  return rig;
}

/** Of the TWAP 7 of this account two, and one each of another TWAP and of another account. */
const SLICES: [size: string, price: string, accountId: string, twapId: string][] = [
  ["0.1", "60000", ACCOUNTS.main, "7"],
  ["0.1", "60001", ACCOUNTS.main, "7"],
  ["5", "1", ACCOUNTS.main, "8"],
  ["5", "1", ACCOUNTS.other, "7"],
];
const UNREAD = "it is over; how much of it was filled is being read";

function know(rig: Rig, slices: typeof SLICES): void {
  const rows = slices.map(([size, price, accountId, twapId], nth) => ({
    id: `fill ${nth}`,
    accountId,
    twapId,
    size: decimal(size),
    price: decimal(price),
    fee: ZERO,
    realizedPnl: ZERO,
    startPosition: ZERO,
    timeMs: START_MS,
    market: "BTC",
    oid: "1",
    side: "buy" as const,
    isTaker: true,
    direction: "Open Long",
    feeToken: "USDC",
    builderFee: null,
    isLiquidation: false,
    transactionHash: `0x${"00".repeat(32)}`,
  }));
  insertFills(rig.deps.store, rows, { atMs: 0, toldFromMs: 0 });
}

type Twap = Record<string, unknown>;
type List = { data: Twap[]; has_more: boolean; next_cursor: string | null };

async function list(rig: Rig, query = "", apiKey: string = KEYS.readOnly): Promise<List> {
  const response = await rig.ask({ path: `/v1/twaps${query}`, apiKey });
  expect(response.status).toBe(200);
  return (await response.json()) as List;
}

describe("the list of TWAPs", () => {
  const words: [string, string, string | null][] = [
    ["activated", "running", null],
    ["finished", "finished", null],
    ["terminated", "canceled", null],
    ["waitingForTrigger", "waiting_for_trigger", null],
    ["stopped", "stopped", null],
    ["error", "error", "Not enough margin."],
    ["somethingNew", "unknown", null],
  ];
  test.each(words)("shows the exchange's %s as %s", async (status, shown, error) => {
    const { data } = await list(openWith([{ twapId: 7, timeS: T, status }]));
    const ended = ["running", "waiting_for_trigger", "unknown"].includes(shown)
      ? null
      : new Date(START_MS).toISOString();
    expect(data).toMatchObject([{ exchange_id: "7", status: shown, error, ended_at: ended }]);
  });

  test("shows none that ends before it began, though its end is told to the second", async () => {
    const { data } = await list(openWith([{ twapId: 7, timeS: T, status: "terminated", madeMs: START_MS + 700 }]));
    const made = new Date(START_MS + 700).toISOString();
    expect(data).toMatchObject([{ status: "canceled", created_at: made, ended_at: made }]);
  });

  test("has each once with its last record, whichever way the exchange lists them", async () => {
    const rows: Row[] = [
      { twapId: 9, timeS: T, status: "activated" },
      { twapId: 9, timeS: T, status: "somethingNew" },
      { twapId: 9, timeS: T, status: "terminated", executed: ["0.2", "12000.0"] },
      { twapId: 10, timeS: T, status: "activated", coin: "xyz:TSLA" },
      { timeS: T - 9, status: "finished" },
    ];
    for (const told of [rows, rows.toReversed()]) {
      const { data } = await list(openWith(told));
      expect(data).toMatchObject([
        { exchange_id: "10", status: "running", dex: "xyz", market: "xyz:TSLA", filled_size: "0", average_price: null },
        { exchange_id: "9", status: "canceled", dex: "", filled_size: "0.2", average_price: "60000" },
      ]);
      expect(data.map((twap) => twap["ended_at"])).toEqual([null, new Date(START_MS).toISOString()]);
    }
  });

  test("is narrowed by market, time, status, and by the key that has started it here", async () => {
    const rig = openWith([
      { twapId: 4, timeS: T, status: "activated", coin: "ETH", madeMs: START_MS - 60_000 },
      { twapId: 5, timeS: T, status: "finished", madeMs: START_MS },
      { twapId: 6, timeS: T, status: "activated", madeMs: START_MS + 60_000 },
    ]);
    const hash = keyHash(KEYS.both);
    const started = { action: "twap" as const, status: "succeeded" as const, keyHash: hash, exchangeId: "6" };
    insertOperation(rig.deps.store, {
      ...started,
      id: "0190a0b0-0000-7007-8000-000000000001",
      accountId: ACCOUNTS.main,
      market: "BTC",
      parameters: "{}",
      before: null,
      version: 0,
      error: null,
      createdAtMs: START_MS,
      releasedAtMs: null,
    });
    const at = new Date(START_MS).toISOString();
    const rows: [query: string, ids: string[]][] = [
      ["?market=ETH", ["4"]],
      ["?market=SOL", []],
      ["?status=running", ["6", "4"]],
      ["?status=running&market=BTC", ["6"]],
      [`?since=${at}`, ["6", "5"]],
      [`?until=${at}`, ["4"]],
      [`?key_hash=${hash}`, ["6"]],
      [`?key_hash=${"0".repeat(64)}`, []],
      ["?bot=nobody", []],
    ];
    for (const [query, ids] of rows)
      expect([query, (await list(rig, query)).data.map(({ exchange_id: id }) => id)]).toEqual([query, ids]);
    const first = await list(rig, "?status=running&limit=1");
    expect(first.next_cursor).toBe("6");
    expect((await list(rig, "?status=running&limit=1&cursor=6")).data).toMatchObject([{ exchange_id: "4" }]);
  });

  test("counts what a running one has filled from the index of fills, of this account alone", async () => {
    const rig = openWith([{ twapId: 7, timeS: T, status: "activated" }]);
    know(rig, SLICES);
    const { data } = await list(rig);
    expect(data).toMatchObject([{ filled_size: "0.2", average_price: "60000.5" }]);
  });

  const ends: [string, [string, string], string | null][] = [
    ["as its record says, of which fills are still missing", ["0.3", "18000.15"], "0.3"],
    ["not while its record has less than the fills that are known", ["0.1", "6000.0"], null],
  ];
  test.each(ends)("tells what an ended one has filled %s", async (_how, executed, filled) => {
    const rig = openWith([{ twapId: 7, timeS: T, status: "finished", executed }]);
    know(rig, SLICES);
    const { data } = await list(rig);
    expect(data).toMatchObject([{ status: "finished", filled_size: filled, error: filled === null ? UNREAD : null }]);
  });

  test.each(["activated", null])(
    "tells of one that was canceled here, while the history has %p of it, what it has filled once all fills up to then are known",
    async (status) => {
      const rig = openWith([{ twapId: 7, timeS: T, status: "activated" }]);
      rig.deps.exchange.nowMs = () => START_MS + rig.clock.elapsedMs();
      const asked = { apiKey: KEYS.both, idempotencyKey: "canceled-twap" };
      const body = { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 };
      await rig.ask({ ...asked, path: "/v1/twaps", body });
      await rig.clock.advance(5_000);
      const made = { path: "/v1/twaps/cancel", idempotencyKey: "cancel-of-it", body: { market: "BTC", twap_id: 7 } };
      expect(((await (await rig.ask({ ...asked, ...made })).json()) as Twap)["status"]).toBe("succeeded");
      rig.answers.set("twapHistory", () => (status === null ? [] : [record({ twapId: 7, timeS: T, status })]));
      const shown = async () => (await list(rig)).data;
      const unknown = { status: "canceled", filled_size: null, average_price: null, error: UNREAD };
      expect(await shown()).toMatchObject([unknown]);
      know(rig, SLICES);
      setFillCursor(rig.deps.store, ACCOUNTS.main, START_MS + 6_000);
      expect(await shown()).toMatchObject([unknown]);
      setFillCursor(rig.deps.store, ACCOUNTS.main, START_MS + 60_000);
      expect(await shown()).toMatchObject([{ ...unknown, filled_size: "0.2", average_price: "60000.5", error: null }]);
    },
  );

  test("names the operation that started one here", async () => {
    const rig = openWith([{ twapId: 7, timeS: T, status: "activated" }]);
    const body = { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 };
    const made = await rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "list-twaps", body });
    const operation = (await made.json()) as { id: string; exchange_id: string };
    expect(operation.exchange_id).toBe("7");
    expect((await list(rig)).data).toMatchObject([{ exchange_id: "7", operation_id: operation.id }]);
    expect((await list(openWith([{ twapId: 7, timeS: T, status: "activated" }]))).data).toMatchObject([
      { operation_id: null },
    ]);
  });

  test.each([0, 3_600_000, -3_600_000])(
    "has one started here that its history lacks, for a minute, with our clock set by %p ms",
    async (byMs) => {
      const rig = openWith([{ twapId: 7, timeS: T, status: "activated" }]);
      rig.deps.exchange.nowMs = () => START_MS + rig.clock.elapsedMs();
      const body = { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 };
      const made = await rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "lagging-history", body });
      expect((await made.json()) as object).toMatchObject({ status: "succeeded", exchange_id: "7" });
      rig.answers.set("twapHistory", () => [record({ twapId: 9, timeS: T, status: "activated" })]);
      rig.clock.stepWall(byMs);
      const ids = async () => {
        await rig.clock.advance(30_000);
        return (await list(rig)).data.map((twap) => twap["exchange_id"]);
      };
      expect([await ids(), await ids()]).toEqual([
        ["9", "7"],
        ["9", "7"],
      ]);
      await rig.clock.advance(60_000);
      expect(await ids()).toEqual(["9"]);
    },
  );

  test.each([0, 600_000, -600_000])(
    "dates what its history lacks by the exchange's clock, with ours off by %p ms: the beginning, and the end by a cancel",
    async (byMs) => {
      const rig = openWith([]);
      rig.clock.stepWall(byMs);
      rig.deps.exchange.nowMs = () => START_MS + rig.clock.elapsedMs();
      const body = { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 };
      await rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "off-clock-twap", body });
      rig.answers.set("twapHistory", () => []);
      const [row] = (await list(rig)).data;
      expect(row).toMatchObject({ exchange_id: "7", created_at: new Date(START_MS).toISOString(), ended_at: null });
      rig.answers.set("twapHistory", () => [record({ twapId: 7, timeS: START_MS / 1_000, status: "activated" })]);
      await rig.clock.advance(20_000);
      const canceled = await rig.ask({
        path: "/v1/twaps/cancel",
        apiKey: KEYS.both,
        idempotencyKey: "off-clock-cancel",
        body: { market: "BTC", twap_id: 7 },
      });
      expect((await canceled.json()) as object).toMatchObject({ status: "succeeded" });
      const [ended] = (await list(rig)).data;
      expect(ended).toMatchObject({ exchange_id: "7", ended_at: new Date(START_MS + 20_000).toISOString() });
    },
  );

  test("goes on below the cursor, and shows nothing of another account", async () => {
    const rig = openWith([3, 1, 2].map((twapId) => ({ twapId, timeS: T, status: "finished" })));
    const first = await list(rig, "?limit=2");
    expect([first.data.map((twap) => twap["exchange_id"]), first.has_more]).toEqual([["3", "2"], true]);
    const second = await list(rig, `?limit=2&cursor=${first.next_cursor}`);
    expect([second.data.map((twap) => twap["exchange_id"]), second.has_more]).toEqual([["1"], false]);
    expect((await list(rig, "", KEYS.other)).data).toEqual([]);
  });

  test.each([
    ["?cursor=abc", 400],
    ["?cursor=123456789012345678901", 400],
    ["?limit=0", 400],
    ["?status=on", 400],
  ])("%s is refused", async (query, status) => {
    expect((await openWith([]).ask({ path: `/v1/twaps${query}`, apiKey: KEYS.both })).status).toBe(status);
  });

  test("is 503 when the exchange cannot be asked", async () => {
    const response = await openRig().ask({ path: "/v1/twaps", apiKey: KEYS.both });
    expect([response.status, (await response.json()) as object]).toMatchObject([
      503,
      { error: { code: "exchange_unreachable" } },
    ]);
  });
});
