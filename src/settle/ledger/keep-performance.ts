/** Keeps the books of who has made what: a few fills at a time, and from the beginning where something older came late. */
import { book } from "../../core/performance.ts";
import type { With } from "../../deps.ts";
import { listAccounts } from "../../store/accounts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { findLedgerCursor } from "../../store/ledger.ts";
import type { Store } from "../../store/open.ts";
import {
  addToLines,
  countTold,
  earliestLateMs,
  findPerformanceCursor,
  forgetPerformance,
  listHeld,
  listOwnedFills,
  listPaidFunding,
  type PerformanceCursor,
  putHeld,
  putPerformanceCursor,
} from "../../store/performance.ts";
import { paidToMs, wholeToMs } from "./index-ledger.ts";

/** Between two rounds, milliseconds. */
export const PERFORMANCE_INTERVAL_MS = 15_000;
/** Fills of one transaction: those that place orders wait for no more than that. */
const FILLS_AT_ONCE = 200;
/** Transactions of one round; the rest is the next round's. */
const MAX_STEPS = 100;
const STEP_PAUSE_MS = 20;
/** Fills that are younger may still come out of turn, or before the answer that says whose they are, milliseconds. */
const SETTLED_AFTER_MS = 10_000;
/** Where nothing has happened, how far the books are is written this often, milliseconds. */
const NOTED_EVERY_MS = 60_000;

export type ToKeepPerformance = With<"clock" | "exchange" | "log" | "store">;

export async function keepPerformance(world: ToKeepPerformance, isStopped: () => boolean): Promise<void> {
  for (const { id } of listAccounts(world.store)) {
    for (let step = 0; step < MAX_STEPS && !isStopped(); step += 1) {
      // Looked at first: mostly there is nothing to write.
      if (!hasNext(world.store, id, world.exchange.nowMs())) break;
      if (!inTransactionNotWaiting(world.store, (store) => bookNext(store, id, world.exchange.nowMs()))) break;
      await world.clock.sleep(STEP_PAUSE_MS);
    }
  }
}

/** Whether `bookNext` would write anything. */
export function hasNext(store: Store, accountId: string, nowMs: number): boolean {
  const known = findPerformanceCursor(store, accountId);
  return (
    (known !== null && earliestLateMs(store, known) !== null) ||
    nextAfter(store, known ?? begun(accountId), nowMs) !== null
  );
}

/** True where there is more to book. */
export function bookNext(store: Store, accountId: string, nowMs: number): boolean {
  const known = findPerformanceCursor(store, accountId);
  if (known !== null && earliestLateMs(store, known) !== null) forgetPerformance(store, accountId);
  const cursor = findPerformanceCursor(store, accountId) ?? begun(accountId);
  const next = nextAfter(store, cursor, nowMs);
  if (next === null) return false;
  const { fills, payments, toMs, isQuiet, isLast } = next;
  const { held, lines } = book(isQuiet ? [] : listHeld(store, accountId), { fills, payments });
  putHeld(store, accountId, held);
  addToLines(store, accountId, lines);
  const told = countTold(store);
  const fromMs = cursor.fromMs ?? fills[0]?.timeMs ?? payments[0]?.timeMs ?? null;
  putPerformanceCursor(store, { accountId, fromMs, toMs, seenFills: told.fills, seenFunding: told.funding });
  return !isLast;
}

/** What comes after that, null where it is not worth writing. Nothing is booked past an hour whose funding may not be shown yet. */
function nextAfter(store: Store, { accountId, toMs: afterMs }: PerformanceCursor, nowMs: number) {
  const funded = wholeToMs(findLedgerCursor(store, accountId, "funding"), nowMs);
  const boundMs = Math.min(nowMs - SETTLED_AFTER_MS, funded === null ? -1 : paidToMs(funded));
  if (boundMs <= afterMs) return null;
  const { fills, isLast } = listOwnedFills(store, { accountId, afterMs, toMs: boundMs }, FILLS_AT_ONCE);
  const toMs = isLast ? boundMs : (fills.at(-1)?.timeMs ?? boundMs);
  const payments = listPaidFunding(store, { accountId, afterMs, toMs });
  const isQuiet = fills.length === 0 && payments.length === 0;
  return isQuiet && toMs - afterMs < NOTED_EVERY_MS ? null : { fills, payments, toMs, isQuiet, isLast };
}

function begun(accountId: string): PerformanceCursor {
  return { accountId, fromMs: null, toMs: -1, seenFills: 0, seenFunding: 0 };
}
