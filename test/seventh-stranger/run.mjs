// The command: seeds and scenes against an executable.
import { mkdirSync } from "node:fs";
import { round } from "./rounds.mjs";
import { SCENES, scene } from "./scenes.mjs";

function parse(args) {
  const options = { seeds: [], scenes: [] };
  for (let i = 0; i < args.length; i++) {
    const take = () => args[++i];
    if (["--binary", "--kind", "--keep", "--fate"].includes(args[i])) options[args[i].slice(2)] = take();
    else if (args[i] === "seed") {
      const [from, to] = take().split("-").map(Number);
      for (let seed = from; seed <= (to ?? from); seed++) options.seeds.push(seed);
    } else if (args[i] === "scene") {
      options.scenes.push(...args.slice(i + 1));
      break;
    } else throw new Error(`what is ${args[i]}?`);
  }
  if (options.scenes[0] === "all") options.scenes = Object.keys(SCENES);
  return options;
}

function report(name, world) {
  const found = world.judge.found;
  const counts = `${world.told.length} answers, ${world.events.length} events, ${world.chain.log.filter((e) => e.what === "order").length} orders, ${world.exchange.sent.length} sent`;
  console.log(
    `${name}: ${found.length === 0 ? "ok" : `${found.length} found`} (${world.note ?? ""}; ${counts}; settled after ${Math.round((world.settledAfter ?? 0) / 1000)} s)`,
  );
  for (const f of found) console.log(`  ${f.severity}: ${f.what} ${JSON.stringify(f.detail).slice(0, 900)}`);
  return found.some((f) => ["CRITICAL", "high"].includes(f.severity));
}

process.setMaxListeners(0); // each gateway ends with this process
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(1));
const options = parse(process.argv.slice(2));
if (!options.binary || options.seeds.length + options.scenes.length === 0) {
  console.error(
    "node run.mjs --binary PATH [--kind KIND] [--fate FATE] [--keep DIRECTORY] seed 1-10 | scene NAME … | scene all",
  );
  process.exit(2);
}
if (options.keep) mkdirSync(options.keep, { recursive: true });
let isBad = false;
for (const seed of options.seeds) isBad = report(`seed ${seed}`, await round(options.binary, seed, options)) || isBad;
for (const name of options.scenes) isBad = report(`scene ${name}`, await scene(options.binary, name, options)) || isBad;
process.exit(isBad ? 1 : 0);
