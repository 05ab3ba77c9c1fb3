import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { METRICS, type MetricName } from "../src/core/metric.ts";
import { metricsServer, tokenCheck } from "../src/http/metrics.ts";
import { openMetrics } from "../src/metrics.ts";
import { takeReadings } from "../src/ops/take-readings.ts";
import { appendNote } from "../src/store/notes.ts";
import { openGatewayRig } from "./support/gateway-rig.ts";

const CROWD = {
  connections: 3,
  room: 2_048,
  openDescriptors: 40,
  descriptorLimit: 16_384,
  ended: 2,
  shortages: 1,
};
const FACTS = { residentBytes: 1_000, startedAtMs: 1_700_000_000_000, crowd: CROWD };

function rigWithAll() {
  const rig = openGatewayRig();
  const deps = {
    ...rig.deps,
    allowance: { ...rig.deps.allowance, remaining: () => 7 },
    fillIndex: { readToMs: () => rig.deps.exchange.nowMs() - 2_500, readSoon: () => undefined },
    gauges: { weightLeft: () => 800, clockOffsetMs: () => -40 },
  };
  rig.store.$client.run(`UPDATE agents SET valid_until_ms = ${rig.deps.exchange.nowMs() + 86_400_000}`);
  return { ...rig, deps };
}

function familiesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]));
}

test("what is exposed is the closed list, each with its kind and its meaning", async () => {
  const { deps } = rigWithAll();
  const text = await openMetrics().expose(takeReadings(deps, FACTS));
  const wanted = Object.entries(METRICS).map(([name, { kind }]): [string, string] => [name, kind]);
  expect([...familiesOf(text)].sort()).toEqual(wanted.sort());
  for (const [name, { help }] of Object.entries(METRICS)) expect(text).toContain(`# HELP ${name} ${help}`);
});

test("the document lists the closed list, word for word", () => {
  const document = readFileSync(join(import.meta.dir, "../docs/metrics.md"), "utf8");
  const rows = [...document.matchAll(/^\| `([a-z_]+)` \| (\w+) \| ([^|]*) \| (.*) \|$/gm)];
  const told = rows.map(([, name, kind, labels, help]) => [name, kind, labels, help]);
  const wanted = Object.entries(METRICS).map(([name, { kind, labels, help }]) => [
    name,
    kind,
    labels.map((label) => `\`${label}\``).join(", "),
    help,
  ]);
  expect(told).toEqual(wanted);
});

test("readings tell what there is, with the labels that the list promises and no others", () => {
  const { deps } = rigWithAll();
  appendNote(deps.store, { resourceId: "a", attemptId: null, atMs: 1, what: "overruled", detail: "" });
  deps.state.writesStoppedBecause = "a test";
  const readings = takeReadings(deps, FACTS);
  for (const { name, labels, value } of readings) {
    expect(Object.keys(labels)).toEqual([...METRICS[name].labels]);
    expect(Number.isFinite(value)).toBeTrue();
  }
  const readingOf = (name: MetricName) => readings.find((reading) => reading.name === name)?.value;
  expect(readingOf("postern_overruled_rejections_total")).toBe(1);
  expect(readingOf("postern_writes_stopped")).toBe(1);
  expect(readingOf("postern_ready")).toBe(0);
  expect(readingOf("postern_exchange_weight_left")).toBe(800);
  expect(readingOf("postern_exchange_actions_left")).toBe(7);
  expect(readingOf("postern_exchange_clock_offset_seconds")).toBe(-0.04);
  expect(readingOf("postern_fill_index_lag_seconds")).toBe(2.5);
  expect(readingOf("postern_agent_expires_seconds")).toBe(86_400);
  expect(readingOf("postern_agent_listed")).toBe(1);
  expect(readingOf("process_resident_memory_bytes")).toBe(1_000);
  expect(readingOf("postern_connections_closed_total")).toBe(2);
  expect(readingOf("process_open_fds")).toBe(40);
});

test("what is not known is left out and does not show as nought, nor as its last value", async () => {
  const { deps } = rigWithAll();
  const { expose } = openMetrics();
  expect(await expose(takeReadings(deps, FACTS))).toContain("\npostern_exchange_weight_left 800\n");
  const unknowing = {
    ...deps,
    fillIndex: { readToMs: () => null, readSoon: () => undefined },
    agents: { standing: () => "not_asked" as const },
    gauges: { weightLeft: () => null, clockOffsetMs: () => null },
  };
  const text = await expose(takeReadings(unknowing, FACTS));
  for (const name of [
    "exchange_weight_left",
    "exchange_clock_offset_seconds",
    "fill_index_lag_seconds",
    "agent_listed",
  ]) {
    expect(text).not.toMatch(new RegExp(`^postern_${name}`, "m"));
  }
});

