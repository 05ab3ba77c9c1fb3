import type { Deadlines } from "./deadline.ts";
import { readBody } from "./read-body.ts";
import { type Connection, describeError, provesNothingLeft, type Transport } from "./transport.ts";

/** What became of one POST. */
export type Posted =
  | { kind: "answered"; httpStatus: number; body: string }
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; reason: string };

export type Poster = { transport: Transport; baseUrl: string; deadlines: Deadlines };

export type PostOptions = { connection: Connection; maxAnswerBytes: number };

const HEADERS = { "Content-Type": "application/json", Accept: "application/json", "User-Agent": "postern" } as const;

/** One request, once. Never throws and never outlives its deadline, which covers the reading of the answer too. */
export function post(poster: Poster, path: string, body: string, options: PostOptions): Promise<Posted> {
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

type Outgoing = { body: string; signal: AbortSignal };

async function tryOnce(
  poster: Poster,
  path: string,
  outgoing: Outgoing,
  { connection, maxAnswerBytes }: PostOptions,
): Promise<Posted> {
  let hasAnswer = false;
  try {
    const response = await poster.transport(`${poster.baseUrl}${path}`, {
      method: "POST",
      headers: HEADERS,
      redirect: "manual",
      connection,
      ...outgoing,
    });
    hasAnswer = true;
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      return { kind: "unknown", reason: `redirected with HTTP ${response.status}` };
    const answer = await readBody(response, maxAnswerBytes);
    if (answer.kind === "too_large") return { kind: "unknown", reason: `answer over ${maxAnswerBytes} bytes` };
    if (answer.kind === "not_utf8") return { kind: "unknown", reason: "answer is not UTF-8" };
    return { kind: "answered", httpStatus: response.status, body: answer.text };
  } catch (error) {
    const isUnsent = !hasAnswer && provesNothingLeft(error);
    return { kind: isUnsent ? "not_sent" : "unknown", reason: describeError(error) };
  }
}
