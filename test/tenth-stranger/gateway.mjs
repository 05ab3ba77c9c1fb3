// The executable as its owner, its operator and its clients meet it.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

export const proposed = {
  may: "increase,reduce,modify,cancel",
  markets: "BTC,ETH",
  max_order: "5000 USD",
  max_position: "20000 USD",
  max_exposure: "40000 USD",
  max_turnover_per_day: "200000 USD",
  max_loss_per_day: "5000 USD",
  max_actions_per_day: "2000",
  max_distance: "5 %",
  max_stop_distance: "10 %",
  max_leverage: "any",
  max_open_orders: "40",
  touches: "own",
  sources: "any",
};

export class Gateway {
  events = [];
  answers = [];

  constructor(binary, exchange, settings = {}) {
    this.binary = binary;
    this.exchange = exchange;
    this.settings = settings;
    this.owner = settings.owner ?? privateKeyToAccount(generatePrivateKey());
    this.directory = mkdtempSync(join(tmpdir(), "tenth-"));
    this.data = join(this.directory, "data");
    this.passphrase = join(this.directory, "passphrase");
    writeFileSync(this.passphrase, "correct-horse-battery-staple-94-tenth-stranger\n", { mode: 0o600 });
  }

  cli(...words) {
    const args = [...words, "--data-dir", this.data];
    return new Promise((resolve) =>
      execFile(
        this.binary,
        args,
        {
          timeout: 120_000,
          env: {
            ...process.env,
            POSTERN_PASSPHRASE_FILE: this.passphrase,
            ...(this.listen ? { POSTERN_LISTEN: this.listen } : {}),
          },
        },
        (error, out, err) => resolve({ code: error ? (error.code ?? 1) : 0, out, err }),
      ),
    );
  }

  async json(...words) {
    const { code, out, err } = await this.cli(...words, "--json");
    try {
      return { code, ...JSON.parse(out) };
    } catch {
      return { code, out, err };
    }
  }

  async setUp() {
    const made = await this.json(
      "init",
      "--network",
      "paper",
      "--owner",
      this.owner.address,
      "--exchange-url",
      this.exchange.url,
      "--passphrase-file",
      this.passphrase,
    );
    if (made.code !== 0) throw new Error(`init: ${JSON.stringify(made)}`);
    this.account = made.account ?? made.account_id ?? made.id;
    this.port = await freePort();
    this.metricsPort = await freePort();
    this.listen = `127.0.0.1:${this.port}`;
    this.url = `http://${this.listen}`;
    await this.start();
    await this.approveAgent();
  }

