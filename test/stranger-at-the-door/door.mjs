// The executable behind its door, a temporary directory round it, and an honest client of it.
import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, request as requestHttp } from "node:http";
import { Agent as AgentTls, request as requestHttps } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { sleep, speak, told } from "./raw.mjs";

const run = promisify(execFile);

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

export const newKey = () => {
  const key = `api_trade_${randomBytes(32).toString("hex")}`;
  return { key, hash: createHash("sha256").update(key).digest("hex") };
};

export const makeCertificate = (directory, name) => {
  const [key, certificate] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", certificate], {
    stdio: "ignore",
  });
  return { key, certificate };
};

let addressCount = 0;
/** An address of this machine that nobody has come from yet: failures are counted by address. */
export const newAddress = () => {
  addressCount += 1;
  return `127.7.${Math.floor(addressCount / 250)}.${(addressCount % 250) + 1}`;
};

export class Door {
  constructor({ binary, isTls = false, settings = {}, uid = null, args = [] }) {
    Object.assign(this, { binary, isTls, settings, uid, args });
    this.home = mkdtempSync(join(tmpdir(), "postern-door-"));
    // Nothing but the data directory's own mode may keep others out of it.
    chmodSync(this.home, 0o755);
    mkdirSync(join(this.home, "work"));
    this.directory = join(this.home, "data");
    if (uid !== null) chownSync(this.home, uid, uid);
    this.log = "";
  }

