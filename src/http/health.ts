import { agentHealth } from "../actions/agent-health.ts";
import { whatIsMissing } from "../actions/readiness.ts";
import { ApiError } from "../core/errors.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { isoTime } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { HEALTHY } from "./early.ts";
import { type Answer, openRoute, type Route } from "./route.ts";
import { HealthResource, ReadinessResource } from "./schema/health.ts";

const TAG = "Health";

const health = openRoute(
  {
    name: "get_health",
    method: "GET",
    path: "/healthz",
    tag: TAG,
    summary: "Whether the process is up",
    access: "anybody",
    answers: [{ status: 200, description: "It is.", schema: HealthResource, example: { status: "ok" } }],
    errors: [],
  },
  () => ({ status: 200, body: HEALTHY }),
);

const readiness = openRoute(
  {
    name: "get_readiness",
    method: "GET",
    path: "/readyz",
    tag: TAG,
    summary: "Whether orders are taken",
    description: "An exchange that cannot be reached does not make the gateway unready; see `markets_read_at`.",
    access: "anybody",
    answers: [
      {
        status: 200,
        description: "They are.",
        schema: ReadinessResource,
        example: {
          status: "ready",
          network: "mainnet",
          exchange: "official",
          database: "writable",
          start_up: "done",
          agent: "in_order",
          agent_days_left: 71,
          markets: 412,
          markets_read_at: "2026-11-21T09:30:00.000Z",
        },
      },
    ],
    errors: ["not_ready", "draining"],
  },
  answerReadiness,
);

function answerReadiness(deps: Deps): Answer {
  const { state, markets, settings, instance } = deps;
  const universe = markets.current();
  if (state.phase === "draining") throw new ApiError("draining", "The gateway is shutting down.");
  const missing = whatIsMissing(deps);
  if (missing.length > 0 || universe === null) throw new ApiError("not_ready", `Not ready: ${missing.join("; ")}.`);
  const body = {
    status: "ready",
    network: settings.network,
    exchange: exchangePlaceOf(instance),
    database: "writable",
    start_up: "done",
    ...agentHealth(deps),
    markets: universe.byName.size,
    markets_read_at: isoTime(universe.readAtMs),
  };
  return { status: 200, body: JSON.stringify(body) };
}

export function healthRoutes(): Route[] {
  return [health, readiness];
}
