import type { Environment } from "../config.ts";
import type { Clock } from "../core/clock.ts";
import type { Point } from "../core/points.ts";

/** `isCut`: it was longer than a message may be, and `text` is its beginning and its end. */
export type InputLine = { text: string; isCut: boolean };

/** Everything that a command touches besides its own files, handed to it by main.ts. */
export type Outside = {
  environment: Environment;
  /** Words that start this program, for commands that are printed. */
  program: readonly string[];
  processId: number;
  /** Results; a script reads them. */
  print(text: string): void;
  /** Whether a person sees what is printed: no file, pipe or journal keeps it. */
  isTerminal: boolean;
  /** Log lines and what is said to a person. */
  warn(text: string): void;
  /** Asks a person without showing what is typed; null when nobody can be asked. */
  askHidden: ((question: string) => Promise<string>) | null;
  /** The first line of standard input, without its end; at most 4 KiB of it. */
  readLine(): Promise<string>;
  /** Standard input line by line until its end. Only main.ts has it. */
  readLines?: () => AsyncIterable<InputLine>;
  uid: number;
  clock: Clock;
  /** Milliseconds since some start, counted on while the machine sleeps; tests leave it to the clock. */
  bootMs?: () => number;
  randomBytes(count: number): Uint8Array;
  /** Runs its argument after the present turn of the event loop. */
  schedule(run: () => void): void;
  /** Calls `work` again and again; what it returns ends that. */
  every(ms: number, work: () => void): () => void;
  /** Begins the thread of `store/checkpoints`. Only main.ts has it: elsewhere the gateway's own connection does that work. */
  checkpointThread?: () => Worker;
  /** Keeps what is in memory out of core dumps and from other processes; false where that cannot be done. */
  protectMemory(): boolean;
  /** Memory of this process. */
  residentBytes(): number;
  /** Resolves at the first request to stop, with the signal's name. */
  stopRequested(): Promise<string>;
  /** Calls `work` whenever the operator asks for files to be read again; what it returns ends that. */
  onReload(work: () => void): () => void;
  /** Called at the named steps of a write. main.ts has none: only a test's own entry point stops us there. */
  point?: (name: Point) => void;
};
