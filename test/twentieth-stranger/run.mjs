// node run.mjs [--seed S] [--count N] [--seconds T] [--world NAME] [--port P]    exit code 1 where something told was not so
import { parseArgs } from "node:util";
import { Clients } from "./client.mjs";
import { Events } from "./events.mjs";
import { Exchange } from "./exchange.mjs";
import { Draw, sleep } from "./figures.mjs";
import { Gateway } from "./gateway.mjs";
import { Hands } from "./hands.mjs";
import { Verdict } from "./verdict.mjs";
import { calm, drawWorld } from "./worlds.mjs";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1" },
    seconds: { type: "string", default: "34" },
    world: { type: "string" },
    port: { type: "string", default: "18700" },
  },
});
const SECONDS = Number(given.seconds);
const FINAL = new Set(["filled", "canceled", "rejected", "succeeded"]);
const exchange = new Exchange();
const gateway = new Gateway(Number(given.port), Number(given.port) + 1);

async function play(seed) {
  const draw = new Draw(seed);
  const world = drawWorld(draw, given.world);
  const spread = { ...world };
  exchange.begin(draw, world);
  gateway.told = [];
  gateway.log = "";
  const weight = draw.chance(0.85) ? "0" : "1200";
  await gateway.start(gateway.copy(`seed-${seed}`), {
    POSTERN_ACTION_LIFE_MS: String(world.actionLifeMs),
    POSTERN_EXCHANGE_WEIGHT: weight,
  });
  const began = Date.now();
  const keys = gateway.keys.slice(0, draw.whole(1, gateway.keys.length));
  const clients = new Clients(gateway, exchange.truth, draw, keys);
  const hands = new Hands(exchange, draw, world);
  const events = new Events(gateway, gateway.keys[0]);
  const running = [hands.run(), events.run(), ...keys.flatMap((who) => [who, who, who]).map((who) => clients.run(who))];
  await playFor(SECONDS * 450, began, draw, world);
  clients.running = false;
  calm(world);
  const calmAt = Date.now();
  const final = await settle(clients, hands, began + SECONDS * 1000);
  hands.running = false;
  await sleep(300);
  events.end();
  await Promise.all(running);
  const verdict = new Verdict({
    weight,
    gateway,
    exchange,
    truth: exchange.truth,
    views: exchange.views,
    clients,
    events,
    stories: final.stories,
    final,
    calmAt,
    graceMs: graceOf(spread),
  });
  const judge = verdict.all();
  await gateway.stop();
  report({ seed, world: spread, judge, verdict, began, clients });
  return judge.findings.length === 0;
}

/** How far behind an honest gateway may be: its exchange's stores, and a stream of which it cannot know yet that it is silent. */
function graceOf({ lagMs, streamLagMs, silence, drops }) {
  return 2500 + lagMs + streamLagMs + (silence > 0 || drops > 0 ? 16_000 : 0);
}

async function playFor(ms, began, draw, world) {
  const deaths = [];
  for (let i = 0; i < Math.round(world.kills); i++) deaths.push(began + 1500 + draw.next() * (ms - 2500));
  deaths.sort((a, b) => a - b);
  while (Date.now() < began + ms) {
    await sleep(50);
    if (deaths.length === 0 || Date.now() < deaths[0]) continue;
    deaths.shift();
    await gateway.kill();
    await sleep(draw.whole(50, 1500));
    await gateway.start(gateway.data, gateway.settings);
  }
}

async function pages(path) {
  const rows = [];
  let cursor = "";
  for (let i = 0; i < 30; i++) {
    const { value } = await gateway.ask(gateway.keys[0], "GET", `${path}?limit=500${cursor}`);
    if (!Array.isArray(value?.data)) break;
    rows.push(...value.data);
    if (!value.has_more) break;
    cursor = `&cursor=${value.next_cursor}`;
  }
  return rows;
}

