import { agentHealth, readyAccounts } from "../actions/readiness.ts";
import { ApiError } from "../core/errors.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import { countStopped, notReadyWords } from "../core/readiness.ts";
import { isoTime } from "../core/resource.ts";
import type { ToSign, ToTakeOrders, With } from "../deps.ts";
import { guardRequest } from "./guard.ts";
import { setCommonHeaders } from "./headers.ts";
import { type Answer, openRoute, type Route } from "./route.ts";
import { HealthResource, ReadinessResource } from "./schema/health.ts";

const TAG = "Health";
const BY_HEAD = "HEAD is answered with the same status and headers.";

const health = openRoute(
  {
    name: "get_health",
    method: "GET",
    path: "/healthz",
    tag: TAG,
    summary: "Whether the process is up",
    description: BY_HEAD,
    isHeadAnswered: true,
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
    description: `200 exactly while an order that makes a position larger would be taken for every account that has a key which may write (for every account, while none has one), but for those whose trading somebody has stopped: that is no fault, and \`stopped\` counts them. Otherwise the message says the reason for each account, by its place in the operator's list of accounts; \`GET /v1/status\` says it for a key's own. An exchange that is silent is no reason in its first minute; see \`exchange_answered_at\`. Cancels, and orders that are \`reduce_only\`, are tried whatever this says. ${BY_HEAD}`,
    isHeadAnswered: true,
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
          accounts: 2,
          stopped: 0,
          database: "writable",
          start_up: "done",
          agent: "in_order",
          agent_days_left: 71,
          markets: 412,
          markets_read_at: "2026-11-21T09:30:00.000Z",
          exchange_answered_at: "2026-11-21T09:31:04.000Z",
        },
      },
    ],
    errors: ["not_ready", "draining"],
  },
  answerReadiness,
);

function answerReadiness(deps: ToTakeOrders & ToSign & With<"instance">): Answer {
  return { status: 200, body: JSON.stringify(readinessResource(deps)) };
}

export function readinessResource(deps: ToTakeOrders & ToSign & With<"instance">) {
  const { state, markets, settings, instance } = deps;
  if (state.phase === "draining") throw new ApiError("draining", "The gateway is shutting down.");
  const found = readyAccounts(deps);
  const missing = notReadyWords(found);
  const place = exchangePlaceOf(instance);
  if (missing !== null) throw new ApiError("not_ready", `Orders are not taken: ${missing}.${PLACE_WORDS[place]}`);
  const universe = markets.current();
  return {
    status: "ready" as const,
    network: settings.network,
    exchange: place,
    accounts: found.accounts.length,
    stopped: countStopped(found),
    database: "writable" as const,
    start_up: "done" as const,
    ...agentHealth(deps),
    markets: universe?.byName.size ?? 0,
    markets_read_at: isoTime(universe?.readAtMs ?? 0),
    exchange_answered_at: isoTime(deps.clock.nowMs() - (deps.exchange.sinceAnswerMs() ?? 0)),
  };
}

const PLACE_WORDS = { official: "", simulated: "", unofficial: " The exchange is an unofficial one." } as const;

export function healthRoutes(): Route[] {
  return [health, readiness];
}

/**
 * `GET` or `HEAD /healthz` while the agent keys are being opened, which is slow on purpose: the process is up. Null for everything
 * else, what the guard refuses included: that waits for the gateway.
 */
export function answerEarly(request: Request, hosts: ReadonlySet<string>, requestId: string): Response | null {
  try {
    const { pathname, search } = guardRequest(request, hosts);
    const isLooked = request.method === "GET" || request.method === "HEAD";
    if (!isLooked || pathname !== "/healthz" || search !== "") return null;
  } catch {
    return null;
  }
  const response = new Response(HEALTHY, { headers: { "Content-Type": "application/json" } });
  setCommonHeaders(response.headers, requestId);
  return response;
}

export const HEALTHY = JSON.stringify({ status: "ok" });
