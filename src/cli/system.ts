/** The real outside: the machine's clock, randomness, terminal and signals. The only place that reaches for them. */
import { openSync, readSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { promptHidden } from "../vault/prompt.ts";
import type { InputLine } from "./outside.ts";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  sleep: (durationMs) => Bun.sleep(durationMs),
  timer(durationMs) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timeout = setTimeout(resolve, durationMs);
    return { up: promise, cancel: () => clearTimeout(timeout) };
  },
};

/** Seconds since the machine started, those that it slept among them (CLOCK_BOOTTIME); Linux alone has it. */
const UPTIME = "/proc/uptime";

/** Characters of what it says: two numbers. */
const UPTIME_BYTES = 64;

/**
 * Milliseconds since some start, counted on while the machine sleeps; elsewhere the wall clock, which does so as well. Opened
 * once: a process without descriptors must not be told another time.
 */
export function openBootClock(path = UPTIME): () => number {
  try {
    const [file, text] = [openSync(path, "r"), Buffer.alloc(UPTIME_BYTES)];
    const bootMs = () => uptimeMs(text.toString("latin1", 0, readSync(file, text, 0, UPTIME_BYTES, 0)));
    return Number.isFinite(bootMs()) ? bootMs : Date.now;
  } catch {
    return Date.now;
  }
}

function uptimeMs(text: string): number {
  return Number.parseFloat(text) * 1_000;
}

export function systemRandom(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

export function afterThisTurn(run: () => void): void {
  setImmediate(run);
}

export function systemInterval(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

/** Null when there is no terminal to ask at. */
export const systemPrompt: ((question: string) => Promise<string>) | null =
  process.stdin.isTTY === true
    ? (question) => promptHidden({ input: process.stdin, output: process.stderr }, question)
    : null;

/** Bytes of standard input that are looked at. */
const MAX_LINE_BYTES = 4_096;

export async function systemLine(): Promise<string> {
  let text = "";
  for await (const piece of process.stdin) {
    text += String(piece);
    if (text.includes("\n") || text.length >= MAX_LINE_BYTES) break;
  }
  return (text.split("\n", 1)[0] ?? "").slice(0, MAX_LINE_BYTES).replace(/\r$/, "");
}

/** Characters of one line of a conversation. */
const MAX_MESSAGE_CHARACTERS = 1_048_576;

export function systemLines(): AsyncGenerator<InputLine> {
  return linesOf(process.stdin);
}

/** One line that is too long ends nothing: whoever sent it is told, and the next is read. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder();
  let rest = "";
  let isCut = false;
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      isCut ||= line.length > MAX_MESSAGE_CHARACTERS;
      yield { text: isCut ? endsOf(line) : line, isCut };
      isCut = false;
    }
    if (rest.length <= MAX_MESSAGE_CHARACTERS) continue;
    rest = endsOf(rest);
    isCut = true;
  }
}

/** Where a message has its id. */
function endsOf(line: string): string {
  return `${line.slice(0, KEPT_CHARACTERS)}${line.slice(-KEPT_CHARACTERS)}`;
}

const KEPT_CHARACTERS = 300;

/** Resolves with the name of the first signal that asks us to stop; a second one ends the process at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}

/** SIGHUP, as for every other server; without a listener it would end the process. */
export function onReloadSignal(work: () => void): () => void {
  process.on("SIGHUP", work);
  return () => void process.off("SIGHUP", work);
}
