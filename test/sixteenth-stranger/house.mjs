// One gateway on loopback over one exchange of ours, and everything that it ever said.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Exchange } from "./exchange.mjs";
import { addressOf, newSecret, signTyped } from "./owner.mjs";
import { Server } from "./server.mjs";

const BINARY = process.env.POSTERN_BINARY ?? resolve(import.meta.dirname, "../../dist/postern");
export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
function freePort() {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
export function run(args, input = "") {
  return new Promise((done) => {
    const child = spawn(BINARY, args, { env: { PATH: process.env.PATH, HOME: tmpdir() } });
    let [out, err] = ["", ""];
    child.stdout.on("data", (c) => (out += c));
    child.stderr.on("data", (c) => (err += c));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("close", (code) => done({ code, out, err }));
  });
}
async function must(args, input) {
  const r = await run(args, input);
  if (r.code !== 0) throw new Error(`postern ${args.join(" ")}: ${r.code}\n${r.out}${r.err}`);
  return r.out;
}

export class House {
  constructor(seed, options = {}) {
    this.secret = newSecret();
    this.owner = addressOf(this.secret);
    this.x = new Exchange(this.owner, seed);
    Object.assign(this, { seed, options, said: [], keys: {}, streams: [], notes: [] });
    this.base = join(
      process.env.STRANGER_SCRATCH ?? tmpdir(),
      `sixteenth-${process.pid}-${Math.floor(Math.random() * 1e9)}`,
    );
    this.dir = join(this.base, "data");
    mkdirSync(this.base, { recursive: true });
    this.pass = join(this.base, "pass");
    writeFileSync(this.pass, "correct horse battery staple 4711 ostrich\n", { mode: 0o600 });
  }
  async open() {
    [this.port, this.exchangePort] = [await freePort(), await freePort()];
    this.url = `http://127.0.0.1:${this.port}`;
    this.server = new Server(this.x);
    this.x.snap();
    await this.server.listen(this.exchangePort);
    const common = ["--data-dir", this.dir, "--json"];
    const made = JSON.parse(
      await must([
        "init",
        "--network",
        "paper",
        "--owner",
        this.owner,
        "--exchange-url",
        `http://127.0.0.1:${this.exchangePort}`,
        "--unofficial-exchange",
        "--passphrase-file",
        this.pass,
        ...common,
      ]),
    );
    this.account = made.account?.id ?? made.account_id ?? made.account;
    await this.start();
    const approval = JSON.parse(await must(["agent", "approval", ...common]));
    const typed = approval.typed_data ?? approval;
    const extra = typed.message?.nonce ? ["--nonce", String(approval.nonce ?? typed.message.nonce)] : [];
    const until = approval.valid_until ? ["--valid-until", String(approval.valid_until)] : [];
    await must([
      "agent",
      "approve",
      "--signature",
      signTyped(this.secret, typed),
      ...extra,
      ...until,
      "--passphrase-file",
      this.pass,
      ...common,
    ]);
    this.key = await this.newKey();
    await this.ready();
    return this;
  }
  async newKey(options = []) {
    const common = ["--data-dir", this.dir, "--json"];
    const key = JSON.parse(await must(["key", "new", "--json"]));
    const hash = key.key_hash ?? key.hash;
    const listen = ["--listen", `127.0.0.1:${this.port}`];
    const grant = JSON.parse(await must(["key", "grant", "--key-hash", hash, ...options, ...listen, ...common]));
    const typed = grant.typed_data ?? grant;
    const signature = signTyped(this.secret, typed);
    const more = options.includes("--bot")
      ? ["--grant", JSON.stringify(grant.body?.grant ?? grant.grant ?? typed.message)]
      : ["--issued-at", String(grant.issued_at ?? typed.message.issuedAt)];
    const r = await run([
      "key",
      "register",
      "--key-hash",
      hash,
      "--signature",
      signature,
      ...more,
      ...listen,
      ...common,
    ]);
    if (r.code !== 0) throw new Error(`register: ${r.out}${r.err}\n${JSON.stringify(grant)}`);
    const text = key.api_key ?? key.key;
    this.keys[text] = { hash };
    return text;
  }
  async start(more = []) {
    const env = {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      POSTERN_LOG_LEVEL: "info",
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_READS: "0",
      POSTERN_LIMIT_CANCELS: "0",
      POSTERN_LIMIT_WRITES: "0",
      POSTERN_EXCHANGE_WEIGHT: "0",
      POSTERN_DEXES: "xyz,hyna",
      ...this.options.env,
    };
    this.child = spawn(
      BINARY,
      ["serve", "--listen", `127.0.0.1:${this.port}`, "--passphrase-file", this.pass, "--data-dir", this.dir, ...more],
      { env },
    );
    this.exited = new Promise((done) => this.child.on("close", done));
    this.text = this.text ?? "";
    for (const s of [this.child.stdout, this.child.stderr]) s.on("data", (c) => (this.text += c));
    for (let i = 0; i < 200; i++) {
      if (
        await fetch(`${this.url}/healthz`).then(
          (r) => r.ok,
          () => false,
        )
      )
        return;
      await pause(50);
    }
    throw new Error(`did not start: ${this.text.slice(-2000)}`);
  }
  async ready(seconds = 30) {
    for (let i = 0; i < seconds * 10; i++) {
      if (
        await fetch(`${this.url}/readyz`).then(
          (r) => r.ok,
          () => false,
        )
      )
        return true;
      await pause(100);
    }
    throw new Error(`not ready: ${await fetch(`${this.url}/readyz`).then((r) => r.text())} ${this.text.slice(-1500)}`);
  }
  async kill(signal = "SIGKILL") {
    this.child.kill(signal);
    await this.exited;
  }
  async restart(signal = "SIGKILL") {
    await this.kill(signal);
    await this.start();
    await this.ready();
  }
  async ask(method, path, body, name, key = this.key) {
    const headers = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (name) headers["idempotency-key"] = `sixteen-${name}`;
    const t0 = Date.now();
    let entry;
    try {
      const r = await fetch(this.url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await r.text();
      let json = null;
      try {
        json = JSON.parse(text);
      } catch {}
      entry = {
        t0,
        t1: Date.now(),
        method,
        path,
        name,
        status: r.status,
        text,
        json,
        asOf: r.headers.get("x-data-as-of"),
        replayed: r.headers.get("idempotent-replayed") === "true",
      };
    } catch (e) {
      entry = { t0, t1: Date.now(), method, path, name, status: 0, text: String(e), json: null };
    }
    this.said.push(entry);
    return entry;
  }
  get(path, key) {
    return this.ask("GET", path, undefined, undefined, key);
  }
  post(path, body, name, key) {
    return this.ask("POST", path, body, name, key);
  }
  order(market, side, size, price, name, more = {}, key = undefined) {
    return this.post("/v1/orders", { account: this.account, market, side, size, price, ...more }, name, key);
  }
  // The stream of events, from the beginning, each with the moment at which we heard it.
  async follow(key = this.key) {
    const stop = new AbortController();
    this.streams.push(stop);
    const response = await fetch(`${this.url}/v1/events`, {
      headers: { authorization: `Bearer ${key}`, ...(this.lastEvent ? { "last-event-id": this.lastEvent } : {}) },
      signal: stop.signal,
    });
    const read = async () => {
      let rest = "";
      for await (const chunk of response.body) {
        rest += Buffer.from(chunk).toString();
        const parts = rest.split("\n\n");
        rest = parts.pop();
        for (const part of parts) this.hear(part);
      }
    };
    read().catch(() => {});
  }
  hear(part) {
    const fields = Object.fromEntries(
      part
        .split("\n")
        .filter((l) => l.includes(": "))
        .map((l) => [l.slice(0, l.indexOf(": ")), l.slice(l.indexOf(": ") + 2)]),
    );
    if (!fields.data) return;
    if (fields.id) this.lastEvent = fields.id;
    const json = JSON.parse(fields.data);
    this.said.push({
      t0: Date.now(),
      t1: Date.now(),
      method: "EVENT",
      path: fields.event,
      status: 200,
      json,
      text: fields.data,
    });
  }
  // All rows of a list, page by page.
  async pages(path, limit = 50) {
    const rows = [];
    let [cursor, last] = [null, null];
    do {
      const r = await this.get(
        `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
      );
      if (r.status !== 200) throw new Error(`${path}: ${r.status} ${r.text}`);
      rows.push(...r.json.data);
      [cursor, last] = [r.json.next_cursor, r.json];
    } while (cursor);
    return { rows, last };
  }
  async until(_what, probe, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    let seen;
    while (Date.now() < end) {
      seen = await probe();
      if (seen) return seen;
      await pause(150);
    }
    return null;
  }
  async close() {
    for (const s of this.streams) s.abort();
    if (this.child && this.child.exitCode === null) {
      this.child.kill("SIGTERM");
      await Promise.race([this.exited, pause(8000).then(() => this.child.kill("SIGKILL"))]);
    }
    await this.server?.close();
    if (!process.env.STRANGER_KEEP && existsSync(this.base)) rmSync(this.base, { recursive: true, force: true });
  }
}
