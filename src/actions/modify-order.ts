import type { Attempt } from "../core/attempt.ts";
import { cloidOf } from "../core/cloid.ts";
import { compare, type Decimal, decimal, isZero, subtract } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import { dexOf, type Market } from "../core/market.ts";
import { isLive, type Leg, type TimeInForce, type Trigger, wasTaken } from "../core/order.ts";
import { orderText } from "../core/resource.ts";
import { canIncrease } from "../core/stop.ts";
import type { Slot, ToLook, ToSign, ToWrite, With } from "../deps.ts";
import { nameUnnamed } from "../settle/look/unnamed.ts";
import { recordModifyReply } from "../settle/modify/modify.ts";
import { requireAgent, storeAttempt } from "../settle/send/intent.ts";
import { listAttemptsOf } from "../store/attempts.ts";
import { botOf } from "../store/bots.ts";
import { insertLeg, listLegs } from "../store/legs.ts";
import { onceUnlocked } from "../store/locked.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { modifyAction } from "../wire/action/modify.ts";
import { wireOrder } from "../wire/action/order.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { mintOrderId } from "../wire/order-id.ts";
import type { Caller } from "../write/caller.ts";
import type { PrintedBody } from "../write/fingerprint.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Stored, Write } from "../write/verb.ts";
import { waitForAttempt } from "../write/wait-for-attempt.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { requireOrder } from "./find-order.ts";
import { knownFault, readRulesAgain, requireMarket } from "./market-rules.ts";
import { isShownNow } from "./shown-now.ts";

export type ModifyOrder = WriteKey & {
  id: string;
  /** Null keeps the present one; at least one of the three is given. */
  price: string | null;
  size: string | null;
  trigger: Trigger | null;
  alwaysPlace: boolean;
};

/**
 * `POST /v1/orders/{id}/modify`. The answer is final only when the ends of the original and of its replacement are
 * both known; until then it is 202.
 */
export async function modifyOrder(
  deps: ToLook & ToWrite & With<"reads">,
  caller: Caller,
  wanted: ModifyOrder,
): Promise<WriteAnswer> {
  requireSomething(wanted);
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders/{id}/modify",
    bucket: "orders",
    isCancel: false,
    asked: {},
    placedTerms: replacementTerms(wanted),
    isCreating: false,
    plan: (write) => planModify(deps, caller, { wanted, write }),
  });
}

/** What the request says of the replacement; the rest is the original's. */
function replacementTerms({ price, size, trigger }: ModifyOrder): PrintedBody {
  return Object.fromEntries(Object.entries({ price, size, trigger }).filter(([, value]) => value !== null));
}

/** When those before it are settled; one that was stored while it planned goes first. */
async function planModify(
  deps: ToLook & ToSign & With<"instance" | "markets" | "reads" | "running" | "settling">,
  caller: Caller,
  about: { wanted: ModifyOrder; write: Write },
): Promise<Plan> {
  const { wanted, write } = about;
  const deadlineMs = write.startedElapsedMs + deps.settings.timings.answerDeadlineMs;
  const target = await settledTarget(deps, caller, { wanted, deadlineMs });
  const replacement = await planReplacement(deps, caller, { wanted, target });
  return {
    resource: { kind: "order", id: target.id },
    use: target.reduceOnly ? "reduce" : "order",
    isSent: replacement.kind === "send",
    isOrder: false,
    increasesFor: canIncrease(target, pairNameOf(deps, target)) ? [caller.key.keyHash, target.keyHash] : [],
    market: target.market,
    keyRow: "own",
    store: (_keyRecord, slot) =>
      replacement.kind === "said"
        ? sayNothingSent(target, replacement.error)
        : outgoingModify(deps, storeModify(deps, { caller, wanted, target, replacement, slot })),
  };
}

function pairNameOf({ markets }: With<"markets">, { market }: StoredOrder): string | null {
  return markets.current()?.byName.get(market)?.pairName ?? null;
}

