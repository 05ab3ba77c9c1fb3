/** Adds the API key to what comes, and hands on everything else as it was said: Host and Origin of strangers too. */
import type { Gateway } from "../contract/gateway.ts";

export function openProxy({ baseUrl, apiKey }: Pick<Gateway, "baseUrl" | "apiKey">) {
  const { host: ownHost } = new URL(baseUrl);
  const proxy = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: handOn });

  async function handOn(request: Request): Promise<Response> {
    const names = [`localhost:${proxy.port}`, `127.0.0.1:${proxy.port}`];
    const headers = new Headers(request.headers);
    for (const name of ["accept-encoding", "connection", "content-length"]) headers.delete(name);
    headers.set("Authorization", `Bearer ${apiKey}`);
    const host = headers.get("host") ?? "";
    if (names.includes(host)) headers.set("Host", ownHost);
    const origin = headers.get("origin");
    if (origin !== null && names.includes(origin.replace("http://", ""))) headers.set("Origin", `http://${ownHost}`);
    const { method } = request;
    const body = method === "POST" ? { body: await request.text() } : {};
    const answer = await fetch(baseUrl + new URL(request.url).pathname, {
      method,
      headers,
      redirect: "manual",
      ...body,
    });
    const type = answer.headers.get("content-type") ?? "text/plain";
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: { "Content-Type": type } });
  }
  return proxy;
}
