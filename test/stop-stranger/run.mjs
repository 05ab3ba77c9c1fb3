// node run.mjs --binary PATH [--keep DIRECTORY] [--ports EXCHANGE,GATEWAY] round SEED [scene[:variant],…] [nokill]
// node run.mjs look FILE [PATTERN] [WIDTH]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { children } from "./gateway.mjs";
import { look } from "./look.mjs";
import { ACCOUNTS } from "./markets.mjs";
import { playRound } from "./round.mjs";

const scenes = {};
for (const part of ["stop", "protection", "flat", "heartbeat", "trades", "trades-odd"])
  Object.assign(scenes, (await import(`./scenes-${part}.mjs`)).scenes);

function usage(why) {
  console.error(
    [
      why,
      "usage: node run.mjs --binary PATH [--keep DIRECTORY] [--ports EXCHANGE,GATEWAY] round SEED [scene[:variant],…] [nokill]",
      "       node run.mjs look FILE [PATTERN] [WIDTH]",
      `at most ${ACCOUNTS} of: ${Object.keys(scenes).join(" ")}`,
    ].join("\n"),
  );
  process.exit(2);
}

const words = process.argv.slice(2);
function option(name) {
  const at = words.indexOf(name);
  return at < 0 ? undefined : (words.splice(at, 2)[1] ?? usage(`${name} is without its value`));
}
const binary = option("--binary");
const keep = option("--keep");
const ports = option("--ports")?.split(",").map(Number);
if (words[0] === "look") {
  look(...words.slice(1));
  process.exit(0);
}
const kills = words.at(-1) !== "nokill";
const [what, seedWord, names, ...others] = kills ? words : words.slice(0, -1);
const seed = Number(seedWord);
if (!binary || what !== "round" || !Number.isInteger(seed) || others.length > 0) usage("a word is missing or unknown");
if (ports && (ports.length !== 2 || !ports.every((port) => port > 0 && port < 65_536))) usage("--ports takes two");
const wanted = (names ?? "stopStorm,protect,flatten,heartbeat,trades,close,batch")
  .split(",")
  .map((word) => word.split(":"));
for (const [name] of wanted) if (!Object.hasOwn(scenes, name)) usage(`there is no scene ${name}`);
if (wanted.length > ACCOUNTS) usage("more scenes than accounts");

const dir = path.resolve(keep ?? fs.mkdtempSync(path.join(os.tmpdir(), "stop-stranger-")));
// However it ends, nothing of it is left: a gateway dies with the run that started it.
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  if (!keep) fs.rmSync(dir, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));
let hard = 1;
try {
  hard = await playRound({ binary: path.resolve(binary), dir, seed, wanted, kills, ports }, scenes);
} catch (error) {
  console.error(error);
}
process.exit(hard > 0 ? 1 : 0);
