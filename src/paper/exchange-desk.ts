import { type HttpAnswer, jsonAnswer, WRONG_SCHEMA } from "./answers.ts";
import { execute, fillDue, fillNamed, namedOrders, placeNamesake, planFills } from "./by-others.ts";
import type { Desk } from "./desk.ts";
import type { ActionInput, VenueReply } from "./engine/action.ts";
import { MISMATCH } from "./exchange/decode.ts";
import { type Envelope, readEnvelope } from "./exchange/envelope.ts";
import { type Engine, executeEnvelope } from "./exchange/execute.ts";
import type { ExactJson } from "./exchange/json-text.ts";
import type { RequestFault } from "./faults.ts";
import { inListIds, inVenueIds } from "./market-moves.ts";
import { cancelLeg, killedReply, namingAnother, shortened, singleError } from "./replies.ts";
import { commit, nowMs, type Runtime } from "./runtime.ts";

/** The answer to an action, with or without the fault that befalls it. */
export function answerExchange(desk: Desk, json: ExactJson, fault: RequestFault | null): HttpAnswer {
  const envelope = readEnvelope(json);
  if (envelope === MISMATCH) return WRONG_SCHEMA;
  switch (fault?.kind) {
    case "refuse":
      return replyAnswer(desk, refusedAs(desk, envelope, fault, { status: "err", response: fault.text }));
    case "single_error":
      return replyAnswer(desk, refusedAs(desk, envelope, fault, singleError(fault, envelope.type)));
    case "post_only":
      commit(desk.runtime, { kind: "postOnly", untilMs: nowMs(desk.runtime) + fault.ms });
      return replyAnswer(desk, run(desk, envelope, null));
    case "short_answer":
      return replyAnswer(desk, shortened(run(desk, envelope, null), fault.words));
    case "names_another":
      return replyAnswer(desk, namingAnother(run(desk, envelope, null)));
    default:
      return replyAnswer(desk, run(desk, envelope, fault));
  }
}

function replyAnswer({ runtime, fills, moves }: Desk, reply: VenueReply): HttpAnswer {
  fillDue(runtime, fills);
  const answer = jsonAnswer(reply);
  return { ...answer, body: inListIds(moves, answer.body) };
}

type Refusing = Extract<RequestFault, { kind: "refuse" | "single_error" }>;

/** What cannot even take its number is refused for that. */
function refusedAs(desk: Desk, envelope: Envelope, { usesNonce = true }: Refusing, refusal: VenueReply): VenueReply {
  if (!usesNonce) return refusal;
  const { runtime, network } = desk;
  const engine: Engine = (input) => execute(runtime, { ...input, action: { type: "noop" } });
  const taken = executeEnvelope({ venue: runtime.world.venue, engine, network, nowMs: nowMs(runtime) }, envelope);
  return taken.status === "ok" ? refusal : taken;
}

function run(desk: Desk, envelope: Envelope, fault: RequestFault | null): VenueReply {
  const { runtime, network } = desk;
  return executeEnvelope(
    { venue: runtime.world.venue, engine: engineOf(desk, fault), network, nowMs: nowMs(runtime) },
    envelope,
  );
}

/** The venue behind its journal; faults change what reaches it. */
function engineOf({ runtime, moves, fills }: Desk, fault: RequestFault | null): Engine {
  return (listed) => {
    const input = { ...listed, action: inVenueIds(moves, listed.action) };
    if (fault?.kind === "fills_first") fillNamed(runtime, input);
    if (fault?.kind === "agent_removed") {
      commit(runtime, { kind: "dropAgent", agent: input.signer, atMs: input.nowMs });
    }
    if (fault?.kind === "cancel_misses" && isCancelOfYoung(runtime, input, fault.withinMs)) return missedCancel(input);
    const leg = fault?.kind === "modify_kills" ? cancelLeg(input.action) : null;
    if (fault?.kind === "modify_kills" && leg !== null) {
      const reply = execute(runtime, { ...input, action: leg });
      return reply.status === "err" ? reply : killedReply(input.action, fault.text);
    }
    const reply = execute(runtime, input);
    if (fault?.kind === "system_cancel") {
      commit(runtime, { kind: "systemCancel", signer: input.signer, status: fault.status, atMs: input.nowMs });
    }
    if (fault?.kind === "namesake") placeNamesake(runtime, input);
    if (fault?.kind === "part_fills") planFills(fills, reply, { ...fault, nowMs: input.nowMs });
    return reply;
  };
}

/** Every order that the cancel names was acknowledged only just now. */
function isCancelOfYoung({ world }: Runtime, { action, nowMs: now }: ActionInput, withinMs: number): boolean {
  if (action.type !== "cancel" && action.type !== "cancelByCloid") return false;
  const orders = namedOrders(world.venue, action);
  return orders.every((order) => order !== null && now - order.timestampMs < withinMs);
}

/** The order lives on. */
function missedCancel({ action }: ActionInput): VenueReply {
  const assets =
    action.type === "cancel"
      ? action.cancels.map(({ a }) => a)
      : action.type === "cancelByCloid"
        ? action.cancels.map(({ asset }) => asset)
        : [];
  const statuses = assets.map((asset) => ({
    error: `Order was never placed, already canceled, or filled. asset=${asset}`,
  }));
  return { status: "ok", response: { type: "cancel", data: { statuses } } };
}
