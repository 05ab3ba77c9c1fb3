// A Postern under trial: set up as docs/operating.md says, asked over HTTP, and every word of it kept with its time.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse, wait } from "./exchange.mjs";
import { sign, typedDigest, wallet } from "./ink.mjs";

const BINARY = process.env.POSTERN ?? new URL("../../dist/postern", import.meta.url).pathname;

export class Gateway {
  constructor(exchange, ownerWallet, told = []) {
    this.exchange = exchange;
    this.wallet = ownerWallet;
    this.told = told;
    this.root = fs.mkdtempSync(path.join(process.env.SCRATCH ?? os.tmpdir(), "s15-"));
    this.dir = path.join(this.root, "data");
    this.pass = path.join(this.root, "pass");
    fs.writeFileSync(this.pass, randomBytes(16).toString("hex"), { mode: 0o600 });
    this.serial = 0;
    this.env = {};
  }
  cli(args, allowed = [0]) {
    const env = { PATH: process.env.PATH, HOME: this.root };
    return new Promise((done, fail) => {
      execFile(BINARY, args, { env, maxBuffer: 1 << 26 }, (e, out, errors) => {
        const code = e ? (e.code ?? 1) : 0;
        this.told.push({
          t0: Date.now(),
          t1: Date.now(),
          from: `cli ${args.slice(0, 3).join(" ")}`,
          status: code,
          raw: out,
        });
        if (!allowed.includes(code)) return fail(new Error(`${args.join(" ")}: ${code} ${out} ${errors}`));
        done(out);
      });
    });
  }
  async json(args) {
    return parse(await this.cli([...args, "--json"]));
  }
  async make() {
    const at = ["--data-dir", this.dir];
    const made = await this.json([
      "init",
      "--network",
      "testnet",
      "--owner",
      this.wallet.address,
      "--exchange-url",
      this.exchange.url,
      "--unofficial-exchange",
      "--passphrase-file",
      this.pass,
      ...at,
    ]);
    this.account = made.account;
    await this.approveAgent();
    return this;
  }
  async approveAgent() {
    const at = ["--data-dir", this.dir];
    const a = await this.json(["agent", "approval", ...at]);
    const signature = sign(this.wallet.d, typedDigest(a.typed_data));
    await this.cli([
      "agent",
      "approve",
      "--agent",
      a.agent,
      "--signature",
      signature,
      "--nonce",
      String(a.nonce),
      "--passphrase-file",
      this.pass,
      ...at,
    ]);
  }
  async port() {
    const net = await import("node:net");
    return new Promise((r) => {
      const s = net.createServer().listen(0, "127.0.0.1", () => {
        const { port } = s.address();
        s.close(() => r(port));
      });
    });
  }
  async serve(env = {}) {
    this.listen ??= `127.0.0.1:${await this.port()}`;
    this.base = `http://${this.listen}`;
    const log = fs.openSync(path.join(this.root, "log"), "a");
    this.process = spawn(
      BINARY,
      ["serve", "--listen", this.listen, "--data-dir", this.dir, "--passphrase-file", this.pass],
      {
        env: {
          PATH: process.env.PATH,
          HOME: this.root,
          POSTERN_LIMIT_READS: "0",
          POSTERN_LIMIT_ORDERS: "0",
          ...this.env,
          ...env,
        },
        stdio: ["ignore", log, log],
      },
    );
    this.process.on("exit", (c) => (this.exit = c));
    for (let i = 0; i < 300; i++) {
      const r = await fetch(`${this.base}/healthz`).catch(() => null);
      if (r?.ok) return this;
      await wait(50);
    }
    throw new Error(`does not listen: ${fs.readFileSync(path.join(this.root, "log"), "utf8").slice(-2000)}`);
  }
  async grant({ bot = null, extra = [] } = {}) {
    const fresh = await this.json(["key", "new"]);
    const args = ["--key-hash", fresh.key_hash, "--data-dir", this.dir, "--listen", this.listen];
    const g = await this.json(["key", "grant", ...(bot ? ["--bot", bot] : []), ...extra, ...args]);
    const signature = sign(this.wallet.d, typedDigest(g.typed_data));
    const rest = g.grant
      ? ["--grant", JSON.stringify(g.grant)]
      : ["--issued-at", String(g.issued_at ?? g.consent?.issued_at ?? g.typed_data.message.issuedAt)];
    await this.cli(["key", "register", ...args, ...rest, "--signature", signature]);
    return fresh.api_key;
  }
  async ready(seconds = 30) {
    for (let i = 0; i < seconds * 10; i++) {
      const r = await fetch(`${this.base}/readyz`).catch(() => null);
      if (r?.status === 200) return;
      await wait(100);
    }
    throw new Error(`not ready: ${await (await fetch(`${this.base}/readyz`)).text()}`);
  }
  async up(options = {}) {
    await this.make();
    await this.serve(options.env);
    this.key = await this.grant();
    await this.ready();
    void this.follow();
    await wait(300);
    return this;
  }
  async call(method, route, body, { idem, key = this.key, timeout = 30_000, quiet = false } = {}) {
    const headers = { authorization: `Bearer ${key}`, connection: "close" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (idem) headers["idempotency-key"] = idem;
    const t0 = Date.now();
    const r = await fetch(this.base + route, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout),
    });
    const raw = await r.text();
    const note = {
      t0,
      t1: Date.now(),
      from: `${method} ${route}`,
      idem: idem ?? null,
      request: body,
      status: r.status,
      raw,
      asOf: r.headers.get("x-data-as-of"),
      replayed: r.headers.get("idempotent-replayed"),
    };
    if (!quiet) this.told.push(note);
    let value = null;
    try {
      value = parse(raw);
    } catch {}
    return { status: r.status, body: value, raw, note };
  }
  get(route, options) {
    return this.call("GET", route, undefined, options);
  }
  post(route, body, idem = `k-${++this.serial}-${randomBytes(4).toString("hex")}`, options = {}) {
    return this.call("POST", route, body, { idem, ...options });
  }
  place(fields, idem, options) {
    return this.post(
      "/v1/orders",
      { account: this.account, market: "BTC", side: "buy", size: "0.01", price: "50000", ...fields },
      idem,
      options,
    );
  }
  async follow() {
    const own = this.process;
    let last = null;
    while (this.process === own && this.exit === undefined) {
      try {
        const headers = { authorization: `Bearer ${this.key}`, ...(last ? { "last-event-id": last } : {}) };
        const r = await fetch(`${this.base}/v1/events`, { headers });
        const decoder = new TextDecoder();
        let buffer = "";
        for await (const chunk of r.body) {
          buffer += decoder.decode(chunk, { stream: true });
          for (let i = buffer.indexOf("\n\n"); i >= 0; i = buffer.indexOf("\n\n")) {
            const block = buffer.slice(0, i);
            buffer = buffer.slice(i + 2);
            const field = (n) =>
              block
                .split("\n")
                .filter((l) => l.startsWith(`${n}: `))
                .map((l) => l.slice(n.length + 2))
                .join("\n");
            if (field("id")) last = field("id");
            if (field("data"))
              this.told.push({
                t0: Date.now(),
                t1: Date.now(),
                from: `event ${field("event")}`,
                status: 200,
                raw: field("data"),
              });
          }
        }
      } catch {}
      await wait(200);
    }
  }
  async kill() {
    const gone = new Promise((r) => this.process.once("exit", r));
    this.process.kill("SIGKILL");
    await gone;
    this.exit = undefined;
  }
  async close() {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = new Promise((r) => this.process.once("exit", r));
    this.process.kill("SIGTERM");
    setTimeout(() => this.process.kill("SIGKILL"), 4000).unref();
    await gone;
  }
  tail(n = 3000) {
    return fs.readFileSync(path.join(this.root, "log"), "utf8").slice(-n);
  }
  // Reads of the order until `until` holds or the time is up: the time that it took, or null.
  async await(id, until, seconds = 60, every = 400) {
    const began = Date.now();
    while (Date.now() - began < seconds * 1000) {
      const r = await this.get(`/v1/orders/${id}`);
      if (r.body && until(r.body, r)) return { ms: Date.now() - began, ...r };
      await wait(every);
    }
    return null;
  }
}
export function owner(seed) {
  return wallet(`fifteenth ${seed}`);
}
export function hashOf(key) {
  return createHash("sha256").update(key).digest("hex");
}
