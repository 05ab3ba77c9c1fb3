// TWAPs, leverage and margin whose answers are lost, late or strange; deaths in the middle of each kind of write.
import { dec } from "./codec.mjs";
import { sleep } from "./world.mjs";

const ioc = (market, side, size, price) => ({ market, side, size, price, time_in_force: "ioc" });

async function hold(world, market, size, { leverage = 5, type = "isolated", price = null } = {}) {
  world.show(await world.client.insist("/v1/leverage", { market, leverage, margin_type: type }));
  const limit = price ?? { ETH: "3100", BTC: "61000", SOL: "155", "xyz:TSLA": "420" }[market];
  world.show(await world.client.order(ioc(market, "buy", size, limit)));
}

async function twapsLost(world) {
  const { client, exchange, account } = world;
  for (const [at, fate] of [
    "done:reset",
    "done:html",
    "done:garbage",
    "never:reset",
    "done:other",
    "done:null",
    "late:reset:4000",
    "done:429",
  ].entries()) {
    world.next("twapOrder", fate);
    world.show(
      await client.write("/v1/twaps", {
        market: "SOL",
        side: at % 2 ? "sell" : "buy",
        size: `${10 + at}`,
        duration_minutes: 30 + at,
      }),
    );
    for (const twap of exchange.twaps.running(account)) exchange.twaps.slice(account, twap, dec("0.5"));
    await sleep(900);
  }
  world.note(`twaps: ${[...account.twaps.values()].map((twap) => exchange.twaps.describe(twap)).join("; ")}`);
}

async function twapsEnd(world) {
  const { client, exchange, account } = world;
  const start = async (size, extra = {}) =>
    world.show(await client.insist("/v1/twaps", { market: "SOL", side: "buy", size, duration_minutes: 30, ...extra }));
  for (const size of ["10", "11", "12", "13", "14"]) await start(size);
  const [whole, elsewhere, failed, short, ours] = exchange.twaps.running(account);
  for (let at = 0; at < 4; at++) {
    for (const twap of exchange.twaps.running(account)) exchange.twaps.slice(account, twap, dec("0.37"));
    await sleep(300);
    world.show(await client.get("/v1/twaps"));
  }
  exchange.twaps.slice(account, whole, dec("100"));
  exchange.twaps.finish(elsewhere, "terminated");
  exchange.twaps.finish(failed, "error", "Insufficient margin to place order.");
  exchange.twaps.finish(short, "finished");
  world.next("twapCancel", "done:reset");
  world.show(await client.write("/v1/twaps/cancel", { market: "SOL", twap_id: ours.id }));
  world.show(await client.insist("/v1/twaps/cancel", { market: "SOL", twap_id: elsewhere.id }));
  for (let at = 0; at < 6; at++) {
    await sleep(1000);
    world.show(await client.get("/v1/twaps"));
  }
}

/** Stores of TWAPs are behind, fills before and after them. */
async function twapsLag(world) {
  const { client, exchange, account } = world;
  exchange.lag.fixed = {
    twap: 9000,
    "ws.twapStates": 9000,
    "ws.userTwapHistory": 12000,
    fills: 3000,
    "ws.userFills": 3000,
  };
  world.next("twapOrder", "done:reset");
  world.show(await client.write("/v1/twaps", { market: "ETH", side: "buy", size: "1.5", duration_minutes: 45 }));
  world.show(await client.write("/v1/twaps", { market: "ETH", side: "buy", size: "1.5", duration_minutes: 45 }));
  for (let at = 0; at < 8; at++) {
    for (const twap of exchange.twaps.running(account)) exchange.twaps.slice(account, twap, dec("0.1"));
    await sleep(1000);
    world.show(await client.get("/v1/twaps"));
  }
  const [first] = exchange.twaps.running(account);
  world.show(await client.write("/v1/twaps/cancel", { market: "ETH", twap_id: first.id }));
  world.show(await client.get("/v1/twaps"));
}

async function marginLost(world) {
  const { client, exchange } = world;
  await hold(world, "ETH", "1");
  for (const [amount, fate] of [
    ["11.5", "done:reset"],
    ["12.5", "never:reset"],
    ["13.5", "done:html"],
    ["-3.25", "done:garbage"],
    ["14.5", "late:reset:5000"],
    ["15.5", "done:429"],
  ]) {
    world.next("updateIsolatedMargin", fate);
    world.show(await client.write("/v1/margin", { market: "ETH", amount }));
    exchange.markets.move("ETH", "1.001");
  }
  world.show(await client.write("/v1/margin", { market: "ETH", amount: "-100000" }));
  world.show(await client.write("/v1/margin", { market: "BTC", amount: "7" }));
}

/** Margin lost while the position fills, is closed, and its store is late. */
async function marginMoves(world) {
  const { client, exchange, account } = world;
  await hold(world, "ETH", "1");
  exchange.lag.fixed = { state: 6000, "ws.clearinghouseState": 6000, "ws.allDexsClearinghouseState": 6000 };
  world.next("updateIsolatedMargin", "done:reset");
  const first = client.write("/v1/margin", { market: "ETH", amount: "21.5" });
  await sleep(500);
  await client.order(ioc("ETH", "buy", "0.3", "3100"));
  exchange.book.closeOutside(account, "ETH", { fraction: dec("0.5") });
  world.show(await first);
  world.next("updateIsolatedMargin", "never:reset");
  const second = client.write("/v1/margin", { market: "ETH", amount: "22.5" });
  await sleep(500);
  account.cash[""] -= dec("22.5");
  account.positions.get("ETH").raw += dec("22.5"); // the same amount, by hand elsewhere
  exchange.truth.snap(account);
  world.show(await second);
}

