/** The closed list of metrics in Prometheus' words. The only file that knows the package. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { METRICS, type MetricName, type MetricReading, type Metrics } from "./core/metric.ts";

export type MetricsRegistry = {
  metrics: Metrics;
  /** The exposition: what was counted, and these readings of the moment. */
  expose(readings: readonly MetricReading[]): Promise<string>;
  contentType: string;
};

/** Seconds; an order takes milliseconds here and a tenth of a second at the exchange, and is answered within 8. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function openMetrics(): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ ...shapeOf("postern_http_requests_total"), registers });
  const durations = new Histogram({ ...shapeOf("postern_http_request_seconds"), buckets: BUCKETS, registers });
  const stages = new Histogram({ ...shapeOf("postern_write_stage_seconds"), buckets: BUCKETS, registers });
  const throttled = new Counter({ ...shapeOf("postern_throttled_clients_total"), registers });
  const unlisted = new Counter({ ...shapeOf("postern_unlisted_refusals_total"), registers });
  const refusals = new Counter({ ...shapeOf("postern_rail_refusals_total"), registers });
  return {
    metrics: {
      answered({ route, status, durationMs }) {
        const path = route ?? "none";
        requests.inc({ route: path, status });
        durations.observe({ route: path }, durationMs / 1_000);
      },
      passed: (stage, durationMs) => stages.observe({ stage }, durationMs / 1_000),
      throttled: (kind) => throttled.inc({ kind }),
      unlistedRefusal: () => unlisted.inc(),
      railRefused: (bot, rail) => refusals.inc({ bot, rail }),
    },
    // Readings go into a registry of their own: what is not read this time must not show its last value.
    expose: (readings) => Registry.merge([registry, registryOf(readings)]).metrics(),
    contentType: registry.contentType,
  };
}

function registryOf(readings: readonly MetricReading[]): Registry {
  const registry = new Registry();
  for (const { name, labels, value } of readings) {
    const known = registry.getSingleMetric(name);
    if (METRICS[name].kind === "counter") {
      const counter = known instanceof Counter ? known : new Counter({ ...shapeOf(name), registers: [registry] });
      counter.inc({ ...labels }, value);
    } else {
      const gauge = known instanceof Gauge ? known : new Gauge({ ...shapeOf(name), registers: [registry] });
      gauge.set({ ...labels }, value);
    }
  }
  return registry;
}

function shapeOf(name: MetricName): { name: string; help: string; labelNames: string[] } {
  const { help, labels } = METRICS[name];
  return { name, help, labelNames: [...labels] };
}
