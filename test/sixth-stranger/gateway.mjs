// The executable as its owner meets it: set up, granted keys, killed and started again.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const run = promisify(execFile);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class Gateway {
  constructor(binary) {
    this.binary = binary;
    this.wallet = privateKeyToAccount(generatePrivateKey());
    this.owner = this.wallet.address.toLowerCase();
    this.root = mkdtempSync(join(tmpdir(), "stranger-"));
    this.directory = join(this.root, "data");
    this.passphrase = join(this.root, "passphrase");
    writeFileSync(this.passphrase, randomBytes(24).toString("base64"), { mode: 0o600 });
    this.log = createWriteStream(join(this.root, "log"));
  }

  async command(...words) {
    try {
      const { stdout } = await run(this.binary, [...words, "--data-dir", this.directory, "--json"], {
        timeout: 60_000,
      });
      return stdout.trim() ? JSON.parse(stdout.trim().split("\n").at(-1)) : {};
    } catch (error) {
      throw new Error(`${words.join(" ")}: ${error.stdout} ${error.stderr}`);
    }
  }

  async setUp(exchangeUrl) {
    this.port = await freePort();
    this.hooksPort = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const secret = ["--passphrase-file", this.passphrase];
    const made = await this.command(
      "init",
      "--network",
      "testnet",
      "--owner",
      this.owner,
      "--exchange-url",
      exchangeUrl,
      "--unofficial-exchange",
      ...secret,
    );
    this.account = made.account;
    const approval = await this.command("agent", "approval");
    const types = { ...approval.typed_data.types };
    delete types.EIP712Domain;
    const message = { ...approval.typed_data.message, nonce: BigInt(approval.typed_data.message.nonce) };
    const signature = await this.wallet.signTypedData({ ...approval.typed_data, types, message });
    const extra = [
      approval.nonce ? ["--nonce", String(approval.nonce)] : [],
      approval.valid_until_ms ? ["--valid-until", String(approval.valid_until_ms)] : [],
    ].flat();
    await this.command("agent", "approve", "--signature", signature, ...extra, ...secret);
  }

  async start() {
    this.process = spawn(
      this.binary,
      [
        "serve",
        "--listen",
        `127.0.0.1:${this.port}`,
        "--hooks-listen",
        `127.0.0.1:${this.hooksPort}`,
        "--passphrase-file",
        this.passphrase,
        "--data-dir",
        this.directory,
      ],
      {
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          ...process.env,
          POSTERN_LIMIT_ORDERS: "0",
          POSTERN_LIMIT_CANCELS: "0",
          POSTERN_LIMIT_WRITES: "0",
          POSTERN_LIMIT_READS: "0",
          POSTERN_EXCHANGE_WEIGHT: "6000",
        },
      },
    );
    this.process.stderr.pipe(this.log, { end: false });
    for (let i = 0; i < 300; i++) {
      const answer = await fetch(`${this.url}/healthz`).catch(() => null);
      if (answer?.ok) return;
      await wait(100);
    }
    throw new Error("harness: the gateway does not listen");
  }

  async ready() {
    for (let i = 0; i < 400; i++) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.status === 200) return true;
      await wait(100);
    }
    return false;
  }

  async kill() {
    const dead = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await dead;
  }

  newKey() {
    const key = `api_trade_${randomBytes(32).toString("hex")}`;
    return { key, hash: createHash("sha256").update(key).digest("hex") };
  }

  /** A key with rails, signed by the owner. */
  async grantBot(bot, rails, key = this.newKey()) {
    const words = Object.entries(rails).flatMap(([name, value]) => [`--${name}`, value]);
    const printed = await this.command(
      "key",
      "grant",
      "--key-hash",
      key.hash,
      "--bot",
      bot,
      "--listen",
      `127.0.0.1:${this.port}`,
      ...words,
    );
    const types = { ...printed.typed_data.types };
    delete types.EIP712Domain;
    const signature = await this.wallet.signTypedData({ ...printed.typed_data, types });
    const answer = await fetch(`${this.url}/v1/api-keys/limited`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant: printed.grant, signature }),
    });
    if (answer.status !== 201) throw new Error(`harness: grant ${answer.status} ${await answer.text()}`);
    return { ...key, bot };
  }

  async grantPlain() {
    const key = this.newKey();
    const issued = Date.now();
    const described = await (await fetch(`${this.url}/v1/api-keys/typed-data`)).json();
    const audience = described.audience;
    const signature = await this.wallet.signTypedData({
      domain: { name: "Postern", version: "1" },
      types: {
        ApiKeyGrant: [
          ["audience", "string"],
          ["account", "string"],
          ["network", "string"],
          ["keyHash", "bytes32"],
          ["scopes", "string"],
          ["issuedAt", "uint64"],
          ["expiresAt", "uint64"],
        ].map(([name, type]) => ({ name, type })),
      },
      primaryType: "ApiKeyGrant",
      message: {
        audience,
        account: this.account,
        network: "exchange_mainnet",
        keyHash: `0x${key.hash}`,
        scopes: "trading:read,trading:write",
        issuedAt: BigInt(issued),
        expiresAt: 0n,
      },
    });
    const consent = {
      account: this.account,
      network: "exchange_mainnet",
      key_hash: key.hash,
      policy: { scopes: ["trading:read", "trading:write"] },
      issued_at: issued,
      expires_at: null,
    };
    const answer = await fetch(`${this.url}/v1/api-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ consent, signature }),
    });
    if (answer.status !== 201) throw new Error(`harness: key ${answer.status} ${await answer.text()}`);
    return key;
  }

  async end(isKept) {
    if (this.process && this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    this.log.end();
    if (!isKept) rmSync(this.root, { recursive: true, force: true });
  }
}
