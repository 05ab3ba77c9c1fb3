// The executable as its owner meets it: set up, started, killed, asked; all that it tells is kept with its time.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { privateKeyToAccount } from "viem/accounts";

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

export class Gateway {
  constructor(binary, exchangeUrl, owner, env = {}) {
    Object.assign(this, { binary, exchangeUrl, env, told: [], events: [], number: 0 });
    this.owner = owner ?? privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`);
    this.home = mkdtempSync(join(tmpdir(), "twelfth-"));
    this.data = join(this.home, "data");
    this.pass = join(this.home, "passphrase");
    writeFileSync(this.pass, "paper-passphrase-twelve", { mode: 0o600 });
  }

  command(...args) {
    const run = promisify(execFile)(this.binary, [...args, "--data-dir", this.data], {
      encoding: "utf8",
      env: { ...process.env, ...this.env },
    });
    return run.then(({ stdout }) => stdout);
  }

  async init() {
    const text = await this.command(
      "init",
      "--network",
      "paper",
      "--owner",
      this.owner.address,
      "--exchange-url",
      this.exchangeUrl,
      "--passphrase-file",
      this.pass,
      "--json",
    );
    this.made = JSON.parse(text);
    return this.made;
  }

  async approve() {
    const typed = JSON.parse(await this.command("agent", "approval", "--json"));
    const data = typed.typed_data ?? typed;
    const { EIP712Domain: _, ...types } = data.types;
    const signature = await this.owner.signTypedData({
      domain: data.domain,
      types,
      primaryType: data.primaryType,
      message: data.message,
    });
    await this.command(
      "agent",
      "approve",
      "--agent",
      this.made.agent,
      "--signature",
      signature,
      "--passphrase-file",
      this.pass,
      "--json",
    );
  }

  /** After a restore another agent trades; the exchange learns of it. */
  async approveNew(venue) {
    const made = JSON.parse(
      await this.command("agent", "new", "--passphrase-file", this.pass, "--json").catch(
        (error) => `{"error":${JSON.stringify(String(error.stderr ?? error))}}`,
      ),
    );
    if (made.error) return console.log("  ", made.error.slice(0, 300));
    this.made = { ...this.made, agent: made.agent ?? made.address };
    venue.agent = this.made.agent.toLowerCase();
    venue.agentName = made.agent_name ?? made.name;
    return this.approve();
  }

  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const file = join(this.home, "log");
    const log = createWriteStream(file, { flags: "a" });
    this.process = spawn(
      this.binary,
      ["serve", "--listen", `127.0.0.1:${this.port}`, "--data-dir", this.data, "--passphrase-file", this.pass],
      { env: { ...process.env, ...this.env }, stdio: ["ignore", "ignore", "pipe"] },
    );
    this.process.stderr.pipe(log);
    this.logFile = file;
    for (let i = 0; i < 200; i++) {
      const health = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (health?.status === 200) return true;
      await pause(150);
    }
    return false;
  }

  async kill() {
    const gone = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await gone;
    this.listening?.abort();
  }

  async key(account) {
    const apiKey = `api_trade_${randomBytes(32).toString("hex")}`;
    const keyHash = createHash("sha256").update(apiKey).digest("hex");
    const { audience, domain, types } = await (await fetch(`${this.url}/v1/api-keys/typed-data`)).json();
    const issuedAt = Date.now() + Math.min(0, 1000 * Number(this.env.FAKETIME?.slice(0, -1) ?? 0));
    const scopes = ["trading:read", "trading:write"];
    const message = {
      audience,
      account,
      network: "exchange_mainnet",
      keyHash: `0x${keyHash}`,
      scopes: scopes.join(","),
      issuedAt: BigInt(issuedAt),
      expiresAt: 0n,
    };
    const signature = await this.owner.signTypedData({
      domain,
      types: { ApiKeyGrant: types.ApiKeyGrant },
      primaryType: "ApiKeyGrant",
      message,
    });
    const consent = {
      account,
      network: "exchange_mainnet",
      key_hash: keyHash,
      policy: { scopes },
      issued_at: issuedAt,
    };
    const answer = await fetch(`${this.url}/v1/api-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ consent, signature }),
    });
    if (answer.status !== 201) throw new Error(`key: ${await answer.text()}`);
    this.account = account;
    this.apiKey = apiKey;
    this.keyHash = keyHash;
  }

  /** Asks, waits out 429 and 503 with the same key, and writes down what was told. */
  async ask(method, path, body, { key, tries = 8 } = {}) {
    for (let i = 1; ; i++) {
      const asked = Date.now();
      const headers = {
        authorization: `Bearer ${this.apiKey}`,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(key ? { "idempotency-key": key } : {}),
      };
      const answer = await fetch(`${this.url}${path}`, { method, headers, body: body && JSON.stringify(body) }).catch(
        (error) => ({ status: 0, headers: new Headers(), text: async () => JSON.stringify({ error: String(error) }) }),
      );
      const text = await answer.text();
      const row = {
        asked,
        t: Date.now(),
        method,
        path,
        key,
        status: answer.status,
        asOf: answer.headers.get("x-data-as-of"),
        replayed: answer.headers.get("idempotent-replayed"),
        body: parsed(text),
      };
      this.told.push(row);
      if (![0, 429, 503].includes(row.status) || i >= tries) return row;
      await pause(1000 * Number(answer.headers.get("retry-after") ?? 1));
    }
  }

  get(path, options) {
    return this.ask("GET", path, undefined, options);
  }

  post(path, body, key = `k-${process.pid}-${++this.number}-${randomBytes(3).toString("hex")}`) {
    return this.ask("POST", path, body, { key });
  }

  order(wanted, key) {
    return this.post("/v1/orders", { account: this.account, ...wanted }, key);
  }

  listen() {
    this.listening = new AbortController();
    const read = async () => {
      const headers = {
        authorization: `Bearer ${this.apiKey}`,
        ...(this.lastEvent ? { "last-event-id": this.lastEvent } : {}),
      };
      const answer = await fetch(`${this.url}/v1/events`, { headers, signal: this.listening.signal });
      let rest = "";
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        rest += part;
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) this.event(block);
      }
    };
    read().catch(() => {});
  }

  event(block) {
    const field = (name) =>
      block
        .split("\n")
        .filter((l) => l.startsWith(`${name}:`))
        .map((l) => l.slice(name.length + 1).trim())
        .join("\n");
    if (!field("data")) return;
    if (field("id")) this.lastEvent = field("id");
    this.events.push({ t: Date.now(), id: field("id"), type: field("event"), body: parsed(field("data")) });
  }

  async end() {
    const { exitCode, signalCode } = this.process ?? { exitCode: 0 };
    // One that a scene has killed has no code of its own, and does not end twice.
    if (exitCode === null && signalCode === null) await this.kill();
    if (!process.env.TWELFTH_KEEP) rmSync(this.home, { recursive: true, force: true });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
