import { type Attempt, endsAtMs } from "../core/attempt.ts";
import { BEHIND_MS, WITNESSES_NEEDED } from "../core/evidence.ts";
import { isClosed, type Leg } from "../core/order.ts";
import { isoTime } from "../core/resource.ts";

/**
 * What an attempt on an order is told by: its legs, whether it was given up, whether its account waits since a restore, and seconds
 * until our own weight has room for a reading of all that the account shows (0 where it has, or where nobody knows).
 */
export type SeenParts = { legs: readonly Leg[]; isReleased: boolean; isAwaiting: boolean; weightWaitS: number };

/** What still has to be known before an attempt is settled, and what is done for it next; null for a settled one. */
export function waitsFor(attempt: Attempt, seen: SeenParts): string | null {
  if (attempt.state === "done" || seen.isReleased) return null;
  if (attempt.state === "prepared") return "the exchange's answer; it is being sent";
  const words = ofUnsettled(attempt, seen);
  if (seen.weightWaitS === 0) return words;
  const room = `this gateway's own limit of requests to the exchange has room for that in about ${seen.weightWaitS} s`;
  return `${words}. Where all that the account shows has to be read, ${room}`;
}

function ofUnsettled(attempt: Attempt, seen: SeenParts): string {
  if (attempt.kind === "cancel") return ofCancel(seen.legs);
  const placed = seen.legs.find(({ cloid }) => cloid === attempt.cloid);
  const isLookedFor = placed === undefined || placed.state === "sent" || placed.state === "lost";
  if (!isLookedFor) return ofOriginal(attempt);
  return seen.isAwaiting ? "its account to be read from the exchange after the restore" : ofLostAnswer(attempt);
}

/** A server that is behind shows it open whatever became of it. */
function ofOriginal({ targetOid, nonce }: Attempt): string {
  const what = `what became of ${targetOid ?? "the order"}, which it replaces`;
  const upToDate = `an answer that shows it open beside something newer, a fill of it from after the modify, or any after ${isoTime(nonce + BEHIND_MS)}`;
  return `${what}: its end, ${upToDate}; next, a look at it`;
}

function ofCancel(legs: readonly Leg[]): string {
  const closed = legs.filter(isClosed).length;
  const what = `all it has at the exchange to be seen closed, ${closed} of ${legs.length} so far`;
  return `${what}, and everything else that was sent for it to be settled; next, a look, and another cancel where it is live`;
}

function ofLostAnswer(attempt: Attempt): string {
  const { seal, negatives, noops } = attempt;
  const end = isoTime(endsAtMs(attempt));
  const witnesses = `answers of the exchange's history that reach past ${end} and lack it, ${negatives} of ${WITNESSES_NEEDED} so far`;
  if (seal === null)
    return `the exchange to show it, or to say of its number whether anything took it (${noops} empty actions sent so far), or ${witnesses}; next, a look by its client order id`;
  const quiet = "while the account is quiet its history does not move, and the answers to a cancel of an order tell";
  return `the exchange to show it, or ${witnesses} (${SEALS[seal]}; ${quiet}); next, a look`;
}

const SEALS = {
  noop: "an empty action took its number",
  nonce_taken: "its number is taken, perhaps by itself",
  expiry: "it has expired in the exchange's own time",
} as const satisfies Record<NonNullable<Attempt["seal"]>, string>;
