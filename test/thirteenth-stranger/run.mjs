// node run.mjs --binary PATH [NAME …|all]
import { resolve } from "node:path";
import { Installed } from "./installed.mjs";
import { Lab } from "./lab.mjs";
import { Report } from "./report.mjs";
import { agentLines, agentLives, agentProposals, agentTools } from "./scenes-agent.mjs";
import { alerts } from "./scenes-alerts.mjs";
import { chat } from "./scenes-chat.mjs";
import { door } from "./scenes-door.mjs";
import { lostMachine, trial } from "./scenes-operator.mjs";
import { thiefStorm, thiefVerbs } from "./scenes-thief.mjs";

const SCENES = {
  agentTools,
  agentLines,
  agentLives,
  agentProposals,
  thiefVerbs,
  thiefStorm,
  door,
  alerts,
  chat,
  trial,
  lostMachine,
};
const INSTALLED = new Set(["trial", "lostMachine"]);

const words = process.argv.slice(2);
const at = words.indexOf("--binary");
const binary = at < 0 ? null : resolve(words.splice(at, 2)[1] ?? "");
const names = words.includes("all") ? Object.keys(SCENES) : words;
const unknown = names.filter((name) => !(name in SCENES));
if (!binary || names.length === 0 || unknown.length > 0) {
  console.log(`node run.mjs --binary PATH NAME … | all\n\n${Object.keys(SCENES).join("\n")}`);
  process.exit(binary && unknown.length === 0 ? 0 : 2);
}

let broken = 0;
for (const name of names) {
  console.log(name);
  const report = new Report(name);
  const lab = INSTALLED.has(name) ? new Installed(binary) : new Lab(binary);
  try {
    await SCENES[name](report, lab);
  } catch (error) {
    report.say("the scene runs to its end", false, error.stack ?? String(error), "harness");
  } finally {
    await lab.end();
  }
  console.log(`  ${report.held} held, ${report.broken.length} broken`);
  broken += report.broken.length;
}
process.exit(broken > 0 ? 1 : 0);
