/**
 * The successor of an agent whose approval ends. The gateway makes its key by itself, one an owner, so that nobody needs
 * more than a key that may read to see what there is to sign; what makes it trade is the owner's signature alone.
 */
import type { Account, Agent } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { listAccounts } from "../store/accounts.ts";
import { findAgent, findSigningAgent, listAgents } from "../store/agents.ts";
import { approveOwnAgent } from "./approve-agent.ts";
import type { Keyring } from "./keyring.ts";
import { newAgent } from "./new-agent.ts";
import type { Operator } from "./operator.ts";
import { retireOwnAgent } from "./retire-agent.ts";
import { agentAction, approvalShown, type SignedTerms, signatureOf, stepOf, termsOfDays } from "./set-up/approvals.ts";
import type { StepOutcome } from "./set-up/outcome.ts";

/** From this many days before the end on a successor is made and offered. */
export const RENEWAL_DAYS = 14;
const DAY_MS = 24 * 60 * 60_000;

type RenewalLook = With<"agents" | "exchange" | "store">;

export type Renewal = {
  /** The agent that signs has less than `RENEWAL_DAYS` left, has none, or is not listed any more. */
  isDue: boolean;
  signing: Agent | null;
  /** The newest that waits for its owner's approval. */
  waiting: Agent | null;
};

export function renewalOf({ store, exchange, agents }: RenewalLook, ownerAddress: string): Renewal {
  const own = listAgents(store).filter((agent) => agent.ownerAddress === ownerAddress);
  const nowMs = exchange.nowMs();
  const signing = findSigningAgent(store, ownerAddress, nowMs);
  const waiting = own.findLast(({ state }) => state === "new") ?? null;
  return { isDue: isDue({ agents }, own, { signing, nowMs }), signing, waiting };
}

/** Not before there was one: the first is made with the account. Nor after one was retired by hand. */
function isDue(
  { agents }: Pick<RenewalLook, "agents">,
  own: readonly Agent[],
  { signing, nowMs }: { signing: Agent | null; nowMs: number },
): boolean {
  if (signing === null) return own.some(({ state }) => state === "approved");
  const { validUntilMs } = signing;
  const endsSoon = validUntilMs !== null && validUntilMs - nowMs <= RENEWAL_DAYS * DAY_MS;
  return endsSoon || agents.standing(signing.address) === "missing";
}

export type Preparing = RenewalLook & Operator & With<"log"> & { keyring: Keyring };

/** Makes the successors that are due and not made yet: at most one key an owner waits because of this. */
export function prepareSuccessors(preparing: Preparing): void {
  const owners = new Set(listAccounts(preparing.store).map(({ ownerAddress }) => ownerAddress));
  for (const owner of owners) {
    const { isDue: isWanted, waiting } = renewalOf(preparing, owner);
    if (!isWanted || waiting !== null) continue;
    const { address, name } = newAgent(preparing, owner, null, "gateway");
    preparing.log.warn({ agent: address, agent_name: name, owner }, "a new agent key waits for its owner's approval");
  }
}

/** What there is to renew, and what the owner would sign for it; nothing of it changes anything. */
export function describeRenewal(
  deps: With<"agents" | "clock" | "exchange" | "instance" | "store">,
  account: Account,
  asked: { chainId: number; validDays: number | null },
) {
  const { isDue: isWanted, signing, waiting } = renewalOf(deps, account.ownerAddress);
  const terms = termsOfDays(deps, asked);
  return {
    object: "agent_renewal" as const,
    account: account.id,
    is_due: isWanted,
    signing: signing === null ? null : shown(signing),
    waiting: waiting === null ? null : { address: waiting.address, name: waiting.name },
    approval:
      waiting === null
        ? null
        : approvalShown(account.ownerAddress, { terms, action: agentAction(deps, waiting, terms) }),
  };
}

function shown({ address, name, validUntilMs }: Agent) {
  return { address, name, valid_until: validUntilMs === null ? null : isoTime(validUntilMs) };
}

export type SignedRenewal = { agentAddress: string; terms: SignedTerms; signature: string };
export type ProvenRenewal = { agent: Agent; terms: SignedTerms; signature: string };

/** Throws unless the account's owner has signed just this approval of an agent that waits for it, or had it already. */
export function proveRenewal(deps: With<"instance" | "store">, account: Account, signed: SignedRenewal): ProvenRenewal {
  const found = findAgent(deps.store, signed.agentAddress);
  if (found === null || found.ownerAddress !== account.ownerAddress || found.state === "retired") {
    throw new ApiError("invalid_parameter", "No agent with this address waits for this account's owner.");
  }
  const { sealedKey: _sealed, ...agent } = found;
  const action = agentAction(deps, agent, signed.terms);
  return {
    agent,
    terms: signed.terms,
    signature: signatureOf(account.ownerAddress, { action, signature: signed.signature }),
  };
}

/** Hands the approval to the exchange, and retires who signed until then. Again after it was taken, it changes nothing. */
export async function renew(
  deps: With<"clock" | "exchange" | "instance" | "randomBytes" | "store">,
  keyring: Keyring | null,
  proven: ProvenRenewal,
): Promise<StepOutcome> {
  const { agent, terms, signature } = proven;
  if (findAgent(deps.store, agent.address)?.state === "approved") return DONE;
  const operator = { ...deps, network: deps.instance.network };
  const outcome = await stepOf(() => approveOwnAgent(operator, { ...terms, agentAddress: agent.address, signature }));
  if (outcome.status !== "succeeded") return outcome;
  for (const { address, ownerAddress, state } of listAgents(deps.store)) {
    const isOld = ownerAddress === agent.ownerAddress && state === "approved" && address !== agent.address;
    if (isOld) retireOwnAgent({ ...operator, keyring }, address, "owner");
  }
  return outcome;
}

const DONE: StepOutcome = { status: "succeeded", error: null, whatToDo: null };
