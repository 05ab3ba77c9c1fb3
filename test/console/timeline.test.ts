import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { ApiFill, ApiOperation, ApiOrder } from "../../src/console/api/resources.ts";
import {
  auditEntry,
  type Filter,
  fillEntry,
  type HistoryEntry,
  matches,
  merged,
  NO_FILTER,
  operationEntry,
  orderEntry,
} from "../../src/core/history.ts";

import { answering, asked, forget, openStage } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Shown = { entries: HistoryEntry[]; hasMore: boolean };
type Steps = {
  timelineOf: (state: object) => Shown;
  newTimeline: () => {
    orders: object;
    operations: object;
    funding: object;
    transfers: object;
    filter: { bot: string };
    placedBy: Map<string, string>;
  };
  changeFilter: (app: object, change: object) => Promise<void>;
  takeOperation: (app: object, resource: object) => void;
};
const modules = ["state/timeline.ts", "state/timeline-lists.ts", "state/apply.ts"].map(
  (path) => import(join(CONSOLE, path)),
);
// Their own types are a browser's; each name is exported by one of them.
const { timelineOf, newTimeline, changeFilter, takeOperation } = Object.assign(
  {},
  ...(await Promise.all(modules)),
) as Steps;

afterEach(forget);

const ORDER = {
  id: "o1",
  created_at: "2026-03-02T10:00:00.000Z",
  market: "BTC",
  side: "buy",
  size: "0.5",
  price: "60000",
  time_in_force: "gtc",
  reduce_only: true,
  trigger: { kind: "stop_loss", price: "61000", market: true },
  status: "rejected",
  error: '=HYPERLINK("http://x","no")',
} as ApiOrder;
const FILL = {
  id: "f1",
  created_at: "2026-03-03T23:59:59.999Z",
  market: "HYPE",
  side: "sell",
  size: "2",
  price: "40.5",
  liquidity: "taker",
  liquidation: false,
  direction: "Close Long",
  key_hash: "aa",
  order_id: "o2",
  fee: "-0.01",
  fee_token: "USDC",
  realized_pnl: "-3.5",
} as ApiFill;
const OPERATION = {
  id: "019cb000-0000-7000-8000-000000000000",
  action: "leverage",
  status: "succeeded",
  error: null,
  exchange_id: null,
} as ApiOperation;

const [order, fill, operation] = [orderEntry(ORDER, null), fillEntry(FILL), operationEntry(OPERATION)];

function botOf(keyHash: string | null): string {
  return keyHash === "aa" ? "grid-1" : "";
}

test("the lists are merged newest first, whatever each of them holds", () => {
  const at = (time: string): HistoryEntry => ({ ...order, id: time, at: time });
  const ids = merged([[at("5"), at("3"), at("1")], [], [at("9"), at("4"), at("4x")]]).map(({ id }) => id);
  expect(ids).toEqual(["9", "5", "4", "4x", "3", "1"]);
  expect(operation.at).toBe(new Date(0x019cb0000000).toISOString());
});

const ROWS: [what: string, Partial<Filter>, ids: string[]][] = [
  ["nothing asked for", {}, ["f1", "o1"]],
  ["from a day on", { from: "2026-03-03" }, ["f1"]],
  ["a day is whole", { to: "2026-03-03" }, ["f1", "o1"]],
  ["up to a day", { to: "2026-03-02" }, ["o1"]],
  ["a kind", { kind: "fill" }, ["f1"]],
  ["a market", { market: "BTC" }, ["o1"]],
  ["a status", { status: "rejected" }, ["o1"]],
  ["a bot", { bot: "grid-1" }, ["f1"]],
  ["words of the exchange, in any case", { text: "hyperLINK" }, ["o1"]],
  ["the order of a fill", { text: "o2" }, ["f1"]],
  ["all of them at once", { text: "close", bot: "grid-1", status: "taker", from: "2026-03-03" }, ["f1"]],
  ["none", { market: "BTC", kind: "fill" }, []],
];

