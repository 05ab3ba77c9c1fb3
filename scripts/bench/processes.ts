/** What the bench runs: each a process of its own, ended when the bench ends. */
import { join } from "node:path";
import type { Load, Loaded } from "./load.ts";

const HERE = import.meta.dir;
/** Milliseconds until a process must have said where it listens. */
const FIRST_LINE_DEADLINE_MS = 20_000;
/** Milliseconds until a gateway must take writes. */
const READY_DEADLINE_MS = 30_000;

export type Child = {
  pid: number;
  /** The next line that it prints. */
  readLine(): Promise<string>;
  write(line: string): void;
  stop(): Promise<void>;
};

type Command = { command: readonly string[]; environment?: Record<string, string>; log?: string };

export function spawn({ command, environment = {}, log }: Command): Child {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...environment },
    stdin: "pipe",
    stdout: "pipe",
    // A gateway logs a line a request: into a file, as under a service manager.
    stderr: log === undefined ? "inherit" : Bun.file(log),
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    pid: child.pid,
    async readLine() {
      for (;;) {
        const end = text.indexOf("\n");
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error(`${command.join(" ")} ended with exit code ${await child.exited}`);
        text += decoder.decode(value, { stream: true });
      }
    },
    write(line) {
      void child.stdin.write(`${line}\n`);
      void child.stdin.flush();
    },
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

export type Driver = { pid: number; run(load: Load): Promise<Loaded>; stop(): Promise<void> };

/** A driver on Bun, or on Node.js from what Bun has made of its source. */
export function openDriver(command: readonly string[], environment: Record<string, string> = {}): Driver {
  const child = spawn({ command, environment });
  return {
    pid: child.pid,
    async run(load) {
      child.write(JSON.stringify(load));
      // `serveLoads` answers with one line a load.
      return JSON.parse(await child.readLine()) as Loaded;
    },
    stop: () => child.stop(),
  };
}

export function onBun(file: string, ...words: string[]): string[] {
  return [process.execPath, join(HERE, file), ...words];
}

/** Node.js cannot read our source: Bun writes it one file that it can. */
export async function onNode(file: string, directory: string, ...words: string[]): Promise<string[]> {
  const built = await Bun.build({ entrypoints: [join(HERE, file)], target: "node", outdir: directory });
  const [output] = built.outputs;
  if (output === undefined) throw new Error(`${file} could not be built`);
  const path = join(directory, `${file.replace(/\.ts$/, "")}.mjs`);
  await Bun.write(path, output);
  return ["node", path, ...words];
}

export async function firstLine(child: Child): Promise<Record<string, string>> {
  const late = setTimeout(() => void child.stop(), FIRST_LINE_DEADLINE_MS);
  try {
    return JSON.parse(await child.readLine());
  } finally {
    clearTimeout(late);
  }
}

/** Waits until `path` answers 200; the time that it took, milliseconds. */
export async function waitFor(url: string, path: string): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < READY_DEADLINE_MS) {
    const response = await fetch(url + path).catch(() => null);
    if (response?.status === 200) return performance.now() - startedMs;
    await Bun.sleep(1);
  }
  throw new Error(`${url}${path} did not answer 200 in time`);
}
