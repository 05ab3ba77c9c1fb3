/** What each write route hands on: the action that leaves for the exchange. */
import { expect, test } from "bun:test";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

function post(rig: Rig, path: string, idempotencyKey: string, body: unknown): Promise<Response> {
  return rig.ask({ path, apiKey: KEYS.both, idempotencyKey, body });
}

function actions(rig: Rig): unknown[] {
  return rig.sent.map((body) => (JSON.parse(body) as { action: unknown }).action);
}

const TRIGGER = { price: "59000", kind: "stop_loss", market: true };

const PLACED: [string, object, object][] = [
  ["gtc", {}, { r: false, t: { limit: { tif: "Gtc" } } }],
  ["ioc", { time_in_force: "ioc" }, { t: { limit: { tif: "Ioc" } } }],
  ["alo and reduce-only", { time_in_force: "alo", reduce_only: true }, { r: true, t: { limit: { tif: "Alo" } } }],
  ["a stop", { trigger: TRIGGER }, { t: { trigger: { isMarket: true, triggerPx: "59000", tpsl: "sl" } } }],
  [
    "a take-profit limit",
    { side: "sell", trigger: { price: "61000", kind: "take_profit", market: false } },
    { b: false, t: { trigger: { isMarket: false, triggerPx: "61000", tpsl: "tp" } } },
  ],
  ["spot", { market: "PURR/USDC", size: "10", price: "0.2" }, { a: 10_000, p: "0.2", s: "10" }],
  ["another dex", { market: "xyz:TSLA", size: "1.5", price: "250.5" }, { a: 110_000, p: "250.5", s: "1.5" }],
];

test.each(PLACED)("an order goes out as asked: %s", async (_what, change, expected) => {
  const rig = openRig();
  const response = await post(rig, "/v1/orders", "hand-on-order", { ...ORDER, ...change });
  expect(response.status).toBe(201);
  const [action] = actions(rig) as { orders: object[] }[];
  expect(action?.orders[0]).toMatchObject(expected);
});

test("a modify goes out under the order's native id and answers the same order", async () => {
  const rig = openRig();
  const order = (await (await post(rig, "/v1/orders", "hand-on-modify-1", ORDER)).json()) as { id: string };
  const response = await post(rig, `/v1/orders/${order.id}/modify`, "hand-on-modify-2", { price: "59900" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: order.id, price: "59900", time_in_force: "alo" });
  expect(actions(rig)[1]).toMatchObject({
    type: "batchModify",
    modifies: [{ oid: 1_001, order: { p: "59900", s: "0.01", t: { limit: { tif: "Alo" } } } }],
  });
});

test("leverage goes out as a whole number however it is spelled, and its repeat is known", async () => {
  const rig = openRig();
  const spelled = (leverage: string) => `{"market":"BTC","leverage":${leverage},"margin_type":"isolated"}`;
  const first = await post(rig, "/v1/leverage", "hand-on-leverage", spelled("5"));
  expect(first.status).toBe(200);
  const body = await first.text();
  expect(JSON.parse(body)).toMatchObject({ object: "operation", action: "leverage", status: "succeeded" });
  expect(actions(rig)).toEqual([{ type: "updateLeverage", asset: 0, isCross: false, leverage: 5 }]);
  for (const same of ["5.0", "5e0", "50e-1"]) {
    const again = await post(rig, "/v1/leverage", "hand-on-leverage", spelled(same));
    expect([again.status, await again.text()]).toEqual([200, body]);
  }
  expect((await post(rig, "/v1/leverage", "hand-on-leverage", spelled("6"))).status).toBe(409);
  expect(rig.sent).toHaveLength(1);
});

