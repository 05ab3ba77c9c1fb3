// The executable under test as its owner meets it: set up, started, killed, and its key granted by a signature.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sleep } from "./markets.mjs";

const run = promisify(execFile);

export class Gateway {
  constructor({ binary, logFile }) {
    this.binary = binary;
    this.dir = fs.mkdtempSync(path.join(os.tmpdir(), "fourth-"));
    this.data = path.join(this.dir, "data");
    this.pass = path.join(this.dir, "passphrase");
    this.logFile = logFile ?? path.join(this.dir, "log");
    this.owner = privateKeyToAccount(generatePrivateKey());
    fs.writeFileSync(this.pass, randomBytes(24).toString("base64"), { mode: 0o600 });
    fs.writeFileSync(this.logFile, "");
  }

  async command(...args) {
    const { stdout } = await run(this.binary, [...args, "--data-dir", this.data, "--json"], { timeout: 30_000 });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  }

  async setUp(exchangeUrl, settings) {
    const secret = ["--passphrase-file", this.pass];
    const place = ["--exchange-url", exchangeUrl, "--unofficial-exchange"];
    const made = await this.command("init", "--network", "paper", "--owner", this.owner.address, ...place, ...secret);
    this.account = made.account;
    const approval = await this.command("agent", "approval");
    const { EIP712Domain, ...types } = approval.typed_data.types;
    const { domain, primaryType, message } = approval.typed_data;
    const signature = await this.owner.signTypedData({
      domain,
      types,
      primaryType,
      message: { ...message, nonce: BigInt(message.nonce) },
    });
    const signed = ["--agent", approval.agent, "--signature", signature, "--nonce", String(approval.nonce)];
    await this.command("agent", "approve", ...signed, ...secret);
    this.listen = `127.0.0.1:${await freePort()}`;
    this.url = `http://${this.listen}`;
    this.settings = { PATH: process.env.PATH, HOME: this.dir, POSTERN_AUDIENCE: this.url, ...settings };
  }

  start() {
    const out = fs.openSync(this.logFile, "a");
    const args = ["serve", "--listen", this.listen, "--data-dir", this.data, "--passphrase-file", this.pass];
    this.process = spawn(this.binary, args, { env: this.settings, stdio: ["ignore", out, out] });
    fs.closeSync(out);
    this.exited = new Promise((resolve) => this.process.on("exit", resolve));
  }

  async startWithKey() {
    this.start();
    await this.answers("/healthz");
    const apiKey = await this.grantKey();
    await this.answers("/readyz");
    return apiKey;
  }

  async answers(route) {
    for (let i = 0; i < 200; i++) {
      const answer = await fetch(this.url + route).catch(() => undefined);
      if (answer?.ok) return;
      await sleep(100);
    }
    throw new Error(`${route} is not ok after twenty seconds`);
  }

  async grantKey() {
    const { audience } = await (await fetch(`${this.url}/v1/api-keys/typed-data`)).json();
    const apiKey = `api_trade_${randomBytes(32).toString("hex")}`;
    const keyHash = createHash("sha256").update(apiKey).digest("hex");
    const granted = { account: this.account, network: "exchange_mainnet" };
    const scopes = ["trading:read", "trading:write"];
    const issuedAt = Date.now();
    const signature = await this.owner.signTypedData({
      domain: { name: "Postern", version: "1" },
      primaryType: "ApiKeyGrant",
      types: { ApiKeyGrant: GRANT },
      message: {
        audience,
        ...granted,
        keyHash: `0x${keyHash}`,
        scopes: scopes.join(),
        issuedAt: BigInt(issuedAt),
        expiresAt: 0n,
      },
    });
    const consent = { ...granted, key_hash: keyHash, policy: { scopes }, issued_at: issuedAt, expires_at: null };
    const answer = await fetch(`${this.url}/v1/api-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ consent, signature }),
    });
    if (answer.status !== 201) throw new Error(`register: ${answer.status} ${await answer.text()}`);
    return apiKey;
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async end() {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGTERM");
      const gone = await Promise.race([this.exited.then(() => true), sleep(10_000)]);
      if (!gone) await this.kill();
    }
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
}

const GRANT = [
  ["audience", "string"],
  ["account", "string"],
  ["network", "string"],
  ["keyHash", "bytes32"],
  ["scopes", "string"],
  ["issuedAt", "uint64"],
  ["expiresAt", "uint64"],
].map(([name, type]) => ({ name, type }));

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
