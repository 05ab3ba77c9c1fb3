/** An account with more fills than fit into one answer: the page is made short instead of the list long. */
import type { Lens } from "./lens.ts";

/** Rows of one answer in such a run; all of one moment stay together, as 2,000 of them would. */
export const SHORT_PAGE_ROWS = 3;

export function shortPages(...[{ type }, answer]: Parameters<Lens>): unknown {
  if (type !== "userFillsByTime") return answer;
  // Shape of the paper exchange's own reader, oldest first.
  const rows = answer as { time: number }[];
  const lastMs = rows[SHORT_PAGE_ROWS - 1]?.time ?? Number.POSITIVE_INFINITY;
  return rows.filter(({ time }, index) => index < SHORT_PAGE_ROWS || time === lastMs);
}
