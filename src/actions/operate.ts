import type { Attempt, AttemptKind } from "../core/attempt.ts";
import type { OperationAction } from "../core/operation.ts";
import { operationText } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { requireAgent, storeAttempt } from "../settle/intent.ts";
import type { ActionUse } from "../settle/obstacles.ts";
import { recordOperationReply } from "../settle/operation.ts";
import { heardRefusal } from "../settle/place.ts";
import { sendAttempt } from "../settle/send.ts";
import { insertKeyRecord, storeAnswer } from "../store/idempotency.ts";
import { onceUnlocked } from "../store/locked.ts";
import { insertOperation, type StoredOperation } from "../store/operations.ts";
import type { Action } from "../wire/action/index.ts";
import { mintOrderId } from "../wire/order-id.ts";
import type { Caller, WriteAnswer } from "./answer.ts";
import { giveBack } from "./give-back.ts";
import { waitForAttempt } from "./wait-for-attempt.ts";
import { answerRecord, commitIntent, finishWrite, requireBudget, type Write } from "./write.ts";

/** What to do, or why it is over before anything is sent. */
export type OperationPlan = {
  /** Canonical market name. */
  market: string;
  /** What was asked, for the operation's row. */
  parameters: Readonly<Record<string, string | number | boolean>>;
  /** JSON text of a reading taken before; null where none is needed. */
  before: string | null;
  end:
    | { kind: "send"; action: Action }
    /** Refused by a rule that is certain. */
    | { kind: "said"; error: string };
};

const KIND: Record<OperationAction, AttemptKind> = {
  leverage: "leverage",
  isolated_margin: "isolated_margin",
  twap: "twap",
  twap_cancel: "twap_cancel",
};

/** Stores the intent of an operation, sends it once and answers: the steps that all four share. */
export async function operate(
  deps: Deps,
  caller: Caller,
  about: { write: Write; action: OperationAction; plan: OperationPlan },
): Promise<WriteAnswer> {
  const { write, action, plan } = about;
  const isSent = plan.end.kind === "send";
  const use = useOf(about);
  if (isSent) requireBudget(deps, caller, use);
  const operation = newOperation(deps, caller, about);
  const key = { accountId: caller.account.id, key: write.idempotencyKey };
  const resource = { kind: "operation" as const, id: operation.id };
  const { route, fingerprint } = write;
  const record = { ...key, route, fingerprint, resource, attemptId: null, answer: null };
  const { startedElapsedMs } = write;
  const rank = action === "twap_cancel" ? "cancel" : "order";
  const stored = await commitIntent(deps, { caller, record, rank, startedElapsedMs }, (store, record, place) => {
    insertKeyRecord(store, record);
    insertOperation(store, { ...operation, createdAtMs: record.createdAtMs });
    if (plan.end.kind === "said") {
      storeAnswer(store, key, { status: 200, body: operationText(operation) });
      return null;
    }
    const intended = {
      kind: KIND[action],
      account: caller.account,
      resource,
      idempotencyKey: write.idempotencyKey,
      actor: caller.key.keyHash,
      action: plan.end.action,
      cloid: null,
      targetOid: null,
    };
    // A row that was changed from outside is told before what it says of the agent.
    return storeAttempt(deps, intended, { signer: requireAgent(deps, caller.account), place });
  });
  if (stored.kind === "earlier") return answerRecord(deps, stored.record, write);
  const attempt = stored.value;
  const answer = await finishWrite(deps, { ...key, resource, startedElapsedMs }, async () => {
    if (attempt !== null) await sendAndRecord(deps, attempt, use);
    return null;
  });
  return { ...answer, isReplay: false };
}

function useOf({ action, plan }: { action: OperationAction; plan: OperationPlan }): ActionUse {
  if (action === "twap_cancel") return "cancel";
  return plan.parameters["reduce_only"] === true ? "reduce" : "order";
}

function newOperation(
  deps: Deps,
  caller: Caller,
  { write, action, plan }: { write: Write; action: OperationAction; plan: OperationPlan },
): StoredOperation {
  const { tag, secret } = deps.instance;
  const nowMs = deps.clock.nowMs();
  const accountId = caller.account.id;
  const { idempotencyKey } = write;
  const said = plan.end.kind === "said" ? plan.end.error : null;
  return {
    id: mintOrderId({ nowMs, instanceTag: tag, secret, accountId, idempotencyKey }),
    accountId,
    action,
    market: plan.market,
    parameters: JSON.stringify(plan.parameters),
    before: plan.before,
    status: said === null ? "processing" : "rejected",
    exchangeId: null,
    error: said,
    createdAtMs: nowMs,
    releasedAtMs: null,
    version: 0,
  };
}

async function sendAndRecord(deps: Deps, attempt: Attempt, use: ActionUse): Promise<void> {
  const result = await sendAttempt(deps, attempt, use);
  await deps.point("before_outcome");
  const isSettled = await onceUnlocked(deps.clock, () =>
    result.kind === "not_sent" ? giveBack(deps, attempt, result) : recordOperationReply(deps, attempt, result.reply),
  );
  await deps.point("after_outcome");
  if (isSettled) return;
  await deps.settling.pursue(attempt.id, result.kind === "reply" ? heardRefusal(result.reply) : null);
}

/** Waits, for a while, until no unsettled attempt is left that could be mistaken for the new one. */
export async function waitForAlike(deps: Deps, alike: () => readonly Attempt[]): Promise<void> {
  const untilMs = deps.clock.elapsedMs() + ALIKE_WAIT_MS;
  for (;;) {
    const [ahead] = alike();
    const leftMs = untilMs - deps.clock.elapsedMs();
    if (ahead === undefined || leftMs <= 0) return;
    await waitForAttempt(deps, ahead, leftMs);
  }
}

/**
 * Whether an action equal to this one could still be mistaken for it: until it is settled, or, where that takes
 * longer than a signed action lives, until it is sealed.
 */
export function isUndecided(deps: Deps, attempt: Attempt): boolean {
  return attempt.seal === null || deps.clock.nowMs() - attempt.createdAtMs < deps.settings.timings.actionLifeMs;
}

/** Half of an answer's deadline, so that the rest is left for sending, milliseconds. */
const ALIKE_WAIT_MS = 4_000;
