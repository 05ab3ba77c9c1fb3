// A round drawn from a number: four clients at once, the market, the exchange's own hand, and deaths.
import { grains, sleep } from "./grain.mjs";
import { roughDoor, roughFeed, roughInfo, roughLags, WORDS } from "./weather.mjs";

const COINS = ["BTC", "ETH", "SOL", "xyz:GOLD", "abc:GOLD", "xyz:TSLA", "PURR/USDC", "@107"];

/** From a hundred on everything is wrong at once. */
const STORM = { rough: 1, lagMs: 60_000, door: 0.35, info: 0.08, kills: 3, offsetMs: 0 };

export async function round(world, seed) {
  const { random } = world;
  const profile = {
    rough: random.of([0, 0.3, 1, 1]),
    lagMs: random.of([0, 500, 5000, 30_000, 120_000]),
    door: random.of([0, 0.1, 0.3]),
    info: random.of([0, 0, 0.1]),
    kills: random.of([0, 0, 1, 3]),
    offsetMs: random.of([0, 0, -240_000, 180_000]),
    forMs: 45_000,
  };
  if (seed >= 100) Object.assign(profile, STORM);
  world.tape.note("profile", profile);
  process.stdout.write(`seed ${seed} ${JSON.stringify(profile)}\n`);
  await world.open({ offsetMs: profile.offsetMs });
  if (profile.rough) world.feed.way = roughFeed(random, profile.rough);
  if (profile.lagMs) {
    world.door.lag = roughLags(random, profile.lagMs);
    if (random.chance(0.5)) world.feed.lag = roughLags(random, Math.min(profile.lagMs, 30_000));
  }
  if (profile.door) world.door.fate = roughDoor(random, profile.door);
  if (profile.info) world.door.infoFate = roughInfo(random, profile.info);
  world.venue.market("SOL").depth = grains("0.3");
  const until = Date.now() + profile.forMs;
  const bots = Array.from({ length: 4 }, (_, i) => bot(world, world.callers[i % 3], until));
  await Promise.all([...bots, market(world, until), readers(world, until), deaths(world, profile.kills, until)]);
  await world.rest();
}

async function bot(world, caller, until) {
  const { random } = world;
  const mine = [];
  while (Date.now() < until) {
    await act(world, caller, mine).catch((why) => world.tape.note("bot", { why: String(why) }));
    await sleep(random.between(50, 900));
  }
}

async function act(world, caller, mine) {
  const { random } = world;
  const coin = random.of(COINS);
  const side = random.of(["buy", "sell"]);
  const id = mine.length ? random.of(mine) : null;
  const p = random.next();
  if (p < 0.3 || !id) {
    const more = random.of([
      { thousandths: 10 },
      { thousandths: 30 },
      { thousandths: 15, time_in_force: "alo" },
      { thousandths: -5, time_in_force: "ioc" },
      { thousandths: -4 },
      { thousandths: -4, reduce_only: true, time_in_force: "ioc" },
    ]);
    const isSpot = world.venue.market(coin).spot;
    const { reduce_only: _, ...spot } = more;
    return keep(
      mine,
      await repeated(world, caller, "/v1/orders", orderBody(world, caller, { coin, side, ...(isSpot ? spot : more) })),
    );
  }
  if (p < 0.5) {
    const told = await caller.get(`/v1/orders/${id}`);
    if (told.json?.object !== "order") return;
    const thousandths = random.between(5, 40);
    return repeated(world, caller, `/v1/orders/${id}/modify`, {
      price: world.price(told.json.market, told.json.side === "buy", thousandths),
      ...(random.chance(0.2) ? { always_place: true } : {}),
    });
  }
  if (p < 0.65) return repeated(world, caller, `/v1/orders/${id}/cancel`, {});
  if (p < 0.7) {
    const orders = Array.from({ length: 8 }, () => {
      const { account: _, ...order } = orderBody(world, caller, {
        coin: random.of(["BTC", "ETH", "xyz:GOLD"]),
        side,
        thousandths: random.between(5, 30),
      });
      return order;
    });
    const row = await repeated(world, caller, "/v1/orders/batch", { account: caller.account, orders });
    for (const order of row.json?.orders ?? []) mine.push(order.id);
    return;
  }
  if (p < 0.74)
    return repeated(world, caller, "/v1/orders/cancel-all", {
      account: caller.account,
      ...(random.chance(0.5) ? { market: coin } : {}),
    });
  if (p < 0.8)
    return keep(
      mine,
      await repeated(world, caller, "/v1/positions/close", {
        account: caller.account,
        market: random.of(COINS.slice(0, 6)),
        ...(random.chance(0.5) ? { fraction: "0.5" } : {}),
      }),
    );
  if (p < 0.86)
    return repeated(world, caller, "/v1/twaps", {
      market: random.of(["BTC", "xyz:GOLD"]),
      side,
      size: world.size("BTC"),
      duration_minutes: 30,
    });
  if (p < 0.9) {
    const running = world.truth(caller).twaps.find((of) => of.states.now.status === "activated");
    if (running) return repeated(world, caller, "/v1/twaps/cancel", { market: running.coin, twap_id: running.id });
    return;
  }
  if (p < 0.95)
    return repeated(world, caller, "/v1/leverage", {
      market: random.of(COINS.slice(0, 6)),
      leverage: (world.count++ % 38) + 2,
      margin_type: "cross",
    });
  const trigger = { price: world.price("BTC", true, 30), kind: "stop_loss", market: true };
  return keep(
    mine,
    await repeated(world, caller, "/v1/orders", {
      ...orderBody(world, caller, { coin: "BTC", side: "sell", thousandths: -40 }),
      reduce_only: true,
      trigger,
    }),
  );
}

