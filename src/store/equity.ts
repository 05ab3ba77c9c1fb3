/** What accounts were worth, sample by sample: close together for a month, by the hour for two years, by the day after that. */
import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { equitySamples } from "./schema-record.ts";

export type EquitySample = typeof equitySamples.$inferSelect;

const insert = prepared((store) =>
  store.insert(equitySamples).values(placeholders(equitySamples)).onConflictDoNothing().prepare(),
);

export function insertEquitySample(store: Store, sample: EquitySample): void {
  insert(store).run(sample);
}

/** The one that is nearest to a time: the newest before it, or the first from it on. */
function nearest(isNear: SQL, order: SQL) {
  return prepared((store) =>
    store
      .select()
      .from(equitySamples)
      .where(and(eq(equitySamples.accountId, sql.placeholder("accountId")), isNear))
      .orderBy(order)
      .limit(1)
      .prepare(),
  );
}

const before = nearest(lt(equitySamples.atMs, sql.placeholder("beforeMs")), desc(equitySamples.atMs));
const from = nearest(gte(equitySamples.atMs, sql.placeholder("fromMs")), asc(equitySamples.atMs));

/** The newest before that time; null for none. */
export function findSampleBefore(store: Store, accountId: string, beforeMs: number): EquitySample | null {
  return before(store).get({ accountId, beforeMs }) ?? null;
}

/** The first from that time on; null for none. */
export function findSampleFrom(store: Store, accountId: string, fromMs: number): EquitySample | null {
  return from(store).get({ accountId, fromMs }) ?? null;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** From this age on one of each period is kept, milliseconds. */
const THINNED = [
  { olderMs: 31 * DAY_MS, periodMs: HOUR_MS },
  { olderMs: 731 * DAY_MS, periodMs: DAY_MS },
] as const;
/** So far back of that age it is looked each time: no gateway stands still for longer, milliseconds. */
const LOOKED_BACK_MS = 40 * DAY_MS;

const thin = prepared((store) =>
  store
    .delete(equitySamples)
    .where(
      and(
        eq(equitySamples.accountId, sql.placeholder("accountId")),
        gte(equitySamples.atMs, sql.placeholder("fromMs")),
        lt(equitySamples.atMs, sql.placeholder("toMs")),
        sql`exists (select 1 from equity_samples as earlier where earlier.account_id = ${equitySamples.accountId}
          and earlier.at_ms >= ${equitySamples.atMs} - ${equitySamples.atMs} % ${sql.placeholder("periodMs")}
          and earlier.at_ms < ${equitySamples.atMs})`,
      ),
    )
    .prepare(),
);

/** Of what is old, the first of each period stays. */
export function thinEquitySamples(store: Store, accountId: string, nowMs: number): void {
  for (const { olderMs, periodMs } of THINNED) {
    const toMs = nowMs - olderMs;
    thin(store).run({ accountId, fromMs: toMs - LOOKED_BACK_MS, toMs, periodMs });
  }
}
