// One seed: some twenty seconds of everything at once, then the faults end and the judge compares.
import fs from "node:fs";
import { agree } from "./agree.mjs";
import { count } from "./chains.mjs";
import { makeClient } from "./client.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { judge } from "./judge.mjs";
import { MARKETS, rng, sleep } from "./markets.mjs";
import { hearEvents, killNowAndThen, moveMarket, pollOrders, readListsNowAndThen } from "./movers.mjs";
import { makeOperations } from "./operations.mjs";
import { options } from "./options.mjs";

export async function playSeed({ binary, seed, keep, over }) {
  const t00 = Date.now(),
    lines = [];
  const log = (k, v) => lines.push({ ms: Date.now() - t00, k, ...v });
  const findings = [];
  const find = (sev, what, detail) => {
    const f = { seed, sev, what, ...detail };
    if (findings.filter((x) => x.what === what && x.id === f.id).length === 0) findings.push(f);
    log("FINDING", f);
  };

  const opt = options(seed, over);
  const ex = new Exchange(seed, opt, log);
  const gateway = new Gateway({ binary, logFile: keep && `${keep}/gateway-${seed}.log` });
  const world = { seed, opt, log, find, ex, gateway, r: rng(seed * 31337 + 5), stop: false };
  let sum;
  try {
    await ex.listen();
    ex.owner = gateway.owner.address.toLowerCase();
    await gateway.setUp(ex.url, {
      POSTERN_EXCHANGE_WEIGHT: opt.weight,
      POSTERN_LOG_LEVEL: "info",
      POSTERN_LIMIT_READS: "0",
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_CANCELS: "0",
    });
    Object.assign(world, { account: gateway.account, base: gateway.url, apiKey: await gateway.startWithKey() });
    log("ready", { opt, account: world.account });
    sum = await play(world);
    sum.findings = findings.length;
    log("summary", sum);
    log("requests", ex.requests);
  } catch (e) {
    log("abort", { e: String(e.stack) });
    sum = { seed, error: String(e.stack) };
  } finally {
    world.stop = true;
    await gateway.end();
    ex.close();
  }
  if (keep) {
    fs.writeFileSync(`${keep}/seed-${seed}.jsonl`, `${lines.map((l) => JSON.stringify(l)).join("\n")}\n`);
    fs.writeFileSync(`${keep}/findings-${seed}.json`, JSON.stringify(findings, null, 1));
  }
  return { sum, findings };
}

async function play(world) {
  const { seed, opt, ex, r } = world;
  const client = makeClient(world);
  const { op, bg, spawnTask } = makeOperations(world, client);
  const { obs, keys, ids } = client;
  const evAbort = new AbortController();
  try {
    const events = hearEvents(world, client, evAbort.signal);
    const moves = [moveMarket(world), pollOrders(world, client), readListsNowAndThen(world, client)];
    if (opt.focus === "reduce")
      for (const m of [MARKETS.BTC, MARKETS.ETH]) {
        ex.place({
          m,
          buy: true,
          px: m.ask,
          u: Math.round((m.coin === "BTC" ? 0.03 : 0.6) * 10 ** m.szDec),
          tif: "Ioc",
          via: "outside",
        });
        ex.settle();
      }

    ex.faults = true;
    ex.lagOn = true;
    const tActive = Date.now();
    if (opt.kill) moves.push(killNowAndThen(world));
    while (Date.now() - tActive < opt.activeMs) {
      spawnTask(op);
      await sleep(opt.focus === "hot" ? r.range(120, 600) : r.range(250, 1000));
    }

    world.stop = true;
    await Promise.all(moves);
    const settledAfter = await agree(world, client, bg);
    evAbort.abort();
    await events.catch(() => {});
    judge(world, client);
    return {
      seed,
      ws: streams(opt),
      weight: opt.weight,
      maxLag: opt.maxLag,
      fresh: opt.fresh,
      mode: opt.lagMode,
      focus: opt.focus,
      kill: opt.kill,
      orders: ids.size,
      keys: keys.size,
      exOrders: ex.orders.length,
      actions: ex.actions.length,
      fills: ex.fills.length,
      obs: obs.length,
      bad: ex.actions.filter((a) => a.fate !== "ok" && a.type !== "approveAgent").length,
      unknownSeen: new Set(obs.filter((o) => o.o.status === "unknown").map((o) => o.o.id)).size,
      settledAfter,
      writes: count(
        [...keys.values()].flatMap((k) =>
          k.answers.map((a) => a.status + (a.j?.error?.code ? `:${a.j.error.code}` : "")),
        ),
      ),
      unk: [...ex.unknownTypes],
    };
  } finally {
    evAbort.abort();
  }
}

const streams = (o) => (o.ws ? (o.wsLife ? "breaks" : "yes") : "no");
