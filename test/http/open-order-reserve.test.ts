import { expect, test } from "bun:test";
import type { ReadPart } from "../../src/exchange/picture.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { inSeconds, openMarketRig, place, refusalOf, stop } from "./rails-rig.ts";
import { ACCOUNTS, KEYS } from "./rig.ts";

const PLAIN = { apiKey: KEYS.both };

test("near the number of open orders with which no stop is taken what increases is refused, and a stop goes", async () => {
  const rig = openMarketRig();
  Object.assign(rig.deps.settings, { openOrderReserve: 997 });
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.push(((await (await place(rig, {}, PLAIN)).json()) as { id: string }).id);
  const refused = place(rig, {}, { ...PLAIN, key: "one-too-many-open" });
  expect(await refusalOf(await refused)).toStartWith("409 too_many_open_orders: The account has 3 open orders");
  expect((await place(rig, { ...stop, side: "sell", price: "50000" }, PLAIN)).status).toBe(201);
  const modify = { path: `/v1/orders/${ids[0]}/modify`, apiKey: KEYS.both, idempotencyKey: "modify-among-many" };
  expect((await rig.ask({ ...modify, body: { price: "59900" } })).status).toBe(200);
  const cancel = (id: string | undefined) =>
    rig.askForSeconds({ path: `/v1/orders/${id}/cancel`, apiKey: KEYS.both, idempotencyKey: `cancel-${id}`, body: {} });
  for (const id of [ids[1], ids[2]]) expect((await cancel(id)).status).toBe(200);
  expect((await place(rig, {}, { ...PLAIN, key: "one-too-many-open" })).status).toBe(201);
});

test("each order of a batch counts", async () => {
  const rig = openMarketRig();
  Object.assign(rig.deps.settings, { openOrderReserve: 998 });
  const batchOf = (count: number) => {
    const order = { market: "BTC", side: "buy", size: "0.001", price: "50000" };
    const body = { account: ACCOUNTS.main, orders: Array.from({ length: count }, () => order) };
    return rig.ask({ path: "/v1/orders/batch", apiKey: KEYS.both, idempotencyKey: `batch-of-${count}`, body });
  };
  expect(await refusalOf(await batchOf(3))).toStartWith("409 too_many_open_orders");
  expect((await batchOf(2)).status).toBe(201);
});

test.each(["", "xyz"])("what was placed elsewhere counts, in any dex: %p", async (dex) => {
  const rig = openMarketRig();
  Object.assign(rig.deps.settings, { openOrderReserve: 998, dexes: ["xyz"] });
  const { picture } = rig.deps;
  // Only how many there are is counted.
  const value = [{}, {}] as unknown as Extract<ReadPart, { part: "open" }>["value"];
  const address = findAccount(rig.deps.store, ACCOUNTS.main)?.tradingAddress ?? "";
  const nowMs = rig.clock.nowMs();
  picture.take(address, { part: "open", dex, value }, { timeMs: nowMs, askedAtMs: nowMs });
  expect(await refusalOf(await inSeconds(rig, place(rig, {}, PLAIN)))).toStartWith("409 too_many_open_orders");
});
