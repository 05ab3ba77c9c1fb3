import type { Elysia } from "elysia";
import { ApiError, ERROR_STATUS } from "../core/errors.ts";
import type { Deps, With } from "../deps.ts";
import { openArrivals } from "./arrivals.ts";
import { clientOf } from "./client-address.ts";
import { pageRoutes } from "./console.ts";
import { errorText, toApiError } from "./errors.ts";
import { guardRequest, routeNotFound } from "./guard.ts";
import { handoutRoutes } from "./handouts.ts";
import { newRequestId, setCommonHeaders } from "./headers.ts";
import { openLimits } from "./limits.ts";
import { mcpRoutes } from "./mcp/route.ts";
import { openStreams } from "./open-streams.ts";
import { openRouter, ROUTED_ORIGIN } from "./router.ts";
import { allRoutes } from "./routes.ts";
import type { Visit, Within } from "./visit.ts";

/**
 * For Bun.serve, beside `fetch`. Bodies are counted by us; Bun's limit only stops what nobody should read. A connection
 * that is silent for 10 seconds is closed, and one whose head or body trickles in for longer than that as well. The port
 * is ours alone: without a word about it the runtime shares it, once it is not in development, with any other process
 * that asks for it, and requests go to either.
 */
export const BUN_SERVE_OPTIONS = {
  maxRequestBodySize: 1024 * 1024,
  idleTimeout: 10,
  development: false,
  reusePort: false,
} as const;

/** Requests that are being answered at one time, each on a connection of its own; not those whose body is awaited. */
export const MAX_REQUESTS_AT_ONCE = 512;

export type ServerOptions = {
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** What the set-up may touch; left out, nothing can be set up over HTTP. */
  settingUp?: Visit["settingUp"];
};

/** What becomes known of a request on its way. */
export type RequestProgress = {
  /** All of it is read. */
  hasArrived(): void;
  /** It carried a valid API key. */
  hasKey(): void;
};

export type HttpServer = {
  /**
   * Answers one request. Never throws. `socketAddress` is the address at the other end of the connection.
   */
  handle(request: Request, socketAddress?: string, progress?: RequestProgress): Promise<Response>;
  /** Ends the streams, and opens no new ones. */
  endStreams(): void;
  /** The routes alone, without what surrounds every request: for mounting, not for serving. */
  app: Elysia;
};

export function createServer(deps: Deps, options: ServerOptions): HttpServer {
  const hosts = new Set(deps.settings.allowedHosts.map((host) => host.toLowerCase()));
  const routes = [...allRoutes(), ...mcpRoutes(), ...pageRoutes(), ...handoutRoutes()];
  const router = openRouter(deps, routes, (visit, error) => refuse(deps, visit, error));
  const places = openPlaces();
  const [limits, streams] = [openLimits(deps), openStreams(deps)];
  const settingUp = options.settingUp ?? null;

  async function answer(visit: Visit): Promise<Response> {
    places.requireOne();
    visit.url = guardRequest(visit.request, hosts);
    // The router would answer it wherever GET is.
    if (visit.request.method === "HEAD" && !router.isHeadAnswered(visit.url.pathname)) throw routeNotFound();
    if (deps.state.phase === "trial" && hasBody(visit.request)) throw onTrial();
    return router.answer(visit, visit.url.pathname);
  }

  /** It is one request with the one that asks: read already, within its place, and of the same quota. */
  async function answerWithin(visit: Visit, request: Request): Promise<Response> {
    const url = new URL(request.url);
    const rest = { isBodyLeft: false, route: null, code: null, hasArrived: () => undefined };
    const inner: Visit = { ...visit, ...rest, request, url, awaitBody: (_client, read) => read() };
    const response = await router.answer(inner, url.pathname);
    visit.quota = inner.quota;
    return response;
  }

  async function handle(request: Request, socketAddress = "", progress = UNWATCHED): Promise<Response> {
    const startedMs = deps.clock.elapsedMs();
    const forwarded = request.headers.get("x-forwarded-for");
    const { bucket: client, address } = clientOf(socketAddress, forwarded, options.trustedProxies);
    const { hasArrived } = progress;
    const within: Within = async (asked) => {
      const response = await answerWithin(visit, requestWithin(visit, asked));
      return { status: response.status, body: await response.json() };
    };
    const visit = newVisit(deps, {
      within,
      request,
      client,
      address,
      limits,
      streams,
      awaitBody: places.awaitBody,
      hasArrived,
      settingUp,
    });
    if (!hasBody(request)) hasArrived();
    places.enter();
    try {
      return finish(deps, visit, { response: await answer(visit), startedMs });
    } catch (error) {
      return finish(deps, visit, { response: refuse(deps, visit, error), startedMs });
    } finally {
      if (visit.keyPrefix !== null) progress.hasKey();
      places.leave();
    }
  }

  return { handle, endStreams: streams.endAll, app: router.app };
}

