import { ApiError } from "../../core/errors.ts";
import { type Delivery, type Hook, nameOfAlertOrder } from "../../core/hook/hook.ts";
import { keyOfBot } from "../../core/idempotency.ts";
import { pageOf } from "../../core/page.ts";
import { isoTime, listText } from "../../core/resource.ts";
import { isUuid } from "../../core/uuid.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { listDeliveries } from "../../store/hook-deliveries.ts";
import { findHook } from "../../store/hooks.ts";
import { findKeyRecord } from "../../store/idempotency.ts";
import type { Caller } from "../../write/caller.ts";
import type { ReadAnswer } from "../answer.ts";

export type ListAlerts = {
  hookId: string;
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
};

/** Characters of an alert that are shown: more than one has that can be carried out. */
const MAX_SHOWN = 500;

/** `GET /v1/hooks/{id}/deliveries`: newest first. Throws `invalid_id`, `hook_not_found` or `invalid_cursor`. */
export function listAlerts(
  deps: With<"store">,
  { account }: Caller,
  { hookId: givenId, cursor, limit }: ListAlerts,
): ReadAnswer {
  const id = givenId.toLowerCase();
  if (!isUuid(id)) throw new ApiError("invalid_id", "`id` is the UUID of a hook.");
  const before = requireCursor(cursor);
  const hook = findHook(deps.store, id);
  if (hook === null || hook.accountId !== account.id)
    throw new ApiError("hook_not_found", "There is no such hook on this account.");
  const { rows, nextCursor } = pageOf(listDeliveries(deps.store, id, { before, limit: limit + 1 }), limit, (row) =>
    String(row.id),
  );
  const data = rows.map((row) => alertResource(deps, hook, row));
  return { body: listText(data, nextCursor), asOfMs: null };
}

const PLACE = /^[1-9][0-9]{0,14}$/;

function requireCursor(cursor: string | null): number | null {
  if (cursor === null || PLACE.test(cursor)) return cursor === null ? null : Number(cursor);
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}

/** What came, what became of it, and which orders. */
export function alertResource(deps: With<"store">, hook: Hook, delivery: Delivery) {
  const { id, receivedAtMs, alertAtMs, market, body, status, reason, endedAtMs, repeats } = delivery;
  return {
    object: "delivery" as const,
    id: String(id),
    hook: hook.id,
    received_at: isoTime(receivedAtMs),
    alert_at: alertAtMs === null ? null : isoTime(alertAtMs),
    body: body.slice(0, MAX_SHOWN),
    market,
    status,
    reason,
    order_ids: orderIds(deps, hook, delivery),
    repeats,
    ended_at: endedAtMs === null ? null : isoTime(endedAtMs),
  };
}

/** The oldest first. A process that died may not have counted the last of one that is still carried out. */
function orderIds({ store }: With<"store">, hook: Hook, delivery: Delivery): string[] {
  const { steps, orderId, status } = delivery;
  if (status !== "accepted" && steps <= 1) return orderId === null ? [] : [orderId];
  const bot = botOf(store, hook.keyHash);
  const asked = Array.from({ length: steps + 1 }, (_, nth) => nameOfAlertOrder(hook, delivery, nth + 1));
  return asked.flatMap((name) => findKeyRecord(store, hook.accountId, keyOfBot(bot, name))?.resource.id ?? []);
}
