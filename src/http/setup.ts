/** /v1/setup: what the page needs between an empty gateway and its first key. */
import type { TSchema } from "@sinclair/typebox";
import { viewAddress } from "../actions/view-address.ts";
import { ApiError, type ErrorCode } from "../core/errors.ts";
import {
  describeAgentApproval,
  describeBuilderApproval,
  lookAgain,
  sendAgentApproval,
  sendBuilderApproval,
} from "../ops/set-up/approvals.ts";
import { chooseOwner } from "../ops/set-up/choose-owner.ts";
import { finishSetup, skipBuilder } from "../ops/set-up/finish.ts";
import type { StepOutcome } from "../ops/set-up/outcome.ts";
import type { SettingUp } from "../ops/set-up/setting-up.ts";
import { agentWantedFor } from "../ops/set-up/setting-up.ts";
import { setupState } from "../ops/set-up/state.ts";
import type { SetupSession } from "../ops/set-up/tokens.ts";
import { chainIdIn, termsOf, validDaysIn } from "./approval-terms.ts";
import { EXAMPLE_KEY_HASH } from "./examples.ts";
import type { Query } from "./query.ts";
import type { Route } from "./route.ts";
import {
  AddressParameter,
  ApprovalBody,
  ApprovalResource,
  ChainIdParameter,
  ClaimBody,
  ExchangeViewResource,
  NoBody,
  OwnerBody,
  SetupOutcomeResource,
  SetupResource,
  ValidDaysParameter,
} from "./schema/setup.ts";
import {
  EXAMPLE_APPROVAL,
  EXAMPLE_EXCHANGE_VIEW,
  EXAMPLE_OWNER,
  EXAMPLE_SETUP,
  EXAMPLE_SETUP_OUTCOME,
  EXAMPLE_SIGNED_APPROVAL,
} from "./setup-examples.ts";
import { claimRoute, setupReadRoute, setupStepRoute } from "./setup-route.ts";

const STATE = { status: 200, description: "How far it is.", schema: SetupResource, example: EXAMPLE_SETUP } as const;

const claim = claimRoute(
  {
    name: "claim_setup",
    method: "POST",
    path: "/v1/setup/claim",
    tag: "Set-up",
    access: "setup_link",
    summary: "Trade a one-time link for a session",
    description:
      "The page makes a token of its own and sends its hash; from then on it shows that token. The same link with the same hash again gives the same session; with another it is refused. A session ends when the set-up is finished, or after 30 minutes without a question.",
    body: ClaimBody,
    bodyExample: { session_hash: EXAMPLE_KEY_HASH },
    answers: [STATE],
    errors: [],
  },
  async (setting, session) => JSON.stringify(setupState(setting, session)),
);

const state = setupReadRoute(
  {
    name: "get_setup",
    method: "GET",
    path: "/v1/setup",
    tag: "Set-up",
    access: "setup_session",
    summary: "How far the set-up is",
    answers: [STATE],
    errors: [],
  },
  async (setting, session) => {
    await lookAgain(setting);
    return JSON.stringify(setupState(setting, session));
  },
);

const view = setupReadRoute(
  {
    name: "view_address",
    method: "GET",
    path: "/v1/setup/exchange-view",
    tag: "Set-up",
    access: "setup_session",
    summary: "What the exchange shows of an address",
    query: { address: AddressParameter },
    answers: [{ status: 200, description: "It.", schema: ExchangeViewResource, example: EXAMPLE_EXCHANGE_VIEW }],
    errors: ["exchange_rate_limited", "exchange_unreachable", "missing_parameter"],
  },
  (setting, _session, query) => {
    const { address, wanted } = agentWantedFor(setting, required(query, "address"));
    return viewAddress(setting, address, wanted);
  },
);

const owner = step("choose_owner", "/v1/setup/owner", {
  summary: "Say whose account it is: makes the account and its agent key",
  body: OwnerBody,
  bodyExample: EXAMPLE_OWNER,
  errors: [],
  run: (setting, body) => chooseOwner(setting, { address: body.address, label: body.label ?? "main" }),
});

