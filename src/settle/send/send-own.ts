import type { Attempt } from "../../core/attempt.ts";
import type { Slot, ToSend } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { type SendResult, sendAttempt } from "./send.ts";

/** How long an action that the gateway takes by itself waits for its turn, milliseconds. */
const OWN_WAIT_MS = 4_000;

export type OwnAction = {
  accountId: string;
  purpose: "cancel" | "order" | "reduce";
  /** Stores the intent; null where by now there is nothing to do. */
  store: (slot: Slot) => Attempt | null;
};

/**
 * Stores and sends an action that the gateway takes by itself. It takes risk away, so it waits in the line of cancels.
 * Null where its turn did not come in time, or nothing was stored: the caller has to look again at what it was for.
 */
export async function sendOwn(
  world: ToSend,
  { accountId, purpose, store }: OwnAction,
): Promise<{ attempt: Attempt; result: SendResult } | null> {
  const owner = findAccount(world.store, accountId)?.ownerAddress;
  if (owner === undefined) throw new Error("bug: an action without its account");
  const slot = world.flights.take(owner, "cancel") ?? (await world.flights.wait(owner, "cancel", OWN_WAIT_MS));
  if (slot === null) return null;
  const attempt = storedIn(slot, store);
  return attempt === null ? null : { attempt, result: await sendAttempt(world, attempt, purpose) };
}

/** Stores the intent; frees the slot where nothing was stored. */
function storedIn(slot: Slot, store: OwnAction["store"]): Attempt | null {
  let attempt: Attempt | null = null;
  try {
    attempt = store(slot);
  } finally {
    if (attempt === null) slot.leave();
  }
  return attempt;
}
