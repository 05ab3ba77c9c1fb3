// node run.mjs --binary PATH [scene …]
import * as alerts from "./alerts.mjs";
import * as approvals from "./approvals.mjs";
import * as disk from "./disk.mjs";
import * as operator from "./operator.mjs";
import * as page from "./page-scenes.mjs";
import { Report } from "./report.mjs";
import { World } from "./world.mjs";

const scenes = { ...approvals, ...alerts, ...operator, ...disk, ...page };
const [flag, binary, ...names] = process.argv.slice(2);
if (flag !== "--binary" || names.length === 0) {
  console.log(`node run.mjs --binary PATH [scene …]; scenes: ${Object.keys(scenes).join(" ")}`);
  process.exit(2);
}
const FALL = [
  [0, 95_000],
  [40_000, 95_000],
  [41_000, 89_000],
  [75_000, 89_000],
  [76_000, 95_000],
  [600_000, 95_000],
]
  .map(([ms, price]) => `${ms},BTC,${price}`)
  .join("\n");
const report = new Report();
for (const name of names[0] === "all" ? Object.keys(scenes) : names) {
  console.log(`--- ${name}`);
  const world = new World(binary);
  try {
    await world.start(name === "priceMoved" ? { prices: `${FALL}\n` } : {});
    world.reader = (await world.plainKey()).key;
    await scenes[name](world, report);
  } catch (error) {
    report.check(`${name} can be played`, false, error.stack);
  }
  await world.end();
}
console.log(`${report.held} hold, ${report.broken} do not`);
process.exit(report.broken ? 1 : 0);
