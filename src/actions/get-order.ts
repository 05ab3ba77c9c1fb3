import { isLive } from "../core/order.ts";
import { orderText } from "../core/resource.ts";
import type { ToLook, With } from "../deps.ts";
import { notedAtEarliestMs } from "../settle/record/noted-time.ts";
import { findOrder } from "../store/orders.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { AGE_MS } from "./current.ts";
import { requireOrder } from "./find-order.ts";
import { isShownNow } from "./shown-now.ts";

/** `GET /v1/orders/{id}`: a closed order from the database, a live one after a look at the exchange. */
export async function getOrder(
  deps: ToLook & With<"fillIndex" | "instance" | "settling">,
  caller: Caller,
  id: string,
): Promise<ReadAnswer> {
  const found = await requireOrder(deps, caller, id);
  if (found.kind === "outside") return { body: orderText(found.order), asOfMs: null };
  const { order } = found;
  if (!isLive(order.status)) return { body: orderText(order), asOfMs: null };
  const { account } = caller;
  if (isShownNow(deps, account, { order, withinMs: AGE_MS })) return { body: orderText(order), asOfMs: null };
  const wasTold = deps.feeds.isLive(account.tradingAddress);
  const looked = await deps.settling.look(order.id, caller.reader);
  const now = findOrder(deps.store, order.id) ?? order;
  const body = orderText(now);
  if (!isLive(now.status)) return { body, asOfMs: null };
  // A node that does not know the order has told nothing new of it.
  const isAsLastKnown = looked === "failed" || looked === "not_found";
  // What is filled was told by a feed, which was last found to have told everything at that time.
  const isTold = now.status === "open" && (wasTold || deps.feeds.isLive(account.tradingAddress));
  if (!isAsLastKnown && !isTold) return { body, asOfMs: null };
  // Nothing of it can have been filled before it was there.
  const placedMs = notedAtEarliestMs(deps, { ...now, seenAtMs: null });
  const filledAsOfMs = Math.max(placedMs, deps.fillIndex.readToMs(account) ?? 0);
  return { body, asOfMs: isAsLastKnown ? Math.min(filledAsOfMs, notedAtEarliestMs(deps, now)) : filledAsOfMs };
}
