import type { KeyRecord, WriteAnswer } from "../core/idempotency.ts";
import type { OrderTerms } from "../core/order.ts";
import { orderText } from "../core/resource.ts";
import { canIncrease } from "../core/stop.ts";
import type { ToSign, ToWrite, With } from "../deps.ts";
import { newOrder, storePlacing } from "../settle/place/new-order.ts";
import { recordElsewhere, recordPlaceReply } from "../settle/place/place.ts";
import { shownElsewhere } from "../settle/place/shown-market.ts";
import { nonceFor, requireAgent } from "../settle/send/intent.ts";
import { appendAudit } from "../store/audit.ts";
import { appendNote } from "../store/notes.ts";
import { insertRefused, type Placing, type StoredOrder } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";
import { printedTerms } from "../write/fingerprint.ts";
import { answerEarlier, requestOf } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Stored, Write } from "../write/verb.ts";
import { builderFor, heedBuilderRefusal } from "./builder.ts";
import { knownFault, readRulesAgain, requireMarket } from "./market-rules.ts";

/** To plan what is placed, and to read its answer. */
export type ToPlanOrder = ToSign &
  With<"builderApproval" | "commits" | "feeds" | "instance" | "log" | "markets" | "picture" | "settling">;

/** To plan and place orders, by whichever verb. */
export type ToPlaceOrder = ToWrite & ToPlanOrder;

/** `POST /v1/orders`: one key, at most one order. Throws `ApiError` only while nothing has been sent. */
export async function placeOrder(
  deps: ToPlaceOrder,
  caller: Caller,
  wanted: OrderTerms & Pick<KeyRecord, "accountId" | "fingerprint" | "idempotencyKey">,
): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  return runWrite(deps, writeOf(deps, caller, wanted));
}

function writeOf(
  deps: ToPlaceOrder,
  caller: Caller,
  wanted: OrderTerms & Pick<KeyRecord, "accountId" | "fingerprint" | "idempotencyKey">,
): Write {
  return {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/orders",
    bucket: "orders",
    isCancel: false,
    asked: printedTerms(wanted),
    placedTerms: "as_asked",
    isCreating: true,
    plan: () => planPlacing(deps, caller, wanted),
  };
}

/** The answer of the order that an earlier request placed under this key; null where there is none. Places nothing. */
export function findPlacedOrder(
  deps: ToPlaceOrder,
  caller: Caller,
  wanted: OrderTerms & Pick<KeyRecord, "accountId" | "fingerprint" | "idempotencyKey">,
): Promise<WriteAnswer | null> {
  return answerEarlier(deps, writeOf(deps, caller, wanted));
}

/**
 * The plan of one order, for every verb that places one by itself.
 *
 * @param wanted `note`: a line for the order's story, how it came to its terms
 */
export async function planPlacing(
  deps: ToPlanOrder,
  caller: Caller,
  wanted: OrderTerms & { idempotencyKey: string; note?: { what: string; detail: string } },
): Promise<Plan> {
  const known = await requireMarket(deps, wanted.market, !wanted.reduceOnly);
  const { market, fault } =
    knownFault(deps, known, wanted) === null
      ? { market: known, fault: null }
      : await readRulesAgain(deps, known, wanted, !wanted.reduceOnly);
  const { id: accountId } = caller.account;
  const { idempotencyKey } = wanted;
  const planned = newOrder(deps, { accountId, market, terms: wanted, idempotencyKey, keyHash: caller.key.keyHash });
  return {
    resource: { kind: "order", id: planned.id },
    use: wanted.reduceOnly ? "reduce" : "order",
    isSent: fault === null,
    isOrder: true,
    increasesFor: canIncrease(wanted, market.pairName) ? [caller.key.keyHash] : [],
    market: market.name,
    keyRow: "in_the_order",
    store(keyRecord, slot) {
      const order = { ...planned, createdAtMs: keyRecord.createdAtMs };
      if (wanted.note !== undefined) {
        appendNote(deps.store, { resourceId: order.id, attemptId: null, atMs: order.createdAtMs, ...wanted.note });
      }
      if (fault !== null) return storeRefused(deps, caller, { order, keyRecord }, fault);
      // The agent may have been retired since the request was let in.
      const signer = requireAgent(deps, caller.account);
      const builder = builderFor(deps, { account: caller.account, market, side: order.side });
      const placer = { account: caller.account, actor: caller.key.keyHash, builder };
      const placing = storePlacing(deps, { order, keyRecord }, placer, nonceFor(deps, signer));
      slot.take(placing.attempt);
      return {
        kind: "outgoing",
        attempt: placing.attempt,
        async conclude(reply) {
          heedBuilderRefusal(deps, caller.account, reply);
          const elsewhere = await shownElsewhere(deps, placing, caller.account.tradingAddress, reply);
          return elsewhere === null
            ? recordPlaceReply(deps, placing, reply)
            : recordElsewhere(deps, deps.settling, placing, elsewhere);
        },
      };
    },
  };
}

/** Inside the intent's transaction: stores an order that the exchange would certainly refuse, and sends nothing. */
function storeRefused(
  deps: With<"store">,
  caller: Caller,
  { order: wanted, keyRecord }: Pick<Placing, "order" | "keyRecord">,
  fault: string,
): Stored {
  const order: StoredOrder = { ...wanted, status: "rejected", error: fault };
  const answer = { status: 201, body: orderText(order) } as const;
  insertRefused(deps.store, order, { ...keyRecord, answer });
  appendAudit(deps.store, {
    atMs: order.createdAtMs,
    actor: caller.key.keyHash,
    event: "refuse_place",
    reference: order.id,
    detail: { reason: fault },
  });
  return { kind: "said", ...answer };
}
