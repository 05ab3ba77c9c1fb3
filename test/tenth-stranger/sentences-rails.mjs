// BEYOND §1.2, §1.3 and docs/rails.md: what each rail refuses, what it never refuses, and what is told of it.
import { code, each, is, largest, note, refusedBy, shaped, sleep, until, words } from "./rig.mjs";

const lot = 0.00001;
const size = (value) => Number(value.toFixed(5)).toString();

async function orders({ gateway, chain, plain }) {
  const bot = await gateway.bot("order", { max_order: "500 USD" });
  const over = await bot.order("BTC", "buy", "0.00834", "60000", {}, "reuse-me-1");
  is("1.3", "max_order: 500.4 USD refused", refusedBy(over, "max_order") && shaped(over), over.body);
  is(
    "1.3",
    "a refusal names rail, limit, use, largest that passes",
    /max_order/.test(words(over)) && /500/.test(words(over)) && /500\.4/.test(words(over)) && largest(over),
    words(over),
  );
  const most = Number(largest(over));
  is("rails.md", "the largest size passes", (await bot.order("BTC", "buy", size(most), "60000")).status === 201, most);
  is(
    "rails.md",
    "one lot more does not",
    refusedBy(await bot.order("BTC", "buy", size(most + lot), "60000"), "max_order"),
  );
  const small = await bot.order("BTC", "buy", "0.001", "59900", {}, "reuse-me-1");
  is("1.3", "the Idempotency-Key of a refusal is not consumed", small.status === 201, small.body);
  is(
    "1.3",
    "valued at the limit where that is worse",
    refusedBy(await bot.order("BTC", "buy", "0.0083", "61000"), "max_order"),
  );
  is(
    "1.7",
    "a sale far below the market is valued at the reference",
    refusedBy(await bot.order("BTC", "sell", "0.0084", "58000"), "max_order"),
  );
  is(
    "1.7",
    "a purchase far below the market is valued at the reference",
    refusedBy(await bot.order("BTC", "buy", "0.0084", "30000"), "max_order"),
  );
  is(
    "1.3",
    "an increasing trigger counts its trigger",
    refusedBy(
      await bot.order("BTC", "buy", "0.0083", "61200", {
        trigger: { kind: "stop_loss", price: "61000", market: true },
      }),
      "max_order",
    ),
  );
  const market = await bot.post("/v1/orders/market", {
    account: gateway.account,
    market: "BTC",
    side: "buy",
    size: "0.00832",
    max_slippage_bps: 50,
  });
  is("1.3", "market orders add their slippage", refusedBy(market, "max_order"), market.body);
  is("1.1", "markets not named are refused", refusedBy(await bot.order("SOL", "buy", "1", "100"), "markets"));
  is(
    "1.3",
    "a modify is judged",
    refusedBy(await bot.post(`/v1/orders/${small.body.id}/modify`, { size: "0.0084" }), "max_order"),
  );
  const batch = await bot.post("/v1/orders/batch", {
    account: gateway.account,
    orders: [
      { market: "BTC", side: "buy", size: "0.001", price: "59000" },
      { market: "BTC", side: "buy", size: "0.009", price: "59000" },
    ],
  });
  is("3", "a rail of one entry: nothing is sent", batch.status === 403 && code(batch) === "rail_refused", batch.body);
  const sent = chain.orders.filter((order) => order.price === 59000).length;
  is("3", "and truly nothing was", sent === 0, sent);
  const trade = await bot.trade("BTC", "buy", "0.009", "60000", "58000");
  is("3", "rails reserve a whole trade", refusedBy(trade, "max_order"), trade.body);
  const event = await until(() =>
    gateway.events.find(({ type, data }) => type === "rail.refused" && JSON.stringify(data).includes("max_order")),
  );
  is(
    "rails.md",
    "the event rail.refused tells of it",
    event,
    gateway.events.map(({ type }) => type),
  );
  const count = gateway.events.filter(
    ({ type, data }) =>
      type === "rail.refused" && JSON.stringify(data).includes("max_order") && JSON.stringify(data).includes(bot.hash),
  ).length;
  is("1.3", "the first of each (key, rail, minute) one by one, the others a count", count >= 1 && count <= 3, count);
  const metrics = await gateway.metrics();
  const refusals = Number(metrics.match(/postern_rail_refusals_total\{bot="order",rail="max_order"\} (\d+)/)?.[1]);
  is(
    "metrics.md",
    "postern_rail_refusals_total counts every refusal",
    refusals >= 10,
    metrics.match(/postern_rail_refusals.*/g),
  );
  const audit = (await plain.get("/v1/audit?limit=100")).body;
  is("rails.md", "an audit row", JSON.stringify(audit).includes("rail"), audit.data?.slice(0, 3));
}

