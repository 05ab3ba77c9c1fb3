/** How many orders of an account may be open, without counting them for each order that is placed. */
import type { Store } from "./open.ts";
import { remembered } from "./remembered.ts";

/** `live`: orders that may be open; `shown`: of these, those that the exchange has shown to be. */
export type LiveCount = { live: number; shown: number };

type Tally = {
  /** Since these were counted `written` has grown by the orders that were written. */
  counted: Map<string, LiveCount & { written: number }>;
  /** Rows of orders that were written, each of which may be one more that is open, or is shown to be no more. */
  written: { orders: number };
};

/** It is counted anew after so many: what is told is no further from it. */
const MAX_SINCE = 64;

/** One tally a connection: under one name. */
const NAME = "live";
const kept = remembered<Tally>(() => null);

/** `mostLive`: no more of them are open; `fewestShown`: no fewer are shown to be. */
export type LiveRange = { mostLive: number; fewestShown: number };

export function liveWithin(
  store: Store,
  accountId: string,
  count: (store: Store, accountId: string) => LiveCount,
): LiveRange {
  const { counted, written } = tallyOf(store);
  const known = counted.get(accountId);
  const since = known === undefined ? 0 : written.orders - known.written;
  if (known !== undefined && since <= MAX_SINCE)
    return { mostLive: known.live + since, fewestShown: Math.max(0, known.shown - since) };
  const now = count(store, accountId);
  counted.set(accountId, { ...now, written: written.orders });
  return { mostLive: now.live, fewestShown: now.shown };
}

/** For whoever writes an order that may be open from then on, or that may be shown to be open no more: an end of its placing is neither. */
export function noteWritten(store: Store): void {
  const tally = kept.find(store, NAME);
  if (tally !== null) tally.written.orders += 1;
}

function tallyOf(store: Store): Tally {
  const known = kept.find(store, NAME);
  if (known !== null) return known;
  const tally: Tally = { counted: new Map(), written: { orders: 0 } };
  kept.put(store, NAME, tally);
  return tally;
}
