import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { Attempt } from "../core/attempt.ts";
import { nextNonce } from "../core/nonce.ts";
import type { Store } from "./open.ts";
import { attempts, signers } from "./schema.ts";

type Row = typeof attempts.$inferSelect;

function toAttempt(row: Row): Attempt {
  const { resourceKind, resourceId, ...rest } = row;
  return { ...rest, resource: { kind: resourceKind, id: resourceId } };
}

/** Stores the attempt under the next number; its (signer, nonce) may exist only once. */
export function insertAttempt(store: Store, attempt: Omit<Attempt, "id">): Attempt {
  const { resource, ...rest } = attempt;
  const row = store
    .insert(attempts)
    .values({ ...rest, resourceKind: resource.kind, resourceId: resource.id })
    .returning()
    .get();
  return toAttempt(row);
}

export function findAttempt(store: Store, id: number): Attempt | null {
  const row = store.select().from(attempts).where(eq(attempts.id, id)).get();
  return row === undefined ? null : toAttempt(row);
}

/** Every attempt that is not settled, oldest first. */
export function listOpenAttempts(store: Store): Attempt[] {
  return store
    .select()
    .from(attempts)
    .where(inArray(attempts.state, ["prepared", "ambiguous"]))
    .orderBy(asc(attempts.id))
    .all()
    .map(toAttempt);
}

/** All attempts on one order or operation, oldest first. */
export function listAttemptsOf(store: Store, resourceId: string): Attempt[] {
  return store
    .select()
    .from(attempts)
    .where(eq(attempts.resourceId, resourceId))
    .orderBy(asc(attempts.id))
    .all()
    .map(toAttempt);
}

export type AttemptChange = Partial<
  Pick<Attempt, "state" | "sentAtMs" | "noops" | "seal" | "hasLanded" | "negatives" | "answerText" | "settledAtMs">
>;

/** Changes an attempt that is not done; a done one stays as it is. False when it was done already. */
export function updateAttempt(store: Store, id: number, change: AttemptChange): boolean {
  const changed = store
    .update(attempts)
    .set(change)
    .where(and(eq(attempts.id, id), ne(attempts.state, "done")))
    .returning({ id: attempts.id })
    .all();
  return changed.length === 1;
}

/** Takes back an attempt of which it is proven that no byte left. Its nonce stays used up. */
export function deleteAttempt(store: Store, id: number): void {
  store.delete(attempts).where(eq(attempts.id, id)).run();
}

/** At start nothing runs any more: what was prepared may or may not have left. */
export function markPreparedAmbiguous(store: Store): number {
  return store
    .update(attempts)
    .set({ state: "ambiguous" })
    .where(eq(attempts.state, "prepared"))
    .returning({ id: attempts.id })
    .all().length;
}

/**
 * The signer's next nonce, taken for good: strictly above every earlier one, across restarts. Null when the last
 * one is further ahead of exchange time than the exchange would accept.
 */
export function takeNonce(store: Store, signer: string, exchangeNowMs: number): number | null {
  const row = store.select().from(signers).where(eq(signers.address, signer)).get();
  const nonce = nextNonce(row?.lastNonce ?? null, exchangeNowMs);
  if (nonce === null) return null;
  store
    .insert(signers)
    .values({ address: signer, lastNonce: nonce })
    .onConflictDoUpdate({ target: signers.address, set: { lastNonce: nonce } })
    .run();
  return nonce;
}
