import type { Account } from "../core/account.ts";
import { cloidOf } from "../core/cloid.ts";
import { decimal } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import type { KeyRecord } from "../core/idempotency.ts";
import type { Market } from "../core/market.ts";
import type { Leg, OrderTerms } from "../core/order.ts";
import { orderText } from "../core/resource.ts";
import type { Deps, Place, RunningAnswer } from "../deps.ts";
import { requireAgent, storeAttempt } from "../settle/intent.ts";
import { heardRefusal, recordPlaceReply } from "../settle/place.ts";
import type { Placing } from "../settle/record.ts";
import { sendAttempt } from "../settle/send.ts";
import { appendAudit } from "../store/audit.ts";
import { onceUnlocked } from "../store/locked.ts";
import { insertOrder, type StoredOrder } from "../store/orders.ts";
import { insertPlacing } from "../store/placings.ts";
import { orderAction, wireOrder } from "../wire/action/order.ts";
import { mintOrderId } from "../wire/order-id.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { builderFor, heedBuilderRefusal } from "./builder.ts";
import type { Asked } from "./differences.ts";
import { giveBack } from "./give-back.ts";
import { knownFault, readRulesAgain, requireMarket } from "./market-rules.ts";
import {
  answerEarlier,
  answerRecord,
  commitIntent,
  finishWrite,
  requireBudget,
  requireOpenForWrites,
  requireTaken,
  type Write,
} from "./write.ts";

export type PlaceOrder = WriteKey & OrderTerms & { accountId: string };

/** `POST /v1/orders`: one key, at most one order. Throws `ApiError` only while nothing has been sent. */
export async function placeOrder(deps: Deps, caller: Caller, wanted: PlaceOrder): Promise<WriteAnswer> {
  if (wanted.accountId !== caller.account.id) {
    throw new ApiError("account_mismatch", "`account` is not the account of this API key.");
  }
  const startedElapsedMs = deps.clock.elapsedMs();
  const asked = askedOf(wanted);
  const write: Write = { ...wanted, route: "POST /v1/orders", asked, placing: asked, startedElapsedMs };
  const earlier = await answerEarlier(deps, caller, write);
  if (earlier !== null) return earlier;
  caller.charge("orders");
  requireOpenForWrites(deps, false);
  const known = await requireMarket(deps, wanted.market, !wanted.reduceOnly);
  const { market, fault } =
    knownFault(deps, known, wanted) === null
      ? { market: known.market, fault: null }
      : await readRulesAgain(deps, { known, terms: wanted, isIncrease: !wanted.reduceOnly });
  requireTaken(deps, caller, wanted.reduceOnly);
  if (fault === null) requireBudget(deps, caller, wanted.reduceOnly ? "reduce" : "order");
  const order = newOrder(deps, { caller, wanted, market });
  const key = { accountId: caller.account.id, key: wanted.idempotencyKey };
  const record = {
    ...key,
    route: write.route,
    fingerprint: wanted.fingerprint,
    resource: { kind: "order" as const, id: order.id },
    attemptId: null,
    answer: null,
  };
  const stored = await commitIntent(deps, { caller, record, startedElapsedMs }, (_store, key, place) => {
    const about = { caller, order: { ...order, createdAtMs: key.createdAtMs }, key, place };
    return fault === null ? storePlacing(deps, { ...about, market }) : storeRefused(deps, { ...about, fault });
  });
  if (stored.kind === "earlier") return answerRecord(deps, stored.record, write);
  const placing = stored.value;
  const answer = await finishWrite(deps, { ...key, resource: record.resource, startedElapsedMs }, async () =>
    placing === null ? null : sendAndRecord(deps, caller.account, placing),
  );
  return { ...answer, isReplay: false };
}

function askedOf({ market, side, size, price, timeInForce, reduceOnly, trigger }: OrderTerms): Asked {
  return { market, side, size, price, time_in_force: timeInForce, reduce_only: reduceOnly, trigger };
}

