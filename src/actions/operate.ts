import type { Attempt } from "../core/attempt.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { OperationAction } from "../core/operation.ts";
import { operationText } from "../core/resource.ts";
import type { ToSign, ToWrite, With } from "../deps.ts";
import { recordOperationReply } from "../settle/operation/operation.ts";
import { asFarAsShown } from "../settle/operation/refused.ts";
import type { ActionUse } from "../settle/pre-trade/obstacles.ts";
import { requireAgent, storeAttempt } from "../settle/send/intent.ts";
import { onceUnlocked } from "../store/locked.ts";
import { insertOperation, type StoredOperation } from "../store/operations.ts";
import type { Action } from "../wire/action/index.ts";
import { mintOrderId } from "../wire/order-id.ts";
import { type Alone, requireAlone } from "../write/alone.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Stored, Write } from "../write/verb.ts";

/** What to do, or why it is over before anything is sent. */
export type OperationPlan = {
  /** Canonical market name. */
  market: string;
  /** What was asked, for the operation's row. */
  parameters: Readonly<Record<string, string | number | boolean>>;
  /** JSON text of a reading taken before; null where none is needed. */
  before: string | null;
  /** It can make a position larger, or its loss. */
  isIncrease: boolean;
  /** `alone`: of an action that others could be mistaken for, which of them it knows of. */
  end:
    | { kind: "send"; action: Action; alone?: Alone }
    /** Refused by a rule that is certain. */
    | { kind: "said"; error: string };
};

/** One of the four operations: leverage, margin, a TWAP, its cancel. `plan`: what it comes to once the market is known. */
export type OperationVerb = Pick<Write, "route" | "bucket" | "asked"> & {
  action: OperationAction;
  /** It ends in orders, and is refused where none would be taken. */
  isOrder?: boolean;
  plan(): Promise<OperationPlan>;
};

/** Plans, stores and sends an operation: the steps that all four operations share. */
export async function operate(
  deps: ToWrite,
  caller: Caller,
  wanted: WriteKey,
  verb: OperationVerb,
): Promise<WriteAnswer> {
  const { route, bucket, asked } = verb;
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route,
    bucket,
    asked,
    placedTerms: null,
    isCreating: false,
    isCancel: false,
    plan: async () => planOperation(deps, caller, { ...wanted, verb, plan: await verb.plan() }),
  });
}

type PlanningOperation = WriteKey & {
  verb: OperationVerb;
  plan: OperationPlan;
};

function planOperation(deps: ToSign & With<"instance">, caller: Caller, planning: PlanningOperation): Plan {
  const { plan, verb, idempotencyKey } = planning;
  const { action, isOrder = false } = verb;
  const planned = newOperation(deps, caller, planning);
  const resource = { kind: "operation", id: planned.id } as const;
  return {
    resource,
    use: useOf(planning),
    isSent: plan.end.kind === "send",
    isOrder,
    market: action === "twap_cancel" ? null : plan.market,
    keyRow: "own",
    increasesFor: plan.isIncrease ? [caller.key.keyHash] : [],
    store(keyRecord, slot) {
      insertOperation(deps.store, { ...planned, createdAtMs: keyRecord.createdAtMs });
      if (plan.end.kind === "said") return { kind: "said", status: 200, body: operationText(planned) };
      if (plan.end.alone !== undefined) requireAlone(plan.end.alone);
      const intended = {
        kind: action,
        account: caller.account,
        resource,
        idempotencyKey,
        actor: caller.key.keyHash,
        action: plan.end.action,
        cloid: null,
        targetOid: null,
      };
      const { tradingAddress } = caller.account;
      // A row that was changed from outside is told before what it says of the agent.
      return outgoing(
        deps,
        tradingAddress,
        storeAttempt(deps, intended, { signer: requireAgent(deps, caller.account), slot }),
      );
    },
  };
}

function outgoing(deps: With<"clock" | "exchange" | "store">, user: string, attempt: Attempt): Stored {
  return {
    kind: "outgoing",
    attempt,
    async conclude(reply) {
      const heard = await asFarAsShown(deps, user, attempt, reply);
      const isSettled = await onceUnlocked(deps.clock, () => recordOperationReply(deps, attempt, heard));
      return isSettled ? "settled" : "open";
    },
  };
}

function useOf({ verb, plan }: PlanningOperation): ActionUse {
  if (verb.action === "twap_cancel") return "cancel";
  return plan.parameters["reduce_only"] === true ? "reduce" : "order";
}

function newOperation(
  deps: With<"clock" | "instance">,
  caller: Caller,
  { verb, plan, idempotencyKey }: PlanningOperation,
): StoredOperation {
  const { tag, secret } = deps.instance;
  const nowMs = deps.clock.nowMs();
  const accountId = caller.account.id;
  const said = plan.end.kind === "said" ? plan.end.error : null;
  return {
    id: mintOrderId({ nowMs, instanceTag: tag, secret, accountId, idempotencyKey, bot: null }),
    accountId,
    action: verb.action,
    market: plan.market,
    parameters: JSON.stringify(plan.parameters),
    before: plan.before,
    status: said === null ? "processing" : "rejected",
    exchangeId: null,
    error: said,
    createdAtMs: nowMs,
    releasedAtMs: null,
    version: 0,
    keyHash: caller.key.keyHash,
  };
}
