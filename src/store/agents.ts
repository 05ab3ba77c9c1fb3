import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Agent } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { forget, remembered } from "./remembered.ts";
import { agents } from "./schema.ts";

export type StoredAgent = Agent & { sealedKey: Uint8Array };

function toAgent(row: typeof agents.$inferSelect): StoredAgent {
  return { ...row, sealedKey: new Uint8Array(row.sealedKey) };
}

/** Oldest first, retired ones included: an address is never used again. */
export function listAgents(store: Store): StoredAgent[] {
  return store.select().from(agents).orderBy(asc(agents.createdAtMs), asc(agents.address)).all().map(toAgent);
}

/** Whoever has or had this address here, in lower case; null when nobody. */
export function findAgent(store: Store, address: string): StoredAgent | null {
  const row = store.select().from(agents).where(eq(agents.address, address)).get();
  return row === undefined ? null : toAgent(row);
}

const { sealedKey: _sealed, ...publicColumns } = getTableColumns(agents);
const approved = prepared((store) =>
  store
    .select(publicColumns)
    .from(agents)
    .where(and(eq(agents.ownerAddress, sql.placeholder("ownerAddress")), eq(agents.state, "approved")))
    .prepare(),
);

/** Newest first. */
const approvedOf = remembered<readonly Agent[]>((store, ownerAddress) =>
  approved(store)
    .all({ ownerAddress })
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
  forget(store);
}

/** The exchange's word on how long an approved agent may trade. */
export function setAgentValidity(store: Store, address: string, validUntilMs: number): void {
  store.update(agents).set({ validUntilMs }).where(eq(agents.address, address)).run();
  forget(store);
}

export function retireAgent(store: Store, address: string): void {
  store.update(agents).set({ state: "retired" }).where(eq(agents.address, address)).run();
  forget(store);
}