async function positions({ gateway, chain, exchange }) {
  const bot = await gateway.bot("position", { max_order: "any", max_position: "1000 USD", max_exposure: "1500 USD" });
  is("1.3", "max_position", refusedBy(await bot.order("BTC", "buy", "0.01667", "60000"), "max_position"));
  await bot.order("BTC", "buy", "0.01", "59900");
  const more = await bot.order("BTC", "buy", "0.00667", "60000");
  is("1.3", "resting orders count as executed", refusedBy(more, "max_position"), more.body);
  is("1.3", "sales are the other side", (await bot.order("BTC", "sell", "0.01", "60500")).status === 201);
  exchange.fate("never", () => true, { times: 40 });
  exchange.infoDown = ({ type }) =>
    ["orderStatus", "historicalOrders", "openOrders", "frontendOpenOrders"].includes(type);
  const lost = await bot.order("BTC", "buy", "0.005", "59800");
  is("README", "a lost answer is 202 unknown", lost.status === 202 && lost.body.status === "unknown", lost.body);
  is("1.3", "a lost answer frees nothing", refusedBy(await bot.order("BTC", "buy", "0.002", "59000"), "max_position"));
  exchange.infoDown = null;
  exchange.fates.length = 0;
  const settled = await until(
    async () => (await bot.get(`/v1/orders/${lost.body.id}`)).body.status !== "unknown",
    40_000,
    1000,
  );
  is("README", "and settles", settled, (await bot.get(`/v1/orders/${lost.body.id}`)).body);
  is("1.3", "then it is free again", (await bot.order("BTC", "buy", "0.006", "59000")).status === 201);
  const exposure = await bot.order("ETH", "buy", "0.3", "2000");
  is("1.3", "max_exposure: the sum over markets", refusedBy(exposure, "max_exposure"), exposure.body);
  is(
    "rails.md",
    "its largest size passes",
    (await bot.order("ETH", "buy", largest(exposure) ?? "0", "2000")).status === 201,
    words(exposure),
  );
  const who = (await bot.get("/v1/whoami")).body.limits;
  is(
    "1.4",
    "use and headroom: what is left of the exposure is what was not passed",
    Number(who.headroom.exposure) >= 0 && Number(who.headroom.exposure) < 5,
    who,
  );
  note("opened", chain.open().length);
}

async function day({ gateway }) {
  const bot = await gateway.bot("turnover", { max_turnover_per_day: "1000 USD", max_order: "any" });
  const first = await bot.order("BTC", "buy", "0.01", "60100", { time_in_force: "ioc" });
  is("README", "filled", first.body.status === "filled", first.body);
  is(
    "1.3",
    "turnover: fills and what remains count",
    refusedBy(await bot.order("BTC", "buy", "0.007", "60000"), "max_turnover_per_day"),
  );
  const rest = await bot.order("BTC", "buy", "0.006", "59000");
  is(
    "1.3",
    "increasing remainders count",
    rest.status === 201 && refusedBy(await bot.order("BTC", "buy", "0.001", "59000"), "max_turnover_per_day"),
  );
  await bot.post(`/v1/orders/${rest.body.id}/cancel`, {});
  is("1.3", "canceled, they are free", (await bot.order("BTC", "buy", "0.002", "59000")).status === 201);
  const close = await bot.order("BTC", "sell", "0.01", "59000", { reduce_only: true, time_in_force: "ioc" });
  is("1.3", "reductions are never refused by it", close.status === 201 && close.body.status === "filled", close.body);
  is("1.3", "and count", refusedBy(await bot.order("BTC", "buy", "0.001", "59000"), "max_turnover_per_day"));
  await sleep(3000);
  const use = (await bot.get("/v1/whoami")).body.limits.use;
  const over = Number(use.turnover_today) - 1200;
  is(
    "openapi",
    "turnover_today is never less, and at most one of an average price's last digit more",
    over >= 0 && over < 1e-8,
    use,
  );
  const busy = await gateway.bot("actions", { max_actions_per_day: "3" });
  const orders = [];
  for (let n = 0; n < 3; n += 1) orders.push(await busy.order("BTC", "buy", "0.001", "59000"));
  is(
    "1.1",
    "three actions pass",
    orders.every(({ status }) => status === 201),
  );
  is("1.1", "max_actions_per_day", refusedBy(await busy.order("BTC", "buy", "0.001", "59000"), "max_actions_per_day"));
  is(
    "1.1",
    "a modify is an action",
    refusedBy(await busy.post(`/v1/orders/${orders[0].body.id}/modify`, { price: "58900" }), "max_actions_per_day"),
  );
  is(
    "1.1",
    "cancels are free of it",
    (await busy.post(`/v1/orders/${orders[0].body.id}/cancel`, {})).body.status === "canceled",
  );
  const few = await gateway.bot("few", { max_open_orders: "2" });
  const held = await few.order("BTC", "buy", "0.01", "60100", { time_in_force: "ioc" });
  await few.order("BTC", "buy", "0.001", "59000");
  await few.order("BTC", "buy", "0.001", "59000");
  is("1.1", "max_open_orders", refusedBy(await few.order("BTC", "buy", "0.001", "59000"), "max_open_orders"));
  const stop = await few.stopLoss("BTC", "sell", "0.01", "58000", "55000");
  is(
    "1.3",
    "a stop passes max_open_orders",
    held.status === 201 && stop.body.status === "waiting_for_trigger",
    stop.body,
  );
}

export async function rails() {
  await each([orders, positions, day]);
}
