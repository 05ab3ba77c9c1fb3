import { isRefusalBorneOut, judgeEnd, type ListWord, type RefusalWord } from "../../core/end-evidence.ts";
import { isClosed, isSaidOver } from "../../core/order.ts";
import type { ToLook } from "../../deps.ts";
import type { FrontendOrder, OrderRecord } from "../../wire/answer/order-status.ts";
import { saysOver, statusMeaning } from "../../wire/answer/status-words.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import type { LookAnswer, Sought } from "../look/look.ts";
import { differenceFrom } from "./difference.ts";
import { type EndAbout, type EndLists, endAbout } from "./end-lists.ts";

/** `doubt`: what speaks against its record; null where nothing does, and nothing bears it out either. */
export type WeighedEnd =
  | { kind: "told" }
  | { kind: "unread" }
  /** `shown`: the order as the list has it. */
  | { kind: "refuted"; shown: FrontendOrder; doubt: string }
  /** `isListed`: a list holds it. */
  | { kind: "open"; doubt: string | null; isListed: boolean };

/**
 * What else is known of an end that a record tells, and what both come to: `core/end-evidence` has the rule. That it is over is no word of
 * its having been refused: what a list lacks may have been filled.
 */
export async function weighEnd(world: ToLook, lists: EndLists, sought: Sought, seen: LookAnswer): Promise<WeighedEnd> {
  const weighed = await weighOver(world, lists, sought, seen);
  if (weighed.kind !== "told" || statusMeaning(seen.status) !== "rejected" || isClosed(sought.leg)) return weighed;
  return weighRefusal(world, lists, sought, seen);
}

/**
 * What is matched at once and never waits is over as soon as there is a record of it, whatever word that has: it may be kept no
 * longer by the next look.
 */
export function neverRests({ timeInForce, trigger }: Sought["leg"]): boolean {
  return timeInForce === "ioc" && trigger === null;
}

/** One that is over, and was refused by its record: by its feed or the history as well, or where no server would lack another end by now. */
export async function weighRefusal(
  world: ToLook,
  lists: EndLists,
  sought: Sought,
  seen: LookAnswer,
): Promise<WeighedEnd> {
  const { order, status, options } = seen;
  const end = world.picture.toldOf(sought.user, order.oid)?.end ?? null;
  const row = end ?? (seen.isOfHistory === true ? seen : await lists.past(world, endAbout(sought.user, seen), options));
  if (row === "unread") return { kind: "unread" };
  const word = refusalWord(row);
  if (isRefusalBorneOut(word, world.exchange.nowMs() - order.timestampMs)) return { kind: "told" };
  if (row === null) return { kind: "open", doubt: null, isListed: false };
  const where = end === null ? "in the history" : "by its feed";
  return {
    kind: "open",
    doubt: `${order.oid} is ${status} by its record, and ${row.status} ${where}`,
    isListed: false,
  };
}

/** A word that is new is none of another end. */
function refusalWord(row: Pick<OrderRecord, "status"> | null): RefusalWord {
  if (row === null) return "silent";
  const meaning = statusMeaning(row.status);
  return meaning === "rejected" || meaning === "unknown" ? "refused" : "another_end";
}

/** Whether it is over. */
async function weighOver(world: ToLook, lists: EndLists, sought: Sought, seen: LookAnswer): Promise<WeighedEnd> {
  if (neverRests(sought.leg)) return { kind: "told" };
  const words = { isToldOtherwise: isToldOtherwise(world, sought, seen), list: null, isInHistory: false };
  // A list weighs something: it is read where the rest does not decide.
  if (judgeEnd(words) === "told") return { kind: "told" };
  const about = endAbout(sought.user, seen);
  const list = await lists.open(world, about, seen.options);
  if (list === null) return { kind: "unread" };
  const { word, shown } = list;
  const isInHistory = word === "may_be_before" && (await endsInHistory(world, lists, sought, { seen, about }));
  const doubt = shown === null ? null : doubtOf(seen, word);
  switch (judgeEnd({ ...words, list: word, isInHistory })) {
    case "told":
      return { kind: "told" };
    case "refuted":
      if (shown === null || doubt === null || differenceFrom(namedSo(sought, shown), shown) !== null)
        return { kind: "open", doubt, isListed: false };
      return { kind: "refuted", shown, doubt };
    case "open":
      return { kind: "open", doubt, isListed: shown !== null };
  }
}

/**
 * Its feed, or the exchange's own answer: to a cancel of it, to the modify that has replaced it, or to its placing. What is over already by
 * more than a record is told once more.
 */
function isToldOtherwise(world: ToLook, { user, leg, isReplaced }: Sought, { order: { oid } }: LookAnswer): boolean {
  if (isReplaced === true || isClosed(leg) || isSaidOver(leg)) return true;
  return world.picture.toldOf(user, oid)?.end != null || isCarriedOut(world, leg);
}

type EndSeen = { seen: LookAnswer; about: EndAbout };

/**
 * What the history tells is no second word where it was the first; but of an order whose answer was lost it may be the only word that there will
 * ever be, kept for a moment: it counts where a list lacks the order as well.
 */
async function endsInHistory(
  world: ToLook,
  lists: EndLists,
  sought: Sought,
  { seen, about }: EndSeen,
): Promise<boolean> {
  if (seen.isOfHistory === true) return sought.leg.state === "sent" || sought.leg.state === "lost";
  const row = await lists.past(world, about, seen.options);
  return (
    row !== null &&
    row !== "unread" &&
    saysOver(row.status) &&
    differenceFrom(namedSo(sought, row.order), row.order) === null
  );
}

/** What a trigger has placed may have a native id of its own. */
function namedSo(sought: Sought, { oid }: FrontendOrder): Sought {
  return { ...sought, leg: { ...sought.leg, oid } };
}

function doubtOf({ order, status }: LookAnswer, word: ListWord): string {
  const since = word === "holds_since" ? " in a list that is newer" : "";
  return `${order.oid} is ${status} by its record, and listed as open${since}`;
}
