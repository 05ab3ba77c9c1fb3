/** What each tool does: asks what any client may, with the caller's key, and tells it in the one form that all results have. */
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  findPlaced,
  isProvenAbsent,
  type PlacedProposal,
  placeProposal,
  wasPlaced,
} from "../../actions/proposals/place-proposal.ts";
import { proposeOrder } from "../../actions/proposals/propose-order.ts";
import { whoAmIResource } from "../../actions/who-am-i.ts";
import { ApiError } from "../../core/errors.ts";
import { inWords, PROPOSAL_LIFE_MS, type Proposal } from "../../core/proposal.ts";
import type { Deps } from "../../deps.ts";
import type { Caller } from "../../write/caller.ts";
import { type RailInTheWay, RailRefused } from "../../write/gate.ts";
import { UUID } from "../schema/common.ts";
import type { Within } from "../visit.ts";
import { isPlain, plain } from "./plain.ts";
import { type GivenArguments, isObject, proposedTerms } from "./proposed-terms.ts";

export type ToCall = { readonly deps: Deps; readonly caller: Caller; readonly within: Within };

export type ToolResult = { readonly isError: boolean; readonly content: Readonly<Record<string, unknown>> };

type ToolOutcome = {
  readonly outcome: string;
  readonly note?: string;
  readonly result?: unknown;
  /** In words of our own and names of markets: shown as it is. */
  readonly refused?: RailInTheWay | null;
};

const SETTLED: readonly string[] = [
  "order",
  "ok",
  "canceling",
  "canceled",
  "filled",
  "proposed",
  "not_yet_placed",
  "waiting_for_approval",
  "stopping",
  "stopped",
];

/** Never throws `ApiError`: what is refused is told by its code. */
export async function callTool(call: ToCall, name: string, given: GivenArguments): Promise<ToolResult> {
  const { outcome, note, result, refused = null } = await doAsked(call, name, given).catch(tellRefusal);
  const { network, limits } = whoAmIResource(call.deps, call.caller);
  const content = {
    network,
    money: network === "paper" ? "paper" : "live",
    bot: limits?.bot ?? null,
    headroom: plain(limits?.headroom ?? null),
    outcome,
  };
  return {
    isError: !SETTLED.includes(outcome),
    content: {
      ...content,
      ...(note === undefined ? {} : { note }),
      ...(refused === null ? {} : { refused }),
      ...(result === undefined ? {} : { result: plain(result) }),
    },
  };
}

function tellRefusal(error: unknown): ToolOutcome {
  if (error instanceof RailRefused) return { outcome: error.code, note: BY_A_RAIL, refused: error.refused };
  if (error instanceof ApiError) return { outcome: error.code, note: "Nothing was done." };
  throw error;
}

async function doAsked(call: ToCall, name: string, given: GivenArguments): Promise<ToolOutcome> {
  const { deps, caller } = call;
  if (name === "propose_order") return propose(call, given);
  if (name === "place") return tellPlaced(call, await placeProposal(deps, caller, textOf(given, "intent")));
  if (name === "order" && given["intent"] !== undefined)
    return tellPlaced(call, await findPlaced(deps, caller, textOf(given, "intent")));
  if (name === "stop") return stop(call, given);
  const path = pathOf(name, given);
  if (path === null) return { outcome: "invalid", note: "What was named is missing or has another form." };
  if (name === "cancel") return cancel(call, path);
  const { status, body } = await call.within({ method: "GET", path });
  return status === 200 ? { outcome: "ok", result: body } : { outcome: codeOf(body) };
}

/** Null for a name that is none: nothing else is ever put into a path. */
function pathOf(name: string, given: GivenArguments): string | null {
  const [market, order] = [textOf(given, "market"), textOf(given, "order")];
  const isMarket = /^[A-Za-z0-9@:./_-]{1,64}$/.test(market) && !/^\.+$/.test(market);
  switch (name) {
    case "limits":
      return "/v1/whoami";
    case "market":
      return isMarket ? `/v1/markets/${encodeURIComponent(market)}` : null;
    case "order":
    case "cancel":
      return UUID.test(order) ? `/v1/orders/${order}` : null;
    case "fills":
      return "/v1/fills?limit=20";
    case "orders":
      if (given["market"] === undefined) return "/v1/orders?status=open";
      return isMarket ? `/v1/orders?status=open&market=${encodeURIComponent(market)}` : null;
    default:
      return `/v1/${name}`;
  }
}

async function stop(call: ToCall, given: GivenArguments): Promise<ToolOutcome> {
  const { status, body } = await write(call, "/v1/stop", { scope: given["scope"] ?? "bot" });
  return status >= 300 ? notDone(status, body) : { outcome: wordOf(body, "status"), result: body };
}

/** The order's own word once it is over: one that was filled meanwhile was not canceled. */
async function cancel(call: ToCall, path: string): Promise<ToolOutcome> {
  const { status, body } = await write(call, `${path}/cancel`, {});
  if (status >= 300) return notDone(status, body);
  return status === 200
    ? { outcome: wordOf(body, "status"), result: body }
    : { outcome: "canceling", note: CANCELING, result: body };
}

const CANCELING = "Not known yet to be canceled: it may still be filled. Ask `order` with its id what became of it.";

