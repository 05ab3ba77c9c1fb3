/** Stands between page and gateway: loses answers, and answers in the gateway's place where a test wants many rows. */
export type Between = {
  baseUrl: string;
  /** Idempotency-Keys of the writes that came through, in order. */
  keys: string[];
  /** Of the next so many writes the request arrives and the answer does not. */
  loseAnswers: number;
  /** Answers instead of the gateway; null lets the request through. */
  answer: (request: Request, url: URL) => Response | null | Promise<Response | null>;
  stop(): Promise<void>;
};

export function openProxy(gatewayUrl: string): Between {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: (request) => pass(request) });
  const proxy: Between = {
    baseUrl: `http://127.0.0.1:${server.port}`,
    keys: [],
    loseAnswers: 0,
    answer: () => null,
    stop: () => server.stop(true),
  };
  async function pass(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const own = await proxy.answer(request, url);
    if (own !== null) return own;
    const key = request.headers.get("idempotency-key");
    if (key !== null) proxy.keys.push(key);
    const headers = new Headers(request.headers);
    // The gateway answers to its own name, and to its own pages.
    for (const name of ["host", "origin"]) headers.delete(name);
    headers.set("accept-encoding", "identity");
    const body = request.method === "POST" ? { body: await request.text() } : {};
    const target = `${gatewayUrl}${url.pathname}${url.search}`;
    const call = { method: request.method, headers, ...body, signal: request.signal };
    const answer = await fetch(target, call).catch(() => null);
    if (answer === null) return broken();
    if (key === null || proxy.loseAnswers === 0) return answer;
    proxy.loseAnswers -= 1;
    await answer.text();
    return broken();
  }
  return proxy;
}

/** An answer that breaks off in the middle. */
function broken(): Response {
  return new Response('{"id":"01a1f', { headers: { "Content-Type": "application/json" } });
}