/** Nothing lags and nothing is lost: what was asked is asked again, all is canceled, and all must settle. */
async function settle(clients, hands, until) {
  const first = gateway.keys[0];
  await sleep(500);
  for (const twap of exchange.truth.twaps)
    if (twap.versions.at(-1).status === "activated") exchange.actions.writeTwap(twap, "terminated");
  await clients.repeat(Math.min(Date.now() + 6000, until - 6000));
  await clients.write(
    first,
    "/v1/orders/cancel-all",
    { account: gateway.account, touches: "all", keep_protection: false },
    "cancel_all",
  );
  hands.world.hands = 1;
  let orders = [];
  let operations = [];
  for (let turn = 0; Date.now() < until; turn++) {
    [orders, operations] = [await pages("/v1/orders"), await pages("/v1/operations")];
    const open = [...orders, ...operations].filter(({ status }) => !FINAL.has(status));
    if (open.length === 0 && turn > 1) break;
    if (turn % 4 === 3)
      await clients.write(
        first,
        "/v1/orders/cancel-all",
        { account: gateway.account, touches: "all", keep_protection: false },
        "cancel_all",
      );
    await sleep(700);
  }
  hands.world.hands = 0;
  await sleep(1500);
  return gather(first, await pages("/v1/orders"), await pages("/v1/operations"));
}

/** An answer at the end: what is refused or broken off is asked for again, five times. */
async function told(who, path) {
  for (let i = 0; i < 5; i++) {
    const { status, value, failed } = await gateway.ask(who, "GET", path);
    if (status === 200) return value;
    if (failed !== undefined) console.log(`     no answer: ${path} ${failed}`);
    await sleep(500);
  }
  throw new Error(`no answer at the end: ${path} ${gateway.deaths}`);
}

async function gather(who, orders, operations) {
  const at = Date.now() - 4000;
  const stories = new Map();
  for (const { id } of orders) stories.set(id, (await gateway.ask(who, "GET", `/v1/orders/${id}/story`)).value);
  for (const path of ["/v1/account", "/v1/positions", "/v1/orders?status=open&limit=500", "/v1/twaps"])
    await gateway.ask(who, "GET", path);
  const lines = async (path) =>
    String(await told(who, path))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const [fills, performance] = [await pages("/v1/fills"), (await gateway.ask(who, "GET", "/v1/performance")).value];
  return {
    at,
    orders,
    operations,
    stories,
    fills,
    performance,
    exportedFills: await lines("/v1/exports/fills.jsonl"),
    exportedOrders: await lines("/v1/exports/orders.jsonl"),
  };
}

function report({ seed, world, judge, verdict, began, clients }) {
  const { findings, counts } = judge;
  const figures = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  console.log(
    `${findings.length === 0 ? "ok  " : "FAIL"} seed ${seed} ${world.name} ${((Date.now() - began) / 1000).toFixed(0)} s, ${gateway.told.length} answers, ${clients.asked.size} writes, ${exchange.truth.fills.length} fills (${figures}), weight ${verdict.weight}, not settled ${verdict.left.length}`,
  );
  for (const one of verdict.left.slice(0, 3)) console.log(`     left: ${JSON.stringify(one).slice(0, 400)}`);
  const seen = new Map();
  for (const { what, told, truth, by } of findings) {
    seen.set(what, (seen.get(what) ?? 0) + 1);
    if (seen.get(what) > Number(process.env.STRANGER_FAULTS ?? 2)) continue;
    console.log(`   FINDING ${what}\n     told  ${told}\n     by    ${by.line}\n     truth ${truth}`);
  }
  if (findings.length > 0)
    console.log(`     in all: ${[...seen].map(([what, count]) => `${what} (${count})`).join("; ")}`);
  if (process.env.STRANGER_LOG !== undefined) console.log(gateway.log);
  if (process.env.STRANGER_SENT !== undefined)
    for (const { t, fate, nonce, action } of exchange.sent)
      console.log(t % 1_000_000, fate, nonce, JSON.stringify(action).slice(0, 400));
  if (exchange.unknown.size > 0) console.log("     asked for and not modelled:", [...exchange.unknown].join(", "));
}

process.on("SIGTERM", () => process.exit(1));
process.on("exit", () => {
  gateway.process?.kill("SIGKILL");
  gateway.remove();
});
await exchange.listen(Number(given.port));
const first = new Draw(0);
exchange.begin(first, drawWorld(first, "calm"));
await gateway.setUp(exchange, [null, null, "grid", "other"]);
let whole = true;
for (let i = 0; i < Number(given.count); i++) whole = (await play(Number(given.seed) + i)) && whole;
process.exit(whole ? 0 : 1);
