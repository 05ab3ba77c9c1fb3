/** The index of fills, held against what was filled. */
import type { Database } from "bun:sqlite";
import type { Venue } from "./venue.ts";

/** Without a feed fills are read every 30 s, milliseconds. */
const INDEX_LAG_MS = 40_000;

/** The fills that we keep of an account are those that the exchange has. */
export function auditFills(
  database: Database,
  venue: Venue,
  account: { id: string; tradingAddress: string },
): string[] {
  const kept = database
    .prepare<{ id: string; oid: string; size: string; price: string }, [string]>(
      "select id, oid, size, price from fills where account_id = ?",
    )
    .all(account.id);
  const shown = new Set(kept.map(({ id }) => id));
  const missing = venue
    .fillsOf(account.tradingAddress)
    .filter(({ timeMs }) => timeMs < venue.nowMs() - INDEX_LAG_MS)
    .filter((fill) => !shown.has(`${fill.timeMs}-${fill.coin}-${fill.tid}`));
  const findings = missing.map((fill) => `fill ${fill.tid} of order ${fill.oid} is not in the index`);
  if (kept.length > venue.fillsOf(account.tradingAddress).length)
    findings.push("there are fills that the exchange has not");
  return findings;
}
