import { type Config, type MetricsExposure, metricsExposureOf, metricsHostsOf, urlOf } from "../config.ts";
import type { CrowdCounts } from "../core/crowd.ts";
import { type Metrics, NO_METRICS } from "../core/metric.ts";
import type { Deps } from "../deps.ts";
import { metricsServer } from "../http/metrics.ts";
import { tokenCheck } from "../http/metrics-token.ts";
import { openMetrics } from "../metrics.ts";
import { bind } from "./door.ts";
import type { Guests } from "./guests.ts";
import type { Outside } from "./outside.ts";
import { readTokenFile } from "./token-file.ts";

/** The port of the metrics, where one was asked for. */
export type Exposed = {
  metrics: Metrics;
  /** Null when nothing is exposed. */
  url: string | null;
  exposure: MetricsExposure | null;
  port: number | null;
  /** Until then a request waits. */
  open(deps: Deps, crowd: () => CrowdCounts | null): void;
  stop(): Promise<void>;
};

const NOT_EXPOSED: Exposed = {
  metrics: NO_METRICS,
  url: null,
  exposure: null,
  port: null,
  open: () => undefined,
  stop: async () => undefined,
};

export function exposeMetrics(config: Config, guests: Guests, outside: Outside): Exposed {
  const address = config.metricsListen;
  const exposure = metricsExposureOf(config);
  if (address === null) return NOT_EXPOSED;
  const token = config.metricsTokenFile === null ? null : readTokenFile(config.metricsTokenFile);
  const { promise, resolve } = Promise.withResolvers<Deps>();
  let crowd: () => CrowdCounts | null = () => null;
  const { metrics, expose, contentType } = openMetrics();
  const startedAtMs = outside.clock.nowMs();
  let hosts: string[] = [];
  const handle = metricsServer({
    isAllowedHost: (host) => hosts.includes(host),
    isAllowed: tokenCheck(token),
    deps: () => promise,
    facts: () => ({ residentBytes: outside.residentBytes(), startedAtMs, crowd: crowd() }),
    expose,
    contentType,
  });
  async function answer(request: Request, self: ReturnType<typeof Bun.serve>): Promise<Response> {
    const visitor = guests.enter(self.requestIP(request) ?? { address: "", port: 0 });
    visitor.hasArrived();
    return handle(request).finally(() => visitor.leave(false));
  }

  const server = bind(() => Bun.serve({ ...address, development: false, reusePort: false, fetch: answer }), {
    ...address,
    option: "metrics-listen",
  });
  const listened = { ...address, port: server.port ?? address.port };
  hosts = metricsHostsOf(listened, config);
  return {
    metrics,
    url: `${urlOf(listened)}/metrics`,
    exposure,
    port: listened.port,
    open(deps, counts) {
      crowd = counts;
      resolve(deps);
    },
    stop: () => server.stop(true),
  };
}
