// node run.mjs --binary PATH [scene …]: plays scenes by name; without any it names them.
import { report } from "./judge.mjs";
import { scenes as answers } from "./scenes-answers.mjs";
import { scenes as deaths } from "./scenes-deaths.mjs";
import { scenes as late } from "./scenes-late.mjs";
import { scenes as lies } from "./scenes-lies.mjs";
import { scenes as more } from "./scenes-more.mjs";
import { scenes as odd } from "./scenes-odd.mjs";
import { scenes as record } from "./scenes-record.mjs";
import { scenes as told } from "./scenes-told.mjs";
import { endAll } from "./world.mjs";

const all = { ...answers, ...odd, ...told, ...record, ...lies, ...deaths, ...more, ...late };
const args = process.argv.slice(2);
const at = args.indexOf("--binary");
const binary = at >= 0 ? args.splice(at, 2)[1] : undefined;
if (!binary || args.length === 0) {
  console.log(Object.keys(all).join("\n"));
  process.exit(binary ? 0 : 2);
}
let worst = 0;
for (const name of args[0] === "all" ? Object.keys(all) : args) {
  const began = Date.now();
  const w = await all[name](binary).catch((error) => ({
    findings: [{ severity: "HARNESS", text: error.stack }],
    venue: { log: [] },
  }));
  await endAll();
  worst = Math.max(worst, report(`${name} (${Math.round((Date.now() - began) / 1000)} s)`, w));
}
process.exit(worst);
