// The executable, set up as an operator would, once a run; each scene begins with a copy. And its clients.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { privateKeyToAccount } from "viem/accounts";
import { rest } from "./units.mjs";

const BINARY = process.env.POSTERN_BINARY ?? fileURLToPath(new URL("../../dist/postern", import.meta.url));
const OWNER = privateKeyToAccount(`0x${"19".repeat(32)}`);
export const owner = OWNER.address.toLowerCase();

/** What each bot is held to; the judge reads it from here as its owner has signed it. */
export const RAILS = {
  alpha: { markets: "BTC,ETH", order: 2000, position: 3000, exposure: 4000, open: 6, distance: 5 },
  beta: { markets: "BTC,ETH", order: 2000, position: 3000, exposure: 4000, open: 6, distance: 5 },
  gamma: { markets: "BTC,ETH,SOL", order: 900, position: 1500, exposure: 2000, open: 4, distance: 3 },
};
const VERBS = "increase,reduce,modify,cancel,leverage,margin,twap,stop";
const first = { directory: null };

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export class Gateway {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "nineteenth-"));
    this.data = join(this.directory, "data");
    this.pass = join(this.directory, "pass");
    this.keys = new Map();
    this.told = [];
    this.log = [];
    this.streams = [];
    this.deaths = [];
    this.child = null;
  }

  async run(words, input) {
    const { PATH, HOME } = process.env;
    const child = spawn(BINARY, [...words, "--json"], { env: { PATH, HOME }, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let bad = "";
    child.stdout.on("data", (b) => (out += b));
    child.stderr.on("data", (b) => (bad += b));
    child.stdin.end(input ?? "");
    const code = await new Promise((done) => child.on("close", done));
    if (code !== 0) throw new Error(`${words.join(" ")}: ${out}${bad}`);
    return JSON.parse(out.trim().split("\n").at(-1));
  }

  command(...words) {
    return this.run([...words, "--data-dir", this.data]);
  }

  async setUp(exchange) {
    if (first.directory === null) {
      await this.setUpFirst(exchange);
      await this.kill();
      this.deaths.length = 0;
      first.directory = mkdtempSync(join(tmpdir(), "nineteenth-"));
      cpSync(this.directory, first.directory, { recursive: true, filter: (path) => !path.endsWith(".sock") });
      Object.assign(first, {
        port: this.port,
        keys: this.keys,
        account: this.account,
        agents: exchange.agents,
        at: exchange.port,
      });
      process.on("exit", () => rmSync(first.directory, { recursive: true, force: true }));
    } else {
      cpSync(first.directory, this.directory, { recursive: true });
      Object.assign(this, {
        port: first.port,
        url: `http://127.0.0.1:${first.port}`,
        keys: first.keys,
        account: first.account,
      });
    }
    await this.start();
  }

  async setUpFirst(exchange) {
    const { passphrase } = await this.run(["passphrase", "new"]);
    writeFileSync(this.pass, passphrase, { mode: 0o600 });
    const sealed = ["--passphrase-file", this.pass];
    const place = ["--exchange-url", exchange.url, "--unofficial-exchange"];
    const made = await this.command("init", "--network", "testnet", "--owner", owner, ...place, ...sealed);
    this.account = made.account;
    const wanted = await this.command("agent", "approval");
    const about = [
      "--agent",
      wanted.agent,
      "--nonce",
      String(wanted.nonce),
      "--signature",
      await sign(wanted.typed_data),
    ];
    const until = wanted.valid_until_ms === null ? [] : ["--valid-until", String(wanted.valid_until_ms)];
    await this.command("agent", "approve", ...about, ...until, ...sealed);
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    await this.start();
    await this.grant("main", []);
    await this.grant("second", []);
    for (const [bot, r] of Object.entries(RAILS)) {
      const words = ["--bot", bot, "--markets", r.markets, "--may", VERBS, "--max-order", `${r.order} USD`];
      words.push(
        "--max-position",
        `${r.position} USD`,
        "--max-exposure",
        `${r.exposure} USD`,
        "--max-open-orders",
        `${r.open}`,
      );
      words.push(
        "--max-distance",
        `${r.distance} %`,
        "--max-turnover-per-day",
        "50000 USD",
        "--max-loss-per-day",
        "500 USD",
      );
      await this.grant(bot, words);
    }
  }

  async grant(name, rails) {
    const at = ["--listen", `127.0.0.1:${this.port}`];
    const made = await this.command("key", "new");
    const grant = await this.command("key", "grant", "--key-hash", made.key_hash, ...rails, ...at);
    const signature = ["--signature", await sign(grant.typed_data)];
    const what =
      rails.length === 0 ? ["--issued-at", String(grant.issued_at)] : ["--grant", JSON.stringify(grant.grant)];
    await this.command("key", "register", "--key-hash", made.key_hash, ...what, ...signature, ...at);
    this.keys.set(name, { key: made.api_key, hash: made.key_hash, isBot: rails.length > 0 });
  }

  async start() {
    const { PATH, HOME } = process.env;
    const words = [
      "serve",
      "--listen",
      `127.0.0.1:${this.port}`,
      "--passphrase-file",
      this.pass,
      "--data-dir",
      this.data,
    ];
    this.child = spawn(BINARY, words, { env: { PATH, HOME }, stdio: ["ignore", "ignore", "pipe"] });
    const { child } = this;
    child.stderr.on("data", (b) => this.log.push(b.toString()));
    child.ended = new Promise((done) => child.on("close", done));
    for (let i = 0; i < 250; i++) {
      const is = await fetch(`${this.url}/readyz`).catch(() => null);
      if (is?.status === 200 || (is !== null && this.keys.size === 0)) return;
      if (child.exitCode !== null) throw new Error(`gateway ended: ${this.log.join("")}`);
      await rest(80);
    }
  }

  async kill() {
    this.deaths.push(Date.now());
    this.child.kill("SIGKILL");
    await this.child.ended;
  }

  async restart() {
    await this.kill();
    await this.start();
  }

  /** One request, kept with the times around it. */
  async ask(who, method, ...terms) {
    const [path, body, name] = terms;
    const headers = { Authorization: `Bearer ${this.keys.get(who).key}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (name !== undefined) headers["Idempotency-Key"] = name;
    const from = Date.now();
    const sent = {
      method,
      headers,
      signal: AbortSignal.timeout(15_000),
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const got = await fetch(this.url + path, sent).catch(() => null);
    const text = got === null ? "" : await got.text().catch(() => "");
    const asOf = got?.headers.get("x-data-as-of");
    const told = { who, method, path, name, body, from, to: Date.now(), status: got?.status ?? 0, value: json(text) };
    told.asOf = asOf ? Date.parse(asOf) : null;
    told.isReplay = got?.headers.get("idempotent-replayed") === "true";
    this.told.push(told);
    return told;
  }

  get(who, path) {
    return this.ask(who, "GET", path);
  }

  post(who, path, name, body = {}) {
    return this.ask(who, "POST", path, body, name);
  }

  follow(who) {
    const stream = { who, events: [], last: null, isOver: false };
    this.streams.push(stream);
    void this.listen(stream);
    return stream;
  }

  async listen(stream) {
    while (!stream.isOver) {
      stream.abort = new AbortController();
      const headers = { Authorization: `Bearer ${this.keys.get(stream.who).key}` };
      if (stream.last !== null) headers["Last-Event-ID"] = stream.last;
      try {
        const got = await fetch(`${this.url}/v1/events`, { headers, signal: stream.abort.signal });
        let waiting = "";
        for await (const bytes of got.body) {
          const parts = (waiting + Buffer.from(bytes).toString()).split("\n\n");
          waiting = parts.pop();
          for (const part of parts) heard(stream, part);
        }
      } catch {
        // It comes back below.
      }
      await rest(200);
    }
  }

  async end() {
    for (const stream of this.streams) {
      stream.isOver = true;
      stream.abort?.abort();
    }
    if (this.child !== null && this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGKILL");
      await this.child.ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export const usual = () => first;

function heard(stream, part) {
  const lines = part.split("\n");
  const of = (name) => lines.find((l) => l.startsWith(`${name}: `))?.slice(name.length + 2);
  if (of("id") !== undefined) stream.last = of("id");
  if (of("event") !== undefined)
    stream.events.push({ to: Date.now(), type: of("event"), id: of("id"), value: json(of("data") ?? "") });
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function sign({ domain, types, primaryType, message }) {
  const { EIP712Domain: _, ...rest } = types;
  return OWNER.signTypedData({ domain, types: rest, primaryType, message });
}
