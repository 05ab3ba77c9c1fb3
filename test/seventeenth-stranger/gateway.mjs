// Postern as its documents say: init, agent approval, serve, key grant; and a client of its interface that keeps every answer.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newWallet, signTyped } from "./wallet.mjs";

const BINARY = process.env.POSTERN_BINARY ?? new URL("../../dist/postern", import.meta.url).pathname;

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export class Gateway {
  constructor(judge) {
    this.judge = judge;
    this.wallet = newWallet();
    this.place = mkdtempSync(join(tmpdir(), "stranger-seventeen-"));
    this.log = "";
    this.counter = 0;
    this.settings = {};
  }
  cli(args, input) {
    const done = spawnSync(BINARY, [...args, "--data-dir", join(this.place, "data")], {
      encoding: "utf8",
      input,
      env: { PATH: process.env.PATH, HOME: this.place },
    });
    if (done.status !== 0) throw new Error(`postern ${args.slice(0, 2).join(" ")}: ${done.stderr}${done.stdout}`);
    return done.stdout;
  }
  // The same without holding up the exchange, which lives in this process.
  cliLater(args) {
    return new Promise((done, fail) => {
      const child = spawn(BINARY, [...args, "--data-dir", join(this.place, "data")], {
        env: { PATH: process.env.PATH, HOME: this.place },
      });
      let out = "";
      let err = "";
      child.stdout.on("data", (d) => (out += d));
      child.stderr.on("data", (d) => (err += d));
      child.on("close", (code) =>
        code === 0 ? done(out) : fail(new Error(`postern ${args.slice(0, 2).join(" ")}: ${err}${out}`)),
      );
    });
  }
  async setUp(exchangeUrl) {
    mkdirSync(this.place, { recursive: true });
    this.pass = join(this.place, "pass");
    writeFileSync(this.pass, "seventeen strangers 4471 walked zebra quietly\n", { mode: 0o600 });
    const made = JSON.parse(
      await this.cliLater([
        "init",
        "--network",
        "testnet",
        "--owner",
        this.wallet.address,
        "--exchange-url",
        exchangeUrl,
        "--unofficial-exchange",
        "--passphrase-file",
        this.pass,
        "--json",
      ]),
    );
    this.account = made.account;
    const approval = JSON.parse(await this.cliLater(["agent", "approval", "--json"]));
    const signature = signTyped(this.wallet, approval.typed_data);
    await this.cliLater([
      "agent",
      "approve",
      "--agent",
      approval.agent,
      "--signature",
      signature,
      "--nonce",
      String(approval.nonce),
      "--passphrase-file",
      this.pass,
      "--json",
    ]);
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    await this.start();
    this.key = await this.grant([]);
  }
  async grant(more) {
    const key = JSON.parse(this.cli(["key", "new", "--json"]));
    const base = ["--key-hash", key.key_hash, "--listen", `127.0.0.1:${this.port}`, "--json"];
    const asked = JSON.parse(await this.cliLater(["key", "grant", ...base, ...more]));
    const signature = signTyped(this.wallet, asked.typed_data);
    const tail =
      more.length > 0 ? ["--grant", JSON.stringify(asked.grant ?? asked)] : ["--issued-at", String(asked.issued_at)];
    await this.cliLater(["key", "register", ...base, ...tail, "--signature", signature]);
    return key.api_key;
  }
  async start() {
    const env = { PATH: process.env.PATH, HOME: this.place, ...this.settings };
    this.child = spawn(
      BINARY,
      [
        "serve",
        "--listen",
        `127.0.0.1:${this.port}`,
        "--passphrase-file",
        this.pass,
        "--data-dir",
        join(this.place, "data"),
      ],
      { env },
    );
    const child = this.child;
    child.ended = new Promise((done) => child.on("close", done));
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (d) => (this.log += d));
    for (let i = 0; i < 200; i++) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.status === 200) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    const last = await fetch(`${this.url}/readyz`).catch(() => null);
    throw new Error(`not ready: ${last ? await last.text() : "no answer"}\n${this.log.slice(-2000)}`);
  }
  async kill() {
    this.child.kill("SIGKILL");
    await this.child.ended;
  }
  async end() {
    this.stream?.abort();
    if (this.child) await this.kill();
    rmSync(this.place, { recursive: true, force: true });
  }
  async ask(method, path, body, options = {}) {
    const t0 = Date.now();
    const headers = { authorization: `Bearer ${options.key ?? this.key}` };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["idempotency-key"] = options.name ?? `stranger-${this.counter++}-${t0}`;
    }
    const answer = await fetch(this.url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const raw = await answer.text();
    const said = {
      t0,
      t1: Date.now(),
      method,
      path,
      status: answer.status,
      asOf: answer.headers.get("x-data-as-of"),
      isReplay: answer.headers.get("idempotent-replayed") === "true",
      retryAfter: answer.headers.get("retry-after"),
      json: raw.startsWith("{") ? JSON.parse(raw) : raw,
      name: headers["idempotency-key"],
    };
    this.judge.keep(said);
    return said;
  }
  get(path, options) {
    return this.ask("GET", path, undefined, options);
  }
  post(path, body, options) {
    return this.ask("POST", path, body, options);
  }
  order(fields, options) {
    return this.post("/v1/orders", { account: this.account, ...fields }, options);
  }
  follow() {
    this.stream = new AbortController();
    const read = async () => {
      const answer = await fetch(`${this.url}/v1/events`, {
        headers: { authorization: `Bearer ${this.key}` },
        signal: this.stream.signal,
      });
      let rest = "";
      for await (const chunk of answer.body) {
        rest += Buffer.from(chunk).toString("utf8");
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) this.onBlock(block);
      }
    };
    read().catch(() => {});
  }
  onBlock(block) {
    const data = block
      .split("\n")
      .filter((l) => l.startsWith("data:"))
      .map((l) => l.slice(5))
      .join("");
    const type = block
      .split("\n")
      .find((l) => l.startsWith("event:"))
      ?.slice(6)
      .trim();
    if (!data) return;
    this.judge.keep({
      t0: Date.now(),
      t1: Date.now(),
      method: "EVENT",
      path: type ?? "",
      status: 200,
      asOf: null,
      json: JSON.parse(data),
    });
  }
}
export async function until(isDone, ms, step = 100) {
  const end = Date.now() + ms;
  for (;;) {
    const got = await isDone();
    if (got) return got;
    if (Date.now() > end) return null;
    await new Promise((done) => setTimeout(done, step));
  }
}
export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
