import { createHash, timingSafeEqual } from "node:crypto";
import type { MetricReading } from "../core/metric.ts";
import type { Deps } from "../deps.ts";
import { takeReadings } from "../ops/take-readings.ts";

export type MetricsDoor = {
  /** Takes a Host header in lower case: refusing other names keeps a web page from reading this by DNS rebinding. */
  isAllowedHost(host: string): boolean;
  /** Takes an Authorization header; null where there is none. */
  isAllowed(authorization: string | null): boolean;
  deps: () => Promise<Deps>;
  facts: () => Parameters<typeof takeReadings>[1];
  expose(readings: readonly MetricReading[]): Promise<string>;
  contentType: string;
};

/** `GET /metrics` and nothing else, for a port of its own. */
export function metricsServer(door: MetricsDoor): (request: Request) => Promise<Response> {
  return async (request) => {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (!door.isAllowedHost(host)) return new Response("host not allowed\n", { status: 403 });
    if (!door.isAllowed(request.headers.get("authorization"))) {
      return new Response("a bearer token is needed\n", { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
    }
    if (request.method !== "GET" || new URL(request.url).pathname !== "/metrics") {
      return new Response("only GET /metrics is here\n", { status: 404 });
    }
    try {
      const text = await door.expose(takeReadings(await door.deps(), door.facts()));
      return new Response(text, { headers: { "Content-Type": door.contentType, ...HEADERS } });
    } catch {
      return new Response("the metrics could not be read\n", { status: 503, headers: HEADERS });
    }
  };
}

const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

const BEARER = /^bearer +([^ ]{1,256})$/i;

/** Checks an Authorization header for this token, in constant time. Without a token every header passes. */
export function tokenCheck(token: string | null): (authorization: string | null) => boolean {
  if (token === null) return () => true;
  const wanted = digestOf(token);
  return (authorization) => {
    const shown = BEARER.exec(authorization ?? "")?.[1];
    return shown !== undefined && timingSafeEqual(digestOf(shown), wanted);
  };
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