function orderBody(world, caller, { coin, side, thousandths, ...rest }) {
  return {
    account: caller.account,
    market: coin,
    side,
    size: world.size(coin),
    price: world.price(coin, side === "buy", thousandths),
    ...rest,
  };
}
const keep = (mine, row) => {
  if (row?.json?.object === "order") mine.push(row.json.id);
  return row;
};

/** A request that is repeated at odd moments, by several at once, and once with another body. */
async function repeated(world, caller, path, body) {
  const { random } = world;
  const name = world.name(path.split("/").at(-1));
  const first = caller.insist(path, name, body, 12_000);
  if (random.chance(0.25)) {
    await sleep(random.between(0, 300));
    await Promise.all([caller.post(path, name, body), caller.post(path, name, body), caller.post(path, name, body)]);
  }
  const row = await first;
  if (random.chance(0.15)) setTimeout(() => caller.post(path, name, body), random.between(10, 15_000)).unref();
  if (random.chance(0.1) && path === "/v1/orders")
    await caller.post(path, name, { ...body, size: world.size(body.market) }, { isOther: true });
  return row;
}

async function market(world, until) {
  const { random, venue } = world;
  while (Date.now() < until) {
    const open = venue.orders.filter((of) => of.by && venue.isOpen(of));
    const order = open.length ? random.of(open) : null;
    const p = random.next();
    if (order && p < 0.4 && !order.trigger) venue.take(order, random.chance(0.4) ? order.size : part(venue, order));
    else if (order && p < 0.47) venue.force(order, random.of(WORDS));
    else if (order?.trigger && p < 0.6) venue.fire(order);
    const twaps = world.callers
      .flatMap((of) => world.truth(of).twaps)
      .filter((of) => of.states.now.status === "activated");
    if (twaps.length && random.chance(0.3)) world.deeds.slice(random.of(twaps), grains("0.0003"));
    if (random.chance(0.03)) world.feed.drop();
    await sleep(random.between(50, 700));
  }
}
function part(venue, order) {
  const step = 10n ** BigInt(8 - venue.market(order.coin).szDecimals.now);
  return (order.size / 3n / step || 1n) * step;
}

async function readers(world, until) {
  const { random } = world;
  while (Date.now() < until) {
    const caller = random.of(world.callers);
    const known = [
      ...new Set(
        world.tape
          .of("told")
          .filter((of) => of.account === caller.account && of.json?.object === "order")
          .map((of) => of.json.id),
      ),
    ];
    const path = random.of([
      "/v1/positions",
      "/v1/orders?status=open&limit=200",
      "/v1/fills?limit=100",
      "/v1/orders?limit=100",
      "/v1/twaps",
      "/v1/operations",
      "/v1/account",
      "one",
      "one",
      "one",
    ]);
    await caller.get(path === "one" ? `/v1/orders/${known.length ? random.of(known) : "1"}` : path);
    await sleep(random.between(30, 300));
  }
}

async function deaths(world, kills, until) {
  for (let i = 0; i < kills; i++) {
    await sleep(world.random.between(4000, 14_000));
    if (Date.now() < until) await world.restart();
  }
}
