/** From a proposal to at most one order, whatever is lost between: its Idempotency-Key is its name. */
import { cloidOf } from "../../core/cloid.ts";
import { ApiError, type ErrorCode } from "../../core/errors.ts";
import { keyOfBot } from "../../core/idempotency.ts";
import { isConcludedAbsent } from "../../core/order.ts";
import { isLive, keyOfProposal, type Proposal, placedUntilMs, proposalStatus } from "../../core/proposal.ts";
import { memberName } from "../../core/rails/member-name.ts";
import { standingFault } from "../../core/rails/standing.ts";
import type { With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { botOf } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findKeyRecord } from "../../store/idempotency.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { railsOfKey } from "../../store/narrowings.ts";
import { askForApproval, countWaiting, findProposal } from "../../store/proposals.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { countEndedStops } from "../../store/stops.ts";
import type { Caller } from "../../write/caller.ts";
import { fingerprint } from "../../write/fingerprint.ts";
import { type RailInTheWay, RailRefused } from "../../write/gate.ts";
import { NoLongerWanted, OutcomeOpen } from "../../write/one-outcome.ts";
import { hookKey } from "../hooks/hook-key.ts";
import { findPlacedOrder, placeOrder, type ToPlaceOrder } from "../place-order.ts";
import { tellProposal } from "./tell-proposal.ts";

/** `order`: JSON text of the order as it was answered, with what is not known told as `unknown`. */
export type PlacedProposal =
  | { kind: "order"; order: string }
  | { kind: "unknown" | "no_such_intent" | "not_yet_placed" | "not_placed" | "unsettled" }
  | { kind: "waiting_for_approval" | "approval_refused" | "too_many_waiting" }
  | { kind: "refused"; code: ErrorCode; rail: RailInTheWay | null };

/** Of a bot, at one time: what a person can look through. */
const MAX_WAITING = 20;

/**
 * Places what this caller's bot or key has proposed, or asks for its approval. What was approved it tells, and does not place: a yes is
 * carried out when it is said, and what has come between, as a stop that is over, is for who says it again.
 */
export async function placeProposal(deps: ToPlaceOrder, caller: Caller, id: string): Promise<PlacedProposal> {
  const proposal = ownProposal(deps, caller, id);
  if (proposal === null) return { kind: "no_such_intent" };
  if (!needsApproval(deps, caller, proposal)) return send(deps, caller, proposal);
  switch (proposalStatus(proposal, deps.clock.nowMs())) {
    case "approved":
      return findPlaced(deps, caller, id);
    case "refused":
      return { kind: "approval_refused" };
    case "waiting":
      return { kind: "waiting_for_approval" };
    case "expired":
      return { kind: "not_placed" };
    case "proposed":
      return askPerson(deps, proposal);
  }
}

/** What became of it; nothing is placed by this. */
export async function findPlaced(deps: ToPlaceOrder, caller: Caller, id: string): Promise<PlacedProposal> {
  const proposal = ownProposal(deps, caller, id);
  if (proposal === null) return { kind: "no_such_intent" };
  const found = await findEarlier(deps, caller, proposal);
  if (found.kind !== "not_placed") return found;
  const nowMs = deps.clock.nowMs();
  const status = proposalStatus(proposal, nowMs);
  if (status === "waiting") return { kind: "waiting_for_approval" };
  if (status === "refused") return { kind: "approval_refused" };
  return { kind: isLive(proposal, nowMs) ? "not_yet_placed" : "not_placed" };
}

/** Places one that is approved just now, as the key that has proposed it and as long as that may act: the gate judges it anew. */
export async function placeApproved(deps: ToPlaceOrder, proposal: Proposal): Promise<PlacedProposal> {
  const { accountId, keyHash } = proposal;
  const acting = hookKey(deps.store, { accountId, keyHash });
  const account = findAccount(deps.store, accountId);
  if (acting === null || account === null) return { kind: "refused", code: "revoked_api_key", rail: null };
  const caller: Caller = {
    account,
    key: acting.key,
    reader: { reader: `approved ${keyHash}` },
    charge: () => undefined,
    isApproved: true,
  };
  const endedStops = () => countEndedStops(deps.store, accountId, keyHash);
  const before = endedStops();
  return send(deps, caller, proposal, () => endedStops() !== before);
}

