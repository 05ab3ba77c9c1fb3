/** `/mcp`: the tools of an agent over HTTP, with an API key. Each message is a request of its own. */
import { Type } from "@sinclair/typebox";
import { requireToolKey } from "../../actions/proposals/require-tool-key.ts";
import { ApiError } from "../../core/errors.ts";
import type { Contract } from "../contract.ts";
import { bodyOf, queryOf, type Route } from "../route.ts";
import { admit } from "../visit.ts";
import { callTool } from "./call-tool.ts";
import { toolsFor } from "./tools.ts";

const ANY = {
  path: "/mcp",
  tag: "Agents",
  summary: "The Model Context Protocol",
  access: "trading:read",
  answers: [],
  errors: [],
} as const satisfies Partial<Contract>;

const CONTRACT = {
  ...ANY,
  name: "mcp",
  method: "POST",
  body: Type.Unknown(),
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "account", arguments: {} } },
  maxBytes: 16 * 1024,
  errors: ["rails_required"],
} as const satisfies Contract;

const message: Route = {
  contract: CONTRACT,
  async answer(deps, visit) {
    const caller = admit(deps, visit, CONTRACT.access);
    queryOf(CONTRACT, visit);
    caller.charge("reads");
    requireToolKey(deps, caller);
    const body = await bodyOf(deps, visit, { contract: CONTRACT, check: requireOne });
    const { answerMessage } = await import("./protocol.ts");
    const call = { deps, caller, within: visit.within };
    const response = await answerMessage(
      { headers: visit.request.headers, body, version: deps.settings.version },
      { listed: toolsFor(caller.key.scopes), call: (name, given) => callTool(call, name, given) },
    );
    return toldBy(response);
  },
};

/** Streams are not kept here: who asks for one is told that there is none. */
const stream: Route = {
  contract: { ...ANY, name: "mcp_stream", method: "GET" },
  async answer() {
    return { status: 405, body: "", contentType: "text/plain", headers: { Allow: "POST" } };
  },
};

export function mcpRoutes(): Route[] {
  return [message, stream];
}

/** Many messages in one would be many requests that are counted as one. */
function requireOne(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  throw new ApiError("invalid_json", "Send one message with each request.");
}

async function toldBy(response: Response) {
  const { status, headers } = response;
  const contentType = headers.get("content-type") ?? "application/json";
  const version = headers.get("mcp-protocol-version");
  return {
    status,
    body: await response.text(),
    contentType,
    headers: version === null ? {} : { "MCP-Protocol-Version": version },
  };
}