const agentApproval = setupReadRoute(
  {
    name: "get_agent_approval",
    method: "GET",
    path: "/v1/setup/agent-approval",
    tag: "Set-up",
    access: "setup_session",
    summary: "What the owner signs so that the agent may trade",
    query: { chain_id: ChainIdParameter, valid_days: ValidDaysParameter },
    answers: [{ status: 200, description: "It.", schema: ApprovalResource, example: EXAMPLE_APPROVAL }],
    errors: [],
  },
  (setting, _session, query) => {
    const asked = { chainId: chainIdIn(query), validDays: validDaysIn(query) };
    return JSON.stringify(describeAgentApproval(setting, asked));
  },
);

const approveAgent = step("send_agent_approval", "/v1/setup/agent-approval", {
  summary: "Hand the signed approval of the agent to the exchange",
  body: ApprovalBody,
  bodyExample: EXAMPLE_SIGNED_APPROVAL,
  errors: ["invalid_signature", "exchange_rate_limited", "exchange_unreachable"],
  run: (setting, body) => sendAgentApproval(setting, { terms: termsOf(body), signature: body.signature }),
});

const builderApproval = setupReadRoute(
  {
    name: "get_builder_approval",
    method: "GET",
    path: "/v1/setup/builder-approval",
    tag: "Set-up",
    access: "setup_session",
    summary: "What the owner signs so that the builder may take its fee",
    query: { chain_id: ChainIdParameter },
    answers: [{ status: 200, description: "It.", schema: ApprovalResource, example: EXAMPLE_APPROVAL }],
    errors: [],
  },
  (setting, _session, query) => JSON.stringify(describeBuilderApproval(setting, chainIdIn(query))),
);

const approveBuilder = step("send_builder_approval", "/v1/setup/builder-approval", {
  summary: "Hand the signed approval of the builder fee to the exchange",
  body: ApprovalBody,
  bodyExample: EXAMPLE_SIGNED_APPROVAL,
  errors: ["invalid_signature", "exchange_rate_limited", "exchange_unreachable"],
  run: (setting, body) => sendBuilderApproval(setting, { terms: termsOf(body), signature: body.signature }),
});

const skip = step("skip_builder", "/v1/setup/builder-skip", {
  summary: "Go on without the builder fee",
  body: NoBody,
  bodyExample: {},
  errors: [],
  run: async (setting) => skipBuilder(setting),
});

const finish = step("finish_setup", "/v1/setup/finish", {
  summary: "End the set-up for good",
  body: NoBody,
  bodyExample: {},
  errors: [],
  run: async (setting, _body, session) => finishSetup(setting, session),
});

type SetupStepText<Body extends TSchema> = {
  summary: string;
  body: Body;
  bodyExample: unknown;
  errors: readonly ErrorCode[];
  run(
    setting: SettingUp,
    body: Parameters<Parameters<typeof setupStepRoute<Body>>[1]>[2],
    session: SetupSession,
  ): Promise<StepOutcome>;
};

function step<Body extends TSchema>(name: string, path: `/${string}`, { run, ...about }: SetupStepText<Body>): Route {
  const answer = { description: "What became of it.", schema: SetupOutcomeResource, example: EXAMPLE_SETUP_OUTCOME };
  const answers = [{ status: 200, ...answer }] as const;
  return setupStepRoute(
    { ...about, name, path, method: "POST", tag: "Set-up", access: "setup_session", answers },
    async (setting, session, body) => {
      const outcome = await run(setting, body, session);
      return JSON.stringify(setupOutcome(outcome, setupState(setting, session)));
    },
  );
}

export function setupOutcome({ status, error, whatToDo }: StepOutcome, setup: ReturnType<typeof setupState>) {
  return { object: "setup_outcome" as const, status, error, what_to_do: whatToDo, setup };
}

function required(query: Query, name: string): string {
  const value = query.get(name);
  if (value === null) throw new ApiError("missing_parameter", `${name} is required.`);
  return value;
}

export function setupRoutes(): Route[] {
  return [claim, state, view, owner, agentApproval, approveAgent, builderApproval, approveBuilder, skip, finish];
}
