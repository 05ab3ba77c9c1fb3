/** The real outside: the machine's clock, randomness, terminal and signals. The only place that reaches for them. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { promptHidden } from "../vault/prompt.ts";

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

export function systemRandom(count: number): Uint8Array {
  return new Uint8Array(randomBytes(count));
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
