// One of each: exchange, gateway, a client for each account, a judge; and the comparison when all is well again.
import { writeFileSync } from "node:fs";
import { Chain } from "./chain.mjs";
import { followEvents, makeClient } from "./client.mjs";
import { draws, mul, num, plain, sleep } from "./codec.mjs";
import { startExchange } from "./exchange.mjs";
import { makeGateway } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { onGrid } from "./markets.mjs";
import { snapshot } from "./snapshots.mjs";
import { slice } from "./twaps.mjs";
import { servers } from "./views.mjs";

export async function makeWorld(binary, seed, settings = {}) {
  const draw = draws(seed);
  const chain = new Chain();
  const stores = servers(draw);
  const exchange = await startExchange(chain, stores, draw);
  const gateway = await makeGateway(binary, exchange, settings);
  const world = {
    binary,
    seed,
    draw,
    chain,
    stores,
    exchange,
    gateway,
    told: [],
    events: [],
    intents: [],
    clients: {},
    followers: [],
    sizes: new Map(),
    timers: [],
    mostLag: 4000,
    isMoving: true,
    isPartly: true,
  };
  for (const name of Object.keys(gateway.accounts)) {
    world.clients[name] = makeClient(gateway, name, world.told);
    world.followers.push(followEvents(gateway, world.clients[name], world.events));
  }
  world.judge = new Judge(world);
  world.timers.push(
    setInterval(() => move(world), 900),
    setInterval(() => slice(chain), 4000),
    setInterval(() => stores.shift(world.mostLag), 1500),
  );
  world.size = (coin) => uniqueSize(world, coin);
  world.intend = (intent) => {
    const full = { ids: new Set(), ...intent };
    world.intents.push(full);
    return full;
  };
  world.end = () => {
    for (const timer of world.timers) clearInterval(timer);
    for (const follower of world.followers) follower.stop();
    gateway.end();
    exchange.close();
  };
  await sleep(2500);
  return world;
}

/** One market goes up or down a little. */
function move(world) {
  const { chain, draw } = world;
  if (!world.isMoving) return;
  const market = draw.from([...chain.lists.perps(), ...chain.lists.pairs]);
  const step = mul(market.price, num(["0.001", "0.002", "0.004"][draw.between(0, 2)]));
  chain.move(
    market,
    onGrid(market, draw.chance(0.5) ? market.price + step : market.price - step),
    world.isPartly && draw.chance(0.5),
  );
}

/** A size that no other order has, worth some 40 to 90 USD. */
function uniqueSize(world, coin) {
  const market = world.chain.lists.coin(coin);
  const step = 10n ** BigInt(12 - market.szDecimals);
  const next = (world.sizes.get(coin) ?? (num("40") * 10n ** 12n) / market.price / step) + 1n;
  world.sizes.set(coin, next);
  return plain(next * step);
}

/** Until no order or operation is unknown, for a minute at most; returns what is left. */
export async function settle(world, limit = 62000) {
  world.exchange.fate = () => "ok";
  world.exchange.infoFate = () => null;
  world.exchange.control.mute = false;
  world.stores.heal();
  const since = Date.now();
  let left = [];
  while (Date.now() - since < limit) {
    left = [];
    for (const client of Object.values(world.clients)) {
      const entry = await client.get("/v1/status");
      const { unknown_orders: orders, unknown_operations: operations, unsettled_actions: actions } = entry.answer ?? {};
      const count = (u) => (typeof u === "object" ? (u.count ?? 0) : (u ?? 0));
      if (entry.status !== 200 || count(orders) + count(operations) + (actions ?? 0) > 0)
        left.push(
          `${count(orders) + (actions ?? 0) > count(operations) ? "" : "soft "}${client.name}: ${JSON.stringify([orders, operations, actions])}`,
        );
    }
    if (left.length === 0) break;
    await sleep(1500);
  }
  world.settledAfter = Date.now() - since;
  return left;
}

/** Everything that can be asked for, at rest, against what is. */
const note = (world, what) =>
  process.env.STRANGER_NOTES && console.log(`${new Date().toISOString()} ${world.seed} ${what}`);

