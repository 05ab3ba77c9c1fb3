// Spot, odd tokens, builder-deployed dexes; a list of markets that moves while orders are on their way.
import { dec } from "./codec.mjs";
import { sleep } from "./world.mjs";

const ioc = (market, side, size, price) => ({ market, side, size, price, time_in_force: "ioc" });

async function spot(world) {
  const { client, exchange, account } = world;
  for (const fields of [
    ioc("PURR/USDC", "buy", "123", "0.21"),
    ioc("@142", "buy", "0.00123", "61000"),
    ioc("@142", "sell", "0.00031", "59000"),
    ioc("@201", "buy", "77.7", "1.6"),
    { market: "@107", side: "buy", size: "2.51", price: "39.001" },
    { market: "@142", side: "sell", size: "0.00041", price: "61000" },
    { market: "PURR/USDC", side: "sell", size: "400", price: "0.2101" },
    { market: "PURR/USDC", side: "sell", size: "0.5", price: "0.2101" },
    { market: "PURR/USDC", side: "sell", size: "5000", price: "0.2102" },
    { market: "HYPE/USDC", side: "sell", size: "3.33", price: "41.5", time_in_force: "alo" },
    { market: "@201", side: "buy", size: "1.1", price: "1.2" },
    { market: "@201", side: "buy", size: "33.3", price: "1.23456" },
    { market: "@107", side: "sell", size: "1", price: "35", trigger: { price: "36", kind: "stop_loss", market: true } },
  ])
    world.show(await client.order(fields));
  for (const order of exchange.truth.live(account))
    exchange.book.hit(account, order, order.origSz / 3n - ((order.origSz / 3n) % 10n ** 7n) || order.origSz);
  await sleep(1500);
  for (const row of (await client.get("/v1/orders?status=open")).body.data) {
    world.next("batchModify", "done:reset");
    world.show(
      await client.write(`/v1/orders/${row.id}/modify`, {
        price: String(Number(row.price) * (row.side === "buy" ? 0.9 : 1.1)).slice(0, 4),
      }),
    );
    world.show(await client.write(`/v1/orders/${row.id}/cancel`, {}));
  }
  world.next("order", "done:reset");
  world.show(
    await client.write("/v1/orders", { account: world.gateway.account, ...ioc("@142", "sell", "0.00077", "59000") }),
  );
  world.show(await client.get("/v1/account"));
}

/** The list is renumbered while the gateway believes the old one. */
async function renumbered(world) {
  const { client, exchange, account } = world;
  const before = world.show(await client.order({ market: "SOL", side: "buy", size: "1.01", price: "100.5" })).body;
  world.show(await client.order(ioc("SOL", "buy", "2.02", "155")));
  const tsla = world.show(await client.order({ market: "xyz:TSLA", side: "buy", size: "0.505", price: "350" })).body;
  exchange.markets.renumber("SOL");
  exchange.markets.renumber("xyz:TSLA");
  for (const fields of [
    { market: "SOL", side: "buy", size: "1.03", price: "101.5" },
    ioc("SOL", "sell", "0.5", "140"),
    { market: "xyz:TSLA", side: "buy", size: "0.515", price: "351" },
    { market: "NEWT", side: "buy", size: "10.1", price: "6.5" },
    { market: "xyz:NEWT", side: "buy", size: "11.1", price: "6.5" },
  ])
    world.show(await client.order(fields));
  world.show(await client.insist(`/v1/orders/${before.id}/cancel`, {}));
  world.show(await client.insist(`/v1/orders/${tsla.id}/modify`, { price: "352" }));
  world.show(await client.insist("/v1/leverage", { market: "SOL", leverage: 3, margin_type: "cross" }));
  world.show(await client.insist("/v1/twaps", { market: "SOL", side: "buy", size: "21", duration_minutes: 30 }));
  world.show(await client.insist("/v1/positions/close", { account: world.gateway.account, market: "SOL" }));
  for (const order of account.orders.values()) world.note(exchange.truth.describe(order));
  for (const order of account.orders.values())
    if (
      /NEWT/.test(order.coin) &&
      order.status === "open" &&
      !["10.1", "11.1"].includes(String(Number(order.origSz) / 1e8))
    )
      world.judge.find("CRITICAL", "an order in a market that nobody named", exchange.truth.describe(order), "");
  for (const [coin, { value }] of account.leverage)
    if (/NEWT/.test(coin))
      world.judge.find("CRITICAL", "leverage of a market that nobody named", `${coin} ${value}`, "");
}

