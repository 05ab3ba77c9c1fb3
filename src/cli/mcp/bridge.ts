/** One message of the Model Context Protocol, a line of a stream, to the gateway's `/mcp` and back. Every rule of it is there. */

/** Answers one line; null where nothing is to be answered. Never throws. */
export type Bridge = (line: string) => Promise<string | null>;

export type Post = (headers: Record<string, string>, body: string) => Promise<{ status: number; text: string }>;

export function openBridge(post: Post): Bridge {
  /** As it was agreed on first; HTTP wants it said with every message. */
  let version: string | null = null;

  return async (line) => {
    const fault = faultOf(line);
    if (fault !== null) return fault;
    const message = objectOf(line);
    const answer = await post(headersOf(message, version), line).catch(() => null);
    const { id, method } = message;
    const hasAnswer = id !== undefined && typeof method === "string";
    if (answer === null) return hasAnswer ? failure(id, LOST) : null;
    const told = objectOf(answer.text);
    if (told["jsonrpc"] !== "2.0") return hasAnswer ? failure(id, refusalOf(answer.status, told)) : null;
    const agreed = member(told, "result")["protocolVersion"];
    if (method === "initialize" && typeof agreed === "string") version = agreed;
    return answer.text;
  };
}

/** Of a line that is no message: whoever waits for its answer is told that there is none. */
function faultOf(line: string): string | null {
  const value = jsonOf(line);
  if (value === undefined) return failure(null, NO_JSON, PARSE_ERROR);
  const { id = null, method, result, error } = asObject(value);
  const isMessage = !Array.isArray(value) && [method, result, error].some((member) => member !== undefined);
  return isMessage ? null : failure(id, NO_MESSAGE, INVALID_REQUEST);
}

/** What the beginning and the end of a line tell of its id; nothing of it goes anywhere. */
export function tooLong(ends: string): string {
  const [, first] = /^\s{0,9}\{\s{0,9}(?:"jsonrpc"\s?:\s?"2\.0"\s?,\s?)?"id"\s?:\s?([\w"-]{1,99})\s?,/.exec(ends) ?? [];
  const [, last] = /,\s?"id"\s?:\s?([\w"-]{1,99})\s?\}\s{0,9}$/.exec(ends) ?? [];
  return failure(jsonOf(first ?? last ?? "null") ?? null, TOO_LONG, INVALID_REQUEST);
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NO_JSON = "invalid_json: this line is no JSON. Nothing was done.";
const NO_MESSAGE = "invalid_json: this line is no message. Send one message a line, and no batch. Nothing was done.";
const TOO_LONG = "body_too_large: this line is longer than any message may be. Nothing was done.";

const LOST =
  "No answer came from the gateway, which says nothing of what was done. To place the same intent again is one order; ask `order` what became of it.";

/** What HTTP says beside the message since its revision of 2026. */
function headersOf(message: Record<string, unknown>, agreed: string | null): Record<string, string> {
  const params = member(message, "params");
  const claimed = member(params, "_meta")["io.modelcontextprotocol/protocolVersion"];
  const version = typeof claimed === "string" ? claimed : agreed;
  const { method } = message;
  const { name } = params;
  return {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(version !== null && isVisible(version) ? { "MCP-Protocol-Version": version } : {}),
    ...(typeof method === "string" && isVisible(method) ? { "Mcp-Method": method } : {}),
    ...(typeof name === "string" && isVisible(name) ? { "Mcp-Name": name } : {}),
  };
}

/** Nothing else fits into a header. */
function isVisible(text: string): boolean {
  return /^[!-~]{1,200}$/.test(text);
}

function refusalOf(status: number, told: Record<string, unknown>): string {
  const { code, message } = member(told, "error");
  return typeof code === "string" && typeof message === "string" ? `${code}: ${message}` : `HTTP ${status}`;
}

const SERVER_ERROR = -32_000;

function failure(id: unknown, message: string, code = SERVER_ERROR): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

function member(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return asObject(value[name]);
}

function objectOf(text: string): Record<string, unknown> {
  return asObject(jsonOf(text));
}

/** Undefined for what is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
