// node run.mjs --binary PATH [--keep DIRECTORY] [--options JSON] (seed N… | seed FROM-TO | scenario VARIANT…)
import fs from "node:fs";
import { playScenario } from "./scenario.mjs";
import { playSeed } from "./seed.mjs";

const words = process.argv.slice(2);
const taken = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const binary = taken("--binary");
const keep = taken("--keep");
const over = JSON.parse(taken("--options") ?? "{}");
const [what, ...names] = words;
if (!binary || !["seed", "scenario"].includes(what) || names.length === 0) {
  console.error("usage: node run.mjs --binary PATH [--keep DIRECTORY] [--options JSON] (seed N… | scenario VARIANT…)");
  process.exit(2);
}
if (keep) fs.mkdirSync(keep, { recursive: true });

const numbers = (word) => {
  const [from, to = from] = word.split("-").map(Number);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
};

let isBad = false;
if (what === "seed")
  for (const seed of names.flatMap(numbers)) {
    const begunAt = Date.now();
    const { sum, findings } = await playSeed({ binary, seed, keep, over });
    console.log(`seed ${seed} ${((Date.now() - begunAt) / 1000).toFixed(0)}s ${JSON.stringify(sum)}`);
    for (const f of findings) {
      const told = JSON.stringify(f.told ?? f.next ?? "").slice(0, 300);
      console.log("   ", f.sev, f.what, f.id ?? "", f.key ?? "", told);
    }
    if (sum.error || findings.some(({ sev }) => sev === "CRITICAL" || sev === "high")) isBad = true;
  }
else
  for (const variant of names) {
    console.log(`scenario ${variant}`);
    if (!(await playScenario({ binary, variant, keep }))) isBad = true;
  }
process.exit(isBad ? 1 : 0);
