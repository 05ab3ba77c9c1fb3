import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where things are in a data directory. */
export type Places = {
  directory: string;
  database: string;
  /** Unix socket at which a running gateway takes its operator's words. */
  control: string;
  /** The demo owner's key and API key; only a directory made by `serve --paper` has it. */
  demo: string;
  /** The built-in exchange's own journal, beside ours and never read by us. */
  paper: string;
  /** There while an upgrade is being tried: no write is taken before it is gone. */
  trial: string;
  /** The version that has taken writes last. */
  acceptedBy: string;
};

export function placesIn(directory: string): Places {
  return {
    directory,
    database: join(directory, "postern.db"),
    control: join(directory, "control.sock"),
    demo: join(directory, "demo.json"),
    paper: join(directory, "paper"),
    trial: join(directory, "upgrade-trial"),
    acceptedBy: join(directory, "accepted-writes-by"),
  };
}

const SYSTEM_DIRECTORY = "/var/lib/postern";
const LOCAL_DIRECTORY = "./postern-data";

/** systemd's word, else the operator's, else the system's directory where there is one, else one beside us. */
export function chooseDirectory(stateDirectory: string | null, given: string | null): string {
  if (stateDirectory !== null && stateDirectory !== "") return stateDirectory;
  if (given !== null && given !== "") return given;
  return existsSync(SYSTEM_DIRECTORY) ? SYSTEM_DIRECTORY : LOCAL_DIRECTORY;
}

export function hasDatabase(places: Places): boolean {
  return existsSync(places.database);
}

/** Makes the directory where it is missing, for its owner alone. */
export function makeDirectory(places: Places): void {
  mkdirSync(places.directory, { recursive: true, mode: 0o700 });
  chmodSync(places.directory, 0o700);
}

/** True when nothing is in the directory but the lock: a set-up that failed half-way is tried again. */
export function isVacant(places: Places): boolean {
  if (!existsSync(places.directory)) return true;
  return readdirSync(places.directory).every((name) => name.startsWith("lock."));
}

/** True when `serve --paper` made the directory: it keeps the demo owner's key beside the database. */
export function isDemo(places: Places): boolean {
  return existsSync(places.demo);
}

/** Takes back a set-up that failed. Never called once the database holds an account. */
export function removeDatabase(places: Places): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(places.database + suffix, { force: true });
}
