import { and, asc, desc, eq, gt, inArray, isNotNull, ne, notInArray, type SQL, sql } from "drizzle-orm";
import type { Attempt, AttemptChange, Seal } from "../core/attempt.ts";
import { uuidOfCloid } from "../core/cloid.ts";
import { listAccounts } from "./accounts.ts";
import { noteSent } from "./leg-moments.ts";
import { keepUsedUp, passNonce, requireUnused } from "./nonces.ts";
import type { Store } from "./open.ts";
import { touchOpenLegs } from "./open-leg-book.ts";
import { changeInOrder, takeOutAttempt } from "./placing-row.ts";
import { assignments, columnsOf, onceAConnection, placeholders, prepared, preparedChange } from "./prepared.ts";
import { noteRefused } from "./refused-book.ts";
import { takeRowId } from "./row-ids.ts";
import { attempts, orders } from "./schema.ts";
import { ATTEMPT_FIELDS, everyAttempt, everyOpenAttempt } from "./schema-views.ts";

function toAttempt({ resourceKind, resourceId, ...rest }: typeof attempts.$inferSelect): Attempt {
  return { ...rest, resource: { kind: resourceKind, id: resourceId } };
}

const insert = prepared((store) => store.insert(attempts).values(placeholders(attempts)).prepare());

/** Stores any attempt but one that places an order, under the next row id; its (signer, nonce) may exist only once. */
export function insertAttempt(store: Store, attempt: Omit<Attempt, "id">): Attempt {
  if (isPlacing(attempt)) throw new Error("bug: an attempt that belongs into its order's row");
  const { resource, ...rest } = attempt;
  const id = takeRowId(store);
  requireUnused(store, { ...attempt, id });
  insert(store).run({ ...rest, id, resourceKind: resource.kind, resourceId: resource.id });
  if (attempt.kind === "modify") touchOpenLegs(store, resource.id);
  if (attempt.kind === "modify" && attempt.cloid !== null) noteSent(store, attempt.cloid);
  passNonce(store, attempt);
  return { ...attempt, id };
}

/**
 * True of a placing's attempt, which stands in its order's row under the order's number; others have rows of their own.
 */
function isPlacing({ kind }: Pick<Attempt, "kind">): boolean {
  return kind === "place";
}

const byId = prepared((store) =>
  store
    .select(ATTEMPT_FIELDS)
    .from(everyAttempt)
    .where(eq(everyAttempt.id, sql.placeholder("id")))
    .prepare(),
);

export function findAttempt(store: Store, id: number): Attempt | null {
  const row = byId(store).get({ id });
  return row === undefined ? null : toAttempt(row);
}

const newest = prepared((store) =>
  store.select({ id: everyAttempt.id }).from(everyAttempt).orderBy(desc(everyAttempt.id)).limit(1).prepare(),
);

/** Id of the newest attempt; 0 while there is none. */
export function newestAttemptId(store: Store): number {
  return newest(store).get()?.id ?? 0;
}

/** When the first attempt above this id was made that places an order; null when there is none. */
export function firstPlacedAfter(store: Store, id: number): number | null {
  // The id is selected because it is what is ordered by: else SQLite would order all of them first.
  const first = store
    .select({ id: everyAttempt.id, atMs: everyAttempt.createdAtMs })
    .from(everyAttempt)
    .where(and(gt(everyAttempt.id, id), isNotNull(everyAttempt.cloid)))
    .orderBy(asc(everyAttempt.id))
    .limit(1)
    .get();
  return first?.atMs ?? null;
}

const byCloid = prepared((store) =>
  store
    .select(ATTEMPT_FIELDS)
    .from(everyAttempt)
    .where(inArray(everyAttempt.foundBy, [sql.placeholder("cloid"), sql.placeholder("orderId")]))
    .prepare(),
);

/** The attempt that placed a client order id; null when this database never signed one. */
export function findAttemptByCloid(store: Store, cloid: string): Attempt | null {
  const row = byCloid(store).get({ cloid, orderId: uuidOfCloid(cloid) });
  return row === undefined ? null : toAttempt(row);
}

const open = prepared((store) => {
  // As its own partial index is written.
  const released = store.select({ id: orders.id }).from(orders).where(sql`${orders.releasedAtMs} is not null`);
  return store.select().from(everyOpenAttempt).where(notInArray(everyOpenAttempt.resourceId, released)).prepare();
});

/** Every attempt that is not settled, oldest first; none of an order that the operator has given up. */
export function listOpenAttempts(store: Store): Attempt[] {
  return open(store)
    .all(ofEveryAccount(store))
    .map(toAttempt)
    .sort((a, b) => a.id - b.id);
}

/** By account, as the index of statuses has them: nothing reads a whole history. An account of which a row was taken away is among them. */
function ofEveryAccount(store: Store): { accountIds: string } {
  return { accountIds: JSON.stringify(listAccounts(store).map(({ id }) => id)) };
}

/** A modify that is not settled, by the client order id of what it places. */
export type OpenModify = Pick<Attempt, "cloid" | "targetOid" | "isTargetClosed"> & { resourceId: string };

/** No placing is a modify: these have rows of their own. In the words of the index that holds only what is open. */
function openModifiesWhere(isWanted: SQL) {
  const isOpenRow = sql`${attempts.state} <> 'done'`;
  return prepared((store) =>
    store
      .select(columnsOf(attempts, ["cloid", "resourceId", "targetOid", "isTargetClosed"]))
      .from(attempts)
      .where(and(isOpenRow, isWanted, eq(attempts.kind, "modify")))
      .prepare(),
  );
}

