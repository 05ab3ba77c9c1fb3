import { isoTime, tradeResource } from "../core/resource.ts";
import type { Trade } from "../core/trade.ts";
import type { Store } from "../store/open.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { listGuards } from "../store/trades.ts";
import { storyOf } from "./tell-story.ts";

/** The story of a trade: of each of its orders, and all of them in one line of time. From what is stored; asks the exchange nothing. */
export function tradeStoryOf(store: Store, trade: Trade) {
  const orders = partsOf(store, trade).map(({ part, order }) => ({ part, ...storyOf(store, order) }));
  const { side, size, market, price, createdAtMs, endedAtMs, status, error, path } = trade;
  const asked = {
    at: isoTime(createdAtMs),
    part: "trade",
    what: "asked for",
    detail: `${side} ${size} ${market} at ${price}, ${path}`,
  };
  const ended =
    endedAtMs === null
      ? []
      : [{ at: isoTime(endedAtMs), part: "trade", what: status, detail: error ?? trade.unprotectedBecause ?? "" }];
  const told = orders.flatMap(({ part, steps }) => steps.map((step) => ({ ...step, part })));
  return {
    object: "trade_story" as const,
    trade: tradeResource(trade),
    orders,
    // ISO times sort as text, and steps of one time stay in the order in which they were written.
    steps: [asked, ...told.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), ...ended],
  };
}

/** In the order of their placing: the entry among its guards. */
function partsOf(store: Store, trade: Trade): { part: string; order: StoredOrder }[] {
  const entry = trade.entryId === null ? null : findOrder(store, trade.entryId);
  const guards = (["stop", "profit"] as const).flatMap((as) =>
    listGuards(store, trade, as).map((order, index) => ({ part: `${as} ${index + 1}`, order })),
  );
  const all = entry === null ? guards : [...guards, { part: "entry", order: entry }];
  return all.sort((a, b) => a.order.createdAtMs - b.order.createdAtMs);
}
