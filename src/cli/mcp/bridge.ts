/** One message of the Model Context Protocol, a line of a stream, to the gateway's `/mcp` and back. Every rule of it is there. */

/** Answers one line; null where nothing is to be answered. Never throws. */
export type Bridge = (line: string) => Promise<string | null>;

export type Post = (headers: Record<string, string>, body: string) => Promise<{ status: number; text: string }>;

export function openBridge(post: Post): Bridge {
  /** As it was agreed on first; HTTP wants it said with every message. */
  let version: string | null = null;

  return async (line) => {
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

function failure(id: unknown, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: SERVER_ERROR, message } });
}

function member(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return asObject(value[name]);
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
