// The executable as its owner meets it: set up, started, killed, backed up, put back.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const run = promisify(execFile);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Gateway {
  constructor({ binary, exchange, environment = {}, owner = null, logFile = null }) {
    Object.assign(this, { binary, exchange, environment, logFile });
    this.owner = owner ?? privateKeyToAccount(generatePrivateKey());
    this.process = null;
  }

  async prepare(port = null) {
    this.root = await mkdtemp(join(tmpdir(), "stranger-"));
    this.data = join(this.root, "data");
    this.passphrase = join(this.root, "passphrase");
    await writeFile(this.passphrase, "a stranger came to the gate at noon 7431", { mode: 0o600 });
    this.port = port ?? (await freePort());
    this.url = `http://127.0.0.1:${this.port}`;
  }

  env() {
    return {
      PATH: process.env.PATH,
      HOME: this.root,
      POSTERN_LISTEN: `127.0.0.1:${this.port}`,
      POSTERN_AUDIENCE: this.audience ?? this.url,
      POSTERN_LOG_LEVEL: "debug",
      ...this.environment,
    };
  }

  async command(args, { passphrase = true, json = true } = {}) {
    const all = [
      ...args,
      "--data-dir",
      this.data,
      ...(json ? ["--json"] : []),
      ...(passphrase ? ["--passphrase-file", this.passphrase] : []),
    ];
    const { stdout } = await run(this.binary, all, { env: this.env(), timeout: 30_000 });
    return json ? JSON.parse(stdout) : stdout;
  }

  async init(port = null) {
    await this.prepare(port);
    this.exchange.truth.fund(this.owner.address);
    this.made = await this.command([
      "init",
      "--network",
      "paper",
      "--owner",
      this.owner.address,
      "--exchange-url",
      this.exchange.url,
    ]);
    await this.approve();
    await this.start();
    this.account =
      (await this.command(["account", "list"], { passphrase: false })).accounts?.[0]?.id ??
      this.made.account?.id ??
      this.made.account;
    this.key = await this.grant();
  }

  /** The owner signs for an agent, by the commands of the executable. */
  async approve(agent = null) {
    const approval = await this.command(["agent", "approval", ...(agent ? ["--agent", agent] : [])], {
      passphrase: false,
    });
    const typed = approval.typed_data ?? approval;
    const { EIP712Domain, ...types } = typed.types;
    const signature = await this.owner.signTypedData({
      domain: typed.domain,
      types,
      primaryType: typed.primaryType,
      message: typed.message,
    });
    const nonce = typed.message.nonce ?? approval.nonce;
    return this.command([
      "agent",
      "approve",
      "--agent",
      typed.message.agentAddress,
      "--signature",
      signature,
      "--nonce",
      String(nonce),
      ...(approval.valid_until ? ["--valid-until", String(approval.valid_until)] : []),
    ]);
  }

  async start({ wait = true } = {}) {
    this.process = spawn(this.binary, ["serve", "--data-dir", this.data, "--passphrase-file", this.passphrase], {
      env: this.env(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (this.logFile) this.process.stderr.pipe(createWriteStream(this.logFile, { flags: "a" }));
    else this.process.stderr.resume();
    const child = this.process;
    child.on("exit", (code, signal) => {
      child.gone = true;
      this.lastExit = { code, signal };
    });
    if (wait) await this.answering();
  }

  async answering(path = "/healthz", most = 30_000) {
    const until = Date.now() + most;
    while (Date.now() < until) {
      if (this.process.gone) throw new Error(`the gateway ended: ${JSON.stringify(this.lastExit)}`);
      const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
      if (response?.status === 200) return;
      await sleep(100);
    }
    throw new Error(`${path} was not 200 within ${most} ms`);
  }

  async kill(signal = "SIGKILL") {
    const child = this.process;
    if (child.gone) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async restart() {
    await this.kill();
    await this.start();
  }

  async grant(scopes = "trading:read,trading:write", key = `api_trade_${randomBytes(32).toString("hex")}`) {
    const hash = createHash("sha256").update(key).digest("hex");
    const issued = Date.now();
    const account = this.account;
    const signature = await this.owner.signTypedData({
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
        audience: `paper+${this.audience ?? this.url}`,
        account,
        network: "exchange_mainnet",
        keyHash: `0x${hash}`,
        scopes,
        issuedAt: BigInt(issued),
        expiresAt: 0n,
      },
    });
    const consent = {
      account,
      network: "exchange_mainnet",
      key_hash: hash,
      policy: { scopes: scopes.split(",") },
      issued_at: issued,
    };
    const response = await fetch(`${this.url}/v1/api-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ consent, signature }),
    });
    if (response.status !== 201) throw new Error(`grant: ${response.status} ${await response.text()}`);
    return key;
  }

  async backup(name = "backup.db") {
    const file = join(this.root, name);
    await this.command(["backup", file], { passphrase: false });
    return file;
  }

  /** Another machine with what the backup has. The old one may live on. */
  async restoreElsewhere(file, { port = null } = {}) {
    const other = new Gateway({
      binary: this.binary,
      exchange: this.exchange,
      environment: this.environment,
      owner: this.owner,
      logFile: this.logFile,
    });
    await other.prepare(port);
    await writeFile(other.passphrase, "a stranger came to the gate at noon 7431", { mode: 0o600 });
    other.audience = this.audience ?? this.url;
    await other.command(["restore", file], { passphrase: false });
    other.account = this.account;
    return other;
  }

  async close() {
    if (this.process) await this.kill();
    if (!process.env.STRANGER_KEEP) await rm(this.root, { recursive: true, force: true });
  }
}
