import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { listAccounts } from "../store/accounts.ts";
import { listAgents } from "../store/agents.ts";
import { listApiKeys } from "../store/api-keys.ts";
import { findInstance, type Instance } from "../store/instance.ts";
import { closeStore, openStoreReadOnly } from "../store/open.ts";
import { countOrders } from "../store/orders.ts";
import { findDamage, snapshotInto } from "../store/snapshot.ts";
import { OperatorError } from "./operator.ts";

/** What a backup holds. */
export type Holdings = {
  network: Instance["network"];
  exchangeUrl: string;
  accounts: number;
  agents: number;
  apiKeys: number;
  orders: number;
  bytes: number;
};

/**
 * Writes a consistent snapshot of a database, which may be in use, to a new file that only its owner can read. Agent keys
 * in it stay encrypted. Whole and checked, or not there at all.
 */
export function backUp(database: string, file: string): Holdings {
  if (existsSync(file)) throw new OperatorError(`${file} exists, and a backup never overwrites`);
  const draft = `${file}.partial`;
  makeEmpty(draft);
  try {
    const damage = snapshotInto(database, draft) ?? findDamage(draft);
    if (damage !== null) throw new OperatorError(`no snapshot: ${damage}. The database may be damaged`);
    const held = holdingsOf(draft);
    // Unlike a rename, a link never replaces a file that has come meanwhile.
    linkSync(draft, file);
    return held;
  } finally {
    rmSync(draft, { force: true });
  }
}

function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    throw new OperatorError(`${path} cannot be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What a file that `findDamage` has passed holds. */
export function holdingsOf(file: string): Holdings {
  const store = openStoreReadOnly(file);
  try {
    const instance = findInstance(store);
    if (instance === null) throw new OperatorError(`${file} was never set up`);
    const accounts = listAccounts(store);
    return {
      network: instance.network,
      exchangeUrl: instance.exchangeUrl,
      accounts: accounts.length,
      agents: listAgents(store).length,
      apiKeys: accounts.reduce((sum, { id }) => sum + listApiKeys(store, id).length, 0),
      orders: countOrders(store),
      bytes: statSync(file).size,
    };
  } finally {
    closeStore(store);
  }
}
