import type { Readiness } from "../core/readiness.ts";
import type { ToTakeOrders, With } from "../deps.ts";
import { readinessOf } from "../settle/pre-trade/readiness.ts";
import { listAccounts } from "../store/accounts.ts";
import { findSigningAgent } from "../store/agents.ts";

/** Which accounts' orders are taken; a disk that has not been written to for some seconds is tried first. */
export function readyAccounts(deps: ToTakeOrders): Readiness {
  deps.writeHealth.prove();
  return readinessOf(deps);
}

const DAY_MS = 24 * 60 * 60_000;
/** From here on an approval is said to end soon, days. */
const SOON_DAYS = 30;

export type AgentHealth = { agent: "in_order" | "ends_soon" | "missing" | "none"; agent_days_left: number | null };

/** The worst of what is known of the agents that sign, without their names: anybody may ask this. */
export function agentHealth({ store, exchange, agents }: With<"agents" | "exchange" | "store">): AgentHealth {
  const nowMs = exchange.nowMs();
  const owners = new Set(listAccounts(store).map(({ ownerAddress }) => ownerAddress));
  const signing = [...owners].map((owner) => findSigningAgent(store, owner, nowMs));
  const ends = signing.flatMap((agent) => agent?.validUntilMs ?? []);
  const daysLeft = ends.length === 0 ? null : Math.floor((Math.min(...ends) - nowMs) / DAY_MS);
  const isMissing = signing.some((agent) => agent !== null && agents.standing(agent.address) === "missing");
  const rest = daysLeft !== null && daysLeft < SOON_DAYS ? "ends_soon" : "in_order";
  const worst = signing.includes(null) ? "none" : isMissing ? "missing" : rest;
  return { agent: worst, agent_days_left: daysLeft };
}
