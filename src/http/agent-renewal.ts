/** /v1/agent-renewal: the agent key that comes after the one that signs. */

import { findAccountFor } from "../actions/find-account.ts";
import { ApiError } from "../core/errors.ts";
import { describeRenewal, type ProvenRenewal, proveRenewal, renew } from "../ops/renew-agent.ts";
import type { StepOutcome } from "../ops/set-up/outcome.ts";
import { chainIdIn, termsOf, validDaysIn } from "./approval-terms.ts";
import { EXAMPLE_ACCOUNT_ID } from "./examples.ts";
import { provenRoute, type Route, readRoute } from "./route.ts";
import { RenewalBody, RenewalOutcomeResource, RenewalResource } from "./schema/agent-renewal.ts";
import { ChainIdParameter, ValidDaysParameter } from "./schema/setup.ts";
import { EXAMPLE_RENEWAL, EXAMPLE_RENEWAL_OUTCOME, EXAMPLE_SIGNED_APPROVAL } from "./setup-examples.ts";

const TAG = "Status";

const describe = readRoute(
  {
    name: "get_agent_renewal",
    method: "GET",
    path: "/v1/agent-renewal",
    tag: TAG,
    summary: "The agent that signs, its successor, and what the owner signs for that",
    description:
      "From 14 days before the end of an approval on the gateway makes the next key by itself. It trades once the owner has signed; the old one serves until then.",
    access: "trading:read",
    query: { chain_id: ChainIdParameter, valid_days: ValidDaysParameter },
    answers: [{ status: 200, description: "It.", schema: RenewalResource, example: EXAMPLE_RENEWAL }],
    errors: [],
  },
  (deps, caller, { query }) => {
    const asked = { chainId: chainIdIn(query), validDays: validDaysIn(query) };
    return { body: JSON.stringify(describeRenewal(deps, caller.account, asked)), asOfMs: null };
  },
);

const send = provenRoute<typeof RenewalBody, ProvenRenewal>(
  {
    name: "renew_agent",
    method: "POST",
    path: "/v1/agent-renewal",
    tag: TAG,
    summary: "Hand the owner's approval of the next agent to the exchange",
    description:
      "Once the exchange has it the new agent signs, and the one before it never again. The same body again changes nothing.",
    access: "owner_signature",
    body: RenewalBody,
    bodyExample: { account: EXAMPLE_ACCOUNT_ID, agent: EXAMPLE_RENEWAL.waiting.address, ...EXAMPLE_SIGNED_APPROVAL },
    answers: [
      {
        status: 200,
        description: "What became of it.",
        schema: RenewalOutcomeResource,
        example: EXAMPLE_RENEWAL_OUTCOME,
      },
    ],
    errors: ["exchange_rate_limited", "exchange_unreachable", "not_ready", "draining"],
  },
  "registration",
  (deps, { account, agent, signature, ...terms }) =>
    proveRenewal(deps, findAccountFor(deps, account), {
      agentAddress: agent.toLowerCase(),
      terms: termsOf(terms),
      signature,
    }),
  async (deps, visit, proven) => {
    if (deps.state.phase === "draining")
      throw new ApiError("draining", "The gateway is shutting down. Nothing was sent.");
    return JSON.stringify(renewalOutcome(await renew(deps, visit.settingUp?.keyring ?? null, proven)));
  },
);

export function renewalOutcome({ status, error, whatToDo }: StepOutcome) {
  return { object: "agent_renewal_outcome" as const, status, error, what_to_do: whatToDo };
}

export function agentRenewalRoutes(): Route[] {
  return [describe, send];
}
