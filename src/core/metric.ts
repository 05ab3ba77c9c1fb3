/** The closed list of what is measured: names, labels and meanings. Nothing here carries a key, a price or a size. */

export type MetricShape = {
  kind: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
};

export const METRICS = {
  postern_http_requests_total: {
    kind: "counter",
    help: "Requests answered, by path template (none where no route matched) and status.",
    labels: ["route", "status"],
  },
  postern_http_request_seconds: {
    kind: "histogram",
    help: "Time from a request's arrival to its answer, by path template.",
    labels: ["route"],
  },
  postern_write_stage_seconds: {
    kind: "histogram",
    help: "Time that a write spends in a stage: parse (with authentication), commit, sign, send, answer.",
    labels: ["stage"],
  },
  postern_throttled_clients_total: {
    kind: "counter",
    help: "Failed proofs of identity that were answered with 429, by what was tried.",
    labels: ["kind"],
  },
  postern_rail_refusals_total: {
    kind: "counter",
    help: "Requests of bots that a rail refused, by bot and rail.",
    labels: ["bot", "rail"],
  },
  postern_ready: {
    kind: "gauge",
    help: "1 while orders are taken for every account that has a key which may write, a stop on purpose apart; what /readyz says.",
    labels: [],
  },
  postern_account_ready: {
    kind: "gauge",
    help: "1 while orders are taken for the account; there for those that /readyz looks at.",
    labels: ["account"],
  },
  postern_writes_stopped: { kind: "gauge", help: "1 while a fault keeps all writes but cancels stopped.", labels: [] },
  postern_stops_standing: {
    kind: "gauge",
    help: "Stops that refuse what increases, by account; not those that were ended.",
    labels: ["account"],
  },
  postern_unknown_orders: {
    kind: "gauge",
    help: "Orders whose outcome is unknown; not those that `order release` gave up.",
    labels: ["account"],
  },
  postern_unknown_operations: {
    kind: "gauge",
    help: "Operations whose outcome is unknown; not those that `order release` gave up.",
    labels: ["account"],
  },
  postern_oldest_unknown_seconds: {
    kind: "gauge",
    help: "Age of the oldest order or operation whose outcome is unknown; 0 for none.",
    labels: ["account"],
  },
  postern_unsettled_actions: {
    kind: "gauge",
    help: "Signed actions whose outcome is being looked up or waited for.",
    labels: [],
  },
  postern_overruled_rejections_total: {
    kind: "counter",
    help: "Rejections that the exchange overruled, ever: concluded by us, or told by one of its servers while a copy was carried out by another, or by an answer that was the answer to another request. Anything but 0 deserves a report.",
    labels: [],
  },
  postern_unlisted_refusals_total: {
    kind: "counter",
    help: "Refusals of the exchange, since the start, in words that are not in our list. Each is in the log once: please report it.",
    labels: [],
  },
  postern_exchange_weight_left: {
    kind: "gauge",
    help: "Weight of this minute that may still be spent at the exchange; not there while it is not limited.",
    labels: [],
  },
  postern_exchange_actions_left: {
    kind: "gauge",
    help: "Actions that the account's volume has earned it and that are not used; not there while it is not known.",
    labels: ["account"],
  },
  postern_exchange_clock_offset_seconds: {
    kind: "gauge",
    help: "The exchange's time minus this machine's; not there before the first comparison.",
    labels: [],
  },
  postern_feed_live: {
    kind: "gauge",
    help: "1 while the account's websocket feed is connected, caught up and agrees with what reads show.",
    labels: ["account"],
  },
  postern_feed_distrusts_total: {
    kind: "counter",
    help: "Times since the start that the account's feed had left out what a read showed.",
    labels: ["account"],
  },
  postern_fill_index_lag_seconds: {
    kind: "gauge",
    help: "How long ago the index of fills was last read to the end; not there before its first reading.",
    labels: ["account"],
  },
  postern_agent_expires_seconds: {
    kind: "gauge",
    help: "Seconds until the approval of the agent that signs ends, negative after it; not there while not known.",
    labels: ["account", "agent"],
  },
  postern_agent_listed: {
    kind: "gauge",
    help: "1 while the exchange lists the agent that signs, 0 when it does not; not there before it was asked.",
    labels: ["account", "agent"],
  },
  postern_database_bytes: { kind: "gauge", help: "Size of the database and of its log.", labels: ["file"] },
  postern_disk_free_bytes: { kind: "gauge", help: "Space left where the database is.", labels: [] },
  postern_build_info: { kind: "gauge", help: "Always 1; version and network.", labels: ["version", "network"] },
  postern_connections: {
    kind: "gauge",
    help: "Open connections of clients, counted at least once a second.",
    labels: [],
  },
  postern_connections_limit: {
    kind: "gauge",
    help: "How many there may be: the setting, or less where the system gives few descriptors.",
    labels: [],
  },
  postern_connections_closed_total: {
    kind: "counter",
    help: "Connections closed because there were too many, since the start.",
    labels: [],
  },
  postern_descriptor_shortages_total: {
    kind: "counter",
    help: "Looks (ten to fifty a second) at which no file descriptor was left, since the start.",
    labels: [],
  },
  process_open_fds: {
    kind: "gauge",
    help: "Open file descriptors.",
    labels: [],
  },
  process_max_fds: {
    kind: "gauge",
    help: "How many there may be.",
    labels: [],
  },
  process_resident_memory_bytes: { kind: "gauge", help: "Memory of the process.", labels: [] },
  process_start_time_seconds: { kind: "gauge", help: "When the process started, unix seconds.", labels: [] },
} as const satisfies Record<string, MetricShape>;

export type MetricName = keyof typeof METRICS;

/** One value that is read when somebody asks. */
export type MetricReading = { name: MetricName; labels: Readonly<Record<string, string>>; value: number };

export type WriteStage = "parse" | "commit" | "sign" | "send" | "answer";

/** What is counted as it happens. Costs a microsecond and never throws. */
export type Metrics = {
  /** `route` is a path template, null where none matched. */
  answered(request: { route: string | null; status: number; durationMs: number }): void;
  passed(stage: WriteStage, durationMs: number): void;
  throttled(kind: string): void;
  unlistedRefusal(): void;
  /** By the names that the owner has signed. */
  railRefused(bot: string, rail: string): void;
};

/** Nobody asked for metrics. */
export const NO_METRICS: Metrics = {
  answered: () => undefined,
  passed: () => undefined,
  throttled: () => undefined,
  unlistedRefusal: () => undefined,
  railRefused: () => undefined,
};
