// Moments in which a position may lose its protection: each a scene of its own.
import { closes } from "./closes.mjs";
import { deaths } from "./deaths.mjs";
import { bare, gaps, holders } from "./guard.mjs";
import { code, is, note, rig, sleep, until, words } from "./rig.mjs";

const wide = {
  markets: "BTC,ETH,SOL,xyz:TSLA",
  may: "increase,reduce,modify,cancel,twap,stop",
  max_order: "any",
  max_position: "any",
  max_exposure: "any",
  max_turnover_per_day: "any",
};
const isModify = ({ type }) => type === "batchModify";
const isStop = (action) => action.type === "order" && action.orders[0].t.trigger?.tpsl === "sl";
const tradeOf = async (key, id) => (await key.get(`/v1/trades/${id}`)).body;
const safe = (world, sentence, coins) =>
  is("B", sentence, gaps(world.chain, world.from, coins).length === 0 && bare(world.chain).length === 0, {
    gaps: gaps(world.chain, world.from, coins),
    bare: bare(world.chain),
  });

// A trade whose entry fills in parts; another position in the market makes it `after_fills`.
async function entering(world, rails = {}, more = {}) {
  const bot = await world.gateway.bot("enter", { ...wide, ...rails }, more);
  await world.plain.order("SOL", "buy", "1", "102", { time_in_force: "ioc" });
  await world.plain.stopLoss("SOL", "sell", "1", "90", "85");
  await sleep(1500);
  const made = await bot.trade("SOL", "buy", "10", "98", "90");
  const order = await until(() => world.chain.open("SOL").find(({ side, trigger }) => side === "B" && !trigger), 8000);
  return { bot, id: made.body.id, order, made };
}

function part(world, order, size) {
  world.chain.fill(order, size, order.price);
}

const whole = (world, size, ms = 20_000) => until(() => world.chain.protection("SOL") >= size - 1e-9, ms, 50);