  async start() {
    this.port = await freePort();
    this.exchangePort = await freePort();
    const args = ["serve", "--paper", "--json", "--listen", `127.0.0.1:${this.port}`];
    args.push("--paper-listen", `127.0.0.1:${this.exchangePort}`, ...this.args);
    if (this.isTls) {
      this.files = makeCertificate(this.home, "first");
      args.push("--tls-certificate", this.files.certificate, "--tls-key", this.files.key);
    }
    const identity = this.uid === null ? {} : { uid: this.uid, gid: this.uid };
    const umask = process.umask(0);
    this.child = spawn(this.binary, args, {
      ...identity,
      env: { PATH: process.env.PATH, HOME: this.home, POSTERN_DATA_DIR: this.directory, ...this.settings },
      cwd: join(this.home, "work"),
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.umask(umask);
    this.pid = this.child.pid;
    this.exited = new Promise((resolve) => this.child.on("exit", resolve));
    this.child.stderr.on("data", (part) => {
      this.log += part.toString("utf8");
    });
    const first = await new Promise((resolve, reject) => {
      let text = "";
      this.child.stdout.on("data", (part) => {
        text += part;
        if (text.includes("\n")) resolve(JSON.parse(text.split("\n")[0]));
      });
      this.child.on("exit", () => reject(new Error(`no start: ${this.log.slice(-600)}`)));
    });
    Object.assign(this, { account: first.account, key: first.api_key, base: first.base_url });
    this.demo = JSON.parse(readFileSync(join(this.directory, "demo.json"), "utf8"));
    this.owner = new Wallet(this.demo.ownerPrivateKey);
    this.host = `127.0.0.1:${this.port}`;
    const options = { keepAlive: true, maxSockets: 8, rejectUnauthorized: false };
    this.agent = this.isTls ? new AgentTls(options) : new Agent(options);
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await this.ask("GET", "/readyz")).status === 200) return this;
      await sleep(50);
    }
    throw new Error("never ready");
  }

  async stop() {
    this.agent?.destroy();
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.exited;
    rmSync(this.home, { recursive: true, force: true });
  }

  get isAlive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async command(...args) {
    const { stdout } = await run(this.binary, [...args, "--json"], {
      env: { PATH: process.env.PATH, HOME: this.home, POSTERN_DATA_DIR: this.directory },
      cwd: join(this.home, "work"),
    });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  }

  /** The head of a request as a thief would write it; `headers` are whole lines. */
  head(method, target, headers = []) {
    return `${method} ${target} HTTP/1.1\r\nHost: ${this.host}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
  }

  /** Raw bytes, from an address of their own unless told otherwise. */
  speak(pieces, options = {}) {
    return speak({ port: this.port, isTls: this.isTls, from: options.from ?? newAddress() }, pieces, options);
  }

  /** An honest request over a connection that is kept. */
  ask(method, path, { key = this.key, headers = {}, body, id, from, agent = this.agent, timeoutMs = 20_000 } = {}) {
    const all = { Host: this.host, ...headers };
    if (key !== null) all.Authorization ??= `Bearer ${key}`;
    if (id !== undefined) all["Idempotency-Key"] = id;
    const bytes = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    if (bytes !== undefined) {
      all["Content-Type"] ??= "application/json";
      all["Content-Length"] ??= Buffer.byteLength(bytes);
    }
    const options = { host: "127.0.0.1", port: this.port, method, path, headers: all, localAddress: from };
    options.agent = from === undefined ? agent : undefined;
    options.rejectUnauthorized = false;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const request = (this.isTls ? requestHttps : requestHttp)(options, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", () => {});
        response.on("close", () => {
          const text = Buffer.concat(parts).toString("utf8");
          told.push(text.slice(0, 20_000));
          let json = null;
          try {
            json = JSON.parse(text);
          } catch {}
          const code = json?.error?.code ?? null;
          const ms = performance.now() - startedAt;
          resolve({ status: response.statusCode, headers: response.headers, text, json, code, ms });
        });
      });
      request.setTimeout(timeoutMs, () => request.destroy());
      request.on("error", (error) =>
        resolve({ status: 0, headers: {}, text: "", json: null, code: error.code, ms: 0 }),
      );
      request.end(bytes);
    });
  }

  /** An order that rests: far below the market, small. */
  orderBody(more = {}) {
    return { account: this.account, market: "BTC", side: "buy", size: "0.001", price: "30000", ...more };
  }

  order(id, more = {}, options = {}) {
    return this.ask("POST", "/v1/orders", { body: this.orderBody(more), id, ...options });
  }

  /** How many orders the exchange itself knows of the account: what was really done. */
  async executedCount() {
    const info = async (type) => {
      const response = await fetch(`http://127.0.0.1:${this.exchangePort}/info`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ type, user: this.owner.address }),
      });
      return response.json();
    };
    const history = await info("historicalOrders");
    return new Set(history.map((entry) => entry.order.oid)).size;
  }

  /** Nanoseconds of processor that the process has used, all its threads. */
  cpuNs() {
    let sum = 0;
    for (const task of readdirSync(`/proc/${this.pid}/task`)) {
      try {
        sum += Number(readFileSync(`/proc/${this.pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
      } catch {}
    }
    return sum;
  }

  residentMib() {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))[1]) / 1024;
  }

  /** Grants an own key by the owner's signature. */
  async grant({ scopes = ["trading:read", "trading:write"], change = {}, sign = {} } = {}) {
    const { key, hash } = newKey();
    const body = await signGrant(this, { hash, scopes, change, sign });
    const answer = await this.ask("POST", "/v1/api-keys", { key: null, body, from: newAddress() });
    return { key, hash, body, answer };
  }

  async revocation(hash, { audience = `paper+${this.base}`, account = this.account, owner = this.owner } = {}) {
    const types = { ApiKeyRevocation: REVOCATION };
    const message = { audience, account, keyHash: `0x${hash}` };
    const signature = await owner.signTypedData({ name: "Postern", version: "1" }, types, message);
    return { account, key_hash: hash, signature };
  }

  revoke(body) {
    return this.ask("POST", "/v1/api-keys/revoke", { key: null, body, from: newAddress() });
  }
}

const field = (name, type) => ({ name, type });
export const GRANT = [
  field("audience", "string"),
  field("account", "string"),
  field("network", "string"),
  field("keyHash", "bytes32"),
  field("scopes", "string"),
  field("issuedAt", "uint64"),
  field("expiresAt", "uint64"),
];
export const REVOCATION = [field("audience", "string"), field("account", "string"), field("keyHash", "bytes32")];

/**
 * A grant. `change` goes into the body alone, after the signature; `sign` into what is signed: `domain`, `message`,
 * `types`, `owner`.
 */
export const signGrant = async (door, { hash, scopes, change = {}, sign = {} }) => {
  const issuedAt = sign.issuedAt ?? Date.now();
  const message = {
    audience: `paper+${door.base}`,
    account: door.account,
    network: "exchange_mainnet",
    keyHash: `0x${hash}`,
    scopes: scopes.join(","),
    issuedAt,
    expiresAt: 0,
    ...sign.message,
  };
  const owner = sign.owner ?? door.owner;
  const domain = { name: "Postern", version: "1", ...sign.domain };
  const signature = await owner.signTypedData(domain, sign.types ?? { ApiKeyGrant: GRANT }, message);
  const consent = {
    account: door.account,
    network: "exchange_mainnet",
    key_hash: hash,
    policy: { scopes },
    issued_at: issuedAt,
    expires_at: null,
    ...change,
  };
  return { consent, signature };
};
