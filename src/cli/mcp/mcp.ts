/** A server of the Model Context Protocol over standard streams: it hands each message to the running gateway's `/mcp`. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, DATA_DIRECTORY, Failure, type Input, Misuse, required } from "../command.ts";
import { places } from "../directory.ts";
import { askWhere } from "../gateway-client.ts";
import type { InputLine, Outside } from "../outside.ts";
import { openBridge, type Post, tooLong } from "./bridge.ts";

/** What the usual clients take to start a server of tools; none of it holds a key. */
const CLIENTS = ["claude-code", "codex", "json", "vscode", "zed"] as const;
type McpClient = (typeof CLIENTS)[number];

/** `json` is what most take: Claude Desktop, Cursor, Windsurf, Gemini CLI, Cline, LM Studio. */
function configurationFor(client: McpClient, [command = "postern", ...args]: readonly string[]): string {
  const server = { command, args };
  switch (client) {
    case "claude-code":
      return `claude mcp add postern -- ${[command, ...args].map(quoted).join(" ")}\n`;
    case "codex":
      // A string of JSON is one of TOML.
      return `[mcp_servers.postern]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
    case "vscode":
      return json({ servers: { postern: { type: "stdio", ...server } } });
    case "zed":
      return json({ context_servers: { postern: server } });
    case "json":
      return json({ mcpServers: { postern: server } });
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** For a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const DEFAULT_URL = "http://127.0.0.1:8787";
/** Longer than the gateway takes to answer a write. Milliseconds. */
const ANSWER_WITHIN_MS = 15_000;
/** Whoever else of this machine may read or write a file. */
const OTHERS = 0o077;

export const mcpCommand: Command = {
  name: "mcp",
  summary: "tools for an agent over standard streams (Model Context Protocol), with a key of yours and its limits",
  options: {
    "key-file": { value: "FILE", help: "file that holds the API key alone, readable by you alone" },
    url: {
      value: "URL",
      help: `where the gateway answers; by default as the one of the data directory says, else ${DEFAULT_URL}`,
    },
    "print-config": { value: null, help: "print what an MCP client's configuration takes, and end" },
    "data-dir": DATA_DIRECTORY,
    client: { value: "NAME", help: `whose configuration: ${CLIENTS.join(", ")}; json by default, as most take it` },
  },
  positionals: [],
  printsData: true,
  async run(input, outside) {
    const keyFile = resolve(required(input, "key-file"));
    const url = urlOf(input.value("url") ?? (await foundUrl(input, outside)));
    if (input.isSet("print-config")) {
      const words = [...outside.program, "mcp", "--key-file", keyFile, "--url", url];
      return outside.print(configurationFor(clientOf(input), words));
    }
    const key = readKey(keyFile);
    await requireGateway(url, key);
    const bridge = openBridge(poster(url, key));
    const underWay = new Set<Promise<void>>();
    for await (const line of outside.readLines?.() ?? []) {
      const answering = answer(line).finally(() => underWay.delete(answering));
      underWay.add(answering);
    }
    await Promise.all(underWay);

    async function answer(line: InputLine): Promise<void> {
      if (line.text.trim() === "") return;
      const text = line.isCut ? tooLong(line.text) : await bridge(line.text);
      if (text !== null) outside.print(`${text}\n`);
    }
  },
};

function clientOf(input: Input): McpClient {
  const name = input.value("client") ?? "json";
  const client = CLIENTS.find((known) => known === name);
  if (client === undefined) throw new Misuse(`--client is one of ${CLIENTS.join(", ")}`);
  return client;
}

/** An agent's client may well be another user, who may not ask the gateway. */
async function foundUrl(input: Input, outside: Outside): Promise<string> {
  const told = await askWhere(places(input, outside)).catch(() => null);
  return told?.clientUrl ?? DEFAULT_URL;
}

/** The key goes along: what is no loopback address has to be HTTPS. */
function urlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.origin !== text) throw new Misuse("--url is a base URL without path: http://127.0.0.1:8787");
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere))
    throw new Misuse("--url at another machine has to be https://");
  return text;
}

function readKey(file: string): string {
  const isOpen = (statSync(file).mode & OTHERS) !== 0;
  if (isOpen) throw new Failure(`others may read ${file}: chmod 600 it first`);
  const key = readFileSync(file, "utf8").trim();
  if (!/^api_\w{8,200}$/.test(key)) throw new Failure(`${file} holds no API key alone`);
  return key;
}

/** Said at once, where a person reads it. */
async function requireGateway(url: string, key: string): Promise<void> {
  const answer = await ask(`${url}/v1/whoami`, key, {}).catch(() => null);
  if (answer === null) throw new Failure(`no gateway answers at ${url}`);
  if (answer.status !== 200) throw new Failure(`the gateway does not take this key: HTTP ${answer.status}`);
}

function poster(url: string, key: string): Post {
  return async (headers, body) => {
    const response = await ask(`${url}/mcp`, key, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  };
}

type BridgeRequest = { method?: string; headers?: Record<string, string>; body?: string };

function ask(url: string, key: string, { headers, ...asking }: BridgeRequest): Promise<Response> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  return fetch(url, {
    ...asking,
    headers: { ...headers, Authorization: `Bearer ${key}` },
    redirect: "error",
    signal,
  });
}
