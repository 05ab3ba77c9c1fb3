import { forgetOldEvents, PRUNE_INTERVAL_MS } from "./forget-events.ts";
import { keepLedgers, LEDGER_INTERVAL_MS, type ToIndexLedger } from "./ledger/index-ledger.ts";
import { keepPerformance, PERFORMANCE_INTERVAL_MS } from "./ledger/keep-performance.ts";
import { keepListed, LIST_INTERVAL_MS } from "./list-anew.ts";
import type { Repeating } from "./repeating.ts";

/** What is done for the record in the background: nobody waits for any of it. */
export function keepRecord(repeating: Repeating, world: ToIndexLedger): void {
  repeating.fromNow(PRUNE_INTERVAL_MS, () => forgetOldEvents(world, repeating.isStopped));
  repeating.every(LIST_INTERVAL_MS, () => keepListed(world, repeating.isStopped));
  repeating.every(LEDGER_INTERVAL_MS, () => keepLedgers(world, repeating.isStopped));
  repeating.every(PERFORMANCE_INTERVAL_MS, () => keepPerformance(world, repeating.isStopped));
}
