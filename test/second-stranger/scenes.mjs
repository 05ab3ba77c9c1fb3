// node scenes.mjs NAME [--binary PATH]: the smallest timelines of what the explorer has found; each prints what was told and what was true.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Wallet } from "ethers";
import { Balancer } from "./balancer.mjs";
import { Core, Rng } from "./core.mjs";
import { Gateway, setUp } from "./gateway.mjs";
import { Lags, Views } from "./stores.mjs";

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const here = path.dirname(fileURLToPath(import.meta.url));
const i = process.argv.indexOf("--binary");
const binary = path.resolve(i > 0 ? process.argv[i + 1] : path.join(here, "..", "postern"));
const owner = `0x${"13".repeat(32)}`,
  xport = 19790,
  gport = 18790,
  work = path.join(os.tmpdir(), "second-stranger-scenes");

async function stage({ env = {}, core: opts = {} } = {}) {
  const core = new Core(new Rng(5), { refusals: 0, ...opts }),
    views = new Views(core, new Wallet(owner).address.toLowerCase());
  const lags = new Lags(new Rng(6), { lagShare: 0, baseLag: 0, incidents: 0, incidentMs: 1, falseNegative: 0 }, 0, 0);
  const b = new Balancer({ core, views, lags, rng: new Rng(7), profile: {} });
  await b.listen(xport);
  const base = await setUp({ binary, dir: work, port: gport, exchangePort: xport, owner, env });
  const g = new Gateway({
    binary,
    dir: base.data,
    port: gport,
    exchangePort: xport,
    logFile: path.join(work, "scene.log"),
    env: {
      POSTERN_EXCHANGE_WEIGHT: "0",
      POSTERN_LIMIT_READS: "0",
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_ACTION_LIFE_MS: "5000",
      POSTERN_ANSWER_DEADLINE_MS: "2000",
      ...env,
    },
  });
  g.start();
  await g.up();
  await g.ready();
  const t0 = Date.now();
  const call = async (m, p, body, key) => {
    const r = await fetch(g.base + p, {
      method: m,
      headers: {
        authorization: `Bearer ${base.key}`,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(key ? { "idempotency-key": key } : {}),
      },
      body: body && JSON.stringify(body),
    });
    const j = await r.json();
    return { status: r.status, j, asOf: r.headers.get("x-data-as-of") };
  };
  const say = (...x) => console.log(((Date.now() - t0) / 1000).toFixed(2), ...x);
  const tick = setInterval(() => core.tick(0), 100);
  return {
    core,
    b,
    g,
    call,
    say,
    account: base.account,
    base,
    end: async () => {
      clearInterval(tick);
      await g.kill("SIGTERM");
      b.close();
    },
  };
}
const short = (o) => `${o.status} filled=${o.filled_size} oid=${o.exchange_order_id} err=${o.error}`;
async function until(s, id, words, ms, each) {
  let last = "";
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const { status, j } = await s.call("GET", `/v1/orders/${id}`);
    const x = `${status} ${j.status ? short(j) : JSON.stringify(j)}`;
    if (x !== last) s.say("GET", x);
    last = x;
    if (words.includes(j.status)) return true;
    each?.();
    await sleep(1000);
  }
  return false;
}

