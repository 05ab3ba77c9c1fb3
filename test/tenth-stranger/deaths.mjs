// A process that dies, or hears wrong things, while somebody is protected.
import { bare, clock, gaps, holders } from "./guard.mjs";
import { is, note, rig, sleep, until } from "./rig.mjs";

const tradeOf = async (world) => (await world.plain.get(`/v1/trades/${world.trade.id}`)).body;
const stands = (world, sentence) =>
  is("B", sentence, gaps(world.chain, world.from).length === 0 && bare(world.chain).length === 0, {
    gaps: gaps(world.chain, world.from),
    bare: bare(world.chain),
  });

async function born(sentence, before, after = () => {}, settings = {}) {
  const world = await holders(settings);
  await world.gateway.kill();
  before(world);
  await world.gateway.start();
  await sleep(45_000);
  stands(world, sentence);
  note(
    "trade",
    await tradeOf(world).then(({ status, held_size, protected: whole, unprotected_because: why }) => ({
      status,
      held_size,
      whole,
      why,
    })),
  );
  await after(world);
  return world;
}

const empty = ({ type }, view) => {
  if (type === "clearinghouseState")
    return { ...view, clearinghouseState: { ...view.clearinghouseState, assetPositions: [] } };
  if (type === "allDexsClearinghouseState")
    return {
      ...view,
      clearinghouseStates: view.clearinghouseStates.map(([name, state]) => [name, { ...state, assetPositions: [] }]),
    };
  return view;
};

export const deaths = {
  restartBehind: () =>
    born("killed, and started while REST and stream are a minute behind", ({ exchange }) => {
      exchange.lag = 60_000;
      exchange.frameLag = 60_000;
    }),

  restartRestBehind: () =>
    born("killed, and started while REST is a minute behind", ({ exchange }) => {
      exchange.lag = 60_000;
    }),

  restartSilent: () =>
    born("killed, and started while the stream is silent and REST a minute behind", ({ exchange }) => {
      exchange.feed("silent");
      exchange.lag = 60_000;
    }),

  restartBack() {
    const ticks = clock();
    return born("killed, and started with a clock an hour back", () => ticks.set("-3600s"), undefined, {
      env: ticks.env,
    });
  },

  async lyingFrames() {
    const world = await holders();
    world.exchange.frameTwist = empty;
    world.exchange.twist = (body, view) =>
      body.type === "clearinghouseState" ? { ...view, assetPositions: [] } : view;
    await sleep(45_000);
    stands(world, "every store of positions is empty for 45 s, orders and fills are right: no stop goes");
    note("trade", await tradeOf(world));
    world.exchange.frameTwist = null;
    world.exchange.twist = null;
    const back = await until(() => bare(world.chain).length === 0, 30_000, 500);
    is("B", "once the stores are right all is protected again", back, {
      bare: bare(world.chain),
      trade: await tradeOf(world),
    });
    return world;
  },

  async armingStopped() {
    const world = await rig();
    const bot = await world.gateway.bot("arming");
    world.exchange.fate("slow", ({ type }) => type === "order", { ms: 3000 });
    const made = await bot.trade("ETH", "buy", "1", "1990", "1900");
    await sleep(400);
    const stop = await world.plain.post("/v1/stop", { scope: "account" });
    await sleep(20_000);
    world.trade = made.body;
    const open = world.chain.open("ETH");
    is(
      "2",
      "stopped while a trade's stop is on its way: no entry",
      open.every(({ reduceOnly }) => reduceOnly) && world.chain.position("ETH") === 0,
      open,
    );
    note("left of the trade", {
      open: open.length,
      trade: (await tradeOf(world)).status,
      stop: (await world.plain.get(`/v1/stops/${stop.body.id}`)).body.kept,
    });
    return world;
  },

  async killWhileGuard() {
    const world = await rig();
    const bot = await world.gateway.bot("enter", { markets: "SOL" });
    await world.plain.order("SOL", "buy", "1", "102", { time_in_force: "ioc" });
    await world.plain.stopLoss("SOL", "sell", "1", "90", "85");
    await sleep(1500);
    world.trade = (await bot.trade("SOL", "buy", "10", "98", "90")).body;
    const order = await until(
      () => world.chain.open("SOL").find(({ side, trigger }) => side === "B" && !trigger),
      8000,
    );
    for (const [size, ms] of [
      [2, 30],
      [2, 150],
      [2, 400],
      [2, 900],
    ]) {
      world.chain.fill(order, size, 98);
      await sleep(ms);
      await world.gateway.kill();
      await world.gateway.start();
      const at = Date.now();
      const whole = await until(() => world.chain.protection("SOL") >= world.chain.position("SOL") - 1e-9, 30_000, 50);
      is("3", `killed ${ms} ms after a fill: protected again after the start`, whole, {
        held: world.chain.position("SOL"),
        protection: world.chain.protection("SOL"),
      });
      note(`whole ${Date.now() - at} ms after the start`, {
        held: world.chain.position("SOL"),
        protection: world.chain.protection("SOL"),
      });
    }
    const found = gaps(world.chain, 0, ["SOL"]);
    is("3", "no smaller guard than before meanwhile", found.length === 0, found);
    return world;
  },
};
