import { PROGRAM_COMMAND } from "../support/program.ts";

/** Milliseconds until a first line must have come. */
const START_DEADLINE_MS = 20_000;
/** Milliseconds after which a command that was to end is ended: one that goes on where it was to refuse. */
const END_DEADLINE_MS = 25_000;

export type Running = {
  /** The first line of standard output. */
  firstLine: string;
  pid: number;
  /** Ends it and returns everything that it wrote. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<{ exitCode: number; out: string; err: string }>;
};

export type Spawned = { exitCode: number; out: string; err: string };

/** What was started to stay and has not ended, with what was typed. */
const running = new Map<ReturnType<typeof spawn>, string>();

/** Ends what a test that failed has left running, where a directory stands among its words. */
export function endLeftIn(directory: string): void {
  for (const [child, command] of running) if (command.includes(directory)) child.kill("SIGKILL");
}

function spawn(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return Bun.spawn([...PROGRAM_COMMAND, ...words], {
    // No variable of the machine that runs the tests decides anything.
    env: { PATH: process.env["PATH"] ?? "", POSTERN_LOG_LEVEL: "debug", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs a command as a process of its own until it ends. */
export async function runProcess(words: readonly string[]): Promise<Spawned> {
  const child = spawn(words);
  const late = setTimeout(() => child.kill("SIGKILL"), END_DEADLINE_MS);
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(late);
  return { exitCode, out, err };
}

/** Runs what is typed into a shell, in another directory. */
export async function runShell(script: string): Promise<Spawned> {
  const child = spawnShell(script, {});
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, out, err };
}

function spawnShell(script: string, environment: Readonly<Record<string, string>>) {
  return Bun.spawn(["bash", "-o", "pipefail", "-c", script], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", POSTERN_LOG_LEVEL: "silent", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** This program as a shell reads it. */
export const PROGRAM = PROGRAM_COMMAND.join(" ");

/** Starts a command that stays, and waits until it has printed `lines` lines. */
export function startProcess(
  words: readonly string[],
  lines = 1,
  environment: Readonly<Record<string, string>> = {},
): Promise<Running> {
  return watch(spawn(words, environment), words.join(" "), lines);
}

/** The same of a command as it is typed. */
export function startShell(command: string, environment: Readonly<Record<string, string>> = {}): Promise<Running> {
  return watch(spawnShell(`exec ${command}`, environment), command, 1);
}

async function watch(child: ReturnType<typeof spawn>, command: string, lines: number): Promise<Running> {
  running.set(child, command);
  void child.exited.then(() => running.delete(child));
  const err = child.stderr.text();
  const written = readAll(child.stdout, lines);
  const late = Bun.sleep(START_DEADLINE_MS).then(() => null);
  const firstLine = await Promise.race([written.reached, late]);
  if (firstLine === null) {
    child.kill("SIGKILL");
    throw new Error(`postern ${command} printed nothing: ${await err}`);
  }
  return {
    firstLine,
    pid: child.pid,
    async end(signal) {
      child.kill(signal);
      const exitCode = await child.exited;
      return { exitCode, out: await written.all, err: await err };
    },
  };
}

/** `reached` is the first line, or everything up to the line that was asked for; null at an early end. */
function readAll(stream: ReadableStream<Uint8Array>, lines: number) {
  const { promise: reached, resolve } = Promise.withResolvers<string | null>();
  async function read(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of stream) {
      text += decoder.decode(piece, { stream: true });
      const parts = text.split("\n");
      if (parts.length > lines) resolve(parts.slice(0, lines).join("\n"));
    }
    resolve(null);
    return text;
  }
  return { reached, all: read() };
}
