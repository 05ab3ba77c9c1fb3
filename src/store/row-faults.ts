import { accountRowFault, findInstanceFault, listAgentFaults } from "./account-faults.ts";
import { listAccountRows } from "./accounts.ts";
import { keyRowFault, listKeyRows, shortName } from "./api-keys.ts";
import { listHookFaults } from "./hooks.ts";
import { listNarrowingFaults } from "./narrowings.ts";
import type { Store } from "./open.ts";
import { listRevocationFaults } from "./revocations.ts";
import {
  digestOfBelieved,
  digestOfRows,
  hasSealedRows,
  listSealed,
  type RowFault,
  readSealedRows,
} from "./sealed-rows.ts";
import { listStopFaults } from "./stops.ts";
import { listOpenTradeFaults } from "./trades.ts";
import { listTripFaults } from "./trips.ts";

/** What stops writes: few rows, however many keys there are. Empty for a connection without the passphrase. */
export function listWriteFaults(store: Store): RowFault[] {
  if (!hasSealedRows(store)) return [];
  const sealed = listSealed(store, "account").map(([id]) => id);
  const ids = new Set([...sealed, ...listAccountRows(store).map(({ id }) => id)]);
  const accounts = [...ids].flatMap((id) => accountRowFault(store, id) ?? []);
  const instance = findInstanceFault(store);
  return [...(instance === null ? [] : [instance]), ...accounts, ...listAgentFaults(store)];
}

/** Everything that is not as it was sealed: reads every key, so not for every few seconds. */
export function listRowFaults(store: Store): RowFault[] {
  if (!hasSealedRows(store)) return [];
  const rows = listKeyRows(store);
  const there = new Set(rows.map(({ keyHash }) => keyHash));
  const gone = listSealed(store, "key").filter(([id]) => !there.has(id));
  return [
    ...listWriteFaults(store),
    ...rows.flatMap((row) => keyRowFault(store, row) ?? []),
    ...gone.map(
      ([id]): RowFault => ({ kind: "key", id, what: `the row of ${shortName(id)} was deleted from outside` }),
    ),
    ...listRevocationFaults(store),
    ...listStopFaults(store),
    ...listTripFaults(store),
    ...listOpenTradeFaults(store),
    ...listNarrowingFaults(store),
    ...listHookFaults(store),
    ...sealedRowsFault(store),
  ];
}

/** The running process goes by its memory; the next start will not be able to. */
function sealedRowsFault(store: Store): RowFault[] {
  if (digestOfRows(readSealedRows(store)) === digestOfBelieved(store)) return [];
  return [{ kind: "instance", id: "sealed_rows", what: "the sealed copies themselves were changed from outside" }];
}
