/** Picks the command. The only reader of arguments and environment, the only caller of `process.exit`. */
import { protectMemory } from "./cli/memory.ts";
import { run } from "./cli/run.ts";
import {
  afterThisTurn,
  onReloadSignal,
  stopSignal,
  systemClock,
  systemInterval,
  systemPrompt,
  systemRandom,
} from "./cli/system.ts";

// Whatever we create is for this user alone, the control socket included.
process.umask(0o077);

const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  processId: process.pid,
  print: (text) => process.stdout.write(text),
  isTerminal: process.stdout.isTTY === true,
  warn: (text) => process.stderr.write(text),
  askHidden: systemPrompt,
  uid: process.getuid?.() ?? 0,
  clock: systemClock,
  randomBytes: systemRandom,
  schedule: afterThisTurn,
  every: systemInterval,
  protectMemory,
  residentBytes: () => process.memoryUsage.rss(),
  stopRequested: stopSignal,
  onReload: onReloadSignal,
});
process.exit(exitCode);
