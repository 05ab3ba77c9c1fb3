/** Picks the command. The only reader of arguments and environment, the only caller of `process.exit`. */
import { protectMemory } from "./cli/memory.ts";
import { run } from "./cli/run.ts";
import { programOf } from "./cli/say-where.ts";
import { handOver, openOutStream } from "./cli/standard-streams.ts";
import {
  afterThisTurn,
  onReloadSignal,
  openBootClock,
  stopSignal,
  systemClock,
  systemInterval,
  systemLine,
  systemLines,
  systemPrompt,
  systemRandom,
} from "./cli/system.ts";

// Whatever we create is for this user alone, the control socket included.
process.umask(0o077);

const [out, err] = [openOutStream(process.stdout), openOutStream(process.stderr)];
const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  program: programOf({ executable: process.execPath, script: Bun.main, path: process.env["PATH"] ?? "" }),
  processId: process.pid,
  print: out.write,
  isTerminal: process.stdout.isTTY === true,
  warn: err.write,
  askHidden: systemPrompt,
  readLine: systemLine,
  readLines: systemLines,
  uid: process.getuid?.() ?? 0,
  clock: systemClock,
  bootMs: openBootClock(),
  randomBytes: systemRandom,
  schedule: afterThisTurn,
  every: systemInterval,
  // From this file's place, which in the executable is inside it: a relative name would be looked for in the working directory as well.
  checkpointThread: () => new Worker(new URL("./store/checkpoint-thread.ts", import.meta.url)),
  protectMemory,
  residentBytes: () => process.memoryUsage.rss(),
  stopRequested: stopSignal,
  onReload: onReloadSignal,
});
process.exit(await handOver(exitCode, { out, err }));
