/** The index of fills, held against what was filled. */
import type { Database } from "bun:sqlite";
import type { Venue } from "./venue.ts";
import type { Wrongly } from "./worlds/wrong.ts";

/**
 * Without a feed fills are read every 30 s; where what is unknown has taken the weight for that, about a minute later with what settling
 * has. Milliseconds.
 */
const INDEX_LAG_MS = 110_000;

/** The fills that we keep of an account are those that the exchange has. */
export function auditFills(
  database: Database,
  { venue, wrongly }: { venue: Venue; wrongly: Wrongly },
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
    .filter((fill) => !shown.has(idOf(fill)));
  const own = ownIds(venue, account);
  const findings = missing.map((fill) => `fill ${fill.tid} of order ${fill.oid} is not in the index`);
  // A fill names no account: one that nothing in its answer told from its own is kept.
  const given = wrongly.fillsGivenTo(account.tradingAddress);
  if (kept.some(({ id }) => !own.has(id) && !given.has(id))) findings.push("there are fills that the exchange has not");
  return findings;
}

/** As our index names it. */
function idOf({ timeMs, coin, tid }: ReturnType<Venue["fillsOf"]>[number]): string {
  return `${timeMs}-${coin}-${tid}`;
}

function ownIds(venue: Venue, { tradingAddress }: { tradingAddress: string }): Set<string> {
  return new Set(venue.fillsOf(tradingAddress).map(idOf));
}

/** A fill of another's is kept that nothing in its answer told from the account's own. */
export function hasForeignFill(
  database: Database,
  { venue, wrongly }: { venue: Venue; wrongly: Wrongly },
  account: { id: string; tradingAddress: string },
): boolean {
  const own = ownIds(venue, account);
  const given = wrongly.fillsGivenTo(account.tradingAddress);
  return database
    .prepare<{ id: string }, [string]>("select id from fills where account_id = ?")
    .all(account.id)
    .some(({ id }) => given.has(id) && !own.has(id));
}

/** What is said where a gateway waits for good. */
const WAITS = ["never settled", " was never done", "status is unknown here", "filled_size is null here"] as const;

/**
 * Where it keeps such a fill no position stands where the known fills have left it, so that the size of an order which has nothing else to
 * tell it stays open: it is `unknown` for good, and what waits for it goes on. Nothing that is told may be false for all that.
 */
export function withoutForeignWaits(
  run: { database: Database; venue: Venue; wrongly: Wrongly },
  accounts: readonly { id: string; tradingAddress: string }[],
  findings: readonly string[],
): string[] {
  const isWaiting = accounts.some((account) => hasForeignFill(run.database, run, account));
  return findings.filter((finding) => !isWaiting || !WAITS.some((words) => finding.includes(words)));
}
