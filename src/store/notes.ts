import { and, asc, count, eq, sql } from "drizzle-orm";
import type { Store } from "./open.ts";
import { placeholders, prepared } from "./prepared.ts";
import { notes, orders } from "./schema.ts";

/** One thing seen or done on the way from an unknown outcome to the truth. */
export type Note = {
  /** Id of the order or operation. */
  resourceId: string;
  attemptId: number | null;
  atMs: number;
  /** A few words that never change: `looked, not found`, `sealed by expiry` … */
  what: string;
  /** What exactly was seen, in plain text. */
  detail: string;
};

const insert = prepared((store) => store.insert(notes).values(placeholders(notes)).prepare());

export function appendNote(store: Store, note: Note): void {
  insert(store).run({ ...note, id: null });
}

/** With the row of the order or operation itself. */
export function deleteNotes(store: Store, resourceId: string): void {
  store.delete(notes).where(eq(notes.resourceId, resourceId)).run();
}

/** Oldest first. */
export function listNotes(store: Store, resourceId: string): Note[] {
  return store
    .select()
    .from(notes)
    .where(eq(notes.resourceId, resourceId))
    .orderBy(asc(notes.id))
    .all()
    .map(({ id: _id, ...note }) => note);
}

const withWords = prepared((store) =>
  store
    .select({ id: notes.id })
    .from(notes)
    .where(
      and(
        eq(notes.resourceId, sql.placeholder("resourceId")),
        eq(notes.what, sql.placeholder("what")),
        sql`${notes.detail} like ${sql.placeholder("detail")} || '%'`,
      ),
    )
    .limit(1)
    .prepare(),
);

/**
 * Whether there is a note with these words on this order or operation.
 *
 * @param detail what its detail begins with: of a contradiction the client order id of which it speaks
 */
export function hasNote(store: Store, resourceId: string, what: string, detail = ""): boolean {
  return withWords(store).get({ resourceId, what, detail }) !== undefined;
}

/** Orders of an account of which there is a note with these words. Looks through all notes: not to be asked at every turn. */
export function listNoted(store: Store, accountId: string, what: string): string[] {
  return store
    .selectDistinct({ id: notes.resourceId })
    .from(notes)
    .innerJoin(orders, eq(orders.id, notes.resourceId))
    .where(and(eq(notes.what, what), eq(orders.accountId, accountId)))
    .all()
    .map(({ id }) => id);
}

/** How many notes there ever were with these words. */
export function countNotes(store: Store, what: string): number {
  return store.select({ count: count() }).from(notes).where(eq(notes.what, what)).get()?.count ?? 0;
}
