/** `POST /hooks/{secret}` and nothing else, for a port of its own: no API key is taken there, and no route of `/v1` answered. */
import { openHook, receiveAlert, type ToReceive } from "../actions/hooks/receive-alert.ts";
import { ApiError, ERROR_STATUS } from "../core/errors.ts";
import type { Bucket, With } from "../deps.ts";
import { readBytes } from "./body.ts";
import { openAddressBuckets, openKeyBuckets } from "./buckets.ts";
import { clientOf } from "./client-address.ts";
import { errorText, toApiError } from "./errors.ts";
import { newRequestId, setCommonHeaders } from "./headers.ts";
import { parseStrictJson } from "./strict-json.ts";

export type ToTakeAlerts = With<"log" | "randomBytes"> & ToReceive;

export type HooksDoor = {
  /** Those of the gateway, once it is there. */
  deps(): ToTakeAlerts;
  /** There is an alert to carry out. */
  heed(): void;
  trustedProxies: readonly string[];
};

const PATH = /^\/hooks\/(hook_[0-9a-f]{64})$/;
/** Bytes of an alert. */
const MAX_BYTES = 4_096;
/** Of one hook. A chart sends at most 15 in three minutes before it is stopped. */
const ALERTS: Bucket = { perSecond: 5, burst: 20 };
/** Addresses that opened nothing, of one client: a secret is not found by trying, and need not be tried for nothing. */
const MISSES: Bucket = { perSecond: 20 / 60, burst: 20 };

/** Answers one request; never throws. Nothing of its address is told to anybody. */
export function hooksServer(door: HooksDoor): (request: Request, socketAddress: string) => Promise<Response> {
  const misses = openAddressBuckets(MISSES);
  const alerts = openKeyBuckets(ALERTS);

  async function answer(deps: ToTakeAlerts, request: Request, socketAddress: string): Promise<object> {
    const { bucket, address } = clientOf(socketAddress, request.headers.get("x-forwarded-for"), door.trustedProxies);
    const hook = open(deps, request, { client: bucket, address });
    requireRate(alerts.draw(hook.id, deps.clock.elapsedMs()));
    const bytes = await readBytes(request, { maxBytes: MAX_BYTES, clock: deps.clock });
    requireForm(request.headers);
    const json = parseStrictJson(bytes);
    const text = new TextDecoder().decode(bytes);
    const { delivery, isRepeat } = receiveAlert(deps, hook, { text, json });
    if (delivery.status === "accepted") door.heed();
    if (delivery.status === "refused") throw new ApiError("invalid_parameter", `${delivery.reason}. Nothing was done.`);
    return { delivery: delivery.id, status: delivery.status, repeated: isRepeat };
  }

  function open(deps: ToTakeAlerts, request: Request, from: { client: string; address: string }) {
    try {
      const secret = request.method === "POST" ? PATH.exec(new URL(request.url).pathname)?.[1] : undefined;
      if (secret === undefined) throw new ApiError("route_not_found", "There is nothing here.");
      return openHook(deps, secret, from.address);
    } catch (error) {
      requireRate(misses.draw(from.client, deps.clock.elapsedMs()));
      throw error;
    }
  }

  return async (request, socketAddress) => {
    const deps = door.deps();
    const requestId = newRequestId((count) => deps.randomBytes(count));
    const startedMs = deps.clock.elapsedMs();
    const response = await answer(deps, request, socketAddress).then(
      (told) => Response.json(told),
      (error: unknown) => refuse(toApiError(deps, error, requestId)),
    );
    setCommonHeaders(response.headers, requestId);
    const durationMs = Math.round(deps.clock.elapsedMs() - startedMs);
    deps.log.info({ request_id: requestId, route: ROUTE, status: response.status, duration_ms: durationMs }, "request");
    return response;
  };
}

/** In the log; what stands in its place opens the hook. */
const ROUTE = "/hooks/{secret}";

function refuse(error: ApiError): Response {
  const headers = { "Content-Type": "application/json", Connection: "close" };
  const response = new Response(errorText(error), { status: ERROR_STATUS[error.code], headers });
  if (error.retryAfterS !== null) response.headers.set("Retry-After", String(error.retryAfterS));
  return response;
}

function requireRate({ isAllowed, retryAfterS }: { isAllowed: boolean; retryAfterS: number }): void {
  if (!isAllowed) throw new ApiError("rate_limited", "Too many requests.", retryAfterS);
}

/** Charts send JSON as plain text where it does not begin as they think that it should. */
function requireForm(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const isPlain = encoding === null || encoding.toLowerCase() === "identity";
  if (!isPlain || (type !== "application/json" && type !== "text/plain"))
    throw new ApiError("invalid_content_type", "Send JSON as application/json or text/plain, in UTF-8, as it is.");
}
