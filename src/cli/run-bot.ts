/** Starts somebody's bot as a shell would, hears what it prints, and ends it with all that it has started. */
import { spawn } from "node:child_process";
import type { Environment } from "../config.ts";
import type { Clock } from "../core/clock.ts";

/** The end of what it printed; enough for its last line and a stack trace. Characters. */
const MAX_OUTPUT = 16_384;
/** Between the request to end and the end. Milliseconds. */
const GRACE_MS = 2_000;

export type BotRun = {
  readonly command: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly limitMs: number;
};

export type BotEnded = {
  /** Null for one that had to be ended. */
  readonly exitCode: number | null;
  /** Of standard output. */
  readonly output: string;
  readonly errors: string;
};

export async function runBot(
  { command, variables, limitMs }: BotRun,
  { clock, environment }: { readonly clock: Clock; readonly environment: Environment },
): Promise<BotEnded> {
  // A group of its own: what the shell starts ends with it.
  const child = spawn("/bin/sh", ["-c", command], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment, ...variables },
  });
  const texts = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.output = (texts.output + text).slice(-MAX_OUTPUT);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.errors = (texts.errors + text).slice(-MAX_OUTPUT);
  });
  const ended = new Promise<number>((resolve) => {
    child.on("error", () => resolve(FAILED));
    child.on("close", (code) => resolve(code ?? FAILED));
  });
  const limit = clock.timer(limitMs);
  const exitCode = await Promise.race([ended, limit.up.then(() => null)]);
  limit.cancel();
  await endGroup(child.pid, ended, clock);
  return { exitCode, ...texts };
}

/** Exit code of one that could not be started, or was ended by a signal. */
const FAILED = 1;

/** Asks everything that is left of the group to end, and then ends it. */
async function endGroup(pid: number | undefined, ended: Promise<number>, clock: Clock): Promise<void> {
  if (pid === undefined || !signal(pid, "SIGTERM")) return;
  const grace = clock.timer(GRACE_MS);
  await Promise.race([ended, grace.up]);
  grace.cancel();
  signal(pid, "SIGKILL");
}

/** False when nothing is left of it. */
function signal(pid: number, name: "SIGTERM" | "SIGKILL"): boolean {
  try {
    return process.kill(-pid, name);
  } catch {
    return false;
  }
}
