// node busy.mjs [--seed S] [--count N] [--world maker|limits|storm|long] [--seconds T] [--port P]    exit code 1 where something told was not so
import { parseArgs } from "node:util";
import { fillPast } from "./before.mjs";
import { BusyHands } from "./busy-hands.mjs";
import { BusyVerdict } from "./busy-verdict.mjs";
import { drawBusy, quiet } from "./busy-worlds.mjs";
import { Events } from "./events.mjs";
import { Exchange } from "./exchange.mjs";
import { Draw, sleep } from "./figures.mjs";
import { Gateway } from "./gateway.mjs";
import { Makers } from "./makers.mjs";
import { Storms } from "./storms.mjs";
import { Tally } from "./tally.mjs";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1" },
    world: { type: "string" },
    seconds: { type: "string" },
    port: { type: "string", default: "18800" },
  },
});
const FINAL = new Set(["filled", "canceled", "rejected", "succeeded"]);
const SETTLE_MS = 75_000;
const exchange = new Exchange();
const gateway = new Gateway(Number(given.port), Number(given.port) + 1);

function settingsOf(world) {
  return {
    POSTERN_ACTION_LIFE_MS: String(world.actionLifeMs),
    POSTERN_EXCHANGE_WEIGHT: world.weight,
    BUN_JSC_useFTLJIT: "0",
    BUN_JSC_forceRAMSize: "1073741824",
    ...(world.ownLimits
      ? {
          POSTERN_LIMIT_ORDERS: "10/40",
          POSTERN_LIMIT_CANCELS: "20/40",
          POSTERN_LIMIT_WRITES: "2/10",
          POSTERN_LIMIT_READS: "20/60",
        }
      : {}),
  };
}

function keysOf(world, draw) {
  const [plain, second, grid, other, loser] = gateway.keys;
  const order = world.name === "storm" ? [loser, plain, grid, second] : [plain, grid, second, other];
  return order.slice(0, Math.max(world.load.bots, world.name === "storm" ? 2 : 1)).map((key) => (draw.next(), key));
}

async function play(seed) {
  const draw = new Draw(seed);
  const world = drawBusy(draw, given.world);
  const spread = { ...world };
  const seconds = Number(given.seconds ?? world.seconds);
  exchange.begin(draw, world);
  exchange.truth.keeps = 2000;
  if (world.before) fillPast(exchange.truth, world.before);
  Object.assign(gateway, { told: [], log: "" });
  await gateway.start(gateway.copy(`seed-${seed}`), settingsOf(world));
  await ready();
  const began = Date.now();
  const keys = keysOf(world, draw);
  const clients = new Makers(gateway, exchange.truth, draw, world, keys);
  const hands = new BusyHands(exchange, draw, world);
  const events = new Events(gateway, gateway.keys[0]);
  events.heard = (event) => {
    if (event.type.startsWith("order.")) clients.heard(event.data.order ?? event.data);
  };
  const storms = world.name === "storm" ? new Storms(gateway, events, draw, keys) : null;
  const tally = new Tally(gateway, exchange.truth);
  const slots = keys.flatMap((who) => Array.from({ length: world.load.inFlight }, () => who));
  const running = [hands.run(), events.run(), storms?.run(), ...slots.map((who) => clients.run(who))];
  await playFor(seconds * 1000, began, draw, world);
  clients.running = false;
  const calmAt = Date.now();
  quiet(world);
  gateway.calmAt = calmAt;
  await storms?.end();
  const final = await settle(clients, hands, began + seconds * 1000 + SETTLE_MS);
  tally.end();
  events.end();
  await Promise.all(running);
  const verdict = new BusyVerdict({
    weight: spread.weight,
    world: spread,
    storms,
    tally,
    gateway,
    exchange,
    truth: exchange.truth,
    views: exchange.views,
    clients,
    events,
    stories: final.stories,
    keyOf: keyOf(clients, events),
    final,
    calmAt,
    graceMs: graceOf(spread),
    heardFrom: began,
  });
  const judgeFrom = Date.now();
  const judge = verdict.all();
  await gateway.stop();
  report({ seed, world: spread, judge, verdict, calmAt, clients, tally, judgedMs: Date.now() - judgeFrom, began });
  return judge.findings.length === 0;
}

function graceOf({ stores, lagMs, streamLagMs, silence, drops }) {
  const most = Math.max(lagMs, ...Object.values(stores ?? {}));
  return 3000 + most + streamLagMs + (silence > 0 || drops > 0 ? 16_000 : 0);
}

