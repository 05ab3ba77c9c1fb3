// Rounds drawn from a number: each kind has a world that is sick in its own way.

import { liquidate, payFunding } from "./market.mjs";
import { Thief } from "./thief.mjs";
import { World, wait } from "./world.mjs";

const KINDS = { rails, race, stops, trades, record };

export async function playRound(binary, seed, kind) {
  const names = Object.keys(KINDS);
  const name = kind ?? names[seed % names.length];
  const world = new World(binary, seed, {
    sickness: 1000 + (seed % 4) * 1500,
    patience: name === "record" ? 90_000 : 4000,
  });
  try {
    await world.begin();
    await KINDS[name](world);
    await world.calm();
    return { name, world, findings: await world.compare() };
  } catch (error) {
    return { name, world, findings: [{ level: "harness", what: String(error.stack), told: null, truth: null }] };
  }
}

async function during(world, thieves, ms, fate) {
  const loops = thieves.flatMap((thief) => [thief.loop(), thief.loop()]);
  const end = Date.now() + ms;
  while (Date.now() < end) {
    await wait(world.draw.between(1500, 5000));
    if (fate) await fate();
    if (world.draw.chance(0.15)) world.follower.cut();
    if (world.draw.chance(0.1)) world.exchange.cutStreams();
  }
  for (const thief of thieves) thief.isOver = true;
  await Promise.race([Promise.all(loops), wait(16_000)]);
}

/** One bot with two keys against every rail. */
async function rails(world) {
  const keys = [await world.grant("grid-1"), await world.grant("grid-1")];
  world.chain.walk = 0.0006;
  const thief = new Thief(world, "grid-1", keys);
  await during(world, [thief], 26_000, async () => {
    if (world.draw.chance(0.2)) await world.restart();
  });
}

/** Two bots in one market, keys that end and come anew. */
async function race(world) {
  const one = new Thief(world, "grid-1", [await world.grant("grid-1"), await world.grant("grid-1")], {
    pause: 250,
    buys: 0.8,
  });
  const two = new Thief(world, "grid-2", [await world.grant("grid-2")], { pause: 400, buys: 0.8 });
  world.chain.walk = 0.0004;
  await during(world, [one, two], 24_000, async () => {
    if (world.draw.chance(0.15)) await world.restart();
    if (world.draw.chance(0.25)) {
      const gone = one.keys.shift();
      await world.gateway.command("key", "block", gone.hash, ...(world.draw.chance(0.5) ? ["--cancel-orders"] : []));
      world.note("key blocked");
      one.keys.push(await world.grant("grid-1"));
    }
    if (world.draw.chance(0.1)) liquidate(world.chain, "ETH");
  });
}

/** Stops of all kinds while everything is under way; then flat. */
async function stops(world) {
  const keys = [await world.grant("grid-1")];
  world.chain.walk = 0.0006;
  const thief = new Thief(world, "grid-1", keys, { pause: 300 });
  const scope = world.draw.pick(["bot", "account"]);
  let id = null;
  const loop = during(world, [thief], 22_000);
  await wait(world.draw.between(7000, 12_000));
  id = await world.stop(
    scope,
    scope === "bot" ? keys[0].key : world.owner.key,
    world.draw.chance(0.3) ? { keep_protection: false } : {},
  );
  if (world.draw.chance(0.5)) await world.restart();
  await world.stopped(id, world.owner.key, () => true);
  await loop;
  const flat = await world.client.once("POST", `/v1/stops/${id}/flatten`, {
    key: scope === "bot" ? keys[0].key : world.owner.key,
    body: { max_slippage_bps: 100 },
    idempotency: `flatten-${world.seed}-1`,
  });
  world.note(`flatten ${flat.status} ${JSON.stringify(flat.body).slice(0, 200)}`);
  if (world.draw.chance(0.4)) await world.restart();
  await flatness(world, id);
}

async function flatness(world, id) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const answer = await world.client.get(`/v1/stops/${id}`, world.owner.key);
    const flatten = answer.body.flatten;
    if (flatten && flatten.status !== "flattening") {
      world.note(`flatten ended ${JSON.stringify(flatten)}`);
      const nets = ["BTC", "ETH", "SOL"].map((coin) => world.chain.net(coin));
      if (flatten.status === "flat" && nets.some((n) => n !== 0)) world.faults.push(`TOLD FLAT AND IS NOT: ${nets}`);
      return;
    }
    await wait(300);
  }
  const last = await world.client.get(`/v1/stops/${id}`, world.owner.key);
  world.faults.push(`flatten not ended in 60 s: ${JSON.stringify(last.body.flatten)}`);
}

/** Trades alone, one in a market at a time, in a world that fills in parts, refuses stops, fires them. */
async function trades(world) {
  world.onlyTrades = true;
  const keys = [await world.grant("grid-1")];
  world.chain.walk = 0.001;
  world.chain.partial = 0.8;
  const thief = new Thief(world, "grid-1", keys, {
    acts: ["trade", "trade", "tradeEnd", "tradeMove", "close"],
    pause: 2500,
    markets: ["BTC", "ETH", "SOL"],
  });
  world.chain.refuseOnce = (o) => o.r && o.trigger && world.draw.chance(0.12);
  const poll = setInterval(() => world.client.get("/v1/trades?limit=100", world.owner.key), 400);
  await during(world, [thief], 34_000, async () => {
    if (world.draw.chance(0.15)) await world.restart();
    if (world.draw.chance(0.12)) liquidate(world.chain, world.draw.pick(["BTC", "ETH"]));
    if (world.draw.chance(0.2))
      world.exchange.chain.mids.BTC = Number((world.chain.mids.BTC * world.draw.between(0.985, 1.015)).toPrecision(5));
  });
  clearInterval(poll);
}

/** The record beside everything: funding, fees, fills, events. */
async function record(world) {
  const one = new Thief(world, "grid-1", [await world.grant("grid-1", { "max-turnover-per-day": "any" })], {
    pause: 500,
    acts: ["ioc", "marketOrder", "place", "reduce", "close", "trade", "modify", "cancel"],
  });
  const two = new Thief(world, "grid-2", [await world.grant("grid-2", { "max-turnover-per-day": "any" })], {
    pause: 700,
    acts: ["ioc", "marketOrder", "place", "reduce", "close", "batch"],
    markets: ["SOL", "ETH"],
  });
  for (const bot of world.bots.values()) bot.turnover = Infinity;
  world.chain.walk = 0.0005;
  await during(world, [one, two], 24_000, async () => {
    if (world.draw.chance(0.15)) await world.restart();
    if (world.draw.chance(0.3)) payFunding(world.chain, world.draw.pick(["BTC", "ETH", "SOL"]), 0.0001);
  });
}