function ownProposal({ store }: With<"store">, { account, key }: Caller, id: string): Proposal | null {
  const proposal = findProposal(store, id);
  if (proposal === null || proposal.accountId !== account.id) return null;
  const bot = botOf(store, key.keyHash);
  const isOwn = bot === null ? proposal.keyHash === key.keyHash : proposal.bot === bot;
  return isOwn ? proposal : null;
}

/** Of a key that may propose and lacks the verb itself. */
function needsApproval({ store }: With<"store">, { key }: Caller, { terms }: Proposal): boolean {
  const may = railsOfKey(store, key.keyHash)?.may ?? [];
  return may.includes("propose") && !may.includes(terms.reduceOnly ? "reduce" : "increase");
}

/** Nobody is asked about what no yes could have placed. */
function askPerson(deps: With<"clock" | "markets" | "store">, proposal: Proposal): PlacedProposal {
  const { clock, store } = deps;
  const nowMs = clock.nowMs();
  if (!isLive(proposal, nowMs)) return { kind: "not_placed" };
  const rail = railInTheWay(deps, proposal);
  if (rail !== null) return { kind: "refused", code: "rail_refused", rail };
  return inTransaction(store, (within): PlacedProposal => {
    if (countWaiting(within, proposal, nowMs) >= MAX_WAITING) return { kind: "too_many_waiting" };
    askForApproval(within, proposal, nowMs);
    tellProposal({ clock, store: within }, "proposal.created", { ...proposal, askedAtMs: nowMs });
    return { kind: "waiting_for_approval" };
  });
}

/** The rail of now that refuses it whatever the market does. */
function railInTheWay(
  { markets, store }: With<"markets" | "store">,
  { keyHash, terms }: Proposal,
): RailInTheWay | null {
  const rails = railsOfKey(store, keyHash);
  const { sizeDecimals = null } = markets.current()?.byName.get(terms.market) ?? {};
  const fault = rails === null ? null : standingFault(rails, terms, sizeDecimals);
  return fault === null ? null : { ...fault, rail: memberName(fault.rail) };
}

/** Too late it places nothing, and tells what was placed in time. */
async function send(
  deps: ToPlaceOrder,
  caller: Caller,
  proposal: Proposal,
  wasStopped: () => boolean = () => false,
): Promise<PlacedProposal> {
  if (!isLive(proposal, deps.clock.nowMs())) return findEarlier(deps, caller, proposal);
  const unattended = { untilMs: placedUntilMs(proposal), wasStopped };
  try {
    const { body } = await placeOrder(deps, { ...caller, unattended }, wantedOf(proposal));
    return { kind: "order", order: body };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // One that was taken before is none that was refused now.
    if (wasPlaced(deps, proposal)) return { kind: "unknown" };
    if (error instanceof NoLongerWanted) return { kind: "not_placed" };
    if (error instanceof OutcomeOpen) return { kind: "unsettled" };
    return { kind: "refused", code: error.code, rail: error instanceof RailRefused ? error.refused : null };
  }
}

/** After a restore it is looked for at the exchange as well. */
async function findEarlier(deps: ToPlaceOrder, caller: Caller, proposal: Proposal): Promise<PlacedProposal> {
  try {
    const answer = await findPlacedOrder(deps, caller, wantedOf(proposal));
    if (answer === null && awaitsTakeUp(deps.store, proposal.accountId)) return { kind: "unknown" };
    return answer === null ? { kind: "not_placed" } : { kind: "order", order: answer.body };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: "unknown" };
  }
}

function wantedOf(proposal: Proposal) {
  const { accountId, terms, bot } = proposal;
  const name = keyOfProposal(proposal);
  const print = fingerprint("proposal", null, { name });
  return { ...terms, accountId, idempotencyKey: keyOfBot(bot, name), fingerprint: print };
}

/** Whether an order was ever stored for it. */
export function wasPlaced({ store }: With<"store">, proposal: Proposal): boolean {
  return findKeyRecord(store, proposal.accountId, wantedOf(proposal).idempotencyKey) !== null;
}

/** Whether it is over because nothing shows it and nothing can come of it any more, and not by a refusal in words that are known. */
export function isProvenAbsent({ store }: With<"store">, orderId: string): boolean {
  const leg = findLegByCloid(store, cloidOf(orderId));
  return leg !== null && isConcludedAbsent(leg);
}
