// node run.mjs --seeds N --from S --binary PATH [--worker K] [--plant NAME] [--active SECONDS] [--keep]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Wallet } from "ethers";
import { Balancer } from "./balancer.mjs";
import { Client } from "./client.mjs";
import { Core, Rng } from "./core.mjs";
import { Gateway, setUp } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { plants } from "./plants.mjs";
import { Lags, Views } from "./stores.mjs";

const arg = (k, d) => {
  const i = process.argv.indexOf(`--${k}`);
  return i < 0 ? d : (process.argv[i + 1] ?? true);
};
const here = path.dirname(fileURLToPath(import.meta.url));
const SEEDS = +arg("seeds", 1),
  FROM = +arg("from", 1),
  K = +arg("worker", 0),
  BINARY = path.resolve(arg("binary", path.join(here, "..", "postern"))),
  PLANT = arg("plant", null),
  OUT = path.resolve(arg("out", path.join(here, "out")));
const gport = 18710 + K * 10,
  xport = 19710 + K * 10,
  work = path.join(os.tmpdir(), `second-stranger-${K}`);
const owner = `0x${"12".repeat(31)}${10 + K}`;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
fs.mkdirSync(OUT, { recursive: true });
const OFF = {
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_LIMIT_WRITES: "0",
  POSTERN_LIMIT_READS: "0",
};

// STOP=1 in the environment makes every seed end with a stop
export function profileOf(seed) {
  // what a seed does, drawn once
  const r = new Rng(seed * 7 + 1);
  const storm = r.weighted({ calm: 1, lost: 3, lag: 3, storm: 3 });
  const f = { calm: 0, lost: 0.25, lag: 0.05, storm: 0.35 }[storm],
    l = { calm: 0.1, lost: 0.3, lag: 1, storm: 1 }[storm];
  return {
    storm,
    activeMs: +arg("active", 0) * 1000 || r.range(14000, 26000),
    pace: r.range(80, 350),
    exchangeFault: f * r.range(0.5, 1.5),
    noopFault: r.pick([0, f, 0.6 * (f > 0)]),
    infoFault: storm === "calm" ? 0 : r.range(0, 0.15),
    lateMs: r.pick([2000, 8000, 16000]),
    when: { never: 3, after: 4, late: 3, twice: 1, twiceLate: 1, slow: 1.5 },
    lagShare: l * r.range(0.2, 1),
    baseLag: r.pick([200, 800, 2500]),
    incidents: Math.round(l * r.int(0, 8)),
    incidentMs: r.pick([4000, 12000]),
    falseNegative: r.pick([0, 0.02, 0.15]) * l,
    wsSilent: r.pick([0, 0.3]) * l,
    wsCut: r.pick([0, 0.5]) * l,
    wsDrop: r.pick([0, 0.03, 0.3]) * l,
    kills: r.weighted({ 0: 3, 1: 4, 2: 2 }) * 1,
    foreign: r.pick([0, 0, 0.5, 2]),
    downs: r.weighted({ 0: 5, 1: 2 }) * 1,
    stop: r.chance(0.12) || !!process.env.STOP,
    weight: r.chance(0.8) ? "0" : "1200",
    lifeMs: r.pick([5000, 7000, 12000]),
    answerMs: r.pick([1500, 3000, 8000]),
    skew: r.pick([0, 0, 400, -400, 1500]),
    readers: r.int(1, 3),
    refuseWindow: r.chance(0.15),
    focus: r.weighted({ mix: 4, hot: 3, trades: 2, sweep: 2, batch: 1 }),
    rate: r.pick([0, 0, 0.1, 2]),
    core: {
      openFirst: r.chance(0.5),
      partlyFilledAs: r.pick(["resting", "filled"]),
      filledSz: r.pick(["zero", "orig"]),
      historyRows: r.pick(["all", "last"]),
      firedRests: r.pick(["open", "triggered"]),
      firedWithout: r.pick(["reduceOnlyRejected", "reduceOnlyCanceled"]),
      doubleLap: r.pick([0, 0.2]),
      staticAs: r.pick(["err", "list"]),
      modifyPrefix: r.chance(0.5),
      refusals: r.pick([0, 0.05]),
      wholeBatch: r.pick([0, 0.2]),
      words: r.chance(0.15),
    },
    vol: r.pick([0.0002, 0.0006, 0.0012]),
  };
}

