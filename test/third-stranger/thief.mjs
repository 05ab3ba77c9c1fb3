// A searching adversary: a stolen key with rails tries whatever the interface has, and the log is held against its grant.
import { FREE, faultsOf, lagsOf, randomOf } from "./seed.mjs";
import { sleep } from "./server.mjs";

const RAILS = {
  markets: "ETH,SOL,BTC,xyz:TSLA",
  "max-order": "500 USD",
  "max-position": "1000 USD",
  "max-exposure": "1500 USD",
  "max-turnover-per-day": "4000 USD",
  "max-loss-per-day": "any",
  "max-open-orders": "12",
  may: "increase,reduce,modify,cancel,twap,stop",
  "max-distance": "3 %",
};
const COINS = { ETH: [2000, 4], SOL: [100, 2], BTC: [60000, 5], "xyz:TSLA": [250, 3] };
// Marks stand still, so that each figure has one value; a TWAP is worth three percent more than its size.
const SLACK = 1.035;

export async function steal({ binary, seed, makeWorld, write }) {
  const random = randomOf(seed);
  const world = await makeWorld({ binary, streamLag: () => random.between(0, 1_500), settings: FREE });
  const { gateway, tape, engine, exchange, account } = world;
  // The owner holds positions of their own, which no thief may reduce.
  await tape.want(world.key, "/v1/orders", {
    account,
    market: "ETH",
    side: "buy",
    size: "3",
    price: "2010",
    time_in_force: "ioc",
  });
  await tape.want(world.key, "/v1/orders", {
    account,
    market: "SOL",
    side: "sell",
    size: "40",
    price: "99",
    time_in_force: "ioc",
  });
  const owners = { ETH: 3, SOL: -40 };
  const keys = [await gateway.limitedKey("stolen", RAILS), await gateway.limitedKey("stolen", RAILS)];
  await sleep(3_000);
  const mine = new Set(engine.orders.keys());
  exchange.lag = lagsOf(random, 5_000);
  exchange.onAction = faultsOf(random, 0.25);
  const until = Date.now() + 45_000;
  const breaches = new Map();
  const watch = setInterval(() => look({ engine, owners, mine, breaches }), 100);
  await Promise.all(
    [0, 1, 2, 3]
      .map(() => attack({ world, random, keys, until }))
      .concat(accomplice({ world, random, until, mine }), kill({ world, random, until })),
  );
  await sleep(15_000);
  clearInterval(watch);
  look({ engine, owners, mine, breaches });
  const taken = tape.told.filter(
    ({ status, method }) => method === "POST" && (status === 201 || status === 200 || status === 202),
  ).length;
  const refused = tape.told.filter(({ answer }) => answer?.error?.code === "rail_refused").length;
  console.log(
    `thief-${seed}: ${breaches.size} breaches; ${tape.writes} writes, ${taken} taken, ${refused} refused by rails, ${exchange.counts.faults} faults, ${gateway.kills} kills, ${engine.fills.length} fills`,
  );
  for (const [rule, facts] of breaches) console.log(`  HARD ${rule}: ${JSON.stringify(facts)}`);
  const why = new Map();
  for (const { answer, method } of tape.told)
    if (method === "POST" && answer?.error) why.set(answer.error.code, (why.get(answer.error.code) ?? 0) + 1);
  console.log(`  refused: ${JSON.stringify(Object.fromEntries(why))}`);
  if (breaches.size > 0) write?.(`thief-${seed}`, world, [...breaches]);
  await world.end();
  return breaches.size;
}

const priced = (coin, part) => String(Number((COINS[coin][0] * (1 + part)).toPrecision(5)));

