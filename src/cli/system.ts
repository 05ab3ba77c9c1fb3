/** The real outside: the machine's clock, randomness, terminal and signals. The only place that reaches for them. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { Terminal } from "./outside.ts";

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  sleep: (durationMs) => Bun.sleep(durationMs),
};

export function systemRandom(count: number): Uint8Array {
  return new Uint8Array(randomBytes(count));
}

/** Characters of one answer; a passphrase longer than that is a file that was piped in by mistake. */
const MAX_ANSWER_CHARACTERS = 1_024;

export const systemTerminal: Terminal = {
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  async ask(question) {
    process.stderr.write(question);
    process.stdin.setRawMode(true);
    try {
      return await readHidden(process.stdin);
    } finally {
      process.stdin.setRawMode(false);
      process.stdin.pause();
      process.stderr.write("\n");
    }
  },
};

const INTERRUPT = "\u0003";
const BACKSPACES = new Set(["\u007f", "\b"]);

async function readHidden(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  let answer = "";
  for await (const chunk of input) {
    for (const character of chunk.toString()) {
      if (character === "\r" || character === "\n") return answer;
      if (character === INTERRUPT || answer.length > MAX_ANSWER_CHARACTERS) throw new Error("nothing was entered");
      answer = BACKSPACES.has(character) ? answer.slice(0, -1) : answer + character;
    }
  }
  throw new Error("nothing was entered");
}

/** Resolves with the name of the first signal that asks us to stop; a second one ends the process at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}
