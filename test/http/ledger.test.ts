/** Funding and transfers: read to their end page by page, kept, listed, and honest about what is missing. */
import { expect, test } from "bun:test";
import { keepLedgers, LEDGER_PAGE_ROWS, readLedger } from "../../src/settle/ledger/index-ledger.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Row = Record<string, unknown> & { time: number };
type Listed = { data: Record<string, unknown>[] } & Record<
  "complete_from" | "complete_to" | "next_cursor",
  string | null
>;

const HASH = `0x${"00".repeat(32)}`;

function payment(time: number, coin = "BTC", usdc = "-0.25"): Row {
  return {
    time,
    hash: HASH,
    delta: { type: "funding", coin, usdc, szi: "1.5", fundingRate: "0.0000125", nSamples: null },
  };
}

/** Oldest first and cut at its end, as the exchange answers. */
function tell(rig: Rig, type: string, rows: readonly Row[], asked: number[] = []): void {
  rig.answers.set(type, ({ startTime }) => {
    asked.push(Number(startTime));
    return rows.filter(({ time }) => time >= Number(startTime)).slice(0, LEDGER_PAGE_ROWS);
  });
}

async function read(rig: Rig, list: "funding" | "transfers"): Promise<boolean> {
  const account = findAccount(rig.deps.store, ACCOUNTS.main);
  if (account === null) throw new Error("no account");
  return readLedger(rig.deps, account, { list, isStopped: () => false });
}

async function listed(rig: Rig, path: string, apiKey: string = KEYS.both): Promise<Listed> {
  const response = await rig.ask({ path, apiKey });
  expect([path, response.status]).toEqual([path, 200]);
  // The status says that it is a list.
  return (await response.json()) as Listed;
}

