import { cloidOf, isCloid } from "../core/cloid.ts";
import { ApiError } from "../core/errors.ts";
import { isUuid } from "../core/uuid.ts";
import type { ToLook, With } from "../deps.ts";
import type { Purpose } from "../exchange/exchange.ts";
import { findLegByCloid, findLegByOid } from "../store/legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { parseOrderStatusOf } from "../wire/answer/order-status.ts";
import { jsonInteger } from "../wire/json.ts";
import { carriesTag, decodeOutsideOrderId } from "../wire/order-id.ts";
import type { Caller } from "../write/caller.ts";
import { couldNotAsk } from "./not-asked.ts";
import { heardOf, legShown, type OutsideOrder, outsideOrder } from "./outside-order.ts";
import { listedRecord, wasToldLately } from "./told-outside.ts";

/** An order of ours, or one that the exchange knows and we do not. */
export type FoundOrder = { kind: "stored"; order: StoredOrder } | { kind: "outside"; order: OutsideOrder };

const NATIVE_ID = /^[0-9]{1,20}$/;
/** The exchange's ids have 64 bits. */
const MAX_NATIVE_ID = 2n ** 64n - 1n;

/**
 * Finds the caller's order by any id that was ever shown for it: UUID of the order or of a modify, native id (older
 * ones of a modified order included), client order id. Throws `invalid_id` or `order_not_found`. What is to be changed is
 * looked for with the weight of the change, which reads cannot use up.
 */
export async function requireOrder(
  deps: ToLook & With<"instance">,
  caller: Caller,
  givenId: string,
  purpose: Purpose = caller.reader,
): Promise<FoundOrder> {
  const id = givenId.toLowerCase();
  const stored = findStored(deps, caller, id);
  if (stored !== null) return { kind: "stored", order: stored };
  const asked = exchangeId(deps, caller, id);
  const found = asked === null ? null : await askExchange(deps, caller, asked, purpose);
  if (found === null) throw orderNotFound();
  return found;
}

export function orderNotFound(): ApiError {
  const words = "Neither this gateway nor the exchange shows an order of this account under this id.";
  return new ApiError("order_not_found", words);
}

/** The caller's stored order by any id of it, lower case, without asking anybody. Throws `invalid_id`. */
export function findStored(deps: With<"store">, caller: Caller, id: string): StoredOrder | null {
  const { store } = deps;
  const orderId = isUuid(id)
    ? findOrder(store, id) === null
      ? findLegByCloid(store, cloidOf(id))?.orderId
      : id
    : isCloid(id)
      ? findLegByCloid(store, id)?.orderId
      : NATIVE_ID.test(id)
        ? findLegByOid(store, caller.account.id, id)?.orderId
        : invalidId();
  const order = orderId === undefined ? null : findOrder(store, orderId);
  return order !== null && order.accountId === caller.account.id ? order : null;
}

function invalidId(): never {
  throw new ApiError(
    "invalid_id",
    "`id` is a UUID, a native order id (1 to 20 digits) or a client order id (0x and 32 hex digits).",
  );
}

/** What to ask the exchange for; null where only a guess could have made the id. */
function exchangeId(deps: With<"instance">, caller: Caller, id: string): string | number | bigint | null {
  if (isCloid(id)) return id;
  if (NATIVE_ID.test(id)) return BigInt(id) <= MAX_NATIVE_ID ? jsonInteger(id) : null;
  const oid = decodeOutsideOrderId(id, deps.instance.network, caller.account.tradingAddress);
  if (oid !== null) return jsonInteger(oid);
  return carriesTag(id, deps.instance.tag) ? cloidOf(id) : null;
}

async function askExchange(
  deps: ToLook & With<"instance">,
  caller: Caller,
  oid: string | number | bigint,
  purpose: Purpose,
): Promise<FoundOrder | null> {
  const user = caller.account.tradingAddress;
  const outcome = await deps.exchange.info({ type: "orderStatus", user, oid }, { purpose });
  const answer = outcome.kind === "ok" ? parseOrderStatusOf(String(oid), outcome.json) : null;
  if (answer === null || answer.kind === "unreadable") {
    const failed = outcome.kind === "failed" ? outcome : { isOurBudget: false };
    throw couldNotAsk(deps, "about this order, which is not ours", failed, purpose);
  }
  if (answer.kind === "not_found") return askedElsewhere(deps, caller, String(oid), purpose);
  // What a modify has placed whose answer was lost is shown with a native id that no row of ours has yet.
  const own = legShown(deps, caller.account, answer.order);
  if (own !== null) return { kind: "stored", order: heardOf(deps, own, answer.order.oid) };
  return { kind: "outside", order: await outsideOrder(deps, caller.account, answer, purpose) };
}

/** One server does not know it, which alone says nothing where another has shown it. Null where none has. */
async function askedElsewhere(
  deps: ToLook & With<"instance">,
  { account }: Caller,
  oid: string,
  purpose: Purpose,
): Promise<FoundOrder | null> {
  const listed = listedRecord(deps, account, oid);
  if (listed !== null) return { kind: "outside", order: await outsideOrder(deps, account, listed, purpose) };
  if (!wasToldLately(deps, account, oid)) return null;
  const words = "The exchange has told of this order, and the server that was asked does not know it yet: ask again.";
  throw new ApiError("exchange_unreachable", words);
}
