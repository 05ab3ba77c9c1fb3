/** The executables as processes of their own: started, waited for, killed. */

/** Milliseconds until a process must have printed its first line. */
const FIRST_LINE_DEADLINE_MS = 60_000;
/** Milliseconds until a gateway must take writes: its own start-up deadline and what a busy machine adds. */
const READY_DEADLINE_MS = 30_000;
/** Between two looks at its readiness, milliseconds. */
const READY_INTERVAL_MS = 10;
/** Characters of log that are kept to be shown. */
const MAX_LOG = 4_000;

export type Program = { command: readonly string[]; environment?: Record<string, string> };

export type Started = {
  pid: number;
  /** What its first line said. */
  facts: Record<string, string>;
  exited: Promise<number>;
  /** The end of what it has logged, once it has exited. */
  log: Promise<string>;
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<number>;
};

/** A process after its first line; `endedEarly`, with what it logged, where that never came. */
export async function start({ command, environment = {} }: Program, whenSpawned?: (pid: number) => void) {
  const child = Bun.spawn([...command], {
    env: { PATH: "/usr/bin:/bin", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  whenSpawned?.(child.pid);
  const log = child.stderr.text().then((text) => text.slice(-MAX_LOG));
  const late = setTimeout(() => child.kill("SIGKILL"), FIRST_LINE_DEADLINE_MS);
  const line = await firstLine(child.stdout);
  clearTimeout(late);
  const kill: Started["kill"] = (signal = "SIGKILL") => {
    child.kill(signal);
    return child.exited;
  };
  if (line !== null) return { pid: child.pid, facts: JSON.parse(line), exited: child.exited, log, kill } as Started;
  const exitCode = await child.exited;
  return { endedEarly: await log, exitCode };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return null;
    text += decoder.decode(value, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
}

/** Waits until writes are taken; false when the process ended before. Throws at the deadline. */
export async function waitUntilReady(gateway: Started): Promise<boolean> {
  const ended = gateway.exited.then(() => true);
  const deadlineMs = performance.now() + READY_DEADLINE_MS;
  while (performance.now() < deadlineMs) {
    const response = await fetch(`${gateway.facts["base_url"]}/readyz`).catch(() => null);
    if (response?.status === 200) return true;
    if (await Promise.race([ended, Bun.sleep(READY_INTERVAL_MS).then(() => false)])) return false;
  }
  throw new Error("the gateway was not ready in time");
}
