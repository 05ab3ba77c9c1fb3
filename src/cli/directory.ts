/** How a command reaches a data directory: beside a running gateway, or in its place when none runs. */
import { resolve } from "node:path";
import type { Network } from "../core/account.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { chooseDirectory, hasDatabase, isDemo, type Places, placesIn } from "../ops/data-directory.ts";
import { findInstance, type Instance } from "../store/instance.ts";
import { takeLock } from "../store/lock.ts";
import { closeStore, openStore, openStoreReadOnly, type Store } from "../store/open.ts";
import { Failure, type Input } from "./command.ts";
import type { Outside } from "./outside.ts";

export function places(input: Input, outside: Outside): Places {
  return placesIn(chooseDirectory(outside.environment["STATE_DIRECTORY"] ?? null, input.value("data-dir")));
}

export type Opened = { store: Store; instance: Instance };

/** Reads beside whoever else has the database open. */
export function reading<T>(at: Places, read: (opened: Opened) => T): T {
  requireDatabase(at);
  const store = openStoreReadOnly(at.database);
  try {
    return read({ store, instance: instanceOf(store, at) });
  } finally {
    closeStore(store);
  }
}

/** Opens the database for changes, with the lock held: for commands that no running gateway can take. */
export async function changing<T>(at: Places, outside: Outside, change: (opened: Opened) => Promise<T>): Promise<T> {
  requireDatabase(at);
  return holding(at, outside, () => opening(at, change));
}

/** Runs `work` as the only process that may change the directory. */
export async function holding<T>(at: Places, outside: Outside, work: () => Promise<T>): Promise<T> {
  const lock = takeLock(at.directory, outside.processId);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Opens the database below the lock. */
export async function opening<T>(at: Places, work: (opened: Opened) => Promise<T>): Promise<T> {
  const store = openStore(at.database);
  try {
    return await work({ store, instance: instanceOf(store, at) });
  } finally {
    closeStore(store);
  }
}

export function requireDatabase(at: Places): void {
  if (hasDatabase(at)) return;
  throw new Failure(
    [
      `there is no Postern in ${resolve(at.directory)}. A gateway that was started with another data directory is reached by that:`,
      "give the command --data-dir DIRECTORY, or set POSTERN_DATA_DIR. To make one here (or one for mainnet):",
      "  postern init --network testnet",
      "or try it on paper, without an account:",
      "  postern serve --paper",
    ].join("\n"),
  );
}

/** The command that starts the gateway of this directory. */
export function starter(at: Places): string {
  return isDemo(at) ? "postern serve --paper" : "postern serve";
}

export function instanceOf(store: Store, at: Places): Instance {
  const instance = findInstance(store);
  if (instance === null) throw new Failure(`${at.database} was never set up`);
  return instance;
}

const NETWORK_WORDS = {
  mainnet: "MAINNET: real money",
  testnet: "testnet: no real money",
  paper: "paper: a simulated exchange, no real money",
} as const satisfies Record<Network, string>;

/** Said wherever something is shown or signed. */
export function networkWords({ network, exchangeUrl }: Pick<Instance, "network" | "exchangeUrl">): string {
  const isUnofficial = exchangePlaceOf({ network, exchangeUrl }) === "unofficial";
  return `${NETWORK_WORDS[network]}${isUnofficial ? `, at the UNOFFICIAL exchange ${exchangeUrl}` : ""}`;
}
