/** One generated request and what the gateway answered. */
export type Case = {
  /** What the generator expects: a status of the description, or 400 for a request that it spoilt on purpose. */
  expectedStatus: number;
  method: string;
  path: string;
  query: URLSearchParams;
  idempotencyKey: string | null;
  /** The body as it was sent; empty when there was none. */
  body: string;
  status: number;
  contentType: string;
  answer: string;
};

/** The text as JSON, or undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** A member of a JSON object, however deep; undefined where there is none. */
export function member(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) {
    found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  }
  return found;
}

/** The error code of an answer, or null. */
export function codeOf({ answer }: Case): string | null {
  const code = member(parsed(answer), "error", "code");
  return typeof code === "string" ? code : null;
}
