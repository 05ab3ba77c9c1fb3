// Deaths in the middle of what has several steps: trades, stops, flattening, cancel-alls; and a death for each byte of hope.
import { dec } from "./codec.mjs";
import { sleep } from "./world.mjs";

const ioc = (market, side, size, price) => ({ market, side, size, price, time_in_force: "ioc" });

/** Killed at the n-th action that arrives from now on, `ms` after its arrival. */
function dieAt(
  world,
  count,
  { fate = "done:hang", ms = 30, types = ["order", "batchModify", "cancel", "noop", "twapCancel"] } = {},
) {
  let left = count;
  return new Promise((resolve) => {
    world.exchange.fate = (action) => {
      if (!types.includes(action.type) || --left > 0) return "well";
      world.exchange.fate = () => "well";
      setTimeout(() => world.gateway.restart().then(() => resolve(action.type), resolve), ms);
      return fate;
    };
  });
}

const lives = (world, coin, test) => world.exchange.truth.live(world.account, coin).filter(test);
const isStop = (order) => order.trigger?.tpsl === "sl";
const sum = (orders) => orders.reduce((total, order) => total + order.sz, 0n);

async function readTrade(world, id, market) {
  const row = await world.client.get(`/v1/trades/${id}`);
  const told = row.body;
  const held = world.account.positions.get(market)?.szi ?? 0n;
  const covered = sum(lives(world, market, isStop));
  if (row.status === 200)
    world.note(
      `${market} ${told.status} filled ${told.filled_size} held ${told.held_size} protected ${told.protected} ${told.unprotected_because ?? ""} ${told.error ?? ""} | true held ${world.size(market)} stops ${Number(covered) / 1e8} entries ${lives(world, market, (order) => !order.trigger).length}`,
    );
  else world.note(`${row.status} ${JSON.stringify(row.body)}`);
  return { row, told, held, covered };
}

/** One trade for each death: at the first, second, third action of it, executed or not. */
async function killedTrades(world) {
  const { client, exchange, account } = world;
  const plan = [
    ["BTC", "0.01", "59000", "57000", "66000", 1, "done:hang"],
    ["ETH", "0.2", "2950", "2800", "3500", 2, "done:hang"],
    ["SOL", "3", "148", "140", "170", 1, "late:hang:2500"],
    ["xyz:TSLA", "1.5", "395", "370", "450", 2, "late:hang:2500"],
    ["DOGE", "900", "0.19", "0.17", "0.25", 2, "never:hang"],
  ];
  for (const [market, size, entry, stop, profit, count, fate] of plan) {
    const death = dieAt(world, count, { fate });
    const asked = client.write("/v1/trades", {
      account: world.gateway.account,
      market,
      side: "buy",
      size,
      entry: { price: entry },
      stop_loss: { trigger_price: stop },
      take_profit: { trigger_price: profit },
    });
    await Promise.race([death, sleep(12_000)]);
    exchange.fate = () => "well";
    await asked;
    const key = [...client.wants.keys()].at(-1);
    const made = await client.insist(client.wants.get(key).path, client.wants.get(key).body, key);
    world.show(made);
    await sleep(3000);
    for (const order of lives(world, market, (one) => !one.trigger && one.side === "B"))
      exchange.book.hit(account, order, (order.origSz / 2n / 10n ** 6n) * 10n ** 6n || order.origSz);
    const second = dieAt(world, 1, { fate });
    await Promise.race([second, sleep(4000)]);
    exchange.fate = () => "well";
    await world.gateway.answering("/healthz").catch(() => undefined);
    if (made.body?.id === undefined) continue;
    for (let at = 0; at < 4; at++) {
      await sleep(2000);
      await readTrade(world, made.body.id, market);
    }
    const { told, held, covered, row } = await readTrade(world, made.body.id, market);
    if (row.status !== 200) continue;
    if (dec(told.held_size) !== held)
      world.judge.find(
        "high",
        "a trade's held size",
        `${market} ${told.status} ${told.held_size}`,
        world.size(market),
        row,
      );
    if (covered < held)
      world.judge.find(
        told.protected ? "CRITICAL" : "high",
        "held without a stop, twelve seconds after the last death",
        `${market} ${told.status} protected ${told.protected} ${told.unprotected_because}`,
        `held ${world.size(market)}, stops ${Number(covered) / 1e8}`,
        row,
      );
    const entries = lives(world, market, (order) => !order.trigger && order.side === "B");
    const ever = [...account.orders.values()].filter(
      (order) =>
        order.coin === market &&
        !order.trigger &&
        order.side === "B" &&
        order.history.some((one) => one.status === "open"),
    );
    if (ever.length > 1 || sum(entries) + held > dec(size))
      world.judge.find(
        "CRITICAL",
        "a trade has entered twice",
        `${market} ${told.filled_size}`,
        ever.map((order) => exchange.truth.describe(order)).join("; "),
        row,
      );
  }
}