test.each(ROWS)("a filter: %s", (_what, filter, ids) => {
  const found = merged([[order], [fill]]).filter((entry) => matches(entry, { ...NO_FILTER, ...filter }, botOf));
  expect(found.map(({ id }) => id)).toEqual(ids);
});

test("a row of the audit log says who did what to whom", () => {
  const facts = [
    { name: "account", value: "a1" },
    { name: "market", value: "ETH" },
    { name: "max_order", value: "500 USD" },
  ];
  const entry = { id: "1-2", created_at: ORDER.created_at, actor: "owner", key_hash: null, order_id: null, facts };
  expect(auditEntry({ ...entry, event: "rails_narrowed", reference: "grid-1" })).toMatchObject({
    kind: "audit",
    market: "ETH",
    status: "rails narrowed",
    words: "owner: grid-1, max order 500 USD",
  });
});

test("nothing is shown that is older than a list of which more is to be read, and all of it once that is whole", () => {
  const book = { rows: [{ fill: { ...FILL, created_at: "2020-01-01T00:00:00.000Z" } }], version: 1, isCut: false };
  const orders = Array.from({ length: 200 }, (_, nth) => ({ ...ORDER, id: `o${nth}` }));
  const timeline = newTimeline();
  const state = { history: { value: orders }, operations: { value: [OPERATION] }, fills: book, timeline };
  const before = timelineOf(state);
  expect([before.hasMore, before.entries.length, before.entries.some(({ kind }) => kind === "fill")]).toEqual([
    true,
    201,
    false,
  ]);
  // The page that was read by hand has what events keep once more.
  timeline.orders = {
    rows: [...orders.slice(150), { ...ORDER, id: "old", created_at: FILL.created_at }],
    cursor: null,
    oldest: FILL.created_at,
  };
  const none = { rows: [], cursor: null, oldest: "" };
  Object.assign(timeline, { funding: none, transfers: none, audit: none });
  const after = timelineOf(state);
  expect([after.hasMore, after.entries.length, after.entries.at(-1)?.kind]).toEqual([false, 203, "fill"]);
});

test("an operation says market and value as the list tells them, and an event takes nothing of that away", () => {
  const listed = {
    ...OPERATION,
    object: "operation",
    market: "ETH",
    leverage: 5,
    margin_type: "isolated",
    key_hash: "aa",
  };
  const { app } = openStage();
  Object.assign(app.state, { operations: { value: [listed] } });
  takeOperation(app, { ...OPERATION, object: "operation", status: "unknown" });
  const { value } = app.state["operations"] as { value: [ApiOperation] };
  expect(operationEntry(value[0])).toMatchObject({
    market: "ETH",
    words: "leverage 5× isolated",
    keyHash: "aa",
    status: "unknown",
  });
  expect(operation).toMatchObject({ market: "", words: "leverage" });
});

test("days, market and bot are asked of the gateway, and whose orders are is known by that", async () => {
  const { app } = openStage();
  const keys = { value: [{ key_hash: "aa", limits: { bot: "grid-1" } }] };
  Object.assign(app.state, {
    keys,
    session: { apiKey: "k", me: {} },
    operations: { value: [] },
    history: { value: [] },
  });
  const query = "since=2026-03-01&until=2026-03-04&market=BTC&bot=grid-1&limit=500";
  answering({
    [`/v1/orders?${query}`]: { data: [{ ...ORDER, id: "o1" }], next_cursor: "c" },
    [`/v1/orders?${query}&cursor=c`]: { data: [], next_cursor: null },
    [`/v1/fills?${query}`]: { data: [], next_cursor: null },
    [`/v1/operations?${query}`]: { data: [], next_cursor: null },
    [`/v1/audit?${query}`]: { data: [], next_cursor: null },
  });
  await changeFilter(app, { from: "2026-03-01", to: "2026-03-03", market: "BTC", bot: "grid-1" });
  expect(asked).toHaveLength(5);
  expect(timelineOf(app.state)).toMatchObject({ hasMore: false, entries: [{ id: "o1", keyHash: "aa" }] });
});