export const moments = {
  async modifyRefused() {
    const world = await holders();
    world.chain.refuse.push({
      test: ({ trigger }) => trigger?.tpsl === "sl",
      words: "Invalid TP/SL price.",
      status: "badTriggerPxRejected",
    });
    const answer = await world.bots.trade.post(`/v1/trades/${world.trade.id}/modify`, {
      stop_loss: { trigger_price: "1850" },
    });
    note("modify", {
      status: answer.status,
      stop: answer.body.stop_loss,
      protected: answer.body.protected,
      error: answer.body.error,
    });
    await sleep(12_000);
    safe(world, "a trade's stop that is moved and refused leaves no gap", ["ETH"]);
    note("trade", await tradeOf(world.bots.trade, world.trade.id));
    return world;
  },

  async ownModifyRefused() {
    const world = await holders();
    const stop = (await world.bots.own.get("/v1/orders?status=open")).body.data.find(
      ({ trigger, market }) => trigger && market === "BTC",
    );
    world.chain.refuse.push({
      test: ({ trigger }) => trigger?.tpsl === "sl",
      words: "Invalid TP/SL price.",
      status: "badTriggerPxRejected",
    });
    const answer = await world.bots.own.post(`/v1/orders/${stop.id}/modify`, {
      trigger: { ...stop.trigger, price: "57000" },
      price: "54000",
      always_place: true,
    });
    is(
      "B",
      "a plain stop that dies by its own modify is told in the answer",
      answer.body.status === "canceled" && answer.body.error,
      answer.body,
    );
    return world;
  },

  async modifyLateThenStop() {
    const world = await holders();
    for (const kind of ["late"])
      world.exchange.fate(kind, (action) => isModify(action) || isStop(action), { ms: 5000 });
    const asked = world.bots.trade.post(`/v1/trades/${world.trade.id}/modify`, {
      stop_loss: { trigger_price: "1850" },
    });
    await sleep(300);
    await world.plain.post("/v1/stop", { scope: "account" });
    await asked.catch(() => {});
    await sleep(15_000);
    safe(world, "a modify of a trade's stop that is late while everything is stopped leaves no gap", ["ETH"]);
    note(
      "open",
      world.chain.open("ETH").map(({ oid, trigger, left }) => ({ oid, trigger, left })),
    );
    return world;
  },

  async ownModifyLateThenStop() {
    const world = await holders();
    const stop = (await world.bots.own.get("/v1/orders?status=open")).body.data.find(
      ({ trigger, market }) => trigger && market === "BTC",
    );
    world.exchange.fate("late", isModify, { ms: 6000 });
    const asked = world.bots.own.post(`/v1/orders/${stop.id}/modify`, {
      trigger: { ...stop.trigger, price: "57000" },
      price: "54000",
      always_place: true,
    });
    await sleep(300);
    const brake = await world.plain.post("/v1/stop", { scope: "account" });
    const told = await asked;
    await sleep(16_000);
    safe(world, "the modify of a plain stop under way, and a stop of trading", ["BTC"]);
    const now = (await world.bots.own.get(`/v1/orders/${stop.id}`)).body;
    const real = world.chain.open("BTC").filter(({ trigger }) => trigger?.tpsl === "sl");
    is(
      "B",
      "and it is told as it is",
      real.length === 1 && now.status === "waiting_for_trigger" && now.exchange_order_id === String(real[0].oid),
      { told: told.body, now, real },
    );
    const kept = (await world.plain.get(`/v1/stops/${brake.body.id}`)).body;
    is("B", "the stop lists it as kept", kept.kept.order_ids.includes(stop.id), kept.kept);
    return world;
  },

  async partFired() {
    const world = await holders();
    await world.bots.trade.post(`/v1/orders/${world.rest[1].body.id}/cancel`, {});
    world.chain.depth.ETH = { A: 0.4 };
    world.chain.setMark("ETH", 1899);
    const at = Date.now();
    note("right after", { held: world.chain.position("ETH"), protection: world.chain.protection("ETH") });
    await sleep(2500);
    const told = await tradeOf(world.bots.trade, world.trade.id);
    const bareNow =
      world.chain.position("ETH") > 0 && world.chain.protection("ETH") < world.chain.position("ETH") - 1e-9;
    is(
      "clients.md",
      "a stop that filled in part: not told protected while it is not",
      !bareNow || told.protected === false,
      told,
    );
    delete world.chain.depth.ETH;
    const ended = await until(
      () => world.chain.position("ETH") === 0 || world.chain.protection("ETH") >= world.chain.position("ETH"),
      40_000,
      100,
    );
    is("B", "the rest is closed or protected", ended, {
      held: world.chain.position("ETH"),
      protection: world.chain.protection("ETH"),
    });
    note(`after ${Date.now() - at} ms`, {
      held: world.chain.position("ETH"),
      open: world.chain.open("ETH").length,
      trade: (await tradeOf(world.bots.trade, world.trade.id)).status,
    });
    return world;
  },

  async deadFeedFill() {
    const world = await rig();
    const { bot, id, order } = await entering(world);
    world.exchange.feed("silent");
    await sleep(1000);
    part(world, order, 4);
    const at = Date.now();
    const found = await whole(world, 5, 70_000);
    is(
      "clients.md",
      "feed dead: a fill of a trade has its stop within half a minute",
      found && Date.now() - at < 30_000,
      `${Date.now() - at} ms`,
    );
    note(`stop after ${Date.now() - at} ms`, await tradeOf(bot, id));
    return world;
  },

  async behindFill() {
    const world = await rig();
    const { bot, id, order } = await entering(world);
    world.exchange.feed("silent");
    world.exchange.lag = 60_000;
    await sleep(1000);
    part(world, order, 4);
    const at = Date.now();
    const found = await whole(world, 5, 100_000);
    note(`stop after ${Date.now() - at} ms`, await tradeOf(bot, id));
    is(
      "3",
      "REST 60 s behind: within outage and half a minute",
      found && Date.now() - at < 95_000,
      `${Date.now() - at} ms`,
    );
    return world;
  },

  async expired() {
    const world = await rig();
    const { bot, id, order } = await entering(world, {}, { expires_at: new Date(Date.now() + 9000).toISOString() });
    part(world, order, 3);
    await whole(world, 4);
    await until(async () => (await bot.get("/v1/whoami")).status === 401, 15_000, 500);
    part(world, order, 5);
    is("1.1", "guards of trades go on after the key's expiry", await whole(world, 9, 15_000), {
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
    });
    note("trade", await tradeOf(world.plain, id));
    return world;
  },

  async blocked() {
    const world = await rig();
    const { bot, order } = await entering(world);
    part(world, order, 3);
    await whole(world, 4);
    await world.gateway.json("key", "block", bot.hash);
    part(world, order, 5);
    is("B", "guards of trades go on after the key is blocked", await whole(world, 9, 15_000), {
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
    });
    return world;
  },

  async stoppedWhileFilling() {
    const world = await rig();
    const { order } = await entering(world);
    part(world, order, 3);
    world.exchange.fate("slow", ({ type }) => type.startsWith("cancel"), { ms: 2500, times: 3 });
    void world.plain.post("/v1/stop", { scope: "account" });
    await sleep(800);
    part(world, order, 5);
    is("2", "guards of trades go on under a stop", await whole(world, 9, 20_000), {
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
    });
    await sleep(4000);
    is("B", "and stay whole", world.chain.protection("SOL") >= world.chain.position("SOL") - 1e-9, {
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
    });
    return world;
  },
};

