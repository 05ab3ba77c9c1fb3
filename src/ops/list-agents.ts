/** Our agents, each with what the exchange says of it now. */
import type { Agent } from "../core/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { listAgents } from "../store/agents.ts";
import type { Store } from "../store/open.ts";
import type { ExtraAgent } from "../wire/answer/account.ts";
import { readListed, seenOf } from "./watch-agents.ts";

export type ListedAgent = Agent & { atExchange: AtExchange };

export type AtExchange =
  | { kind: "approved"; untilMs: number | null }
  /** Another key has its name there: ours may not trade any more. */
  | { kind: "replaced"; by: string }
  | { kind: "not_known" }
  /** The exchange could not be asked. */
  | { kind: "not_asked" };

export async function listOwnAgents(store: Store, exchange: Pick<Exchange, "info">): Promise<ListedAgent[]> {
  const agents = listAgents(store).map(({ sealedKey: _sealed, ...agent }) => agent);
  const told: ListedAgent[] = [];
  for (const [owner, own] of Map.groupBy(agents, ({ ownerAddress }) => ownerAddress)) {
    const listed = await readListed(exchange, owner, { purpose: "read" });
    for (const agent of own) told.push({ ...agent, atExchange: await atExchange(exchange, agent, listed) });
  }
  return told;
}

async function atExchange(
  exchange: Pick<Exchange, "info">,
  agent: Agent,
  listed: readonly ExtraAgent[] | null,
): Promise<AtExchange> {
  if (listed === null) return { kind: "not_asked" };
  const own = listed.find(({ address }) => address === agent.address);
  if (own !== undefined) return { kind: "approved", untilMs: own.validUntilMs };
  const successor = listed.find(({ name }) => name === agent.name);
  if (successor !== undefined) return agent.approvedAtMs === null ? { kind: "not_known" } : replacedBy(successor);
  // One that never was approved is in no list, and asking for it costs most of what a command may spend.
  if (agent.approvedAtMs === null) return { kind: "not_known" };
  const seen = await seenOf(exchange, agent, listed);
  if (seen === null) return { kind: "not_asked" };
  return seen.standing === "listed" ? { kind: "approved", untilMs: seen.validUntilMs } : { kind: "not_known" };
}

function replacedBy({ address }: ExtraAgent): AtExchange {
  return { kind: "replaced", by: address };
}
