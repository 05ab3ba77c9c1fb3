/** What a stop that is not stopped, or a flattening that has not ended, waits for: each thing, since when, and what ends it. */

/** By reason: what would end it, in plain words. */
export const WAITS = {
  gateway_opening: "the gateway has read the exchange's clock, or an upgrade is taken over",
  markets_not_read: "the exchange's list of markets has been read",
  restore_not_taken_up: "what was signed after the restored backup has been taken up",
  no_agent: "an agent key of the account is approved and unlocked: nothing can be signed before",
  outcome_unknown:
    "something shows what became of it, which is asked for on and on, or an empty action takes its number, which is tried while that can tell. In an account that does nothing else the exchange's own answers to cancels of an order tell that it is not there, after five to twelve minutes, and a TWAP ends by its own minutes; one that may be it is canceled before that is proven. Where they cannot (on spot, a balance that transfers have moved; an order of elsewhere that may have come of a trigger) it may be that nothing shows it: after a day `postern order release` ends that",
  not_canceled_yet: "its cancel is sent: it waits for its turn among what is under way, or for the exchange's weight",
  cancel_unanswered: "the exchange shows it closed, or answers the cancel, which is sent again while it does not",
  cancel_refused: "the exchange takes a cancel: it has refused the last one, and is asked again",
  size_unknown: "all fills of it are shown: it is over, and how much of it was filled is being read",
  copy_may_come:
    "its number is taken by an empty action, or its time is over: it was refused, and a copy may still be executed",
  twap_not_ended:
    "the exchange answers its cancel as carried out, or its history shows its end, which is asked for on and on. It is canceled by the number that the exchange has given it, at once and again, while its minutes run or the history shows it running; one of which no answer has told the number, or whose number is spoken against, where the history, the feed or its trades show the one that may be it; and while nothing has shown it as ours it ends by its own minutes at the latest",
  elsewhere_not_read: "the account's orders and TWAPs of elsewhere have been read twice, and each was told to go",
  next_look: "the next look, two seconds later at most, writes down that nothing is left, or names what is",
  not_stopped:
    "the stop is `stopped`: see what that waits for. What is held in a market is closed before that, once nothing is left of it there but orders of which nothing is shown and whose time is over",
  order_unsettled: "it is known what became of this order, which closes",
  position_not_read: "the exchange's positions can be read",
  position_behind: "a server shows positions of after the stop and after all that the account was told",
  fills_not_known:
    "the fills of after the stop are read and tell the same as the positions: by what is known more may be held than is shown",
  twap_fills_not_known:
    "the fills of the bot's TWAPs are known: one that could increase runs, or has some that are not",
  second_reading: "a second reading shows that nothing is held",
  reduction_resting: "this order, which rests and would close the same, is canceled",
  trigger_unclear: "a look tells whether this order still waits for its trigger",
  twap_reducing: "this TWAP, which closes the same, is canceled and seen to end",
  no_price: "there is a price within the bounds, by a book of at most 2 s",
  being_closed: "the next order has closed it",
} as const;

export type WaitReason = keyof typeof WAITS;

/** The reasons, in the order of their table. */
export const WAIT_REASONS = Object.keys(WAITS) as [WaitReason, ...WaitReason[]];

export type Wait = {
  reason: WaitReason;
  /** The order; null where it is none. */
  orderId: string | null;
  /** The operation that began the TWAP; null where it is none. */
  operationId: string | null;
  market: string | null;
  sinceMs: number;
};

export type NewWait = Pick<Wait, "reason"> & Partial<Wait>;

function nameOf({ reason, orderId = null, operationId = null, market = null }: NewWait): string {
  return [reason, orderId, operationId, market].join(" ");
}

/** As they are now; what was waited for before is waited for since then. */
export function waitsSince(before: readonly Wait[], now: readonly NewWait[], nowMs: number): Wait[] {
  const known = new Map(before.map((wait) => [nameOf(wait), wait.sinceMs]));
  const all = now.map((wait): Wait => {
    const { reason, orderId = null, operationId = null, market = null } = wait;
    return { reason, orderId, operationId, market, sinceMs: known.get(nameOf(wait)) ?? wait.sinceMs ?? nowMs };
  });
  return [...new Map(all.map((wait) => [nameOf(wait), wait])).values()];
}

/** What was told last of what is waited for, and when. */
export type ToldWaits = { names: string; atMs: number | null };

/** What takes less is told by its end alone, milliseconds. */
export const TOLD_AFTER_MS = 5_000;
/** Between two events of one stop, milliseconds. */
export const TOLD_EVERY_MS = 10_000;

/** Whether there is something to tell: something has been waited for so long, and it is not what was told last. */
export function isToTell(told: ToldWaits, waits: readonly Wait[], nowMs: number): boolean {
  if (!waits.some(({ sinceMs }) => nowMs - sinceMs >= TOLD_AFTER_MS)) return false;
  if (told.atMs !== null && nowMs >= told.atMs && nowMs - told.atMs < TOLD_EVERY_MS) return false;
  return namesOf(waits) !== told.names;
}

/** The same for the same things. */
export function namesOf(waits: readonly Wait[]): string {
  return waits.map(nameOf).toSorted().join("; ");
}