for (const [name, body] of Object.entries({
  stopDistance: { max_stop_distance: "1 %" },
  mayNothing: { may: "cancel" },
  otherMarkets: { markets: "BTC" },
  noActions: { max_actions_per_day: "1" },
  oneOpen: { max_open_orders: "1" },
  distance: { max_distance: "0.1 %" },
  sources: { sources: "203.0.113.7/32" },
}))
  moments[`narrowed-${name}`] = async () => {
    const world = await rig();
    const { bot, id, order } = await entering(world);
    part(world, order, 3);
    await whole(world, 4);
    const narrowed = await bot.post("/v1/api-keys/self/narrow", body, null);
    part(world, order, 5);
    is("B", `a trade's guards go on after a narrowing: ${JSON.stringify(body)}`, await whole(world, 9, 15_000), {
      status: narrowed.status,
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
      trade: await tradeOf(world.plain, id),
    });
    const own = (await tradeOf(world.plain, id)).held_size;
    if (name !== "sources" && name !== "mayNothing") {
      const move = await bot.post(`/v1/trades/${id}/modify`, { stop_loss: { trigger_price: "91" } });
      is("B", `and its stop can be moved nearer: ${name}`, move.status < 300, { body: move.body, own });
    }
    await sleep(3000);
    is("B", `and nothing is bare: ${name}`, world.chain.protection("SOL") >= world.chain.position("SOL") - 1e-9, {
      held: world.chain.position("SOL"),
      protection: world.chain.protection("SOL"),
      words: words(narrowed),
      code: code(narrowed),
    });
    return world;
  };

export async function run(names) {
  const left = [...names];
  const next = async () => {
    for (let name = left.shift(); name; name = left.shift()) {
      let world;
      try {
        console.log(`-- ${name}`);
        world = await { ...moments, ...closes, ...deaths }[name]();
      } catch (error) {
        is("harness", `${name} ran to its end`, false, String(error.stack ?? error));
      } finally {
        await world?.end();
      }
    }
  };
  await Promise.all(Array.from({ length: Number(process.env.TENTH_JOBS ?? 1) }, next));
}
