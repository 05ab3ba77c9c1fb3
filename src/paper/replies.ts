/** Changes that faults make to a reply or to what is executed. */
import type {
  EngineCancelAction,
  EngineCancelByCloidAction,
  OrderReplyStatus,
  ParsedAction,
  VenueReply,
} from "./engine/action.ts";
import type { RequestFault } from "./faults.ts";

/**
 * One error for the whole batch, in either of the two forms that the exchange has been seen to use.
 *
 * @param type of the action that is answered
 */
export function singleError({ text, form }: Extract<RequestFault, { kind: "single_error" }>, type: string): VenueReply {
  if (form === "err") return { status: "err", response: text };
  const status = { error: text };
  if (type === "twapOrder") return { status: "ok", response: { type: "twapOrder", data: { status } } };
  if (type === "twapCancel") return { status: "ok", response: { type: "twapCancel", data: { status } } };
  const data = { statuses: [{ error: text }] };
  const isOfCancels = type === "cancel" || type === "cancelByCloid";
  return isOfCancels
    ? { status: "ok", response: { type: "cancel", data } }
    : { status: "ok", response: { type: "order", data } };
}

/** The cancel with which every modify begins; null for an action that is no modify. */
export function cancelLeg(action: ParsedAction): EngineCancelAction | EngineCancelByCloidAction | null {
  if (action.type !== "modify" && action.type !== "batchModify") return null;
  const targets =
    action.type === "modify"
      ? [{ asset: action.order.a, oid: action.oid }]
      : action.modifies.map(({ oid, order }) => ({ asset: order.a, oid }));
  const first = targets[0];
  // A batch by cloid and by oid together is cancelled by what its first modify uses.
  if (first !== undefined && typeof first.oid === "string") {
    const cancels = targets.flatMap(({ asset, oid }) => (typeof oid === "string" ? [{ asset, cloid: oid }] : []));
    return { type: "cancelByCloid", cancels, f: false };
  }
  const cancels = targets.flatMap(({ asset, oid }) => (typeof oid === "number" ? [{ a: asset, o: oid }] : []));
  return { type: "cancel", cancels, f: false };
}

/** The answer to an action of several orders with a word for the first of them only, or for none. */
export function shortened(reply: VenueReply, words: number): VenueReply {
  if (reply.status === "err" || reply.response.type !== "order") return reply;
  const statuses = reply.response.data.statuses.slice(0, words);
  return { status: "ok", response: { type: "order", data: { statuses } } };
}

/** What the exchange answers when the original of a modify is gone and its replacement was refused. */
export function killedReply(action: ParsedAction, text: string): VenueReply {
  if (action.type !== "batchModify")
    return { status: "err", response: `Error placing new order during modify: ${text}` };
  const statuses = action.modifies.map(() => ({ error: text }));
  return { status: "ok", response: { type: "order", data: { statuses } } };
}

/** An answer about another order than the one that was asked for. */
export function namingAnother(reply: VenueReply): VenueReply {
  if (reply.status === "err" || reply.response.type !== "order") return reply;
  const statuses = reply.response.data.statuses.map((status): OrderReplyStatus => {
    if (typeof status !== "object" || "error" in status) return status;
    if ("resting" in status) return { resting: { ...status.resting, ...another(status.resting) } };
    return { filled: { ...status.filled, ...another(status.filled) } };
  });
  return { status: "ok", response: { type: "order", data: { statuses } } };
}

function another({ oid, cloid }: { oid: number; cloid?: string }): { oid: number; cloid?: string } {
  return { oid: oid + 1, ...(cloid === undefined ? {} : { cloid: `0x${"ab".repeat(16)}` }) };
}
