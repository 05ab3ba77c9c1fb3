import { and, asc, desc, eq, sql } from "drizzle-orm";
import type { Agent } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { agents } from "./schema.ts";

export type StoredAgent = Agent & { sealedKey: Uint8Array };

function toAgent(row: typeof agents.$inferSelect): StoredAgent {
  return { ...row, sealedKey: new Uint8Array(row.sealedKey) };
}

/** Oldest first, retired ones included: an address is never used again. */
export function listAgents(store: Store): StoredAgent[] {
  return store.select().from(agents).orderBy(asc(agents.createdAtMs), asc(agents.address)).all().map(toAgent);
}

const newestApproved = prepared((store) =>
  store
    .select()
    .from(agents)
    .where(and(eq(agents.ownerAddress, sql.placeholder("ownerAddress")), eq(agents.state, "approved")))
    .orderBy(desc(agents.approvedAtMs))
    .limit(1)
    .prepare(),
);

/** The newest approved agent of an owner: the one that signs. */
export function findSigningAgent(store: Store, ownerAddress: string): Agent | null {
  const row = newestApproved(store).get({ ownerAddress });
  return row === undefined ? null : toAgent(row);
}

export function insertAgent(store: Store, agent: StoredAgent): void {
  store
    .insert(agents)
    .values({ ...agent, sealedKey: Buffer.from(agent.sealedKey) })
    .run();
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
}

export function retireAgent(store: Store, address: string): void {
  store.update(agents).set({ state: "retired" }).where(eq(agents.address, address)).run();
}
