/** A server of the Model Context Protocol over standard streams: a client of the running gateway like any other. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Command, Failure, type Input, Misuse, required } from "../command.ts";
import type { Outside } from "../outside.ts";
import { VERSION } from "../version.ts";
import { openIntents } from "./intents.ts";
import { answerLine, isObject } from "./json-rpc.ts";
import type { Ask } from "./place.ts";
import { openTools, type Who, whoOf } from "./session.ts";

const DEFAULT_URL = "http://127.0.0.1:8787";
/** Longer than the gateway takes to answer a write. Milliseconds. */
const ANSWER_WITHIN_MS = 15_000;
const RANDOM_BYTES = 16;
/** Whoever else of this machine may read or write a file. */
const OTHERS = 0o077;

export const mcpCommand: Command = {
  name: "mcp",
  summary: "tools for an agent over standard streams (Model Context Protocol), with a key of yours and its limits",
  options: {
    "key-file": { value: "FILE", help: "file that holds the API key alone, readable by you alone" },
    url: { value: "URL", help: `where the gateway answers, ${DEFAULT_URL} by default` },
    "plain-key": { value: null, help: "take a key without limits, which is refused otherwise unless it is on paper" },
    "print-config": { value: null, help: "print what an MCP client's configuration file takes, and end" },
  },
  positionals: [],
  async run(input, outside) {
    const keyFile = resolve(required(input, "key-file"));
    const url = urlOf(input.value("url") ?? DEFAULT_URL);
    if (input.isSet("print-config")) return outside.print(configuration(input, outside, { keyFile, url }));
    const ask = asker(url, readKey(keyFile));
    const who = await whoAmI(ask, url);
    if (who.bot === null && who.network !== "paper" && !input.isSet("plain-key"))
      throw new Failure("this key has no limits. Make one with limits for an agent, or say --plain-key");
    const tools = openTools({
      ask,
      who,
      account: who.account,
      bot: who.bot,
      intents: openIntents(`${keyFile}.intents`),
      nowMs: () => outside.clock.nowMs(),
      random: () => bytesToHex(outside.randomBytes(RANDOM_BYTES)),
    });
    const underWay = new Set<Promise<void>>();
    for await (const line of outside.readLines?.() ?? []) {
      const answering = answer(line).finally(() => underWay.delete(answering));
      underWay.add(answering);
    }
    await Promise.all(underWay);

    async function answer(line: string): Promise<void> {
      if (line.trim() === "") return;
      const text = await answerLine(line, tools, VERSION);
      if (text !== null) outside.print(`${text}\n`);
    }
  },
};

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

async function whoAmI(ask: Ask, url: string): Promise<Who> {
  const answer = await ask({ method: "GET", path: "/v1/whoami" });
  if (answer === null) throw new Failure(`no gateway answers at ${url}`);
  const who = answer.status === 200 ? whoOf(answer.body) : null;
  if (who === null) throw new Failure(`the gateway does not take this key: HTTP ${answer.status}`);
  return who;
}

function asker(url: string, key: string): Ask {
  return async ({ method, path, body, idempotencyKey }) => {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const content: unknown = await response.json();
      return isObject(content) ? { status: response.status, body: content } : null;
    } catch {
      return null;
    }
  };
}

function configuration(input: Input, outside: Outside, at: { keyFile: string; url: string }): string {
  const [command, ...words] = outside.program;
  const options = ["--key-file", at.keyFile, "--url", at.url, ...(input.isSet("plain-key") ? ["--plain-key"] : [])];
  return `${JSON.stringify({ mcpServers: { postern: { command, args: [...words, "mcp", ...options] } } }, null, 2)}\n`;
}
