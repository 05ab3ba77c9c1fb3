/** Trades as their client meets them: what is taken, what is refused and why, whose they are, and what a repeat answers. */
import { expect, test } from "bun:test";
import { enterTrade } from "../../src/actions/enter-trade.ts";
import { MAX_WISHED_GUARDS } from "../../src/core/guard-tries.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findTrade, lookForTrades, putTrade } from "../../src/store/trades.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { keepFills } from "./flatten-rig.ts";
import { inSeconds, MARK, openMarketRig, type Position, place, refusalOf, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";
import { ask, backed, CROSS, create, created, guard, listed, read, rows, silent } from "./trades-rig.ts";

test.each([
  ["with a stop at market", {}, { price: "52200", market: true }, null],
  [
    "with a stop that rests",
    { stop_loss: { trigger_price: "58000", limit_price: "57900" } },
    { price: "57900", market: false },
    null,
  ],
  [
    "with a profit at market",
    { take_profit: { trigger_price: "64000" } },
    { price: "52200", market: true },
    { price: "57600", market: true },
  ],
  [
    "of a short",
    {
      side: "sell",
      stop_loss: { trigger_price: "61000" },
      take_profit: { trigger_price: "55000", limit_price: "55010" },
    },
    { price: "67100", market: true },
    { price: "55010", market: false },
  ],
] as const)("a trade %s is taken as it was asked for", async (_what, terms, stop, profit) => {
  const rig = silent(openMarketRig());
  const shown = await created(rig, terms);
  expect(shown).toMatchObject({ status: "arming", path: "stop_first", error: null, size: "0.01" });
  expect(shown.entry).toMatchObject({ price: MARK, time_in_force: "gtc", order: null });
  expect(shown.stop_loss).toMatchObject(stop);
  if (profit === null) expect(shown.take_profit).toBeNull();
  else expect(shown.take_profit).toMatchObject(profit);
});

test.each([
  ["a position there", async (rig: Rig): Promise<void> => holding(rig, [{ coin: "BTC", szi: "0.1" }]), {}],
  [
    "an order of its own there",
    async (rig: Rig): Promise<void> =>
      void (await inSeconds(rig, place(rig, { price: "50000" }, { apiKey: KEYS.both }))),
    {},
  ],
  ["a trade of its own there", async (rig: Rig): Promise<void> => void (await created(rig)), {}],
] as const)("with %s a stop follows what is filled", async (_what, before, terms) => {
  const rig = silent(openMarketRig());
  await before(rig);
  expect(await created(rig, terms)).toMatchObject({ path: "after_fills" });
});

/** Filled at once, as the exchange answers it. */
async function fillOne(rig: Rig): Promise<void> {
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body) => {
    const { action } = JSON.parse(body) as { action: { orders: { c: string }[] } };
    const cloid = action.orders[0]?.c;
    const statuses = [{ filled: { totalSz: "0.001", avgPx: "60010", oid: 90_001, cloid } }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  const asked = place(rig, { size: "0.001", price: "60010", time_in_force: "ioc" }, { apiKey: KEYS.both });
  const told = await inSeconds(rig, asked);
  expect(await told.json()).toMatchObject({ status: "filled" });
  rig.deps.exchange.send = send;
}

test.each([
  ["as of before the account's own last fill", 500, "after_fills"],
  ["as of after it", -500, "stop_first"],
  ["as of long ago", 10_000, "after_fills"],
] as const)("a server that shows nothing held %s", async (_what, behindMs, path) => {
  const rig = openMarketRig();
  if (behindMs < 1_000) await fillOne(rig);
  // It was short of as much before.
  if (behindMs < 0) keepFills(rig, "-0.001");
  silent(rig);
  const shownMs = rig.clock.nowMs() - behindMs;
  await rig.clock.advance(1_000);
  rig.answers.set("clearinghouseState", () => stateOf([], shownMs));
  expect(await created(rig)).toMatchObject({ path });
});

test.each([
  ["a stop on the winning side", { stop_loss: guard("60001") }, "400 invalid_parameter: stop_loss.trigger_price 60001"],
  ["a stop at the entry", { stop_loss: guard(MARK) }, "400 invalid_parameter: stop_loss.trigger_price"],
  ["a short's stop below", { side: "sell" }, "400 invalid_parameter: stop_loss.trigger_price 58000"],
  ["a profit on the losing side", { take_profit: guard("59999") }, "400 invalid_parameter: take_profit.trigger_price"],
  [
    "a limit that is better than its trigger",
    { stop_loss: guard("58000", "58001") },
    "400 invalid_parameter: limit_price 58001 is better",
  ],
  ["a size of nothing", { size: "0" }, "400 invalid_parameter"],
  ["an entry of nothing", { entry: { price: "0" } }, "400 invalid_parameter"],
  ["a trigger of nothing", { stop_loss: guard("0") }, "400 invalid_parameter"],
  ["a number for a price", { entry: { price: 60000 } }, "400 invalid_parameter"],
  ["a member of another body", { reduce_only: false }, "400 unknown_parameter"],
  ["no stop", { stop_loss: undefined }, "400 missing_parameter"],
  ["no entry", { entry: undefined }, "400 missing_parameter"],
  ["a market that is none", { market: "BTCC" }, "400 unknown_market"],
  ["spot", { market: "PURR/USDC" }, "400 perpetual_market_required"],
  ["another's account", { account: ACCOUNTS.other }, "403 account_mismatch"],
])("%s is refused, and nothing is stored or sent", async (_what, terms, outcome) => {
  const rig = openMarketRig();
  const before = rows(rig);
  expect(await refusalOf(await create(rig, terms))).toStartWith(outcome);
  expect([rows(rig), rig.sent]).toEqual([before, []]);
});

test.each([
  ["without a key", { apiKey: null }, "401 missing_api_key"],
  ["with one that only reads", { apiKey: KEYS.readOnly }, "403 insufficient_scope"],
  ["of another account", { apiKey: KEYS.other }, "403 account_mismatch"],
  ["under a name that is none", { key: "short" }, "400 invalid_idempotency_key"],
])("asked for %s nothing is stored", async (_what, asking, outcome) => {
  const rig = openMarketRig();
  const before = rows(rig);
  expect(await refusalOf(await create(rig, {}, asking))).toStartWith(outcome);
  expect(rows(rig)).toEqual(before);
});

test.each([
  ["a size of more decimals than the market has", { size: "0.000001" }, "size 0.000001"],
  ["a price of more figures than it takes", { entry: { price: "60000.5" } }, "price 60000.5"],
  ["a trigger of more", { stop_loss: guard("58000.25") }, "58000.25"],
])("%s is a trade that was rejected, and sends nothing", async (_what, terms, why) => {
  const rig = openMarketRig();
  const shown = await created(rig, terms);
  expect(shown).toMatchObject({ status: "rejected" });
  expect(shown.error).toContain(why);
  await rig.clock.advance(5_000);
  expect(rig.sent).toEqual([]);
});

test("a repeat is answered as the first time, and is one trade; another body under its key is refused", async () => {
  const rig = silent(openMarketRig());
  const key = "trade-of-repeats";
  const first = await create(rig, {}, { key });
  const again = await create(rig, {}, { key });
  expect(await again.text()).toBe(await first.text());
  expect([first, again].map(({ headers }) => headers.get("Idempotent-Replayed"))).toEqual([null, "true"]);
  const other = await create(rig, { stop_loss: guard("57000") }, { key });
  expect(await refusalOf(other)).toStartWith("409 idempotency_key_reused");
  expect(rows(rig)[0]).toBe(1);
});

function idsOf(trades: readonly { id: string }[]): string[] {
  return trades.map(({ id }) => id);
}

test("they are narrowed by market, time and key, a page at a time", async () => {
  const rig = silent(openMarketRig());
  const trades: Awaited<ReturnType<typeof created>>[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    trades.unshift(await created(rig));
    await rig.clock.advance(1_000);
  }
  const { createdAtMs } = findTrade(rig.deps.store, trades[1]?.id ?? "") ?? { createdAtMs: 0 };
  const at = new Date(createdAtMs).toISOString();
  const hash = keyHash(KEYS.both);
  const rows: [query: string, from: number, to: number][] = [
    ["?market=BTC", 0, 3],
    ["?market=SOL", 3, 3],
    [`?since=${at}`, 0, 2],
    [`?until=${at}`, 2, 3],
    [`?key_hash=${hash}&limit=1`, 0, 1],
    [`?key_hash=${hash}&limit=1&cursor=${trades[0]?.id}`, 1, 2],
    ["?bot=nobody", 3, 3],
  ];
  for (const [query, from, to] of rows)
    expect([query, idsOf(await listed(rig, query))]).toEqual([query, idsOf(trades).slice(from, to)]);
  const of = { accountId: ACCOUNTS.main, after: null, isOpen: false, limit: 1 };
  const filter = { sinceMs: null, untilMs: null, market: "SOL", keyHashes: null };
  const looked = lookForTrades(rig.deps.store, { ...of, filter }, 2);
  expect(looked).toMatchObject({ rows: [], lookedTo: { id: trades[1]?.id } });
});

test("they are listed newest first, by pages, and those that live", async () => {
  const rig = silent(openMarketRig());
  const ids: string[] = [];
  for (const terms of [{}, { size: "0.000001" }, {}]) {
    ids.unshift((await created(rig, terms)).id);
    await rig.clock.advance(10);
  }
  expect((await listed(rig)).map(({ id }) => id)).toEqual(ids);
  expect((await listed(rig, "?status=live")).map(({ id }) => id)).toEqual([ids[0] ?? "", ids[2] ?? ""]);
  const page = (await (await read(rig, "/v1/trades?limit=2")).json()) as { has_more: boolean; next_cursor: string };
  expect(page).toMatchObject({ has_more: true });
  expect((await listed(rig, `?cursor=${page.next_cursor}`)).map(({ id }) => id)).toEqual(ids.slice(2));
});

test.each([
  ["/v1/trades?status=dead", "400 invalid_status"],
  ["/v1/trades?limit=0", "400 invalid_limit"],
  ["/v1/trades?cursor=5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90", "400 invalid_cursor"],
  ["/v1/trades/none", "400 invalid_id"],
  ["/v1/trades/5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90", "404 trade_not_found"],
])("%s is %s", async (path, outcome) => {
  expect(await refusalOf(await read(openMarketRig(), path))).toStartWith(outcome);
});

test("another account neither lists, reads, cancels nor moves it, and its page is no place in the other's list", async () => {
  const rig = silent(openMarketRig());
  const { id } = await created(rig);
  const other = { apiKey: KEYS.other };
  const answers = [
    await read(rig, `/v1/trades/${id}`, KEYS.other),
    await ask(rig, `/v1/trades/${id}/cancel`, {}, other),
    await ask(rig, `/v1/trades/${id}/modify`, { stop_loss: guard("59000") }, other),
    await read(rig, `/v1/trades?cursor=${id}`, KEYS.other),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400]);
  expect(await (await read(rig, "/v1/trades", KEYS.other)).json()).toMatchObject({ data: [] });
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({ stop_loss: { trigger_price: "58000" } });
});

test.each([
  ["a minute later", 60_000],
  ["once the clock was set back by a minute", -60_001],
])("an entry is not sent %s: nobody knows how long ago it was asked for", async (_when, byMs) => {
  const rig = silent(openMarketRig());
  const { id } = await created(rig);
  const [trade, account] = [findTrade(rig.deps.store, id), findAccount(rig.deps.store, ACCOUNTS.main)];
  if (trade === null || account === null) throw new Error("nothing to enter");
  rig.clock.stepWall(byMs);
  expect(await enterTrade(rig.deps, { trade, account, stopShown: null })).toContain("could not be sent within 60 s");
});

test("canceled before anything was sent, nothing is entered; canceled again it is the same", async () => {
  const rig = silent(openMarketRig());
  rig.answers.set("frontendOpenOrders", () => []);
  const { id } = await created(rig);
  const key = "cancel-of-a-trade";
  const [first, again] = [
    await ask(rig, `/v1/trades/${id}/cancel`, {}, { key }),
    await ask(rig, `/v1/trades/${id}/cancel`, {}, { key }),
  ];
  expect(await again.text()).toBe(await first.text());
  expect([first.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
  await rig.clock.advance(5_000);
  expect(rig.sent.filter((body) => body.includes('"r":false'))).toEqual([]);
});

test.each([
  ["nothing", {}, "400 nothing_to_modify"],
  ["a stop on the winning side of an entry that may fill", { stop_loss: guard("60001") }, "400 invalid_parameter"],
  ["a profit on the losing side", { take_profit: guard("59000") }, "400 invalid_parameter"],
  ["a limit that is better than its trigger", { stop_loss: guard("58000", "58500") }, "400 invalid_parameter"],
  ["a trigger of more figures than the market takes", { stop_loss: guard("58000.5") }, "400 invalid_parameter"],
  ["another size", { size: "1" }, "400 unknown_parameter"],
  ["a stop beyond the liquidation", { stop_loss: guard("100") }, "409 stop_beyond_liquidation"],
])("moved to %s it stays as it is", async (_what, body, outcome) => {
  const rig = silent(backed(openMarketRig(), { equity: "300", leverage: CROSS }));
  const { id } = await created(rig);
  expect(await refusalOf(await ask(rig, `/v1/trades/${id}/modify`, body))).toStartWith(outcome);
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({
    stop_loss: { trigger_price: "58000" },
    take_profit: null,
  });
});

test("moved within its rules it is on its new terms, also while the exchange is silent", async () => {
  const rig = silent(openMarketRig());
  const { id } = await created(rig);
  rig.answers.delete("clearinghouseState");
  const moved = await ask(rig, `/v1/trades/${id}/modify`, { stop_loss: guard("59000"), take_profit: guard("64000") });
  expect(await moved.json()).toMatchObject({
    stop_loss: { trigger_price: "59000", price: "53100" },
    take_profit: { trigger_price: "64000", price: "57600" },
  });
});

test("moved as often as a stop is placed at most it stays on the terms on which it stands", async () => {
  const rig = silent(openMarketRig());
  const { id } = await created(rig);
  const trade = findTrade(rig.deps.store, id);
  if (trade === null) throw new Error("no trade");
  inTransaction(rig.deps.store, (store) => putTrade(store, { ...trade, stops: MAX_WISHED_GUARDS }, 0));
  const moved = await ask(rig, `/v1/trades/${id}/modify`, { stop_loss: guard("59000") });
  expect(await refusalOf(moved)).toBe(
    "409 trade_not_modifiable: The stop_loss of the trade has been placed 32 times, and is not moved any more: what stands stays. Nothing was sent.",
  );
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({ stop_loss: { trigger_price: "58000" } });
  expect((await ask(rig, `/v1/trades/${id}/modify`, { take_profit: guard("64000") })).status).toBe(200);
});

test("one that has ended is not moved, and canceled it answers as it ended", async () => {
  const rig = openMarketRig();
  const { id } = await created(rig, { size: "0.000001" });
  const moved = await ask(rig, `/v1/trades/${id}/modify`, { stop_loss: guard("59000") });
  expect(await refusalOf(moved)).toBe(
    "409 trade_not_modifiable: The trade has ended: it is rejected. Nothing was sent.",
  );
  const canceled = await ask(rig, `/v1/trades/${id}/cancel`, {});
  expect(await canceled.json()).toMatchObject({ status: "rejected" });
});

test("while trading is stopped no trade begins, and one that has begun enters nothing", async () => {
  const rig = silent(openMarketRig());
  const { id } = await created(rig);
  expect((await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body: { scope: "account" } })).status).toBeLessThan(300);
  expect(await refusalOf(await create(rig))).toStartWith("403 trading_stopped");
  await rig.clock.advance(2_000);
  expect(await (await read(rig, `/v1/trades/${id}`)).json()).toMatchObject({ error: "trading was stopped" });
  expect(rig.sent.filter((body) => body.includes('"r":false'))).toEqual([]);
});

function holding(rig: Rig, positions: Position[]): void {
  rig.answers.set("clearinghouseState", ({ dex }) => stateOf((dex ?? "") === "" ? positions : [], rig.clock.nowMs()));
}
