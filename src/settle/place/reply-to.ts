import { isOfWholeAction } from "../../wire/answer/refusal.ts";
import type { Reply, StatusEntry } from "../../wire/answer/reply.ts";

/** Which order of an action it is (from 0), and the client order ids of all that the action has, in their order. */
export type PlaceInAction = { index: number; cloids: readonly (string | null)[] };

/**
 * What an answer to an action of several orders says of one of them. The exchange answers with a word for each, in their order;
 * or, for what it refuses before it tries any of them, with one error for all, which is known by its text. Anything else tells
 * nothing of any; and where a word names another order than that of its place, a word that names none may be anybody's.
 */
export function replyTo(reply: Reply, { index, cloids }: PlaceInAction): Reply {
  if (reply.kind !== "accepted" || cloids.length === 1) return reply;
  const { statuses } = reply;
  const [only] = statuses;
  if (statuses.length === 1 && only?.kind === "error" && isOfWholeAction(only.text)) return reply;
  const own = statuses.length === cloids.length ? statuses[index] : undefined;
  return own === undefined || isNamedTwice(own, statuses) || isAnybodys(own, statuses, cloids)
    ? { kind: "ambiguous", reason: "unreadable", text: null }
    : { ...reply, statuses: [own] };
}

function isAnybodys(own: StatusEntry, statuses: readonly StatusEntry[], cloids: PlaceInAction["cloids"]): boolean {
  const isInPlace = (each: StatusEntry, place: number) => [null, cloids[place]].includes(cloidIn(each));
  return cloidIn(own) === null && !statuses.every(isInPlace);
}

/** Two orders of an action cannot have one native id. */
function isNamedTwice(own: StatusEntry, statuses: readonly StatusEntry[]): boolean {
  const oid = oidIn(own);
  return oid !== null && statuses.filter((each) => oidIn(each) === oid).length > 1;
}

function cloidIn(entry: StatusEntry): string | null {
  return entry.kind === "resting" || entry.kind === "filled" ? entry.cloid : null;
}

function oidIn(entry: StatusEntry): string | null {
  return entry.kind === "resting" || entry.kind === "filled" ? entry.oid : null;
}