async function leverageLost(world) {
  const { client, exchange, account } = world;
  for (const [market, leverage, type, fate] of [
    ["ETH", 7, "isolated", "done:reset"],
    ["BTC", 9, "cross", "never:reset"],
    ["SOL", 3, "isolated", "late:reset:4000"],
    ["xyz:TSLA", 4, "cross", "done:html"],
    ["ETH", 99, "cross", "done:reset"],
    ["DOGE", 6, "isolated", "done:garbage"],
  ]) {
    exchange.lag.fixed.leverage = 3000;
    world.next("updateLeverage", fate);
    world.show(await client.write("/v1/leverage", { market, leverage, margin_type: type }));
  }
  world.next("updateLeverage", "done:reset");
  const changed = client.write("/v1/leverage", { market: "SOL", leverage: 8, margin_type: "cross" });
  await sleep(400);
  account.leverage.set("SOL", { type: "cross", value: 2 }); // and changed again elsewhere
  exchange.truth.snap(account);
  world.show(await changed);
}

const WRITES = {
  modify: async (world, ids) => world.client.write(`/v1/orders/${ids.order}/modify`, { price: "56000" }),
  cancel: async (world, ids) => world.client.write(`/v1/orders/${ids.order}/cancel`, {}),
  order: async (world, ids) =>
    world.client.write("/v1/orders", {
      account: world.gateway.account,
      ...ioc("BTC", "buy", `0.0032${ids.at}`, "61000"),
    }),
  twap: async (world, ids) =>
    world.client.write("/v1/twaps", { market: "SOL", side: "buy", size: `1${ids.at + 1}`, duration_minutes: 31 }),
  leverage: async (world, ids) =>
    world.client.write("/v1/leverage", { market: "DOGE", leverage: 5 + ids.at, margin_type: "cross" }),
  margin: async (world, ids) => world.client.write("/v1/margin", { market: "ETH", amount: `1${ids.at}.5` }),
  close: async (world) =>
    world.client.write("/v1/positions/close", { account: world.gateway.account, market: "xyz:TSLA" }),
  batch: async (world, ids) =>
    world.client.write("/v1/orders/batch", {
      account: world.gateway.account,
      orders: [
        { market: "BTC", side: "buy", size: `0.0011${ids.at}`, price: "51000" },
        { market: "BTC", side: "buy", size: `0.0012${ids.at}`, price: "61000", time_in_force: "ioc" },
      ],
    }),
};

/** Killed when the exchange has it, executed or not, before the answer. */
function killed(kinds) {
  return async (world) => {
    const { client, exchange } = world;
    await hold(world, "ETH", "1");
    world.show(await client.order(ioc("xyz:TSLA", "buy", "2.5", "420")));
    const types = {
      modify: "batchModify",
      cancel: "cancel",
      order: "order",
      twap: "twapOrder",
      leverage: "updateLeverage",
      margin: "updateIsolatedMargin",
      close: "order",
      batch: "order",
    };
    for (const kind of kinds) {
      for (const [at, fate] of ["done:hang", "late:hang:2500", "never:hang"].entries()) {
        const order = world.show(
          await client.order({
            market: "BTC",
            side: "buy",
            size: `0.00${200 + Math.floor(Math.random() * 700)}`,
            price: "55000",
          }),
        );
        const arrived = world.next(types[kind], fate);
        const asked = WRITES[kind](world, { order: order.body.id, at });
        await Promise.race([arrived, sleep(6000)]);
        await sleep(60);
        await world.gateway.restart();
        world.show(await asked);
        const key = [...client.wants.keys()].at(-1);
        for (let at = 0; at < 12; at++) {
          const again = world.show(await client.repeat(key));
          if (again.status === 200 || again.status === 201) break;
          await sleep(1500);
        }
        exchange.fate = () => "well";
      }
    }
  };
}

/** Two changes of one market whose answers are lost, without a death. */
async function leverageTwice(world) {
  const { client, exchange, account } = world;
  for (const leverage of [5, 6, 7]) {
    world.next("updateLeverage", "done:reset");
    let row = await client.write("/v1/leverage", { market: "DOGE", leverage, margin_type: "cross" });
    const from = row.t0;
    while (row.status === 202 && Date.now() - from < 30_000) {
      await sleep(1500);
      row = await client.repeat(row.key);
    }
    world.note(
      `leverage ${leverage}: ${row.status} ${row.body?.status} ${row.body?.error ?? ""} after ${Date.now() - from} ms; the exchange has ${JSON.stringify(exchange.views.activeAsset(account, "DOGE", Date.now()).leverage)}`,
    );
  }
}

export const operationScenes = {
  "leverage-twice": { play: leverageTwice },
  "twaps-lost": { play: twapsLost },
  "twaps-end": { play: twapsEnd },
  "twaps-lag": { play: twapsLag, setup: { grace: 16000 } },
  "margin-lost": { play: marginLost },
  "margin-moves": { play: marginMoves, setup: { grace: 9000 } },
  "leverage-lost": { play: leverageLost },
  "killed-modify": { play: killed(["modify", "cancel"]) },
  "killed-operations": { play: killed(["twap", "leverage", "margin"]) },
  "killed-orders": { play: killed(["order", "close", "batch"]) },
};