  async start(more = {}) {
    const env = {
      ...process.env,
      POSTERN_LISTEN: this.listen,
      POSTERN_METRICS_LISTEN: `127.0.0.1:${this.metricsPort}`,
      POSTERN_PASSPHRASE_FILE: this.passphrase,
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_WRITES: "0",
      POSTERN_LIMIT_READS: "0",
      POSTERN_LIMIT_CANCELS: "0",
      POSTERN_LIMIT_FAILED_REGISTRATIONS: "0",
      POSTERN_LIMIT_FAILED_AUTHENTICATIONS: "0",
      ...this.settings.env,
      ...more,
    };
    this.process = spawn(this.binary, ["serve", "--data-dir", this.data], { env, stdio: ["ignore", "pipe", "pipe"] });
    process.once("exit", () => this.process.kill("SIGKILL"));
    const log = createWriteStream(join(this.directory, "log"), { flags: "a" });
    this.process.stdout.pipe(log);
    this.process.stderr.pipe(log);
    for (let n = 0; n < 600; n += 1) {
      const ok = await fetch(`${this.url}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (ok) return;
      await sleep(100);
    }
    throw new Error("the gateway does not start");
  }

  kill(signal = "SIGKILL") {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill(signal);
    return ended;
  }

  async end() {
    this.stopped = true;
    if (this.process.exitCode === null) await this.kill();
    if (!process.env.TENTH_KEEP) rmSync(this.directory, { recursive: true, force: true });
  }

  async approveAgent() {
    const asked = await this.json("agent", "approval");
    const data = asked.typed_data ?? asked.typedData ?? asked.approval ?? asked;
    const { EIP712Domain: _, ...types } = data.types;
    const signature = await this.owner.signTypedData({
      domain: data.domain,
      types,
      primaryType: data.primaryType ?? data.primary_type,
      message: data.message,
    });
    const approved = await this.json("agent", "approve", "--signature", signature);
    if (approved.code !== 0) throw new Error(`approve: ${JSON.stringify(approved)}`);
  }

  async typed() {
    this.typedData ??= await (await fetch(`${this.url}/v1/api-keys/typed-data`)).json();
    return this.typedData;
  }

  async sign(primaryType, message, signer = this.owner) {
    const { audience, domain, types } = await this.typed();
    return signer.signTypedData({
      domain,
      types: { [primaryType]: types[primaryType] },
      primaryType,
      message: { audience, ...message },
    });
  }

  async post(path, body, headers = {}) {
    const answer = await fetch(this.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json(), headers: answer.headers };
  }

  async plain(scopes = ["trading:read", "trading:write"]) {
    const key = new Client(this);
    const issued = Date.now();
    const network = "exchange_mainnet";
    const signature = await this.sign("ApiKeyGrant", {
      account: this.account,
      network,
      keyHash: `0x${key.hash}`,
      scopes: scopes.join(","),
      issuedAt: BigInt(issued),
      expiresAt: 0n,
    });
    const answer = await this.post("/v1/api-keys", {
      consent: { account: this.account, network, key_hash: key.hash, policy: { scopes }, issued_at: issued },
      signature,
    });
    key.registered = answer;
    return key;
  }

  grantOf(key, bot, rails = {}, more = {}) {
    const now = Date.now();
    return {
      account: this.account,
      network: "paper",
      owner: this.owner.address.toLowerCase(),
      trading_address: this.owner.address.toLowerCase(),
      key_hash: key.hash,
      scopes: "trading:read,trading:write",
      bot,
      ...proposed,
      ...rails,
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 30 * 864e5).toISOString(),
      ...more,
    };
  }

  async signGrant(grant, signer) {
    const camel = Object.fromEntries(
      Object.entries(grant).map(([name, value]) => [
        name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
        value,
      ]),
    );
    const hash =
      (await this.typed()).types.LimitedKeyGrant.find((item) => item.name === "keyHash").type === "bytes32"
        ? `0x${grant.key_hash}`
        : grant.key_hash;
    return this.sign("LimitedKeyGrant", { ...camel, keyHash: hash }, signer);
  }

  async bot(name, rails = {}, more = {}) {
    const key = new Client(this);
    const grant = this.grantOf(key, name, rails, more);
    key.grant = grant;
    key.registered = await this.post("/v1/api-keys/limited", { grant, signature: await this.signGrant(grant) });
    return key;
  }

  async metrics() {
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();
  }

  // Follows the events of a key's account for as long as the gateway is meant to run, over restarts.
  async follow(key) {
    let last = "";
    while (!this.stopped) {
      try {
        const answer = await fetch(`${this.url}/v1/events`, {
          headers: { Authorization: `Bearer ${key.secret}`, ...(last ? { "Last-Event-ID": last } : {}) },
        });
        let rest = "";
        for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
          rest += part;
          const blocks = rest.split("\n\n");
          rest = blocks.pop();
          for (const block of blocks) {
            const id = block.match(/^id: ?(.*)$/m)?.[1];
            const type = block.match(/^event: ?(.*)$/m)?.[1];
            const data = block.match(/^data: ?(.*)$/m)?.[1];
            if (id) last = id;
            if (type) this.events.push({ at: Date.now(), type, data: data ? JSON.parse(data) : null });
          }
        }
      } catch {}
      await sleep(200);
    }
  }
}

let names = 0;
export class Client {
  constructor(gateway) {
    this.gateway = gateway;
    this.secret = `api_trade_${randomBytes(32).toString("hex")}`;
    this.hash = createHash("sha256").update(this.secret).digest("hex");
  }

  async ask(method, path, body, name) {
    names += 1;
    const headers = { Authorization: `Bearer ${this.secret}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method === "POST" && name !== null) headers["Idempotency-Key"] = name ?? `tenth-${process.pid}-${names}`;
    const started = Date.now();
    const answer = await fetch(this.gateway.url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    const result = {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith("{") ? JSON.parse(text) : text,
      ms: Date.now() - started,
    };
    this.gateway.answers.push({ at: Date.now(), method, path, sent: body, status: result.status, body: result.body });
    return result;
  }

  get = (path) => this.ask("GET", path);
  post = (path, body, name) => this.ask("POST", path, body, name);
  put = (path, body) => this.ask("PUT", path, body);

  order(market, side, ...[size, price, more = {}, name]) {
    return this.post("/v1/orders", { account: this.gateway.account, market, side, size, price, ...more }, name);
  }

  stopLoss(market, side, ...[size, trigger, price]) {
    return this.order(market, side, size, price, {
      reduce_only: true,
      trigger: { kind: "stop_loss", price: trigger, market: true },
    });
  }

  trade(market, side, ...[size, price, stop, more = {}]) {
    return this.post("/v1/trades", {
      account: this.gateway.account,
      market,
      side,
      size,
      entry: { price },
      stop_loss: { trigger_price: stop },
      ...more,
    });
  }
}
