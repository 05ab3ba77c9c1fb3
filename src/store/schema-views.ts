/**
 * What stands in two tables, read as one. The key, the first leg and the attempt of a placing are columns of its order's row;
 * those of all else are rows of their own. Whoever reads a key, a leg or an attempt reads it here and asks neither table.
 *
 * SQLite takes a condition and an order into both halves, down to their indexes, only where each column has the same affinity
 * in both: so what stands in no column is cast.
 */
import {
  and,
  type Column,
  eq,
  getTableColumns,
  getViewSelectedFields,
  inArray,
  isNotNull,
  type SQL,
  sql,
} from "drizzle-orm";
import { QueryBuilder, sqliteView, unionAll } from "drizzle-orm/sqlite-core";
import { attempts, idempotency, legs, orders } from "./schema.ts";

/** The builder that a view is handed by itself leaves names as they are here. */
const query = new QueryBuilder({ casing: "snake_case" });

/** The client order id of an order, which is that of the leg in its row. */
const OWN_CLOID = sql<string>`cast('0x' || replace(${orders.id}, '-', '') as text)`;
const ORDER = sql<"order">`cast('order' as text)`;
const NONE = sql<null>`cast(null as text)`;
const ZERO = sql<0>`cast(0 as integer)`;

/** A column that is never null in a row that has its part at all; `prepared` throws where one is. */
function whole<C extends Column>(column: C): SQL<NonNullable<C["_"]["data"]>> {
  return sql`${column}`;
}

/** The attempt of a placing, as the columns of its order's row have it. */
const ATTEMPT_IN_ORDER = {
  id: orders.number,
  kind: sql<"place">`cast('place' as text)`,
  accountId: orders.accountId,
  resourceKind: ORDER,
  resourceId: orders.id,
  idempotencyKey: whole(orders.idempotencyKey),
  signer: whole(orders.signer),
  nonce: whole(orders.nonce),
  expiresAtMs: whole(orders.expiresAtMs),
  vaultAddress: orders.vaultAddress,
  action: whole(orders.action),
  cloid: OWN_CLOID,
  targetOid: NONE,
  isTargetClosed: sql<boolean>`${ZERO}`,
  intendedTotal: NONE,
  state: whole(orders.attemptState),
  createdAtMs: whole(orders.attemptedAtMs),
  sentAtMs: orders.sentAtMs,
  noops: whole(orders.noops),
  seal: orders.seal,
  hasLanded: whole(orders.hasLanded),
  negatives: whole(orders.negatives),
  answerText: orders.answerText,
  settledAtMs: orders.settledAtMs,
};

/** One signed action each. `foundBy` is what one that places is found by: its client order id, or the id of the order in whose row it stands. */
export const everyAttempt = sqliteView("every_attempt").as(
  unionAll(
    query
      .select({ ...getTableColumns(attempts), foundBy: sql<string | null>`${attempts.cloid}`.as("found_by") })
      .from(attempts),
    query
      .select({ ...ATTEMPT_IN_ORDER, foundBy: orders.id })
      .from(orders)
      .where(isNotNull(orders.attemptState)),
  ),
);

/** In the words of the indexes that hold only what is open. */
const IS_OPEN_IN_ORDER = sql`${orders.attemptState} <> 'done'`;

/**
 * Every attempt that is not settled, in no order. Most placings are settled by the statement that ends `processing`: until then they are
 * found by that status, of each of `accountIds` (JSON), and only one that outlives it is in an index for this alone, which costs the others
 * nothing.
 */
export const everyOpenAttempt = unionAll(
  query.select(getTableColumns(attempts)).from(attempts).where(sql`${attempts.state} <> 'done'`),
  query
    .select(ATTEMPT_IN_ORDER)
    .from(orders)
    .where(and(IS_OPEN_IN_ORDER, sql`${orders.status} <> 'processing'`)),
  query
    .select(ATTEMPT_IN_ORDER)
    .from(orders)
    .where(
      and(
        sql`${orders.accountId} in (select value from json_each(${sql.placeholder("accountIds")}))`,
        eq(orders.status, sql`'processing'`),
        IS_OPEN_IN_ORDER,
      ),
    ),
).as("every_open_attempt");

/** One exchange order each. `foundBy` is its client order id, or the id of the order in whose row it stands. */
export const everyLeg = sqliteView("every_leg").as(
  unionAll(
    query.select({ ...getTableColumns(legs), foundBy: sql<string>`${legs.cloid}`.as("found_by") }).from(legs),
    query
      .select({
        cloid: OWN_CLOID,
        orderId: orders.id,
        oid: orders.legOid,
        ordinal: ZERO,
        size: whole(orders.legSize),
        price: whole(orders.legPrice),
        timeInForce: whole(orders.legTimeInForce),
        triggerPrice: orders.legTriggerPrice,
        triggerKind: orders.legTriggerKind,
        triggerMarket: orders.legTriggerMarket,
        state: whole(orders.legState),
        filledSize: whole(orders.legFilledSize),
        filledNotional: whole(orders.legFilledNotional),
        reason: orders.legReason,
        isExchangesWord: whole(orders.legIsExchangesWord),
        absence: orders.legAbsence,
        foundBy: orders.id,
      })
      .from(orders)
      .where(isNotNull(orders.legState)),
  ),
);

/** The Idempotency-Key of each write, with what it answers. */
export const everyKey = sqliteView("every_key").as(
  unionAll(
    query.select(getTableColumns(idempotency)).from(idempotency),
    query
      .select({
        accountId: orders.accountId,
        idempotencyKey: whole(orders.idempotencyKey),
        route: sql<string>`cast('POST /v1/orders' as text)`,
        fingerprint: whole(orders.fingerprint),
        resourceKind: ORDER,
        resourceId: orders.id,
        answerStatus: orders.answerStatus,
        answerBody: orders.answerBody,
        createdAtMs: orders.createdAtMs,
      })
      .from(orders)
      .where(isNotNull(orders.fingerprint)),
  ),
);

/**
 * Attempts that an answer has refused, or that were shown to have placed nothing; each in the words of an index that holds only these. Of
 * what places no order of its own a refusal that left the number unused keeps its words.
 */
export const everyRefusal = unionAll(
  query
    .select({
      number: sql<number>`${orders.number}`.as("number"),
      accountId: orders.accountId,
      seal: orders.seal,
      expiresAtMs: whole(orders.expiresAtMs).as("expires_at_ms"),
    })
    .from(orders)
    .where(and(sql`${orders.legState} = 'absent'`, eq(orders.attemptState, "done"))),
  query
    .select({
      number: sql<number>`${attempts.id}`.as("number"),
      accountId: attempts.accountId,
      seal: attempts.seal,
      expiresAtMs: sql<number>`${attempts.expiresAtMs}`.as("expires_at_ms"),
    })
    .from(attempts)
    .where(
      and(
        sql`${attempts.answerText} is not null`,
        eq(attempts.state, "done"),
        inArray(attempts.kind, ["modify", "twap"]),
      ),
    ),
).as("every_refusal");

/** What their readers select: all but what they are found by. */
export const ATTEMPT_FIELDS = withoutName(getViewSelectedFields(everyAttempt));
export const LEG_FIELDS = withoutName(getViewSelectedFields(everyLeg));

function withoutName<Fields extends { foundBy: unknown }>({ foundBy: _, ...fields }: Fields): Omit<Fields, "foundBy"> {
  return fields;
}