function requireSomething({ price, size, trigger, alwaysPlace }: ModifyOrder): void {
  if (price === null && size === null && trigger === null) {
    throw new ApiError("nothing_to_modify", "Give at least one of `price`, `size` and `trigger`.");
  }
  if (trigger !== null && !alwaysPlace) throw alwaysPlaceRequired();
}

function alwaysPlaceRequired(): ApiError {
  return new ApiError(
    "always_place_required",
    "A trigger order can only be modified with `always_place` true. Nothing was sent.",
  );
}

/** The order with nothing unsettled on it: modifies of one order queue, and an unknown one cannot be modified. */
async function settledTarget(
  deps: ToLook & With<"instance" | "markets" | "running" | "settling">,
  caller: Caller,
  { wanted, deadlineMs }: { wanted: ModifyOrder; deadlineMs: number },
): Promise<StoredOrder> {
  const found = await requireOrder(deps, caller, wanted.id, "order");
  const order = found.kind === "stored" ? found.order : adoptOutsideOrder(deps, found.order);
  await waitForOthers(deps, order.id, deadlineMs);
  const stands = findOrder(deps.store, order.id) ?? order;
  // A feed that lives would have told more than its last list; the exchange refuses what it has not told yet.
  const about = { order: stands, withinMs: deps.settings.timings.maxReadAgeMs };
  if (!isShownNow(deps, caller.account, about)) await deps.settling.look(order.id, caller.reader);
  const now = findOrder(deps.store, order.id) ?? order;
  if (now.status === "unknown" || now.status === "processing") {
    throw notKnown();
  }
  if (now.status === "waiting_for_trigger" && !wanted.alwaysPlace) throw alwaysPlaceRequired();
  return now;
}

async function waitForOthers(
  deps: With<"clock" | "running" | "settling" | "store">,
  orderId: string,
  deadlineMs: number,
): Promise<void> {
  for (;;) {
    const [ahead] = unsettled(deps, orderId);
    if (ahead === undefined) return;
    const leftMs = deadlineMs - deps.clock.elapsedMs();
    // What is not known is the order itself, not another change of it.
    if (leftMs <= 0) throw ahead.kind === "place" ? notKnown() : queued();
    await waitForAttempt(deps, ahead, leftMs);
  }
}

function notKnown(): ApiError {
  return new ApiError("order_not_modifiable", "What became of this order is not known yet. Nothing was sent.");
}

function notNamed(): ApiError {
  return new ApiError("order_not_modifiable", "The exchange has not named this order yet. Nothing was sent.");
}

function queued(): ApiError {
  return new ApiError("idempotency_in_progress", "Another change of this order is still under way. Nothing was sent.");
}

function unsettled(deps: With<"store">, orderId: string): Attempt[] {
  // What was given up is followed by nobody: there is nothing to wait for.
  if ((findOrder(deps.store, orderId)?.releasedAtMs ?? null) !== null) return [];
  return listAttemptsOf(deps.store, orderId).filter((attempt) => attempt.state !== "done");
}

/** What to send, or what to say instead of sending. */
type Replacement =
  | { kind: "said"; error: string }
  | {
      kind: "send";
      market: Market;
      leg: Leg;
      isTargetClosed: boolean;
      size: Decimal;
      price: string;
      timeInForce: TimeInForce;
      trigger: Trigger | null;
      intendedTotal: Decimal | null;
    };

