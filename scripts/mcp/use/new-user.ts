/** What docs/agents.md says, by the official client: a paper gateway, a key in a file, the printed configuration, an order. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [program = "postern"] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "postern-new-user-"));
const ports = ["--listen", "127.0.0.1:0", "--paper-listen", "127.0.0.1:0"];
const gateway = Bun.spawn([program, "serve", "--paper", "--json", "--data-dir", join(directory, "data"), ...ports], {
  stdout: "pipe",
  stderr: "ignore",
});
try {
  const { value } = await gateway.stdout.getReader().read();
  const facts = JSON.parse(new TextDecoder().decode(value));
  const keyFile = join(directory, "agent-key");
  writeFileSync(keyFile, `${facts.api_key}\n`, { mode: 0o600 });
  const words = ["mcp", "--key-file", keyFile, "--url", facts.base_url];
  const printed = Bun.spawnSync([program, ...words, "--print-config"]).stdout.toString();
  const { command, args } = JSON.parse(printed).mcpServers.postern;
  const intent = await order(new StdioClientTransport({ command, args }), "over standard streams");
  const url = new URL(`${facts.base_url}/mcp`);
  const requestInit = { headers: { Authorization: `Bearer ${facts.api_key}` } };
  await again(new StreamableHTTPClientTransport(url, { requestInit }), intent);
} finally {
  gateway.kill();
  await gateway.exited;
}

/** Placed twice it is one order. The client holds each result against the form that the tool promises. */
async function order(transport: StdioClientTransport, how: string): Promise<string> {
  const client = new Client({ name: "new-user", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const market = await call(client, "market", { market: "BTC" });
  const price = String(Math.floor(Number(market.result.mark_price) * 0.9));
  const given = { market: "BTC", side: "buy", size: "0.001", price };
  const { result } = await call(client, "propose_order", given);
  const placed = [
    await call(client, "place", { intent: result.intent }),
    await call(client, "place", { intent: result.intent }),
  ];
  const ids = new Set(placed.map(({ outcome, result }) => `${outcome} ${result.id}`));
  if (ids.size !== 1 || placed[0].outcome !== "order") throw new Error(`not one order: ${JSON.stringify(placed)}`);
  console.log(
    `ok      the official client ${how}: ${tools.length} tools, one order on ${placed[0].network} of two placings`,
  );
  await client.close();
  return result.intent;
}

async function again(transport: StreamableHTTPClientTransport, intent: string): Promise<void> {
  const client = new Client({ name: "new-user", version: "1" });
  await client.connect(transport);
  const { outcome } = await call(client, "place", { intent });
  const open = await call(client, "orders", {});
  if (outcome !== "order" || open.result.data.length !== 1) throw new Error(`not one order: ${JSON.stringify(open)}`);
  console.log("ok      the official client over HTTP: the same intent is the same order");
  await client.close();
}

/** What it tells, in the form that every tool here promises. */
async function call(client: Client, name: string, given: object) {
  const { structuredContent } = await client.callTool({ name, arguments: { ...given } });
  return JSON.parse(JSON.stringify(structuredContent));
}
