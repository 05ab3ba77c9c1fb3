// The command: `node run.mjs --binary PATH NAME…`; without names it lists them.
import { closes } from "./closes.mjs";
import { deaths } from "./deaths.mjs";
import { moments, run } from "./moments.mjs";
import { protection } from "./protection.mjs";
import { command, results } from "./rig.mjs";
import { brakes } from "./sentences-brakes.mjs";
import { edges } from "./sentences-edges.mjs";
import { grammar } from "./sentences-grammar.mjs";
import { grants } from "./sentences-grant.mjs";
import { rails } from "./sentences-rails.mjs";
import { stops } from "./sentences-stop.mjs";
import { waysRound } from "./sentences-ways.mjs";

const sentences = { grammar, grants, rails, edges, stops, brakes, waysRound };
const scenes = Object.fromEntries(
  Object.keys({ ...moments, ...closes, ...deaths }).map((name) => [name, () => run([name])]),
);
const parts = { ...sentences, protection, ...scenes };
const words = process.argv.slice(2);
const at = words.indexOf("--binary");
if (at >= 0) [, command.binary] = words.splice(at, 2);
const chosen = words.flatMap((word) =>
  word === "sentences" ? Object.keys(sentences) : word === "scenes" ? Object.keys(scenes) : [word],
);
if (chosen.length === 0 || chosen.some((name) => !parts[name])) {
  console.log(["sentences", "scenes", ...Object.keys(parts)].join("\n"));
  process.exit(2);
}
for (const name of chosen) {
  console.log(`== ${name}`);
  await parts[name]();
}
const failed = results.filter(({ holds }) => !holds);
console.log(`${results.length} sentences, ${failed.length} do not hold`);
process.exit(failed.length > 0 ? 1 : 0);
