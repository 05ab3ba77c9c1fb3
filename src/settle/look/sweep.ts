import type { HistoryAnswer } from "../../core/evidence.ts";
import type { Filled } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions, InfoRequest } from "../../exchange/exchange.ts";
import { shownFills } from "../../exchange/told-fill.ts";
import { type Fill, parseFills } from "../../wire/answer/fills.ts";
import { parseFrontendOpenOrders } from "../../wire/answer/open-orders.ts";
import { type FrontendOrder, parseHistoricalOrders } from "../../wire/answer/order-status.ts";
import { shownListed } from "../feed/shown.ts";
import { readFillsSince, sumFills } from "../fills/fill-pages.ts";

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

/** The sweep's questions: open orders of each dex, history, and fills from a little before the first send on. */
export function sweepRequests(world: With<"settings">, user: string, sinceMs: number): InfoRequest[] {
  const open = ["", ...world.settings.dexes].map((dex) => ({ type: "frontendOpenOrders", user, dex }));
  const fills = { type: "userFillsByTime", user, startTime: sinceMs - FILLS_LEAD_MS };
  return [...open, { type: "historicalOrders", user }, fills];
}

/** The answers to `sweepRequests`; null when any part cannot be read: half a sweep proves nothing. */
export async function readSweep(
  world: With<"exchange" | "feeds" | "settings">,
  about: { user: string; sinceMs: number; json: readonly unknown[] },
  options: InfoOptions,
): Promise<Sweep | null> {
  const { user, sinceMs, json } = about;
  const firstFills = parseFills(json.at(-1));
  const history = parseHistoricalOrders(json.at(-2));
  const open = json.slice(0, -2).map(parseFrontendOpenOrders);
  if (firstFills === null || history === null || open.some((orders) => orders === null)) return null;
  world.feeds.showed(user, [...shownFills(firstFills), ...open.flatMap((orders) => shownListed(orders ?? []))]);
  const isWhole = firstFills.length < world.settings.fillsPageRows;
  const fills = isWhole ? firstFills : await readFillsSince(world, { user, sinceMs: sinceMs - FILLS_LEAD_MS }, options);
  return fills === "failed" ? null : { open: open.flatMap((orders) => orders ?? []), history, fills };
}

export type Swept =
  | { kind: "open"; order: FrontendOrder; filled: Filled }
  | { kind: "past"; order: FrontendOrder; status: string; statusTimestampMs: number; filled: Filled }
  /** Only fills are left of it: the record is older than the exchange keeps. */
  | { kind: "fills_only"; oid: string; coin: string; side: Fill["side"]; filled: Filled }
  /** With what the history that lacks it vouches for. */
  | { kind: "not_found"; history: HistoryAnswer };

/**
 * What a sweep shows of one client order id.
 *
 * @param sentAtMs exchange time, unix milliseconds
 * @param hasTradedBefore something of the account from before that is known: a history that shows nothing so old is cut short
 */
export function findInSweep(sweep: Sweep, cloid: string, sentAtMs: number, hasTradedBefore = false): Swept {
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
  if (first !== undefined) {
    const { oid, coin, side } = first;
    return { kind: "fills_only", oid, coin, side, filled };
  }
  return { kind: "not_found", history: historyOf(sweep, sentAtMs, hasTradedBefore) };
}

/** What the history vouches for about something that was sent at that time. */
function historyOf(sweep: Sweep, sentAtMs: number, hasTradedBefore: boolean): HistoryAnswer {
  const times = sweep.history.map(({ statusTimestampMs }) => statusTimestampMs);
  const placed = sweep.open.map(({ timestampMs }) => timestampMs);
  const reachesBack = reachesBackTo(sweep, sentAtMs, hasTradedBefore);
  return { newestAtMs: newestOf(times), listedAtMs: newestOf(placed), reachesBack };
}

function newestOf(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.max(...times);
}

/** True when a record of what was sent at that time would have to be in the history. */
export function reachesBackTo(sweep: Sweep, sentAtMs: number, hasTradedBefore = false): boolean {
  if (sweep.history.length < HISTORY_ROWS && !hasTradedBefore) return true;
  return sweep.history.some(({ statusTimestampMs }) => statusTimestampMs < sentAtMs);
}