async function planReplacement(
  deps: ToLook & With<"markets" | "reads">,
  caller: Caller,
  { wanted, target }: { wanted: ModifyOrder; target: StoredOrder },
): Promise<Replacement> {
  const isClosed = target.status !== "open" && target.status !== "waiting_for_trigger";
  if (isClosed && !wanted.alwaysPlace) {
    const error = `The order is ${target.status}: there is nothing to modify. Nothing was sent.`;
    // What is known of how it ended stays with the answer: that it was canceled, say, may not be certain.
    return { kind: "said", error: target.error === null ? error : `${error} ${target.error}` };
  }
  const leg = legToModify(deps, target.id, isClosed);
  if (leg === undefined) {
    if (!isClosed) throw notNamed();
    return { kind: "said", error: "The exchange never named this order. Nothing was sent." };
  }
  const needsTrustedList = !target.reduceOnly;
  const known = await requireMarket(deps, target.market, needsTrustedList);
  const remaining = await remainingSize(deps, caller, { target, leg, isClosed });
  const size = wanted.size === null ? remaining : decimal(wanted.size);
  if (isZero(size)) return { kind: "said", error: "Nothing of the order is left; give a `size`. Nothing was sent." };
  const trigger = wanted.trigger ?? (target.status === "waiting_for_trigger" ? target.trigger : null);
  const price = wanted.price ?? target.price;
  const terms = { size, price, trigger };
  const { market, fault } =
    knownFault(deps, known, terms) === null
      ? { market: known, fault: null }
      : await readRulesAgain(deps, known, terms, needsTrustedList);
  if (fault !== null) return { kind: "said", error: fault };
  return {
    kind: "send",
    market,
    leg,
    isTargetClosed: isClosed,
    size,
    price,
    timeInForce: replacementTimeInForce(deps, target, { alwaysPlace: wanted.alwaysPlace, trigger }),
    trigger,
    // Not what is left as far as we know: fills that are shown late count as well.
    intendedTotal: wanted.size === null && !isClosed ? decimal(target.size) : null,
  };
}

/**
 * Only the default modify turns `gtc` into `alo`, and its `alo` does not outlive it: after it too `always_place` sends what the
 * client placed the order with, or nothing could execute at once any more. A trigger that has fired is replaced as plain `gtc`.
 */
function replacementTimeInForce(
  { store }: With<"store">,
  target: StoredOrder,
  { alwaysPlace, trigger }: { alwaysPlace: boolean; trigger: Trigger | null },
): TimeInForce {
  if (!alwaysPlace) return "alo";
  const placed = listLegs(store, target.id)[0] ?? target;
  // As a placement has it: what is triggered may take, and executes at once only at market.
  if (trigger !== null) return placed.timeInForce === "ioc" && trigger.market ? "ioc" : "gtc";
  const hasFired = target.status === "open" && (placed.trigger !== null || target.trigger !== null);
  return hasFired ? "gtc" : placed.timeInForce;
}

/**
 * What is left of the order now: the smallest of what our row and the exchange's list of open orders say. A list that does
 * not hold the order, or cannot be read, is silent, which is not nothing.
 */
async function remainingSize(
  deps: ToLook & With<"reads">,
  caller: Caller,
  about: { target: StoredOrder; leg: Leg; isClosed: boolean },
): Promise<Decimal> {
  const { target, leg, isClosed } = about;
  if (isClosed) return subtract(decimal(target.size), target.filledSize ?? decimal("0"));
  const ofRow = subtract(leg.size, leg.filledSize);
  const user = caller.account.tradingAddress;
  // A live stream has told the row every fill.
  if (deps.feeds.isLive(user) && !target.reduceOnly) return ofRow;
  const dex = dexOf(target.market);
  const listed = listedNow(deps, user, dex) ?? (await readListed(deps, caller, dex));
  const shown = listed?.find((order) => order.oid === leg.oid);
  return shown === undefined || compare(shown.size, ofRow) > 0 ? ofRow : shown.size;
}

/** As a feed tells it. */
function listedNow(
  { picture, exchange, settings }: With<"exchange" | "picture" | "settings">,
  user: string,
  dex: string,
): readonly FrontendOrder[] | null {
  const list = picture.openOrders(user, dex);
  return list !== null && exchange.nowMs() - list.asOfMs <= settings.timings.maxReadAgeMs ? list.value : null;
}

