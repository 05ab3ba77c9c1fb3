/** Small facts about an account: role, agents, limits, builders, abstraction. */
import type { VenueAgent } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { usdText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

const E8 = 100_000_000n;

/** Named agents only; expired ones stay listed, as they are still taken for a while. */
export const extraAgents = infoRequest({ user: required(address) }, ({ venue }, { user }) =>
  [...venue.agents.values()]
    .filter((agent) => agent.master === user && agent.name !== null && agent.removedAtMs === null)
    .map(agentRow),
);

function agentRow(agent: VenueAgent): unknown {
  return { name: agent.name, address: agent.address, validUntil: agent.validUntilMs };
}

export const userRole = infoRequest({ user: required(address) }, ({ venue }, { user }) => {
  const account = venue.accounts.get(user);
  if (account?.role === "subAccount") return { role: "subAccount", data: { master: account.master } };
  if (account !== undefined) return { role: "user" };
  const agent = venue.agents.get(user);
  if (agent !== undefined && agent.removedAtMs === null) return { role: "agent", data: { user: agent.master } };
  return { role: "missing" };
});

/** Actions that came with the address, before it has traded; then one more a dollar. */
export const userRateLimit = infoRequest({ user: required(address) }, (context, { user }) => {
  const account = accountOf(context, user);
  const volume = account?.volume ?? 0n;
  const used = account?.requests.used ?? 0;
  const cap = context.venue.options.requestAllowance + Number(volume / E8) + (account?.requests.reserved ?? 0);
  return { cumVlm: usdText(volume), nRequestsUsed: used, nRequestsCap: cap, nRequestsSurplus: 0 };
});

export const maxBuilderFee = infoRequest(
  { user: required(address), builder: required(address) },
  (context, { user, builder }) => accountOf(context, user)?.builderApprovals.get(builder) ?? 0,
);

export const approvedBuilders = infoRequest({ user: required(address) }, (context, { user }) =>
  [...(accountOf(context, user)?.builderApprovals ?? [])].filter(([, fee]) => fee > 0).map(([builder]) => builder),
);

/** A JSON string, not an object. */
export const userAbstraction = infoRequest(
  { user: required(address) },
  (context, { user }) => accountOf(context, user)?.mode ?? "default",
);

export const userDexAbstraction = infoRequest({ user: required(address) }, () => null);

export const exchangeStatus = infoRequest({}, ({ nowMs }) => ({ time: nowMs, specialStatuses: null }));

export const isVip = infoRequest({ user: required(address) }, (context, { user }) =>
  accountOf(context, user) === null ? null : false,
);

export const legalCheck = infoRequest({ user: required(address) }, () => ({
  acceptedTerms: true,
  userAllowed: true,
  restrictions: "n",
}));

export const preTransferCheck = infoRequest(
  { user: required(address), source: required(address) },
  (context, { user }) => {
    const account = accountOf(context, user);
    return {
      fee: account === null ? "1.0" : "0.0",
      isSanctioned: false,
      userExists: account !== null,
      userHasSentTx: (account?.requests.used ?? 0) > 0,
    };
  },
);
