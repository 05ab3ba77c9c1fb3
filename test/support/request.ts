/** Name that the rigs of the tests answer to. */
export const TEST_HOST = "127.0.0.1:8787";

export type TestRequest = {
  method?: string;
  path: string;
  /** API key, or null for none. */
  apiKey?: string | null;
  idempotencyKey?: string;
  /** Sent as JSON, unless it is a string or bytes, which are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** A request as a server gets it: with a Host, which `new Request` does not add by itself. */
export function testRequest({ method, path, apiKey, idempotencyKey, body, headers }: TestRequest): Request {
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const text = isText ? body : JSON.stringify(body);
  return new Request(`http://${TEST_HOST}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      Host: TEST_HOST,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(apiKey === undefined || apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
}
