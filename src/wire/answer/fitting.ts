import type { Action, ActionType } from "../action/index.ts";
import type { WireOrder } from "../action/order.ts";
import { mayBeAbout, thingsOf } from "./refusal-about.ts";
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
 * The answer to an action; ambiguous where it is none: of another kind of action, in words that no such action is answered with, with more
 * words than it has things, of which nobody can tell whose each is, or a refusal that cannot be about what was signed.
 */
export function fitted(reply: Reply, action: Action): Reply {
  if (reply.kind === "ambiguous") return reply;
  const things = thingsOf(action);
  if (reply.kind === "refused") return isOfAny(reply.text, action, things) ? reply : ofAnother(reply.text);
  const { type, words } = FITTING[action.type];
  const { statuses } = reply;
  const isFitting = reply.type === type && statuses.every(({ kind }) => words.includes(kind));
  // What is about nothing that can be named, an empty action, has no words.
  if (!isFitting || statuses.length > things.length) return { kind: "ambiguous", reason: "unreadable", text: null };
  const amiss = statuses.find((entry, index) => {
    if (entry.kind !== "error") return false;
    // One error for all may be about any of them.
    const about = statuses.length === things.length ? things.slice(index, index + 1) : things;
    return !isOfAny(entry.text, action, about);
  });
  return amiss?.kind === "error" ? ofAnother(amiss.text) : reply;
}

function isOfAny(text: string, action: Action, things: readonly (WireOrder | number)[]): boolean {
  return things.length === 0 || things.some((thing) => mayBeAbout(text, action, thing));
}

/** It is as words that are new to us: something was refused, and whether this was has to be looked up. */
function ofAnother(text: string): Reply {
  return { kind: "ambiguous", reason: "unlisted_text", text };
}
