import type { Agent, AgentStanding } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import type { GatewayState, Log } from "../deps.ts";
import type { Exchange, InfoOptions } from "../exchange/exchange.ts";
import { listAgents, setAgentValidity } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { type ExtraAgent, parseExtraAgents, parseUserRole } from "../wire/answer/account.ts";
import { tellExpiring } from "./tell-agents.ts";

/** Days before the end of an approval at which the log warns, each once. */
const WARNING_DAYS = [30, 14, 7, 3, 1] as const;

/** Between two questions about our agents, milliseconds. */
export const WATCH_INTERVAL_MS = 10 * 60_000;
/**
 * Between two questions about an agent that the exchange does not list, milliseconds: until it does no order is taken.
 */
export const MISSING_INTERVAL_MS = 60_000;
/** Between two questions about an agent for which actions are refused, milliseconds: orders may come one after the other. */
const REFUSED_INTERVAL_MS = 10_000;

const DAY_MS = 24 * 60 * 60_000;

export type AgentWatch = {
  /** Asks the exchange about every approved agent, keeps what changed and warns. Never throws. */
  look(): Promise<void>;
  /** Asks the exchange about those of our agents that it did not list when last asked. Never throws. */
  lookAtMissing(): Promise<void>;
  standing(address: string): AgentStanding;
};

type Watching = {
  store: Store;
  exchange: Pick<Exchange, "info" | "nowMs">;
  clock: Clock;
  log: Log;
  state: Pick<GatewayState, "heedRefusedAgent">;
};

/** `isStopped` says that the database may be closed by now. An action that is refused for its agent has it looked at. */
export function openAgentWatch({ state, ...watching }: Watching, isStopped: () => boolean): AgentWatch {
  const { store, exchange, clock, log } = watching;
  const refusedElapsedMs = new Map<string, number>();
  const standings = new Map<string, AgentStanding>();
  const warnedAt = new Map<string, number>();

  function keep(agent: Agent, validUntilMs: number | null): void {
    if (validUntilMs === null || validUntilMs === agent.validUntilMs) return;
    inTransaction(store, (within) => {
      setAgentValidity(within, agent.address, validUntilMs);
      const detail = { valid_until: validUntilMs, before: agent.validUntilMs };
      const event = "agent_validity_changed";
      appendAudit(within, { atMs: clock.nowMs(), actor: "gateway", event, reference: agent.address, detail });
    });
  }

  function warn(agent: Agent, standing: AgentStanding): void {
    const fields = { agent: agent.address, agent_name: agent.name };
    const level = warningLevel(agent.validUntilMs, exchange.nowMs());
    const isNews = level !== null && level !== warnedAt.get(agent.address);
    if (level !== null) warnedAt.set(agent.address, level);
    if (isNews) {
      inTransaction(store, (within) => tellExpiring(within, agent, { daysLeft: level, atMs: clock.nowMs() }));
      log.warn({ ...fields, valid_until: agent.validUntilMs, count: level }, "the agent's approval ends within days");
    }
    if (standing === "missing" && standings.get(agent.address) !== "missing") {
      log.error(fields, "the exchange does not list this agent any more: approve a new one");
    }
    standings.set(agent.address, standing);
  }

  async function lookAt(owner: string, agents: readonly Agent[]): Promise<void> {
    const listed = await readListed(exchange, owner, { purpose: "read" });
    if (listed === null || isStopped()) return;
    for (const agent of agents) {
      const seen = await seenOf(exchange, agent, listed);
      if (isStopped()) return;
      if (seen === null) continue;
      keep(agent, seen.validUntilMs);
      warn({ ...agent, validUntilMs: seen.validUntilMs ?? agent.validUntilMs }, seen.standing);
    }
  }

  async function lookAtAll(isWanted: (agent: Agent) => boolean): Promise<void> {
    try {
      const approved = listAgents(store).filter((agent) => agent.state === "approved" && isWanted(agent));
      for (const [owner, agents] of Map.groupBy(approved, ({ ownerAddress }) => ownerAddress)) {
        await lookAt(owner, agents);
      }
    } catch (error) {
      if (!isStopped()) log.error({ error: String(error) }, "the agents could not be looked at");
    }
  }

  state.heedRefusedAgent = (refused) => {
    const last = refusedElapsedMs.get(refused);
    if (isStopped() || (last !== undefined && clock.elapsedMs() - last < REFUSED_INTERVAL_MS)) return;
    refusedElapsedMs.set(refused, clock.elapsedMs());
    void lookAtAll(({ address }) => address === refused);
  };

  return {
    look: () => lookAtAll(() => true),
    lookAtMissing: () => lookAtAll(({ address }) => standings.get(address) === "missing"),
    standing: (address) => standings.get(address) ?? "not_asked",
  };
}

/** The smallest of the warning days that is reached, 0 after the end, or null while there is time. */
export function warningLevel(validUntilMs: number | null, nowMs: number): number | null {
  if (validUntilMs === null) return null;
  if (validUntilMs <= nowMs) return 0;
  return WARNING_DAYS.findLast((days) => validUntilMs - nowMs <= days * DAY_MS) ?? null;
}

/** Null when the exchange cannot be asked. */
export async function readListed(
  exchange: Pick<Exchange, "info">,
  owner: string,
  options: InfoOptions,
): Promise<ExtraAgent[] | null> {
  const answer = await exchange.info({ type: "extraAgents", user: owner }, options);
  return answer.kind === "ok" ? parseExtraAgents(answer.json) : null;
}

/** What the exchange says of one agent; null when it cannot be asked. */
export async function seenOf(
  exchange: Pick<Exchange, "info">,
  agent: Pick<Agent, "address" | "ownerAddress">,
  listed: readonly ExtraAgent[],
): Promise<{ standing: "listed" | "missing"; validUntilMs: number | null } | null> {
  const found = listed.find(({ address }) => address === agent.address);
  if (found !== undefined) return { standing: "listed", validUntilMs: found.validUntilMs };
  // The one agent without a name is in no list; only its role shows it. Another node, in case this one lags.
  const options = { purpose: "read", onNewConnection: true } as const;
  const answer = await exchange.info({ type: "userRole", user: agent.address }, options);
  const role = answer.kind === "ok" ? parseUserRole(answer.json) : null;
  if (role === null) return null;
  const isOurs = role.role === "agent" && role.user === agent.ownerAddress;
  return { standing: isOurs ? "listed" : "missing", validUntilMs: null };
}
