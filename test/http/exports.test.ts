/** The record as files: what the lists show under the same filters, whole, or visibly not. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { NO_FIGURES, NOBODY } from "../../src/core/performance.ts";
import { openStreams } from "../../src/http/open-streams.ts";
import { revokeApiKey } from "../../src/store/api-keys.ts";
import { insertEquitySample } from "../../src/store/equity.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { addToLines } from "../../src/store/performance.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { testRequest } from "../support/request.ts";
import { orderRow } from "../support/rows.ts";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

type Row = Record<string, unknown>;

const HASH = keyHash(KEYS.both);
const START_MS = Date.parse("2026-11-01T00:00:00Z");

/** Newest last, a second apart; each seventh in another market, each of another account between them. */
function withOrders(count: number): Rig {
  const rig = openRig();
  for (let nth = 0; nth < count; nth += 1) {
    const id = `0190a0b0-0000-7007-8000-${String(nth).padStart(12, "0")}`;
    const market = nth % 7 === 0 ? "@107" : "BTC";
    const names = { id, market, keyHash: HASH, idempotencyKey: `key-of-${nth}`, createdAtMs: START_MS + nth * 1_000 };
    insertOrder(rig.deps.store, orderRow({ ...names, accountId: ACCOUNTS.main, status: "filled" }));
  }
  insertOrder(rig.deps.store, orderRow({ id: "of-another", accountId: ACCOUNTS.other, createdAtMs: START_MS }));
  return rig;
}

async function fileOf(rig: Rig, path: string): Promise<{ type: string | null; text: string }> {
  const response = await rig.ask({ path: `/v1/exports/${path}`, apiKey: KEYS.both });
  expect([path, response.status]).toEqual([path, 200]);
  return { type: response.headers.get("content-type"), text: await response.text() };
}

function linesOf(text: string): Row[] {
  // Each line was written as an object.
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
}

async function listed(rig: Rig, query: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await rig.ask({ path: `/v1/orders?limit=500${query}${more}`, apiKey: KEYS.both });
    // A list, as its route says.
    const { data, next_cursor: next } = (await page.json()) as { data: Row[]; next_cursor: string | null };
    rows.push(...data);
    cursor = next;
  }
  return rows;
}

test("a file has every row of the list under the same filters, over as many pages as it takes", async () => {
  const rig = withOrders(1_203);
  for (const query of ["", "&market=BTC", "&market=@107", "&since=2026-11-01T00:03:00Z&until=2026-11-01T00:18:20Z"]) {
    const rows = await listed(rig, query);
    const { type, text } = await fileOf(rig, `orders.jsonl?status=filled${query}`);
    expect(type).toBe("application/jsonl");
    expect(linesOf(text)).toMatchObject(rows.map(({ object: _, network: __, ...row }) => row));
    expect(rows.length).toBeGreaterThan(100);
  }
});

test("CSV names its columns, has the same rows, and nothing in it is a formula", async () => {
  const rig = withOrders(8);
  const { type, text } = await fileOf(rig, "orders.csv");
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  expect(type).toContain("text/csv");
  const rows = linesOf((await fileOf(rig, "orders.jsonl")).text);
  expect(head.split(",")).toEqual(Object.keys(rows[0] ?? {}));
  expect(lines.map((line) => line.split(",")[0])).toEqual(rows.map(({ id }) => String(id)));
  expect(lines.filter((line) => line.includes(",'@107,"))).toHaveLength(2);
  expect(text).not.toContain(",@107");
});

