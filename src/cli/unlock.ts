/** The passphrase turned into what it is good for: open agent keys, and a database of which is known what to believe. */
import type { Log } from "../deps.ts";
import { believeRows } from "../ops/believe-rows.ts";
import { type Keyring, openKeyring, vaultKeyOf } from "../ops/keyring.ts";
import { findSealedInstance } from "../store/instance.ts";
import type { RowFault } from "../store/sealed-rows.ts";
import type { Opened } from "./directory.ts";
import type { Outside } from "./outside.ts";

/** What the directory is, as it was sealed. */
export type Unlocked = Opened & { keyring: Keyring };

type Telling = { passphrase: string; tell(fault: RowFault): void };

/** Throws an `OperatorError` when the passphrase is wrong or the database cannot be believed. Slow on purpose. */
export async function unlock(
  { store, instance }: Opened,
  { passphrase, tell }: Telling,
  { clock, randomBytes }: Pick<Outside, "clock" | "randomBytes">,
): Promise<Unlocked> {
  const vaultKey = await vaultKeyOf(instance, passphrase);
  const keyring = openKeyring({ store, network: instance.network, vaultKey, randomBytes });
  try {
    believeRows({ store, keyring, clock, tell });
    // Now without the keys of agents that are not to be believed.
    keyring.reload();
    return { store, instance: findSealedInstance(store) ?? instance, keyring };
  } catch (error) {
    keyring.signers.lock();
    throw error;
  }
}

/** For whoever reads the log. */
export function tellIn(log: Log): (fault: RowFault) => void {
  return ({ kind, what }) =>
    log.error({ kind, reason: what }, "the database was changed from outside: see postern doctor");
}
