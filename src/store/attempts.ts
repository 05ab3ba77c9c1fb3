import { and, asc, desc, eq, gt, isNotNull, isNull, ne, notInArray, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { uuidOfCloid } from "../core/cloid.ts";
import { keepUsedUp, passNonce, requireUnused } from "./nonces.ts";
import { takeNumber } from "./numbers.ts";
import type { Store } from "./open.ts";
import { ATTEMPT_COLUMNS, NO_ATTEMPT, placingAttempt } from "./placing-columns.ts";
import { assignments, columnsOf, placeholders, prepared, preparedChange } from "./prepared.ts";
import { attempts, orders } from "./schema.ts";

type Row = typeof attempts.$inferSelect;

function toAttempt(row: Row): Attempt {
  const { resourceKind, resourceId, ...rest } = row;
  return { ...rest, resource: { kind: resourceKind, id: resourceId } };
}

const insert = prepared((store) => store.insert(attempts).values(placeholders(attempts)).prepare());

/** Stores the attempt under the next number, in a row of its own; its (signer, nonce) may exist only once. */
export function insertAttempt(store: Store, attempt: Omit<Attempt, "id">): Attempt {
  const { resource, ...rest } = attempt;
  const id = takeNumber(store);
  requireUnused(store, "orders", { ...attempt, id });
  insert(store).run({ ...rest, id, resourceKind: resource.kind, resourceId: resource.id });
  passNonce(store, attempt);
  return { ...attempt, id };
}

const byId = prepared((store) =>
  store
    .select()
    .from(attempts)
    .where(eq(attempts.id, sql.placeholder("id")))
    .prepare(),
);

const placingByNumber = prepared((store) =>
  store
    .select(ATTEMPT_COLUMNS)
    .from(orders)
    .where(eq(orders.number, sql.placeholder("id")))
    .prepare(),
);

export function findAttempt(store: Store, id: number): Attempt | null {
  const order = placingByNumber(store).get({ id });
  if (order !== undefined) return placingAttempt(order);
  const row = byId(store).get({ id });
  return row === undefined ? null : toAttempt(row);
}

const newest = prepared((store) =>
  store
    .select(columnsOf(attempts, ["id"]))
    .from(attempts)
    .orderBy(desc(attempts.id))
    .limit(1)
    .prepare(),
);
const newestPlacing = prepared((store) =>
  store
    .select(columnsOf(orders, ["number"]))
    .from(orders)
    .where(isNotNull(orders.attemptState))
    .orderBy(desc(orders.number))
    .limit(1)
    .prepare(),
);

/** 0 while there is none. */
export function newestAttemptId(store: Store): number {
  return Math.max(newest(store).get()?.id ?? 0, newestPlacing(store).get()?.number ?? 0);
}

/** When the first attempt above this id was made that places an order; null when there is none. */
export function firstPlacedAfter(store: Store, id: number): number | null {
  const other = store
    .select({ id: attempts.id, atMs: attempts.createdAtMs })
    .from(attempts)
    .where(and(gt(attempts.id, id), isNotNull(attempts.cloid)))
    .orderBy(asc(attempts.id))
    .limit(1)
    .all();
  const placing = store
    .select({ id: orders.number, atMs: orders.attemptedAtMs })
    .from(orders)
    .where(and(gt(orders.number, id), isNotNull(orders.attemptState)))
    .orderBy(asc(orders.number))
    .limit(1)
    .all();
  return [...other, ...placing].sort((a, b) => a.id - b.id)[0]?.atMs ?? null;
}

/** The attempt that placed a client order id; null when this database never signed one. */
export function findAttemptByCloid(store: Store, cloid: string): Attempt | null {
  const placing = placingOf(store, uuidOfCloid(cloid));
  if (placing !== null) return placing;
  const row = store.select().from(attempts).where(eq(attempts.cloid, cloid)).get();
  return row === undefined ? null : toAttempt(row);
}

const placingOfOrder = prepared((store) =>
  store
    .select(ATTEMPT_COLUMNS)
    .from(orders)
    .where(eq(orders.id, sql.placeholder("orderId")))
    .prepare(),
);

function placingOf(store: Store, orderId: string | null): Attempt | null {
  const row = orderId === null ? undefined : placingOfOrder(store).get({ orderId });
  return row === undefined ? null : placingAttempt(row);
}

/** In the words of the indexes that hold only these. */
const IS_OPEN = sql`${attempts.state} <> 'done'`;
const IS_PLACING_OPEN = sql`${orders.attemptState} <> 'done'`;
const IS_RELEASED = sql`${orders.releasedAtMs} is not null`;

/** Every attempt that is not settled, oldest first; none of an order that the operator has given up. */
export function listOpenAttempts(store: Store): Attempt[] {
  const released = store.select({ id: orders.id }).from(orders).where(IS_RELEASED);
  const isOpen = and(IS_OPEN, notInArray(attempts.resourceId, released));
  const isPlacingOpen = and(IS_PLACING_OPEN, isNull(orders.releasedAtMs));
  const others = store.select().from(attempts).where(isOpen).orderBy(asc(attempts.id)).all();
  const placings = store.select(ATTEMPT_COLUMNS).from(orders).where(isPlacingOpen).orderBy(asc(orders.number)).all();
  return inOrder([...others.map(toAttempt), ...placings.map(placingAttempt)]);
}

const ofResource = prepared((store) =>
  store
    .select()
    .from(attempts)
    .where(eq(attempts.resourceId, sql.placeholder("resourceId")))
    .prepare(),
);

/** All attempts on one order or operation, oldest first. */
export function listAttemptsOf(store: Store, resourceId: string): Attempt[] {
  // A few rows: SQLite's own way of ordering them costs more than reading them.
  return inOrder([placingOf(store, resourceId), ...ofResource(store).all({ resourceId }).map(toAttempt)]);
}

function inOrder(all: readonly (Attempt | null)[]): Attempt[] {
  return all.filter((each) => each !== null).sort((a, b) => a.id - b.id);
}

export type AttemptChange = Partial<
  Pick<
    Attempt,
    | "state"
    | "sentAtMs"
    | "isTargetClosed"
    | "noops"
    | "seal"
    | "hasLanded"
    | "negatives"
    | "answerText"
    | "settledAtMs"
  >
>;

/** Two statements for each set of columns that are changed together; there are as many sets as places that call. */
const changes = new Map<string, ReturnType<typeof changesOf>>();

function changesOf(names: readonly (keyof AttemptChange)[]) {
  const other = preparedChange((store) =>
    store
      .update(attempts)
      .set(assignments(attempts, names))
      .where(and(eq(attempts.id, sql.placeholder("id")), ne(attempts.state, "done")))
      .prepare(),
  );
  const columns = names.flatMap(placingColumn);
  if (columns.length === 0) return { other, placing: null };
  const placing = preparedChange((store) =>
    store
      .update(orders)
      .set(assignments(orders, columns))
      .where(and(eq(orders.number, sql.placeholder("id")), ne(orders.attemptState, "done")))
      .prepare(),
  );
  return { other, placing };
}

/** A placing replaces nothing, so nothing that it replaces is closed. */
function placingColumn(name: keyof AttemptChange) {
  if (name === "isTargetClosed") return [];
  return name === "state" ? (["attemptState"] as const) : [name];
}

/** Changes an attempt that is not done; a done one stays as it is. False when it was done already. */
export function updateAttempt(store: Store, id: number, change: AttemptChange): boolean {
  // A change has no members but its own.
  const names = Object.keys(change).sort() as (keyof AttemptChange)[];
  const name = names.join(" ");
  const { other, placing } = changes.get(name) ?? changesOf(names);
  changes.set(name, { other, placing });
  const values = { ...change, attemptState: change.state, id };
  return placing?.(store)(values).rows === 1 || other(store)(values).rows === 1;
}

/** Takes back an attempt of which it is proven that no byte left. Its nonce stays used up. */
export function deleteAttempt(store: Store, id: number): void {
  const deleted = store.delete(attempts).where(eq(attempts.id, id)).returning().all();
  for (const numbered of deleted) keepUsedUp(store, numbered);
  const order = placingByNumber(store).get({ id });
  const placing = order === undefined ? null : placingAttempt(order);
  if (placing === null) return;
  keepUsedUp(store, placing);
  store.update(orders).set(NO_ATTEMPT).where(eq(orders.number, id)).run();
}

/** At start nothing runs any more: what was prepared may or may not have left. */
export function markPreparedAmbiguous(store: Store): number {
  const others = store
    .update(attempts)
    .set({ state: "ambiguous" })
    .where(and(IS_OPEN, eq(attempts.state, "prepared")))
    .returning({ id: attempts.id })
    .all();
  const placings = store
    .update(orders)
    .set({ attemptState: "ambiguous" })
    .where(and(IS_PLACING_OPEN, eq(orders.attemptState, "prepared")))
    .returning({ id: orders.number })
    .all();
  return others.length + placings.length;
}