/** One listed anew, one delisted with orders, a TWAP and a position in it. */
async function delisted(world) {
  const { client, exchange, account } = world;
  world.show(await client.order(ioc("SOL", "buy", "2.02", "155")));
  const resting = world.show(await client.order({ market: "SOL", side: "buy", size: "1.04", price: "100.5" })).body;
  const stop = world.show(
    await client.order({
      market: "SOL",
      side: "sell",
      size: "2.02",
      price: "110",
      reduce_only: true,
      trigger: { price: "120", kind: "stop_loss", market: true },
    }),
  ).body;
  world.show(await client.insist("/v1/twaps", { market: "SOL", side: "buy", size: "22", duration_minutes: 30 }));
  const market = exchange.markets.byCoin("SOL");
  world.next("order", "slow:2500");
  const crossing = client.write("/v1/orders", {
    account: world.gateway.account,
    market: "SOL",
    side: "buy",
    size: "1.05",
    price: "101.5",
  });
  await sleep(400);
  market.delisted = true;
  for (const order of exchange.truth.live(account, "SOL")) exchange.book.end(account, order, "delistedCanceled");
  for (const twap of exchange.twaps.running(account)) exchange.twaps.finish(twap, "error", "Trading is halted.");
  exchange.book.closeOutside(account, "SOL", { direction: "Settlement" });
  world.show(await crossing);
  world.show(await client.order({ market: "SOL", side: "buy", size: "1.06", price: "102.5" }));
  world.show(await client.get(`/v1/orders/${resting.id}`));
  world.show(await client.get(`/v1/orders/${stop.id}`));
  world.show(await client.insist(`/v1/orders/${resting.id}/cancel`, {}));
  await sleep(3000);
  world.show(await client.get("/v1/twaps"));
  world.show(await client.get("/v1/positions"));
}

/** Decimals and limits change under way. */
async function coarser(world) {
  const { client, exchange } = world;
  const order = world.show(await client.order({ market: "SOL", side: "buy", size: "1.07", price: "100.5" })).body;
  exchange.markets.byCoin("SOL").sizeDecimals = 0;
  exchange.markets.byCoin("ETH").maxLeverage = 3;
  world.show(await client.order({ market: "SOL", side: "buy", size: "1.08", price: "100.5" }));
  world.show(await client.insist(`/v1/orders/${order.id}/modify`, { price: "99.5" }));
  world.show(await client.insist("/v1/leverage", { market: "ETH", leverage: 10, margin_type: "cross" }));
  world.next("batchModify", "done:reset");
  world.show(await client.write(`/v1/orders/${order.id}/modify`, { price: "98.5", size: "2" }));
}

/** The exchange takes away what was held, and what rested, in each of its ways. */
async function takenAway(world) {
  const { client, exchange, account } = world;
  for (const [coin, size, price] of [
    ["BTC", "0.01", "61000"],
    ["ETH", "0.5", "3100"],
    ["xyz:TSLA", "2.5", "420"],
  ])
    world.show(await client.order(ioc(coin, "buy", size, price)));
  const words = [
    "marginCanceled",
    "selfTradeCanceled",
    "scheduledCancel",
    "vaultWithdrawalCanceled",
    "openInterestCapCanceled",
    "perpMaxPositionCanceled",
    "internalCancel",
    "somethingNewCanceled",
    "somethingNewRejected",
    "brandNewWord",
    "expired",
  ];
  const orders = [];
  for (const [at, word] of words.entries())
    orders.push([
      word,
      world.show(
        await client.order({ market: "BTC", side: "buy", size: `0.0030${at}`.slice(0, 7), price: String(50010 + at) }),
      ).body,
    ]);
  const stop = world.show(
    await client.order({
      market: "ETH",
      side: "sell",
      size: "0.5",
      price: "2500",
      reduce_only: true,
      trigger: { price: "2700", kind: "stop_loss", market: true },
    }),
  ).body;
  const exit = world.show(
    await client.order({ market: "ETH", side: "sell", size: "0.5", price: "3300", reduce_only: true }),
  ).body;
  for (const [at, [word, order]] of orders.entries()) {
    const truth = account.orders.get(Number(order.exchange_order_id));
    if (at % 2) exchange.book.hit(account, truth, dec("0.001"));
    exchange.book.end(account, truth, word);
  }
  exchange.book.closeOutside(account, "ETH", { fraction: dec("0.5") });
  await sleep(800);
  world.show(await client.get(`/v1/orders/${exit.id}`));
  exchange.book.closeOutside(account, "ETH", {});
  exchange.book.closeOutside(account, "xyz:TSLA", { liquidation: true, direction: "Liquidated Cross Long" });
  exchange.book.closeOutside(account, "BTC", { direction: "Auto-Deleveraging" });
  await sleep(3500);
  for (const [word, order] of orders)
    world.note(`${word}: ${JSON.stringify((await client.get(`/v1/orders/${order.id}`)).body)}`);
  for (const id of [stop.id, exit.id]) world.show(await client.get(`/v1/orders/${id}`));
  world.show(await client.get("/v1/positions"));
  world.show(await client.insist("/v1/positions/close", { account: world.gateway.account, market: "ETH" }));
}