test("writes are counted in every stage", async () => {
  const rig = openGatewayRig();
  const { metrics, expose } = openMetrics();
  const deps = Object.assign(rig.deps, { metrics });
  await rig.answerOf(rig.place("key-00000001"));
  rig.deliveries.push(() => ({ kind: "unknown", reason: "the connection was reset" }));
  await rig.answerOf(rig.place("key-00000002"));
  const text = await expose(takeReadings(deps, FACTS));
  for (const stage of ["commit", "sign", "send", "answer"]) {
    expect(text).toMatch(new RegExp(`^postern_write_stage_seconds_count\\{stage="${stage}"\\} [1-9]`, "m"));
  }
});

test("requests are counted by template and status, never by what the client wrote", async () => {
  const { metrics, expose } = openMetrics();
  metrics.answered({ route: "/v1/orders/{id}", status: 404, durationMs: 3 });
  metrics.answered({ route: null, status: 404, durationMs: 1 });
  metrics.throttled("authentication");
  metrics.unlistedRefusal();
  metrics.railRefused("grid-1", "max_order");
  const text = await expose([]);
  expect(text).toContain('postern_http_requests_total{route="/v1/orders/{id}",status="404"} 1');
  expect(text).toContain('postern_http_requests_total{route="none",status="404"} 1');
  expect(text).toContain('postern_http_request_seconds_bucket{le="0.005",route="/v1/orders/{id}"} 1');
  expect(text).toContain('postern_throttled_clients_total{kind="authentication"} 1');
  expect(text).toContain("postern_unlisted_refusals_total 1");
  expect(text).toContain('postern_rail_refusals_total{bot="grid-1",rail="max_order"} 1');
});

test("the port of the metrics answers GET /metrics under its own names, and nothing else", async () => {
  const { deps } = rigWithAll();
  const { expose, contentType } = openMetrics();
  const handle = metricsServer({
    isAllowedHost: (host) => host === "127.0.0.1:9100",
    isAllowed: tokenCheck(null),
    deps: async () => deps,
    facts: () => FACTS,
    expose,
    contentType,
  });
  const ask = (path: string, init: RequestInit = {}, host = "127.0.0.1:9100") =>
    handle(new Request(`http://127.0.0.1:9100${path}`, { ...init, headers: { host } }));
  const answer = await ask("/metrics");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("text/plain");
  expect((await ask("/metrics", {}, "evil.example")).status).toBe(403);
  expect((await ask("/metrics", { method: "POST" })).status).toBe(404);
  for (const path of ["/", "/metrics/", "/v1/orders", "/healthz"]) expect((await ask(path)).status).toBe(404);
});

test("a database that fails costs the scrape, not the gateway", async () => {
  const { deps, store } = rigWithAll();
  const { expose, contentType } = openMetrics();
  store.$client.close();
  const handle = metricsServer({
    isAllowedHost: () => true,
    isAllowed: tokenCheck(null),
    deps: async () => deps,
    facts: () => FACTS,
    expose,
    contentType,
  });
  expect((await handle(new Request("http://localhost/metrics"))).status).toBe(503);
});

test("where a token is asked for, nothing is told without it", async () => {
  const { deps } = rigWithAll();
  const { expose, contentType } = openMetrics();
  const isAllowed = tokenCheck("0123456789abcdef");
  const door = {
    isAllowedHost: () => true,
    isAllowed,
    deps: async () => deps,
    facts: () => FACTS,
    expose,
    contentType,
  };
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await metricsServer(door)(new Request("http://10.0.0.2:9788/metrics", { headers }));
    return { status: answer.status, isTold: (await answer.text()).includes("postern_") };
  };
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer 0123456789abcdeF",
    "Bearer 0123456789abcdef0",
    "Bearer 0123456789abcde",
    "Basic 0123456789abcdef",
  ];
  for (const header of wrong) expect(await ask(header)).toEqual({ status: 401, isTold: false });
  for (const header of ["Bearer 0123456789abcdef", "bearer  0123456789abcdef"]) {
    expect(await ask(header)).toEqual({ status: 200, isTold: true });
  }
});