test("equity and performance are files of what their routes answer, over as many pages as it takes", async () => {
  const rig = openRig();
  const { store } = rig.deps;
  for (let nth = 0; nth < 150; nth += 1) {
    const equity = decimal(String(1_000 + nth));
    const unpriced = nth === 70 ? "HYPE,xyz:TSLA" : "";
    insertEquitySample(store, { accountId: ACCOUNTS.main, atMs: START_MS + nth * 3_600_000, equity, unpriced });
  }
  const lines = Array.from({ length: 200 }, (_, nth) => ({
    day: 20_000 + Math.floor(nth / 4),
    market: nth % 2 === 0 ? "BTC" : "ETH",
    keyHash: nth % 4 < 2 ? HASH : NOBODY,
    ...NO_FIGURES,
    fills: nth + 1,
  }));
  addToLines(store, ACCOUNTS.main, lines);
  const told = async (path: string): Promise<Row[]> => {
    const answer = await rig.ask({ path, apiKey: KEYS.both });
    // A list of rows, as its route says.
    return ((await answer.json()) as { data: Row[] }).data;
  };
  const equity = await told("/v1/equity?limit=500&resolution=1h");
  expect(equity).toHaveLength(149);
  expect(linesOf((await fileOf(rig, "equity.jsonl")).text)).toEqual(
    equity.map(({ object: _, network: __, unpriced, ...row }) => ({
      ...row,
      unpriced: (unpriced as string[]).join(" "),
    })),
  );
  expect(linesOf((await fileOf(rig, "equity.jsonl?resolution=1d")).text).length).toBeLessThan(9);
  for (const narrowed of ["", "&market=ETH", `&key_hash=${HASH}`, "&since=2024-10-10&until=2024-10-15"]) {
    const performance = await told(`/v1/performance?group_by=day,market,key${narrowed}`);
    expect(
      linesOf((await fileOf(rig, `performance.jsonl?x${narrowed}`.replace("?x&", "?").replace("?x", ""))).text),
    ).toEqual(performance.map((row) => ({ account: ACCOUNTS.main, ...row })));
    expect(performance.length).toBeGreaterThan(9);
  }
  expect((await fileOf(rig, "performance.csv")).text.trimEnd().split("\r\n")).toHaveLength(201);
});

test("an account's files are its own", async () => {
  const rig = withOrders(3);
  for (const path of ["orders.csv", "orders.jsonl"]) {
    const response = await rig.ask({ path: `/v1/exports/${path}`, apiKey: KEYS.other });
    expect(await response.text()).not.toContain(ACCOUNTS.main);
  }
});

test.each(["fills.csv", "fills.jsonl", "operations.csv", "operations.jsonl", "equity.csv", "performance.csv"])(
  "%s of nothing is empty",
  async (path) => {
    const { text } = await fileOf(openRig(), path);
    expect(text.split("\r\n").slice(1).join("")).toBe("");
  },
);

test("a file whose key is withdrawn meanwhile is broken off, and does not end", async () => {
  const rig = withOrders(1_203);
  const request = testRequest({ path: "/v1/exports/orders.csv", apiKey: KEYS.both });
  const response = await rig.server.handle(request, "10.0.0.1");
  const reader = response.body?.getReader();
  for (let part = 0; part < 2; part += 1) expect((await reader?.read())?.done).toBeFalse();
  const revocation = {
    accountId: ACCOUNTS.main,
    keyHash: HASH,
    revokedAtMs: START_MS,
    audience: null,
    signature: null,
  };
  revokeApiKey(rig.deps.store, revocation);
  await expect(reader?.read()).rejects.toThrow();
});

test("a file whose reader takes nothing for half a minute is broken off, and does not end", async () => {
  const rig = withOrders(1_203);
  const request = testRequest({ path: "/v1/exports/orders.csv", apiKey: KEYS.both });
  const reader = (await rig.server.handle(request, "10.0.0.1")).body?.getReader();
  expect((await reader?.read())?.done).toBeFalse();
  for (let s = 0; s < 40; s += 5) await rig.clock.advance(5_000);
  await expect(reader?.read()).rejects.toThrow();
});

test("a file that has nothing to tell for long has no line that is none of its rows", async () => {
  const { deps, clock } = openRig();
  let isOver = false;
  let wakeUp = (): void => undefined;
  const listen = (wake: () => void) => {
    wakeUp = wake;
    return () => undefined;
  };
  const next = () => (isOver ? null : "");
  const body = openStreams(deps).open("k", () => ({ greeting: "a,b\r\n", isWhole: true, next, listen }));
  const text = new Response(body).text();
  for (let s = 0; s < 25; s += 5) await clock.advance(5_000);
  isOver = true;
  wakeUp();
  expect(await text).toBe("a,b\r\n");
});

test.each([
  "equity.csv?resolution=2h",
  "equity.csv?market=BTC",
  "orders.csv?dex=",
  "orders.csv?cursor=x",
  "fills.csv?status=open",
  "orders.jsonl?since=x",
])("%s is refused", async (path) => {
  expect((await openRig().ask({ path: `/v1/exports/${path}`, apiKey: KEYS.both })).status).toBe(400);
});
