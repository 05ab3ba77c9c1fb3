import { asc, eq } from "drizzle-orm";
import type { Receiver } from "../core/notice/notice.ts";
import { appendAudit } from "./audit.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { noticeReceivers } from "./schema-notices.ts";

type ReceiverActor = { actor: string; atMs: number };

/** Inside the caller's transaction. */
export function insertReceiver(store: Store, receiver: Receiver, actor: string): void {
  store.insert(noticeReceivers).values(receiver).run();
  const { id, name, kind, host, createdAtMs: atMs } = receiver;
  appendAudit(store, { atMs, actor, event: "notice_receiver_added", reference: id, detail: { name, kind, host } });
}

export function deleteReceiver(store: Store, { id, name }: Receiver, { actor, atMs }: ReceiverActor): void {
  store.delete(noticeReceivers).where(eq(noticeReceivers.id, id)).run();
  appendAudit(store, { atMs, actor, event: "notice_receiver_removed", reference: id, detail: { name } });
}

export function findReceiver(store: Store, id: string): Receiver | null {
  return store.select().from(noticeReceivers).where(eq(noticeReceivers.id, id)).get() ?? null;
}

// Looked at every second.
const all = prepared((store) =>
  store.select().from(noticeReceivers).orderBy(asc(noticeReceivers.createdAtMs)).prepare(),
);

export function listReceivers(store: Store): Receiver[] {
  return all(store).all();
}

export type ReceiverChange = Partial<
  Pick<Receiver, "cursor" | "failures" | "failingSinceMs" | "nextAtMs" | "parkedAtMs">
>;

export function updateReceiver(store: Store, id: string, change: ReceiverChange): void {
  store.update(noticeReceivers).set(change).where(eq(noticeReceivers.id, id)).run();
}
