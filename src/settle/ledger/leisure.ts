import type { With } from "../../deps.ts";
import { listOpenAttempts } from "../../store/attempts.ts";

/** What clients may still read this minute while something is read for the record, weight: half of what they have at rest. */
const LEFT_FOR_CLIENTS = 200;

/** The record comes last: nothing is read for it while an outcome is open, or while clients read a lot. */
export function isAtLeisure({ exchange, store }: With<"exchange" | "store">): boolean {
  const left = exchange.budgetLeft("read");
  return (left === null || left >= LEFT_FOR_CLIENTS) && listOpenAttempts(store).length === 0;
}
