import { ApiError, batchRefused, type OrderRefusal } from "../core/errors.ts";
import type { KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import { dexOf, type Market } from "../core/market.ts";
import type { OrderTerms } from "../core/order.ts";
import { canIncrease } from "../core/stop.ts";
import type { Slot, ToSign, With } from "../deps.ts";
import { newOrder, storePlacing } from "../settle/place/new-order.ts";
import { recordBatchReply } from "../settle/place/place-batch.ts";
import { replyTo } from "../settle/place/reply-to.ts";
import { shownElsewhere } from "../settle/place/shown-market.ts";
import { nonceFor, requireAgent } from "../settle/send/intent.ts";
import type { Placing, StoredOrder } from "../store/orders.ts";
import type { Reply } from "../wire/answer/reply.ts";
import { mintOrderId } from "../wire/order-id.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Stored } from "../write/verb.ts";
import { builderFor, heedBuilderRefusal } from "./builder.ts";
import { knownFault, readRulesAgain, requireMarket } from "./market-rules.ts";
import type { ToPlaceOrder, ToPlanOrder } from "./place-order.ts";

export type PlaceBatch = WriteKey & {
  accountId: string;
  orders: readonly OrderTerms[];
};

/**
 * `POST /v1/orders/batch`: one key, one action, at most one order for each that is asked for. Where one of them cannot be sent
 * nothing is. Throws `ApiError` only while nothing has been sent.
 */
export async function placeBatch(deps: ToPlaceOrder, caller: Caller, wanted: PlaceBatch): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  return runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders/batch",
    bucket: "orders",
    charges: wanted.orders.length,
    isCancel: false,
    asked: {},
    placedTerms: null,
    isCreating: true,
    plan: () => planBatch(deps, caller, wanted),
  });
}

type BatchEntry = { terms: OrderTerms; market: Market };

async function planBatch(deps: ToPlanOrder, caller: Caller, wanted: PlaceBatch): Promise<Plan> {
  const entries = await readEntries(deps, wanted.orders);
  requireOneClass(entries);
  const [first] = entries;
  if (first === undefined) throw new Error("bug: a batch of nothing");
  const id = batchIdOf(deps, wanted);
  const { id: accountId } = caller.account;
  const { keyHash } = caller.key;
  const orders = entries.map(({ terms, market }, index) =>
    newOrder(deps, { ...wanted, accountId, market, terms, keyHash, batch: { id, index } }),
  );
  const markets = [...new Set(entries.map(({ market }) => market.name))];
  const isIncrease = entries.some(({ terms, market }) => canIncrease(terms, market.pairName));
  return {
    resource: { kind: "batch", id },
    use: entries.every(({ terms }) => terms.reduceOnly) ? "reduce" : "order",
    isSent: true,
    isOrder: true,
    increasesFor: isIncrease ? [caller.key.keyHash] : [],
    market: first.market.name,
    alsoMarkets: markets.slice(1),
    count: entries.length,
    keyRow: "own",
    store: (keyRecord, slot) => {
      const placed = orders.map((order) => ({ ...order, createdAtMs: keyRecord.createdAtMs }));
      return outgoingBatch(deps, caller, storeBatch(deps, { caller, entries, orders: placed, keyRecord, slot }));
    },
  };
}

/** Throws for those that have a known fault, all of which are named: nothing is stored, and the key stays free. */
async function readEntries(deps: ToPlanOrder, orders: readonly OrderTerms[]): Promise<BatchEntry[]> {
  const entries: BatchEntry[] = [];
  const refused: OrderRefusal[] = [];
  for (const [index, terms] of orders.entries()) {
    const read = await readEntry(deps, terms);
    if ("market" in read) entries.push(read);
    else refused.push({ index, ...read });
  }
  if (refused.length > 0) throw batchRefused(refused, orders.length);
  return entries;
}

async function readEntry(deps: ToPlanOrder, terms: OrderTerms): Promise<BatchEntry | Omit<OrderRefusal, "index">> {
  try {
    const known = await requireMarket(deps, terms.market, !terms.reduceOnly);
    if (knownFault(deps, known, terms) === null) return { terms, market: known };
    const { market, fault } = await readRulesAgain(deps, known, terms, !terms.reduceOnly);
    return fault === null ? { terms, market } : { code: "order_refused", message: fault };
  } catch (error) {
    if (error instanceof ApiError && error.code === "unknown_market")
      return { code: error.code, message: error.message };
    throw error;
  }
}

/** Perpetuals of one dex, or spot: what one action may carry. */
function requireOneClass(entries: readonly BatchEntry[]): void {
  const classes = new Set(entries.map(({ market }) => (market.kind === "spot" ? "spot" : `dex ${dexOf(market.name)}`)));
  if (classes.size <= 1) return;
  const words = "orders must be all of spot, or all of perpetuals of one dex; nothing was sent.";
  throw new ApiError("invalid_parameter", words);
}

/** Made as the id of an order would be: nothing else has it. */
function batchIdOf({ clock, instance }: With<"clock" | "instance">, { accountId, idempotencyKey }: PlaceBatch): string {
  const { tag, secret } = instance;
  return mintOrderId({ nowMs: clock.nowMs(), instanceTag: tag, secret, accountId, idempotencyKey, bot: null });
}

type BatchIntent = {
  caller: Caller;
  entries: readonly BatchEntry[];
  orders: readonly StoredOrder[];
  keyRecord: KeyRecord;
  slot: Slot;
};

/** Inside the intent's transaction: every order with its leg and its attempt, all under one nonce, which has one slot. */
function storeBatch(deps: ToSign & With<"builderApproval">, about: BatchIntent): Placing[] {
  const { caller, entries, orders, keyRecord, slot } = about;
  // It may have been retired since the request was let in.
  const nonce = nonceFor(deps, requireAgent(deps, caller.account));
  const builder = builderOf(deps, caller, entries);
  const placer = { account: caller.account, actor: caller.key.keyHash, builder };
  const placings = orders.map((order) => storePlacing(deps, { order, keyRecord }, placer, nonce));
  const [first] = placings;
  if (first !== undefined) slot.take(first.attempt);
  return placings;
}

/** An action has one builder or none: it is left out where one of the orders may have none, unless the operator asks for it. */
function builderOf(
  deps: With<"builderApproval" | "settings">,
  { account }: Caller,
  entries: readonly BatchEntry[],
): ReturnType<typeof builderFor> {
  const each = entries.map(({ terms, market }) => builderFor(deps, { account, market, side: terms.side }));
  const isOfAll = each.every((builder) => builder !== null) || deps.settings.builder?.isRequired === true;
  return isOfAll ? (each.find((builder) => builder !== null) ?? null) : null;
}

function outgoingBatch(deps: ToPlanOrder, caller: Caller, placings: readonly Placing[]): Stored {
  const batch = placings.map(({ attempt }) => attempt);
  const [attempt] = batch;
  if (attempt === undefined) throw new Error("bug: a batch of nothing");
  return {
    kind: "outgoing",
    attempt,
    batch,
    async conclude(reply) {
      heedBuilderRefusal(deps, caller.account, reply);
      const elsewhere = await elsewhereOf(deps, caller, placings, reply);
      return recordBatchReply(deps, placings, { reply, elsewhere });
    },
  };
}

function elsewhereOf(deps: ToPlanOrder, { account }: Caller, placings: readonly Placing[], reply: Reply) {
  const cloids = placings.map(({ attempt }) => attempt.cloid);
  const user = account.tradingAddress;
  return Promise.all(
    placings.map((placing, index) => shownElsewhere(deps, placing, user, replyTo(reply, { index, cloids }))),
  );
}
