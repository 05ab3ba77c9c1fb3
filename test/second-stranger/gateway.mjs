// The gateway under test: a process, started from a copy of a data directory that was set up once.
import { execFileSync, spawn } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Wallet } from "ethers";

export class Gateway {
  constructor({ binary, dir, port, exchangePort, env = {}, logFile }) {
    Object.assign(this, { binary, dir, port, exchangePort, logFile });
    this.base = `http://127.0.0.1:${port}`;
    this.env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      POSTERN_LISTEN: `127.0.0.1:${port}`,
      POSTERN_PASSPHRASE_FILE: path.join(dir, "..", "pass"),
      POSTERN_DATA_DIR: dir,
      ...env,
    };
    this.proc = null;
  }
  cli(...args) {
    return execFileSync(this.binary, args, { env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }
  /** Asynchronous, because this process answers as the exchange meanwhile. */
  cliAsync(args) {
    return new Promise((ok, no) => {
      const p = spawn(this.binary, args, { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
      let o = "",
        e = "";
      p.stdout.on("data", (d) => (o += d));
      p.stderr.on("data", (d) => (e += d));
      p.on("close", (c) => (c === 0 ? ok(o) : no(new Error(`${args.join(" ")}: ${c} ${e}${o}`))));
    });
  }
  start() {
    const log = fs.openSync(this.logFile, "a");
    this.proc = spawn("nice", ["-n", "5", this.binary, "serve"], { env: this.env, stdio: ["ignore", log, log] });
    fs.closeSync(log);
    const p = this.proc;
    this.exited = new Promise((r) =>
      p.on("exit", (code, sig) => {
        p.dead = true;
        r({ code, sig });
      }),
    );
  }
  async up(ms = 20000) {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      try {
        const r = await fetch(`${this.base}/healthz`, { signal: AbortSignal.timeout(500) });
        if (r.ok) return true;
      } catch {}
      if (this.proc?.dead) return false;
      await new Promise((r) => setTimeout(r, 60));
    }
    return false;
  }
  async ready(ms = 30000) {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      try {
        const r = await fetch(`${this.base}/readyz`, { signal: AbortSignal.timeout(1000) });
        if (r.ok) return true;
        this.lastReady = await r.text();
      } catch {}
      await new Promise((r) => setTimeout(r, 100));
    }
    return false;
  }
  freeze(sig) {
    try {
      process.kill(this.proc.pid, `SIG${sig}`);
    } catch {}
  }
  async kill(sig = "SIGKILL") {
    if (!this.proc || this.proc.dead) return;
    this.proc.kill(sig);
    await this.exited;
  }
}

/** init, agent approval, API key: what README says, once. */
export async function setUp({ binary, dir, port, exchangePort, owner, env }) {
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  const data = path.join(dir, "data");
  const g = new Gateway({ binary, dir: data, port, exchangePort, env, logFile: path.join(dir, "setup.log") });
  fs.writeFileSync(
    path.join(dir, "pass"),
    `${execFileSync(binary, ["passphrase", "new"], { encoding: "utf8" })
      .trim()
      .split("\n")
      .find((l) => l.trim())
      .trim()}\n`,
    { mode: 0o600 },
  );
  const wallet = new Wallet(owner);
  const init = JSON.parse(
    (
      await g.cliAsync([
        "init",
        "--network",
        "testnet",
        "--owner",
        wallet.address,
        "--exchange-url",
        `http://127.0.0.1:${exchangePort}`,
        "--unofficial-exchange",
        "--json",
      ])
    )
      .trim()
      .split("\n")
      .pop(),
  );
  const ap = JSON.parse(await g.cliAsync(["agent", "approval", "--json"]));
  const sign = async (td) => {
    const { EIP712Domain, ...types } = td.types;
    return wallet.signTypedData(td.domain, types, td.message);
  };
  const td = ap.typed_data ?? ap.typedData ?? ap;
  const args = ["agent", "approve", "--signature", await sign(td), "--json"];
  if (ap.nonce) args.push("--nonce", String(ap.nonce));
  await g.cliAsync(args);
  g.start();
  if (!(await g.up())) throw new Error(`gateway does not start: ${fs.readFileSync(g.logFile, "utf8")}`);
  const key = `api_trade_${crypto.randomBytes(32).toString("hex")}`,
    hash = crypto.createHash("sha256").update(key).digest("hex");
  const tdk = await (await fetch(`${g.base}/v1/api-keys/typed-data`)).json();
  const issued = Date.now();
  const prim = tdk.types.ApiKeyGrant;
  const sig = await wallet.signTypedData(
    tdk.domain,
    { ApiKeyGrant: prim },
    {
      audience: tdk.audience,
      account: init.account,
      network: "exchange_mainnet",
      keyHash: `0x${hash}`,
      scopes: "trading:read,trading:write",
      issuedAt: issued,
      expiresAt: 0,
    },
  );
  const r = await fetch(`${g.base}/v1/api-keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      consent: {
        account: init.account,
        network: "exchange_mainnet",
        key_hash: hash,
        policy: { scopes: ["trading:read", "trading:write"] },
        issued_at: issued,
        expires_at: null,
      },
      signature: sig,
    }),
  });
  if (r.status !== 201) throw new Error(`key: ${await r.text()}`);
  const ok = await g.ready();
  if (!ok) throw new Error(`not ready: ${g.lastReady}`);
  await g.kill("SIGTERM");
  return { dir, data, key, hash, account: init.account, agent: init.agent, agentName: init.agent_name };
}
