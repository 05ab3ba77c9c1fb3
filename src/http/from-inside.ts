/** Requests of this process to its own gateway: what any client may ask, without a port, a name or a certificate between. */
import type { HttpServer } from "./server.ts";

/** What the gateway answered; the body as it was parsed. */
export type InsideAnswer = { status: number; body: unknown };

export type PostFromInside = (path: string, body: Readonly<Record<string, unknown>>) => Promise<InsideAnswer>;

/** `host` is one of those that the gateway answers to. */
export function postFromInside({ handle }: Pick<HttpServer, "handle">, host: string): PostFromInside {
  return async (path, body) => {
    const headers = { Host: host, "Content-Type": "application/json" };
    const response = await handle(
      new Request(`http://${host}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    );
    return { status: response.status, body: await response.json() };
  };
}
