/**
 * A thief of two keys with rails, who tries whatever may bring most, against gateway and paper exchange in virtual time:
 *
 *   bun run adversary [--runs 350] [--seed S]
 *
 * Fails when the exchange's books show a bot above what its owner signed, with the shortest list of moves that gets there; prints
 * how close the search has come to the rail.
 */
import { parseArgs } from "node:util";
import { attackMany, MOST_USD } from "../test/simulation/adversary.ts";

/** About half a minute of a processor. */
const RUNS = "350";
const CENTS = 10n ** 14n;

const { values } = parseArgs({ options: { runs: { type: "string", default: RUNS }, seed: { type: "string" } } });
const { runs, seed } = values;
const { findings, mostUse } = await attackMany({
  runs: Number(runs),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
for (const finding of findings) console.log(finding);
console.log(`${runs} thefts; the most that a bot came to is ${Number(mostUse / CENTS) / 100} of ${MOST_USD} USD`);
process.exit(findings.length === 0 ? 0 : 1);
