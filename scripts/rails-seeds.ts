/**
 * Short runs of everything that keys with rails can ask for, over the gateway's own verbs, store and gate, held against what their
 * owners have signed by an auditor with books of its own:
 *
 *   bun run rails-seeds [--seeds 4000] [--from 1] [--seconds S]
 *
 * Fails with the first seed that breaks a rail. A run is 8 to 16 steps, of which about half ask for something.
 */
import { parseArgs } from "node:util";
import { runSeeds } from "../test/rails-seeds/run-seeds.ts";

const SEEDS = "4000";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: SEEDS },
    from: { type: "string", default: "1" },
    seconds: { type: "string" },
  },
});
const from = Number(values.from);
const told = await runSeeds({
  from,
  count: Number(values.seeds),
  forMs: values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds) * 1_000,
  nowMs: () => performance.now(),
});
const { seeds, steps, signed, increases, elapsedMs, used, failed } = told;
for (const finding of failed?.findings ?? []) console.log(`seed ${failed?.seed} failed: ${finding}`);
console.log(
  `${seeds} seeds from ${from} (${(steps / seeds).toFixed(1)} steps each): ${signed} actions signed, ${increases} orders that increase, ${Math.round((seeds * 1_000) / elapsedMs)} seeds/s`,
);
console.log([...used].map(([rail, share]) => `${rail} up to ${(share * 100).toFixed(2)} %`).join(", "));
process.exit(failed === null ? 0 : 1);
