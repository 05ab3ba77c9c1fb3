import type { ActionType } from "../action/index.ts";
import type { AcceptedType, Reply, StatusEntry } from "./reply.ts";

type Fitting = { type: AcceptedType; words: readonly StatusEntry["kind"][] };

const OF_ORDERS: Fitting = {
  type: "order",
  words: ["resting", "filled", "waiting_for_trigger", "waiting_for_fill", "error"],
};
const OF_CANCELS: Fitting = { type: "cancel", words: ["success", "error"] };
const WITHOUT_WORDS: Fitting = { type: "default", words: [] };

/** What the exchange answers to each action that it has carried out, and in which words. */
const FITTING: Record<ActionType, Fitting> = {
  order: OF_ORDERS,
  batchModify: OF_ORDERS,
  cancel: OF_CANCELS,
  cancelByCloid: OF_CANCELS,
  updateLeverage: WITHOUT_WORDS,
  updateIsolatedMargin: WITHOUT_WORDS,
  noop: WITHOUT_WORDS,
  twapOrder: { type: "twapOrder", words: ["running", "error"] },
  twapCancel: { type: "twapCancel", words: ["success", "error"] },
};

/**
 * The answer to an action of so many orders or other things; ambiguous where it is none: of another kind of action, in words
 * that no such action is answered with, or with more words than it has things, of which nobody can tell whose each is.
 */
export function fitted(reply: Reply, action: ActionType, count: number): Reply {
  if (reply.kind !== "accepted") return reply;
  const { type, words } = FITTING[action];
  const isFitting = reply.type === type && reply.statuses.every(({ kind }) => words.includes(kind));
  return isFitting && reply.statuses.length <= count ? reply : { kind: "ambiguous", reason: "unreadable", text: null };
}
