import type { Deadlines } from "./deadline.ts";
import type { SendOutcome } from "./exchange.ts";
import { describeError, provesNothingLeft } from "./network-error.ts";
import type { ConnectionChoice, Transport } from "./transport.ts";

export type Poster = { transport: Transport; baseUrl: string; deadlines: Deadlines };

export type PostOptions = {
  connection: ConnectionChoice;
  maxAnswerBytes: number;
  /** Asked before the first byte, on connections of our own. */
  mayLeave: () => boolean;
};

const HEADERS = { "Content-Type": "application/json", Accept: "application/json", "User-Agent": "postern" } as const;

/** One request, once. Never throws and never outlives its deadline, which covers the reading of the answer too. */
export function post(poster: Poster, path: string, body: string, options: PostOptions): Promise<SendOutcome> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const disarm = poster.deadlines(() => {
      resolve({ kind: "unknown", reason: "no answer within the deadline" });
      controller.abort();
    });
    // `tryOnce` catches everything, so this promise has no other end.
    void tryOnce(poster, path, { body, signal: controller.signal }, options).then((posted) => {
      disarm();
      resolve(posted);
    });
  });
}

type OutgoingPost = { body: string; signal: AbortSignal };

async function tryOnce(
  poster: Poster,
  path: string,
  outgoing: OutgoingPost,
  { connection, maxAnswerBytes, mayLeave }: PostOptions,
): Promise<SendOutcome> {
  let hasAnswer = false;
  try {
    const given = await poster.transport(`${poster.baseUrl}${path}`, {
      method: "POST",
      headers: HEADERS,
      redirect: "manual",
      connection,
      maxAnswerBytes,
      mayLeave,
      ...outgoing,
    });
    if ("kind" in given) {
      return given.kind === "whole" ? judge(given.httpStatus, decodeBody(given.body), maxAnswerBytes) : given;
    }
    hasAnswer = true;
    if (isRedirect(given.status) || given.type === "opaqueredirect") return redirected(given.status);
    return judge(given.status, await readBody(given, maxAnswerBytes), maxAnswerBytes);
  } catch (error) {
    const isUnsent = !hasAnswer && provesNothingLeft(error);
    return { kind: isUnsent ? "not_sent" : "unknown", reason: describeError(error) };
  }
}

function judge(httpStatus: number, body: Body, maxAnswerBytes: number): SendOutcome {
  if (isRedirect(httpStatus)) return redirected(httpStatus);
  if (body.kind === "too_large") return { kind: "unknown", reason: `answer over ${maxAnswerBytes} bytes` };
  if (body.kind === "not_utf8") return { kind: "unknown", reason: "answer is not UTF-8" };
  return { kind: "answered", httpStatus, body: body.text };
}

function isRedirect(httpStatus: number): boolean {
  return httpStatus >= 300 && httpStatus < 400;
}

function redirected(httpStatus: number): SendOutcome {
  return { kind: "unknown", reason: `redirected with HTTP ${httpStatus}` };
}

/** The answer's body as text, or why there is none. A body is only used whole. */
export type Body = { kind: "text"; text: string } | { kind: "too_large" } | { kind: "not_utf8" };

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads until the end or until `maxBytes` (after decompression) are exceeded. Throws when the connection breaks. */
export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { kind: "text", text: "" };
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    byteCount += value.byteLength;
    if (byteCount > maxBytes) {
      // The rest is of no interest; an error while giving it up changes nothing.
      reader.cancel().catch(() => {});
      return { kind: "too_large" };
    }
    chunks.push(value);
  }
  const only = chunks[0];
  return decodeBody(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
}

export function decodeBody(bytes: Uint8Array): Body {
  try {
    return { kind: "text", text: STRICT_UTF8.decode(bytes) };
  } catch {
    return { kind: "not_utf8" };
  }
}
