// A minute of everything at once, drawn from a seed: writes of all kinds, stores that are late each by itself, faults, kills.
import { MARKETS } from "./markets.mjs";
import { sleep } from "./server.mjs";

const PLAY_MS = 45_000;
// Without its own limit of weight more is asked for in a minute, and more can go wrong.
export const FREE = { POSTERN_EXCHANGE_WEIGHT: "0" };
const WORDS = [
  "The moon is in the wrong house.",
  "Temporarily unavailable, please retry.",
  "Insufficient margin to place order.",
  "Open interest is increasing too quickly. Try again in a few seconds.",
];

export function randomOf(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (most) => Math.floor(next() * most);
  return {
    next,
    below,
    chance: (part) => next() < part,
    pick: (list) => list[below(list.length)],
    between: (from, to) => from + next() * (to - from),
  };
}

// Each store draws anew for each request: mostly fresh, sometimes a few seconds old, now and then much older.
export function lagsOf(random, worstMs) {
  return (store) => {
    if (store === "settings") return random.between(0, 400);
    const draw = random.next();
    if (draw < 0.6) return random.between(0, 300);
    return draw < 0.9 ? random.between(0, 2_500) : random.between(0, worstMs);
  };
}

export function faultsOf(random, rate) {
  const lose = () => random.pick(["reset", "502", "hang", "429"]);
  const kinds = [
    () => ({ lose: lose() }),
    () => ({ drop: lose() }),
    () => ({ runLaterMs: random.between(200, 11_500), lose: lose() }),
    () => ({ waitMs: random.between(100, 6_000) }),
    () => ({ answerLaterMs: random.between(100, 7_000) }),
    () => ({ twiceMs: random.between(10, 9_000) }),
    () => ({ refusal: { words: random.pick(WORDS), burns: random.chance(0.6) } }),
    () => ({ refusal: { words: WORDS[0], burns: false }, twiceMs: random.between(500, 8_000) }),
  ];
  return ({ action }) => (action.type !== "approveAgent" && random.chance(rate) ? random.pick(kinds)() : {});
}

export async function playSeed({ binary, seed, makeWorld }) {
  const random = randomOf(seed);
  const world = await makeWorld({
    binary,
    streamLag: () => (random.chance(0.5) ? 0 : random.between(0, 3_000)),
    clockOffMs: random.pick([0, 0, -7_000, 20_000]),
    settings: FREE,
  });
  world.wanted = new Map();
  world.random = random;
  const bot = await world.gateway.limitedKey("grid-1", {
    markets: "BTC,ETH,SOL,xyz:GOLD,xyz:TSLA",
    "max-loss-per-day": "any",
    may: "increase,reduce,modify,cancel,twap",
  });
  const botStream = world.tape.follow(bot);
  world.keys = [world.key, world.key, bot];
  world.exchange.lag = lagsOf(random, random.pick([4_000, 12_000, 20_000]));
  world.exchange.onAction = faultsOf(random, random.pick([0.1, 0.2, 0.35]));
  world.exchange.onInfo = ({ type }) =>
    type !== "exchangeStatus" && random.chance(0.02)
      ? random.pick([{ reset: true }, { status: 502, body: "x" }, { status: 429, body: null }])
      : undefined;
  const until = Date.now() + PLAY_MS;
  await Promise.all([
    ...Array.from({ length: 7 }, () => client(world, until)),
    reader(world, until),
    market(world, until),
    trouble(world, until),
    stopper(world, until),
  ]);
  for (const key of [world.key]) await world.tape.get(key, "/v1/orders?limit=500");
  botStream.leave();
  return [world, [], { settleMs: 75_000 }];
}

const decimals = (value, places) => String(Number(value.toFixed(places)));
const priceOf = (world, { coin, tick }, part) => {
  const places = Math.max(0, Math.round(-Math.log10(tick)));
  const exact = world.engine.mark.get(coin) * (1 + part);
  return decimals(Number(exact.toPrecision(5)), places);
};

function some(world, random) {
  const perps = MARKETS.filter(({ dex }) => dex !== "spot");
  const one = random.pick(perps);
  const side = random.pick(["buy", "sell"]);
  const size = decimals(random.between(60, 240) / world.engine.mark.get(one.coin), one.szDecimals);
  return { one, market: one.coin, side, size, sign: side === "buy" ? 1 : -1 };
}

