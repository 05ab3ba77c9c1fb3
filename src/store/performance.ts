/** The books of who has made what: lines by day, market and key, what each key holds, and how far they have come. */
import { and, asc, desc, eq, gt, gte, lt, lte, sql } from "drizzle-orm";
import type { HeldBy, Line, OwnedFill, PaidFunding } from "../core/performance.ts";
import { NO_FIGURES, NOBODY, sumFigures } from "../core/performance.ts";
import { listed, type StoredFill } from "./fills.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared } from "./prepared.ts";
import { fills } from "./schema.ts";
import { fundingPayments, performanceCursors, performanceDays, performancePositions } from "./schema-record.ts";

export type PerformanceCursor = typeof performanceCursors.$inferSelect;

const cursorOf = prepared((store) =>
  store
    .select()
    .from(performanceCursors)
    .where(eq(performanceCursors.accountId, sql.placeholder("accountId")))
    .prepare(),
);

/** Null before anything was booked. */
export function findPerformanceCursor(store: Store, accountId: string): PerformanceCursor | null {
  return cursorOf(store).get({ accountId }) ?? null;
}

const putCursor = prepared((store) =>
  store
    .insert(performanceCursors)
    .values(placeholders(performanceCursors))
    .onConflictDoUpdate({
      target: performanceCursors.accountId,
      set: assignments(performanceCursors, ["fromMs", "toMs", "seenFills", "seenFunding"]),
    })
    .prepare(),
);

export function putPerformanceCursor(store: Store, cursor: PerformanceCursor): void {
  putCursor(store).run(cursor);
}

/** Begins the books of an account anew. */
export function forgetPerformance(store: Store, accountId: string): void {
  store.delete(performanceDays).where(eq(performanceDays.accountId, accountId)).run();
  store.delete(performancePositions).where(eq(performancePositions.accountId, accountId)).run();
  store.delete(performanceCursors).where(eq(performanceCursors.accountId, accountId)).run();
}

/** How many rows of each have been told so far: rows are numbered in that order. */
export function countTold(store: Store): { fills: number; funding: number } {
  const newest = newestTold(store).get();
  const paid = newestPaid(store).get();
  return { fills: newest?.row ?? 0, funding: paid?.row ?? 0 };
}

const newestTold = prepared((store) =>
  store
    .select({ row: sql<number | null>`max(${fills}.rowid)` })
    .from(fills)
    .prepare(),
);
const newestPaid = prepared((store) =>
  store
    .select({ row: sql<number | null>`max(${fundingPayments}.rowid)` })
    .from(fundingPayments)
    .prepare(),
);

