import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Config } from "../config.ts";
import type { CrowdCounts } from "../core/crowd.ts";
import { type Metrics, NO_METRICS } from "../core/metric.ts";
import type { Deps } from "../deps.ts";
import { metricsServer, tokenCheck } from "../http/metrics.ts";
import { openMetrics } from "../metrics.ts";
import { Failure } from "./command.ts";
import { bind } from "./door.ts";
import { type MetricsExposure, metricsExposureOf, metricsHostsOf, urlOf } from "./exposure.ts";
import type { Guests } from "./guests.ts";
import type { Outside } from "./outside.ts";

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

const TOKEN = /^[\x21-\x7e]{16,256}$/;
const MAX_BYTES = 1_024;

/** The bearer token in a file that nobody else may read: 16 to 256 visible characters on one line. */
export function readTokenFile(path: string): string {
  const descriptor = open(path);
  try {
    // Checked on the open file, so that it cannot be exchanged between the check and the reading.
    const { mode } = fstatSync(descriptor);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Failure(`${path} is not a plain file`);
    if ((mode & 0o077) !== 0) throw new Failure(`${path} can be read by others: chmod 600 ${path}`);
    const buffer = Buffer.alloc(MAX_BYTES);
    const text = buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, 0)).replace(/\r?\n$/, "");
    if (!TOKEN.test(text)) throw new Failure(`${path} holds no token: one line of 16 to 256 visible characters`);
    return text;
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new Failure(`${path} cannot be read`);
  }
}
