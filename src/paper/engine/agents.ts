/** Agent wallets: approved by the owner, replaced, removed, expired. */
import type { VenueReply } from "./action.ts";
import type { Address, Venue, VenueAccount, VenueAgent } from "./state.ts";
import type { Turn } from "./turn.ts";

const DAY_MS = 86_400_000;
const DEFAULT_VALIDITY_MS = 90 * DAY_MS;
const MAX_VALIDITY_MS = 180 * DAY_MS;
const NAMED_AGENTS = 3;
const NAMED_AGENTS_PER_SUB_ACCOUNT = 2;
const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const VALID_UNTIL = / valid_until ([0-9]{1,16})$/;

/** Whom a signer acts for, or the text of the refusal. */
export type Principal = { kind: "account"; account: VenueAccount } | { kind: "refused"; text: string };

export function principalOf(venue: Venue, signer: Address, nowMs: number): Principal {
  const agent = venue.agents.get(signer);
  const address = agent === undefined ? signer : agent.master;
  const account = venue.accounts.get(address);
  if (agent !== undefined && account !== undefined) return principalOfAgent(venue, agent, account, nowMs);
  if (account !== undefined) return { kind: "account", account };
  return { kind: "refused", text: `User or API Wallet ${signer} does not exist.` };
}

/** A removed agent is answered about its master for a while; expiry is enforced late. */
function principalOfAgent(venue: Venue, agent: VenueAgent, account: VenueAccount, nowMs: number): Principal {
  if (agent.removedAtMs !== null) {
    const isFresh = nowMs < agent.removedAtMs + venue.options.removedAgentGraceMs;
    const text = isFresh
      ? `Must deposit before performing actions. User: ${agent.master}`
      : `User or API Wallet ${agent.address} does not exist.`;
    return { kind: "refused", text };
  }
  if (nowMs <= agent.validUntilMs + venue.options.agentExpiryGraceMs) return { kind: "account", account };
  return { kind: "refused", text: `User or API Wallet ${agent.address} does not exist.` };
}

/** Agents that may act now, expired ones that are still accepted included. */
export function agentsOf(venue: Venue, master: Address): VenueAgent[] {
  return [...venue.agents.values()].filter((agent) => agent.master === master && agent.removedAtMs === null);
}

type NamedApproval = { name: string | null; validUntilMs: number };

function parseName(text: string | null, nowMs: number): NamedApproval {
  const match = text === null ? null : VALID_UNTIL.exec(` ${text}`);
  const validUntilMs = match === null ? nowMs + DEFAULT_VALIDITY_MS : Number(match[1]);
  const name = (text ?? "").replace(VALID_UNTIL, "");
  const isUnnamed = name === "" || (match !== null && ` ${text}` === match[0]);
  return { name: isUnnamed ? null : name, validUntilMs };
}

export function approveAgent(
  turn: Turn,
  account: VenueAccount,
  address: Address,
  agentName: string | null,
): VenueReply {
  const wanted = parseName(agentName, turn.nowMs);
  const fault = approvalFault(turn, account, address, wanted);
  if (fault !== null) return { status: "err", response: fault };
  const before = agentsOf(turn.venue, account.address).find((agent) => agent.name === wanted.name);
  if (before !== undefined) before.removedAtMs = turn.nowMs;
  if (address === ZERO_ADDRESS) account.agentRemovalUntilMs = turn.nowMs + turn.venue.options.agentRemovalPendingMs;
  else {
    turn.venue.agents.set(address, {
      address,
      master: account.address,
      ...wanted,
      approvedAtMs: turn.nowMs,
      removedAtMs: null,
    });
  }
  return { status: "ok", response: { type: "default" } };
}

function approvalFault(turn: Turn, account: VenueAccount, address: Address, wanted: NamedApproval): string | null {
  const { venue, nowMs } = turn;
  if (nowMs < account.agentRemovalUntilMs) return "User has pending agent removal";
  if (address === ZERO_ADDRESS) return null;
  if (wanted.validUntilMs <= nowMs || wanted.validUntilMs > nowMs + MAX_VALIDITY_MS) {
    return "Agent valid_until already expired.";
  }
  if (venue.agents.has(address) || venue.accounts.has(address)) return "Extra agent already used.";
  if (wanted.name === null) return null;
  const named = agentsOf(venue, account.address).filter((agent) => agent.name !== null);
  const limit = NAMED_AGENTS + NAMED_AGENTS_PER_SUB_ACCOUNT * account.subAccounts.length;
  if (named.length < limit || named.some((agent) => agent.name === wanted.name)) return null;
  return `Too many extra agents for cumulative volume traded. Current limit is ${limit}`;
}
