import type { Agent, Network } from "../core/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { findAgent, listAgents, markAgentApproved, retireAgent } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { parseExtraAgents } from "../wire/answer/account.ts";
import { classifyReply } from "../wire/answer/reply.ts";
import { type ApprovalAction, approvalBody, approvalDigest, approveAgent } from "../wire/approval.ts";
import { signerOf } from "../wire/grant.ts";
import { readSignature } from "../wire/signature.ts";
import { type Operator, OperatorError } from "./operator.ts";
import { tellApproved } from "./tell-agents.ts";

/** What the owner chose besides the agent: when the approval ends (null = as the exchange likes), for which chain. */
export type ApprovalTerms = { validUntilMs?: number | null; chainId?: number };

/** What the owner signed: the agent, and the nonce that the exchange was asked with (unix milliseconds). */
export type OwnersApproval = ApprovalTerms & { agentAddress: string; nonce: number; signature: string };

export type ApprovingOperator = Operator & { exchange: Pick<Exchange, "info" | "nowMs" | "send"> };

/** The action that the owner's wallet signs so that this agent may trade. */
export function approvalOf(
  network: Network,
  agent: Pick<Agent, "address" | "name">,
  nonce: number,
  { validUntilMs, chainId }: ApprovalTerms = {},
): ApprovalAction {
  // The exchange reads the end out of the name, and does not keep it there.
  const agentName = typeof validUntilMs === "number" ? `${agent.name} valid_until ${validUntilMs}` : agent.name;
  const terms = { network, agentAddress: agent.address, agentName, nonce };
  return approveAgent(chainId === undefined ? terms : { ...terms, chainId });
}

/** Sends the owner's approval to the exchange and stores it once the exchange has it. */
export async function approveOwnAgent(operator: ApprovingOperator, approval: OwnersApproval): Promise<Agent> {
  const agent = agentOf(operator, approval.agentAddress, operator.exchange.nowMs());
  const action = approvalOf(operator.network, agent, approval.nonce, approval);
  const signature = readSignature(approval.signature);
  const signer = signerOf(approvalDigest(action), approval.signature);
  if (signature === null || signer === null) {
    throw new OperatorError("the signature is not 65 bytes of ECDSA", { kind: "signature" });
  }
  if (signer !== agent.ownerAddress) {
    throw new OperatorError(
      `the signature is of ${signer}, or of other data; the owner is ${agent.ownerAddress}. Ask for "agent approval" again and sign exactly that`,
      { kind: "signature" },
    );
  }
  const isAccepted = await sendApproval(operator, approvalBody(action, signature));
  const validUntilMs = await readValidity(operator, agent, isAccepted);
  return storeApproval(operator, agent, validUntilMs);
}

/** Stores that the exchange knows this agent; an agent whose name it took over is no longer known there. */
export function storeApproval(operator: Operator, agent: Agent, validUntilMs: number | null): Agent {
  const approvedAtMs = operator.clock.nowMs();
  inTransaction(operator.store, (store) => {
    // The exchange was asked in between.
    if (findAgent(store, agent.address)?.state === "retired") {
      throw new OperatorError("this agent was retired meanwhile, and an agent key is never used again");
    }
    markAgentApproved(store, agent.address, { approvedAtMs, validUntilMs });
    const others = listAgents(store).filter(
      (other) => other.ownerAddress === agent.ownerAddress && other.name === agent.name && other.state === "approved",
    );
    for (const other of others) if (other.address !== agent.address) retireAgent(store, other.address);
    tellApproved(store, { ...agent, validUntilMs }, approvedAtMs);
    const detail = { name: agent.name, owner: agent.ownerAddress, valid_until: validUntilMs };
    appendAudit(store, {
      atMs: approvedAtMs,
      actor: "owner",
      event: "agent_approved",
      reference: agent.address,
      detail,
    });
  });
  return { ...agent, state: "approved", approvedAtMs, validUntilMs };
}

function agentOf(operator: Operator, address: string, nowMs: number): Agent {
  const found = findAgent(operator.store, address.toLowerCase());
  if (found === null) throw new OperatorError("this gateway has no agent with this address");
  if (found.state === "retired") throw new OperatorError("this agent is retired, and an agent key is never used again");
  if (found.validUntilMs !== null && found.validUntilMs <= nowMs) {
    throw new OperatorError("this agent's approval has ended, and an agent key is never used again: see agent rotate");
  }
  const { sealedKey: _sealed, ...agent } = found;
  return agent;
}

function notReached({ reason, waitS }: { reason: string; waitS?: number }): OperatorError {
  const why = waitS === undefined ? {} : { waitS };
  return new OperatorError(`the exchange cannot be reached: ${reason}`, { kind: "unreachable", ...why });
}

/** True when the exchange said yes, false when it may have; throws when it said no. */
export async function sendApproval(operator: ApprovingOperator, body: string): Promise<boolean> {
  const outcome = await operator.exchange.send(body, "order");
  if (outcome.kind === "not_sent") throw notReached(outcome);
  if (outcome.kind === "unknown") return false;
  const reply = classifyReply(outcome.httpStatus, outcome.body);
  if (reply.kind === "refused")
    throw new OperatorError(`the exchange refused: ${reply.text}`, { kind: "refused", text: reply.text });
  return reply.kind === "accepted";
}

/** Look-ups of an approval that was just sent. */
const MAX_LOOKS = 8;
const LOOK_PAUSE_MS = 500;

/** Until when the exchange lets the agent trade; null when it does not say. Throws when it does not know the agent. */
async function readValidity(operator: ApprovingOperator, agent: Agent, isAccepted: boolean): Promise<number | null> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    if (look > 0) await operator.clock.sleep(LOOK_PAUSE_MS);
    const answer = await operator.exchange.info(
      { type: "extraAgents", user: agent.ownerAddress },
      { purpose: "settle", onNewConnection: look > 0 },
    );
    const agents = answer.kind === "ok" ? parseExtraAgents(answer.json) : null;
    const found = agents?.find((known) => known.address === agent.address);
    if (found !== undefined) return found.validUntilMs;
  }
  if (isAccepted) return null;
  const text = `the exchange does not list ${agent.address}: it is not known whether the approval arrived`;
  throw new OperatorError(text, { kind: "unknown" });
}