async function client(world, until) {
  const { random, tape, account } = world;
  while (Date.now() < until) {
    await sleep(random.between(100, 900));
    const key = random.pick(world.keys);
    const wish = random.pick(WISHES)(world, some(world, random), random, key);
    if (!wish) continue;
    const name = tape.name("s");
    const row = await tape.want(key, wish.route, wish.isBare ? wish.body : { account, ...wish.body }, { name });
    if (wish.matches && row.answer?.object === "operation")
      world.wanted.set(row.answer.id, { body: wish.body, matches: wish.matches, isAlone: wish.isAlone });
    if (row.answer?.object === "order") world.known = [...(world.known ?? []), row.answer.id].slice(-20);
    if (row.answer?.object === "trade") world.trades = [...(world.trades ?? []), row.answer.id];
    if (random.chance(0.1))
      await tape.want(key, wish.route, wish.isBare ? wish.body : { account, ...wish.body }, { name, tries: 2 });
  }
}

const WISHES = [
  (world, { one, market, side, size, sign }) => ({
    route: "/v1/orders",
    body: { market, side, size, price: priceOf(world, one, -0.004 * sign) },
  }),
  (world, { one, market, side, size, sign }) => ({
    route: "/v1/orders",
    body: { market, side, size, price: priceOf(world, one, 0.004 * sign), time_in_force: "ioc" },
  }),
  (_world, { market, side, size }) => ({ route: "/v1/orders/market", body: { market, side, size } }),
  (world, { one, market, side, size, sign }) => ({
    route: "/v1/orders/batch",
    body: {
      orders: [0.003, 0.006, -0.002].map((part) => ({ market, side, size, price: priceOf(world, one, -part * sign) })),
    },
  }),
  (world, { one, market, side, size, sign }) => ({
    route: "/v1/trades",
    body: {
      market,
      side,
      size,
      entry: { price: priceOf(world, one, -0.003 * sign) },
      stop_loss: { trigger_price: priceOf(world, one, -0.03 * sign) },
      take_profit: { trigger_price: priceOf(world, one, 0.02 * sign) },
    },
  }),
  (world, { one, market, side, size, sign }) => ({
    route: "/v1/trades",
    body: {
      market,
      side,
      size,
      entry: { price: priceOf(world, one, 0.003 * sign), time_in_force: "ioc" },
      stop_loss: { trigger_price: priceOf(world, one, -0.01 * sign) },
    },
  }),
  (_world, _some, random, key) =>
    key.rails
      ? undefined
      : {
          route: "/v1/positions/close",
          body: { market: random.pick(["BTC", "ETH", "SOL", "xyz:TSLA"]), fraction: random.pick(["0.5", "1"]) },
        },
  (_world, _some, random) => ({
    route: "/v1/orders/cancel-all",
    body: random.chance(0.5) ? {} : { market: random.pick(["BTC", "ETH", "SOL"]) },
  }),
  (world, _some, random) =>
    world.known && { route: `/v1/orders/${random.pick(world.known)}/cancel`, body: {}, isBare: true },
  (world, { one, sign }, random) =>
    world.known && {
      route: `/v1/orders/${random.pick(world.known)}/modify`,
      body: { price: priceOf(world, one, -0.005 * sign), ...(random.chance(0.3) ? { always_place: true } : {}) },
      isBare: true,
    },
  (world, _some, random) =>
    world.trades && { route: `/v1/trades/${random.pick(world.trades)}/cancel`, body: {}, isBare: true },
  (world, { one }, random) =>
    world.trades && {
      route: `/v1/trades/${random.pick(world.trades)}/modify`,
      body: { stop_loss: { trigger_price: priceOf(world, one, random.pick([-0.02, 0.02])) } },
      isBare: true,
    },
  (world, { one }, random, key) => !key.rails && { route: "/v1/twaps", isBare: true, ...twap(world, one, random) },
  (_world, _some, random, key) => !key.rails && { route: "/v1/leverage", isBare: true, ...leverage(random) },
  (_world, { side }, random, key) =>
    !key.rails && {
      route: "/v1/orders/market",
      body: { market: "PURR/USDC", side, size: String(100 + random.below(200)) },
    },
];

