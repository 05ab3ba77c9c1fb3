// node run.mjs --binary PATH [--keep DIRECTORY] scene NAME… | seed N… | all
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenes } from "./scenes.mjs";
import { seed } from "./seed.mjs";
import { World } from "./world.mjs";

function parse(args) {
  const options = { binary: null, keep: null, what: null, names: [] };
  while (args.length > 0) {
    const next = args.shift();
    if (next === "--binary") options.binary = args.shift();
    else if (next === "--keep") options.keep = args.shift();
    else if (options.what === null) options.what = next;
    else options.names.push(next);
  }
  return options;
}

function numbers(names) {
  return names.flatMap((name) => {
    const [from, to = from] = name.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

async function one(name, options, play, setup = {}) {
  if (options.keep) mkdirSync(options.keep, { recursive: true });
  const world = new World({
    binary: options.binary,
    logFile: options.keep ? join(options.keep, `${name}.log`) : null,
    ...setup,
  });
  const from = Date.now();
  let findings = [];
  try {
    await world.open();
    await play(world);
    findings = await world.finish();
  } catch (error) {
    findings = [...(world.judge?.print() ?? []), `high: the round did not end | ${error.stack} ${error.stderr ?? ""}`];
  }
  await world.close();
  if (options.keep) {
    const rows = [...world.log, ...world.exchange.log.map((row) => ({ kind: "exchange", t1: row.time, ...row }))].sort(
      (left, right) => left.t1 - right.t1,
    );
    writeFileSync(
      join(options.keep, `${name}.jsonl`),
      rows
        .map((row) => JSON.stringify(row, (_, value) => (typeof value === "bigint" ? String(value) : value)))
        .join("\n"),
    );
    writeFileSync(join(options.keep, `${name}.notes`), world.notes.join("\n"));
  }
  console.log(
    `== ${name}: ${findings.length} findings, ${Math.round((Date.now() - from) / 1000)} s, ${world.exchange.truth.actions.length} actions, ${world.log.length} told`,
  );
  if (process.env.STRANGER_NOTES) console.log(world.notes.join("\n"));
  for (const finding of findings) console.log(`   ${finding}`);
  return findings.some((finding) => /^(CRITICAL|high)/.test(finding));
}

const options = parse(process.argv.slice(2));
let bad = false;
if (options.what === "seed")
  for (const number of numbers(options.names)) bad = (await one(`seed-${number}`, options, ...seed(number))) || bad;
else {
  const names = options.what === "all" ? Object.keys(scenes) : options.names;
  for (const name of names) bad = (await one(name, options, scenes[name].play, scenes[name].setup ?? {})) || bad;
}
process.exit(bad ? 1 : 0);