function write({ deps, within }: ToCall, path: string, body: GivenArguments): Promise<InnerAnswer> {
  const idempotencyKey = `mcp-${bytesToHex(deps.randomBytes(RANDOM_BYTES))}`;
  return within({ method: "POST", path, body, idempotencyKey });
}

type InnerAnswer = Awaited<ReturnType<Within>>;

/** What is not the caller's own doing passes. */
function notDone(status: number, body: unknown): ToolOutcome {
  return { outcome: codeOf(body), note: status >= TOO_MANY ? "This may be called again." : "Nothing was done." };
}

const TOO_MANY = 429;

function wordOf(body: unknown, name: string): string {
  const word = isObject(body) ? body[name] : null;
  return typeof word === "string" ? word : "ok";
}

const RANDOM_BYTES = 16;

async function propose(call: ToCall, given: GivenArguments): Promise<ToolOutcome> {
  const terms = proposedTerms(given);
  if (typeof terms === "string") return { outcome: "invalid", note: `${terms} is missing or has another form.` };
  const proposed = await proposeOrder(call.deps, call.caller, { terms, isAnother: given["again"] === true });
  if (proposed.fault !== null) return { outcome: "invalid", note: UNFIT };
  const { proposal, isRepeat } = proposed;
  const note = isRepeat
    ? "The same was just proposed: this is that intent, and placing it is one order. If a second order is meant, propose it with again: true."
    : `Nothing is placed yet. ${inWords(proposal.terms)}.`;
  return { outcome: "proposed", note, result: tellProposal(call, proposal) };
}

/** Which rule it was stands in a sentence that names what the exchange has named. */
const UNFIT =
  "Nothing was proposed: its market takes no such order. Hold size and price against the rules that `market` tells.";

function tellProposal({ deps }: ToCall, proposal: Proposal) {
  const { id, terms, proposedAtMs } = proposal;
  const { market, side, size, price, timeInForce, reduceOnly, trigger } = terms;
  return {
    intent: id,
    order: { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger },
    worst_price: price,
    was_placed: wasPlaced(deps, proposal),
    expires_in_s: Math.max(0, Math.ceil((proposedAtMs + PROPOSAL_LIFE_MS - deps.clock.nowMs()) / MS_PER_S)),
  };
}

const MS_PER_S = 1000;

const UNKNOWN = "It may have been placed. Do not place it again under a new intent; ask `order` with this intent.";

const NOTES: Readonly<Record<Exclude<PlacedProposal["kind"], "order">, string>> = {
  unknown: UNKNOWN,
  no_such_intent: "There is no such intent. Nothing was placed by this.",
  not_yet_placed:
    "Nothing was placed from this intent yet. If a person has approved it and it was refused then, that person has to approve it again.",
  not_placed: "Nothing was placed from this intent, and nothing will be.",
  waiting_for_approval:
    "Nothing is placed yet: a person has to approve it within ten minutes. Ask `order` with this intent what became of it.",
  approval_refused: "A person has refused it. Nothing was placed, and nothing will be.",
  too_many_waiting: "Too many wait for a person's approval already. Nothing was placed.",
  unsettled:
    "An order in this market is not settled yet, so nothing was placed. Ask `order` about it, then place this.",
  refused: "The gateway has refused it. Nothing was placed.",
};

const BY_A_RAIL =
  "A limit of this key is in the way, and nothing was done: `refused` names it, what it allows, what this would have come to, and the largest size that passes where there is one.";

const REJECTED =
  "The exchange takes no such order; nothing was executed. Hold size and price against the rules that `market` tells.";

const ABSENT =
  "Nothing was executed, and nothing of it can be any more. No refusal of the exchange is known: it may never have got there, and its terms may be in order. If it is still wanted, propose it anew.";

async function tellPlaced(call: ToCall, placed: PlacedProposal): Promise<ToolOutcome> {
  if (placed.kind !== "order") {
    const outcome = placed.kind === "refused" ? placed.code : placed.kind;
    const result = placed.kind === "unsettled" ? await unsettled(call) : undefined;
    const refused = placed.kind === "refused" ? placed.rail : null;
    const note = refused === null ? NOTES[placed.kind] : BY_A_RAIL;
    return { outcome, note, refused, ...(result === undefined ? {} : { result }) };
  }
  const order: unknown = JSON.parse(placed.order);
  const status = isObject(order) ? order["status"] : null;
  if (status === "unknown") return { outcome: "unknown", note: UNKNOWN, result: order };
  if (status === "rejected") {
    const note = isProvenAbsent(call.deps, wordOf(order, "id")) ? ABSENT : REJECTED;
    return { outcome: "rejected", note, result: order };
  }
  return { outcome: "order", result: order };
}

async function unsettled({ within }: ToCall): Promise<unknown> {
  const { body } = await within({ method: "GET", path: "/v1/orders?status=unknown&limit=20" });
  return isObject(body) ? body["data"] : [];
}

function codeOf(body: unknown): string {
  const error = isObject(body) ? body["error"] : null;
  const code = isObject(error) ? error["code"] : null;
  return typeof code === "string" && isPlain(code) ? code : "unknown";
}

function textOf(given: GivenArguments, name: string): string {
  const value = given[name];
  return typeof value === "string" ? value : "";
}
