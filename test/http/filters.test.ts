/** Lists narrowed over the interface: by time, market, key, bot, and by the name that a client gave its order. */
import { expect, test } from "bun:test";
import { keyHash } from "../../src/wire/grant.ts";
import { BOT, fillAt, limitedRig, MARK, OTHER_BOT, place, register, textOf } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

type Listed = { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null };

async function list(rig: Rig, path: string, apiKey: string = KEYS.both): Promise<Listed> {
  const response = await rig.ask({ path, apiKey });
  expect([path, response.status]).toEqual([path, 200]);
  // The status says that it is a list.
  return (await response.json()) as Listed;
}

const SAME_NAME = "entry-0001-of-both";

/** One order of a plain key, and two bots that give theirs the same name, almost three minutes apart each. */
async function traded(): Promise<{ rig: Rig; times: string[] }> {
  const rig = await limitedRig({ bot: "grid-1" });
  expect((await register(rig, textOf(rig, { bot: "grid-2" }, OTHER_BOT))).status).toBe(201);
  fillAt(rig, MARK);
  const times: string[] = [];
  for (const [market, apiKey] of [
    ["BTC", KEYS.both],
    ["BTC", BOT],
    ["ETH", OTHER_BOT],
  ] as const) {
    times.push(new Date(rig.clock.nowMs()).toISOString());
    const terms = market === "BTC" ? {} : { market };
    expect((await place(rig, terms, { apiKey, key: SAME_NAME })).status).toBe(201);
    // The exchange of this rig goes on showing nothing: no server is as far behind as that.
    await rig.clock.advance(160_000);
  }
  return { rig, times };
}

test("orders are narrowed by time, market, status, key and bot, and by several at once", async () => {
  const { rig, times } = await traded();
  const [first = "", second = "", third = ""] = times;
  const hash = keyHash(BOT);
  const rows: [query: string, made: string[]][] = [
    ["", [third, second, first]],
    [`?since=${second}`, [third, second]],
    [`?until=${second}`, [first]],
    [`?since=${second}&until=${third}`, [second]],
    ["?market=ETH", [third]],
    ["?market=SOL", []],
    [`?key_hash=${hash}`, [second]],
    ["?bot=grid-2", [third]],
    ["?bot=nobody", []],
    [`?bot=grid-2&key_hash=${hash}`, []],
    ["?status=filled&market=BTC", [second, first]],
    ["?status=canceled&market=BTC", []],
    ["?dex=xyz&market=BTC", []],
  ];
  for (const [query, made] of rows) {
    const { data } = await list(rig, `/v1/orders${query}`);
    expect([query, data.map((order) => order["created_at"])]).toEqual([query, made]);
  }
});

test("an order is found by the name that its client gave it: of a bot its own, of others one of each", async () => {
  const { rig, times } = await traded();
  const [first = "", second = "", third = ""] = times;
  const path = `/v1/orders?idempotency_key=${SAME_NAME}`;
  const made = async (apiKey: string, rest = "") =>
    (await list(rig, `${path}${rest}`, apiKey)).data.map((order) => order["created_at"]);
  expect(await made(BOT)).toEqual([second]);
  expect(await made(KEYS.both)).toEqual([third, second, first]);
  expect(await made(KEYS.both, "&bot=grid-2")).toEqual([third]);
  expect(await made(KEYS.both, "&market=BTC&status=filled")).toEqual([second, first]);
  expect(await made(KEYS.other)).toEqual([]);
  expect((await list(rig, "/v1/orders?idempotency_key=never-used-1")).data).toEqual([]);
});

test("the name under which something was canceled has placed nothing", async () => {
  const { rig } = await traded();
  const [order] = (await list(rig, "/v1/orders?market=ETH")).data;
  const path = `/v1/orders/${String(order?.["id"])}/cancel`;
  expect((await rig.ask({ path, apiKey: KEYS.both, idempotencyKey: "cancel-0001", body: {} })).status).toBe(200);
  expect((await list(rig, "/v1/orders?idempotency_key=cancel-0001")).data).toEqual([]);
});

test("operations say what was asked of which market, by whom and when", async () => {
  const rig = await limitedRig({});
  const ask = (path: string, idempotencyKey: string, body: object) =>
    rig.ask({ path, apiKey: KEYS.both, idempotencyKey, body });
  await ask("/v1/leverage", "leverage-01", { market: "BTC", leverage: 5_000, margin_type: "cross" });
  await rig.clock.advance(1_000);
  await ask("/v1/twaps", "twap-key-01", { market: "ETH", side: "buy", size: "0.0000000001", duration_minutes: 30 });
  const { data } = await list(rig, "/v1/operations");
  const nothing = { leverage: null, margin_type: null, amount: null, side: null, size: null, twap_id: null };
  expect(data).toMatchObject([
    { ...nothing, action: "twap", market: "ETH", side: "buy", size: "0.0000000001", duration_minutes: 30 },
    { ...nothing, action: "leverage", market: "BTC", leverage: 5_000, margin_type: "cross" },
  ]);
  expect(data.map((each) => each["key_hash"])).toEqual([keyHash(KEYS.both), keyHash(KEYS.both)]);
  const [, leverage] = data;
  const found = await list(rig, `/v1/operations?market=BTC&until=${String(data[0]?.["created_at"])}`);
  expect(found.data).toEqual([leverage ?? {}]);
  expect((await list(rig, `/v1/operations?since=${String(data[0]?.["created_at"])}&market=BTC`)).data).toEqual([]);
  const one = await rig.ask({ path: `/v1/operations/${String(leverage?.["id"])}`, apiKey: KEYS.both });
  expect(Object.keys((await one.json()) as object)).toHaveLength(7);
});

test.each([
  ["since=yesterday", "invalid_parameter"],
  ["until=2026-02-30", "invalid_parameter"],
  ["key_hash=AB", "invalid_parameter"],
  ["bot=GRID", "invalid_parameter"],
  ["market=", "invalid_parameter"],
  ["market=BTC&market=ETH", "invalid_parameter"],
  ["since=2026-11-21&text=x", "unknown_parameter"],
])("a list narrowed by %s is refused", async (query, code) => {
  const rig = await limitedRig({});
  for (const path of ["/v1/orders", "/v1/fills", "/v1/operations", "/v1/trades", "/v1/twaps"]) {
    const response = await rig.ask({ path: `${path}?${query}`, apiKey: KEYS.both });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code } }]);
  }
});
