// What clients do, drawn from a seed: orders on every kind of market, batches, cancels, closes, TWAPs, leverage, margin.
import { cut, mul, num, plain, sleep } from "./codec.mjs";
import { onGrid } from "./markets.mjs";

let counter = 0;
export const nextKey = (world, what) => `${what}-${world.seed}-${String(++counter).padStart(5, "0")}`;

/** A price so many times the mark, on the grid. */
export const priceAt = (world, coin, times) => {
  const market = world.chain.lists.coin(coin);
  return plain(onGrid(market, mul(market.price, num(times))));
};

/** Sends one write under its key; where nothing comes back, or at random, it is repeated. */
export async function write(world, client, what) {
  const { path, body, key, intent = {} } = what;
  const { draw } = world;
  const full = world.intend({ client: client.name, key, path, json: JSON.stringify(body), ...intent });
  const send = async () => {
    const entry = await client.post(path, body, key);
    if (entry.status >= 200 && entry.status < 300) {
      full.wasAnswered = true;
      if (entry.answer?.id) full.ids.add(entry.answer.id);
    }
    return entry;
  };
  const both = draw.chance(0.12) ? [send(), send()] : [send()];
  let [entry] = await Promise.all(both);
  for (let i = 0; i < 2 && ([0, 202, 429].includes(entry.status) || draw.chance(0.1)); i++) {
    await sleep(entry.status === 429 ? Math.min(15, entry.retryAfter) * 1000 : draw.between(100, 3000));
    entry = await send();
  }
  return entry;
}

const PERPS = ["BTC", "ETH", "SOL", "DOGE", "xyz:XYZ100", "xyz:TSLA", "flx:OIL", "flx:TSLA"];
const SPOTS = ["PURR/USDC", "@107", "@142", "@232"];

export async function placeOne(world, client, coin = world.draw.from([...PERPS, ...PERPS, ...SPOTS])) {
  const { draw } = world;
  const isSpot = SPOTS.includes(coin);
  const side = isSpot ? "buy" : draw.from(["buy", "sell"]);
  const kind = draw.from(["far", "far", "ioc", "ioc", "near", "cross", "alo"]);
  const away = { far: 0.9, ioc: 1.01, near: 0.999, cross: 1.01, alo: 0.99 }[kind];
  const times = (side === "buy" ? away : 2 - away).toFixed(4);
  const size = world.size(coin);
  const body = {
    account: client.account,
    market: coin,
    side,
    size,
    price: priceAt(world, coin, times),
    ...(kind === "ioc" ? { time_in_force: "ioc" } : kind === "alo" ? { time_in_force: "alo" } : {}),
  };
  return write(world, client, { path: "/v1/orders", body, key: nextKey(world, "order"), intent: { coin, size, side } });
}

/** What is left of a bought coin is sold, cut to the lot: the fee was taken in that coin. */
async function sellTheRest(world, client) {
  const coin = world.draw.from(SPOTS);
  const market = world.chain.lists.coin(coin);
  const token = world.chain.lists.token(market.tokens[0]).name;
  const account = await client.get("/v1/account");
  const held = account.answer?.spot?.find((b) => b.token === token);
  if (!held) return placeOne(world, client, coin);
  const size = plain(cut(num(held.available), market.szDecimals));
  if (size === "0") return undefined;
  const body = {
    account: client.account,
    market: coin,
    side: "sell",
    size,
    price: priceAt(world, coin, "0.99"),
    time_in_force: "ioc",
  };
  return write(world, client, { path: "/v1/orders", body, key: nextKey(world, "rest") });
}