/** Whose an order is: by what a client was answered, and by its events. */
function keyOf(clients, events) {
  const keys = new Map();
  for (const { event } of events.list)
    if (event.type.startsWith("order.") && event.data.key_hash) keys.set(event.data.order?.id, event.data.key_hash);
  for (const [id, { who }] of clients.byId) keys.set(id, who.hash);
  return keys;
}

async function playFor(ms, began, draw, world) {
  const deaths = [];
  for (let i = 0; i < Math.round(world.kills); i++) deaths.push(began + 2500 + draw.next() * (ms - 5000));
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

/** A start may take a while until it takes orders; the load begins after it. */
async function ready() {
  for (const until = Date.now() + 20_000; Date.now() < until; await sleep(100))
    if ((await gateway.ask(gateway.keys[0], "GET", "/readyz")).status === 200) return;
}

async function pages(path) {
  const rows = [];
  let cursor = "";
  for (let i = 0; i < 200; i++) {
    const { status, value } = await gateway.ask(gateway.keys[0], "GET", `${path}?limit=500${cursor}`);
    if (status === 429 || status === 503) {
      await sleep(1000);
      continue;
    }
    if (!Array.isArray(value?.data)) break;
    rows.push(...value.data);
    if (!value.has_more) break;
    cursor = `&cursor=${value.next_cursor}`;
  }
  return rows;
}

async function settle(clients, hands, until) {
  const who = gateway.keys[0];
  await clients.repeat(Math.min(Date.now() + 25_000, until));
  const cancelAll = () =>
    clients.write(
      who,
      "/v1/orders/cancel-all",
      { account: gateway.account, touches: "all", keep_protection: false },
      "cancel_all",
    );
  await cancelAll();
  for (let turn = 0; Date.now() < until; turn++) {
    await sleep(1500);
    const open = [...(await pages("/v1/orders")), ...(await pages("/v1/operations"))];
    if (turn > 0 && !open.some(({ status }) => !FINAL.has(status))) break;
    await clients.repeat(Math.min(Date.now() + 3000, until));
    if (turn % 3 === 2) await cancelAll();
  }
  hands.running = false;
  await sleep(2500);
  return gather(clients, who);
}

/** Where the answer is cut or refused for a while it is asked for again. */
async function told(who, path) {
  for (let i = 0; i < 10; i++) {
    const { status, value } = await gateway.ask(who, "GET", path);
    if (status === 200) return value;
    await sleep(1000);
  }
  throw new Error(`no answer at the end: ${path} ${gateway.deaths}`);
}

/** The stories of what was changed or has not ended; of all others their own client order id says which they are. */
async function gather(clients, who) {
  const at = Date.now() - 4000;
  const [orders, operations] = [await pages("/v1/orders"), await pages("/v1/operations")];
  const changed = new Set();
  for (const { kind, path } of clients.asked.values()) if (kind === "modify") changed.add(path.split("/")[3]);
  const stories = new Map(orders.map(({ id }) => [id, undefined]));
  const asked = orders.filter(({ id, status }) => changed.has(id) || !FINAL.has(status));
  const next = async () => {
    for (let one = asked.pop(); one !== undefined; one = asked.pop())
      stories.set(one.id, await told(who, `/v1/orders/${one.id}/story`));
  };
  await Promise.all(Array.from({ length: 8 }, next));
  for (const path of ["/v1/account", "/v1/positions", "/v1/orders?status=open&limit=500"])
    await gateway.ask(who, "GET", path);
  const lines = async (path) =>
    String(await told(who, path))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    at,
    orders,
    operations,
    stories,
    fills: await pages("/v1/fills"),
    performance: (await gateway.ask(who, "GET", "/v1/performance")).value,
    exportedFills: await lines("/v1/exports/fills.jsonl"),
    exportedOrders: await lines("/v1/exports/orders.jsonl"),
  };
}