const openModifies = openModifiesWhere(eq(attempts.accountId, sql.placeholder("accountId")));
const openModifiesOf = openModifiesWhere(eq(attempts.resourceId, sql.placeholder("resourceId")));

/** Modifies of an account's orders that are not settled. */
export function listOpenModifies(store: Store, accountId: string): OpenModify[] {
  return openModifies(store).all({ accountId });
}

/** Modifies of one order that are not settled. */
export function listOpenModifiesOf(store: Store, orderId: string): OpenModify[] {
  return openModifiesOf(store).all({ resourceId: orderId });
}

const ofResource = prepared((store) =>
  store
    .select(ATTEMPT_FIELDS)
    .from(everyAttempt)
    .where(eq(everyAttempt.resourceId, sql.placeholder("resourceId")))
    .prepare(),
);

/** All attempts on one order or operation, oldest first. */
export function listAttemptsOf(store: Store, resourceId: string): Attempt[] {
  // A few rows: SQLite's own way of ordering them costs more than reading them.
  return ofResource(store)
    .all({ resourceId })
    .map(toAttempt)
    .sort((a, b) => a.id - b.id);
}

const underNumber = prepared((store) =>
  store
    .select(ATTEMPT_FIELDS)
    .from(everyAttempt)
    .where(and(eq(everyAttempt.signer, sql.placeholder("signer")), eq(everyAttempt.nonce, sql.placeholder("nonce"))))
    .prepare(),
);

/** All that left as one action under the number of this one, itself among them, in the order in which they stand in it. */
export function listSameAction(store: Store, { signer, nonce }: Pick<Attempt, "signer" | "nonce">): Attempt[] {
  return underNumber(store)
    .all({ signer, nonce })
    .map(toAttempt)
    .sort((a, b) => a.id - b.id);
}

/** A statement for each kind of row and set of columns changed together: as many sets as there are callers. */
const changesOf = onceAConnection(() => new Map<string, ReturnType<typeof preparedChange>>());

/** Changes an attempt that is not done; a done one stays as it is. False when it was done already. */
export function updateAttempt(
  store: Store,
  attempt: Pick<Attempt, "id" | "kind" | "resource">,
  change: AttemptChange,
): boolean {
  noteRefused(store);
  if (attempt.kind === "modify") touchOpenLegs(store, attempt.resource.id);
  return writeChange(store, attempt, change, "open");
}

/** In whichever row the attempt stands: whoever changes one asks neither table. */
function writeChange(
  store: Store,
  attempt: Pick<Attempt, "id" | "kind">,
  change: AttemptChange,
  from: "open" | "done",
): boolean {
  // A change has no members but its own.
  const names = Object.keys(change).sort() as (keyof AttemptChange)[];
  const isInOrder = isPlacing(attempt);
  const name = `${isInOrder} ${from} ${names.join(" ")}`;
  const changes = changesOf(store);
  const made = changes.get(name) ?? (isInOrder ? changeInOrder(names, from) : changeOfRow(names, from));
  changes.set(name, made);
  return made(store)({ ...change, attemptState: change.state, id: attempt.id }).rows === 1;
}

function changeOfRow(names: readonly (keyof AttemptChange)[], from: "open" | "done") {
  const is = from === "open" ? ne : eq;
  const isSo = and(eq(attempts.id, sql.placeholder("id")), is(attempts.state, "done"));
  return preparedChange((store) => store.update(attempts).set(assignments(attempts, names)).where(isSo).prepare());
}

/** Opens a settled attempt again: the exchange has shown what it was said not to have. The key keeps its answer. */
export function reopenAttempt(store: Store, attempt: Pick<Attempt, "id" | "kind" | "resource">): void {
  noteRefused(store);
  touchOpenLegs(store, attempt.resource.id);
  writeChange(store, attempt, { state: "ambiguous", settledAtMs: null }, "done");
}

/** The same of an operation, whose refusal may have been another's: what it said of the number is as if it had not been said. */
export function reopenOperation(store: Store, attempt: Pick<Attempt, "id" | "kind">): void {
  noteRefused(store);
  writeChange(store, attempt, { state: "ambiguous", settledAtMs: null, seal: null }, "done");
}

/** Writes down why a settled attempt can never run, where that is not known yet. */
export function sealSettled(store: Store, attempt: Attempt, seal: Seal): void {
  if (attempt.seal === null) writeChange(store, attempt, { seal }, "done");
}

/** Takes back an attempt of which it is proven that no byte left. Its nonce stays used up. */
export function deleteAttempt(
  store: Store,
  attempt: Pick<Attempt, "id" | "kind" | "resource" | "signer" | "nonce">,
): void {
  if (attempt.kind === "modify") touchOpenLegs(store, attempt.resource.id);
  keepUsedUp(store, attempt);
  if (isPlacing(attempt)) takeOutAttempt(store, attempt.id);
  else store.delete(attempts).where(eq(attempts.id, attempt.id)).run();
}

const underWay = prepared((store) =>
  store
    .select({ id: everyOpenAttempt.id, kind: everyOpenAttempt.kind })
    .from(everyOpenAttempt)
    .where(eq(everyOpenAttempt.state, "prepared"))
    .prepare(),
);

/** At start nothing runs any more: what was prepared may or may not have left. */
export function markPreparedAmbiguous(store: Store): number {
  const all = underWay(store).all(ofEveryAccount(store));
  for (const attempt of all) writeChange(store, attempt, { state: "ambiguous" }, "open");
  return all.length;
}