const scenes = {
  /** Another hand (or the system) ends a resting order with a word; how long is it unknown? */
  async word(word = "whatNotCanceled", activity = "open") {
    const s = await stage();
    const { j } = await s.call(
      "POST",
      "/v1/orders",
      { account: s.account, market: "BTC", side: "buy", size: "0.01", price: "50000" },
      "scene-0001",
    );
    s.say("placed", short(j));
    await sleep(1500);
    const o = s.core.orders.get(+j.exchange_order_id);
    s.core.cancel(o, s.core.now(), word);
    s.say("exchange ends it as", word);
    const ok = await until(s, j.id, ["canceled", "rejected", "filled"], 60000, () => s.core.foreign(activity));
    s.say(ok ? "known" : "STILL NOT KNOWN");
    await s.end();
  },
  /** F1: fills of the new order of an always_place modify are told under the closed target. */
  async foreignFill() {
    const s = await stage();
    const a = (
      await s.call(
        "POST",
        "/v1/orders",
        { account: s.account, market: "BTC", side: "buy", size: "0.01", price: "61000" },
        "scene-0001",
      )
    ).j;
    s.say("target", a.id, short(a));
    const b = s.b;
    const real = b.exchange.bind(b);
    b.exchange = (j, res, sock) => {
      if (j.action.type !== "batchModify") return real(j, res, sock);
      const r = s.core.execute(j);
      setTimeout(() => b.answer(res, r), 1500);
    };
    const p = s.call("POST", `/v1/orders/${a.id}/modify`, { size: "0.02", always_place: true }, "scene-0002");
    await sleep(900);
    const f = (await s.call("GET", "/v1/fills")).j.data.map(
      (x) => `${x.size} of oid ${x.exchange_order_id} order_id ${x.order_id}`,
    );
    s.say("fills while the answer is outstanding", f);
    const m = (await p).j;
    s.say("modify answered", m.id, short(m));
    s.say(
      "fills after",
      (await s.call("GET", "/v1/fills")).j.data.map(
        (x) => `${x.size} of oid ${x.exchange_order_id} order_id ${x.order_id}`,
      ),
    );
    await s.end();
  },
  /** F2: the open list against the row while the answer is outstanding. */
  async openList() {
    const s = await stage({ env: { POSTERN_ANSWER_DEADLINE_MS: "8000" } });
    const b = s.b;
    b.push = () => {};
    b.exchange = (j, res) => {
      const r = s.core.execute(j);
      setTimeout(() => b.answer(res, r), 4500);
    };
    const p = s.call(
      "POST",
      "/v1/orders",
      { account: s.account, market: "BTC", side: "buy", size: "0.01", price: "50000" },
      "scene-0001",
    );
    for (let k = 0; k < 6; k++) {
      await sleep(600);
      const open = (await s.call("GET", "/v1/orders?status=open")).j.data.map(
        (o) => `${o.id} ${short(o)} ${o.created_at}`,
      );
      const list = (await s.call("GET", "/v1/orders")).j.data.map((o) => `${o.id} ${short(o)} ${o.created_at}`);
      s.say("open list", open, "list", list);
    }
    s.say("answered", short((await p).j));
    await s.end();
  },
  /** The target is canceled by other hands `d` ms before the modify with always_place arrives: is the replacement a new order? */
  async beside(d = 600) {
    const s = await stage();
    const a = (
      await s.call(
        "POST",
        "/v1/orders",
        { account: s.account, market: "BTC", side: "buy", size: "0.01", price: "50000" },
        "scene-0001",
      )
    ).j;
    s.say("target", a.id, short(a));
    await sleep(1500);
    const b = s.b,
      real = b.exchange.bind(b);
    b.exchange = (j, res, sock) => {
      if (j.action.type !== "batchModify") return real(j, res, sock);
      s.core.cancel(s.core.orders.get(+a.exchange_order_id), s.core.now());
      s.say("other hands cancel", a.exchange_order_id);
      setTimeout(() => {
        const r = s.core.execute(j);
        s.say("modify executes", JSON.stringify(r.response.data));
        b.answer(res, r);
      }, +d);
    };
    const m = (await s.call("POST", `/v1/orders/${a.id}/modify`, { price: "50500", always_place: true }, "scene-0002"))
      .j;
    s.say("answer", m.id, m.id === a.id ? "THE TARGET" : "a new order", short(m));
    await sleep(5000);
    for (const o of (await s.call("GET", "/v1/orders")).j.data) s.say(o.id, o.price, short(o));
    await s.end();
  },
  /** Killed with four lost answers; while it is down other hands make more records and fills than the exchange keeps. */
  async horizon(n = 2300, rounds = 60, newer = 20) {
    const s = await stage();
    const { core, b, g } = s;
    const real = b.exchange.bind(b);
    const _later = [];
    const plan = { "scene-fill": "run", "scene-rest": "run", "scene-gone": "run", "scene-none": "never" };
    let mode;
    b.exchange = (j, _res, sock) => {
      if (j.action.type !== "order") return sock.destroy();
      if (mode !== "never") core.execute(j);
      sock.destroy();
    };
    const bodies = {
      "scene-fill": { side: "buy", size: "0.011", price: "61000", time_in_force: "ioc" },
      "scene-rest": { side: "buy", size: "0.012", price: "50000" },
      "scene-gone": { side: "buy", size: "0.013", price: "50000" },
      "scene-none": { side: "buy", size: "0.014", price: "50000" },
    };
    const ids = {};
    for (const k of Object.keys(bodies)) {
      mode = plan[k];
      const r = await s.call("POST", "/v1/orders", { account: s.account, market: "BTC", ...bodies[k] }, k);
      ids[k] = r.j.id;
      s.say(k, r.status, short(r.j));
    }
    await g.kill();
    const gone = [...core.orders.values()].find((o) => o.sz === 0.013);
    core.cancel(gone, core.now());
    s.say(
      "killed; truth",
      [...core.orders.values()].map((o) => `${o.sz} ${o.hist[o.hist.length - 1].st} filled ${o.filled}`),
    );
    for (let k = 0; k < +n; k++) core.foreign("open");
    const all = [...core.orders.values()];
    const old = new Set(
      all
        .slice(0, Math.max(0, all.length - 2000))
        .filter((o) => !o.live)
        .map((o) => o.oid),
    );
    core.forgotten = (o) => old.has(o.oid);
    s.say("records", all.length, "forgotten", old.size, "fills", core.fills.length);
    b.exchange = real;
    await sleep(6000);
    g.start();
    await g.up();
    s.say("started");
    const told = {};
    for (let k = 0; k < +rounds; k++) {
      if (k % 15 === 10) {
        const l = await s.call("GET", "/v1/orders?status=open&limit=100");
        const g2 = await s.call("GET", `/v1/orders/${ids["scene-gone"]}`);
        s.say(
          "open list has scene-gone:",
          l.j.data?.some((z) => z.id === ids["scene-gone"]),
          "list age ms",
          l.asOf ? Date.now() - Date.parse(l.asOf) : 0,
          "order asked by id:",
          g2.j.status,
          "age ms",
          g2.asOf ? Date.now() - Date.parse(g2.asOf) : 0,
        );
      }
      for (const [key, id] of Object.entries(ids)) {
        const { status, j, asOf } = await s.call("GET", `/v1/orders/${id}`);
        const x = `${status} ${j.status ? short(j) : j.error?.code}${asOf ? " (aged)" : " (as of now)"}`;
        if (told[key] !== x) s.say(key, x);
        told[key] = x;
      }
      core.foreign("open");
      if (k === +newer) {
        const r = await s.call(
          "POST",
          "/v1/orders",
          { account: s.account, market: "BTC", side: "buy", size: "0.019", price: "50000" },
          "scene-newer",
        );
        s.say("a newer order rests", short(r.j));
      }
      await sleep(700);
    }
    for (const k of Object.keys(ids)) {
      const r = await s.call("POST", "/v1/orders", { account: s.account, market: "BTC", ...bodies[k] }, k);
      s.say("repeat", k, r.status, r.j.status ? short(r.j) : JSON.stringify(r.j));
    }
    s.say(
      "truth",
      [...core.orders.values()]
        .filter((o) => o.cloid)
        .map((o) => `${o.sz} ${o.hist[o.hist.length - 1].st} filled ${o.filled}`),
    );
    await s.end();
  },
  /** F5: the stream is cut, the last fills come by REST alone: the open list tells them, and other reads tell less. */
  async shrink() {
    const s = await stage();
    const { core, b } = s;
    const a = (
      await s.call(
        "POST",
        "/v1/orders",
        { account: s.account, market: "SOL", side: "buy", size: "1.7", price: "140" },
        "scene-0001",
      )
    ).j;
    s.say("placed", short(a));
    await sleep(1500);
    const o = core.orders.get(+a.exchange_order_id);
    core.fill(o, 140, 1.42, core.now(), false);
    await sleep(1500);
    b.socket = (w) => w.terminate();
    for (const c of b.conns) c.ws.terminate();
    core.fill(o, 140, 0.28, core.now(), false);
    core.status(o, "filled", core.now());
    s.say("stream cut; truth: filled 1.7");
    const last = {};
    const see = async (what, p, f) => {
      const r = await s.call("GET", p);
      const x = `${r.status} ${f(r.j)}`;
      if (last[what] !== x) s.say(what, x, r.asOf ? `age ${Date.now() - Date.parse(r.asOf)}` : "");
      last[what] = x;
    };
    const one = (j) =>
      (j.data ?? [j])
        .filter((z) => z.id === a.id)
        .map(short)
        .join(" ") || "(not there)";
    const end = Date.now() + 14000;
    while (Date.now() < end) {
      await see("open list", "/v1/orders?status=open", one);
      await see("list", "/v1/orders", one);
      if (Date.now() > end - 7000) await see("by id", `/v1/orders/${a.id}`, one);
      await sleep(250);
    }
    await s.end();
  },
  /** Snapshot, trade on, lose the machine, restore: each key is repeated and must find its order. */
  async restore(seed = 1) {
    const s = await stage({ env: { POSTERN_ANSWER_DEADLINE_MS: "8000" } });
    const { core, b, g } = s,
      rng = new Rng(+seed);
    const file = path.join(work, "snap");
    fs.rmSync(file, { force: true });
    const put = (k, body, p = "/v1/orders") =>
      s.call(
        "POST",
        p,
        p === "/v1/orders"
          ? { account: s.account, ...body }
          : p.includes("batch")
            ? { account: s.account, ...body }
            : body,
        k,
      );
    const K = {
      "key-before": { market: "BTC", side: "buy", size: "0.011", price: "50000" },
      "key-filled": { market: "BTC", side: "buy", size: "0.012", price: "61000", time_in_force: "ioc" },
      "key-rest": { market: "BTC", side: "buy", size: "0.013", price: "50000" },
      "key-trig": {
        market: "BTC",
        side: "sell",
        size: "0.014",
        price: "40000",
        trigger: { kind: "stop_loss", price: "45000", market: true },
      },
      "key-gone": { market: "BTC", side: "buy", size: "0.015", price: "50000" },
      "key-moved": { market: "BTC", side: "buy", size: "0.016", price: "50000" },
      "key-late": { market: "BTC", side: "buy", size: "0.017", price: "50000" },
      "key-lateioc": { market: "BTC", side: "buy", size: "0.018", price: "61000", time_in_force: "ioc" },
      "key-spot": { market: "PURR/USDC", side: "buy", size: "77", price: "0.21", time_in_force: "ioc" },
      "key-part": { market: "ETH", side: "buy", size: "0.19", price: "3002" },
    };
    const ids = {};
    const go = async (k) => {
      const r = await put(k, K[k]);
      ids[k] = r.j.id;
      s.say(k, r.status, r.j.status ? short(r.j) : JSON.stringify(r.j));
      return r.j;
    };
    await go("key-before");
    await g.cliAsync(["backup", file]);
    s.say("snapshot taken");
    for (const k of ["key-filled", "key-rest", "key-trig", "key-gone", "key-moved", "key-spot", "key-part"])
      await go(k);
    const batch = {
      orders: [
        { market: "SOL", side: "buy", size: "1.01", price: "120" },
        { market: "SOL", side: "buy", size: "1.02", price: "160", time_in_force: "ioc" },
      ],
    };
    await put("key-batch", batch, "/v1/orders/batch");
    await put("key-cancel", {}, `/v1/orders/${ids["key-gone"]}/cancel`);
    const mv = await put("key-modify", { price: "51000" }, `/v1/orders/${ids["key-moved"]}/modify`);
    s.say("modify", short(mv.j));
    const trade = {
      account: s.account,
      market: "xyz:TSLA",
      side: "buy",
      size: "1.5",
      entry: { price: "249" },
      stop_loss: { trigger_price: "230" },
    };
    const _tr = await put("key-trade", trade, "/v1/trades");
    await sleep(1500);
    const real = b.exchange.bind(b);
    b.exchange = (j, _res, sock) => {
      sock.destroy();
      setTimeout(() => {
        const r = core.execute(j);
        s.say("late action of the lost machine executes", JSON.stringify(r).slice(0, 160));
      }, 2500);
    };
    const lost = ["key-late", "key-lateioc"].map((k) => put(k, K[k]).catch(() => null));
    await sleep(300);
    await g.kill();
    b.exchange = real;
    s.say("machine lost");
    await Promise.all(lost);
    const ndir = path.join(work, "restored");
    fs.rmSync(ndir, { recursive: true, force: true });
    const n = new Gateway({
      binary,
      dir: ndir,
      port: gport,
      exchangePort: xport,
      logFile: path.join(work, "restored.log"),
      env: {
        POSTERN_EXCHANGE_WEIGHT: "0",
        POSTERN_LIMIT_READS: "0",
        POSTERN_LIMIT_ORDERS: "0",
        POSTERN_ACTION_LIFE_MS: "5000",
        POSTERN_ANSWER_DEADLINE_MS: "4000",
      },
    });
    n.env.POSTERN_PASSPHRASE_FILE = path.join(work, "pass");
    s.say((await n.cliAsync(["restore", file, "--data-dir", ndir, "--unofficial-exchange"])).trim().split("\n")[0]);
    s.say((await n.cliAsync(["agent", "rotate", "--json"])).trim().slice(0, 200));
    const ap = JSON.parse(await n.cliAsync(["agent", "approval", "--json"]));
    const { EIP712Domain, ...types } = ap.typed_data.types;
    const w = new Wallet(owner);
    await n.cliAsync([
      "agent",
      "approve",
      "--signature",
      await w.signTypedData(ap.typed_data.domain, types, ap.typed_data.message),
      "--nonce",
      String(ap.nonce),
      ...(ap.valid_until_ms ? ["--valid-until", String(ap.valid_until_ms)] : []),
    ]);
    b.lags.base.forEach((x) => Object.keys(x).forEach((k) => (x[k] = rng.range(0, 1500))));
    b.lags.p.falseNegative = 0.1;
    b.lags.end = Date.now() + 1e9;
    b.active = true;
    b.p.infoFault = 0.05;
    n.start();
    await n.up();
    for (let k = 0; k < 20; k++) {
      try {
        await n.cliAsync(["key", "keep", s.base.hash]);
        break;
      } catch (e) {
        s.say("key keep:", e.message.trim().slice(-120));
        await sleep(1000);
      }
    }
    const before = core.acts.length;
    const order = [...Object.keys(K), "key-batch", "key-trade", "key-modify"].sort(() => rng.next() - 0.5);
    const left = new Set(order);
    const end = Date.now() + 90000;
    const shown = {};
    while (left.size && Date.now() < end) {
      for (const k of [...left]) {
        const r =
          k === "key-batch"
            ? await put(k, batch, "/v1/orders/batch")
            : k === "key-trade"
              ? await put(k, trade, "/v1/trades")
              : k === "key-modify"
                ? await put(k, { price: "51000" }, `/v1/orders/${ids["key-moved"]}/modify`)
                : await put(k, K[k]);
        const x =
          r.status +
          " " +
          (r.j.error?.code
            ? `${r.j.error.code} ${r.j.error.message.slice(0, 120)}`
            : r.j.orders
              ? r.j.orders.map(short).join(" | ")
              : short(r.j) + (ids[k] && r.j.id !== ids[k] ? " OTHER ID" : ""));
        if (shown[k] !== x) s.say("repeat", k, x);
        shown[k] = x;
        if (r.status < 300 && r.status !== 202) left.delete(k);
        if (r.status === 409) left.delete(k);
      }
      await sleep(700);
    }
    const by = new Map();
    for (const o of core.orders.values())
      if (o.origin.kind === "order") {
        const k = `${o.coin} ${o.side} ${o.sz} ${o.trigger ? "trigger" : ""}`;
        by.set(k, [...(by.get(k) ?? []), o]);
      }
    for (const [k, l] of by)
      if (l.length > 1)
        s.say(
          "DOUBLE",
          k,
          l.map((o) => `${o.oid} ${o.hist[o.hist.length - 1].st} filled ${o.filled}`),
        );
    s.say(
      "new actions since",
      core.acts
        .slice(before)
        .filter((a) => a.action.type !== "noop")
        .map((a) => JSON.stringify(a.action).slice(0, 200)),
    );
    await n.kill("SIGTERM");
    await s.end();
  },
  /** F6: a trigger that was answered `waitingForTrigger` is told, and is not in the open list until its native id is known. */
  async ownTrigger() {
    const s = await stage();
    const { core, b } = s;
    const place = core.place.bind(core);
    core.place = (...x) => (place(...x), "waitingForTrigger");
    b.lags.end = Date.now() + 60000;
    const now = Date.now();
    b.lags.incidents.push({
      kind: "slow",
      from: now,
      to: now + 60000,
      server: -1,
      stores: ["open", "wsOpen", "orderUpdates", "status", "history"],
      lag: 3000,
      p: 1,
    });
    b.active = true;
    const { j } = await s.call(
      "POST",
      "/v1/orders",
      {
        account: s.account,
        market: "BTC",
        side: "sell",
        size: "0.01",
        price: "50000",
        reduce_only: true,
        trigger: { kind: "stop_loss", price: "55000", market: true },
      },
      "scene-0001",
    );
    s.say("answer", short(j));
    let last;
    for (let k = 0; k < 25; k++) {
      const r = await s.call("GET", "/v1/orders?status=open");
      const x =
        r.status +
        " " +
        (r.j.data ? r.j.data.map(short).join(" ") || "(empty)" : JSON.stringify(r.j)) +
        (r.asOf ? ` (aged ${Date.now() - Date.parse(r.asOf)} ms)` : " (as of now)");
      if (x.split("(aged")[0] !== last) s.say("open list", x);
      last = x.split("(aged")[0];
      await sleep(200);
    }
    await s.end();
  },
  /** F8: the stream loses one order's fills and its end; every list and record has them. When is it told? `ro`: reduce-only, larger than the position. */
  async quiet(kind = "plain", weight = "0") {
    const s = await stage({ env: { POSTERN_EXCHANGE_WEIGHT: weight } });
    const { core, b } = s;
    if (kind === "ro")
      core.fill(
        core.orders.get(
          (core.place({ a: 2, b: false, p: "100", s: "0.5", r: false, t: { limit: { tif: "Ioc" } } }, core.now(), {
            kind: "foreign",
          }),
          core.nextOid - 1),
        ),
        150,
        0,
        core.now(),
        true,
      );
    const size = kind === "ro" ? String(Math.abs(core.position("SOL")) + 1) : "1.7";
    const a = (
      await s.call(
        "POST",
        "/v1/orders",
        { account: s.account, market: "SOL", side: "buy", size, price: "140", reduce_only: kind === "ro" },
        "scene-0001",
      )
    ).j;
    s.say("placed", size, short(a));
    await sleep(2000);
    const o = core.orders.get(+a.exchange_order_id),
      push = b.push.bind(b);
    b.push = (k, d) => {
      if ((d.o ?? {}) === o) return;
      push(k, d);
    };
    core.fill(o, 140, o.rem, core.now(), false);
    core.status(o, "filled", core.now());
    s.say("truth: filled", o.filled, "and closed; the stream does not say so");
    const last = {};
    const see = async (what, p, f) => {
      const r = await s.call("GET", p);
      const x = `${r.status} ${f(r.j)}`,
        age = r.asOf ? Date.now() - Date.parse(r.asOf) : 0;
      if (last[what] !== x) s.say(what, x, age ? `age ${age}` : "as of now");
      last[what] = x;
      return age;
    };
    const one = (j) =>
      (j.data ?? [j])
        .filter((z) => z.id === a.id)
        .map(short)
        .join(" ") || "(not there)";
    const t = Date.now();
    let _g;
    while (Date.now() - t < 75000) {
      const _age = await see("open list", "/v1/orders?status=open", one);
      await see("list", "/v1/orders", one);
      await see("fills", "/v1/fills", (j) => j.data.filter((z) => z.order_id === a.id).length);
      _g ??= t;
      if (Date.now() - t > 60000) await see("by id", `/v1/orders/${a.id}`, one);
      core.foreign("open");
      await sleep(1000);
    }
    await s.end();
  },
  /** A leverage that was refused, with its answer lost. */
  async leverage() {
    const s = await stage();
    await s.call(
      "POST",
      "/v1/orders",
      { account: s.account, market: "ETH", side: "buy", size: "0.1", price: "3100", time_in_force: "gtc" },
      "scene-0001",
    );
    const b = s.b,
      real = b.exchange.bind(b);
    b.exchange = (j, res, sock) => {
      if (j.action.type !== "updateLeverage") return real(j, res, sock);
      const r = s.core.execute(j);
      s.say("exchange", JSON.stringify(r));
      sock.destroy();
    };
    const r = await s.call(
      "POST",
      "/v1/leverage",
      { market: "ETH", leverage: 3, margin_type: "isolated" },
      "scene-0002",
    );
    s.say(r.status, JSON.stringify(r.j));
    let last;
    for (let k = 0; k < 90; k++) {
      s.core.foreign("open");
      const o = (await s.call("GET", `/v1/operations/${r.j.id}`)).j;
      const x = `${o.status} ${o.error}`;
      if (x !== last) s.say(x);
      last = x;
      if (["succeeded", "rejected"].includes(o.status)) break;
      await sleep(1000);
    }
    await s.end();
  },
};
const [name, ...args] = process.argv.slice(2).filter((x, k, l) => x !== "--binary" && l[k - 1] !== "--binary");
await scenes[name](...args);
process.exit(0);
