// The command: rounds from numbers, scenes by name.
import { mkdirSync } from "node:fs";
import { playRound } from "./rounds.mjs";
import { SCENES } from "./scenes.mjs";

const words = process.argv.slice(2);
const option = (name) => {
  const i = words.indexOf(`--${name}`);
  return i < 0 ? null : words.splice(i, 2)[1];
};
const binary = option("binary");
const keep = option("keep");
const kind = option("kind");
if (!binary || words.length === 0) {
  console.error(
    "node run.mjs --binary PATH [--keep DIRECTORY] [--kind rails|race|stops|trades|record] seed 1-10 | scene NAME … | scene all",
  );
  process.exit(2);
}
if (keep) mkdirSync(keep, { recursive: true });

let isBad = false;
async function report(label, { world, findings, name }) {
  const serious = findings.filter((f) => f.level !== "soft");
  isBad ||= findings.some((f) => f.level === "CRITICAL" || f.level === "high");
  console.log(
    `${label} ${name}: ${world.chain.orders.size} orders, ${world.chain.fills.length} fills, ${world.told.length} answers, ${world.follower?.events.length} events, ${serious.length} findings`,
  );
  const shown = new Map();
  for (const f of findings) {
    const count = (shown.get(f.what) ?? 0) + 1;
    shown.set(f.what, count);
    if (count <= 2)
      console.log(
        `  ${f.level} ${f.what}\n    told: ${JSON.stringify(f.told)?.slice(0, 700)}\n    true: ${JSON.stringify(f.truth)?.slice(0, 500)}`,
      );
  }
  for (const [what, count] of shown) if (count > 2) console.log(`  (${count} times: ${what.slice(0, 100)})`);
  if (keep) world.keep(keep, `${label}`.replaceAll(" ", "-"));
  await world.end().catch(() => {});
}

if (words[0] === "seed") {
  const [from, to] = words[1].split("-").map(Number);
  for (let seed = from; seed <= (to ?? from); seed++) await report(`seed ${seed}`, await playRound(binary, seed, kind));
} else {
  const names = words[1] === "all" ? Object.keys(SCENES) : words.slice(1);
  for (const name of names) await report(`scene ${name}`, await SCENES[name](binary));
}
process.exit(isBad ? 1 : 0);
