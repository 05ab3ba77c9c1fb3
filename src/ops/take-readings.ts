import type { Account } from "../core/account.ts";
import type { CrowdCounts } from "../core/crowd.ts";
import type { MetricName, MetricReading } from "../core/metric.ts";
import { isReady } from "../core/readiness.ts";
import type { ToSign, ToTakeOrders, With } from "../deps.ts";
import { readinessOf } from "../settle/pre-trade/readiness.ts";
import { OVERRULED } from "../settle/record/note.ts";
import { listAccounts } from "../store/accounts.ts";
import { findSigningAgent } from "../store/agents.ts";
import { databaseSize } from "../store/database-size.ts";
import { countNotes } from "../store/notes.ts";
import { listStandingStops } from "../store/stops.ts";
import { unknownOperations, unknownOrders } from "../store/unknowns.ts";

/** What this process and its machine say of themselves. */
export type ProcessFacts = {
  residentBytes: number;
  startedAtMs: number;
  /** Null where the system does not tell. */
  crowd: CrowdCounts | null;
};

/** Everything that is measured by looking, at this moment. Asks nobody but the database and the disk. */
export function takeReadings(
  deps: ToTakeOrders & ToSign & With<"feeds" | "fillIndex" | "gauges" | "settling">,
  facts: ProcessFacts,
): MetricReading[] {
  const { state, settings, gauges, store } = deps;
  deps.writeHealth.prove();
  const readiness = readinessOf(deps);
  const size = databaseSize(store);
  const offsetMs = gauges.clockOffsetMs();
  return [
    of("postern_ready", isReady(readiness) ? 1 : 0),
    of("postern_writes_stopped", state.writesStoppedBecause === null ? 0 : 1),
    of("postern_unsettled_actions", deps.settling.openCount()),
    of("postern_overruled_rejections_total", countNotes(store, OVERRULED)),
    ...known("postern_exchange_weight_left", gauges.weightLeft()),
    ...known("postern_exchange_clock_offset_seconds", offsetMs === null ? null : offsetMs / 1_000),
    of("postern_database_bytes", size.databaseBytes, { file: "database" }),
    of("postern_database_bytes", size.logBytes, { file: "log" }),
    ...known("postern_disk_free_bytes", size.diskFreeBytes),
    of("postern_build_info", 1, { version: settings.version, network: settings.network }),
    of("process_resident_memory_bytes", facts.residentBytes),
    of("process_start_time_seconds", facts.startedAtMs / 1_000),
    ...readiness.accounts.map(({ accountId, reason }) =>
      of("postern_account_ready", reason === null ? 1 : 0, { account: accountId }),
    ),
    ...crowdReadings(facts.crowd),
    ...listAccounts(store).flatMap((account) => accountReadings(deps, account)),
  ];
}

function crowdReadings(crowd: CrowdCounts | null): MetricReading[] {
  if (crowd === null) return [];
  return [
    of("postern_connections", crowd.connections),
    of("postern_connections_limit", crowd.room),
    of("postern_connections_closed_total", crowd.ended),
    of("postern_descriptor_shortages_total", crowd.shortages),
    of("process_open_fds", crowd.openDescriptors),
    of("process_max_fds", crowd.descriptorLimit),
  ];
}

function accountReadings(
  deps: With<"agents" | "allowance" | "clock" | "exchange" | "feeds" | "fillIndex" | "store">,
  account: Account,
): MetricReading[] {
  const { store, clock } = deps;
  const labels = { account: account.id };
  const orders = unknownOrders(store, account.id);
  const operations = unknownOperations(store, account.id);
  const nowMs = clock.nowMs();
  const oldestMs = Math.min(orders.oldestMs ?? nowMs, operations.oldestMs ?? nowMs);
  const readToMs = deps.fillIndex.readToMs(account);
  return [
    of("postern_stops_standing", listStandingStops(store, account.id).length, labels),
    of("postern_unknown_orders", orders.count, labels),
    of("postern_unknown_operations", operations.count, labels),
    of("postern_oldest_unknown_seconds", Math.max(0, nowMs - oldestMs) / 1_000, labels),
    ...known("postern_exchange_actions_left", deps.allowance.remaining(account.tradingAddress), labels),
    of("postern_feed_live", deps.feeds.isLive(account.tradingAddress) ? 1 : 0, labels),
    of("postern_feed_distrusts_total", deps.feeds.distrusts(account.tradingAddress), labels),
    ...known("postern_fill_index_lag_seconds", lagS(deps, readToMs), labels),
    ...agentReadings(deps, account),
  ];
}

function lagS(deps: With<"exchange">, readToMs: number | null): number | null {
  return readToMs === null ? null : Math.max(0, deps.exchange.nowMs() - readToMs) / 1_000;
}

function agentReadings(deps: With<"agents" | "exchange" | "store">, account: Account): MetricReading[] {
  const nowMs = deps.exchange.nowMs();
  const agent = findSigningAgent(deps.store, account.ownerAddress, nowMs);
  if (agent === null) return [];
  const labels = { account: account.id, agent: agent.address };
  const standing = deps.agents.standing(agent.address);
  const leftS = agent.validUntilMs === null ? null : (agent.validUntilMs - nowMs) / 1_000;
  return [
    ...known("postern_agent_expires_seconds", leftS, labels),
    ...known("postern_agent_listed", standing === "not_asked" ? null : Number(standing === "listed"), labels),
  ];
}

function of(name: MetricName, value: number, labels: MetricReading["labels"] = {}): MetricReading {
  return { name, value, labels };
}

function known(name: MetricName, value: number | null, labels: MetricReading["labels"] = {}): MetricReading[] {
  return value === null ? [] : [of(name, value, labels)];
}
