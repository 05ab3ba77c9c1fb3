// A small client of the Model Context Protocol over standard streams: `postern mcp` as an agent would start it.
import { spawn } from "node:child_process";

const ANSWER_WITHIN_MS = 20_000;

export class Tools {
  constructor({ binary, keyFile, url }) {
    Object.assign(this, { binary, keyFile, url });
    this.waiting = new Map();
    this.number = 0;
    this.child = null;
  }

  /** Started when it is first asked, and again after each of its deaths. */
  start() {
    if (this.child !== null) return;
    const words = ["mcp", "--key-file", this.keyFile, "--url", this.url];
    const child = spawn(this.binary, words, { env: { PATH: process.env.PATH }, stdio: ["pipe", "pipe", "ignore"] });
    this.child = child;
    let rest = "";
    child.stdin.on("error", () => {});
    child.stdout.on("data", (part) => {
      const lines = (rest + part.toString("utf8")).split("\n");
      rest = lines.pop();
      for (const line of lines) this.heard(JSON.parse(line));
    });
    this.ended = new Promise((resolve) => {
      child.on("exit", () => {
        if (this.child === child) this.child = null;
        for (const settle of this.waiting.values()) settle(null);
        this.waiting.clear();
        resolve();
      });
    });
    this.write({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} } });
    this.write({ method: "notifications/initialized" });
  }

  write(message) {
    this.child?.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  heard({ id, result, error }) {
    this.waiting.get(id)?.(error === undefined ? (result?.structuredContent ?? result) : { error });
    this.waiting.delete(id);
  }

  /** What it says, `{error}` where it refuses by the protocol, null where no answer came. */
  call(name, given) {
    this.start();
    this.number += 1;
    const id = this.number;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.heard({ id, result: null }), ANSWER_WITHIN_MS);
      this.waiting.set(id, (told) => {
        clearTimeout(late);
        resolve(told);
      });
      this.write({ id, method: "tools/call", params: { name, arguments: given } });
    });
  }

  async kill() {
    if (this.child === null) return;
    this.child.kill("SIGKILL");
    await this.ended;
  }
}