async function walked(rig: Rig, path: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  let cursor = "";
  for (;;) {
    const { data, next_cursor } = await listed(rig, `${path}${cursor}`);
    ids.push(...data.map(({ id }) => id));
    if (next_cursor === null) return ids;
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
}

/** No server of the exchange is further behind, and our idea of its time no further off, milliseconds. */
const SHOWN_WITHIN_MS = 160_000;

function minutes(count: number): Row[] {
  const firstMs = START_MS - count * 60_000 + 31;
  return Array.from({ length: count }, (_, nth) => payment(firstMs + nth * 60_000, nth % 3 === 0 ? "ETH" : "BTC"));
}

test("payments of many pages are read over several rounds, each once, and listed newest first", async () => {
  const rig = openRig();
  const rows = minutes(2_600);
  tell(rig, "userFunding", rows);
  expect(await read(rig, "funding")).toBe(false);
  expect((await listed(rig, "/v1/funding?limit=1")).complete_to).toBeNull();
  expect(await read(rig, "funding")).toBe(true);
  expect(await read(rig, "funding")).toBe(true);
  const all = rows.map(({ time, delta }) => `${time}-${(delta as { coin: string }).coin}`).toReversed();
  expect(await walked(rig, "/v1/funding?limit=500")).toEqual(all);
  expect(await walked(rig, "/v1/funding?limit=400&market=ETH")).toEqual(all.filter((id) => id.endsWith("ETH")));
  const since = new Date(rows[2_000]?.time ?? 0).toISOString();
  expect(await walked(rig, `/v1/funding?limit=500&since=${since}`)).toEqual(all.slice(0, 600));
  const { complete_from, complete_to, data } = await listed(rig, "/v1/funding?limit=1");
  expect([complete_from, complete_to]).toEqual([
    new Date(START_MS - 30 * 24 * 3_600_000).toISOString(),
    new Date(START_MS - SHOWN_WITHIN_MS).toISOString(),
  ]);
  expect(data[0]).toMatchObject({ market: "BTC", amount: "-0.25", position: "1.5", funding_rate: "0.0000125" });
  expect((await listed(rig, "/v1/funding", KEYS.other)).data).toEqual([]);
});

test("a moment with more payments than a page has is passed, and the list says from when on it is whole", async () => {
  const rig = openRig();
  const crowd = Array.from({ length: LEDGER_PAGE_ROWS + 3 }, (_, nth) => payment(START_MS - 5_000, `C${nth}`));
  tell(rig, "userFunding", [payment(START_MS - 9_000), ...crowd, payment(START_MS - 1_000)]);
  expect(await read(rig, "funding")).toBe(true);
  const { data, complete_from } = await listed(rig, "/v1/funding?limit=1");
  expect(data[0]).toMatchObject({ id: `${START_MS - 1_000}-BTC` });
  expect(complete_from).toBe(new Date(START_MS - 4_999).toISOString());
});

test("what is read again begins before the newest that is known, and what has another shape is not taken", async () => {
  const rig = openRig();
  const asked: number[] = [];
  tell(rig, "userFunding", [payment(START_MS - 100_000)], asked);
  await read(rig, "funding");
  await read(rig, "funding");
  expect(asked).toEqual([START_MS - 30 * 24 * 3_600_000, START_MS - 100_000 - SHOWN_WITHIN_MS]);
  rig.answers.set("userFunding", () => [{ time: START_MS, hash: HASH, delta: { type: "funding" } }]);
  expect(await read(rig, "funding")).toBe(false);
  expect((await listed(rig, "/v1/funding")).data).toHaveLength(1);
});

const ME = `0x${ACCOUNTS.main.replaceAll("-", "")}00000000`;
const OTHER = `0x${"ab".repeat(20)}`;

const TOKEN = { token: "USDC", amount: "5.0", usdcValue: "5.0", fee: "1.0", nativeTokenFee: "0.0", feeToken: "" };

test.each<[string, Record<string, unknown>, string | null, string]>([
  ["a deposit", { type: "deposit", usdc: "97.142685" }, "97.142685", "deposit"],
  ["a withdrawal, with its fee", { type: "withdraw", usdc: "9.0", nonce: 1, fee: "1.0" }, "-10", "withdraw"],
  [
    "from perpetuals to spot",
    { type: "accountClassTransfer", usdc: "5", toPerp: false },
    "0",
    "account_class_transfer",
  ],
  ["sent", { type: "internalTransfer", usdc: "5", user: ME, destination: OTHER, fee: "1" }, "-6", "internal_transfer"],
  [
    "received",
    { type: "internalTransfer", usdc: "5", user: OTHER, destination: ME, fee: "1" },
    "5",
    "internal_transfer",
  ],
  [
    "to a subaccount",
    { type: "subAccountTransfer", usdc: "5", user: ME, destination: OTHER },
    "-5",
    "sub_account_transfer",
  ],
  [
    "between own dexes",
    { type: "send", user: ME, destination: ME, sourceDex: "", destinationDex: "xyz", ...TOKEN },
    "-1",
    "send",
  ],
  [
    "a token sent",
    { type: "spotTransfer", user: ME.toUpperCase().replace("X", "x"), destination: OTHER, ...TOKEN },
    "-6",
    "spot_transfer",
  ],
  [
    "a token without a price",
    { type: "spotTransfer", user: OTHER, destination: ME, ...TOKEN, usdcValue: "0.0" },
    null,
    "spot_transfer",
  ],
  [
    "from a vault",
    { type: "vaultWithdraw", vault: OTHER, user: ME, requestedUsd: "9", netWithdrawnUsd: "8.5" },
    "8.5",
    "vault_withdraw",
  ],
  [
    "a liquidation, which fills tell",
    { type: "liquidation", liquidatedNtlPos: "1", accountValue: "1" },
    "0",
    "liquidation",
  ],
  ["a kind that is new", { type: "airDrop", amount: { odd: true } }, null, "air_drop"],
  ["a kind in a new shape", { type: "deposit", usdc: {} }, null, "deposit"],
])("a transfer is told with what it was worth: %s", async (_what, delta, value, type) => {
  const rig = openRig();
  tell(rig, "userNonFundingLedgerUpdates", [{ time: START_MS - 1, hash: HASH, delta }]);
  expect(await read(rig, "transfers")).toBe(true);
  const { data, complete_from } = await listed(rig, "/v1/transfers");
  expect(data).toMatchObject([{ id: `${START_MS - 1}-${HASH}`, type, value }]);
  expect(complete_from).toBe("1970-01-01T00:00:00.000Z");
});

test("several transfers of one transaction stay apart, also where a page ends between them", async () => {
  const rig = openRig();
  const rows = Array.from({ length: LEDGER_PAGE_ROWS + 1 }, (_, nth) => ({
    time: START_MS - 10_000 + Math.min(nth, LEDGER_PAGE_ROWS - 1),
    hash: nth >= LEDGER_PAGE_ROWS - 1 ? `0x${"11".repeat(32)}` : HASH,
    delta: { type: "deposit", usdc: String(nth) },
  }));
  tell(rig, "userNonFundingLedgerUpdates", rows);
  expect(await read(rig, "transfers")).toBe(true);
  expect(await read(rig, "transfers")).toBe(true);
  expect(await walked(rig, "/v1/transfers?limit=100")).toHaveLength(rows.length);
});

test("a transfer that a server shows out of turn is missing from nothing that is said to be whole", async () => {
  const rig = openRig();
  const at = (agoMs: number): Row => ({ time: START_MS - agoMs, hash: HASH, delta: { type: "deposit", usdc: "5" } });
  const [late, newer] = [at(150_000), at(10_000)];
  tell(rig, "userNonFundingLedgerUpdates", [newer]);
  await read(rig, "transfers");
  tell(rig, "userNonFundingLedgerUpdates", [late, newer]);
  await rig.clock.advance(SHOWN_WITHIN_MS);
  await read(rig, "transfers");
  const { data, complete_to } = await listed(rig, "/v1/transfers");
  expect([data.length, Date.parse(complete_to ?? "") >= late.time]).toEqual([2, true]);
});

test("a full page whose rows come in another order loses none of them", async () => {
  const rig = openRig();
  const rows = Array.from({ length: LEDGER_PAGE_ROWS + 20 }, (_, nth) => ({
    time: START_MS - 3_600_000 + nth * 1_000,
    hash: HASH,
    delta: { type: "deposit", usdc: String(nth) },
  }));
  rig.answers.set("userNonFundingLedgerUpdates", ({ startTime }) =>
    rows
      .filter(({ time }) => time >= Number(startTime))
      .slice(0, LEDGER_PAGE_ROWS)
      .toReversed(),
  );
  expect(await read(rig, "transfers")).toBe(true);
  expect(await walked(rig, "/v1/transfers?limit=100")).toHaveLength(rows.length);
});

test("who holds nothing is asked for rarely, who holds something once an hour, and two accounts a round", async () => {
  const rig = openRig();
  const asked = { funding: [] as number[], transfers: [] as number[] };
  tell(rig, "userFunding", [], asked.funding);
  tell(rig, "userNonFundingLedgerUpdates", [], asked.transfers);
  const round = () => keepLedgers(rig.deps, () => false);
  await round();
  expect([asked.funding.length, asked.transfers.length]).toEqual([2, 2]);
  await round();
  await round();
  expect([asked.funding.length, asked.transfers.length]).toEqual([4, 4]);
  // Nobody tells whether anything is held: 10:01 is due, and then 11:01.
  const soon = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await rig.clock.advance(60_000);
      await round();
    }
    return asked.funding.splice(0).length;
  };
  await soon(0);
  expect(await soon(60)).toBe(4);
  for (const dex of ["", "xyz"]) {
    for (const { tradingAddress } of rig.deps.store.$client
      .query<{ tradingAddress: string }, []>("select trading_address as tradingAddress from accounts")
      .all()) {
      const margin = { accountValue: "0", totalMarginUsed: "0", totalNtlPos: "0", totalRawUsd: "0" };
      const value = { positions: [], marginSummary: margin, withdrawable: "0", timeMs: rig.clock.nowMs() };
      rig.deps.picture.take(tradingAddress, { part: "state", dex, value } as never, {
        timeMs: rig.clock.nowMs(),
        askedAtMs: rig.clock.nowMs(),
      });
    }
  }
  expect(await soon(5 * 60)).toBe(0);
  expect(await soon(2 * 60)).toBe(4);
});