async function readListed(
  deps: With<"clock" | "reads" | "store">,
  { account }: Caller,
  dex: string,
): Promise<readonly FrontendOrder[] | null> {
  const open = await deps.reads.openOrders(account.tradingAddress, dex, "order");
  if (open.kind === "failed") return null;
  nameUnnamed(deps, account.id, open.value);
  return open.value;
}

/** Inside the intent's transaction: the answer is the order's true status and why nothing was sent. */
function sayNothingSent(target: StoredOrder, error: string): Stored {
  return { kind: "said", status: 200, body: orderText({ ...target, error }) };
}

type ModifyIntent = {
  caller: Caller;
  wanted: ModifyOrder;
  target: StoredOrder;
  replacement: Replacement & { kind: "send" };
  slot: Slot;
};

/** False when what the plan was made for is no longer the newest leg, or has been closed since. */
function isStillSo(deps: With<"store">, target: StoredOrder, replacement: ModifyIntent["replacement"]): boolean {
  const isClosed = !isLive(findOrder(deps.store, target.id)?.status ?? target.status);
  const leg = legToModify(deps, target.id, isClosed);
  return leg?.cloid === replacement.leg.cloid && isClosed === replacement.isTargetClosed;
}

/** What is live is the newest leg that was taken: while it has no native id, the one before it must not be named. */
function legToModify(deps: With<"store">, orderId: string, isClosed: boolean): Leg | undefined {
  const leg = listLegs(deps.store, orderId).findLast(isClosed ? ({ oid }) => oid !== null : wasTaken);
  return leg?.oid === null ? undefined : leg;
}

function storeModify(
  deps: ToSign & With<"instance">,
  { caller, wanted, target, replacement, slot }: ModifyIntent,
): Attempt {
  const { store } = deps;
  // Another modify may have been stored since we waited, and even have ended; then this one queues again.
  if (unsettled(deps, target.id).length > 0 || !isStillSo(deps, target, replacement)) throw queued();
  const signer = requireAgent(deps, caller.account);
  const { idempotencyKey } = wanted;
  const { tag, secret } = deps.instance;
  const nowMs = deps.clock.nowMs();
  const accountId = caller.account.id;
  // Of whose order it is, whoever changes it: what it fills is in that bot's books.
  const bot = botOf(store, target.keyHash);
  const cloid = cloidOf(mintOrderId({ nowMs, instanceTag: tag, secret, accountId, idempotencyKey, bot }));
  const { leg, size, price, timeInForce, trigger } = replacement;
  const { oid } = leg;
  if (oid === null) throw new Error("bug: a modify of a leg without a native id");
  insertLeg(store, {
    cloid,
    orderId: target.id,
    oid: null,
    ordinal: (listLegs(store, target.id).at(-1)?.ordinal ?? 0) + 1,
    size,
    price,
    timeInForce,
    trigger,
    state: "sent",
    filledSize: decimal("0"),
    filledNotional: decimal("0"),
    reason: null,
    isExchangesWord: false,
    absence: null,
  });
  const { assetId } = replacement.market;
  const wire = wireOrder({ ...target, assetId, size, price, timeInForce, trigger, cloid });
  return storeAttempt(
    deps,
    {
      kind: "modify",
      account: caller.account,
      resource: { kind: "order", id: target.id },
      idempotencyKey,
      actor: caller.key.keyHash,
      action: modifyAction(oid, wire, wanted.alwaysPlace),
      cloid,
      targetOid: oid,
      isTargetClosed: replacement.isTargetClosed,
      intendedTotal: replacement.intendedTotal,
    },
    { signer, slot },
  );
}

/** Whatever the answer, the original has to be looked at before the modify can be answered. */
function outgoingModify(deps: With<"clock" | "store">, attempt: Attempt): Stored {
  return {
    kind: "outgoing",
    attempt,
    async conclude(reply) {
      await onceUnlocked(deps.clock, () => recordModifyReply(deps, attempt, reply));
      return "open";
    },
  };
}
