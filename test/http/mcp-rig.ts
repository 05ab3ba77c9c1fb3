/** An agent's client at `/mcp`: each message is a request, as the protocol has it over HTTP. */
import { expect } from "bun:test";
import { TEST_HOST } from "../support/request.ts";
import { BOT } from "./rails-rig.ts";
import type { Rig } from "./rig.ts";

export const BUY = { market: "BTC", side: "buy", size: "0.001", price: "60000" };

export type Content = Readonly<Record<string, unknown>>;

type Some = { apiKey?: string | null; headers?: Record<string, string>; body?: string };

/** One message, as it goes over the wire. */
export async function send(rig: Rig, message: object, { apiKey = BOT, headers, body }: Some = {}): Promise<Response> {
  return rig.server.handle(
    new Request(`http://${TEST_HOST}/mcp`, {
      method: "POST",
      headers: {
        Host: TEST_HOST,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      body: body ?? JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    }),
    "10.0.0.1",
  );
}

export async function toolsOf(rig: Rig, apiKey = BOT): Promise<string[]> {
  const told = JSON.parse(await (await send(rig, { method: "tools/list" }, { apiKey })).text());
  return told.result.tools.map(({ name }: { name: string }) => name);
}

/** What a tool tells; the text beside it says the same. */
export async function call(rig: Rig, name: string, given: object = {}, apiKey = BOT): Promise<Content> {
  const params = { name, arguments: given };
  const { result } = JSON.parse(await (await send(rig, { method: "tools/call", params }, { apiKey })).text());
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent;
}

export function intentOf(content: Content): string {
  const { result } = JSON.parse(JSON.stringify(content));
  return result.intent;
}
