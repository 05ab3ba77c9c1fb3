/** What goes wrong on request at the simulated exchange, alone or behind the gateway. */
import { readFileSync, statSync } from "node:fs";
import { type FaultFile, parseFaults } from "../paper/faults.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange, type PaperOptions } from "../paper/paper-exchange.ts";
import { type Command, type Input, Misuse } from "./command.ts";

/** A million prices. */
const MAX_FILE_BYTES = 64 * 1_048_576;

export const FAULT_OPTIONS = {
  faults: { value: "FILE", help: "JSON file of faults to inject; see the paper exchange's README" },
  control: {
    value: null,
    help: "open POST /control of the simulated exchange, which injects faults and prices while it runs",
  },
} as const satisfies Command["options"];

export type FaultOptions = Pick<PaperOptions, "faults" | "hasControlRoute">;

export function faultOptionsOf(input: Input): FaultOptions {
  return { faults: faultsOf(input.value("faults")), hasControlRoute: input.isSet("control") };
}

function faultsOf(path: string | null): FaultFile {
  return path === null ? PAPER_DEFAULTS.faults : readOption("faults", path, (text) => parseFaults(JSON.parse(text)));
}

/** What a file of the command line says; a file that cannot be used is misuse. */
export function readOption<T>(name: string, path: string, read: (text: string) => T): T {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error("the file is too long");
    return read(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Misuse(`--${name} ${path}: ${error instanceof Error ? error.message : "unreadable"}`);
  }
}

/** Opens the exchange; only it knows whether the markets that the faults name are there. */
export function openExchange(options: PaperOptions): PaperExchange {
  try {
    return createPaperExchange(options);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("faults: "))
      throw new Misuse(`--faults: ${error.message.slice(8)}`);
    throw error;
  }
}
