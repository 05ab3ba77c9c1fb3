// The executable under trial, and a client that keeps every word that it was told.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Wallet } from "ethers";

const run = promisify(execFile);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Below those that systems give to whoever connects: while the gateway is dead nobody else comes by its port. */
export const freePort = async () => {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
};

export const newOwner = () => new Wallet(`0x${randomBytes(32).toString("hex")}`);

export class Gateway {
  constructor({ binary, owner, exchangeUrl, settings = {}, keep = null }) {
    Object.assign(this, { binary, owner, exchangeUrl, settings, keep });
    this.home = mkdtempSync(join(tmpdir(), "postern-stranger-"));
    this.dir = join(this.home, "data");
    mkdirSync(join(this.home, "work"));
    this.passphraseFile = join(this.home, "passphrase");
    writeFileSync(this.passphraseFile, "a stranger passes by", { mode: 0o600 });
    this.statements = [];
  }

  environment() {
    const { PATH, HOME } = process.env;
    return { PATH, HOME, ...this.settings, POSTERN_DATA_DIR: this.dir, POSTERN_PASSPHRASE_FILE: this.passphraseFile };
  }

  async command(...args) {
    const { stdout } = await run(this.binary, [...args, "--json"], {
      env: this.environment(),
      cwd: join(this.home, "work"),
    });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  }

  async init() {
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.initialised = await this.command(
      "init",
      "--network",
      "paper",
      "--exchange-url",
      this.exchangeUrl,
      "--owner",
      this.owner.address,
    );
    const approval = await this.command("agent", "approval");
    const typed = approval.typed_data ?? approval;
    const types = { [typed.primaryType]: typed.types[typed.primaryType] };
    const signature = await this.owner.signTypedData(typed.domain, types, typed.message);
    const nonce = approval.nonce ?? typed.message.nonce;
    const args = ["agent", "approve", "--signature", signature];
    if (nonce !== undefined) args.push("--nonce", String(nonce));
    await this.command(...args);
  }

  async start() {
    this.log = createWriteStream(join(this.home, "log.jsonl"), { flags: "a" });
    this.child = spawn(this.binary, ["serve", "--listen", `127.0.0.1:${this.port}`], {
      env: this.environment(),
      cwd: join(this.home, "work"),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.child.stderr.pipe(this.log);
    this.exited = new Promise((resolve) => this.child.on("exit", resolve));
  }

  async ready(withinMs = 25_000) {
    const end = Date.now() + withinMs;
    while (Date.now() < end) {
      const response = await fetch(`${this.url}/readyz`).catch(() => null);
      if (response?.status === 200) return true;
      await response?.text();
      await sleep(100);
    }
    return false;
  }

  async kill(signal = "SIGKILL") {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await this.exited;
  }

  async register() {
    const typed = await (await fetch(`${this.url}/v1/api-keys/typed-data`)).json();
    this.account = this.initialised.account?.id ?? this.initialised.account ?? this.initialised.account_id;
    this.apiKey = `api_trade_${randomBytes(32).toString("hex")}`;
    const keyHash = createHash("sha256").update(this.apiKey).digest("hex");
    const issuedAt = Date.now();
    const scopes = ["trading:read", "trading:write"];
    const signature = await this.owner.signTypedData(
      typed.domain,
      { ApiKeyGrant: typed.types.ApiKeyGrant },
      {
        audience: typed.audience,
        account: this.account,
        network: "exchange_mainnet",
        keyHash: `0x${keyHash}`,
        scopes: scopes.join(","),
        issuedAt,
        expiresAt: 0,
      },
    );
    const response = await fetch(`${this.url}/v1/api-keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        consent: {
          account: this.account,
          network: "exchange_mainnet",
          key_hash: keyHash,
          policy: { scopes },
          issued_at: issuedAt,
        },
        signature,
      }),
    });
    if (response.status !== 201) throw new Error(`key: ${response.status} ${await response.text()}`);
  }

  /** One request; what came back is kept as a statement. */
  async ask(method, path, { key = null, body, timeoutMs = 20_000 } = {}) {
    const headers = { Authorization: `Bearer ${this.apiKey}` };
    if (key) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const statement = { kind: "answer", method, path, key, request: body, t0: Date.now() };
    try {
      const response = await fetch(this.url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      statement.http = response.status;
      statement.isReplay = response.headers.get("Idempotent-Replayed") === "true";
      statement.asOf = response.headers.get("X-Data-As-Of");
      const text = await response.text();
      statement.text = text;
      statement.body = text ? JSON.parse(text) : null;
    } catch (error) {
      statement.http = 0;
      statement.fault = String(error.cause?.code ?? error.name);
    }
    statement.t1 = Date.now();
    this.statements.push(statement);
    return statement;
  }

  /** Follows `/v1/events` until the scene ends, across restarts. */
  follow() {
    this.following = { isOn: true, last: "0", controller: null };
    const { following } = this;
    const loop = async () => {
      while (following.isOn) {
        following.controller = new AbortController();
        try {
          const response = await fetch(`${this.url}/v1/events?after=${following.last}`, {
            headers: {
              Authorization: `Bearer ${this.apiKey}`,
              ...(following.last === "0" ? {} : { "Last-Event-ID": following.last }),
            },
            signal: following.controller.signal,
          });
          let rest = "";
          const decoder = new TextDecoder();
          for await (const chunk of response.body) {
            rest += decoder.decode(chunk, { stream: true });
            const blocks = rest.split("\n\n");
            rest = blocks.pop();
            for (const block of blocks) this.heard(block);
          }
        } catch {}
        if (following.isOn) await sleep(200);
      }
    };
    following.done = loop();
  }

  heard(block) {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (id) this.following.last = id;
    if (!data) return;
    const body = JSON.parse(data);
    const t = Date.now();
    this.statements.push({
      kind: "event",
      method: "EVENT",
      path: body.type ?? "",
      t0: t,
      t1: t,
      http: 200,
      body: body.data ?? body,
      event: body,
    });
  }

  async stop() {
    if (this.following) {
      this.following.isOn = false;
      this.following.controller?.abort();
    }
    await this.kill();
    this.log?.end();
    if (this.keep) console.error(`kept: ${this.home}`);
    else rmSync(this.home, { recursive: true, force: true });
  }
}
