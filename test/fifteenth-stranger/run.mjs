// node run.mjs SCENE[:SEED] … | all | list. Each scene gets an exchange and a gateway of its own; the judge reads everything at its end.
import { Exchange, wait } from "./exchange.mjs";
import { Gateway, owner } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { memory } from "./memory.mjs";

const FILES = [
  "scenes-place",
  "scenes-change",
  "scenes-other",
  "scenes-stream",
  "scenes-world",
  "scenes-life",
  "scenes-long",
  "scenes-more",
  "scenes-doors",
  "scenes-money",
  "scenes-sums",
];
const scenes = {};
for (const f of FILES) {
  try {
    Object.assign(scenes, (await import(`./${f}.mjs`)).scenes);
  } catch (e) {
    if (e.code !== "ERR_MODULE_NOT_FOUND") throw e;
  }
}
function random(seed) {
  let s = seed * 2654435761;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
export async function play(name, seed = 1) {
  const wallet = owner(`${name} ${seed}`);
  const scene = scenes[name];
  const exchange = new Exchange({ owner: wallet.address, ...scene.exchange });
  await exchange.start();
  const gateway = new Gateway(exchange, wallet);
  const notes = [];
  const stage = {
    ex: exchange,
    led: exchange.ledger,
    gw: gateway,
    rnd: random(seed),
    note: (t) => notes.push(t),
    wait,
    owner: wallet,
    others: [],
  };
  const began = Date.now();
  let failed = null;
  try {
    await gateway.up(scene.up ?? {});
    await Promise.race([
      scene.play(stage),
      wait(scene.limit ?? 90_000).then(() => {
        throw new Error("scene's time is over");
      }),
    ]);
    await wait(400);
  } catch (e) {
    failed = e;
  }
  const judge = new Judge(exchange.ledger);
  memory(judge, gateway.told);
  const found = judge.judge(gateway.told);
  await Promise.all([gateway, ...stage.others].map((g) => g.close()));
  exchange.stop();
  report(name, seed, { found, notes, failed, told: gateway.told.length, ms: Date.now() - began, exchange, gateway });
  if (process.env.DUMP) dump(gateway, exchange);
}
function report(name, seed, { found, notes, failed, told, ms, exchange, gateway }) {
  const verdict = failed ? "BROKEN" : found.some((f) => f.kind !== "STALE") ? "FOUND" : found.length ? "stale" : "held";
  console.log(
    `${verdict.padEnd(7)} ${name}:${seed}  ${told} statements, ${(ms / 1000).toFixed(0)} s  (${gateway.root})`,
  );
  if (scenes[name].documented) console.log(`        documented: ${scenes[name].documented}`);
  for (const n of notes) console.log(`        - ${n}`);
  for (const f of found) console.log(`  ${f.kind} x${f.count} at ${f.at} ms from ${f.from}\n        ${f.text}`);
  if (failed) console.log(`        ${failed.stack?.slice(0, 700)}`);
  if (exchange.unmodelled.size) console.log(`        not modelled: ${[...exchange.unmodelled]}`);
}
function dump(gateway, exchange) {
  for (const n of gateway.told)
    console.log(n.t1 - exchange.ledger.began, n.status, n.from, n.idem ?? "", n.raw.slice(0, 700));
  for (const a of exchange.ledger.actions)
    console.log(
      "ACTION",
      a.t - exchange.ledger.began,
      JSON.stringify(a.action, (_, v) => (typeof v === "bigint" ? String(v) : v)),
      "->",
      JSON.stringify(a.answer, (_, v) => (typeof v === "bigint" ? String(v) : v)),
    );
}
const wanted = process.argv.slice(2);
if (!wanted.length || wanted[0] === "list")
  console.log(
    Object.entries(scenes)
      .map(([n, s]) => `${n.padEnd(30)} ${s.about}`)
      .join("\n"),
  );
else {
  for (const w of wanted[0] === "all" ? Object.keys(scenes) : wanted) {
    const [name, seed] = w.split(":");
    await play(name, Number(seed ?? 1));
  }
  process.exit(0);
}
