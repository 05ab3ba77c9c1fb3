/** /v1/proposals: orders of agents that only propose, and what a person says of each. */
import { decideByKey, decideByOwner, proveDecision } from "../actions/proposals/decide-proposal.ts";
import { listProposals } from "../actions/proposals/list-proposals.ts";
import type { Decision } from "../core/proposal.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_ORDER, EXAMPLE_SIGNATURE } from "./examples.ts";
import { provenRoute, type Route, readRoute, urgentRoute } from "./route.ts";
import { listOf } from "./schema/list.ts";
import { DecideBody, DecidedProposal, ProposalResource, SignedDecisionBody } from "./schema/proposal.ts";

const TAG = "Proposals";

const EXAMPLE_PROPOSAL = {
  id: "1795253400000-5f0c8a526f0e4f3b9c550e7d1b2a4c90",
  object: "proposal",
  account: EXAMPLE_ACCOUNT_ID,
  bot: "agent-1",
  key_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "waiting",
  in_words: "buy 0.001 BTC at 60000 or better (gtc)",
  market: "BTC",
  side: "buy",
  size: "0.001",
  price: "60000",
  time_in_force: "gtc",
  reduce_only: false,
  trigger: null,
  proposed_at: "2026-11-21T09:30:00.000Z",
  asked_at: "2026-11-21T09:30:02.000Z",
  expires_at: "2026-11-21T09:40:02.000Z",
  decided_at: null,
  decided_by: null,
  order_id: null,
};

const REFUSED = {
  ...EXAMPLE_PROPOSAL,
  status: "refused",
  decided_at: "2026-11-21T09:31:00.000Z",
  decided_by: "owner",
  outcome: "refused",
  order: null,
};

const APPROVED = { ...REFUSED, status: "approved", outcome: "order", order: EXAMPLE_ORDER, order_id: EXAMPLE_ORDER.id };

const ID = { description: "`id` of the proposal.", example: EXAMPLE_PROPOSAL.id };

const list = readRoute(
  {
    name: "list_proposals",
    method: "GET",
    path: "/v1/proposals",
    tag: TAG,
    summary: "List what waits for approval",
    description:
      "Orders that an agent with `may` `propose` and without the verb itself wants placed: those that wait, and what became of those before. Never more than one page, of the newest 100.",
    access: "trading:read",
    answers: [
      {
        status: 200,
        description: "Newest first.",
        schema: listOf(ProposalResource, "ProposalList"),
        example: { object: "list", data: [EXAMPLE_PROPOSAL], has_more: false, next_cursor: null },
      },
    ],
    errors: [],
  },
  (deps, caller) => ({ body: listProposals(deps, caller), asOfMs: null }),
);

const approve = byKey("approve", {
  summary: "Approve a proposal",
  description:
    "Takes a key with rails whose `may` is `approve` and nothing else. The order is placed at once, as the key that has proposed it and judged anew by its rails; a rail or a stop may still refuse it: see `outcome`. Repeated it is the same order. It needs no Idempotency-Key, and one changes nothing.",
  example: APPROVED,
});

const refuse = byKey("refuse", {
  summary: "Refuse a proposal",
  description: "Takes a key as `approve` does. Nothing is ever placed from it then. It needs no Idempotency-Key.",
  example: REFUSED,
});

type DecisionText = { summary: string; description: string; example: unknown };

function byKey(decision: Decision, { summary, description, example }: DecisionText): Route {
  return urgentRoute(
    {
      name: `${decision}_proposal`,
      method: "POST",
      path: `/v1/proposals/{id}/${decision}`,
      tag: TAG,
      summary,
      description,
      access: "trading:write",
      isUrgent: true,
      id: ID,
      body: DecideBody,
      bodyExample: {},
      isBodyOptional: true,
      answers: [{ status: 200, description: "It is decided, now or before.", schema: DecidedProposal, example }],
      errors: ["rail_refused", "proposal_not_found", "proposal_not_open"],
    },
    async (deps, caller, { id }) => {
      caller.charge("otherWrites");
      return { status: 200, body: await decideByKey(deps, caller, { proposalId: id, decision }), isReplay: false };
    },
  );
}

const decide = provenRoute(
  {
    name: "decide_on_proposal",
    method: "POST",
    path: "/v1/proposals/{id}/decide",
    tag: TAG,
    summary: "Decide on a proposal by the owner's signature",
    description:
      "Does what `approve` and `refuse` do. The owner signs `ProposalDecision` (`GET /v1/api-keys/typed-data`): this gateway's audience, the account, the id of the proposal, the order in the words of `in_words`, and the decision.",
    access: "owner_signature",
    id: ID,
    body: SignedDecisionBody,
    bodyExample: { account: EXAMPLE_ACCOUNT_ID, decision: "approve", signature: EXAMPLE_SIGNATURE },
    answers: [
      { status: 200, description: "It is decided, now or before.", schema: DecidedProposal, example: APPROVED },
    ],
    errors: ["proposal_not_found", "proposal_not_open"],
  },
  "revocation",
  (deps, { account, decision, signature }, id) => ({
    decision,
    proposal: proveDecision(deps, { accountId: account.toLowerCase(), proposalId: id, decision, signature }),
  }),
  (deps, _visit, { proposal, decision }) => decideByOwner(deps, proposal, decision),
);

export function proposalRoutes(): Route[] {
  return [list, approve, refuse, decide];
}
