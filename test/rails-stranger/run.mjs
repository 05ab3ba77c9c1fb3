// node run.mjs --binary PATH (scenes | scene NAME… | fuzz SEED… [--seconds N]) [--keep DIRECTORY] [--verbose]
import { prepare } from "./gateway.mjs";
import { findings, say, talk } from "./judge.mjs";
import { Rig } from "./rig.mjs";

const FILES = [
  "lost-answers",
  "modify-and-twap",
  "others",
  "outliving",
  "self-trade",
  "distance",
  "day",
  "grants",
  "largest",
  "stops",
  "trades",
  "dead-feed",
  "doors",
  "listing",
  "spot",
];
const USAGE =
  "usage: node run.mjs --binary PATH (scenes | scene NAME… | fuzz SEED… [--seconds N]) [--keep DIRECTORY] [--verbose]";

const words = process.argv.slice(2);
function option(name) {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
}
function leave(text) {
  console.error(text);
  process.exit(2);
}

const binary = option("--binary");
const keep = option("--keep");
const seconds = Number(option("--seconds") ?? 60);
const verboseAt = words.indexOf("--verbose");
if (verboseAt >= 0) words.splice(verboseAt, 1);
talk.isVerbose = verboseAt >= 0;
const [what, ...names] = words;
if (!binary || !["scenes", "scene", "fuzz"].includes(what)) leave(USAGE);

const scenes = {};
for (const file of FILES) Object.assign(scenes, (await import(`./scenes-${file}.mjs`)).scenes);
if (what === "scene" && (names.length === 0 || names.some((name) => !scenes[name])))
  leave(`${USAGE}\nscenes: ${Object.keys(scenes).join(" ")}`);
if (what === "fuzz" && (names.length === 0 || names.some((seed) => !/^[0-9]+$/.test(seed)))) leave(USAGE);

// A scene lets requests go while it kills the gateway: that one of them is lost is no end of the run.
process.on("unhandledRejection", () => undefined);
await prepare({ binary, keep });

let broken = 0;
const begunAt = Date.now();
async function play(name, { change, scene }) {
  console.log("==", name, `${Math.floor((Date.now() - begunAt) / 1000)}s`);
  const rig = new Rig();
  try {
    await rig.up(change);
    await rig.ready();
    await scene(rig);
    if (rig.ex.unknownTypes.size) say("unknown types", [...rig.ex.unknownTypes]);
  } catch (error) {
    broken++;
    console.log("   did not run to its end:", error.stack);
  } finally {
    await rig.down(name);
  }
}

if (what === "fuzz") {
  const { fuzz } = await import("./fuzz.mjs");
  for (const seed of names)
    await play(`fuzz-${seed}`, { scene: (rig) => fuzz(rig, { seed: Number(seed), secs: seconds }) });
} else
  for (const name of what === "scenes" ? Object.keys(scenes) : names)
    await play(name, { change: scenes[name].prepare, scene: scenes[name] });
console.log(`findings ${findings.length}${broken ? `, ${broken} did not run to the end` : ""}`);
process.exit(findings.length + broken > 0 ? 1 : 0);
