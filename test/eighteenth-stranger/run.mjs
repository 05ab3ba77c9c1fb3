// node run.mjs list | SCENE[:SEED] ...    exit code 1 where something that was told was not so
import { scenes as money } from "./scenes-money.mjs";
import { scenes as own } from "./scenes-own.mjs";
import { scenes as record } from "./scenes-record.mjs";
import { scenes as story } from "./scenes-story.mjs";
import { scenes as trade } from "./scenes-trades.mjs";
import { scenes as verb } from "./scenes-verbs.mjs";
import { Stage } from "./stage.mjs";

const SCENES = { ...own, ...verb, ...trade, ...story, ...record, ...money };
const LIMIT_MS = 60_000;
const SLOW_MS = 200_000;

async function play(name, seed) {
  const stage = new Stage(seed);
  const began = Date.now();
  let timer;
  const limit = new Promise((_, fail) => {
    void stage.isOpen.then(() => {
      timer = setTimeout(() => fail(new Error("the scene took too long")), name in record ? SLOW_MS : LIMIT_MS);
    });
  });
  try {
    await Promise.race([SCENES[name](stage), limit]);
  } catch (error) {
    stage.judge.fault("the scene broke", error.stack, null);
  } finally {
    clearTimeout(timer);
    await stage.close();
  }
  report(name, seed, stage, Date.now() - began);
  return stage.judge.faults.length === 0;
}

function report(name, seed, stage, ms) {
  const { faults, counts } = stage.judge;
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${name}:${seed} ${(ms / 1000).toFixed(1)} s`);
  for (const text of stage.said) console.log(`     ${text}`);
  if (process.env.STRANGER_COUNTS !== undefined) console.log("     ", JSON.stringify([...counts]));
  for (const { what, told, truth } of faults.slice(0, Number(process.env.STRANGER_FAULTS ?? 5))) {
    console.log(`   - ${what}\n     told  ${show(told)}\n     truth ${show(truth)}`);
  }
  if (faults.length > 5) console.log(`     and ${faults.length - 5} more`);
  if (process.env.STRANGER_LOG !== undefined) console.log(stage.gateway.log.join(""));
  if (stage.exchange.unknown.size > 0)
    console.log("     asked for and not modelled:", [...stage.exchange.unknown].join(", "));
}

function show(value) {
  return (
    typeof value === "string"
      ? value
      : (JSON.stringify(value, (_, v) => (typeof v === "bigint" ? v.toString() : v)) ?? "")
  ).slice(0, 1200);
}

const wanted = process.argv.slice(2);
if (wanted.length === 0 || wanted[0] === "list" || wanted[0] === "--help") {
  console.log("node run.mjs list | SCENE[:SEED] ...");
  for (const name of Object.keys(SCENES)) console.log(`  ${name}`);
  process.exit(0);
}
let isFine = true;
for (const word of wanted) {
  const cut = word.split(":");
  if (SCENES[cut[0]] === undefined) throw new Error(`no such scene: ${cut[0]}`);
  isFine = (await play(cut[0], Number(cut[1] ?? 1))) && isFine;
}
process.exit(isFine ? 0 : 1);