/** The earliest of what has been told since and is older than what is booked, exchange time, unix milliseconds; null where nothing is. */
export function earliestLateMs(
  store: Store,
  { accountId, toMs, seenFills, seenFunding }: PerformanceCursor,
): number | null {
  const asked = { accountId, toMs };
  const late = [
    lateFill(store).get({ ...asked, seen: seenFills }),
    latePayment(store).get({ ...asked, seen: seenFunding }),
  ];
  const times = late.flatMap((row) => row?.timeMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

// By the number of the row: nearly always there is nothing newer.
const lateFill = prepared((store) =>
  store
    .select({ timeMs: sql<number | null>`min(${fills.timeMs})` })
    .from(fills)
    .where(
      and(
        gt(sql`${fills}.rowid`, sql.placeholder("seen")),
        eq(sql`+${fills.accountId}`, sql.placeholder("accountId")),
        lte(sql`+${fills.timeMs}`, sql.placeholder("toMs")),
      ),
    )
    .prepare(),
);

const latePayment = prepared((store) =>
  store
    .select({ timeMs: sql<number | null>`min(${fundingPayments.timeMs})` })
    .from(fundingPayments)
    .where(
      and(
        gt(sql`${fundingPayments}.rowid`, sql.placeholder("seen")),
        eq(sql`+${fundingPayments.accountId}`, sql.placeholder("accountId")),
        lte(sql`+${fundingPayments.timeMs}`, sql.placeholder("toMs")),
      ),
    )
    .prepare(),
);

/** After the first and up to the last, unix milliseconds. */
export type Stretch = { accountId: string; afterMs: number; toMs: number };

const nextFills = prepared((store) =>
  store
    .select()
    .from(fills)
    .where(
      and(
        eq(fills.accountId, sql.placeholder("accountId")),
        gt(fills.timeMs, sql.placeholder("afterMs")),
        lte(fills.timeMs, sql.placeholder("toMs")),
      ),
    )
    .orderBy(asc(fills.timeMs), asc(fills.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Whole moments, oldest first, about `count` of them; `isLast` where the stretch has no more. */
export function listOwnedFills(store: Store, stretch: Stretch, count: number): { fills: OwnedFill[]; isLast: boolean } {
  const found = nextFills(store).all({ ...stretch, limit: count });
  const last = found.at(-1);
  if (found.length < count || last === undefined)
    return { fills: owned(store, stretch.accountId, found), isLast: true };
  const whole = found.filter(({ timeMs }) => timeMs < last.timeMs);
  const ofLast = nextFills(store).all({ ...stretch, afterMs: last.timeMs - 1, toMs: last.timeMs, limit: -1 });
  return { fills: owned(store, stretch.accountId, [...whole, ...ofLast]), isLast: false };
}

function owned(store: Store, accountId: string, rows: readonly StoredFill[]): OwnedFill[] {
  return listed(store, accountId, rows).map(({ fill, keyHash }) => ({ ...fill, keyHash: keyHash ?? NOBODY }));
}

const paymentsWithin = prepared((store) =>
  store
    .select()
    .from(fundingPayments)
    .where(
      and(
        eq(fundingPayments.accountId, sql.placeholder("accountId")),
        gt(fundingPayments.timeMs, sql.placeholder("afterMs")),
        lte(fundingPayments.timeMs, sql.placeholder("toMs")),
      ),
    )
    .orderBy(asc(fundingPayments.timeMs), asc(fundingPayments.id))
    .prepare(),
);

/** Oldest first. */
export function listPaidFunding(store: Store, stretch: Stretch): PaidFunding[] {
  return paymentsWithin(store).all(stretch);
}

const heldOf = prepared((store) =>
  store
    .select()
    .from(performancePositions)
    .where(eq(performancePositions.accountId, sql.placeholder("accountId")))
    .prepare(),
);

/** What the keys of an account hold, by market and key. */
export function listHeld(store: Store, accountId: string): HeldBy[] {
  return heldOf(store).all({ accountId });
}

const putHeldRow = prepared((store) =>
  store
    .insert(performancePositions)
    .values(placeholders(performancePositions))
    .onConflictDoUpdate({
      target: [performancePositions.accountId, performancePositions.market, performancePositions.keyHash],
      set: assignments(performancePositions, ["size", "cost"]),
    })
    .prepare(),
);

export function putHeld(store: Store, accountId: string, held: readonly HeldBy[]): void {
  for (const each of held) putHeldRow(store).run({ accountId, ...each });
}

const ofLine = and(
  eq(performanceDays.accountId, sql.placeholder("accountId")),
  eq(performanceDays.day, sql.placeholder("day")),
  eq(performanceDays.market, sql.placeholder("market")),
  eq(performanceDays.keyHash, sql.placeholder("keyHash")),
);
const findLine = prepared((store) => store.select().from(performanceDays).where(ofLine).prepare());
const putLine = prepared((store) =>
  store
    .insert(performanceDays)
    .values(placeholders(performanceDays))
    .onConflictDoUpdate({
      target: [performanceDays.accountId, performanceDays.day, performanceDays.market, performanceDays.keyHash],
      set: assignments(performanceDays, ["fills", "volume", "fees", "builderFees", "funding", "realizedPnl"]),
    })
    .prepare(),
);

export function addToLines(store: Store, accountId: string, lines: readonly Line[]): void {
  for (const line of lines) {
    const { day, market, keyHash } = line;
    const known = findLine(store).get({ accountId, day, market, keyHash }) ?? NO_FIGURES;
    putLine(store).run({ accountId, day, market, keyHash, ...sumFigures(known, line) });
  }
}

/** From the first day on, and before the other. */
export type Days = { accountId: string; fromDay: number; beforeDay: number };

export type LinePlace = Pick<Line, "day" | "market" | "keyHash">;

/** Newest day first, at most `count`, behind `after` where it is given. */
export function listLines(
  store: Store,
  { accountId, fromDay, beforeDay }: Days,
  count: number,
  after: LinePlace | null = null,
): Line[] {
  const { day, market, keyHash } = performanceDays;
  const isBehind =
    after === null
      ? undefined
      : sql`(${day}, ${market}, ${keyHash}) < (${after.day}, ${after.market}, ${after.keyHash})`;
  return store
    .select()
    .from(performanceDays)
    .where(and(eq(performanceDays.accountId, accountId), gte(day, fromDay), lt(day, beforeDay), isBehind))
    .orderBy(desc(day), desc(market), desc(keyHash))
    .limit(count)
    .all();
}
