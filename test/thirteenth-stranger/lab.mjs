// A gateway on paper with an empty home, its owner, and whoever asks it for something.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const fresh = (name = "t13") => `${name}-${randomUUID()}`;

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Asks again until something is so; the last answer where it never was. */
export async function until(ask, isSo, withinMs = 10_000) {
  const end = Date.now() + withinMs;
  let last = await ask();
  while (!isSo(last) && Date.now() < end) {
    await pause(150);
    last = await ask();
  }
  return last;
}

export class Lab {
  constructor(binary, options = {}) {
    this.binary = binary;
    this.home = mkdtempSync(join(tmpdir(), "thirteenth-"));
    this.data = join(this.home, "data");
    this.settings = options.settings ?? {};
    this.beside = [];
    mkdirSync(join(this.home, "home"));
  }

  environment(more = {}) {
    return { PATH: process.env.PATH, HOME: join(this.home, "home"), ...this.settings, ...more };
  }

  async start(more = []) {
    this.port ??= await freePort();
    this.paperPort ??= await freePort();
    this.hooksPort ??= await freePort();
    this.metricsPort ??= await freePort();
    const out = openSync(join(this.home, "out"), "w");
    const log = openSync(join(this.home, "log"), "a");
    const places = ["--listen", `127.0.0.1:${this.port}`, "--paper-listen", `127.0.0.1:${this.paperPort}`];
    places.push("--hooks-listen", `127.0.0.1:${this.hooksPort}`, "--metrics-listen", `127.0.0.1:${this.metricsPort}`);
    const words = ["serve", "--paper", "--json", "--control", "--data-dir", this.data, ...places, ...more];
    this.process = spawn(this.binary, words, { stdio: ["ignore", out, log], env: this.environment(), cwd: this.home });
    closeSync(out);
    closeSync(log);
    this.url = `http://127.0.0.1:${this.port}`;
    const line = await until(
      () => readFileSync(join(this.home, "out"), "utf8").split("\n")[0],
      (text) => text.startsWith("{"),
      120_000,
    );
    this.first = JSON.parse(line);
    this.account = this.first.account;
    this.plain = this.first.api_key;
    this.owner = privateKeyToAccount(JSON.parse(readFileSync(join(this.data, "demo.json"), "utf8")).ownerPrivateKey);
    await until(
      () => this.ask("GET", "/readyz").catch(() => ({ status: 0 })),
      (answer) => answer.status === 200,
      120_000,
    );
    return this;
  }

  async kill(signal = "SIGKILL") {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill(signal);
    await ended;
  }

  async end() {
    for (const process of this.beside) process.kill("SIGKILL");
    if (this.process && this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    if (!process.env.THIRTEENTH_KEEP) rmSync(this.home, { recursive: true, force: true });
  }

  log() {
    return readFileSync(join(this.home, "log"), "utf8");
  }

  /** A command of the executable; what it printed, and how it ended. */
  command(words, options = {}) {
    const all = options.isBare ? words : [...words, "--data-dir", options.data ?? this.data];
    return new Promise((resolve) => {
      const asked = spawn(this.binary, all, { env: this.environment(options.environment), cwd: this.home });
      const said = { out: "", err: "" };
      asked.stdout.setEncoding("utf8").on("data", (text) => {
        said.out += text;
      });
      asked.stderr.setEncoding("utf8").on("data", (text) => {
        said.err += text;
      });
      asked.stdin.on("error", () => {});
      asked.stdin.end(options.input ?? "");
      const end = setTimeout(() => asked.kill("SIGKILL"), options.withinMs ?? 240_000);
      asked.once("close", (code) => {
        clearTimeout(end);
        resolve({ code: code ?? -1, ...said });
      });
    });
  }

  async ask(method, path, { key, body, name, headers = {} } = {}) {
    const all = { ...headers };
    if (key) all.authorization = `Bearer ${key}`;
    if (body !== undefined) all["content-type"] = "application/json";
    if (name) all["idempotency-key"] = name;
    const written = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const once = () =>
      fetch(this.url + path, { method, headers: all, body: written, signal: AbortSignal.timeout(60_000) });
    // A connection of before a death may be found dead: the same request under the same key again is what the documents say.
    const answer = await once().catch((error) => {
      if (error.cause?.code !== "UND_ERR_SOCKET") throw error;
      return once();
    });
    const text = await answer.text();
    let json = null;
    try {
      json = JSON.parse(text);
    } catch {}
    return { status: answer.status, json, text, headers: answer.headers, code: json?.error?.code };
  }

  get(path, key = this.plain) {
    return this.ask("GET", path, { key });
  }

  post(path, body, key = this.plain, name = fresh()) {
    return this.ask("POST", path, { key, body, name });
  }

  order(body, key = this.plain, name = fresh()) {
    return this.post("/v1/orders", { account: this.account, ...body }, key, name);
  }

  sign(typed) {
    const { EIP712Domain: _, ...types } = typed.types;
    return this.owner.signTypedData({
      domain: typed.domain,
      types,
      primaryType: typed.primaryType,
      message: typed.message,
    });
  }

  async newKey() {
    return JSON.parse((await this.command(["key", "new", "--json"], { isBare: true })).out);
  }

  /** A bot's key, granted as the documents say: by what `key grant` prints and the owner's signature. */
  async grant(bot, words = [], given = null) {
    const made = given ?? (await this.newKey());
    const asked = await this.command(["key", "grant", "--json", "--key-hash", made.key_hash, "--bot", bot, ...words]);
    if (asked.code !== 0) return { ...made, refused: asked.err + asked.out };
    const printed = JSON.parse(asked.out);
    const signature = await this.sign(printed.typed_data);
    const registered = await this.command(
      ["key", "register", "--grant", JSON.stringify(printed.grant), "--signature", "-"],
      { input: signature },
    );
    return {
      ...made,
      key: made.api_key,
      hash: made.key_hash,
      printed,
      registered,
      refused: registered.code ? registered.err : null,
    };
  }

  control(body) {
    return fetch(`http://127.0.0.1:${this.paperPort}/control`, { method: "POST", body: JSON.stringify(body) }).then(
      (answer) => answer.text(),
    );
  }

  info(body) {
    return fetch(`http://127.0.0.1:${this.paperPort}/info`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then((answer) => answer.json());
  }

  /** What the exchange has of the account, newest first: the only witness. */
  async atExchange() {
    const user = this.owner.address.toLowerCase();
    const [history, open] = await Promise.all([
      this.info({ type: "historicalOrders", user }),
      this.info({ type: "frontendOpenOrders", user }),
    ]);
    return { history, open };
  }

  file(name, text, mode = 0o600) {
    const path = join(this.home, name);
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode });
    return path;
  }

  async mark(market) {
    const answer = await until(
      () => this.get(`/v1/markets/${encodeURIComponent(market)}`),
      ({ status }) => status === 200,
      60_000,
    );
    return answer.json;
  }
}
