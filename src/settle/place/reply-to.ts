import type { Reply, StatusEntry } from "../../wire/answer/reply.ts";

/** Which order of an action it is (from 0), and how many the action has. */
export type PlaceInAction = { index: number; count: number };

/**
 * What an answer to an action of several orders says of one of them. The exchange answers with a word for each, in their order;
 * or, for what it refuses before it tries any of them, with one error for all. Anything else tells nothing of any.
 */
export function replyTo(reply: Reply, { index, count }: PlaceInAction): Reply {
  if (reply.kind !== "accepted" || count === 1) return reply;
  const { statuses } = reply;
  const [only] = statuses;
  if (statuses.length === 1 && only?.kind === "error") return reply;
  const own = statuses.length === count ? statuses[index] : undefined;
  return own === undefined || isNamedTwice(own, statuses)
    ? { kind: "ambiguous", reason: "unreadable", text: null }
    : { ...reply, statuses: [own] };
}

/** Two orders of an action cannot have one native id. */
function isNamedTwice(own: StatusEntry, statuses: readonly StatusEntry[]): boolean {
  const oid = oidIn(own);
  return oid !== null && statuses.filter((each) => oidIn(each) === oid).length > 1;
}

function oidIn(entry: StatusEntry): string | null {
  return entry.kind === "resting" || entry.kind === "filled" ? entry.oid : null;
}