async function batch(world, client) {
  const { draw } = world;
  const group = draw.from([["BTC", "ETH", "SOL", "DOGE"], ["xyz:XYZ100", "xyz:TSLA"], ["flx:OIL", "flx:TSLA"], SPOTS]);
  const key = nextKey(world, "batch");
  const orders = Array.from({ length: draw.between(2, 5) }, () => {
    const coin = draw.from(group);
    const isSpot = group === SPOTS;
    const side = isSpot ? "buy" : draw.from(["buy", "sell"]);
    const kind = draw.from(["far", "ioc", "near", "aloBad"]);
    const away = { far: 0.9, ioc: 1.01, near: 0.999, aloBad: 1.01 }[kind];
    const order = {
      market: coin,
      side,
      size: world.size(coin),
      price: priceAt(world, coin, (side === "buy" ? away : 2 - away).toFixed(4)),
      ...(kind === "ioc" ? { time_in_force: "ioc" } : kind === "aloBad" ? { time_in_force: "alo" } : {}),
    };
    return order;
  });
  const body = { account: client.account, orders };
  for (const o of orders)
    world.intend({
      client: client.name,
      key,
      path: "/v1/orders/batch",
      json: JSON.stringify(body),
      coin: o.market,
      size: o.size,
      side: o.side,
    });
  return write(world, client, { path: "/v1/orders/batch", body, key });
}

const known = (world, client) => [
  ...new Set(
    world.told
      .filter((e) => e.client === client.name && e.method === "POST" && e.answer?.object === "order")
      .map((e) => e.answer.id),
  ),
];

async function cancelOne(world, client) {
  const ids = known(world, client);
  if (ids.length === 0) return placeOne(world, client);
  const id = world.draw.from(ids.slice(-12));
  return write(world, client, { path: `/v1/orders/${id}/cancel`, body: {}, key: nextKey(world, "cancel") });
}

async function modifyOne(world, client) {
  const id = known(world, client)
    .slice(-8)
    .reverse()
    .find(() => world.draw.chance(0.4));
  if (!id) return placeOne(world, client);
  const order = (await client.get(`/v1/orders/${id}`)).answer;
  if (order?.status !== "open") return undefined;
  const times = (order.side === "buy" ? 0.9 : 1.1) + world.draw.between(0, 20) / 1000;
  return write(world, client, {
    path: `/v1/orders/${id}/modify`,
    body: { price: priceAt(world, order.market, times.toFixed(4)) },
    key: nextKey(world, "modify"),
  });
}

async function cancelAll(world, client) {
  const { draw } = world;
  const body = {
    account: client.account,
    ...(draw.chance(0.7) ? { market: draw.from([...PERPS, ...SPOTS]) } : {}),
    ...(draw.chance(0.3) ? { side: draw.from(["buy", "sell"]) } : {}),
    ...(draw.chance(0.3) ? { keep_protection: false } : {}),
  };
  return write(world, client, { path: "/v1/orders/cancel-all", body, key: nextKey(world, "all") });
}

async function close(world, client) {
  const account = world.chain.accounts.get(client.address);
  const coins = [...account.positions.keys()];
  if (coins.length === 0) return placeOne(world, client);
  const body = {
    account: client.account,
    market: world.draw.from(coins),
    ...(world.draw.chance(0.3) ? { fraction: "0.5" } : {}),
  };
  return write(world, client, { path: "/v1/positions/close", body, key: nextKey(world, "close") });
}

async function setLeverage(world, client) {
  const { draw } = world;
  const coin = draw.from(PERPS);
  const leverage = draw.between(1, world.chain.lists.coin(coin).maxLeverage);
  const margin_type = draw.from(["cross", "isolated"]);
  const asset = world.chain.lists.idOf(world.chain.lists.coin(coin));
  const matches = (a) =>
    a.type === "updateLeverage" &&
    a.asset === asset &&
    a.leverage === leverage &&
    a.isCross === (margin_type === "cross");
  return write(world, client, {
    path: "/v1/leverage",
    body: { market: coin, leverage, margin_type },
    key: nextKey(world, "leverage"),
    intent: {
      operation: "leverage",
      matches,
      same: `leverage ${coin} ${leverage} ${margin_type}`,
    },
  });
}