/** Requests that are being answered: each has a place, but while its body is awaited. */
function openPlaces() {
  const arrivals = openArrivals();
  let running = 0;

  function requireOne(): void {
    if (running > MAX_REQUESTS_AT_ONCE) {
      throw new ApiError("too_many_connections", "Too many requests are being answered at this moment.", 1);
    }
  }

  /** A body takes as long as its client likes: until it is there its request is in nobody's way. */
  const awaitBody: Visit["awaitBody"] = async (client, read, onGivenUp) => {
    running -= 1;
    const body = await arrivals.take(client, read, onGivenUp).finally(() => {
      running += 1;
    });
    requireOne();
    return body;
  };

  return {
    enter() {
      running += 1;
    },
    leave() {
      running -= 1;
    },
    requireOne,
    awaitBody,
  };
}

/** Requests of a test come in one piece. */
const UNWATCHED: RequestProgress = { hasArrived: () => undefined, hasKey: () => undefined };

/** Of a method that changes something. */
function hasBody({ method }: Request): boolean {
  return method === "POST" || method === "PUT";
}

function onTrial(): ApiError {
  return new ApiError("not_ready", "An upgrade of the gateway is being checked. Nothing was done.");
}

/** With the key of the request that asks. */
function requestWithin({ request }: Visit, { method, path, body, idempotencyKey }: Parameters<Within>[0]): Request {
  const headers = new Headers({ Authorization: request.headers.get("authorization") ?? "" });
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  if (body === undefined) return new Request(ROUTED_ORIGIN + path, { method, headers });
  headers.set("Content-Type", "application/json");
  return new Request(ROUTED_ORIGIN + path, { method, headers, body: JSON.stringify(body) });
}

type Arrival = Pick<
  Visit,
  "within" | "request" | "client" | "address" | "limits" | "streams" | "awaitBody" | "hasArrived" | "settingUp"
>;

function newVisit(deps: With<"randomBytes">, about: Arrival): Visit {
  const requestId = newRequestId((count) => deps.randomBytes(count));
  return { ...about, requestId, isBodyLeft: false, url: null, route: null, keyPrefix: null, code: null, quota: null };
}

function refuse(deps: With<"log">, visit: Visit, thrown: unknown): Response {
  const error = toApiError(deps, thrown, visit.requestId);
  visit.code = error.code;
  const page = error.code === "route_not_found" ? lostPage(visit) : null;
  const response = new Response(page ?? errorText(error), {
    status: ERROR_STATUS[error.code],
    headers: { "Content-Type": page === null ? "application/json" : "text/html; charset=utf-8" },
  });
  if (error.retryAfterS !== null) response.headers.set("Retry-After", String(error.retryAfterS));
  // What is left of a body that nobody reads must not be taken for the next request.
  if (visit.isBodyLeft) response.headers.set("Connection", "close");
  return response;
}

/** The last are those of `/mcp`, whose protocol has them. */
const LISTED_STATUSES: ReadonlySet<number> = new Set([200, 201, 202, ...Object.values(ERROR_STATUS), 405, 406, 415]);

/** Headers that every answer has, and its line in the log. */
function finish(
  deps: With<"clock" | "log" | "metrics">,
  visit: Visit,
  { response: made, startedMs }: { response: Response; startedMs: number },
): Response {
  const isListed = LISTED_STATUSES.has(made.status);
  const response = isListed ? made : refuse(deps, visit, new Error(`bug: status ${made.status}`));
  const { headers } = response;
  setCommonHeaders(headers, visit.requestId);
  if (visit.quota !== null) {
    headers.set("X-RateLimit-Limit", String(visit.quota.limit));
    headers.set("X-RateLimit-Remaining", String(visit.quota.remaining));
    headers.set("X-RateLimit-Reset", String(visit.quota.resetS));
  }
  const durationMs = deps.clock.elapsedMs() - startedMs;
  deps.metrics.answered({ route: visit.route, status: response.status, durationMs });
  deps.log.info(
    {
      request_id: visit.requestId,
      key_prefix: visit.keyPrefix,
      method: visit.request.method.slice(0, 10),
      route: visit.route,
      status: response.status,
      code: visit.code,
      duration_ms: Math.round(durationMs),
    },
    "request",
  );
  return response;
}

/** The interface's own routes: their answers are for programs, whatever these say they take. */
const INTERFACE = "/v1";

/** What a person reads whose browser asks for a page that is not here; null for everybody else, who gets JSON. */
function lostPage({ request, url }: Pick<Visit, "request" | "url">): string | null {
  if (url === null || request.method !== "GET" || url.pathname.startsWith(INTERFACE)) return null;
  return request.headers.get("accept")?.includes("text/html") === true ? PAGE : null;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>No such page – Postern</title></head>
  <body>
    <h1>No such page</h1>
    <p>There is nothing at this address. There is <a href="/">the owner's page</a>, and <a href="/docs">the interface</a>.</p>
  </body>
</html>
`;
