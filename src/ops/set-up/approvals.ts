/** The two things that the owner's wallet signs for the exchange: let our agent trade, let a builder take a fee. */
import type { Account, Agent } from "../../core/account.ts";
import { ApiError } from "../../core/errors.ts";
import { isoTime } from "../../core/resource.ts";
import { OUT_OF_WEIGHT } from "../../settle/pre-trade/obstacles.ts";
import { findAgent } from "../../store/agents.ts";
import { parseExtraAgents } from "../../wire/answer/account.ts";
import {
  type ApprovalAction,
  approvalBody,
  approvalDigest,
  approvalTypedData,
  approveBuilderFee,
} from "../../wire/approval.ts";
import { signerOf } from "../../wire/grant.ts";
import { normalisedSignature, readSignature } from "../../wire/signature.ts";
import { walletForm } from "../../wire/wallet-form.ts";
import { approvalOf, approveOwnAgent, sendApproval, storeApproval } from "../approve-agent.ts";
import { OperatorError } from "../operator.ts";
import { refusedBy, rejected, type StepOutcome, SUCCEEDED } from "./outcome.ts";
import { type SettingUp, setupAccount, setupAgent } from "./setting-up.ts";
import { builderFeeOf, builderStep } from "./state.ts";

/** What the page asked the wallet to sign, and says again with the signature. */
export type SignedTerms = { nonce: number; chainId: number; validUntilMs: number | null };

const DAY_MS = 24 * 60 * 60_000;

/** The approval of our agent, for the wallet. */
export function describeAgentApproval(setting: SettingUp, asked: { chainId: number; validDays: number | null }) {
  const { agent } = requireAgent(setting);
  const terms = termsOfDays(setting, asked);
  return approvalShown(agent.ownerAddress, { terms, action: agentAction(setting, agent, terms) });
}

/** Signed now, for so many days; null = as long as the exchange likes. */
export function termsOfDays(
  { exchange }: Pick<SettingUp, "exchange">,
  { chainId, validDays }: { chainId: number; validDays: number | null },
): SignedTerms {
  // By the clock that judges both.
  const nonce = exchange.nowMs();
  // Whole seconds: people read it in their wallet.
  const validUntilMs = validDays === null ? null : Math.floor((nonce + validDays * DAY_MS) / 1_000) * 1_000;
  return { nonce, chainId, validUntilMs };
}

/** The approval of the builder's fee, for the wallet. */
export function describeBuilderApproval(setting: SettingUp, chainId: number) {
  const account = requireAccount(setting);
  const terms = { nonce: setting.exchange.nowMs(), chainId, validUntilMs: null };
  return approvalShown(account.ownerAddress, { terms, action: builderAction(setting, account, terms) });
}

/** Hands the owner's approval of our agent to the exchange. Again after it was taken, it changes nothing. */
export async function sendAgentApproval(
  setting: SettingUp,
  { terms, signature }: { terms: SignedTerms; signature: string },
): Promise<StepOutcome> {
  const { agent } = requireAgent(setting);
  if (agent.state === "approved" || (await lookForApproval(setting, agent))) return SUCCEEDED;
  const signed = signatureOf(agent.ownerAddress, { action: agentAction(setting, agent, terms), signature });
  const approval = { ...terms, agentAddress: agent.address, signature: signed };
  return stepOf(() => approveOwnAgent({ ...setting, network: setting.instance.network }, approval));
}

/**
 * Hands the owner's approval of the builder's fee to the exchange. Sent again once it is approved, it changes nothing.
 */
export async function sendBuilderApproval(
  setting: SettingUp,
  { terms, signature }: { terms: SignedTerms; signature: string },
): Promise<StepOutcome> {
  const account = requireAccount(setting);
  await setting.builderApproval.refresh(account.ownerAddress);
  if (builderStep(setting, account)?.state === "approved") return SUCCEEDED;
  const action = builderAction(setting, account, terms);
  const parts = readSignature(signatureOf(account.ownerAddress, { action, signature }));
  if (parts === null) throw new Error("bug: a signature that was checked is none");
  const operator = { ...setting, network: setting.instance.network };
  return stepOf(async () => {
    const isAccepted = await sendApproval(operator, approvalBody(action, parts));
    await setting.builderApproval.refresh(account.ownerAddress);
    if (isAccepted || builderStep(setting, account)?.state === "approved") return;
    throw new OperatorError("it is not known whether the approval arrived", { kind: "unknown" });
  });
}

