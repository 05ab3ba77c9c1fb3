import type { Attempt } from "../../core/attempt.ts";
import type { ToSend, With } from "../../deps.ts";
import type { Purpose, SendOutcome } from "../../exchange/exchange.ts";
import { findAccount } from "../../store/accounts.ts";
import type { Action } from "../../wire/action/index.ts";
import { joinedOrders } from "../../wire/action/order.ts";
import { fitted } from "../../wire/answer/fitting.ts";
import { isAgentRefused, isOutOfActions } from "../../wire/answer/refusal.ts";
import { classifyReply, type Reply } from "../../wire/answer/reply.ts";
import { actionOf, latestNowMs } from "./intent.ts";
import { noteUnlisted } from "./unlisted.ts";

/** What became of an action: the exchange's words, or that nothing left, as the connection has seen it. */
export type SendResult = Reply | (SendOutcome & { kind: "not_sent" });

/**
 * Signs a stored intent and posts it once; nothing is ever sent twice. What may have landed comes back as an ambiguous
 * reply. Throws what `onDisk` throws, before a byte has left, and nothing else.
 *
 * @param onDisk resolves when the intent is on the disk; it is signed meanwhile
 */
export async function sendAttempt(
  world: ToSend,
  attempt: Attempt,
  purpose: Purpose,
  onDisk: Promise<void> = ON_DISK,
): Promise<SendResult> {
  return sendBatch(world, [attempt], purpose, onDisk);
}

/**
 * Signs and posts, once, placings that leave as one action under one number: the orders that their attempts have
 * stored, one after the other. The answer may have a word for each. As to errors and `onDisk`: see `sendAttempt`.
 */
export async function sendBatch(
  world: ToSend,
  attempts: readonly Attempt[],
  purpose: Purpose,
  onDisk: Promise<void>,
): Promise<SendResult> {
  const [attempt] = attempts;
  if (attempt === undefined) throw new Error("bug: a batch of nothing");
  const result = await signAndPost(world, attempt, attempts, { purpose, onDisk });
  if (mayBeUnderWay(result)) world.flights.lost(attempt.id);
  else world.flights.landed(attempt.id);
  return result;
}

/**
 * Whether it may still arrive: nobody answered, or only a server in front of the exchange, which could not reach it.
 */
function mayBeUnderWay(result: SendResult): boolean {
  return result.kind === "ambiguous" && (result.reason === "no_answer" || result.reason === "server_error");
}

/** For a caller whose transaction has waited for the disk: its intent is there already. */
const ON_DISK = Promise.resolve();

/** What this machine was too slow for may be tried again so soon, seconds. */
const OVERDUE_WAIT_S = 1;

async function signAndPost(
  world: ToSend,
  attempt: Attempt,
  attempts: readonly Attempt[],
  { purpose, onDisk }: { purpose: Purpose; onDisk: Promise<void> },
): Promise<SendResult> {
  const action = attempts.length === 1 ? actionOf(attempt) : joinedOrders(attempts.map(actionOf));
  const signed = action === null ? null : sign(world, attempt, action);
  await onDisk;
  if (action === null || signed === null)
    return { kind: "not_sent", reason: "it could not be signed", isOurFault: true };
  await world.point("before_send");
  // Nothing leaves once half of the action's life is over (a slow disk, a process that stood still): it could only
  // arrive to be refused. Asked again in the turn that sends, so that no longer stop can come in between. By the time that is
  // known: how far ahead it may be can change by seconds with one slow reading, in which nobody has waited.
  const mayLeave = () => attempt.expiresAtMs - world.exchange.nowMs() >= world.settings.timings.actionLifeMs / 2;
  if (!mayLeave())
    return { kind: "not_sent", reason: "it could not be sent in time", isOurFault: true, waitS: OVERDUE_WAIT_S };
  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);
}

/** Posts a `noop` on the attempt's own nonce, with a life of its own: the attempt's may be over. */
export async function sendNoop(world: ToSend, attempt: Attempt): Promise<Reply> {
  const expiresAtMs = latestNowMs(world) + world.settings.timings.actionLifeMs;
  const action = { type: "noop" } as const;
  const signed = sign(world, { ...attempt, expiresAtMs }, action);
  await world.point("before_send");
  const mayLeave = () => expiresAtMs > latestNowMs(world);
  if (signed === null || !mayLeave()) return NO_ANSWER;
  const result = await post(world, attempt, { ...signed, action, purpose: "settle", count: 1 }, mayLeave);
  return result.kind === "not_sent" ? NO_ANSWER : result;
}

const NO_ANSWER: Reply = { kind: "ambiguous", reason: "no_answer", text: null };

/** `count`: how many orders, or other things, are in it. `trader`: the address that it trades for; null of an account that is gone. */
async function post(
  world: ToSend,
  attempt: Attempt,
  signed: { body: string; action: Action; purpose: Purpose; count: number; trader: string | null },
  mayLeave: () => boolean,
): Promise<SendResult> {
  const { body, action, purpose, count, trader } = signed;
  if (trader !== null) world.allowance.spend(trader, purpose, count);
  const sentMs = world.clock.elapsedMs();
  const outcome = await sendCatching(world, body, purpose, mayLeave);
  world.metrics.passed("send", world.clock.elapsedMs() - sentMs);
  await world.point("after_answer");
  switch (outcome.kind) {
    case "not_sent":
      return outcome;
    case "unknown":
      return { kind: "ambiguous", reason: "no_answer", text: outcome.reason };
    case "answered": {
      const reply = classifyReply(outcome.httpStatus, outcome.body);
      noteUnlisted(world, reply);
      if (isRefusedForActions(reply)) world.exchange.slowDown("out_of_actions");
      if (trader !== null && isRefusedForActions(reply)) void world.allowance.refresh(trader);
      if (reply.kind === "refused" && isAgentRefused(reply.text)) world.state.heedRefusedAgent?.(attempt.signer);
      return fitted(reply, action);
    }
  }
}

/** Posts once. An exception proves nothing about what has left, and is told as no answer. */
async function sendCatching(
  world: With<"exchange" | "log">,
  body: string,
  purpose: Purpose,
  mayLeave: () => boolean,
): Promise<SendOutcome> {
  try {
    return await world.exchange.send(body, purpose, mayLeave);
  } catch (error) {
    world.log.error({ error: String(error) }, "sending threw an exception");
    return { kind: "unknown", reason: "a fault of the gateway while it sent" };
  }
}

function isRefusedForActions(reply: Reply): boolean {
  return reply.kind === "refused" && isOutOfActions(reply.text);
}

/** Signs an attempt's action; null where that fails, and then nothing leaves. */
function sign(
  world: With<"clock" | "log" | "metrics" | "signers" | "store">,
  attempt: Attempt,
  action: Action,
): { body: string; trader: string | null } | null {
  const startedMs = world.clock.elapsedMs();
  try {
    const body = world.signers.sign({
      agentAddress: attempt.signer,
      action,
      nonce: attempt.nonce,
      vaultAddress: attempt.vaultAddress,
      expiresAfter: attempt.expiresAtMs,
    });
    world.metrics.passed("sign", world.clock.elapsedMs() - startedMs);
    // Asked here and not once the disk is done: of the turn that has committed, what others have committed is known.
    const trader = findAccount(world.store, attempt.accountId)?.tradingAddress ?? null;
    return { body, trader };
  } catch (error) {
    world.log.error({ attempt: attempt.id, error: String(error) }, "an action could not be signed");
    return null;
  }
}