let unique = 0;

function twap(world, { coin, asset, szDecimals }, random) {
  const size = Number(
    (random.between(150, 400) / world.engine.mark.get(coin) + ++unique * 10 ** -szDecimals).toFixed(szDecimals),
  );
  const body = {
    market: coin,
    side: random.pick(["buy", "sell"]),
    size: String(size),
    duration_minutes: 5 + random.below(30),
  };
  const isThis = ({ kind, status, coin: where, size: much, buy }) =>
    kind === "twap" && status === "activated" && where === coin && much === size && buy === (body.side === "buy");
  return { body, matches: isThis, asset };
}

// No two alike in a seed, so that the log tells whose each was; a value that comes again is not judged.
const asked = new Map();
function leverage(random) {
  const body = { market: random.pick(["BTC", "ETH", "SOL"]), leverage: 1 + random.below(19), margin_type: "cross" };
  const name = `${body.market}${body.leverage}`;
  asked.set(name, (asked.get(name) ?? 0) + 1);
  const isThis = (row) => row.kind === "leverage" && row.coin === body.market && row.leverage === body.leverage;
  return { body, matches: isThis, isAlone: () => asked.get(name) === 1 };
}

// In half of the seeds everything is stopped in the middle, while much is under way.
async function stopper(world, until) {
  const { random, tape } = world;
  if (random.chance(0.5)) return;
  await sleep(random.between(12_000, 30_000));
  const stop = await tape.want(
    world.key,
    "/v1/stop",
    { scope: random.pick(["account", "bot"]), keep_protection: random.chance(0.7) },
    { tries: 30 },
  );
  if (!stop.answer?.id) return;
  if (random.chance(0.4)) await tape.want(world.key, `/v1/stops/${stop.answer.id}/flatten`, {});
  world.stopId = stop.answer.id;
  for (; Date.now() < until; await sleep(1_000)) await tape.get(world.key, `/v1/stops/${stop.answer.id}`);
}

async function reader(world, until) {
  const { random, tape } = world;
  while (Date.now() < until) {
    await sleep(random.between(200, 900));
    const routes = [
      "/v1/positions",
      "/v1/orders?status=open",
      "/v1/trades",
      "/v1/fills",
      "/v1/account",
      "/v1/twaps",
      ...(world.known ?? []).slice(-3).map((id) => `/v1/orders/${id}`),
      ...(world.trades ?? []).slice(-2).map((id) => `/v1/trades/${id}`),
    ];
    await tape.get(world.key, random.pick(routes));
  }
}

async function market(world, until) {
  const { random, engine } = world;
  while (Date.now() < until) {
    await sleep(random.between(300, 1_500));
    const { coin, tick, px } = random.pick(MARKETS);
    if (random.chance(0.5))
      engine.move(coin, Number((Math.round((px * (1 + random.between(-0.008, 0.008))) / tick) * tick).toFixed(8)));
    const resting = engine.live().filter((order) => !order.trigger);
    if (resting.length > 0 && random.chance(0.6)) {
      const order = random.pick(resting);
      engine.hit(order.oid, random.chance(0.4) ? undefined : Number((order.sz * random.between(0.2, 0.8)).toFixed(3)));
    }
  }
}

async function trouble(world, until) {
  const { random, gateway, exchange } = world;
  while (Date.now() < until) {
    await sleep(random.between(4_000, 12_000));
    const draw = random.next();
    if (draw < 0.35) {
      await gateway.kill();
      await sleep(random.between(100, 2_000));
      await gateway.start();
    } else if (draw < 0.6) for (const socket of exchange.sockets) socket.terminate();
    else if (draw < 0.8) {
      const mute = random.pick([/orderUpdates/, /openOrders/, /userFills/, /clearinghouse/i, /./]);
      exchange.isSilent = (channel) => mute.test(channel);
      await sleep(random.between(2_000, 12_000));
      exchange.isSilent = undefined;
    } else {
      const before = exchange.onAction;
      exchange.onAction = () => ({ drop: random.pick(["reset", "502", "hang"]) });
      await sleep(random.between(1_000, 8_000));
      exchange.onAction = before;
    }
  }
  exchange.isSilent = undefined;
  if (gateway.process.signalCode !== null) await gateway.start();
}
