import { type Config, metricsHostsOf, urlOf } from "../config.ts";
import { type Metrics, NO_METRICS } from "../core/metric.ts";
import type { Deps } from "../deps.ts";
import { metricsServer } from "../http/metrics.ts";
import { openMetrics } from "../metrics.ts";
import { bind } from "./door.ts";
import type { Outside } from "./outside.ts";

/** The port of the metrics, where one was asked for. */
export type Exposed = {
  metrics: Metrics;
  /** Null when nothing is exposed. */
  url: string | null;
  /** Until then a request waits. */
  open(deps: Deps): void;
  stop(): Promise<void>;
};

const NOT_EXPOSED: Exposed = { metrics: NO_METRICS, url: null, open: () => undefined, stop: async () => undefined };

export function exposeMetrics(config: Config, outside: Outside): Exposed {
  const address = config.metricsListen;
  if (address === null) return NOT_EXPOSED;
  const { promise, resolve } = Promise.withResolvers<Deps>();
  const { metrics, expose, contentType } = openMetrics();
  const startedAtMs = outside.clock.nowMs();
  let hosts: string[] = [];
  const handle = metricsServer({
    isAllowedHost: (host) => hosts.includes(host),
    deps: () => promise,
    facts: () => ({ residentBytes: outside.residentBytes(), startedAtMs }),
    expose,
    contentType,
  });
  const server = bind(() => Bun.serve({ ...address, development: false, reusePort: false, fetch: handle }), {
    ...address,
    option: "metrics-listen",
  });
  const listened = { ...address, port: server.port ?? address.port };
  hosts = metricsHostsOf(listened, config);
  return {
    metrics,
    url: `${urlOf(listened)}/metrics`,
    open: resolve,
    stop: () => server.stop(true),
  };
}
