import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outside } from "../../src/cli/outside.ts";
import { run } from "../../src/cli/run.ts";
import { afterThisTurn, systemClock, systemInterval, systemRandom } from "../../src/cli/system.ts";
import { endLeftIn } from "./process.ts";

export const PASSPHRASE = "anvil quarry tulip magnet orbit seven";

export type Ran = { exitCode: number; out: string; err: string };

/** Runs a command in this process, with everything it prints caught; `typed` is what stands on standard input. */
export async function runHere(
  words: readonly string[],
  environment: Record<string, string> = {},
  typed = "",
): Promise<Ran> {
  let out = "";
  let err = "";
  const outside = outsideFor({
    environment,
    readLine: async () => typed,
    print: (text) => {
      out += text;
    },
    warn: (text) => {
      err += text;
    },
  });
  const exitCode = await run(words, outside);
  return { exitCode, out, err };
}

/** The real clock and randomness, a process that is asked to stop at once, and nobody who reads or types. */
export function outsideFor(some: Partial<Outside>): Outside {
  return {
    environment: {},
    program: ["postern"],
    processId: process.pid,
    uid: process.getuid?.() ?? 0,
    print: () => undefined,
    warn: () => undefined,
    isTerminal: false,
    askHidden: null,
    readLine: async () => "",
    clock: systemClock,
    schedule: afterThisTurn,
    randomBytes: systemRandom,
    every: systemInterval,
    residentBytes: () => 0,
    protectMemory: () => true,
    stopRequested: () => Promise.resolve("TEST"),
    onReload: () => () => undefined,
    ...some,
  };
}

export type Workplace = { directory: string; dataDirectory: string; passphraseFile: string; remove(): void };

/** A directory below the system's temporary one, with a passphrase file and room for a data directory. */
export function makeWorkplace(): Workplace {
  const directory = mkdtempSync(join(tmpdir(), "postern-cli-"));
  const passphraseFile = join(directory, "passphrase");
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  return {
    directory,
    dataDirectory: join(directory, "data"),
    passphraseFile,
    remove() {
      endLeftIn(directory);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
