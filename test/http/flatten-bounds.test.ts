/** How far a flattening goes: in price for a bot, and in markets until all that is held is closed or left. */
import { expect, test } from "bun:test";
import { flattenByOperator } from "../../src/ops/stop-trading.ts";
import { endOf, exchangeThatFills, flatten, pass, stopOf } from "./flatten-rig.ts";
import { BOT, limitedRig, openMarketRig, place, stateOf } from "./rails-rig.ts";
import { ACCOUNTS } from "./rig.ts";

test("a bot's order is no further than its owner has signed, whatever slippage is asked for", async () => {
  const rig = await limitedRig({ maxDistance: "1 %" });
  const sales = exchangeThatFills(rig, { szi: 0.5 });
  await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
  const id = await stopOf(rig, "bot", BOT);
  await flatten(rig, id, { apiKey: BOT, body: { max_slippage_bps: 500 } });
  await pass(rig, 20);
  const [, sale] = sales;
  expect(sale).toMatchObject({ b: false, s: "0.002", r: true });
  expect(Number(sale?.p)).toBeGreaterThanOrEqual(59_390);
});

test("nor further than the bot was narrowed to since, unless whoever asks is held to no rails", async () => {
  for (const apiKey of [BOT, null]) {
    const rig = await limitedRig({ maxDistance: "2 %" });
    const sales = exchangeThatFills(rig, { szi: 0.5 });
    await place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" });
    await rig.ask({ path: "/v1/api-keys/self/narrow", apiKey: BOT, body: { max_distance: "0.5 %" } });
    const stopId = await stopOf(rig, "bot", BOT);
    const asked = { accountId: ACCOUNTS.main, stopId, maxSlippageBps: 500 };
    if (apiKey === null) flattenByOperator({ ...rig.deps, network: "paper" }, asked);
    else await flatten(rig, stopId, { apiKey, body: { max_slippage_bps: 500 } });
    rig.deps.flattener.heed();
    await pass(rig, 20);
    expect(sales[1]).toMatchObject({ p: apiKey === null ? "58800" : "59700" });
  }
});

test("what is left in one market ends nothing while another is being closed", async () => {
  const rig = openMarketRig();
  const held = { szi: 0.5 };
  exchangeThatFills(rig, held);
  rig.answers.set("clearinghouseState", ({ dex }) => {
    const positions = [...(held.szi === 0 ? [] : [["BTC", held.szi]]), ["ETH", 0.001]];
    const shown = positions.map(([coin, szi]) => ({ coin: String(coin), szi: String(szi) }));
    return stateOf((dex ?? "") === "" ? shown : [], rig.clock.nowMs());
  });
  const { send } = rig.deps.exchange;
  let sold = 0;
  rig.deps.exchange.send = async (body, ...rest) => {
    if (!body.includes("Ioc")) return send(body, ...rest);
    const [order] = (JSON.parse(body) as { action: { orders: { a: number; c: string }[] } }).action.orders;
    const isBtc = order?.a === 0;
    if (isBtc) sold += 1;
    if (isBtc) held.szi = Number((held.szi - 0.1).toFixed(5));
    const part = { filled: { totalSz: "0.1", avgPx: "59990", oid: 90_000 + sold, cloid: order?.c } };
    const statuses = [isBtc ? part : { error: `Order must have minimum value of $10. asset=${order?.a}` }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 60);
  expect([sold, held.szi]).toEqual([5, 0]);
  expect(await endOf(rig, id)).toMatchObject({ left: [{ market: "ETH", size: "0.001", reason: "below_minimum" }] });
});
