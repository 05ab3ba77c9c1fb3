// What is spoilt in which world. Lags in ms: each request is behind by 0 (`fresh` of the time) or by up to `lagMs`.
const CALM = {
  lagMs: 0,
  fresh: 1,
  streamLagMs: 0,
  silence: 0,
  repeats: 0,
  drops: 0,
  infoFaults: 0,
  sendFaults: 0,
  strange: 0,
  hands: 0.5,
  makers: 1,
  liquidations: 0,
  kills: 0,
  restarts: 0,
  jumps: 0.05,
};

export const WORLDS = {
  calm: CALM,
  balancer: { ...CALM, lagMs: 1500, fresh: 0.5, streamLagMs: 600, infoFaults: 0.02 },
  behind: { ...CALM, lagMs: 6000, fresh: 0.4, streamLagMs: 3000, infoFaults: 0.03, sendFaults: 0.1 },
  frozen: { ...CALM, lagMs: 60000, fresh: 0.5, streamLagMs: 8000, silence: 0.3, sendFaults: 0.15 },
  lost: { ...CALM, lagMs: 800, fresh: 0.6, streamLagMs: 400, sendFaults: 0.5, infoFaults: 0.05 },
  killed: { ...CALM, lagMs: 1000, fresh: 0.6, streamLagMs: 500, sendFaults: 0.25, kills: 3 },
  hands: { ...CALM, lagMs: 1200, fresh: 0.5, streamLagMs: 800, hands: 3, makers: 3, liquidations: 0.4, jumps: 0.3 },
  strange: { ...CALM, lagMs: 1000, fresh: 0.6, streamLagMs: 500, strange: 0.25, sendFaults: 0.15, infoFaults: 0.1 },
  silent: { ...CALM, lagMs: 2000, fresh: 0.5, streamLagMs: 2000, silence: 1, repeats: 0.2, drops: 0.5, makers: 2 },
  storm: {
    lagMs: 4000,
    fresh: 0.4,
    streamLagMs: 3000,
    silence: 0.4,
    repeats: 0.15,
    drops: 0.4,
    infoFaults: 0.1,
    sendFaults: 0.35,
    strange: 0.1,
    hands: 2,
    makers: 2,
    liquidations: 0.2,
    kills: 2,
    restarts: 1,
    jumps: 0.15,
  },
};

/** One spoils what is read, the next what is sent; every lag and share is moved by a half, so that no two seeds have one world. */
export function drawWorld(draw, name) {
  const names = Object.keys(WORLDS);
  const chosen = name ?? draw.of(names);
  if (WORLDS[chosen] === undefined) throw new Error(`no such world: ${chosen}; ${names.join(", ")}`);
  const world = { name: chosen, actionLifeMs: draw.of([5000, 7000]), fastStates: draw.chance(0.5) };
  for (const [key, value] of Object.entries(WORLDS[chosen])) {
    world[key] = key === "fresh" ? value : value * (0.5 + draw.next());
  }
  return world;
}

/** After this nothing lags and nothing is lost. */
export function calm(world) {
  Object.assign(world, { ...CALM, hands: 0, makers: 0, jumps: 0 });
}
