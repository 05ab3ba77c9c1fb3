/** One request to the gateway that this page came from, and what became of it. */
export type ApiRefusal = { kind: "refused"; status: number; code: string; message: string; retryAfterS: number | null };
export type ApiAnswer<Body> =
  | { kind: "ok"; status: number; body: Body; asOf: string | null; isReplay: boolean }
  | ApiRefusal
  /** No answer, or none that can be read: whether it arrived is not known. */
  | { kind: "lost"; message: string };

export type Call = {
  method: "GET" | "POST";
  path: string;
  bearer: string | null;
  idempotencyKey?: string;
  /** JSON text, kept as it is so that a repeat is the same to the byte. */
  body?: string;
};

/** Milliseconds: a write is answered within 8 seconds, so whoever waited longer has lost the answer. */
const ANSWER_DEADLINE_MS = 15_000;

export async function request<Body>(call: Call): Promise<ApiAnswer<Body>> {
  const headers: Record<string, string> = {};
  if (call.bearer !== null) headers["Authorization"] = `Bearer ${call.bearer}`;
  if (call.idempotencyKey !== undefined) headers["Idempotency-Key"] = call.idempotencyKey;
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const options = {
      method: call.method,
      headers,
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
      ...(call.body === undefined ? {} : { body: call.body }),
    } as const;
    const response = await fetch(call.path, options);
    return await read<Body>(response);
  } catch {
    return { kind: "lost", message: "The gateway did not answer." };
  }
}

async function read<Body>(response: Response): Promise<ApiAnswer<Body>> {
  const json: unknown = await response.json();
  if (response.ok) {
    // The gateway's own description promises this shape for this path.
    const body = json as Body;
    const { headers } = response;
    return {
      kind: "ok",
      status: response.status,
      body,
      asOf: headers.get("X-Data-As-Of"),
      isReplay: headers.get("Idempotent-Replayed") === "true",
    };
  }
  const after = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return { ...refusalOf(json, response.status), retryAfterS: Number.isFinite(after) ? after : null };
}

function refusalOf(json: unknown, status: number): Omit<ApiRefusal, "retryAfterS"> {
  const error = member(json, "error");
  const [code, message] = [member(error, "code"), member(error, "message")];
  const isOurs = typeof code === "string" && typeof message === "string";
  return isOurs
    ? { kind: "refused", status, code, message }
    : { kind: "refused", status, code: "no_code", message: `The gateway answered ${status}.` };
}

/** A member of what may be anything. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Rows of one page, the gateway's maximum. */
export const PAGE_ROWS = 500;
