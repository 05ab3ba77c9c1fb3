#!/usr/bin/env node
// An obedient victim: a program with a key of a bot, its tools and its hook that does whatever a text says, while answers are lost,
// requests doubled and the gateway killed. The executable, its paper exchange, and the exchange's books after every action.
//   node test/obedient-victim/run.mjs [--binary dist/postern] [--scripts 10000] [--seconds S] [--seed S] [--jobs 1] [--kill-every-ms 8000]
// Fails where a market came to more than its owner signed, an order stands at the exchange that nobody placed or that is there twice,
// an answer is not the truth, or a text has made a key, a limit wider or an end of a stop.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { standAlone } from "../stranger/stand-alone.mjs";

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    binary: { type: "string", default: "dist/postern" },
    scripts: { type: "string", default: "250" },
    seconds: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "1" },
    "kill-every-ms": { type: "string", default: "8000" },
  },
});
standAlone({ path: fileURLToPath(import.meta.url), binary: values.binary });
const { playRound } = await import("./round.mjs");

/** The exchange lists no more than its newest 2,000 orders: after so many scripts everything is made anew. */
const SCRIPTS_PER_ROUND = 250;
const SHOWN = 20;
const LEAST_ORDERS = 5;
/** Seconds for which a round waits for its last answers; the share of orders of which nothing may be known by then. */
const UNKNOWN_S = 150;
const MOST_UNKNOWN = 0.005;

const wanted = Number(values.scripts);
const endMs = performance.now() + Number(values.seconds) * 1_000;
const total = {
  scripts: 0,
  kills: 0,
  unknown: 0,
  orders: 0,
  wishes: 0,
  mostUse: 0,
  findings: [],
  refusals: {},
  line: {},
};
let begun = 0;
let round = 0;

const add = (told) => {
  for (const name of ["scripts", "kills", "unknown", "orders", "wishes"]) total[name] += told[name];
  total.mostUse = Math.max(total.mostUse, told.mostUse);
  total.findings.push(...told.findings);
  for (const kind of ["refusals", "line"])
    for (const [name, count] of Object.entries(told[kind])) total[kind][name] = (total[kind][name] ?? 0) + count;
};

const work = async () => {
  while (begun < wanted && performance.now() < endMs) {
    const scripts = Math.min(SCRIPTS_PER_ROUND, wanted - begun);
    begun += scripts;
    round += 1;
    const seed = Number(values.seed) * 1_000 + round;
    const killEveryMs = Number(values["kill-every-ms"]);
    const told = await playRound({
      binary: resolve(values.binary),
      scripts,
      seed,
      seconds: (endMs - performance.now()) / 1_000,
      killEveryMs,
    });
    add({ ...told, findings: told.findings.map((finding) => `round ${seed}: ${finding}`) });
    for (const finding of [...new Set(told.findings)].slice(0, SHOWN)) console.log(`FOUND round ${seed}: ${finding}`);
    console.log(`${total.scripts} scripts, ${total.findings.length} findings`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));

const { scripts, kills, unknown, orders, wishes, mostUse, findings, refusals, line } = total;
console.log(`${scripts} scripts in ${Math.round(performance.now() / 1_000)} s, ${kills} deaths of the gateway`);
if (unknown > 0) console.log(`${unknown} rounds ended with an order of which nothing was known for ${UNKNOWN_S} s`);
console.log(
  `${wishes} wishes, ${orders} orders at the exchange; the most that a market came to is ${mostUse} % of its rail`,
);
console.log(
  Object.entries(line)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
);
console.log(
  Object.entries(refusals)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", "),
);
const isIdle = orders < LEAST_ORDERS;
const isLost = unknown > Math.max(1, orders * MOST_UNKNOWN);
if (isLost) console.log("too many for what the exchange may keep to itself");
if (isIdle) console.log("hardly anything was traded: this proves nothing");
process.exit(findings.length === 0 && !isIdle && !isLost ? 0 : 1);
