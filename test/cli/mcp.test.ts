/** The tools' command: what it refuses, what it prints, and that it hands each message on as it is. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBridge, type Post, tooLong } from "../../src/cli/mcp/bridge.ts";
import { linesOf } from "../../src/cli/system.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { runHere } from "./outside.ts";

const root = mkdtempSync(join(tmpdir(), "postern-mcp-"));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;

describe("the command", () => {
  test.each([
    ["plain HTTP elsewhere", 0o600, "http://192.0.2.1:8787", "https"],
    ["a key that others may read", 0o644, "http://127.0.0.1:9", "chmod 600"],
    ["no gateway", 0o600, "http://127.0.0.1:9", "no gateway answers"],
  ])("refuses %s", async (_what, mode, url, reason) => {
    mkdirSync(join(root, String(made)));
    const file = join(root, String(made++), "key");
    writeFileSync(file, "api_trade_0123456789\n", { mode });
    const { exitCode, err } = await runHere(["mcp", "--key-file", file, "--url", url]);
    expect({ exitCode: exitCode > 0, err }).toEqual({ exitCode: true, err: expect.stringContaining(reason) });
  });

  const args = ["mcp", "--key-file", "/k/key", "--url", "http://127.0.0.1:8787"];
  test.each([
    ["json", { mcpServers: { postern: { command: "postern", args } } }],
    ["vscode", { servers: { postern: { type: "stdio", command: "postern", args } } }],
    ["zed", { context_servers: { postern: { command: "postern", args } } }],
  ])("prints what a client's configuration takes, which holds no key: %s", async (client, expected) => {
    const { out } = await runHere(["mcp", "--key-file", "/k/key", "--print-config", "--client", client]);
    expect(JSON.parse(out)).toEqual(expected);
  });

  test("prints it as TOML, and as a command", async () => {
    const print = async (client: string) =>
      (await runHere(["mcp", "--key-file", "/k e/y", "--print-config", "--client", client])).out;
    expect(Bun.TOML.parse(await print("codex"))).toEqual({
      mcp_servers: { postern: { command: "postern", args: args.with(2, "/k e/y") } },
    });
    expect(await print("claude-code")).toBe(
      "claude mcp add postern -- postern mcp --key-file '/k e/y' --url http://127.0.0.1:8787\n",
    );
    expect((await runHere(["mcp", "--key-file", "/k", "--print-config", "--client", "emacs"])).exitCode).toBe(2);
  });
});

test("names where the gateway of the data directory answers, unless another is named", async () => {
  const at = placesIn(mkdtempSync(join(root, "data-")));
  const told = { audience: "", exchangeUrl: "", clientUrl: "http://127.0.0.1:19000" };
  const control = Bun.serve({ unix: at.control, fetch: () => Response.json(told) });
  const print = async (...words: string[]) => {
    const ran = await runHere(["mcp", "--key-file", "/k", "--print-config", "--data-dir", at.directory, ...words]);
    return JSON.parse(ran.out).mcpServers.postern.args.at(-1);
  };
  expect(await print()).toBe("http://127.0.0.1:19000");
  expect(await print("--url", "https://gateway.example.org")).toBe("https://gateway.example.org");
  await control.stop(true);
  expect(await print()).toBe("http://127.0.0.1:8787");
});

describe("a message", () => {
  const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}';
  const LIST = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}';

  test("is handed on as it is, with what was agreed on said beside it", async () => {
    const posted: { headers: Record<string, string>; body: string }[] = [];
    const bridge = openBridge(async (headers, body) => {
      posted.push({ headers, body });
      return { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"}}' };
    });
    expect(await bridge(INITIALIZE)).toContain("2025-03-26");
    await bridge(LIST);
    await bridge('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a\\r\\nX-Evil: 1"}}');
    expect(posted.map(({ body }) => body).slice(0, 2)).toEqual([INITIALIZE, LIST]);
    expect(posted.map(({ headers }) => headers["MCP-Protocol-Version"])).toEqual([
      undefined,
      "2025-03-26",
      "2025-03-26",
    ]);
    expect(posted[1]?.headers["Mcp-Method"]).toBe("tools/list");
    expect(posted[2]?.headers["Mcp-Name"]).toBeUndefined();
  });

  const lost: Post = () => Promise.reject(new Error("no connection"));
  const refused: Post = async () => ({ status: 429, text: '{"error":{"code":"rate_limited","message":"Too many."}}' });
  test.each([
    ["was lost", lost, "says nothing of what was done"],
    ["was refused", refused, "rate_limited: Too many."],
    ["is none", async () => ({ status: 502, text: "<html>" }), "HTTP 502"],
  ])("whose answer %s is a failure that says so, and no guess", async (_what, post, words) => {
    const bridge = openBridge(post);
    expect(JSON.parse((await bridge(LIST)) ?? "")).toMatchObject({
      id: "a",
      error: { message: expect.stringContaining(words) },
    });
    expect(await bridge('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeNull();
  });

  test.each([
    ["no JSON", "not json", null, -32_700],
    ["a message that is cut", '{"jsonrpc":"2.0","id":902,"method":"ping"', null, -32_700],
    ["an empty batch", "[]", null, -32_600],
    ["a batch", `[${LIST}]`, null, -32_600],
    ["a number", "7", null, -32_600],
    ["nothing", "null", null, -32_600],
    ["no method", '{"jsonrpc":"2.0","id":3}', 3, -32_600],
  ])("that is %s is answered, and goes nowhere", async (_what, line, id, code) => {
    const bridge = openBridge(() => Promise.reject(new Error("it was handed on")));
    const told = JSON.parse((await bridge(line)) ?? "");
    expect(told).toMatchObject({
      jsonrpc: "2.0",
      id,
      error: { code, message: expect.stringContaining("Nothing was") },
    });
  });

  test.each([
    ["at its beginning", (text: string) => `{"jsonrpc":"2.0","id":908,"method":"ping","params":{"a":"${text}"}}`, 908],
    ["at its end", (text: string) => `{"method":"ping","params":{"a":"${text}"},"jsonrpc":"2.0","id":"x-1"}`, "x-1"],
    ["nowhere", (text: string) => `{"method":"ping","params":{"a":"${text}"}}`, null],
  ])("that is too long, with its id %s, is told so, and the next is read", async (_where, lineOf, id) => {
    async function* pieces() {
      const all = Buffer.from(`${lineOf("y".repeat(9 * 1024 * 1024))}\n${LIST}\n`);
      for (let at = 0; at < all.length; at += 65_536) yield all.subarray(at, at + 65_536);
    }
    const lines = [];
    for await (const line of linesOf(pieces())) lines.push(line);
    expect(lines).toEqual([
      { text: expect.any(String), isCut: true },
      { text: LIST, isCut: false },
    ]);
    const told = JSON.parse(tooLong(lines[0]?.text ?? ""));
    expect(told).toMatchObject({ id, error: { code: -32_600, message: expect.stringContaining("body_too_large") } });
  });
});
