/** A proxy before the exchange that notes when each action arrives, and until when it was valid. */

export type Posted = { arrivedAtMs: number; nonce: number; expiresAtMs: number };

export type Recorder = {
  posts: Posted[];
  /** The address to reach the exchange at instead. */
  through(exchangeUrl: string): string;
  close(): void;
};

export function openRecorder(): Recorder {
  const posts: Posted[] = [];
  let upstream = "";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      if (pathname === "/exchange") {
        const { nonce, expiresAfter } = JSON.parse(body);
        posts.push({ arrivedAtMs: Date.now(), nonce, expiresAtMs: expiresAfter ?? Number.POSITIVE_INFINITY });
      }
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${upstream}${pathname}`, { method: request.method, headers, body });
      return new Response(await answer.text(), { status: answer.status, headers });
    },
  });
  return {
    posts,
    through(exchangeUrl) {
      upstream = exchangeUrl;
      return `http://127.0.0.1:${server.port}`;
    },
    close: () => void server.stop(true),
  };
}