async function world(seed, p) {
  const core = new Core(new Rng(seed * 13 + 2), p.core ?? {});
  const user = new Wallet(owner).address.toLowerCase();
  const views = new Views(core, user, p.skew ?? 0);
  const t0 = Date.now();
  const lags = new Lags(
    new Rng(seed * 17 + 3),
    { lagShare: 0, baseLag: 0, incidents: 0, incidentMs: 1, falseNegative: 0, ...p },
    t0,
    p.activeMs ?? 0,
  );
  const b = new Balancer({
    core,
    views,
    lags,
    rng: new Rng(seed * 19 + 4),
    profile: p,
    plant: PLANT && plants[PLANT]?.info ? plants[PLANT].info(core) : null,
  });
  await b.listen(xport);
  return { core, views, lags, b, t0 };
}

async function seedRun(seed, base) {
  const p = profileOf(seed);
  const w = await world(seed, p);
  const { core, b } = w;
  core.agents.push({ name: base.agentName, address: base.agent, validUntil: Date.now() + 80 * 864e5 });
  const dir = path.join(work, "run");
  fs.rmSync(dir, { recursive: true, force: true });
  fs.cpSync(base.data, dir, { recursive: true });
  fs.chmodSync(dir, 0o700);
  const logFile = path.join(work, `seed-${seed}.log`);
  fs.rmSync(logFile, { force: true });
  const g = new Gateway({
    binary: BINARY,
    dir,
    port: gport,
    exchangePort: xport,
    logFile,
    env: {
      ...OFF,
      POSTERN_EXCHANGE_WEIGHT: p.weight,
      POSTERN_ACTION_LIFE_MS: String(p.lifeMs),
      POSTERN_ANSWER_DEADLINE_MS: String(p.answerMs),
    },
  });
  g.env.POSTERN_PASSPHRASE_FILE = path.join(work, "base", "pass");
  g.start();
  if (!(await g.up())) {
    b.close();
    throw new Error(`does not start, see ${logFile}`);
  }
  await g.ready();
  const c = new Client({
    base: g.base,
    key: base.key,
    account: base.account,
    rng: new Rng(seed * 23 + 5),
    core,
    profile: p,
  });
  const chaos = new Rng(seed * 29 + 6),
    fx = new Rng(seed * 31 + 7);
  const t0 = Date.now();
  w.lags.start = t0;
  for (const x of w.lags.incidents) {
    x.from += t0 - w.t0;
    x.to += t0 - w.t0;
  }
  w.lags.end = t0 + p.activeMs;
  b.active = true;
  void c.follow();
  const timeline = [];
  const say = (s) => timeline.push(`${((Date.now() - t0) / 1000).toFixed(2)} ${s}`);
  const ticker = setInterval(() => {
    core.tick(p.vol);
    if (b.active && fx.chance(p.foreign * 0.1)) core.foreign(fx.pick(["cancel", "close", "open", "rest", "cancel"]));
  }, 100);
  let stop = false;
  const _work1 = [];
  const loop = async (f, pace) => {
    while (!stop) {
      f().catch((e) => say(`client error ${e.stack}`));
      await sleep(c.rng.range(0.3, 1.7) * pace());
    }
  };
  const loops = [
    loop(
      () => c.step(),
      () => p.pace,
    ),
  ];
  for (let i = 0; i < p.readers; i++)
    loops.push(
      loop(
        () => c.read(),
        () => 250,
      ),
    );
  const disturb = (async () => {
    const plan = [];
    for (let i = 0; i < p.kills; i++) plan.push([chaos.range(0.15, 1.0) * p.activeMs, "kill"]);
    for (let i = 0; i < p.downs; i++) plan.push([chaos.range(0.1, 0.7) * p.activeMs, "down"]);
    if (p.stop) plan.push([p.activeMs * 0.85, "stop"]);
    if (p.refuseWindow) plan.push([p.activeMs * chaos.range(0.1, 0.6), "refuse"]);
    plan.sort((x, y) => x[0] - y[0]);
    for (const [t, what] of plan) {
      await sleep(Math.max(0, t0 + t - Date.now()));
      if (what === "kill") {
        const sig = chaos.chance(0.8) ? "SIGKILL" : "SIGTERM";
        if (chaos.chance(0.2) && !g.proc.dead) {
          const n = chaos.pick([800, 4000, 9000]);
          say(`SIGSTOP ${n}`);
          g.freeze("STOP");
          await sleep(n);
          g.freeze("CONT");
          say("SIGCONT");
          continue;
        }
        say(sig);
        await g.kill(sig);
        await sleep(chaos.pick([10, 500, 6000]));
        g.start();
        say("start");
        await g.up();
      }
      if (what === "down") {
        say("exchange down");
        b.down = true;
        for (const k of b.conns) k.ws.terminate();
        await sleep(chaos.range(300, 4000));
        b.down = false;
        say("exchange up");
      }
      if (what === "refuse") {
        core.refuse = chaos.pick([
          "Too many cumulative requests sent (110001 > 110000) for cumulative volume traded $100000.0. Place taker orders to free up 1 request per USDC traded.",
          "Only post-only orders allowed immediately after a network upgrade",
        ]);
        setTimeout(() => (core.refuse = null), 2500);
      }
      if (what === "stop") {
        say("POST /v1/stop");
        void c.write("POST", "/v1/stop", { scope: "account", keep_protection: chaos.chance(0.6) }, "stop");
      }
    }
  })();
  await sleep(p.activeMs);
  stop = true;
  await Promise.all(loops);
  await disturb;
  c.stopped = true;
  b.active = false;
  core.refuse = null;
  const calmAt = Date.now();
  say("calm");
  if (g.proc.dead) {
    say(`GATEWAY DIED ${JSON.stringify(await g.exited)}`);
    g.start();
    await g.up();
  }
  await Promise.race([Promise.allSettled([...c.pending]), sleep(13000)]);
  // what is not known gets the time and the facts that the documents ask for
  const ids = () => [...new Set(c.tells.filter((x) => x.kind === "order").map((x) => x.o.id))];
  const settle = async () => {
    const limit = Date.now() + Math.max(45000, p.lifeMs * 3);
    let left = [],
      settledAt = null;
    await sleep(500);
    while (Date.now() < limit) {
      core.foreign("open");
      const _r = await c.call("GET", "/v1/status");
      const list = [];
      for (const st of ["unknown", "processing"]) {
        const l = await c.call("GET", `/v1/orders?status=${st}&limit=500`);
        for (const o of l.json?.data ?? []) list.push(o.id);
      }
      const ops =
        (await c.call("GET", "/v1/operations?limit=500")).json?.data?.filter((o) =>
          ["unknown", "processing"].includes(o.status),
        ) ?? [];
      let alls = 0;
      for (const id of c.cancelAlls) {
        const a = await c.call("GET", `/v1/cancel-alls/${id}`);
        if (a.json?.status === "canceling") alls++;
      }
      left = list;
      if (!list.length && !ops.length && !alls) {
        settledAt = Date.now();
        break;
      }
      await sleep(1500);
    }
    return [settledAt, left];
  };
  let [settledAt, left] = await settle();
  const firstSettled = settledAt;
  // every key that may have done something, once more: what is stored must not contradict what happened
  for (const wr of c.writes)
    if (wr.reqs.some((x) => x.lost || x.status < 300))
      wr.reqs.push(await c.call("POST", wr.path, { body: wr.body, key: wr.key }));
  if (settledAt) [settledAt, left] = await settle();
  say(`settled ${settledAt ? `after ${settledAt - calmAt}` : `NOT: ${left}`}`);
  for (const wr of c.writes)
    if (wr.path === "/v1/stop" && wr.reqs.some((x) => x.json?.id))
      await c.call("GET", `/v1/stops/${wr.reqs.find((x) => x.json?.id).json.id}`);
  clearInterval(ticker);
  await sleep(2500);
  core.foreign("open");
  await sleep(2500);
  c.finals = [];
  for (const id of ids()) {
    let r;
    for (let i = 0; i < 20; i++) {
      r = await c.call("GET", `/v1/orders/${id}`);
      if ((r.status === 200 && !["unknown", "processing"].includes(r.json.status)) || r.status === 404) break;
      await sleep(1000);
    }
    if (r.json?.object === "order") c.finals.push({ o: r.json, a: r.a, b: r.b, asOf: r.asOf });
    else if (!(r.status === 404 && c.tells.some((x) => x.kind === "removed" && x.o.id === id)))
      say(`final read of ${id}: ${r.status} ${r.text?.slice(0, 200)}`);
  }
  const pages = async (u) => {
    const out = [];
    let cur = "";
    for (let i = 0; i < 40; i++) {
      const r = await c.call(
        "GET",
        `${u}${u.includes("?") ? "&" : "?"}limit=500${cur ? `&cursor=${encodeURIComponent(cur)}` : ""}`,
      );
      if (r.status !== 200) {
        say(`${u}: ${r.status} ${r.text?.slice(0, 200)}`);
        return null;
      }
      out.push(...r.json.data);
      if (!r.json.has_more) break;
      cur = r.json.next_cursor;
    }
    return out;
  };
  c.finalFills = await pages("/v1/fills");
  c.finalOpenA = Date.now();
  c.finalOpen = await pages("/v1/orders?status=open");
  c.finalOpenB = Date.now();
  c.finalOps = new Map((await pages("/v1/operations"))?.map((o) => [o.id, o]));
  c.finalTrades = await pages("/v1/trades");
  c.finalAlls = new Map();
  for (const id of c.cancelAlls) c.finalAlls.set(id, (await c.call("GET", `/v1/cancel-alls/${id}`)).json?.status);
  await c.call("GET", "/v1/positions");
  await sleep(800);
  c.over = true;
  const endAt = Date.now();
  await g.kill("SIGTERM");
  b.close();
  PLANT && plants[PLANT]?.tells?.(c, core);
  const j = new Judge({ core, client: c, t0, calmAt, account: base.account, endAt, skew: p.skew }).run();
  const gatewayErrors = fs
    .readFileSync(logFile, "utf8")
    .split("\n")
    .filter((l) => /"level":(50|60)|panic|invariant/i.test(l))
    .slice(0, 5);
  const sum = {
    seed,
    storm: p.storm,
    focus: p.focus,
    kills: p.kills,
    writes: c.writes.length,
    requests: c.reqs.length,
    told: c.tells.length,
    placed: [...core.orders.values()].filter((o) => o.origin.kind !== "foreign").length,
    fills: core.fills.length,
    faults: Object.entries(b.counts)
      .filter(([k]) => k.startsWith("fault"))
      .reduce((s, [, v]) => s + v, 0),
    settleMs: firstSettled ? firstSettled - calmAt : null,
    hard: j.hard.length,
    soft: j.soft.length,
    unknownTypes: [...b.unknownTypes],
  };
  if (j.hard.length || !settledAt || arg("keep", null))
    fs.writeFileSync(
      path.join(OUT, `seed-${seed}.json`),
      JSON.stringify({
        sum,
        profile: p,
        hard: j.hard,
        soft: j.soft,
        timeline,
        gatewayErrors,
        counts: b.counts,
        infos: (b.infoLog ?? []).map((x) => [x[0] - t0, ...x.slice(1)]),
        acts: core.acts.map((a) => ({
          t: a.t - t0,
          n: a.nonce,
          a: a.action,
          m: a.meta,
          e: a.expiresAfter ? a.expiresAfter - t0 : null,
          r: a.result,
        })),
        orders: [...core.orders.values()].map((o) => ({
          ...o,
          hist: o.hist.map((h) => ({ ...h, t: h.t - t0 })),
          t0: o.t0 - t0,
          fills: o.fills.map((f) => ({ t: f.t - t0, sz: f.sz, px: f.px })),
        })),
        reqs: c.reqs.map((r) => ({
          ...r,
          a: r.a - t0,
          b: r.b - t0,
          json: undefined,
          text: r.text?.length > 3000 ? r.text.slice(0, 3000) : r.text,
        })),
        events: c.events.map((e) => ({ t: e.t - t0, d: e.d })),
        incidents: w.lags.incidents.map((x) => ({ ...x, from: x.from - t0, to: x.to - t0 })),
        t0,
        wire: core.wire.map((x) => ({ t: x.t - t0, type: x.type, nonce: x.nonce, fault: x.fault })),
      }),
    );
  if (!j.hard.length && settledAt) fs.rmSync(logFile, { force: true });
  else fs.copyFileSync(logFile, path.join(OUT, `seed-${seed}.log`));
  console.log(JSON.stringify(sum) + (gatewayErrors.length ? ` GATEWAY: ${gatewayErrors[0].slice(0, 300)}` : ""));
  const by = {};
  for (const h of j.hard) (by[h.code] ??= []).push(h.text);
  for (const [k, v] of Object.entries(by)) console.log(`  HARD ${k} x${v.length}: ${v[0].slice(0, 500)}`);
  const bs = {};
  for (const h of j.soft) (bs[h.code] ??= []).push(h.text);
  for (const [k, v] of Object.entries(bs)) console.log(`  soft ${k} x${v.length}: ${v[0].slice(0, 260)}`);
  for (const l of timeline) if (/error|DIED|NOT|final read|:/.test(l)) console.log(`  ~ ${l.slice(0, 300)}`);
  return sum;
}

const w0 = await world(0, {});
const base = await setUp({
  binary: BINARY,
  dir: path.join(work, "base"),
  port: gport,
  exchangePort: xport,
  owner,
  env: OFF,
});
w0.b.close();
process.on("SIGINT", () => process.exit(1));
const all = [];
for (let s = FROM; s < FROM + SEEDS; s++) {
  try {
    all.push(await seedRun(s, base));
  } catch (e) {
    console.log(`seed ${s} failed to run: ${e.stack}`);
  }
}
const tot = (k) => all.reduce((x, y) => x + (y[k] ?? 0), 0);
console.log(
  JSON.stringify({
    seeds: all.length,
    clean: all.filter((x) => !x.hard).length,
    writes: tot("writes"),
    placed: tot("placed"),
    fills: tot("fills"),
    told: tot("told"),
    faults: tot("faults"),
  }),
);
process.exit(all.some((x) => x.hard) ? 1 : 0);
