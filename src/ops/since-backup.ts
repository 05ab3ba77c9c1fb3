/** What a restored gateway cannot know. It is said wherever something is given back: the operator may know it. */
import { listAccounts } from "../store/accounts.ts";
import type { Store } from "../store/open.ts";
import { findTakeUp } from "../store/restores.ts";

/** What takes something away and leaves no trace at the exchange. */
export const TAKEN_AWAY =
  "stops, narrowings, pauses, blocks and revocations, ended hooks, refused proposals, removed accounts and receivers of notices";

/** Until when things are known of an account that was restored, wall time; null where none was. */
export function knownUntilMs(store: Store, accountId: string): number | null {
  return findTakeUp(store, accountId)?.snapshotAtMs ?? null;
}

/** The earliest of all accounts. */
export function allKnownUntilMs(store: Store): number | null {
  const all = listAccounts(store).flatMap(({ id }) => knownUntilMs(store, id) ?? []);
  return all.length === 0 ? null : Math.min(...all);
}