async function attack({ world, random, keys, until }) {
  const { tape, account } = world;
  const ids = [];
  while (Date.now() < until) {
    await sleep(random.between(20, 500));
    const key = random.pick(keys);
    const coin = random.pick(Object.keys(COINS));
    const side = random.pick(["buy", "sell"]);
    const sign = side === "buy" ? 1 : -1;
    const size = (usd) => String(Number((usd / COINS[coin][0]).toFixed(COINS[coin][1])));
    const usd = random.pick([20, 100, 480, 495, 900]);
    const doors = [
      () => [
        "/v1/orders",
        { market: coin, side, size: size(usd), price: priced(coin, 0.02 * sign), time_in_force: "ioc" },
      ],
      () => ["/v1/orders", { market: coin, side, size: size(usd), price: priced(coin, -0.001 * sign) }],
      () => [
        "/v1/orders",
        {
          market: coin,
          side,
          size: size(usd),
          price: priced(coin, 0.02 * sign),
          time_in_force: "ioc",
          reduce_only: true,
        },
      ],
      () => [
        "/v1/orders",
        {
          market: coin,
          side,
          size: size(usd),
          price: priced(coin, 0.03 * sign),
          trigger: { price: priced(coin, 0.005 * sign), kind: "stop_loss", market: true },
        },
      ],
      () => ["/v1/orders/market", { market: coin, side, size: size(usd), max_slippage_bps: 300 }],
      () => [
        "/v1/orders/batch",
        {
          orders: [1, 2, 3].map((k) => ({
            market: coin,
            side,
            size: size(usd / 2),
            price: priced(coin, (k - 2) * 0.001),
          })),
        },
      ],
      () => ["/v1/positions/close", { market: coin, fraction: random.pick(["1", "0.5"]) }],
      () => [
        "/v1/trades",
        {
          market: coin,
          side,
          size: size(usd),
          entry: { price: priced(coin, 0.001 * sign) },
          stop_loss: { trigger_price: priced(coin, -0.02 * sign) },
          take_profit: { trigger_price: priced(coin, 0.03 * sign) },
        },
      ],
      () => [
        "/v1/twaps",
        { market: coin, side, size: size(usd), duration_minutes: 5, reduce_only: random.chance(0.3) },
        true,
      ],
      () =>
        ids.length > 0 && [
          `/v1/orders/${random.pick(ids)}/modify`,
          {
            price: priced(coin, 0.001 * sign),
            ...(random.chance(0.5) ? { always_place: true } : {}),
            ...(random.chance(0.5) ? { size: size(usd) } : {}),
          },
          true,
        ],
      () => ids.length > 0 && [`/v1/orders/${random.pick(ids)}/cancel`, {}, true],
      () => ["/v1/orders/cancel-all", {}],
    ];
    const door = random.pick(doors)();
    if (!door) continue;
    const [route, body, isBare] = door;
    const row = await tape.want(key, route, isBare ? body : { account, ...body }, { tries: 2 });
    for (const order of row.answer?.orders ?? [row.answer]) if (order?.object === "order") ids.push(order.id);
    if (ids.length > 12) ids.splice(0, ids.length - 12);
    if (random.chance(0.1) && row.status === 202)
      await tape.want(key, route, isBare ? body : { account, ...body }, { name: row.name, tries: 1 });
  }
}

// Takes what rests before anything shows it: all of it, or nearly.
async function accomplice({ world, random, until, mine }) {
  const { engine } = world;
  while (Date.now() < until) {
    await sleep(random.between(20, 400));
    const resting = engine.live().filter((order) => !order.trigger && !mine.has(order.oid));
    if (resting.length > 0)
      engine.hit(
        random.pick(resting).oid,
        random.chance(0.3) ? Number((random.pick(resting).sz * 0.9).toFixed(2)) : undefined,
      );
    for (const order of engine.live()) if (order.trigger && !order.ro && random.chance(0.1)) engine.fire(order);
  }
}

async function kill({ world, random, until }) {
  while (Date.now() < until) {
    await sleep(random.between(8_000, 20_000));
    await world.gateway.kill();
    await world.gateway.start();
  }
}

function look({ engine, owners, mine, breaches }) {
  const note = (rule, facts) => breaches.has(rule) || breaches.set(rule, { at: new Date().toISOString(), ...facts });
  let exposure = 0;
  for (const [coin, [mark]] of Object.entries(COINS)) {
    const net = engine.positionOf(coin).szi - (owners[coin] ?? 0);
    const usd = Math.abs(net) * mark;
    exposure += usd;
    if (usd > 1000 * SLACK) note("more is held in a market than its rail", { coin, net, usd });
    const owner = owners[coin] ?? 0;
    if (owner !== 0 && net * owner < 0 && Math.abs(net) * mark > 15)
      note("others' position is reduced", { coin, net, owner });
  }
  if (exposure > 1500 * SLACK) note("more is held in all than its rail", { exposure });
  const fills = engine.fills.filter((fill) => !mine.has(fill.oid));
  // What only reduces is never refused by it, so that is not counted here.
  const turnover = fills.reduce((sum, fill) => (fill.ro ? sum : sum + fill.sz * fill.px), 0);
  if (turnover > 4_000 * SLACK) note("more is traded by what increases than its rail", { turnover });
  for (const order of engine.orders.values()) {
    if (mine.has(order.oid) || order.ro || order.origin !== "gateway") continue;
    const [mark] = COINS[order.coin];
    if (order.orig * Math.max(order.px, mark, order.trigger?.px ?? 0) > 500 * 1.001)
      note("an order of more than its rail", { oid: order.oid, orig: order.orig, px: order.px });
    const away = (order.buy ? 1 : -1) * (order.px / (order.trigger?.px ?? mark) - 1);
    if (away > 0.0301) note("an order further from the market than its rail", { oid: order.oid, away });
  }
}
