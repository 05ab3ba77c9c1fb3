/** A record of which nobody holds all: read as it is scrolled to, whole and in order, in memory that does not grow. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { HistoryEntry } from "../../src/core/history.ts";
import { forget, openStage } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Held = { rows: { id: string }[] };
type State = { timeline: { putAway: number; failure: string | null; orders: Held; fills: Held; operations: Held } };
type Steps = {
  timelineOf: (state: object) => { entries: HistoryEntry[]; hasMore: boolean };
  readOlder: (app: object) => Promise<void>;
  readNewest: (app: object) => void;
  changeFilter: (app: object, change: object) => Promise<void>;
  filePath: (state: object, format: string) => string;
};
const modules = ["state/timeline.ts", "state/history-file.ts"].map((path) => import(join(CONSOLE, path)));
// Their own types are a browser's; each name is exported by one of them.
const { timelineOf, readOlder, readNewest, changeFilter, filePath } = Object.assign(
  {},
  ...(await Promise.all(modules)),
) as Steps;

afterEach(forget);

const NEWEST_MS = Date.UTC(2_026, 2, 1);
const ORDERS = 30_000;
const FILLS = 20_000;

function at(ms: number): string {
  return new Date(NEWEST_MS - ms).toISOString();
}

/** Three seconds apart; every thousandth was rejected. */
function order(nth: number) {
  const status = nth % 1_000 === 0 ? "rejected" : "filled";
  const terms = { market: "BTC", side: "buy", size: "1", price: "5", time_in_force: "gtc", reduce_only: false };
  return { id: `o${nth}`, created_at: at(nth * 3_000), status, error: null, ...terms };
}

/** Five seconds apart. */
function fill(nth: number) {
  const terms = { market: "BTC", side: "buy", size: "1", price: "5", liquidity: "taker", liquidation: false };
  const money = { fee: "0", fee_token: "USDC", realized_pnl: "0", direction: "Open Long", key_hash: null };
  return { id: `f${nth}`, created_at: at(nth * 5_000 + 1), order_id: null, ...terms, ...money };
}

/** An hour apart. */
function payment(nth: number) {
  const terms = { market: "BTC", amount: "-0.5", position: "1", funding_rate: "0.0001" };
  return { id: `p${nth}`, created_at: at(nth * 3_600_000 + 2), ...terms };
}

/** As the gateway pages: newest first, behind a cursor or before a time. */
function gateway(asked: string[] = []): typeof fetch {
  const lists: Record<string, { id: string; created_at: string }[]> = {
    "/v1/orders": Array.from({ length: ORDERS }, (_, nth) => order(nth)),
    "/v1/fills": Array.from({ length: FILLS }, (_, nth) => fill(nth)),
    "/v1/operations": [],
    "/v1/funding": Array.from({ length: 40 }, (_, nth) => payment(nth)),
    "/v1/transfers": [],
    "/v1/audit": [],
  };
  const answer = async (path: string) => {
    asked.push(path);
    const { pathname, searchParams: query } = new URL(path, "http://localhost");
    const rows = lists[pathname] ?? [];
    const [cursor, until] = [query.get("cursor"), query.get("until")];
    const after = cursor === null ? rows.findIndex((row) => until === null || row.created_at < until) : Number(cursor);
    const from = after === -1 ? rows.length : after;
    const end = from + Number(query.get("limit"));
    return Response.json({ data: rows.slice(from, end), next_cursor: end < rows.length ? String(end) : null });
  };
  // The page asks with a path and options, and nothing else.
  return answer as unknown as typeof fetch;
}

function opened(asked?: string[]) {
  const { app } = openStage();
  globalThis.fetch = gateway(asked);
  const kept = { history: { value: Array.from({ length: 200 }, (_, nth) => order(nth)) }, operations: { value: [] } };
  Object.assign(app.state, { session: { apiKey: "k", me: {} }, keys: { value: [] }, ...kept });
  const fills = app.state["fills"] as { isCut: boolean; rows: { fill: object }[]; version: number };
  Object.assign(fills, {
    isCut: true,
    rows: Array.from({ length: 500 }, (_, nth) => ({ fill: fill(nth) })),
    version: 1,
  });
  // The whole of it is one type of the page's own.
  return { app, state: app.state as unknown as State };
}

test("fifty thousand rows are read whole and in order, and no more than seven thousand are ever held", async () => {
  const { app, state } = opened();
  const seen = new Map<string, number>();
  let most = 0;
  for (let wish = 0; timelineOf(state).hasMore && wish < 1_000; wish += 1) {
    await readOlder(app);
    expect(state.timeline.failure).toBeNull();
    const { entries } = timelineOf(state);
    expect(entries.every((entry, index) => index === 0 || entry.at <= (entries[index - 1]?.at ?? ""))).toBe(true);
    // Where a row stands does not change when others are put away.
    const places = entries.map(({ id }, index) => [id, state.timeline.putAway + index] as const);
    expect(places.filter(([id, place]) => (seen.get(id) ?? place) !== place)).toEqual([]);
    for (const [id, place] of places) seen.set(id, place);
    const { orders, fills, operations } = state.timeline;
    most = Math.max(most, orders.rows.length + fills.rows.length + operations.rows.length);
  }
  expect(seen.size).toBe(ORDERS + FILLS + 40);
  expect(most).toBeLessThan(7_000);
  expect(state.timeline.putAway).toBeGreaterThan(30_000);
  readNewest(app);
  expect([state.timeline.putAway, timelineOf(state).entries[0]?.id]).toEqual([0, "o0"]);
});

test("the few rows that fit a status are found among the many, and another status begins anew", async () => {
  const { app, state } = opened();
  await changeFilter(app, { status: "rejected" });
  for (let wish = 0; timelineOf(state).hasMore && wish < 1_000; wish += 1) await readOlder(app);
  const found = timelineOf(state).entries.filter(({ status }) => status === "rejected");
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, nth) => `o${nth * 1_000}`));
  await changeFilter(app, { status: "" });
  expect([state.timeline.orders.rows, timelineOf(state).hasMore]).toEqual([[], true]);
});

test("a list that nobody wants to see is not read", async () => {
  const asked: string[] = [];
  const { app } = opened(asked);
  await changeFilter(app, { kind: "fill" });
  await readOlder(app);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.every((path) => path.startsWith("/v1/fills?"))).toBe(true);
});

test("a file is asked for by all that is filtered, and made by the gateway", () => {
  const { app } = opened();
  const filter = { from: "2026-03-01", to: "2026-03-01", kind: "fill", market: "BTC", status: "maker", text: "a b" };
  const state = { ...app.state, timeline: { filter: { bot: "", ...filter } } };
  expect(filePath(state, "csv")).toBe(
    "/v1/exports/history.csv?since=2026-03-01&until=2026-03-02&market=BTC&kind=fill&status=maker&text=a+b",
  );
});
