// The executable as its owner meets it: set up, started, killed, asked.
import { execFile, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sleep } from "./grain.mjs";

export const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const run = promisify(execFile);

export class Gateway {
  settings = {};
  constructor(binary, exchange) {
    this.binary = binary;
    this.exchange = exchange;
    this.owner = privateKeyToAccount(generatePrivateKey());
    this.dir = mkdtempSync(join(tmpdir(), "ninth-"));
    this.data = join(this.dir, "data");
    this.log = join(this.dir, "log");
    writeFileSync(join(this.dir, "pass"), "correct-horse-battery-staple-ninth-42", { mode: 0o600 });
  }

  async command(...words) {
    const needs =
      ["init", "agent", "account", "serve"].includes(words[0]) && !["list", "show", "approval"].includes(words[1]);
    const all = [...words, "--data-dir", this.data, ...(needs ? ["--passphrase-file", join(this.dir, "pass")] : [])];
    const env = { PATH: process.env.PATH, POSTERN_LISTEN: `127.0.0.1:${this.port}` };
    return (await run(this.binary, all, { encoding: "utf8", env })).stdout;
  }
  async json(...words) {
    return JSON.parse((await this.command(...words, "--json")).trim().split("\n").at(-1));
  }

  async setUp() {
    this.port = await freePort();
    this.metricsPort = await freePort();
    this.made = await this.json(
      "init",
      "--network",
      "testnet",
      "--owner",
      this.owner.address,
      "--exchange-url",
      this.exchange,
      "--unofficial-exchange",
    );
    return this.made;
  }
  async approveAgent() {
    const { typed_data: typed, nonce } = await this.json("agent", "approval");
    const { EIP712Domain: _, ...types } = typed.types;
    const signature = await this.owner.signTypedData({ ...typed, types });
    return this.command("agent", "approve", "--signature", signature, "--nonce", String(nonce));
  }
  addAccount(label, kind, address) {
    return this.json(
      "account",
      "add",
      "--label",
      label,
      "--kind",
      kind,
      "--address",
      address,
      ...(kind === "main" ? [] : ["--parent", this.made.account]),
    );
  }

  async start() {
    const env = {
      PATH: process.env.PATH,
      POSTERN_LISTEN: `127.0.0.1:${this.port}`,
      POSTERN_METRICS_LISTEN: `127.0.0.1:${this.metricsPort}`,
      POSTERN_DEXES: "xyz,abc",
      POSTERN_LIMIT_READS: "0",
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_WRITES: "0",
      POSTERN_LIMIT_CANCELS: "0",
      POSTERN_EXCHANGE_WEIGHT: "0",
      ...this.settings,
    };
    const child = spawn(this.binary, ["serve", "--data-dir", this.data, "--passphrase-file", join(this.dir, "pass")], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => appendFileSync(this.log, part));
    child.on("exit", (code, signal) => {
      this.exit = { code, signal };
    });
    for (let i = 0; i < 300; i++) {
      try {
        if ((await fetch(`http://127.0.0.1:${this.port}/healthz`)).ok) return;
      } catch {}
      await sleep(100);
    }
    throw new Error("the gateway does not start");
  }
  async ready(forMs = 40_000) {
    const until = Date.now() + forMs;
    while (Date.now() < until) {
      try {
        if ((await fetch(`http://127.0.0.1:${this.port}/readyz`)).status === 200) return true;
      } catch {}
      await sleep(200);
    }
    return false;
  }
  async kill() {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await gone;
    }
  }

  async grant(account) {
    const { api_key: key, key_hash: hash } = await this.json("key", "new");
    const issuedAt = Date.now();
    const known = await (await fetch(`http://127.0.0.1:${this.port}/v1/api-keys/typed-data`)).json();
    const scopes = ["trading:read", "trading:write"];
    const audience = known.audience ?? known.example?.grant?.audience;
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
        audience,
        account,
        network: "exchange_mainnet",
        keyHash: `0x${hash}`,
        scopes: scopes.join(","),
        issuedAt: BigInt(issuedAt),
        expiresAt: 0n,
      },
    });
    const body = {
      consent: {
        account,
        network: "exchange_mainnet",
        key_hash: hash,
        policy: { scopes },
        issued_at: issuedAt,
        expires_at: null,
      },
      signature,
    };
    const answer = await fetch(`http://127.0.0.1:${this.port}/v1/api-keys`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`grant: ${answer.status} ${await answer.text()}`);
    return key;
  }
  remove() {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