test("what was read by a clock that was hours ahead is read again once it is right, and is told to be whole up to then", async () => {
  const rig = openRig();
  tell(rig, "userFunding", [payment(START_MS - 60_000)]);
  tell(rig, "userNonFundingLedgerUpdates", []);
  const { exchange } = rig.deps;
  const { nowMs } = exchange;
  exchange.nowMs = () => nowMs() + 5 * 3_600_000;
  await read(rig, "funding");
  exchange.nowMs = nowMs;
  await keepLedgers(rig.deps, () => false);
  expect((await listed(rig, "/v1/funding?limit=1")).complete_to).toBe(
    new Date(rig.clock.nowMs() - SHOWN_WITHIN_MS).toISOString(),
  );
});

test("what was read by a clock that was ahead is said to be whole to nothing while it is not read again", async () => {
  const rig = openRig();
  tell(rig, "userFunding", [payment(START_MS - 60_000)]);
  const { exchange } = rig.deps;
  const { nowMs } = exchange;
  exchange.nowMs = () => nowMs() + 5 * 3_600_000;
  await read(rig, "funding");
  exchange.nowMs = nowMs;
  const { complete_from, complete_to, data } = await listed(rig, "/v1/funding");
  expect([complete_from, complete_to, data.length]).toEqual([null, null, 1]);
});

test("a payment that is shown 150 s after its hour is missing from nothing that is said to be whole", async () => {
  const rig = openRig();
  const hourMs = Math.ceil(START_MS / 3_600_000) * 3_600_000;
  const rows = [payment(hourMs + 41)];
  rig.answers.set("userFunding", () => (rig.clock.nowMs() >= hourMs + 150_000 ? rows : []));
  tell(rig, "userNonFundingLedgerUpdates", []);
  await rig.clock.advance(hourMs - START_MS);
  const wrong: string[] = [];
  let shownAfterMs: number | null = null;
  for (let second = 0; second < 400; second += 20) {
    await keepLedgers(rig.deps, () => false);
    const { complete_to, data } = await listed(rig, "/v1/funding");
    if (Date.parse(complete_to ?? "") >= hourMs + 41 && data.length === 0) wrong.push(`${second} s: ${complete_to}`);
    if (data.length === 1) shownAfterMs ??= rig.clock.nowMs() - hourMs;
    await rig.clock.advance(20_000);
  }
  expect(wrong).toEqual([]);
  expect(shownAfterMs).toBe(160_000);
});

test.each(["cursor=x", "cursor=1795253400125", "key_hash=aa", "bot=grid-1"])(
  "a list asked with %s is refused",
  async (query) => {
    const rig = openRig();
    for (const path of ["/v1/funding", "/v1/transfers"]) {
      expect((await rig.ask({ path: `${path}?${query}`, apiKey: KEYS.both })).status).toBe(400);
    }
  },
);
