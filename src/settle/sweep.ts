import type { Filled } from "../core/order.ts";
import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import type { Fill } from "../wire/answer/fills.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import { type FrontendOrder, parseHistoricalOrders } from "../wire/answer/order-status.ts";
import { readFillsSince, sumFills } from "./look.ts";

/** Everything that the exchange shows of an account since a time: what a look-up by id can miss. */
export type Sweep = {
  open: FrontendOrder[];
  history: { order: FrontendOrder; status: string; statusTimestampMs: number }[];
  fills: Fill[];
};

/** Rows of order history that the exchange keeps for an account. */
const HISTORY_ROWS = 2_000;
/** Fills are read from a little before the send, milliseconds. */
const FILLS_LEAD_MS = 5_000;

/** Null when any part of it could not be read: half a sweep proves nothing. */
export async function readSweep(
  world: World,
  about: { user: string; sinceMs: number },
  options: InfoOptions,
): Promise<Sweep | null> {
  const { user, sinceMs } = about;
  const open: FrontendOrder[] = [];
  for (const dex of ["", ...world.settings.dexes]) {
    const outcome = await world.exchange.info({ type: "frontendOpenOrders", user, dex }, options);
    const orders = outcome.kind === "ok" ? parseFrontendOpenOrders(outcome.json) : null;
    if (orders === null) return null;
    open.push(...orders);
  }
  const past = await world.exchange.info({ type: "historicalOrders", user }, options);
  const history = past.kind === "ok" ? parseHistoricalOrders(past.json) : null;
  if (history === null) return null;
  const fills = await readFillsSince(world, user, sinceMs - FILLS_LEAD_MS, options);
  return fills === "failed" ? null : { open, history, fills };
}

export type Swept =
  | { kind: "open"; order: FrontendOrder; filled: Filled }
  | { kind: "past"; order: FrontendOrder; status: string; statusTimestampMs: number; filled: Filled }
  /** Only fills are left of it: the record is older than the exchange keeps. */
  | { kind: "fills_only"; oid: string; filled: Filled }
  /** `isCovered` is false when the history does not reach back to the send: then absence is no proof. */
  | { kind: "not_found"; isCovered: boolean };

/** What a sweep shows of one client order id. */
export function findInSweep(sweep: Sweep, cloid: string, sentAtMs: number): Swept {
  const fills = sweep.fills.filter((fill) => fill.cloid === cloid);
  const filled = sumFills(fills);
  const open = sweep.open.find((order) => order.cloid === cloid);
  if (open !== undefined) return { kind: "open", order: open, filled };
  // The same order stands there once per change of status; the newest decides.
  const past = sweep.history
    .filter(({ order }) => order.cloid === cloid)
    .sort((a, b) => b.statusTimestampMs - a.statusTimestampMs)[0];
  if (past !== undefined) return { kind: "past", ...past, filled };
  const first = fills[0];
  if (first !== undefined) return { kind: "fills_only", oid: first.oid, filled };
  return { kind: "not_found", isCovered: covers(sweep, sentAtMs) };
}

function covers(sweep: Sweep, sentAtMs: number): boolean {
  if (sweep.history.length < HISTORY_ROWS) return true;
  return sweep.history.some(({ statusTimestampMs }) => statusTimestampMs < sentAtMs);
}
