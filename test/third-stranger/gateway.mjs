// The executable under test as an owner meets it: set up, started, killed, and its keys granted by signatures.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sleep } from "./server.mjs";

const run = promisify(execFile);

export class Gateway {
  constructor(binary) {
    this.binary = binary;
    this.dir = fs.mkdtempSync(path.join(os.tmpdir(), "third-"));
    this.data = path.join(this.dir, "data");
    this.pass = path.join(this.dir, "passphrase");
    this.owner = privateKeyToAccount(generatePrivateKey());
    this.kills = 0;
    this.settings = {};
    fs.writeFileSync(this.pass, randomBytes(24).toString("base64"), { mode: 0o600 });
  }

  async command(...args) {
    const { stdout } = await run(this.binary, [...args, "--data-dir", this.data, "--json"], { timeout: 60_000 });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  }

  async setUp(exchangeUrl, port) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.listen = `127.0.0.1:${port}`;
    const made = await this.command(
      "init",
      "--network",
      "paper",
      "--owner",
      this.owner.address.toLowerCase(),
      "--exchange-url",
      exchangeUrl,
      "--passphrase-file",
      this.pass,
    );
    this.account = made.account;
    const approval = await this.command("agent", "approval");
    const signature = await this.sign(approval.typed_data);
    await this.command(
      "agent",
      "approve",
      "--signature",
      signature,
      "--nonce",
      String(approval.nonce),
      "--passphrase-file",
      this.pass,
    );
  }

  sign({ domain, types, primaryType, message }) {
    const { EIP712Domain, ...own } = types;
    return this.owner.signTypedData({
      domain: { ...domain, chainId: domain.chainId },
      types: own,
      primaryType,
      message,
    });
  }

  async start() {
    const out = fs.openSync(path.join(this.dir, "log"), "a");
    this.process = spawn(
      "nice",
      [
        "-n",
        "10",
        this.binary,
        "serve",
        "--listen",
        `127.0.0.1:${this.port}`,
        "--passphrase-file",
        this.pass,
        "--data-dir",
        this.data,
      ],
      { stdio: ["ignore", out, out], env: { ...process.env, ...this.settings } },
    );
    this.exited = new Promise((resolve) => this.process.on("exit", resolve));
    for (let k = 0; k < 200; k++) {
      await sleep(100);
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (answer?.status === 200) return;
    }
    throw new Error("the gateway does not listen");
  }

  async ready(withinMs = 30_000) {
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(200)) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (answer?.status === 200) return true;
    }
    return false;
  }

  async kill() {
    this.kills++;
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async end({ keep = false } = {}) {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGTERM");
      await Promise.race([this.exited, sleep(12_000).then(() => this.process.kill("SIGKILL"))]);
    }
    if (!keep) fs.rmSync(this.dir, { recursive: true, force: true });
  }

  newKey() {
    const text = `api_trade_${randomBytes(32).toString("hex")}`;
    return { text, hash: createHash("sha256").update(text).digest("hex") };
  }

  async plainKey() {
    const key = this.newKey();
    const printed = await this.command("key", "grant", "--key-hash", key.hash, "--listen", this.listen);
    const consent = {
      account: this.account,
      network: "exchange_mainnet",
      key_hash: key.hash,
      policy: { scopes: ["trading:read", "trading:write"] },
      issued_at: printed.issued_at,
      expires_at: null,
    };
    await this.register("/v1/api-keys", { consent, signature: await this.sign(printed.typed_data) });
    return { ...key, rails: null };
  }

  // `options` are those of `key grant --bot`, without the dashes.
  async limitedKey(bot, options) {
    const key = this.newKey();
    const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const printed = await this.command(
      "key",
      "grant",
      "--key-hash",
      key.hash,
      "--listen",
      this.listen,
      "--bot",
      bot,
      ...flags,
    );
    await this.register("/v1/api-keys/limited", {
      grant: printed.grant,
      signature: await this.sign(printed.typed_data),
    });
    return { ...key, bot, rails: printed.grant, bound: printed.bound };
  }

  async register(route, body) {
    const answer = await fetch(this.url + route, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
  }
}
