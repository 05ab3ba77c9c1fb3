/** What a restored gateway cannot know. It is said wherever something is given back, in these words: the operator may know it. */
import { isoTime } from "../core/resource.ts";
import { listAccounts } from "../store/accounts.ts";
import type { Store } from "../store/open.ts";
import { findTakeUp } from "../store/restores.ts";

/** What takes something away and leaves no trace at the exchange. */
export const TAKEN_AWAY =
  "stops, narrowings, pauses, blocks and revocations, ended hooks, refused proposals, removed accounts and receivers of notices";

/** Before `TAKEN_AWAY`. `when`: `after` a time. */
export function notKeptTo(when: string): string {
  return `not known, and not kept to, is what was taken away ${when}:`;
}

/** Beside what was released; none where there was no restore. */
export function afterRelease(account: string, knownToMs: number | null): string[] {
  if (knownToMs === null) return [];
  return [
    `The gateway was restored; ${notKeptTo(`after ${isoTime(knownToMs)}`)}`,
    `  ${TAKEN_AWAY}`,
    "Where there was a stop, or you are not sure:",
    `  postern stop --account ${account}`,
  ];
}

/** Until when things are known of an account that was restored, wall time; null where none was. */
export function knownUntilMs(store: Store, accountId: string): number | null {
  return findTakeUp(store, accountId)?.snapshotAtMs ?? null;
}

/** The earliest of all accounts. */
export function allKnownUntilMs(store: Store): number | null {
  const all = listAccounts(store).flatMap(({ id }) => knownUntilMs(store, id) ?? []);
  return all.length === 0 ? null : Math.min(...all);
}
