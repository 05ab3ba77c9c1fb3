import { and, asc, desc, eq, gt, isNotNull, max, ne, sql } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { nextNonce } from "../core/nonce.ts";
import type { Store } from "./open.ts";
import { assignments, placeholders, prepared, preparedChange } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { agents, attempts, signers } from "./schema.ts";

type Row = typeof attempts.$inferSelect;

function toAttempt(row: Row): Attempt {
  const { resourceKind, resourceId, ...rest } = row;
  return { ...rest, resource: { kind: resourceKind, id: resourceId } };
}

const insert = preparedChange((store) => store.insert(attempts).values(placeholders(attempts)).prepare());

/** Stores the attempt under the next number; its (signer, nonce) may exist only once. */
export function insertAttempt(store: Store, attempt: Omit<Attempt, "id">): Attempt {
  const { resource, ...rest } = attempt;
  const row = { ...rest, id: null, resourceKind: resource.kind, resourceId: resource.id };
  const { rowId: id } = insert(store)(row);
  passNonce(store, attempt.signer, attempt.nonce);
  return { ...attempt, id };
}

const byId = prepared((store) =>
  store
    .select()
    .from(attempts)
    .where(eq(attempts.id, sql.placeholder("id")))
    .prepare(),
);

export function findAttempt(store: Store, id: number): Attempt | null {
  const row = byId(store).get({ id });
  return row === undefined ? null : toAttempt(row);
}

/** 0 while there is none. */
export function newestAttemptId(store: Store): number {
  return (
    store
      .select({ id: max(attempts.id) })
      .from(attempts)
      .get()?.id ?? 0
  );
}

/** When the first attempt above this id was made that places an order; null when there is none. */
export function firstPlacedAfter(store: Store, id: number): number | null {
  const later = and(gt(attempts.id, id), isNotNull(attempts.cloid));
  const row = store
    .select({ atMs: attempts.createdAtMs })
    .from(attempts)
    .where(later)
    .orderBy(asc(attempts.id))
    .limit(1);
  return row.get()?.atMs ?? null;
}

/** The attempt that placed a client order id; null when this database never signed one. */
export function findAttemptByCloid(store: Store, cloid: string): Attempt | null {
  const row = store.select().from(attempts).where(eq(attempts.cloid, cloid)).get();
  return row === undefined ? null : toAttempt(row);
}

/** In the words of the index that holds only these. */
const IS_OPEN = sql`${attempts.state} <> 'done'`;

/** Every attempt that is not settled, oldest first. */
export function listOpenAttempts(store: Store): Attempt[] {
  return store.select().from(attempts).where(IS_OPEN).orderBy(asc(attempts.id)).all().map(toAttempt);
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
  const rows = ofResource(store).all({ resourceId });
  return rows.sort((a, b) => a.id - b.id).map(toAttempt);
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

/** One statement for each set of columns that are changed together; there are as many as places that call. */
const changes = new Map<string, ReturnType<typeof changeOf>>();

function changeOf(names: readonly (keyof AttemptChange)[]) {
  return preparedChange((store) =>
    store
      .update(attempts)
      .set(assignments(attempts, names))
      .where(and(eq(attempts.id, sql.placeholder("id")), ne(attempts.state, "done")))
      .prepare(),
  );
}

/** Changes an attempt that is not done; a done one stays as it is. False when it was done already. */
export function updateAttempt(store: Store, id: number, change: AttemptChange): boolean {
  // A change has no members but its own.
  const names = Object.keys(change).sort() as (keyof AttemptChange)[];
  const name = names.join(" ");
  const statement = changes.get(name) ?? changeOf(names);
  changes.set(name, statement);
  return statement(store)({ ...change, id }).rows === 1;
}

/** Takes back an attempt of which it is proven that no byte left. Its nonce stays used up. */
export function deleteAttempt(store: Store, id: number): void {
  const deleted = store.delete(attempts).where(eq(attempts.id, id)).returning().all();
  for (const { signer, nonce } of deleted) keepNonce(store).run({ address: signer, lastNonce: nonce });
}

/** At start nothing runs any more: what was prepared may or may not have left. */
export function markPreparedAmbiguous(store: Store): number {
  return store
    .update(attempts)
    .set({ state: "ambiguous" })
    .where(and(IS_OPEN, eq(attempts.state, "prepared")))
    .returning({ id: attempts.id })
    .all().length;
}

const leastNonceOf = prepared((store) =>
  store
    .select()
    .from(signers)
    .where(eq(signers.address, sql.placeholder("address")))
    .prepare(),
);
const newestOfSigner = prepared((store) =>
  store
    .select()
    .from(attempts)
    .where(eq(attempts.signer, sql.placeholder("address")))
    .orderBy(desc(attempts.nonce))
    .limit(1)
    .prepare(),
);
const keepNonce = prepared((store) =>
  store
    .insert(signers)
    .values(placeholders(signers))
    .onConflictDoUpdate({ target: signers.address, set: { lastNonce: sql`max(last_nonce, excluded.last_nonce)` } })
    .prepare(),
);

/** The highest number of a signer: that of its newest attempt, or above it of one that was taken back. */
const lastNonceOf = remembered<number>((store, address) => {
  const known = [leastNonceOf(store).get({ address })?.lastNonce, newestOfSigner(store).get({ address })?.nonce];
  const nonces = known.filter((nonce) => nonce !== undefined);
  return nonces.length === 0 ? null : Math.max(...nonces);
});

/**
 * The signer's next nonce, strictly above every earlier one, across restarts. It is the attempt, stored in the same
 * transaction, that takes it for good. Null when the last one is further ahead of exchange time than the exchange
 * would accept.
 */
export function takeNonce(store: Store, signer: string, exchangeNowMs: number): number | null {
  const nonce = nextNonce(lastNonceOf.find(store, signer), exchangeNowMs);
  if (nonce !== null) passNonce(store, signer, nonce);
  return nonce;
}

/** No lower number is given out from now on. */
function passNonce(store: Store, signer: string, nonce: number): void {
  if (nonce > (lastNonceOf.find(store, signer) ?? 0)) lastNonceOf.put(store, signer, nonce);
}

/** Every signer that there has been, used yet or not, goes on above this number. */
export function raiseNonces(store: Store, lastNonce: number): void {
  const used = store.selectDistinct({ address: attempts.signer }).from(attempts).all();
  const kept = store.select({ address: signers.address }).from(signers).all();
  const ours = store.select({ address: agents.address }).from(agents).all();
  for (const { address } of [...used, ...kept, ...ours]) keepNonce(store).run({ address, lastNonce });
  forget(store);
}
