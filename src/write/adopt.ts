import { ApiError } from "../core/errors.ts";
import { MAX_GUARDS } from "../core/guard-tries.ts";
import { type KeyName, type KeyRecord, keyInBatch, MAX_BATCH_ORDERS } from "../core/idempotency.ts";
import { findMarket } from "../core/market.ts";
import { orderText } from "../core/resource.ts";
import { keyOfTrade, nameOfPart, type TradePart } from "../core/trade.ts";
import type { ToWrite, With } from "../deps.ts";
import { NOT_TAKEN_UP } from "../settle/pre-trade/obstacles.ts";
import { inTransaction } from "../store/commit.ts";
import { findKeyRecord, insertKeyRecord, storeAnswer } from "../store/idempotency.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { type Adoption, awaitsTakeUp, findAdoption, hasRestores } from "../store/restores.ts";
import { keyDigitsOf, mintOrderId } from "../wire/order-id.ts";
import { differencesFrom } from "./differences.ts";
import type { PrintedBody } from "./fingerprint.ts";
import type { Write } from "./verb.ts";

/**
 * After a restore: lets a key answer with the order that it has placed since the snapshot. What the lost machine was
 * asked is not known, so the first repeat that fits what the exchange shows of the order is taken for its request.
 * Throws `idempotency_key_reused` for a request that cannot have placed it.
 */
export async function adoptKey(deps: ToWrite, write: Write): Promise<void> {
  const { store } = deps;
  if (!hasRestores(store)) return;
  const adoption = adoptionOf(deps, write);
  const earlier = findKeyRecord(store, write.accountId, write.idempotencyKey);
  if (earlier === null) requireNoneOfMany(deps, write);
  if (adoption === null || (earlier !== null && earlier.answer !== null)) return;
  if (earlier === null) requireFit(deps, write, adoption);
  if (orderOf(deps, adoption).status === "unknown") await deps.settling.look(adoption.orderId);
  inTransaction(store, () => {
    const order = orderOf(deps, adoption);
    if (findKeyRecord(store, write.accountId, write.idempotencyKey) === null)
      insertKeyRecord(store, recordOf(deps, write, order));
    const status = write.isCreating ? 201 : 200;
    if (order.status !== "unknown") storeAnswer(store, write, { status, body: orderText(order) });
  });
}

/** Inside the intent's transaction: throws `not_ready` where an order of the lost machine could still be the key's. */
export function requireNothingToAdopt(
  deps: With<"instance" | "store">,
  keyRecord: KeyName & Pick<KeyRecord, "route">,
): void {
  const { store } = deps;
  if (!hasRestores(store)) return;
  const isWaiting = awaitsTakeUp(store, keyRecord.accountId) && keyRecord.route !== CANCEL;
  const isAdopted =
    adoptionOf(deps, keyRecord) !== null || many(deps, keyRecord).some(({ orders }) => orders.length > 0);
  if (isWaiting || isAdopted) {
    throw new ApiError("not_ready", NOT_TAKEN_UP);
  }
}

/** The one route that does not wait for an account to be taken up: a cancel places nothing, and may be urgent. */
const CANCEL = "POST /v1/orders/{id}/cancel";

function adoptionOf({ store, instance }: With<"instance" | "store">, key: KeyName): Adoption | null {
  return findAdoption(store, key.accountId, keyDigitsOf(instance.secret, key));
}

type Many = { what: string; orders: Adoption[] };

/** Orders that this key has placed as a batch or as a trade, and that were found after a restore. */
function many(deps: With<"instance" | "store">, { accountId, idempotencyKey }: KeyName): Many[] {
  const indexes = Array.from({ length: MAX_BATCH_ORDERS }, (_none, index) => index);
  const inBatch = indexes.map((index) => keyInBatch(idempotencyKey, index));
  const { tag: instanceTag, secret } = deps.instance;
  // The time in the trade's id does not matter: its orders are found by the digits that the key makes.
  const name = keyOfTrade(idempotencyKey);
  const id = mintOrderId({ nowMs: 0, instanceTag, secret, accountId, idempotencyKey: name, bot: null });
  const inTrade = partsOfTrade().map((part) => nameOfPart({ id }, part));
  const adopted = (keys: readonly string[]) =>
    keys.flatMap((each) => adoptionOf(deps, { accountId, idempotencyKey: each }) ?? []);
  return [
    { what: "batch", orders: adopted(inBatch) },
    { what: "trade", orders: adopted(inTrade) },
  ];
}

function partsOfTrade(): TradePart[] {
  const numbers = Array.from({ length: MAX_GUARDS }, (_none, index) => index + 1);
  const guards = (["stop", "profit"] as const).flatMap((as) => numbers.map((number) => ({ as, number })));
  return ["entry", ...guards];
}

/**
 * Refuses a key under which a batch or a trade was placed since the snapshot. What else it had asked for, and what of
 * that was refused, nobody knows any more: the orders that there are are named.
 */
function requireNoneOfMany(deps: With<"instance" | "store">, write: Write): void {
  for (const { what, orders } of many(deps, write)) {
    if (orders.length === 0) continue;
    const ids = orders.map(({ orderId }) => orderId).join(", ");
    throw new ApiError(
      "idempotency_key_reused",
      `This Idempotency-Key has been used for a ${what} before this gateway was restored, and these orders of it are at the exchange: ${ids}. Nothing was sent. Use a new key for a new action.`,
    );
  }
}

function orderOf({ store }: With<"store">, { orderId }: Adoption): StoredOrder {
  const order = findOrder(store, orderId);
  if (order === null) throw new Error("bug: an adoption without its order");
  return order;
}

function recordOf(
  deps: With<"clock">,
  { accountId, idempotencyKey, route, fingerprint }: Write,
  { id }: StoredOrder,
): KeyRecord {
  const resource = { kind: "order" as const, id };
  return {
    accountId,
    idempotencyKey,
    route,
    fingerprint,
    resource,
    answer: null,
    createdAtMs: deps.clock.nowMs(),
  };
}

function requireFit(deps: With<"markets" | "store">, { asked, placedTerms }: Write, adoption: Adoption): void {
  const order = orderOf(deps, adoption);
  const terms = placedTerms === "as_asked" ? asked : placedTerms;
  const names = terms === null ? null : differencesFrom(deps.store, order.id, comparable(deps, terms, adoption));
  if (names !== null && names.length === 0) return;
  const how = names === null ? "to place an order" : `with another ${names.join(", ")}`;
  throw new ApiError(
    "idempotency_key_reused",
    `This Idempotency-Key has been used ${how} before this gateway was restored. Nothing was sent. Use a new key for a new action.`,
  );
}

/** Of what the request asks to be placed, the members that the exchange shows of an order as they were asked for. */
function comparable({ markets }: With<"markets">, terms: PrintedBody, { hasTerms }: Adoption): PrintedBody {
  const universe = markets.current();
  const { market, side, time_in_force: timeInForce, size, ...rest } = terms;
  const name = typeof market === "string" && universe !== null ? findMarket(universe, market)?.name : undefined;
  const known = {
    ...(market === undefined ? {} : { market: name ?? market }),
    ...(side === undefined ? {} : { side }),
  };
  if (!hasTerms) return known;
  return {
    ...known,
    ...rest,
    // A trigger's time in force never goes to the exchange, and a reduce-only order shrinks with its position.
    ...(terms["trigger"] === null && timeInForce !== undefined ? { time_in_force: timeInForce } : {}),
    ...(terms["reduce_only"] !== true && size !== undefined ? { size } : {}),
  };
}
