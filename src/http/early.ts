import { guardRequest } from "./guard.ts";
import { setCommonHeaders } from "./headers.ts";

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
