// One gateway as its owner and operator meet it, the simulated exchange behind a witness, and the owner's own key.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startWitness } from "./witness.mjs";

const FAKETIME = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"].find(existsSync);
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const hashOf = (text) => createHash("sha256").update(text).digest("hex");

export async function until(what, seconds = 15) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const found = await what();
    if (found) return found;
    await sleep(150);
  }
  return null;
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class World {
  constructor(binary) {
    this.binary = binary;
    this.root = mkdtempSync(join(tmpdir(), "eleventh-"));
    this.data = join(this.root, "data");
    this.passphrase = join(this.root, "passphrase");
    writeFileSync(this.passphrase, "a paper passphrase of the eleventh\n", { mode: 0o600 });
    this.owner = privateKeyToAccount(generatePrivateKey());
    this.offset = null;
    this.settings = {};
  }

  async start({ prices = null, seed = 7, writes = true } = {}) {
    const port = await freePort();
    const args = ["paper", "--listen", `127.0.0.1:${port}`, "--fund", this.owner.address, "--seed", String(seed)];
    if (prices) {
      writeFileSync(join(this.root, "prices"), prices);
      args.push("--prices", join(this.root, "prices"));
    }
    this.exchange = spawn(this.binary, args, { stdio: "ignore" });
    await until(() => fetch(`http://127.0.0.1:${port}/info`, post({ type: "allMids" })).catch(() => null));
    this.witness = await startWitness(`http://127.0.0.1:${port}`);
    this.port = await freePort();
    this.hooksPort = await freePort();
    this.base = `http://127.0.0.1:${this.port}`;
    const made = await this.cli([
      "init",
      "--network",
      "paper",
      "--exchange-url",
      this.witness.url,
      "--owner",
      this.owner.address,
      ...this.secret(),
    ]);
    if (made.code !== 0) throw new Error(made.err);
    this.account = made.json.account;
    await this.approveAgent();
    await this.serve({ writes });
    return this;
  }

  secret() {
    return ["--passphrase-file", this.passphrase];
  }

  async approveAgent() {
    const { json } = await this.cli(["agent", "approval"]);
    const signature = await this.sign(json.typed_data);
    const args = [
      "agent",
      "approve",
      "--agent",
      json.agent,
      "--signature",
      "-",
      "--nonce",
      String(json.nonce),
      ...this.secret(),
    ];
    return this.cli(args, { input: `${signature}\n` });
  }

  sign({ domain, types, primaryType, message }) {
    const { EIP712Domain: _, ...rest } = types;
    return this.owner.signTypedData({ domain, types: rest, primaryType, message });
  }

  environment() {
    const env = { ...process.env, ...this.settings };
    if (this.offset && FAKETIME)
      Object.assign(env, { LD_PRELOAD: FAKETIME, FAKETIME: this.offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" });
    return env;
  }

  async serve({ writes = true, data = this.data, wrap = null } = {}) {
    const args = [
      "serve",
      "--listen",
      `127.0.0.1:${this.port}`,
      "--hooks-listen",
      `127.0.0.1:${this.hooksPort}`,
      "--data-dir",
      data,
      ...this.secret(),
    ];
    const [command, all] = wrap
      ? ["bash", ["-c", `${wrap}; exec "$0" "$@"`, this.binary, ...args]]
      : [this.binary, args];
    this.gateway = spawn(command, all, { stdio: ["ignore", "ignore", "pipe"], env: this.environment() });
    this.log = "";
    this.gateway.stderr.on("data", (chunk) => {
      this.log += chunk;
    });
    this.gateway.gone = new Promise((resolve) => this.gateway.on("exit", (code, signal) => resolve(code ?? signal)));
    const path = writes ? "/readyz" : "/healthz";
    const up = await until(
      () =>
        fetch(this.base + path).then(
          (r) => r.ok,
          () => false,
        ),
      40,
    );
    if (!up && writes) throw new Error(`not ready: ${this.log.slice(-600)}`);
  }

  async stop(signal = "SIGTERM") {
    if (this.gateway.exitCode === null) this.gateway.kill(signal);
    return this.gateway.gone;
  }

  async end() {
    await this.stop("SIGKILL");
    this.witness.close();
    this.exchange.kill("SIGKILL");
    if (!process.env.ELEVENTH_KEEP) rmSync(this.root, { recursive: true, force: true });
  }

  /** Runs one command with `--json`, and kills it after `killMs` where that is said. */
  cli(args, { input = "", data = this.data, killMs = null, signal = "SIGTERM", wrap = null, json = true } = {}) {
    const own = args[0] === "key" && args[1] === "new" ? [] : ["--data-dir", data];
    const all = [...args, ...own, ...(json ? ["--json"] : [])];
    const [command, list] = wrap
      ? ["bash", ["-c", `${wrap}; exec "$0" "$@"`, this.binary, ...all]]
      : [this.binary, all];
    const child = spawn(command, list, { env: this.environment() });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    if (killMs !== null) setTimeout(() => child.kill(signal), killMs);
    return new Promise((resolve) =>
      child.on("close", (code, died) => resolve({ code: code ?? died, out, err, json: parsed(out) })),
    );
  }

  async api(method, path, { key, body, idem, headers = {} } = {}) {
    const all = { ...headers };
    if (key) all.authorization = `Bearer ${key}`;
    if (body) all["content-type"] = "application/json";
    if (idem) all["idempotency-key"] = idem;
    const answer = await fetch(this.base + path, {
      method,
      headers: all,
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await answer.text();
    return { status: answer.status, body: parsed(text) ?? text, headers: answer.headers };
  }

  async typed(primaryType, message) {
    const { body } = await this.api("GET", "/v1/api-keys/typed-data");
    const all = { audience: body.audience, account: this.account, ...message };
    return this.sign({
      domain: body.domain,
      types: { [primaryType]: body.types[primaryType] },
      primaryType,
      message: all,
    });
  }

  async plainKey(scopes = ["trading:read", "trading:write"]) {
    const key = `api_trade_${randomBytes(32).toString("hex")}`;
    const hash = hashOf(key);
    const issuedAt = this.now();
    const message = {
      network: "exchange_mainnet",
      keyHash: `0x${hash}`,
      scopes: scopes.join(","),
      issuedAt: BigInt(issuedAt),
      expiresAt: 0n,
    };
    const signature = await this.typed("ApiKeyGrant", message);
    const consent = {
      account: this.account,
      network: "exchange_mainnet",
      key_hash: hash,
      policy: { scopes },
      issued_at: issuedAt,
    };
    const answer = await this.api("POST", "/v1/api-keys", { body: { consent, signature } });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return { key, hash };
  }

  now() {
    const match = /^([+-]\d+)([hmsd])$/.exec(this.offset ?? "");
    const unit = { h: 3_600_000, m: 60_000, s: 1000, d: 86_400_000 };
    return Date.now() + (match ? Number(match[1]) * unit[match[2]] : 0);
  }

  /** A bot's key with rails: what is not said is what the documents propose. */
  async grant(bot, rails = {}, { key = `api_trade_${randomBytes(32).toString("hex")}`, days = 30 } = {}) {
    const hash = hashOf(key);
    const lines = {
      network: "paper",
      owner: this.owner.address.toLowerCase(),
      trading_address: this.owner.address.toLowerCase(),
      key_hash: hash,
      scopes: "trading:read,trading:write",
      bot,
      may: "increase,reduce,modify,cancel",
      markets: "BTC,ETH",
      max_order: "500 USD",
      max_position: "1000 USD",
      max_exposure: "1500 USD",
      max_turnover_per_day: "5000 USD",
      max_loss_per_day: "50 USD",
      max_actions_per_day: "2000",
      max_distance: "2 %",
      max_stop_distance: "10 %",
      max_leverage: "any",
      max_open_orders: "40",
      touches: "own",
      sources: "any",
      issued_at: new Date(this.now()).toISOString(),
      expires_at: new Date(this.now() + days * 86_400_000).toISOString(),
      ...rails,
    };
    const message = Object.fromEntries(
      Object.entries(lines).map(([name, value]) => [name.replace(/_(.)/g, (_, c) => c.toUpperCase()), value]),
    );
    const signature = await this.typed("LimitedKeyGrant", message);
    const answer = await this.api("POST", "/v1/api-keys/limited", {
      body: { grant: { account: this.account, ...lines }, signature },
    });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return { key, hash };
  }

  async tool(key, name, args = {}) {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const { body: answer } = await this.api("POST", "/mcp", {
      key,
      body,
      headers: { accept: "application/json, text/event-stream" },
    });
    return answer.result?.structuredContent ?? answer;
  }

  placed() {
    return this.witness.actions.filter(
      (one) => one.kind === "order" || one.kind === "batchModify" || one.kind === "modify",
    );
  }

  async alert(address, body) {
    const secret = address.split("/hooks/")[1];
    const answer = await fetch(`http://127.0.0.1:${this.hooksPort}/hooks/${secret}`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: JSON.stringify(body),
    }).catch((error) => ({ status: 0, text: async () => String(error) }));
    return { status: answer.status, text: await answer.text() };
  }

  async price(market) {
    const { body } = await this.api("GET", `/v1/markets/${market}`, { key: this.reader });
    return Number(body.mark_price ?? body.mid_price);
  }
}

const post = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
