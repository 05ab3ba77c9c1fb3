import { createHash } from "node:crypto";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Agent } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { agents } from "./schema.ts";
import { findSealed, hasSealedRows, listSealed, vouch } from "./sealed-rows.ts";

export type StoredAgent = Agent & { sealedKey: Uint8Array };

function toAgent(row: typeof agents.$inferSelect): StoredAgent {
  return { ...row, sealedKey: new Uint8Array(row.sealedKey) };
}

/** Oldest first, retired ones included: an address is never used again. Rows that are not as they were sealed are left out. */
export function listAgents(store: Store): StoredAgent[] {
  return listAgentRows(store).flatMap((agent) => believed(store, agent) ?? []);
}

const all = prepared((store) =>
  store.select().from(agents).orderBy(asc(agents.createdAtMs), asc(agents.address)).prepare(),
);
const byAddress = prepared((store) =>
  store
    .select()
    .from(agents)
    .where(eq(agents.address, sql.placeholder("address")))
    .prepare(),
);

/** The rows, whoever wrote them; oldest first. */
export function listAgentRows(store: Store): StoredAgent[] {
  return all(store).all().map(toAgent);
}

/** Whoever has or had this address here, in lower case; null when nobody. */
export function findAgent(store: Store, address: string): StoredAgent | null {
  const agent = findAgentRow(store, address);
  return agent === null ? null : believed(store, agent);
}

export function findAgentRow(store: Store, address: string): StoredAgent | null {
  const row = byAddress(store).get({ address });
  return row === undefined ? null : toAgent(row);
}

/** Whether an agent key with this address is or was here, by its row or by what was sealed of it. */
export function isAgentAddress(store: Store, address: string): boolean {
  return findAgentRow(store, address) !== null || findSealed(store, "agent", address) !== null;
}

/** What is sealed of an agent: all of it, its encrypted key by a digest. */
export type SealedAgent = Agent & { sealedKey: string };

export function contentOfAgent(agent: StoredAgent): string {
  const sealedKey = createHash("sha256").update(agent.sealedKey).digest("hex");
  return spell({ ...agent, sealedKey });
}

function spell(agent: SealedAgent): string {
  const { address, ownerAddress, name, state, createdAtMs, approvedAtMs, validUntilMs, sealedKey } = agent;
  return JSON.stringify({ address, ownerAddress, name, state, createdAtMs, approvedAtMs, validUntilMs, sealedKey });
}

/** Null for one that was never sealed. */
export function findSealedAgent(store: Store, address: string): SealedAgent | null {
  const content = findSealed(store, "agent", address);
  return content === null ? null : asAgent(content);
}

export function listSealedAgents(store: Store): SealedAgent[] {
  return listSealed(store, "agent").map(([, content]) => asAgent(content));
}

function asAgent(content: string): SealedAgent {
  // Only `contentOfAgent` makes what the seal covers.
  return JSON.parse(content) as SealedAgent;
}

/**
 * The agent as far as its row is to be believed; null where it is not. That one is retired is obeyed without any proof,
 * and one that was retired stays so whatever its row says.
 */
export function believed(store: Store, agent: StoredAgent): StoredAgent | null {
  if (!hasSealedRows(store)) return agent;
  const sealed = findSealedAgent(store, agent.address);
  if (sealed === null || contentOfAgent({ ...agent, state: sealed.state }) !== spell(sealed)) return null;
  if (sealed.state === agent.state) return agent;
  return sealed.state === "retired" || agent.state === "retired" ? { ...agent, state: "retired" } : null;
}

const approved = prepared((store) =>
  store
    .select()
    .from(agents)
    .where(and(eq(agents.ownerAddress, sql.placeholder("ownerAddress")), eq(agents.state, "approved")))
    .prepare(),
);

/** Newest first. */
const approvedOf = rememberedAsSettled<readonly Agent[]>((store, ownerAddress) =>
  approved(store)
    .all({ ownerAddress })
    .flatMap((row) => believed(store, toAgent(row)) ?? [])
    .filter(({ state }) => state === "approved")
    .map(({ sealedKey: _sealed, ...agent }) => agent)
    .sort((a, b) => (b.approvedAtMs ?? 0) - (a.approvedAtMs ?? 0)),
);

/** The newest agent of an owner whose approval has not ended: the one that signs. */
export function findSigningAgent(store: Store, ownerAddress: string, nowMs: number): Agent | null {
  const found = approvedOf.find(store, ownerAddress) ?? [];
  return found.find(({ validUntilMs }) => validUntilMs === null || validUntilMs > nowMs) ?? null;
}

export function insertAgent(store: Store, agent: StoredAgent): void {
  store
    .insert(agents)
    .values({ ...agent, sealedKey: Buffer.from(agent.sealedKey) })
    .run();
  vouch(store, "agent", agent.address, contentOfAgent(agent));
  forget(store);
}

export function markAgentApproved(
  store: Store,
  address: string,
  approval: { approvedAtMs: number; validUntilMs: number | null },
): void {
  store
    .update(agents)
    .set({ state: "approved", ...approval })
    .where(eq(agents.address, address))
    .run();
  vouchForAgent(store, address, { state: "approved", ...approval });
  forget(store);
}

/** The exchange's word on how long an approved agent may trade. */
export function setAgentValidity(store: Store, address: string, validUntilMs: number): void {
  store.update(agents).set({ validUntilMs }).where(eq(agents.address, address)).run();
  vouchForAgent(store, address, { validUntilMs });
  forget(store);
}

export function retireAgent(store: Store, address: string): void {
  store.update(agents).set({ state: "retired" }).where(eq(agents.address, address)).run();
  vouchForAgent(store, address, { state: "retired" });
  forget(store);
}

/** Of what was sealed, and never of the row, only this has changed. */
export function vouchForAgent(store: Store, address: string, change: Partial<SealedAgent>): void {
  const sealed = findSealedAgent(store, address);
  if (sealed !== null) vouch(store, "agent", address, spell({ ...sealed, ...change }));
}
