import type { Agent } from "../core/account.ts";
import type { EventType } from "../core/event.ts";
import { isoTime } from "../core/resource.ts";
import { wasTold } from "../store/account-events.ts";
import { listAccounts } from "../store/accounts.ts";
import { appendEvent } from "../store/events.ts";
import type { Store } from "../store/open.ts";

/** Tells the accounts that an agent signs for that its approval ends, once for each number of days. */
export function tellExpiring(store: Store, agent: Agent, { daysLeft, atMs }: { daysLeft: number; atMs: number }): void {
  tell(store, agent, { type: "agent.expiring", atMs, data: { ...resource(agent), days_left: daysLeft } });
}

/** Tells them that it may trade. */
export function tellApproved(store: Store, agent: Agent, atMs: number): void {
  tell(store, agent, { type: "agent.approved", atMs, data: resource(agent) });
}

function resource({ address, name, validUntilMs }: Agent) {
  const validUntil = validUntilMs === null ? null : isoTime(validUntilMs);
  return { object: "agent", address, name, valid_until: validUntil };
}

function tell(store: Store, agent: Agent, { type, atMs, data }: { type: EventType; atMs: number; data: object }): void {
  for (const { id: accountId, ownerAddress } of listAccounts(store)) {
    if (ownerAddress !== agent.ownerAddress) continue;
    const event = { accountId, atMs, type, resourceId: agent.address, payload: JSON.stringify(data) };
    // A gateway that is started often would tell it at every start.
    if (!wasTold(store, event)) appendEvent(store, event);
  }
}
