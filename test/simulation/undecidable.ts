/** Requests that may stay unknown for good, and what is told together with them. */
import type { Audited } from "./auditor.ts";
import type { Dialogue } from "./clients.ts";
import { isHidden, lastBody, lastError } from "./hidden.ts";
import { isPartAlone } from "./part-alone.ts";
import { allOrders, type TrueOrder } from "./truth.ts";
import { isUnrecorded } from "./unrecorded.ts";

/** An entry of a batch that has ended, in an answer that stays open for another entry, which may stay unknown. */
export function isKeptOpenByOthers(run: Audited, { wish: { number, part } }: Dialogue, status: string): boolean {
  if (part?.as !== "batched" || status === "unknown" || status === "processing") return false;
  return run.dialogues.some(
    (other) => other.wish.part?.of === part.of && other.wish.number !== number && isUndecidable(run, other),
  );
}

/** Wishes that are one order. */
const PLACING: ReadonlySet<Dialogue["wish"]["kind"]> = new Set(["place", "market", "close"]);

/**
 * What may stay unknown for good. Of two changes of one margin at the same time neither can be told by its amount; of an
 * operation whose number may have been taken by an empty action of ours nobody can say more than that; of a trigger that no
 * answer has named, while another's order has its client order id; of what `part-alone`, with its
 * cancels, and `unrecorded` say; and of what `isNamesakeAlone` says.
 */
export function isUndecidable(run: Audited, dialogue: Dialogue): boolean {
  const { wish } = dialogue;
  const error = lastError(dialogue);
  if (error.includes("cannot be proven") || isHidden(run, dialogue)) return true;
  const number = PLACING.has(wish.kind) ? wish.number : wish.kind === "cancel" ? wish.target : null;
  const placed = number === null ? undefined : run.truth.orders.get(number);
  if (number !== null && isNamesakeAlone(run, placed, error)) return true;
  if (placed !== undefined && isPartAlone(run, placed, lastBody(dialogue))) return true;
  const modified = wish.kind === "modify" && wish.target !== null ? run.truth.orders.get(wish.target) : undefined;
  if (modified !== undefined && isUnrecorded(run, modified)) return true;
  const { dialogues } = run;
  const alike = dialogues.filter(({ wish: other }) => other.kind === "margin" && other.party === wish.party);
  return wish.kind === "margin" && alike.length > 1;
}

/** Whether what is told of a client order id can only be of another's order: the exchange has taken one of that, and none of ours. */
export function isAnothersAlone({ takenByOthers, truth }: Audited, told: string): boolean {
  const cloid = [...takenByOthers].find((each) => told.startsWith(each));
  return cloid !== undefined && allOrders(truth).every(({ legs }) => legs.every((leg) => leg.cloid !== cloid));
}

/** What may stay unknown though no client has asked for it, the stop of a trade, say: another's order was taken under its client order id. */
export function isOnlyAnothers({ copies, takenByOthers, truth, venue }: Audited, cloid: string): boolean {
  if (copies.areRecordsKept || !takenByOthers.has(cloid)) return false;
  return allOrders(truth).every(({ legs }) => legs.every((leg) => leg.cloid !== cloid || !venue.isLive(leg.oid)));
}

/**
 * All that an exchange which forgets goes on to show under its client order id is another's: whether ours was refused, or was there and is
 * over, is told by nothing. That it is so is told with an alarm.
 */
function isNamesakeAlone(run: Audited, placed: TrueOrder | undefined, error: string): boolean {
  const { areIdsShared, copies, venue } = run;
  const isOver = placed?.legs.every(({ oid }) => !venue.isLive(oid)) ?? true;
  const isTold = error.includes("ALARM: the exchange shows ") && error.includes(" under the id of this order");
  return areIdsShared && !copies.areRecordsKept && isOver && isTold;
}
