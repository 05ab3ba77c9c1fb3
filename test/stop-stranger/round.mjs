// One round: each scene on an account of its own, all at once, on one gateway that is killed now and then.
import fs from "node:fs";
import path from "node:path";
import { check } from "./check.mjs";
import { Client } from "./client.mjs";
import { Exchange } from "./exchange.mjs";
import { finish } from "./finish.mjs";
import { Gateway } from "./gateway.mjs";
import { markets } from "./markets.mjs";
import { now, rng, sleep } from "./random.mjs";
import { setUp } from "./setup.mjs";
import { calm } from "./stage.mjs";

function makeStage({ exchange, gateway, kill, seed }, { i, id, owner, keys }, [scene, variant]) {
  const A = {
    i,
    name: `${i}:${scene}`,
    scene,
    variant: variant && (/^\d+$/.test(variant) ? Number(variant) : variant),
    id,
    acc: exchange.account(owner),
    ex: exchange,
    gw: gateway,
    kill,
    r: rng(seed * 1000 + i),
    ms: exchange.markets.slice(i * 3, i * 3 + 3),
    told: [],
    evs: [],
    notes: [],
    hard: [],
    soft: [],
    askedOids: new Set(),
    whoseCloid: new Map(),
    keyOfHash: {},
    c: {},
  };
  A.acc.coins = A.ms.map((m) => m.coin);
  for (const [name, key] of Object.entries(keys)) {
    A.c[name] = new Client(A, name, key);
    A.keyOfHash[A.c[name].hash] = name;
  }
  A.c.plain.events();
  return A;
}

async function play(stages, scenes, { kill, r }) {
  let isOver = false;
  void (async () => {
    while (!isOver) {
      await sleep(18_000 + r() * 20_000);
      if (!isOver) await kill();
    }
  })();
  const each = (step) =>
    Promise.all(
      stages.map((A) => step(A).catch((error) => A.hard.push(`did not run to its end: ${error.stack.slice(0, 400)}`))),
    );
  await each((A) => scenes[A.scene](A));
  isOver = true;
  for (const A of stages) calm(A);
  await sleep(500);
  await each((A) => finish(A));
}

function judge(A, exchange) {
  let findings;
  try {
    findings = check(A, exchange);
  } catch (error) {
    findings = [{ hard: true, rule: "check", text: error.stack }];
  }
  for (const text of A.hard) findings.push({ hard: true, rule: "scene", text: `${A.name} ${text}` });
  for (const text of A.soft) findings.push({ hard: false, rule: "scene", text: `${A.name} ${text}` });
  return findings;
}

function write(file, A) {
  const report = {
    log: A.acc.log,
    told: A.told,
    evs: A.evs,
    final: A.finalOrders,
    who: [...A.whoseCloid],
    trades: A.trades?.map((t) => t.id),
    beats: A.beats,
    unprot: A.unprot,
  };
  fs.writeFileSync(file, JSON.stringify(report));
}

// Below `dir`: `set-up`, made once, and `SEED`, of this round alone. Gives the count of hard findings.
export async function playRound({ binary, dir, seed, wanted, kills, ports }, scenes) {
  const base = path.join(dir, "set-up");
  const { exchangePort, port, accounts } = await setUp(binary, base, ports);
  const r = rng(seed * 7919);
  const out = path.join(dir, String(seed));
  fs.rmSync(out, { recursive: true, force: true });
  fs.mkdirSync(out, { recursive: true });
  fs.cpSync(path.join(base, "data"), path.join(out, "data"), { recursive: true });
  const exchange = new Exchange({ port: exchangePort, markets: markets(), seed });
  await exchange.start();
  for (const one of accounts) exchange.approve(one.owner, one.agent, one.agentName);
  const passphrase = path.join(base, "passphrase");
  const gateway = new Gateway({ binary, passphrase, port }, path.join(out, "data"));
  const stages = [];
  try {
    const begunAt = now();
    gateway.start();
    while (!gateway.lives[0].ready && now() - begunAt < 30_000) await sleep(100);
    let isBusy = false;
    let lastKill = 0;
    const kill = async () => {
      if (!kills || isBusy || now() - lastKill < 12_000) return;
      isBusy = true;
      lastKill = now();
      await gateway.restart(r.int(0, 1500));
      isBusy = false;
    };
    for (const [i, scene] of wanted.entries())
      stages.push(makeStage({ exchange, gateway, kill, seed }, accounts[i], scene));
    await play(stages, scenes, { kill, r });
    let hard = gateway.endedItself.length;
    const lines = gateway.endedItself.map((how) => `   HARD [gateway] it ended by itself: ${how}`);
    for (const A of stages) {
      const findings = judge(A, exchange);
      hard += findings.filter((one) => one.hard).length;
      lines.push(
        `== ${A.name} settle ${A.settleTook} ms, ${A.acc.log.length} log, ${A.told.length} told, ${A.evs.length} events`,
        ...A.notes.map((note) => `   . ${note}`),
        ...findings.map((one) => `   ${one.hard ? "HARD" : "soft"} [${one.rule}] ${one.text}`),
      );
      write(path.join(out, `${A.i}-${A.scene}.json`), A);
    }
    lines.push(
      `kills ${gateway.kills.length}, reads ${JSON.stringify(exchange.reads)}, unknown ${JSON.stringify([...exchange.unknown])}`,
      `seed ${seed}: ${hard} hard, ${now() - begunAt} ms`,
    );
    fs.writeFileSync(path.join(out, "report.txt"), `${lines.join("\n")}\n`);
    console.log(lines.join("\n"));
    return hard;
  } finally {
    for (const A of stages) {
      A.over = true;
      A.evReq?.destroy();
    }
    await gateway.end();
    exchange.stop();
  }
}
