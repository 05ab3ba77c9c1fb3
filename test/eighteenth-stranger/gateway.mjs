import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { privateKeyToAccount } from "viem/accounts";

const BINARY = process.env.POSTERN_BINARY ?? fileURLToPath(new URL("../../dist/postern", import.meta.url));
const OWNER = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

const ready = { directory: null };

function environment(more) {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, POSTERN_DEXES: "xyz,abc", ...more };
}

/** The executable, set up as an operator would, with a client of each account. */
export class Gateway {
  constructor({ env = {} } = {}) {
    this.directory = mkdtempSync(join(tmpdir(), "eighteenth-"));
    this.data = join(this.directory, "data");
    this.pass = join(this.directory, "pass");
    this.env = env;
    this.owner = OWNER.address.toLowerCase();
    this.log = [];
    this.child = null;
    this.told = [];
    this.accounts = new Map();
    this.streams = [];
  }

  /** A command, beside an exchange of this same process, which has to go on answering. */
  async command(...words) {
    const child = spawn(BINARY, [...words, "--data-dir", this.data, "--json"], {
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let bad = "";
    child.stdout.on("data", (b) => (out += b));
    child.stderr.on("data", (b) => (bad += b));
    const code = await new Promise((done) => child.on("close", done));
    if (code !== 0) throw new Error(`${words.join(" ")}: ${out}${bad}`);
    return JSON.parse(out.trim().split("\n").at(-1));
  }

  /** Sets up once a run; every further scene begins with a copy, at the same ports. */
  async setUp(exchange, subs) {
    exchange.master = this.owner;
    if (ready.directory === null) {
      ready.directory = mkdtempSync(join(tmpdir(), "eighteenth-"));
      process.on("exit", () => rmSync(ready.directory, { recursive: true, force: true }));
      await this.setUpFirst(exchange, subs);
      await this.kill();
      cpSync(this.directory, ready.directory, { recursive: true, filter: (path) => !path.endsWith(".sock") });
      Object.assign(ready, { port: this.port, accounts: this.accounts, agents: exchange.engine.agents });
    } else {
      cpSync(ready.directory, this.directory, { recursive: true });
      Object.assign(this, { port: ready.port, url: `http://127.0.0.1:${ready.port}`, accounts: ready.accounts });
      exchange.engine.agents = ready.agents;
    }
    this.environment = () => environment(this.env);
    await this.start();
  }

  environment() {
    return environment({});
  }

  async setUpFirst(exchange, subs) {
    const { passphrase } = await this.passphrase();
    writeFileSync(this.pass, passphrase, { mode: 0o600 });
    const sealed = ["--passphrase-file", this.pass];
    const made = await this.command(
      "init",
      "--network",
      "testnet",
      "--owner",
      this.owner,
      "--exchange-url",
      exchange.url,
      "--unofficial-exchange",
      ...sealed,
    );
    this.accounts.set("main", { id: made.account });
    for (const [label, address] of subs) {
      const sub = await this.command(
        "account",
        "add",
        "--label",
        label,
        "--kind",
        "subaccount",
        "--address",
        address,
        "--parent",
        made.account,
        ...sealed,
      );
      this.accounts.set(label, { id: sub.account ?? sub.id });
    }
    const wanted = await this.command("agent", "approval");
    const signature = await sign(wanted.typed_data);
    const more = wanted.valid_until_ms === null ? [] : ["--valid-until", String(wanted.valid_until_ms)];
    await this.command(
      "agent",
      "approve",
      "--agent",
      wanted.agent,
      "--signature",
      signature,
      "--nonce",
      String(wanted.nonce),
      ...more,
      ...sealed,
    );
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    await this.start();
    for (const account of this.accounts.values()) await this.grant(account);
  }

  async passphrase() {
    const done = spawnSync(BINARY, ["passphrase", "new", "--json"], { encoding: "utf8", env: this.environment() });
    return JSON.parse(done.stdout);
  }

  async start() {
    const words = [
      "serve",
      "--listen",
      `127.0.0.1:${this.port}`,
      "--passphrase-file",
      this.pass,
      "--data-dir",
      this.data,
    ];
    this.child = spawn(BINARY, words, { env: this.environment(), stdio: ["ignore", "ignore", "pipe"] });
    this.child.stderr.on("data", (b) => this.log.push(b.toString()));
    const { child } = this;
    child.ended = new Promise((done) => child.on("close", done));
    for (let i = 0; i < 200; i++) {
      const is = await fetch(`${this.url}/readyz`).catch(() => null);
      if (is?.status === 200 || (is !== null && this.accounts.get("main").key === undefined)) return;
      if (child.exitCode !== null) throw new Error(`gateway ended: ${this.log.join("")}`);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.child.ended;
  }

  async grant(account) {
    const made = await this.command("key", "new");
    const grant = await this.command(
      "key",
      "grant",
      "--key-hash",
      made.key_hash,
      "--account",
      account.id,
      "--listen",
      `127.0.0.1:${this.port}`,
    );
    const signature = await sign(grant.typed_data);
    const about = ["--key-hash", made.key_hash, "--account", account.id, "--issued-at", String(grant.issued_at)];
    await this.command("key", "register", ...about, "--signature", signature, "--listen", `127.0.0.1:${this.port}`);
    account.key = made.api_key;
    account.hash = made.key_hash;
  }

  /** One request; keeps what was told, with the times around it. */
  async ask(method, path, { body, name, who = "main", timeout = 15_000 } = {}) {
    const account = this.accounts.get(who);
    const headers = { Authorization: `Bearer ${account.key}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (name !== undefined) headers["Idempotency-Key"] = name;
    const from = Date.now();
    const sent = {
      method,
      headers,
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const got = await fetch(this.url + path, sent).catch((error) => ({ status: 0, error }));
    const text = got.status === 0 ? "" : await got.text().catch(() => "");
    const value = parse(text);
    const asOf = got.status === 0 ? null : got.headers.get("X-Data-As-Of");
    const told = {
      method,
      path,
      name,
      who,
      from,
      to: Date.now(),
      status: got.status,
      value,
      text,
      asOf: asOf === null ? null : Date.parse(asOf),
      headers: got.headers,
    };
    this.told.push(told);
    return told;
  }

  get(path, who) {
    return this.ask("GET", path, { who });
  }

  post(path, name, body, who) {
    return this.ask("POST", path, { name, body, who });
  }

  place(name, order, who = "main") {
    return this.post("/v1/orders", name, { account: this.accounts.get(who).id, ...order }, who);
  }

  /** Follows the events of an account over broken connections, for as long as the scene runs. */
  follow(who = "main") {
    const stream = { who, events: [], last: null, isOver: false };
    this.streams.push(stream);
    void this.read(stream);
    return stream;
  }

  async read(stream) {
    while (!stream.isOver) {
      const headers = {
        Authorization: `Bearer ${this.accounts.get(stream.who).key}`,
        ...(stream.last === null ? {} : { "Last-Event-ID": stream.last }),
      };
      stream.abort = new AbortController();
      try {
        const got = await fetch(`${this.url}/v1/events`, { headers, signal: stream.abort.signal });
        let rest = "";
        for await (const bytes of got.body) {
          const parts = (rest + Buffer.from(bytes).toString()).split("\n\n");
          rest = parts.pop();
          for (const part of parts) take(stream, part);
        }
      } catch {
        // Comes back below.
      }
      await new Promise((done) => setTimeout(done, 300));
    }
  }

  async end() {
    for (const stream of this.streams) {
      stream.isOver = true;
      stream.abort?.abort();
    }
    if (this.child !== null && this.child.exitCode === null) {
      this.child.kill("SIGKILL");
      await this.child.ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function take(stream, part) {
  const lines = part.split("\n");
  const id = lines.find((l) => l.startsWith("id: "))?.slice(4);
  const type = lines.find((l) => l.startsWith("event: "))?.slice(7);
  const data = lines.find((l) => l.startsWith("data: "))?.slice(6);
  if (id !== undefined) stream.last = id;
  if (type !== undefined) stream.events.push({ at: Date.now(), type, id, event: parse(data ?? "null") });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function sign(typed) {
  const { EIP712Domain: _, ...types } = typed.types;
  return OWNER.signTypedData({
    domain: typed.domain,
    types,
    primaryType: typed.primaryType,
    message: typed.message,
  });
}
