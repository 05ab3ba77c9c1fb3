// The worlds of a busy account: what is spoilt, how many bots quote how much, and which limits are near.
const QUICK = {
  lagMs: 0,
  fresh: 1,
  streamLagMs: 0,
  silence: 0,
  repeats: 0,
  drops: 0,
  infoFaults: 0,
  sendFaults: 0,
  strange: 0,
  hands: 0,
  makers: 0,
  liquidations: 0,
  kills: 0,
  restarts: 0,
  jumps: 0,
};
const STORES = [
  "orderStatus",
  "frontendOpenOrders",
  "historicalOrders",
  "userFills",
  "userFillsByTime",
  "clearinghouseState",
  "spotClearinghouseState",
  "userTwapSliceFills",
  "twapHistory",
];

export const BUSY = ["maker", "limits", "storm", "long"];

/** Faults of a kind are there or are not: nobody has all of them, and one seed in four has none. */
function faults(draw) {
  if (draw.chance(0.25)) return { kind: "quick", ...QUICK };
  const world = { ...QUICK, kind: "spoilt", hands: draw.of([0, 0, 0.5]), jumps: 0.02, fresh: 0.3 + draw.next() * 0.6 };
  if (draw.chance(0.6)) {
    world.stores = {};
    for (const store of STORES) world.stores[store] = draw.of([0, 300, 1500, 6000, 20_000, 60_000]) * draw.next();
  }
  if (draw.chance(0.6)) world.streamLagMs = draw.of([200, 1500, 6000]);
  if (draw.chance(0.4)) world.silence = draw.next();
  if (draw.chance(0.3)) world.drops = draw.next() * 0.6;
  if (draw.chance(0.3)) world.repeats = 0.15;
  if (draw.chance(0.6)) world.sendFaults = draw.of([0.02, 0.08, 0.25]);
  if (draw.chance(0.5)) world.infoFaults = draw.of([0.02, 0.1]);
  if (draw.chance(0.5)) world.kills = draw.whole(1, 2);
  if (draw.chance(0.2)) world.restarts = 0.3;
  return world;
}

/** How much is asked for: bots, requests in flight of each, orders that each keeps open, the pause after an answer. */
function load(draw) {
  return {
    bots: draw.whole(1, 4),
    inFlight: draw.whole(8, 16),
    quotes: draw.whole(20, 60),
    pauseMs: draw.of([150, 400, 1200]),
    fillsASecond: draw.of([2, 6, 15]),
    markets: draw.of([["BTC", "ETH", "SOL"], ["BTC", "xyz:GOLD", "@107"], null]),
  };
}

function limits(draw) {
  const near = draw.weighted({ weight: 3, address: 3, orders: 2, own: 2 });
  return {
    near,
    weight: near === "weight" ? draw.of(["1200", "1200", "0"]) : near === "address" ? draw.of(["1200", "0"]) : "0",
    weightAMinute: near === "weight" ? 1200 : undefined,
    earned: near === "address" ? 0 : 1_000_000,
    usedBefore: near === "address" ? 10_000 - draw.whole(100, 1500) : 0,
    exhaustedBurns: draw.chance(0.5),
    ownLimits: near === "own",
    before: near === "orders" ? { filled: 0, open: draw.whole(800, 940) } : null,
  };
}

export function drawBusy(draw, name) {
  const chosen = name ?? draw.of(BUSY);
  if (!BUSY.includes(chosen)) throw new Error(`no such world: ${chosen}; ${BUSY.join(", ")}`);
  const world = {
    name: chosen,
    actionLifeMs: draw.of([5000, 7000, 12_000]),
    fastStates: draw.chance(0.5),
    statesEveryMs: 250,
    checked: 0.05,
    seconds: draw.whole(40, 60),
    weight: draw.chance(0.6) ? "0" : "1200",
    before: null,
    ...faults(draw),
    load: load(draw),
  };
  if (chosen === "limits") Object.assign(world, limits(draw));
  if (chosen === "long") world.before = { filled: draw.of([1500, 2500, 4500]), open: draw.of([0, 100, 600]) };
  if (chosen === "storm") Object.assign(world, { jumps: 0.1, guards: true });
  return world;
}

/** After this nothing lags, nothing is lost, nothing is near its limit, and nobody else trades. */
export function quiet(world) {
  Object.assign(world, QUICK, {
    stores: undefined,
    weightAMinute: undefined,
    earned: 10_000_000,
    guards: false,
    load: { ...world.load, fillsASecond: 0 },
  });
}
