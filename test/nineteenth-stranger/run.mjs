// node run.mjs list | SCENE[:SEED] ...    exit code 1 where something that was told was not so
import { scenes as bots } from "./scenes-bots.mjs";
import { scenes as refusals } from "./scenes-refusals.mjs";
import { scenes as trades } from "./scenes-trades.mjs";
import { scenes as whose } from "./scenes-whose.mjs";
import { Stage } from "./stage.mjs";

const SCENES = { ...refusals, ...bots, ...trades, ...whose };
const LIMIT_MS = 75_000;

async function play(name, seed) {
  const stage = new Stage(seed, name);
  await stage.open();
  const began = Date.now();
  let timer;
  try {
    const limit = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error("the scene took too long")), LIMIT_MS);
    });
    await Promise.race([SCENES[name](stage), limit]);
    await stage.finish();
  } catch (error) {
    stage.judge.fault("the scene broke", error.stack, null);
  } finally {
    clearTimeout(timer);
    await stage.end();
  }
  report(name, seed, stage, Date.now() - began);
  return stage.judge.faults.length === 0;
}

function report(name, seed, { judge, gateway, exchange, grace }, ms) {
  const { faults, counts, unjudged } = judge;
  const sum = [...counts.values()].reduce((a, b) => a + b, 0);
  console.log(
    `${faults.length === 0 ? "ok  " : "FAIL"} ${name}:${seed} ${(ms / 1000).toFixed(1)} s, ${sum} claims, behind by up to ${grace - 1_500} ms`,
  );
  if (process.env.STRANGER_COUNTS !== undefined) console.log("     ", JSON.stringify([...counts]));
  const seen = new Set();
  for (const { what, told, truth } of faults) {
    if (seen.has(what) || seen.size >= Number(process.env.STRANGER_FAULTS ?? 4)) continue;
    seen.add(what);
    console.log(
      `   - ${what} (${faults.filter((f) => f.what === what).length})\n     told  ${show(told)}\n     truth ${show(truth)}`,
    );
  }
  for (const text of unjudged.values())
    console.log(`     not judged: ${[...unjudged].find(([, t]) => t === text)[0].slice(0, 260)}`);
  if (process.env.STRANGER_TOLD !== undefined)
    for (const t of gateway.told)
      if (t.path.includes(process.env.STRANGER_TOLD))
        console.log(`     ${t.from} ${t.who} ${t.method} ${t.path} ${show(t.body)} ${t.status} ${show(t.value)}`);
  if (process.env.STRANGER_LOG !== undefined) console.log(gateway.log.join(""));
  if (exchange.unknown.size > 0) console.log("     asked for and not modelled:", [...exchange.unknown].join(", "));
}

function show(value) {
  if (typeof value === "string") return value;
  return (JSON.stringify(value, (_, v) => (typeof v === "bigint" ? v.toString() : v)) ?? "").slice(0, 1500);
}

const wanted = process.argv.slice(2);
if (wanted.length === 0 || wanted[0] === "list" || wanted[0] === "--help") {
  console.log("node run.mjs list | SCENE[:SEED] ...");
  for (const name of Object.keys(SCENES)) console.log(`  ${name}`);
  process.exit(0);
}
let isFine = true;
for (const word of wanted) {
  const [name, seed] = word.split(":");
  if (SCENES[name] === undefined) throw new Error(`no such scene: ${name}`);
  isFine = (await play(name, Number(seed ?? 1))) && isFine;
}
process.exit(isFine ? 0 : 1);
