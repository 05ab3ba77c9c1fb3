import { type Account, vaultAddressOf } from "../../core/account.ts";
import { type Attempt, UNSENT } from "../../core/attempt.ts";
import type { Slot, With } from "../../deps.ts";
import { findSigningAgent } from "../../store/agents.ts";
import { insertAttempt } from "../../store/attempts.ts";
import { appendAudit } from "../../store/audit.ts";
import { takeNonce } from "../../store/nonces.ts";
import type { Store } from "../../store/open.ts";
import { type Action, actionJson, canonicalAction, parseActionJson } from "../../wire/action/index.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";

/** What is about to be signed, before it has a nonce. */
export type Intended = Pick<Attempt, "kind" | "resource" | "idempotencyKey" | "cloid" | "targetOid"> &
  Partial<Pick<Attempt, "isTargetClosed" | "intendedTotal">> & {
    account: Account;
    /** Key hash of the caller, or `gateway` for what the pursuit does by itself. */
    actor: string;
    action: Action;
  };

/** The agent that signs for an account, or `agent_not_approved`: known before anything is stored. */
export function requireAgent(world: With<"exchange" | "signers" | "store">, account: Account): string {
  const found = signingAgent(world, account);
  if (found.kind === "obstacle") throw found.obstacle.error;
  return found.address;
}

/** Who signs what follows from an attempt: the agent that signed it may have been retired since. */
export function signerOfToday(
  world: With<"exchange" | "signers" | "store">,
  account: Account,
  attempt: Attempt,
): string {
  const agent = findSigningAgent(world.store, account.ownerAddress, world.exchange.nowMs());
  return agent !== null && world.signers.has(agent.address) ? agent.address : attempt.signer;
}

/** Who signs it, and its slot among what may be under way. */
export type SignerAndSlot = { signer: string; slot: Slot };

/**
 * Stores what is about to be signed, inside the caller's transaction: nonce, expiry, action and audit row. From
 * here on it may have been sent as far as anybody who finds the row can tell.
 */
export function storeAttempt(
  world: With<"clock" | "exchange" | "settings" | "store">,
  intended: Intended,
  { signer, slot }: SignerAndSlot,
): Attempt {
  const { account, actor, action: signed, ...own } = intended;
  const action = canonicalAction(signed);
  const unsent = {
    ...UNSENT,
    ...own,
    ...nonceFor(world, signer),
    accountId: account.id,
    vaultAddress: vaultAddressOf(account),
    action: actionJson(action),
    createdAtMs: world.clock.nowMs(),
  };
  const attempt = storeUnderNonce(world, unsent, { action, actor }, insertAttempt);
  slot.take(attempt);
  return attempt;
}

/** The nonce that an action is about to be signed with, and until when it can run. */
export type TakenNonce = Pick<Attempt, "signer" | "nonce" | "expiresAtMs">;

/** Takes the signer's next number, inside the transaction that stores the attempt which uses it. */
export function nonceFor(world: With<"exchange" | "settings" | "store">, signer: string): TakenNonce {
  const exchangeNowMs = world.exchange.nowMs();
  const nonce = takeNonce(world.store, signer, exchangeNowMs);
  return { signer, nonce, expiresAtMs: latestNowMs(world) + world.settings.timings.actionLifeMs };
}

/**
 * The exchange's time as far ahead as it may be: what dies by an earlier one could be over there before it is sent. That it is over is
 * proven by the time that is believed, which is never later.
 */
export function latestNowMs({ exchange }: With<"exchange">): number {
  return exchange.nowMs() + exchange.mayBeAheadMs();
}

/**
 * Stores what is about to be signed under a number that the caller has taken, with its audit row. `insert` puts the attempt into its
 * row: its own, or that of the order that it places. The caller sees to the slot, one for each number.
 *
 * @param by `action`: what the attempt's text spells, frozen (`canonicalAction`)
 */
export function storeUnderNonce(
  { store }: With<"store">,
  unsent: Omit<Attempt, "id">,
  { action, actor }: { action: Action; actor: string },
  insert: (store: Store, attempt: Omit<Attempt, "id">) => Attempt,
): Attempt {
  const attempt = insert(store, unsent);
  const { signer, nonce } = attempt;
  appendAudit(store, {
    atMs: attempt.createdAtMs,
    actor,
    event: `sign_${attempt.kind}`,
    reference: attempt.resource.id,
    detail: { signer, nonce, action: attempt.action },
  });
  written.set(attempt, action);
  return attempt;
}

/** The action of each attempt that this process has stored, so that its text is not parsed again. Frozen. */
const written = new WeakMap<Attempt, Action>();

/** The action that an attempt's text spells; null where that is none that we sign. */
export function actionOf(attempt: Attempt): Action | null {
  return written.get(attempt) ?? parseActionJson(attempt.action);
}

/** True of a modify that places whatever becomes of its original. */
export function isAlwaysPlace(attempt: Attempt): boolean {
  const action = actionOf(attempt);
  return action?.type === "batchModify" && action.a === true;
}
