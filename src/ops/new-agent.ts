import type { Agent } from "../core/account.ts";
import { findAgent, insertAgent, listAgents, type StoredAgent } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { hasRestores } from "../store/restores.ts";
import { isAgentName, makeAgentKey, nextAgentName } from "../vault/agent-keys.ts";
import type { Keyring } from "./keyring.ts";
import { agentPrefixOf } from "./name-agents.ts";
import { type Operator, OperatorError } from "./operator.ts";

/**
 * Makes an agent key for an owner. It trades once the owner has approved it; until then the one before does. With
 * `replaces` it takes the name of that agent, which the exchange forgets with the approval: for a key that leaked.
 */
export function newAgent(
  operator: Operator & { keyring: Keyring },
  ownerAddress: string,
  replaces: string | null = null,
  actor: "operator" | "gateway" = "operator",
): Agent {
  const { store } = operator;
  const waiting = listAgents(store).filter((agent) => agent.ownerAddress === ownerAddress && agent.state === "new");
  if (waiting.length >= MAX_WAITING) {
    throw new OperatorError(`${MAX_WAITING} agents wait for their approval: approve or retire one first`);
  }
  const name = replaces === null ? nextNameOf(store, ownerAddress) : nameOf(store, ownerAddress, replaces);
  const made = sealedAgent(operator, operator.keyring, { ownerAddress, name });
  inTransaction(operator.store, (store) => storeAgent(store, made, actor));
  operator.keyring.reload();
  const { sealedKey: _sealed, ...agent } = made;
  return agent;
}

/** Agent keys of one owner that wait for an approval. */
const MAX_WAITING = 8;

/** The name that the owner's next agent gets: a slot that is free, else the oldest one. */
export function nextNameOf(store: Store, ownerAddress: string): string {
  return nameAfterRestore(store, ownerAddress) ?? nextAgentName(agentPrefixOf(store), namesInUse(store, ownerAddress));
}

function nameOf(store: Store, ownerAddress: string, address: string): string {
  const found = findAgent(store, address);
  if (found?.ownerAddress !== ownerAddress) throw new OperatorError(`this owner has no agent ${address}`);
  if (!isAgentName(found.name)) throw new OperatorError(`the exchange knows ${address} without a name`);
  return found.name;
}

const KEY_BYTES = 32;
/** Draws; one already succeeds but for one time in 2^128. */
const MAX_DRAWS = 4;

/** A new agent with its key sealed; the key itself is forgotten here. */
export function sealedAgent(
  { clock, randomBytes }: Pick<Operator, "clock" | "randomBytes">,
  { seal }: Pick<Keyring, "seal">,
  { ownerAddress, name }: Pick<Agent, "ownerAddress" | "name">,
): StoredAgent {
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const made = makeAgentKey(randomBytes(KEY_BYTES));
    if (made === null) continue;
    const sealedKey = seal({ address: made.address, ownerAddress }, made.privateKey);
    made.privateKey.fill(0);
    const times = { createdAtMs: clock.nowMs(), approvedAtMs: null, validUntilMs: null };
    return { address: made.address, ownerAddress, name, state: "new", ...times, sealedKey };
  }
  throw new Error("bug: the random source makes no keys");
}

/** For callers that are in a transaction already. */
export function storeAgent(store: Store, agent: StoredAgent, actor: "operator" | "gateway" = "operator"): void {
  insertAgent(store, agent);
  const detail = { name: agent.name, owner: agent.ownerAddress };
  appendAudit(store, {
    atMs: agent.createdAtMs,
    actor,
    event: "agent_made",
    reference: agent.address,
    detail,
  });
}

/**
 * After a restore the last name again: its approval ends the lost machine's agent at the exchange. Null where an agent
 * still trades.
 */
function nameAfterRestore(store: Store, ownerAddress: string): string | null {
  const own = listAgents(store).filter((agent) => agent.ownerAddress === ownerAddress);
  if (!hasRestores(store) || own.some((agent) => agent.state === "approved")) return null;
  const approved = own.filter((agent) => agent.approvedAtMs !== null);
  return approved.sort((a, b) => (a.approvedAtMs ?? 0) - (b.approvedAtMs ?? 0)).at(-1)?.name ?? null;
}

/** Oldest first. A key that was made and never approved holds no slot at the exchange. */
function namesInUse(store: Store, ownerAddress: string): string[] {
  const approved = listAgents(store).filter(
    (agent) => agent.ownerAddress === ownerAddress && agent.state === "approved",
  );
  return approved.map((agent) => agent.name);
}
