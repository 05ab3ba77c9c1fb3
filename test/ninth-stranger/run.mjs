// The command: scenes by name, rounds by number.
import { mkdirSync } from "node:fs";
import { round } from "./round.mjs";
import { scenes as feeds } from "./scenes-feed.mjs";
import { scenes as lives } from "./scenes-long.mjs";
import { scenes as trouble } from "./scenes-trouble.mjs";
import { scenes as endings } from "./scenes-words.mjs";
import { World } from "./world.mjs";

const SCENES = { ...feeds, ...lives, ...endings, ...trouble };
const words = process.argv.slice(2);
const option = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const options = { binary: option("--binary"), keep: option("--keep") };
if (options.keep) mkdirSync(options.keep, { recursive: true });
const [kind, ...names] = words;

async function play(name, seed, scene) {
  const world = new World(name, seed, options);
  const started = Date.now();
  try {
    await scene(world);
  } catch (why) {
    world.find("harness", String(why.stack));
  }
  await world.close().catch((why) => world.find("harness", String(why.stack)));
  const count = new Map();
  for (const of of world.findings) count.set(of.severity, (count.get(of.severity) ?? 0) + 1);
  process.stdout.write(
    `${name}: ${Math.round((Date.now() - started) / 1000)} s, rest ${Math.round((world.restMs ?? 0) / 1000)} s, ${world.tape.of("told").length} answers, ${[...count].map(([of, n]) => `${n} ${of}`).join(", ") || "nothing found"}\n`,
  );
  const rank = ["CRITICAL", "high", "harness", "soft"];
  const kinds = new Map();
  for (const of of world.findings.sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity))) {
    const kind = of.what.replace(/[0-9a-f-]{8,}|\d+/g, "#").slice(0, 60);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind) > 3) continue;
    process.stdout.write(
      `  ${JSON.stringify(of, (_, value) => (typeof value === "bigint" ? String(value) : value)).slice(0, 1100)}\n`,
    );
  }
  return world.findings.some((of) => ["CRITICAL", "high"].includes(of.severity));
}

if (kind === "list") process.stdout.write(`${Object.keys(SCENES).join("\n")}\n`);
let isFound = false;
if (kind === "scene")
  for (const name of names[0] === "all" ? Object.keys(SCENES) : names)
    isFound = (await play(name, 7, SCENES[name])) || isFound;
if (kind === "seed") {
  for (const name of names) {
    const [from, to] = name.split("-").map(Number);
    for (let seed = from; seed <= (to ?? from); seed++)
      isFound = (await play(`seed-${seed}`, seed, (world) => round(world, seed))) || isFound;
  }
}
process.exit(isFound ? 1 : 0);
