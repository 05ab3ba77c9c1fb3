// What is asked of the exchange after a start and after all streams were cut, and how soon what is unknown is known.

import { once } from "./asks.mjs";
import { sleep } from "./codec.mjs";
import { killAndStart } from "./gateway.mjs";
import { nextKey } from "./play.mjs";

const COINS = ["BTC", "xyz:XYZ100", "flx:OIL"];
/** The exchange's own limit of a minute, milliseconds and weight. */
const MINUTE = 60_000;
const LIMIT = 1200;

/** Answers that are lost, in each account: orders that rest, one that never arrived, cancels that were carried out. */
async function loseAnswers(world) {
  const clients = Object.values(world.clients);
  world.exchange.fate = () => "ok";
  const resting = [];
  for (const client of clients)
    for (const coin of COINS.slice(0, 2))
      resting.push([client, (await once(world, client, [coin, "buy", "0.9"])).answer?.id]);
  const before = world.exchange.sent.length;
  // One in five never arrives.
  world.exchange.fate = () => ((world.exchange.sent.length - before) % 5 === 4 ? "lostBefore" : "lost");
  const cancels = resting.map(([client, id]) => client.post(`/v1/orders/${id}/cancel`, {}, nextKey(world, "lost")));
  const orders = clients.flatMap((client) => COINS.map((coin) => once(world, client, [coin, "buy", "0.91"])));
  const all = cancels.length + orders.length;
  for (let waited = 0; waited < 8_000 && world.exchange.sent.length < before + all; waited += 50) await sleep(50);
  return [...cancels, ...orders];
}

/** Until nothing is unknown or unsettled in any account, seconds; what is left after `limit` is told. */
async function untilKnown(world, since, limit = 180_000) {
  const open = new Map();
  while (Date.now() - since < limit) {
    open.clear();
    for (const client of Object.values(world.clients)) {
      const { status, answer } = await client.get("/v1/status");
      const { unknown_orders: orders, unsettled_actions: actions } = answer ?? {};
      if (status !== 200 || (orders?.count ?? 0) + (actions ?? 0) > 0) open.set(client.name, orders);
    }
    if (open.size === 0) break;
    await sleep(500);
  }
  return { known: Math.round((Date.now() - since) / 100) / 10, left: [...open.keys()] };
}

const weightIn = (world, from, to) =>
  world.exchange.asked.filter(({ t }) => t >= from && t < to).reduce((sum, { weight }) => sum + weight, 0) +
  world.exchange.sent.filter(({ t }) => t >= from && t < to).length;

async function measure(world, what, since) {
  const { known, left } = await untilKnown(world, since);
  await sleep(Math.max(0, since + MINUTE - Date.now()));
  const weight = weightIn(world, since, since + MINUTE);
  const last = (await world.clients.main.get("/v1/status")).answer?.exchange_budget?.weight;
  console.log(`  ${what}: known after ${known} s, ${weight} weight in its first minute, left ${JSON.stringify(last)}`);
  if (left.length > 0) world.judge.say("high", `not known three minutes after ${what}`, { id: left.join() });
  else if (known > 60) world.judge.say("soft", `known only ${known} s after ${what}`, { id: what });
  if (weight > LIMIT) world.judge.say("high", `more than a minute's weight after ${what}`, { id: weight });
}

/** Three accounts and three dexes: a start, and after it a cut of all streams, each with answers that were lost right before. */
async function weights(world) {
  world.isMoving = false;
  let asked = await loseAnswers(world);
  await killAndStart(world.gateway);
  world.exchange.fate = () => "ok";
  await measure(world, "a start", Date.now());
  await Promise.all(asked);
  await sleep(15_000);
  asked = await loseAnswers(world);
  world.exchange.fate = () => "ok";
  for (const socket of world.exchange.sockets) socket.terminate();
  await measure(world, "a cut of all streams", Date.now());
  await Promise.all(asked);
}

export const WEIGHT_SCENES = { weights };
