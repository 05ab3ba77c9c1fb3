/** Hooks as they were made. A row that is not as it was sealed opens nothing. */
import { asc, eq, sql } from "drizzle-orm";
import type { Hook } from "../core/hook/hook.ts";
import { appendAudit } from "./audit.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { hooks } from "./schema-hooks.ts";
import { findSealed, hasSealedRows, listSealed, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

/** Inside the caller's transaction. */
export function insertHook(store: Store, hook: Hook, actor: string): void {
  store.insert(hooks).values(hook).run();
  vouch(store, "hook", hook.id, contentOf(hook));
  const { id, accountId: account, name, keyHash, mode, market, sources, isRehearsal, createdAtMs: atMs } = hook;
  const detail = { account, name, key_hash: keyHash, mode, market, sources, rehearsal: isRehearsal };
  appendAudit(store, { atMs, actor, event: "hook_created", reference: id, detail });
}

type HookActor = { actor: string; atMs: number };

/** One-way. */
export function revokeHook(store: Store, hook: Hook, { actor, atMs }: HookActor): void {
  changeHook(store, { ...hook, state: "revoked" }, { actor, atMs, event: "hook_revoked" });
}

/** Takes one off hold. */
export function releaseHook(store: Store, hook: Hook, { actor, atMs }: HookActor): void {
  changeHook(store, { ...hook, state: "active" }, { actor, atMs, event: "hook_kept" });
}

function changeHook(store: Store, hook: Hook, { actor, atMs, event }: HookActor & { event: string }): void {
  store.insert(hooks).values(hook).onConflictDoUpdate({ target: hooks.id, set: hook }).run();
  vouch(store, "hook", hook.id, contentOf(hook));
  const { id, accountId: account, name } = hook;
  appendAudit(store, { atMs, actor, event, reference: id, detail: { account, name } });
}

/** Puts all that are active on hold, for a restore, which knows no passphrase; how many. */
export function holdHooks(store: Store): number {
  const held = store.update(hooks).set({ state: "held" }).where(eq(hooks.state, "active")).returning({ id: hooks.id });
  return held.all().length;
}

/** That a restore has put every hook on hold is sealed, so that it cannot be taken back. */
export function sealHold(store: Store): void {
  for (const [id, content] of listSealed(store, "hook"))
    if (sealedHook(content).state === "active")
      vouch(store, "hook", id, contentOf({ ...sealedHook(content), state: "held" }));
}

const bySecret = prepared((store) =>
  store
    .select()
    .from(hooks)
    .where(eq(hooks.secretHash, sql.placeholder("secretHash")))
    .prepare(),
);

/** The hook that opens to it, whatever its state; null where there is none that is believed. */
export function findHookBySecret(store: Store, secretHash: string): Hook | null {
  const row = bySecret(store).get({ secretHash });
  return row === undefined ? null : asBelieved(store, row);
}

export function findHook(store: Store, id: string): Hook | null {
  const row = store.select().from(hooks).where(eq(hooks.id, id)).get();
  return row === undefined ? null : asBelieved(store, row);
}

/** The oldest first, revoked ones too. */
export function listHooks(store: Store, accountId: string): Hook[] {
  const rows = store.select().from(hooks).where(eq(hooks.accountId, accountId)).orderBy(asc(hooks.createdAtMs)).all();
  return rows.flatMap((row) => asBelieved(store, row) ?? []);
}

function asBelieved(store: Store, row: Hook): Hook | null {
  const fault = hasSealedRows(store) ? hookFault(store, row) : null;
  if (fault === null) return row;
  tellFault(store, fault);
  return null;
}

function hookFault(store: Store, row: Hook): RowFault | null {
  const content = findSealed(store, "hook", row.id);
  // That one is on hold is obeyed without any proof.
  if (content !== null && isAsSealed(row, content)) return null;
  const what = `the row of hook ${row.id} is not the one that was made here: it opens nothing`;
  return { kind: "hook", id: row.id, what };
}

/** Changed, planted and deleted rows. */
export function listHookFaults(store: Store): RowFault[] {
  const rows: Hook[] = store.select().from(hooks).all();
  const there = new Set(rows.map(({ id }) => id));
  const gone = listSealed(store, "hook").filter(([id]) => !there.has(id));
  return [
    ...rows.flatMap((row) => hookFault(store, row) ?? []),
    ...gone.map(([id]): RowFault => ({ kind: "hook", id, what: `the row of hook ${id} was deleted from outside` })),
  ];
}

function isAsSealed(row: Hook, content: string): boolean {
  if (contentOf(row) === content) return true;
  return (
    row.state === "held" && sealedHook(content).state === "active" && contentOf({ ...row, state: "active" }) === content
  );
}

function sealedHook(content: string): Hook {
  // Only `contentOf` makes what the seal covers.
  return JSON.parse(content) as Hook;
}

/** What is sealed of a hook: its row may be anybody's. */
function contentOf(hook: Hook): string {
  const { id, accountId, name, keyHash, secretHash, mode, market, maxAgeMs, sameWithinMs, maxSlippageBps } = hook;
  const { sources, isRehearsal, state, createdAtMs } = hook;
  const terms = { mode, market, maxAgeMs, sameWithinMs, maxSlippageBps, sources, isRehearsal };
  return JSON.stringify({ id, accountId, name, keyHash, secretHash, ...terms, state, createdAtMs });
}
