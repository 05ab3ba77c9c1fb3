/** A person, or a key that may do nothing else, says of one proposal whether it is placed. */
import { ApiError } from "../../core/errors.ts";
import { type Decision, inWords, type Proposal, proposalStatus } from "../../core/proposal.ts";
import type { orderResource } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import { railsOfKey } from "../../store/narrowings.ts";
import { findProposal, decideProposal as storeDecision } from "../../store/proposals.ts";
import { proposalDigest, signerOf } from "../../wire/grant.ts";
import type { Caller } from "../../write/caller.ts";
import { signedAccount } from "../find-account.ts";
import type { ToPlaceOrder } from "../place-order.ts";
import { proposalShown } from "./list-proposals.ts";
import { type PlacedProposal, placeApproved } from "./place-proposal.ts";
import { tellProposal } from "./tell-proposal.ts";

export type WantedDecision = { proposalId: string; decision: Decision };

/** By an API key: throws `rail_refused` where its `may` does not name `approve`. */
export function decideByKey(deps: ToPlaceOrder, { account, key }: Caller, wanted: WantedDecision): Promise<string> {
  if (railsOfKey(deps.store, key.keyHash)?.may.includes("approve") !== true) {
    throw new ApiError("rail_refused", "Only a key whose `may` names approve decides on proposals. Nothing was sent.");
  }
  return decide(deps, requireProposal(deps, account.id, wanted.proposalId), { ...wanted, actor: key.keyHash });
}

export type SignedDecision = WantedDecision & { accountId: string; signature: string };

/** Whose signature it is: throws `invalid_signature` unless the account's owner has signed just this order and word. */
export function proveDecision(deps: With<"settings" | "store">, signed: SignedDecision): Proposal {
  const { accountId, proposalId, decision, signature } = signed;
  const account = signedAccount(deps, accountId);
  const proposal = findProposal(deps.store, proposalId);
  const isOwn = proposal !== null && proposal.accountId === accountId;
  const order = isOwn ? inWords(proposal.terms) : "";
  const { audience } = deps.settings;
  const signer = signerOf(proposalDigest({ audience, accountId, proposalId, order, decision }), signature);
  if (signer === account.ownerAddress && isOwn) return proposal;
  throw new ApiError(
    "invalid_signature",
    "signature is not the account owner's signature of this decision on this order for this gateway (65 bytes, or 64 as EIP-2098 has it; low s).",
  );
}

export function decideByOwner(deps: ToPlaceOrder, proposal: Proposal, decision: Decision): Promise<string> {
  return decide(deps, proposal, { decision, actor: "owner" });
}

/** By whoever is at the machine. */
export function decideByOperator(deps: ToPlaceOrder, { proposalId, decision }: WantedDecision): Promise<string> {
  const proposal = findProposal(deps.store, proposalId);
  if (proposal === null || proposal.askedAtMs === null) throw notFound();
  return decide(deps, proposal, { decision, actor: "operator" });
}

function requireProposal({ store }: With<"store">, accountId: string, id: string): Proposal {
  const proposal = findProposal(store, id);
  if (proposal === null || proposal.accountId !== accountId || proposal.askedAtMs === null) throw notFound();
  return proposal;
}

function notFound(): ApiError {
  return new ApiError("proposal_not_found", "No such proposal waits for approval, or has.");
}

type Decided = { decision: Decision; actor: string };

/** Said again it is the same; what was approved is placed at once, or tried again while it lives. */
async function decide(deps: ToPlaceOrder, { id }: Proposal, { decision, actor }: Decided): Promise<string> {
  const atMs = deps.clock.nowMs();
  const decided = inTransaction(deps.store, (store) => {
    const now = findProposal(store, id);
    if (now === null) throw notFound();
    const status = proposalStatus(now, atMs);
    if (status !== "waiting") {
      if (now.decision !== decision) throw notOpen(status);
      return now;
    }
    storeDecision(store, now, { decision, actor, atMs });
    const after = findProposal(store, id) ?? now;
    tellProposal({ clock: deps.clock, store }, "proposal.updated", after);
    return after;
  });
  const placed = decided.decision === "approve" ? await placeApproved(deps, decided) : null;
  return JSON.stringify(decidedShown(deps, decided, placed));
}

function notOpen(status: string): ApiError {
  return new ApiError(
    "proposal_not_open",
    `This proposal is ${status}: it cannot be decided any more. Nothing was sent.`,
  );
}

export function decidedShown(deps: With<"clock" | "store">, proposal: Proposal, placed: PlacedProposal | null) {
  return { ...proposalShown(deps, proposal), ...told(placed) };
}

/** In one word, and the order where there is one. */
function told(placed: PlacedProposal | null): { outcome: string; order: ReturnType<typeof orderResource> | null } {
  if (placed === null) return { outcome: "refused", order: null };
  // It was written by the same function.
  if (placed.kind === "order") return { outcome: "order", order: JSON.parse(placed.order) };
  return { outcome: placed.kind === "refused" ? placed.code : placed.kind, order: null };
}
