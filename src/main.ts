/** Picks the command. The only reader of arguments and environment, the only caller of `process.exit`. */
import { run } from "./cli/run.ts";
import { stopSignal, systemClock, systemRandom, systemTerminal } from "./cli/system.ts";

// Whatever we create is for this user alone, the control socket included.
process.umask(0o077);

const exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  processId: process.pid,
  print: (text) => process.stdout.write(text),
  warn: (text) => process.stderr.write(text),
  terminal: systemTerminal,
  clock: systemClock,
  randomBytes: systemRandom,
  stopRequested: stopSignal,
});
process.exit(exitCode);
