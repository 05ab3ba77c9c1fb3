import type { Attempt } from "../../core/attempt.ts";
import type { Place, With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";

/** What the gateway takes back or makes smaller by itself waits its turn no longer than this, milliseconds. */
const OWN_WAIT_MS = 4_000;

/**
 * A place for an action that follows from an attempt, among the cancels: it takes risk away. Null where there was none in
 * time; whoever asked has to look again at what the action was for.
 */
export async function ownPlace({ store, flights }: With<"flights" | "store">, attempt: Attempt): Promise<Place | null> {
  const owner = findAccount(store, attempt.accountId)?.ownerAddress;
  if (owner === undefined) throw new Error("bug: an attempt without its account");
  return flights.take(owner, "cancel") ?? flights.wait(owner, "cancel", OWN_WAIT_MS);
}

/** Nobody has the place of what could not be stored. */
export function inPlace<T>(place: Place, store: () => T): T {
  try {
    return store();
  } catch (error) {
    place.leave();
    throw error;
  }
}