export async function compare(world) {
  note(world, "compares");
  world.isMoving = false;
  for (const timer of world.timers) clearInterval(timer);
  for (const account of world.chain.accounts.values()) snapshot(world.chain, account);
  await sleep(3500);
  const operations = {};
  await Promise.all(
    Object.values(world.clients).map(async (client) => {
      operations[client.name] = (await client.all("/v1/operations")).rows;
      await ordersAtRest(world, client);
      await holdingsAtRest(world, client);
      note(world, client.name);
    }),
  );
  const { judge } = world;
  judge.tellingsAgainstTruth();
  judge.contradictions();
  judge.doubles();
  judge.operations(operations);
  judge.replays();
  for (const name of world.exchange.unknown)
    judge.say("harness", "the exchange was asked what it does not know", { id: name });
  for (const entry of world.chain.log.filter((e) => e.what === "schema"))
    judge.say("CRITICAL", "an action that the exchange cannot read", { id: entry.error, envelope: entry.envelope });
  if (/"level":(50|60)/.test(world.gateway.log))
    judge.say("high", "the gateway logs a fault", {
      id: world.gateway.log
        .split("\n")
        .filter((l) => /"level":(50|60)/.test(l))
        .slice(0, 3),
    });
  return judge.found;
}

/** Each row of the history, and the newest of them and all that are not final read one by one. */
async function ordersAtRest(world, client) {
  const { rows } = await client.all("/v1/orders");
  for (const [place, row] of rows.entries()) {
    const isFinal = ["filled", "canceled", "rejected"].includes(row.status);
    if (isFinal && place >= 6) {
      world.judge.orderAtRest(client, row);
      continue;
    }
    const entry = await client.surely(`/v1/orders/${row.id}`);
    if (entry.status !== 200)
      world.judge.say("high", "an order cannot be read at rest", { id: row.id, status: entry.status, raw: entry.raw });
    else world.judge.orderAtRest(client, entry.answer);
  }
}

/** Compared again a few times: what is shown may lag by what the stores do. */
async function holdingsAtRest(world, client) {
  for (let attempt = 0; ; attempt++) {
    const { fillsAsOf, ...shown } = await shownTo(client);
    const problems = world.judge.rest(client, shown, fillsAsOf);
    if (problems.length === 0) return;
    if (attempt >= 3) {
      for (const [severity, what, detail] of problems) world.judge.say(severity, what, detail);
      return;
    }
    await sleep(4000);
  }
}

async function shownTo(client) {
  const account = (await client.surely("/v1/account")).answer;
  const positions = (await client.all("/v1/positions")).rows;
  const open = (await client.all("/v1/orders?status=open")).rows;
  const { rows: fills, entry } = await client.all("/v1/fills");
  const twaps = (await client.all("/v1/twaps")).rows;
  const status = { activated: "running" };
  return {
    fillsAsOf: entry.asOf ? Date.parse(entry.asOf) : Number.POSITIVE_INFINITY,
    positions: positions.map((p) => `${p.market} ${p.side} ${p.size}`).sort(),
    spot: account?.spot
      ?.filter((b) => num(b.total) !== 0n)
      .map((b) => `${b.token} ${b.total} hold ${b.hold}`)
      .sort(),
    open: open.map((o) => `${o.exchange_order_id} ${o.market} ${o.side}`).sort(),
    fills: fills
      .map((f) => `${f.id} ${f.exchange_order_id} ${f.side} ${f.size} @ ${f.price} fee ${f.fee} ${f.fee_token}`)
      .sort(),
    twaps: twaps
      .filter((t) => !/^rejected|unknown/.test(t.status))
      .map((t) => `${t.exchange_id} ${t.market} ${status[t.status] ?? t.status} ${t.filled_size}`)
      .sort(),
  };
}

/** All that has happened, as JSON lines. */
export function keep(world, file) {
  const rows = [
    ...world.told.map((e) => ({ t: e.t, told: { ...e, raw: undefined } })),
    ...world.events.map((e) => ({ t: e.t, event: e })),
    ...world.chain.log.map((e) => ({ t: e.t, chain: e })),
    ...world.exchange.asked.map((e) => ({ t: e.t, asked: e })),
    ...world.exchange.sent.map((e) => ({
      t: e.t,
      sent: { type: e.type, vault: e.vault, nonce: e.nonce, fate: e.fate, action: e.envelope.action },
    })),
  ];
  rows.sort((a, b) => a.t - b.t);
  writeFileSync(file, rows.map((r) => JSON.stringify(r, (_, v) => (typeof v === "bigint" ? String(v) : v))).join("\n"));
}