test("an operation is read back by its id, listed, and is no order", async () => {
  const rig = openRig();
  const set = { market: "BTC", leverage: 7, margin_type: "cross" };
  const operation = (await (await post(rig, "/v1/leverage", "hand-on-operation", set)).json()) as { id: string };
  const read = await rig.ask({ path: `/v1/operations/${operation.id.toUpperCase()}`, apiKey: KEYS.both });
  expect(await read.json()).toEqual(operation);
  const list = (await (await rig.ask({ path: "/v1/operations", apiKey: KEYS.both })).json()) as { data: unknown[] };
  const asked = { market: "BTC", leverage: 7, margin_type: "cross", size: null, twap_id: null };
  expect(list.data).toEqual([expect.objectContaining({ ...operation, ...asked })]);
  expect((await rig.ask({ path: `/v1/orders/${operation.id}`, apiKey: KEYS.both })).status).toBe(404);
  expect((await rig.ask({ path: `/v1/operations/${operation.id}`, apiKey: KEYS.other })).status).toBe(404);
  const others = (await (await rig.ask({ path: "/v1/operations", apiKey: KEYS.other })).json()) as { data: unknown[] };
  expect(others.data).toEqual([]);
});

test("margin whose position cannot be read first sends nothing", async () => {
  const rig = openRig();
  const response = await post(rig, "/v1/margin", "hand-on-margin-1", { market: "BTC", amount: "-10.5" });
  expect(response.status).toBe(503);
  expect(rig.sent).toEqual([]);
});

test("open orders are listed by native id, newest first, page by page", async () => {
  const rig = openRig();
  for (const index of [1, 2, 3]) await post(rig, "/v1/orders", `hand-on-list-${index}`, ORDER);
  type List = { data: { exchange_order_id: string }[]; has_more: boolean; next_cursor: string | null };
  const page = async (query: string) =>
    (await (await rig.ask({ path: `/v1/orders?${query}`, apiKey: KEYS.both })).json()) as List;
  const first = await page("status=open&dex=&limit=2");
  expect(first.data.map((order) => order.exchange_order_id)).toEqual(["1003", "1002"]);
  expect([first.has_more, first.next_cursor]).toEqual([true, "1002"]);
  const second = await page(`status=open&dex=&limit=2&cursor=${first.next_cursor}`);
  expect(second.data.map((order) => order.exchange_order_id)).toEqual(["1001"]);
  expect([second.has_more, second.next_cursor]).toEqual([false, null]);
  const history = await page("limit=2");
  expect(history.data.map((order) => order.exchange_order_id)).toHaveLength(2);
  expect(history.has_more).toBe(true);
});

test("operations are filtered by action and status, page by page, and anything else is refused", async () => {
  const rig = openRig();
  type List = { data: { action: string; status: string }[]; has_more: boolean; next_cursor: string | null };
  for (const leverage of [3, 99, 4, 5]) {
    await post(rig, "/v1/leverage", `filter-leverage-${leverage}`, { market: "BTC", leverage, margin_type: "cross" });
    await rig.clock.advance(5);
  }
  await post(rig, "/v1/twaps/cancel", "filter-twap-1", { market: "BTC", twap_id: 7 });
  const list = async (query: string) =>
    (await (await rig.ask({ path: `/v1/operations?${query}`, apiKey: KEYS.both })).json()) as List;
  expect((await list("")).data).toHaveLength(5);
  expect((await list("action=leverage")).data.map(({ status }) => status)).toEqual([
    "succeeded",
    "succeeded",
    "rejected",
    "succeeded",
  ]);
  expect((await list("status=rejected")).data).toMatchObject([{ action: "leverage", status: "rejected" }]);
  expect((await list("action=twap_cancel&status=rejected")).data).toEqual([]);
  const first = await list("action=leverage&status=succeeded&limit=2");
  expect([first.data.length, first.has_more]).toEqual([2, true]);
  const rest = await list(`action=leverage&status=succeeded&limit=2&cursor=${first.next_cursor}`);
  expect([rest.data.length, rest.has_more]).toEqual([1, false]);
  for (const query of ["status=open", "status=", "action=order", "action="]) {
    expect((await rig.ask({ path: `/v1/operations?${query}`, apiKey: KEYS.both })).status).toBe(400);
  }
});
