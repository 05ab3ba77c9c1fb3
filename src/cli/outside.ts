import type { Environment } from "../config.ts";
import type { Clock } from "../core/clock.ts";

/** Everything that a command touches besides its own files, handed to it by main.ts. */
export type Outside = {
  environment: Environment;
  processId: number;
  /** Results; a script reads them. */
  print(text: string): void;
  /** Log lines and what is said to a person. */
  warn(text: string): void;
  terminal: Terminal;
  clock: Clock;
  randomBytes(count: number): Uint8Array;
  /** Resolves at the first request to stop, with the signal's name. */
  stopRequested(): Promise<string>;
};

export type Terminal = {
  /** True when a person can be asked. */
  isInteractive: boolean;
  /** Asks without showing what is typed. */
  ask(question: string): Promise<string>;
};