/** A stop of everything, with death at each of its steps; then flatten, the same. */
function killedStop(count, fate) {
  return async (world) => {
    const { client, exchange, account, gateway } = world;
    for (const [coin, size, price] of [
      ["BTC", "0.02", "61000"],
      ["ETH", "0.5", "3100"],
      ["xyz:TSLA", "2.5", "420"],
    ])
      world.show(await client.order(ioc(coin, "buy", size, price)));
    for (let at = 0; at < 4; at++)
      world.show(await client.order({ market: "BTC", side: "buy", size: `0.0061${at}`, price: "52001" }));
    world.show(
      await client.order({
        market: "ETH",
        side: "sell",
        size: "0.5",
        price: "2500",
        reduce_only: true,
        trigger: { price: "2700", kind: "stop_loss", market: true },
      }),
    );
    world.show(await client.insist("/v1/twaps", { market: "SOL", side: "buy", size: "25", duration_minutes: 30 }));
    world.next("order", "late:hang:1500");
    const lost = client.write("/v1/orders", {
      account: gateway.account,
      market: "SOL",
      side: "buy",
      size: "1.15",
      price: "120",
    });
    await sleep(300);
    const death = dieAt(world, count, { fate, ms: 20 });
    const asked = client.write("/v1/stop", { scope: "account" });
    await Promise.race([death, sleep(9000)]);
    exchange.fate = () => "well";
    world.show(await asked);
    await lost;
    world.show(await client.insist("/v1/stop", { scope: "account" }, [...client.wants.keys()].at(-1)));
    const stops = await client.insistGet("/v1/stops");
    const id = stops.body.data[0]?.id ?? stops.body[0]?.id;
    let stop = null;
    const from = Date.now();
    while (Date.now() - from < 60_000) {
      stop = await client.insistGet(`/v1/stops/${id}`);
      if (stop.body.status === "stopped") break;
      await sleep(500);
    }
    world.show(stop);
    const growing = exchange.truth.live(account).filter((order) => !order.reduceOnly);
    if (stop.body.status !== "stopped")
      world.judge.find("high", "not stopped after a minute", JSON.stringify(stop.body.remaining), "");
    else if (growing.length > 0 || exchange.twaps.running(account).length > 0)
      world.judge.find(
        "CRITICAL",
        "stopped, and something can still increase",
        stop.body.status,
        growing.map((order) => exchange.truth.describe(order)).join("; "),
        stop,
      );
    const before = account.orders.size;
    world.show(
      await client.write("/v1/orders", {
        account: gateway.account,
        market: "SOL",
        side: "buy",
        size: "1.16",
        price: "120",
      }),
    );
    if (account.orders.size !== before) world.judge.find("CRITICAL", "an increase under a stop", "", "");
    const second = dieAt(world, 2, { fate, ms: 20, types: ["order"] });
    const flatten = client.write(`/v1/stops/${id}/flatten`, {});
    await Promise.race([second, sleep(9000)]);
    exchange.fate = () => "well";
    world.show(await flatten);
    for (let at = 0; at < 25; at++) {
      stop = await client.insistGet(`/v1/stops/${id}`);
      if (stop.body.flatten && !/ing$/.test(stop.body.flatten.status ?? "")) break;
      await sleep(1000);
    }
    world.show(stop);
    for (const position of account.positions.values()) {
      if (position.szi < 0n)
        world.judge.find(
          "CRITICAL",
          "flattening has turned a position round",
          position.coin,
          world.size(position.coin),
          stop,
        );
      else
        world.judge.find(
          "med",
          "held after flattening",
          JSON.stringify(stop.body.flatten).slice(0, 300),
          `${position.coin} ${world.size(position.coin)}`,
          stop,
        );
    }
  };
}

/** One leverage after another, each carried out and its answer lost with the gateway; the exchange shows it all the while. */
async function killedLeverage(world) {
  const { client, exchange } = world;
  for (const [at, fate] of ["done:hang", "done:hang", "late:hang:2500"].entries()) {
    const death = dieAt(world, 1, { fate, types: ["updateLeverage"] });
    const asked = client.write("/v1/leverage", { market: "DOGE", leverage: 5 + at, margin_type: "cross" });
    await Promise.race([death, sleep(8000)]);
    exchange.fate = () => "well";
    await asked;
    const key = [...client.wants.keys()].at(-1);
    const from = Date.now();
    let row = null;
    while (Date.now() - from < 70_000) {
      row = await client.repeat(key);
      if (row.status === 200) break;
      await sleep(1500);
    }
    world.note(
      `leverage ${5 + at} ${fate}: ${row.status} ${row.body?.status} ${row.body?.error ?? ""} after ${Date.now() - from} ms; the exchange has ${JSON.stringify(exchange.views.activeAsset(world.account, "DOGE", Date.now()).leverage)}`,
    );
    world.note(JSON.stringify((await client.get("/v1/operations?limit=1")).body));
    if (row.body?.status === "unknown")
      world.judge.find(
        "high",
        "a leverage that is in force is unknown for more than a minute",
        `${fate} ${row.body.error}`,
        JSON.stringify(exchange.views.activeAsset(world.account, "DOGE", Date.now()).leverage),
        row,
      );
  }
}

export const deathScenes = {
  "killed-leverage": { play: killedLeverage },
  "killed-trades": { play: killedTrades, setup: { grace: 9000 } },
  "killed-stop-1": { play: killedStop(1, "done:hang"), setup: { grace: 9000 } },
  "killed-stop-3": { play: killedStop(3, "late:hang:2500"), setup: { grace: 9000 } },
};
