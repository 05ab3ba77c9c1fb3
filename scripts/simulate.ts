/**
 * `bun run simulate --seeds N [--from S] [--jobs J] [--minutes M] [--seed S] [--hash]`: runs the deterministic
 * simulation, prints seeds a second, and of the first failing seed its findings and history.
 */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { runSeed } from "../test/simulation/run-seed.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: "1" },
    minutes: { type: "string" },
    seed: { type: "string" },
    hash: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    directory: { type: "string", default: "/dev/shm/postern-simulation" },
  },
});

const { directory } = values;

if (values.seed !== undefined) {
  const result = await runSeed({ seed: Number(values.seed), directory, isLogged: true });
  console.log(result.history.join("\n"));
  for (const finding of result.findings) console.log(`FINDING   ${finding}`);
  if (values.hash) console.log(`hash      ${result.hash}`);
  process.exit(result.findings.length === 0 ? 0 : 1);
}

const from = Number(values.from);
const to = from + Number(values.seeds);
const startedAtMs = performance.now();
const endMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes) * 60_000;
let [done, events, sends, deaths, failed] = [0, 0, 0, 0, 0];
for (let seed = from; seed < to && performance.now() - startedAtMs < endMs; seed += 1) {
  const result = await runSeed({ seed, directory, isLogged: false });
  done += 1;
  events += result.events;
  sends += result.sends;
  deaths += result.deaths;
  if (result.findings.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed}: ${result.findings.slice(0, 4).join(" | ")}`);
  if (!values["keep-going"]) break;
}
const seconds = (performance.now() - startedAtMs) / 1_000;
console.log(
  `${done} seeds, ${failed} failed, ${(done / seconds).toFixed(1)} seeds/s, ${events} events, ${sends} sends, ${deaths} deaths`,
);
rmSync(directory, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
