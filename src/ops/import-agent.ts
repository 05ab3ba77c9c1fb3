import type { Agent } from "../core/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { listAccounts } from "../store/accounts.ts";
import { insertAgent, isAgentAddress, type StoredAgent } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { addressOfKey } from "../vault/signers.ts";
import { parseExtraAgents, parseUserRole } from "../wire/answer/account.ts";
import type { Keyring } from "./keyring.ts";
import { nextNameOf } from "./new-agent.ts";
import { type Operator, OperatorError } from "./operator.ts";
import { tellApproved } from "./tell-agents.ts";

export type ImportingOperator = Operator & { keyring: Keyring; exchange: Pick<Exchange, "info"> };

/** Name of an agent that was approved without one; no name that the exchange would take. */
const UNNAMED = "(unnamed)";

/**
 * Takes in an agent key that was made elsewhere. Only what can be nothing but an agent is taken: a key of an account,
 * or one that the exchange knows in any other role, could move money, and one that was used here before could have its
 * old actions played again.
 */
export async function importAgent(
  operator: ImportingOperator,
  wanted: { ownerAddress: string; privateKey: Uint8Array },
): Promise<Agent> {
  const { ownerAddress, privateKey } = wanted;
  const address = addressOf(privateKey);
  refuseOwnKeys(operator, address);
  const standing = await standingOf(operator, { address, ownerAddress });
  const nowMs = operator.clock.nowMs();
  const agent: StoredAgent = {
    address,
    ownerAddress,
    name: standing?.name ?? nextNameOf(operator.store, ownerAddress),
    state: standing === null ? "new" : "approved",
    createdAtMs: nowMs,
    approvedAtMs: standing === null ? null : nowMs,
    validUntilMs: standing?.validUntilMs ?? null,
    sealedKey: operator.keyring.seal({ address, ownerAddress }, privateKey),
  };
  privateKey.fill(0);
  inTransaction(operator.store, (store) => {
    // Once more: an account may have come while the exchange was asked.
    refuseOwnKeys({ ...operator, store }, address);
    insertAgent(store, agent);
    const detail = { name: agent.name, owner: ownerAddress, state: agent.state };
    appendAudit(store, { atMs: nowMs, actor: "operator", event: "agent_imported", reference: address, detail });
    if (agent.state === "approved") tellApproved(store, agent, nowMs);
  });
  operator.keyring.reload();
  const { sealedKey: _sealed, ...rest } = agent;
  return rest;
}

function addressOf(privateKey: Uint8Array): string {
  try {
    return addressOfKey(privateKey);
  } catch {
    throw new OperatorError("this is no private key");
  }
}

function refuseOwnKeys({ store }: Operator, address: string): void {
  if (isAgentAddress(store, address)) {
    throw new OperatorError(`${address} is or was an agent here, and an agent key is never used twice`);
  }
  const accounts = listAccounts(store).flatMap(({ ownerAddress, tradingAddress }) => [ownerAddress, tradingAddress]);
  if (accounts.includes(address)) {
    throw new OperatorError(`${address} is an account's own address: its key can move money and is never taken`);
  }
}

type ImportStanding = { name: string; validUntilMs: number | null };

/** How the owner has approved it, or null when the exchange does not know it. Throws for every other role. */
async function standingOf(
  { exchange }: ImportingOperator,
  { address, ownerAddress }: Pick<Agent, "address" | "ownerAddress">,
): Promise<ImportStanding | null> {
  const answer = await exchange.info({ type: "userRole", user: address }, { purpose: "settle" });
  const role = answer.kind === "ok" ? parseUserRole(answer.json) : null;
  if (role === null) throw new OperatorError("the exchange cannot be asked what this key is; nothing was taken");
  if (role.role === "missing") return null;
  if (role.role !== "agent") {
    throw new OperatorError(`to the exchange ${address} is a ${role.role}, not an agent: its key is never taken`);
  }
  if (role.user !== ownerAddress)
    throw new OperatorError(`${address} is an agent of ${role.user}, not of ${ownerAddress}`);
  const listed = await exchange.info({ type: "extraAgents", user: ownerAddress }, { purpose: "settle" });
  const agents = listed.kind === "ok" ? parseExtraAgents(listed.json) : null;
  const found = agents?.find((known) => known.address === address);
  return { name: found?.name ?? UNNAMED, validUntilMs: found?.validUntilMs ?? null };
}
