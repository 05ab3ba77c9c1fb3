import type { AgentSlots } from "../core/agent-slots.ts";
import { countSubAccounts, parseExtraAgents } from "../wire/answer/account.ts";
import type { Exchange, Purpose } from "./exchange.ts";

/** With at most so many named agents any account has room for another, however few sub-accounts it has. */
const ROOM_IN_ANY = 2;

/** The named agents of an owner, and the number of sub-accounts, on which the number of agents depends. Never throws. */
export async function readAgentSlots(
  exchange: Pick<Exchange, "info">,
  owner: string,
  purpose: Purpose = "read",
): Promise<AgentSlots> {
  const answer = await exchange.info({ type: "extraAgents", user: owner }, { purpose });
  const listed = answer.kind === "ok" ? parseExtraAgents(answer.json) : null;
  if (listed === null || listed.length <= ROOM_IN_ANY) return { listed, subAccounts: null };
  const subs = await exchange.info({ type: "subAccounts", user: owner }, { purpose });
  return { listed, subAccounts: subs.kind === "ok" ? countSubAccounts(subs.json) : null };
}
