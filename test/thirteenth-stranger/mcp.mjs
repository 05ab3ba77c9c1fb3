// An agent: `postern mcp` over standard streams, line by line, or as the bytes come.
import { spawn } from "node:child_process";
import { pause } from "./lab.mjs";

export class Agent {
  constructor(lab, key, words = []) {
    this.file = lab.file(`agent-${Math.random().toString(36).slice(2)}`, `${key}\n`);
    const all = ["mcp", "--key-file", this.file, "--data-dir", lab.data, ...words];
    this.process = spawn(lab.binary, all, { env: lab.environment(), cwd: lab.home });
    lab.beside.push(this.process);
    this.next = 1;
    this.waiting = new Map();
    this.strays = [];
    this.errors = "";
    this.exit = new Promise((resolve) => this.process.once("exit", (code) => resolve(code)));
    let rest = "";
    this.process.stdout.setEncoding("utf8").on("data", (text) => {
      rest += text;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) this.hear(line);
    });
    this.process.stderr.setEncoding("utf8").on("data", (text) => {
      this.errors += text;
    });
    this.process.stdin.on("error", () => {});
  }

  hear(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.strays.push(line);
      return;
    }
    const taker = this.waiting.get(message.id);
    if (!taker) this.strays.push(line);
    else {
      this.waiting.delete(message.id);
      taker(message);
    }
  }

  raw(text) {
    this.process.stdin.write(text);
  }

  /** A request; `null` where nothing came in time. */
  ask(method, parameters, withinMs = 20_000) {
    const id = this.next++;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: parameters })}\n`);
    return Promise.race([answer, pause(withinMs).then(() => null)]);
  }

  async open(version = "2025-11-25") {
    const hello = await this.ask("initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "thirteenth", version: "1" },
    });
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return hello;
  }

  async call(name, given = {}, withinMs = 60_000) {
    const answer = await this.ask("tools/call", { name, arguments: given }, withinMs);
    if (!answer) return { outcome: "silence" };
    if (answer.error) return { outcome: "error", error: answer.error };
    const said = answer.result;
    return {
      isError: said.isError === true,
      text: said.content?.map((part) => part.text).join("\n") ?? "",
      ...said.structuredContent,
    };
  }

  async end() {
    this.process.stdin.end();
    await Promise.race([this.exit, pause(1500)]);
    this.process.kill("SIGKILL");
  }
}
