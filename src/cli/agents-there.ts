/** The agents that an owner's account has at the exchange, as they are shown before the owner signs for another one. */
import type { Agent } from "../core/account.ts";
import { type AgentSlots, noticeOf } from "../core/agent-slots.ts";
import { readAgentSlots } from "../exchange/named-agents.ts";
import { connect } from "./change.ts";
import { columns, isoTime } from "./output.ts";
import type { Outside } from "./outside.ts";

export type AgentsThere = { facts: Readonly<Record<string, unknown>>; lines: readonly string[] };

type AskingAgents = { outside: Outside; exchangeUrl: string };

/** @param own addresses of the agents that this gateway has or had */
export async function agentsThere(
  { outside, exchangeUrl }: AskingAgents,
  wanted: Pick<Agent, "name" | "address" | "ownerAddress">,
  own: readonly string[],
): Promise<AgentsThere> {
  const slots = await readAgentSlots(connect(exchangeUrl, outside), wanted.ownerAddress);
  const notice = noticeOf(slots, wanted, own);
  const agents = slots.listed?.map(({ name, address, validUntilMs }) => ({
    name,
    address,
    is_own: own.includes(address),
    valid_until: validUntilMs === null ? null : isoTime(validUntilMs),
  }));
  const words = notice === null ? [] : [notice.isWarning ? `WARNING: ${notice.words}` : notice.words];
  return {
    facts: { exchange_agents: agents ?? null, notice: notice?.words ?? null, is_warning: notice?.isWarning ?? false },
    lines: [...listLines(slots, wanted.ownerAddress, own), ...words],
  };
}

function listLines({ listed }: AgentSlots, owner: string, own: readonly string[]): string[] {
  if (listed === null) return [];
  if (listed.length === 0) return [`The exchange lists no named agent of ${owner}.`];
  const rows = listed.map(({ name, address, validUntilMs }) => [
    `  ${name}`,
    address,
    `until ${isoTime(validUntilMs)}`,
    own.includes(address) ? "this gateway's" : "not of this gateway",
  ]);
  return [`The exchange lists these agents of ${owner}:`, ...columns(rows)];
}