/** Trades whose stop the exchange takes away, whose position is liquidated, whose entry ends by itself. */
async function tradesTaken(world) {
  const { client, exchange, account } = world;
  const trade = (market, size, entry, [stop, profit]) =>
    client.insist("/v1/trades", {
      account: world.gateway.account,
      market,
      side: "buy",
      size,
      entry: { price: entry },
      stop_loss: { trigger_price: stop },
      take_profit: { trigger_price: profit },
    });
  const made = {};
  for (const [market, size, entry, stop, profit] of [
    ["BTC", "0.01", "59000", "57000", "66000"],
    ["ETH", "0.2", "2950", "2800", "3500"],
    ["SOL", "3", "148", "140", "170"],
    ["xyz:TSLA", "1.5", "395", "370", "450"],
  ])
    made[market] = world.show(await trade(market, size, entry, [stop, profit])).body;
  await sleep(2000);
  const live = (coin, test) => exchange.truth.live(account, coin).filter(test);
  for (const coin of Object.keys(made))
    for (const entry of live(coin, (order) => !order.trigger))
      exchange.book.hit(account, entry, (entry.origSz / 2n / 10n ** 6n) * 10n ** 6n);
  await sleep(2500);
  for (const stop of live("BTC", (order) => order.trigger?.tpsl === "sl"))
    exchange.book.end(account, stop, "marginCanceled");
  exchange.book.closeOutside(account, "ETH", { liquidation: true, direction: "Liquidated Cross Long" });
  for (const entry of live("SOL", (order) => !order.trigger)) exchange.book.end(account, entry, "marginCanceled");
  exchange.book.closeOutside(account, "xyz:TSLA", { fraction: dec("0.5"), direction: "Auto-Deleveraging" });
  for (let at = 0; at < 14; at++) {
    await sleep(2000);
    for (const [market, { id }] of Object.entries(made)) {
      const row = await client.get(`/v1/trades/${id}`);
      const t = row.body;
      world.note(
        `${market} ${t.status} filled ${t.filled_size} held ${t.held_size} protected ${t.protected} ${t.unprotected_because ?? ""} ${t.error ?? ""} | true held ${world.size(market)}, stops ${live(market, (order) => order.trigger?.tpsl === "sl").map((order) => Number(order.sz) / 1e8)}, entries ${live(market, (order) => !order.trigger).length}`,
      );
      const covered = live(market, (order) => order.trigger?.tpsl === "sl").reduce((sum, order) => sum + order.sz, 0n);
      if (
        row.status === 200 &&
        t.protected &&
        covered < (account.positions.get(market)?.szi ?? 0n) &&
        !["closed", "closed_outside"].includes(t.status)
      )
        world.uncovered = (world.uncovered ?? 0) + 1;
    }
  }
  world.note(`protected told while it was not: ${world.uncovered ?? 0} of 56`);
  if ((world.uncovered ?? 0) > 4) world.judge.find("high", "protected, and it was not", `${world.uncovered} reads`, "");
}

export const marketScenes = {
  spot: { play: spot },
  renumbered: { play: renumbered },
  delisted: { play: delisted },
  coarser: { play: coarser },
  "taken-away": { play: takenAway },
  "trades-taken": { play: tradesTaken },
};
