// One line a play; exit code 1 where something that was told was not so.

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client, isKnown } from "./client.mjs";
import { dice } from "./decimal.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway, OWNER } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { Ledger } from "./ledger.mjs";
import { drawnLags, SCENES } from "./scenes.mjs";
import { Servers } from "./servers.mjs";
import { Stream } from "./stream.mjs";

const { values } = parseArgs({
  options: {
    scene: { type: "string" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1" },
    port: { type: "string", default: "0" },
    orders: { type: "string", default: "150" },
    lag: { type: "string" },
    play: { type: "string", default: "25" },
    keep: { type: "boolean", default: false },
  },
});
let running;
const FAULTS = Number(process.env.STRANGER_FAULTS ?? 4);
/** By the documents settling has 900 of a minute in any case, and half of that in half a minute. */
const HUNGRY_WEIGHT = 600;
const HUNGRY_MS = 90_000;
/** What is left for looks, retries and a busy machine, once no store is behind what has ended: the documents' own steps are a few seconds. */
const AFTER_MS = 25_000;

function setStage(name, seed) {
  const random = dice(seed * 7919 + [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const most = values.lag ? Number(values.lag) * 1000 : random.pick([0, 2000, 8000, 30_000]);
  const world = { agents: [], actions: 0, owner: OWNER, ...drawnLags(random, most) };
  const ledger = new Ledger();
  const stage = {
    name,
    seed,
    random,
    world,
    ledger,
    most,
    count: Number(values.orders),
    playMs: Number(values.play) * 1000,
  };
  stage.servers = new Servers(ledger, random, { lagMs: world.lagMs });
  stage.exchange = new Exchange({ ledger, servers: stage.servers, random, world });
  stage.stream = new Stream({ exchange: stage.exchange, ledger, random, world });
  return stage;
}

/** Everything that has not ended is canceled; then what is told is waited for, by events alone or by asking as well. */
async function settle(stage) {
  const { client, random, world } = stage;
  const isAsked = random.chance(0.5);
  const behind = Math.max(0, ...Object.values(world.lagMs), ...Object.values(world.streamLagMs));
  const hung = Math.max(0, ...Object.values(world.hang ?? {}).map((one) => one.ms[1]));
  const left = () => [...client.orders.values()].filter((order) => !isKnown(order));
  for (const order of left()) if (order.status === "open") void client.cancel(order.id);
  const startedAt = Date.now();
  stage.boundMs = behind + 2 * hung + (world.lost ? 20_000 : 0) + AFTER_MS;
  const isOver = () => {
    const passedMs = Date.now() - startedAt;
    // A minute's weight is a minute's: where it is used up, what has to be asked waits for the next.
    if (stage.exchange.weightSince(Date.now() - 60_000) > HUNGRY_WEIGHT && passedMs < HUNGRY_MS)
      stage.boundMs = Math.max(stage.boundMs, passedMs + AFTER_MS);
    return passedMs > stage.boundMs;
  };
  while (!isOver() && left().length) {
    if (isAsked) for (const order of left().slice(0, 10)) void client.read(order.id);
    await sleep(1000);
  }
  return left().length;
}

function judgeOf({ ledger, client, world }) {
  return new Judge({ ledger, client, world });
}

async function verdict(stage, left) {
  const { client, ledger, world } = stage;
  for (const lags of [world.lagMs, world.streamLagMs]) for (const name of Object.keys(lags)) lags[name] = 0;
  world.hang = {};
  await sleep(1500);
  const orders = await client.list("/v1/orders");
  // The index of fills may be half a minute behind by the documents: it is asked until it has them, or until that is over.
  let fills = [];
  for (let tries = 0; tries < 35 && fills.length < ledger.fills.length; tries += 1) {
    fills = await client.list("/v1/fills");
    if (fills.length < ledger.fills.length) await sleep(1000);
  }
  if (process.env.STRANGER_STORY) {
    for (const id of judgeOf(stage).slowest())
      console.log(JSON.stringify((await client.ask("GET", `/v1/orders/${id}/story`)).body, null, 1));
  }
  client.isOver = true;
  const judge = judgeOf(stage);
  judge.told();
  judge.cancelAlls();
  judge.atTheEnd(orders, fills);
  if (!client.told.length) judge.find("nothing was told", "", "");
  if (left) judge.find(`not known within ${stage.boundMs} ms`, `${left} orders`, "");
  return judge;
}

function say(stage, judge, startedAt) {
  const { exchange, ledger, client, world } = stage;
  const { most, all } = exchange.mostWeight();
  const delays = judge.delays();
  const states = {};
  for (const { status, code } of client.answers) {
    const name = code ? `${status} ${code}` : status;
    states[name] = (states[name] ?? 0) + 1;
  }
  const lags = Object.entries({ ...world.said })
    .map(([name, ms]) => `${name} ${(ms / 1000).toFixed(0)}`)
    .join(" ");
  const ours = [...ledger.orders.values()].filter((order) => order.owner === "gateway").length;
  console.log(
    `${stage.name} ${stage.seed}: ${judge.findings.length ? "FAILED" : "ok"}  orders ${ours} fills ${ledger.fills.length} told ${delays.told}, ` +
      `after ${delays.middle} to ${delays.most} ms; weight ${all}, of a minute ${most}; 429 ${exchange.refused429}; answers ${JSON.stringify(states)}; ` +
      `added later on spot ${judge.added}; lags ${lags}; ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  if (process.env.STRANGER_ASKED) console.log(`  asked ${JSON.stringify(Object.fromEntries(exchange.asked))}`);
  const kinds = new Map();
  for (const finding of judge.findings) kinds.set(finding.what, [...(kinds.get(finding.what) ?? []), finding]);
  for (const [what, list] of kinds) {
    console.log(`  ${what}: ${list.length}`);
    for (const { told, truth } of list.slice(0, FAULTS)) console.log(`    told ${told}\n    so   ${truth}`);
  }
}

async function playOne(name, seed) {
  const startedAt = Date.now();
  const stage = setStage(name, seed);
  const scene = SCENES[name];
  scene.setUp(stage);
  const { world } = stage;
  world.said = {
    ...world.lagMs,
    "orders of the feed": world.streamLagMs.orders,
    "fills of the feed": world.streamLagMs.fills,
  };
  // Stores settle within a second or two, and the machine may be busy.
  world.behindMs = 5000 + Math.max(0, ...Object.values(world.lagMs), ...Object.values(world.streamLagMs));
  // Of spot the documents' own rule is five seconds of readings that show nothing more.
  world.isSpotLate = Math.max(world.lagMs.fills, world.lagMs.balances) > 1000;
  const exchangePort = await stage.exchange.listen(Number(values.port));
  const gateway = new Gateway({
    exchangePort,
    port: values.port === "0" ? await freePort() : Number(values.port) + 1,
    settings: {},
  });
  stage.gateway = gateway;
  running = gateway;
  await gateway.setUp();
  await gateway.ready();
  stage.client = new Client(gateway, stage.random);
  void stage.client.follow();
  await sleep(300);
  await scene.play(stage);
  const left = await settle(stage);
  const judge = await verdict(stage, left);
  await gateway.stop(values.keep);
  stage.stream.stop();
  stage.exchange.server.close();
  stage.exchange.server.closeAllConnections();
  if (values.keep) console.log(`  kept: ${gateway.directory}`);
  say(stage, judge, startedAt);
  return judge.findings.length;
}

async function freePort() {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

process.on("exit", () => running?.process?.kill("SIGKILL"));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(2));

let findings = 0;
for (const name of values.scene ? values.scene.split(",") : Object.keys(SCENES)) {
  for (let one = 0; one < Number(values.count); one += 1) findings += await playOne(name, Number(values.seed) + one);
}
process.exit(findings ? 1 : 0);