/** For a page that comes back: an answer may have been lost on the way. */
export async function lookAgain(setting: SettingUp): Promise<void> {
  const account = setupAccount(setting.store);
  if (account === null) return;
  const agent = setupAgent(setting.store, account);
  if (agent?.state === "new") await lookForApproval(setting, agent);
  if (builderStep(setting, account)?.state === "undecided") {
    await setting.builderApproval.refresh(account.ownerAddress);
  }
}

/** True, and stored, when the exchange lists our agent already: an answer that was lost on the way had been a yes. */
async function lookForApproval(setting: SettingUp, agent: Agent): Promise<boolean> {
  const request = { type: "extraAgents", user: agent.ownerAddress };
  const answer = await setting.exchange.info(request, { purpose: "read" });
  const listed = answer.kind === "ok" ? parseExtraAgents(answer.json) : null;
  const found = listed?.find(({ address }) => address === agent.address);
  if (found === undefined) return false;
  // Retired or replaced while the exchange was asked.
  if ((findAgent(setting.store, agent.address)?.state ?? "retired") === "retired") return false;
  storeApproval({ ...setting, network: setting.instance.network }, agent, found.validUntilMs);
  return true;
}

export function agentAction(
  { instance }: Pick<SettingUp, "instance">,
  agent: Agent,
  { nonce, ...terms }: SignedTerms,
): ApprovalAction {
  return approvalOf(instance.network, agent, nonce, terms);
}

function builderAction({ instance, settings }: SettingUp, account: Account, { nonce, chainId }: SignedTerms) {
  const feeTenthsBps = builderFeeOf(settings, account);
  if (settings.builder === null || feeTenthsBps === null) {
    throw new ApiError(
      "invalid_parameter",
      "No builder fee is configured for this account: there is nothing to approve.",
    );
  }
  const { network } = instance;
  return approveBuilderFee({ network, builder: settings.builder.address, feeTenthsBps, nonce, chainId });
}

function requireAccount({ store }: SettingUp): Account {
  const account = setupAccount(store);
  if (account === null) throw new ApiError("invalid_parameter", "The owner's address comes first.");
  return account;
}

function requireAgent(setting: SettingUp): { account: Account; agent: Agent } {
  const account = requireAccount(setting);
  const agent = setupAgent(setting.store, account);
  if (agent === null)
    throw new ApiError("invalid_parameter", "The account has no agent key: send the owner's address again.");
  return { account, agent };
}

type ShownApproval = { terms: SignedTerms; action: ApprovalAction };

export function approvalShown(owner: string, { terms, action }: ShownApproval) {
  return {
    object: "approval" as const,
    address: owner,
    nonce: terms.nonce,
    chain_id: terms.chainId,
    valid_until: terms.validUntilMs === null ? null : isoTime(terms.validUntilMs),
    typed_data: walletForm(approvalTypedData(action)),
  };
}

/** The signature in the one spelling that we send; throws `invalid_signature` unless it is the owner's of just this. */
export function signatureOf(
  owner: string,
  { action, signature }: { action: ApprovalAction; signature: string },
): string {
  const normalised = normalisedSignature(signature);
  const signer = normalised === null ? null : signerOf(approvalDigest(action), normalised);
  if (normalised === null || signer === null) {
    throw new ApiError(
      "invalid_signature",
      "signature is not an ECDSA signature of 65 bytes with a low s, or of 64 (EIP-2098).",
    );
  }
  if (signer !== owner) {
    const message = `signature is not the owner's of this text: it comes from ${signer}, the owner is ${owner}. Choose that account in the wallet and sign again.`;
    throw new ApiError("invalid_signature", message);
  }
  return normalised;
}

function notReached(waitS: number | undefined): ApiError {
  return waitS === undefined
    ? new ApiError("exchange_unreachable", "The exchange could not be reached. Nothing was sent: send it again.")
    : new ApiError("exchange_rate_limited", `This ${OUT_OF_WEIGHT}. Nothing was sent: send it again.`, waitS);
}

export async function stepOf(work: () => Promise<unknown>): Promise<StepOutcome> {
  try {
    await work();
    return SUCCEEDED;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const { why, message } = error;
    if (why.kind === "unreachable") throw notReached(why.waitS);
    if (why.kind === "refused") return refusedBy(why.text);
    if (why.kind === "rule") return rejected(`${message}.`, "Reload this page.");
    return { status: "unknown", error: `${message}.`, whatToDo: "Wait some seconds, then reload this page." };
  }
}
