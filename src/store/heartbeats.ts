import { and, eq } from "drizzle-orm";
import type { Heartbeat } from "../core/heartbeat.ts";
import { heartbeatResource } from "../core/resource.ts";
import { appendAudit } from "./audit.ts";
import { botOf } from "./bots.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { heartbeats } from "./schema-stops.ts";

/** Whose heartbeat a key sends: all keys of a bot send the same one. */
export function heartbeatHolder(store: Store, keyHash: string): string {
  const bot = botOf(store, keyHash);
  return bot === null ? `key ${keyHash}` : `bot ${bot}`;
}

export function findHeartbeat(store: Store, accountId: string, holder: string): Heartbeat | null {
  const isThis = and(eq(heartbeats.accountId, accountId), eq(heartbeats.holder, holder));
  return store.select().from(heartbeats).where(isThis).get() ?? null;
}

const armed = prepared((store) => store.select().from(heartbeats).where(eq(heartbeats.status, "armed")).prepare());

export function listArmedHeartbeats(store: Store): Heartbeat[] {
  return armed(store).all();
}

/** Inside the caller's transaction. */
export function putHeartbeat(store: Store, heartbeat: Heartbeat): void {
  const target = [heartbeats.accountId, heartbeats.holder];
  store.insert(heartbeats).values(heartbeat).onConflictDoUpdate({ target, set: heartbeat }).run();
}

type HeartbeatChange = {
  event: "heartbeat_armed" | "heartbeat_disarmed" | "heartbeat_missed";
  actor: string;
  atMs: number;
};

/** Audits that a heartbeat was armed, disarmed or missed; not each beat, of which there are thousands. */
export function auditHeartbeat(store: Store, heartbeat: Heartbeat, { event, actor, atMs }: HeartbeatChange): void {
  const { accountId: account, holder, withinMs, stopId } = heartbeat;
  const facts = { account, holder, within_ms: withinMs };
  const detail = event === "heartbeat_missed" ? { ...facts, stop: stopId } : facts;
  appendAudit(store, { atMs, actor, event, reference: holder, detail });
}

/** Audits and tells that a bot has missed its heartbeat. In one transaction with the missed heartbeat's row and the stop that follows. */
export function tellMissed(store: Store, heartbeat: Heartbeat, atMs: number): void {
  auditHeartbeat(store, heartbeat, { event: "heartbeat_missed", actor: "gateway", atMs });
  const payload = JSON.stringify(heartbeatResource(heartbeat));
  const { accountId, holder: resourceId } = heartbeat;
  appendEvent(store, { accountId, atMs, type: "heartbeat.missed", resourceId, payload });
}
