// node test/fourteenth-stranger/run.mjs [SCENE[:SEED] …]
import { SCENES } from "./scenes/index.mjs";

const asked = process.argv.slice(2);
let faults = 0;
for (const word of asked.length === 0 ? Object.keys(SCENES) : asked) {
  const [name, seed = "1"] = word.split(":");
  const began = Date.now();
  let result;
  try {
    result = await SCENES[name](Number(seed));
  } catch (error) {
    result = { scene: name, faults: [{ what: "the scene itself", told: error.stack }] };
  }
  faults += result.faults.length;
  process.stdout.write(
    `${JSON.stringify({ ...result, seed, seconds: Math.round((Date.now() - began) / 1000), faults: result.faults.length })}\n`,
  );
  for (const fault of result.faults.slice(0, 40))
    process.stdout.write(`  FAULT ${fault.what}: told ${fault.told}; true ${fault.truth}\n`);
}
process.exit(faults === 0 ? 0 : 1);
