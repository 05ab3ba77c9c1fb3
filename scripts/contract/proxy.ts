/**
 * Stands between generator and gateway. It gives every write an Idempotency-Key of its own, so that no case is answered
 * as the repetition of another one, and keeps each case to be judged.
 */
import type { Case } from "./case.ts";

/** Cases of one run; more means that the generator has lost its limit. */
const MAX_CASES = 20_000;
/** Says what the generator expects; meant for its own tools and not passed on. */
const EXPECTATION = "Specmatic-Response-Code";
const KEY = "Idempotency-Key";
const VALID_KEY = /^[!-~]{8,128}$/;
/** Characters of a key that make it unique; the shortest key has no more. */
const UNIQUE_CHARACTERS = 8;

const STREAMS: ReadonlySet<string> = new Set(["/v1/events", "/v1/stream"]);

export type Proxy = { url: string; cases: readonly Case[]; stop(): Promise<void> };

export function startProxy(gatewayUrl: string): Proxy {
  const cases: Case[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => forward(request, gatewayUrl, cases),
  });
  return { url: `http://127.0.0.1:${server.port}`, cases, stop: () => server.stop(true) };
}

async function forward(request: Request, gatewayUrl: string, cases: Case[]): Promise<Response> {
  if (cases.length >= MAX_CASES) return new Response("too many cases", { status: 500 });
  const url = new URL(request.url);
  // A stream without this never ends, and a spoilt value of it is still spoilt.
  if (STREAMS.has(url.pathname) && !url.searchParams.has("follow")) url.searchParams.set("follow", "false");
  const headers = new Headers(request.headers);
  const expected = headers.get(EXPECTATION);
  for (const name of [EXPECTATION, "Host", "Content-Length", "Connection"]) headers.delete(name);
  const sentKey = headers.get(KEY);
  // A key that was spoilt on purpose stays spoilt, and a unique one keeps its length.
  if (sentKey !== null && VALID_KEY.test(sentKey)) headers.set(KEY, ownKey(sentKey, cases.length));
  const body = await request.text();
  const sent = body === "" ? {} : { body };
  const target = gatewayUrl + url.pathname + url.search;
  const response = await fetch(target, { method: request.method, headers, redirect: "manual", ...sent });
  const answer = await response.text();
  const { status } = response;
  // The generator's first look at the server carries no expectation and is no case.
  if (expected !== null) {
    cases.push({
      expectedStatus: Number(expected),
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      idempotencyKey: headers.get(KEY),
      body,
      status,
      contentType: response.headers.get("Content-Type") ?? "",
      answer,
    });
  }
  const back = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length", "Connection"]) back.delete(name);
  return new Response(answer, { status, headers: back });
}

function ownKey(sent: string, number: number): string {
  return String(number).padStart(UNIQUE_CHARACTERS, "0") + sent.slice(UNIQUE_CHARACTERS);
}