function newOrder(deps: Deps, about: { caller: Caller; wanted: PlaceOrder; market: Market }): StoredOrder {
  const { caller, wanted, market } = about;
  const { tag, secret } = deps.instance;
  const nowMs = deps.clock.nowMs();
  const accountId = caller.account.id;
  const { side, size, price, timeInForce, reduceOnly, trigger, idempotencyKey } = wanted;
  return {
    id: mintOrderId({ nowMs, instanceTag: tag, secret, accountId, idempotencyKey }),
    accountId,
    market: market.name,
    assetId: market.assetId,
    side,
    size,
    price,
    timeInForce,
    reduceOnly,
    trigger,
    status: "processing",
    exchangeOrderId: null,
    filledSize: null,
    averagePrice: null,
    error: null,
    createdAtMs: nowMs,
    keyHash: caller.key.keyHash,
    idempotencyKey,
    seenAtMs: null,
    releasedAtMs: null,
    version: 0,
  };
}

/** Inside the intent's transaction: a refusal that we are certain of is the order's whole life. */
function storeRefused(deps: Deps, about: { caller: Caller; order: StoredOrder; key: KeyRecord; fault: string }): null {
  const { caller, key, fault } = about;
  const order: StoredOrder = { ...about.order, status: "rejected", error: fault };
  const answer = { status: 201, body: orderText(order) } as const;
  insertOrder(deps.store, order, { key: { ...key, answer }, leg: null, attempt: null });
  appendAudit(deps.store, {
    atMs: order.createdAtMs,
    actor: caller.key.keyHash,
    event: "refuse_place",
    reference: order.id,
    detail: { reason: fault },
  });
  return null;
}

type Storing = { caller: Caller; order: StoredOrder; key: KeyRecord; market: Market; place: Place };

/** Inside the intent's transaction: order, leg, nonce, attempt and audit row. */
function storePlacing(deps: Deps, about: Storing): Placing {
  const { caller, order, key, market, place } = about;
  // It may have been retired since the request was let in.
  const signer = requireAgent(deps, caller.account);
  const cloid = cloidOf(order.id);
  const leg: Leg = {
    cloid,
    orderId: order.id,
    oid: null,
    ordinal: 0,
    size: decimal(order.size),
    price: order.price,
    timeInForce: order.timeInForce,
    trigger: order.trigger,
    state: "sent",
    filledSize: decimal("0"),
    filledNotional: decimal("0"),
    reason: null,
    isExchangesWord: false,
  };
  const builder = builderFor(deps, { account: caller.account, market, side: order.side });
  const attempt = storeAttempt(
    deps,
    {
      kind: "place",
      account: caller.account,
      resource: { kind: "order", id: order.id },
      idempotencyKey: key.key,
      actor: caller.key.keyHash,
      action: orderAction(wireOrder({ ...order, cloid }), builder),
      cloid,
      targetOid: null,
    },
    { signer, place },
    (store, attempt) => insertPlacing(store, { order, key, leg, attempt }),
  );
  return { order, leg, attempt };
}

/** Sends once and writes down what came back; an outcome that is still open is pursued until the deadline and on. */
async function sendAndRecord(deps: Deps, account: Account, placing: Placing): Promise<RunningAnswer | null> {
  const { attempt } = placing;
  const result = await sendAttempt(deps, attempt, placing.order.reduceOnly ? "reduce" : "order");
  const answeredMs = deps.clock.elapsedMs();
  await deps.point("before_outcome");
  if (result.kind === "reply") heedBuilderRefusal(deps, account, result.reply);
  const { isSettled, answer } =
    result.kind === "not_sent"
      ? { isSettled: await onceUnlocked(deps.clock, () => giveBack(deps, attempt, result)), answer: null }
      : await recordPlaceReply(deps, placing, result.reply);
  deps.metrics.passed("answer", deps.clock.elapsedMs() - answeredMs);
  await deps.point("after_outcome");
  if (!isSettled) await deps.settling.pursue(attempt.id, result.kind === "reply" ? heardRefusal(result.reply) : null);
  return answer;
}
