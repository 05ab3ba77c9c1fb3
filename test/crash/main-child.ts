/**
 * The gateway's executable with the one thing that the shipped one does not have: it dies, or stands still, at a named
 * step. `KILL_AT=after_intent:3` is the third time that any write comes to `after_intent`; `STOP_AT` likewise.
 */
import { run } from "../../src/cli/run.ts";
import {
  afterThisTurn,
  onReloadSignal,
  stopSignal,
  systemClock,
  systemInterval,
  systemRandom,
} from "../../src/cli/system.ts";

process.umask(0o077);

const stopAt = process.env["STOP_AT"] ?? "";
const [doomedPoint = "", doomedTurn = "1"] = (process.env["KILL_AT"] ?? stopAt).split(":");
let turns = 0;

process.exit(
  await run(process.argv.slice(2), {
    environment: process.env,
    program: ["postern"],
    processId: process.pid,
    print: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
    isTerminal: false,
    askHidden: null,
    readLine: async () => "",
    uid: process.getuid?.() ?? 0,
    clock: systemClock,
    randomBytes: systemRandom,
    schedule: afterThisTurn,
    every: systemInterval,
    residentBytes: () => 0,
    protectMemory: () => true,
    stopRequested: stopSignal,
    onReload: onReloadSignal,
    point(name) {
      if (name !== doomedPoint) return;
      turns += 1;
      // No handler and no destructor runs: what is not with the kernel by now is gone, or waits.
      if (turns === Number(doomedTurn)) process.kill(process.pid, stopAt === "" ? "SIGKILL" : "SIGSTOP");
    },
  }),
);