function report({ seed, world, judge, verdict, calmAt, clients, tally, judgedMs, began }) {
  const { findings, counts } = judge;
  const say = (name, value) => console.log(`     ${name}: ${value}`);
  console.log(
    `${findings.length === 0 ? "ok  " : "FAIL"} seed ${seed} ${world.name} ${world.kind}${world.near ? ` near ${world.near}` : ""} weight ${world.weight}, ${((Date.now() - began) / 1000).toFixed(0)} s, ${gateway.told.length} answers, ${clients.asked.size} writes, ${exchange.sent.length} sent, ${exchange.truth.orders.size} orders, ${exchange.truth.fills.length} fills, at most ${tally.mostOpen} open (${Object.entries(
      counts,
    )
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}), not settled ${verdict.left.length}, judged in ${judgedMs} ms`,
  );
  say("world", JSON.stringify({ ...world, load: undefined }).slice(0, 700));
  say("load", `${JSON.stringify(world.load)}; ${tally.line(calmAt)}`);
  say("limits", `${JSON.stringify(exchange.limits.refusals)}; asked ${JSON.stringify(questions(exchange.asked))}`);
  const words = tally.words(calmAt).slice(0, 24);
  say("refused or open", words.map(([name, count]) => `${name} (${count})`).join("; "));
  const lasted = Tally.lasted(clients).sort((a, b) => b.ms - a.ms);
  say(
    "longest",
    lasted
      .slice(0, 4)
      .map(
        ({ request, ms }) =>
          `${ms} ms ${request.kind} ${(request.answers ?? [])
            .slice(-4)
            .map(({ status, failed, value }) => failed ?? `${status} ${value?.error?.code ?? ""}`)
            .join(", ")}`,
      )
      .join("; "),
  );
  if (verdict.storms)
    say(
      "stops",
      verdict.storms.stops
        .map(
          (s) =>
            `${s.scope} ${s.stoppedAt === null || s.stoppedAt === undefined ? `never: ${JSON.stringify(s.last ?? s.refused).slice(0, 900)}` : `${s.stoppedAt - s.askedAt} ms`}${s.flatten ? ` ${s.flatten.status}` : ""}`,
        )
        .join("; "),
    );
  const ends = gateway.told.filter(({ kind, from }) => kind === "cancel_all" && from > calmAt);
  if (verdict.left.length > 0 && ends.length > 0) say("last cancel-all", JSON.stringify(ends.at(-1)).slice(0, 1200));
  for (const one of verdict.left.slice(0, 3)) say("left", JSON.stringify(one).slice(0, 500));
  const seen = new Map();
  for (const { what, told: words_, truth, by } of findings) {
    seen.set(what, (seen.get(what) ?? 0) + 1);
    if (seen.get(what) > Number(process.env.STRANGER_FAULTS ?? 2)) continue;
    console.log(`   FINDING ${what}\n     told  ${words_}\n     by    ${by.line}\n     truth ${truth}`);
  }
  if (findings.length > 0) say("in all", [...seen].map(([what, count]) => `${what} (${count})`).join("; "));
  if (process.env.STRANGER_LOG !== undefined) console.log(gateway.log);
  if (process.env.STRANGER_TIMES !== undefined) timeline(began);
  if (process.env.STRANGER_SENT !== undefined)
    for (const { t, fate, nonce, action } of exchange.sent)
      console.log(t % 1_000_000, fate, nonce, JSON.stringify(action).slice(0, 400));
  if (exchange.unknown.size > 0) say("asked for and not modelled", [...exchange.unknown].join(", "));
  const errors = gateway.log.split("\n").filter((line) => /"level":(50|60)/.test(line));
  if (errors.length > 0) say(`errors in the log (${errors.length})`, errors.slice(0, 3).join(" ").slice(0, 1400));
  if (gateway.deaths.length > 0) say("died by itself", gateway.deaths.join(" "));
}

/** How often each was asked for. */
function questions(asked) {
  const counts = {};
  for (const { type } of asked) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** What was asked and sent in each five seconds. */
function timeline(began) {
  const rows = new Map();
  for (const { t, type, action } of [...exchange.asked, ...exchange.sent]) {
    const row = Math.floor((t - began) / 5000);
    rows.set(row, [...(rows.get(row) ?? []), { type: action?.type ?? type }]);
  }
  for (const [row, list] of [...rows].sort((a, b) => a[0] - b[0]))
    console.log(`     ${row * 5} s: ${JSON.stringify(questions(list))}`);
}

process.on("SIGTERM", () => process.exit(1));
process.on("exit", () => {
  gateway.process?.kill("SIGKILL");
  gateway.remove();
});
await exchange.listen(Number(given.port));
const first = new Draw(0);
exchange.begin(first, drawBusy(first, "maker"));
await gateway.setUp(exchange, [null, null, "grid", "other", "loser"]);
let whole = true;
for (let i = 0; i < Number(given.count); i++) whole = (await play(Number(given.seed) + i)) && whole;
process.exit(whole ? 0 : 1);
