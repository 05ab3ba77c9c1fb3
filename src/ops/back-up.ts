import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { listAccounts } from "../store/accounts.ts";
import { listAgents } from "../store/agents.ts";
import { listApiKeys } from "../store/api-keys.ts";
import { findInstance, type Instance } from "../store/instance.ts";
import { closeStore, openStoreReadOnly } from "../store/open.ts";
import { countOrders } from "../store/orders.ts";
import { findDamage, type SnapshotFault, snapshotInto } from "../store/snapshot.ts";
import { writeDigests } from "../store/snapshot-digests.ts";
import { OperatorError } from "./operator.ts";

/** What a backup holds. */
export type BackUpContents = {
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
export function backUp(database: string, file: string): BackUpContents {
  if (existsSync(file)) throw new OperatorError(`${file} exists, and a backup never overwrites`);
  const draft = `${file}.partial`;
  makeEmpty(draft);
  try {
    const fault = snapshotInto(database, draft) ?? faultIn(draft) ?? faultOf(() => writeDigests(draft));
    if (fault !== null) throw new OperatorError(`no backup: ${explained(fault, { database, file })}`);
    const held = holdingsOf(draft);
    // Unlike a rename, a link never replaces a file that has come meanwhile.
    linkSync(draft, file);
    return held;
  } finally {
    for (const suffix of ["", "-journal"]) rmSync(draft + suffix, { force: true });
  }
}

function faultIn(draft: string): SnapshotFault | null {
  const reason = findDamage(draft);
  return reason === null ? null : { reason, isOfTarget: false };
}

function faultOf(write: () => void): SnapshotFault | null {
  try {
    write();
    return null;
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), isOfTarget: true };
  }
}

/** Whose fault it is: a full disk under the backup says nothing of the database, which is asked where it is not plain. */
function explained(
  { reason, isOfTarget }: SnapshotFault,
  { database, file }: { database: string; file: string },
): string {
  const target = `${file} cannot be written: ${reason}. Nothing of it is left`;
  if (isOfTarget) return `${target}, and the database is as it was: choose a disk with room for it`;
  const damage = findDamage(database);
  if (damage === null) return `${target}. The database itself was looked at and is sound`;
  return `${reason}. The database is damaged: ${damage}. Stop the gateway and restore the newest good backup`;
}

function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(
      isThere
        ? `${path} is there: another backup is being written, or one was cut off; then remove it`
        : `${path} cannot be made: ${reason}`,
    );
  }
}

/** What a file that `findDamage` has passed holds. */
export function holdingsOf(file: string): BackUpContents {
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