async function moveMargin(world, client) {
  const account = world.chain.accounts.get(client.address);
  const coins = [...account.positions.values()].filter((p) => p.type === "isolated").map((p) => p.coin);
  if (coins.length === 0) return setLeverage(world, client);
  const coin = world.draw.from(coins);
  const amount = `${world.draw.chance(0.3) ? "-" : ""}${world.draw.between(1, 9)}.${String(++counter).padStart(6, "0")}`;
  const asset = world.chain.lists.idOf(world.chain.lists.coin(coin));
  const ntli = Number(num(amount) / 1_000_000n);
  const matches = (a) => a.type === "updateIsolatedMargin" && a.asset === asset && a.ntli === ntli;
  return write(world, client, {
    path: "/v1/margin",
    body: { market: coin, amount },
    key: nextKey(world, "margin"),
    intent: {
      operation: "margin",
      matches,
      same: `margin ${coin} ${amount}`,
    },
  });
}

async function twap(world, client) {
  const coin = world.draw.from(PERPS);
  const market = world.chain.lists.coin(coin);
  const size = plain(num(world.size(coin)) * 5n);
  const asset = world.chain.lists.idOf(market);
  const side = world.draw.from(["buy", "sell"]);
  const matches = (a) =>
    a.type === "twapOrder" && a.twap.a === asset && num(a.twap.s) === num(size) && a.twap.b === (side === "buy");
  return write(world, client, {
    path: "/v1/twaps",
    body: { market: coin, side, size, duration_minutes: 5 },
    key: nextKey(world, "twap"),
    intent: {
      operation: "twap",
      matches,
      same: `twap ${coin} ${side} ${size}`,
    },
  });
}

async function cancelTwap(world, client) {
  const account = world.chain.accounts.get(client.address);
  const all = [...account.twaps.values()];
  if (all.length === 0) return twap(world, client);
  const one = world.draw.from(all.slice(-4));
  const asset = world.chain.lists.idOf(one.market);
  const matches = (a) => a.type === "twapCancel" && a.t === one.id && a.a === asset;
  return write(world, client, {
    path: "/v1/twaps/cancel",
    body: { market: one.market.name, twap_id: one.id },
    key: nextKey(world, "untwap"),
    intent: { operation: "twap_cancel", matches, same: `untwap ${one.id}` },
  });
}

/** The same name for two accounts at once: two orders, each in its own. */
async function sameKeyTwice(world) {
  const key = nextKey(world, "shared");
  const names = Object.keys(world.clients);
  return Promise.all(
    names.map((name) => {
      const client = world.clients[name];
      const coin = world.draw.from(PERPS);
      const size = world.size(coin);
      return write(world, client, {
        path: "/v1/orders",
        body: { account: client.account, market: coin, side: "buy", size, price: priceAt(world, coin, "0.9") },
        key,
        intent: { coin, size, side: "buy" },
      });
    }),
  );
}

const KINDS = {
  spot: [placeOne, placeOne, sellTheRest, sellTheRest, cancelOne, cancelAll, close, sameKeyTwice, batch],
  batches: [batch, batch, batch, cancelAll, cancelOne, close, close, placeOne, modifyOne],
  twaps: [twap, twap, cancelTwap, cancelTwap, setLeverage, moveMargin, moveMargin, placeOne, close],
  all: [
    placeOne,
    placeOne,
    sellTheRest,
    batch,
    cancelOne,
    modifyOne,
    cancelAll,
    close,
    setLeverage,
    moveMargin,
    twap,
    cancelTwap,
    sameKeyTwice,
  ],
};
export const KIND_NAMES = Object.keys(KINDS);

/** One client at work until `end`. */
export async function work(world, client, kind, end) {
  while (Date.now() < end) {
    await world.draw
      .from(KINDS[kind])(world, client)
      .catch((error) => world.judge.say("harness", "the client has failed", { id: String(error.stack) }));
    await sleep(world.draw.between(50, 900));
  }
}
