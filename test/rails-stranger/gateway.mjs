// The executable under test: set up once, then each scene begins with a copy of what that made. All of it is below one directory.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Exchange } from "./exchange.mjs";
import { findings, say, sleep } from "./judge.mjs";

const run = promisify(execFile);
const running = new Set();
const settings = {};

// Ports that are free now; each run has its own, and keeps them, because the gateway writes down where its exchange is.
async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((done) => {
          const server = net.createServer().listen(0, "127.0.0.1", () => done(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export async function prepare({ binary, keep }) {
  settings.binary = path.resolve(binary);
  settings.keep = keep;
  if (keep) fs.mkdirSync(keep, { recursive: true });
  settings.dir = fs.mkdtempSync(path.join(os.tmpdir(), "rails-stranger-"));
  settings.log = path.join(settings.dir, "gateway.log");
  settings.pass = path.join(settings.dir, "passphrase");
  fs.writeFileSync(settings.pass, randomBytes(24).toString("base64"), { mode: 0o600 });
  [settings.exchangePort, settings.port, settings.hooksPort] = await freePorts(3);
  process.on("exit", () => {
    for (const child of running) child.kill("SIGKILL");
    if (keep && fs.existsSync(settings.log)) fs.cpSync(settings.log, path.join(keep, "gateway.log"));
    fs.rmSync(settings.dir, { recursive: true, force: true });
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
}

export class Gateway {
  async up(change) {
    this.pass = settings.pass;
    this.base = `http://127.0.0.1:${settings.port}`;
    settings.made ??= await this.setUp();
    const { key, account, agents, data } = settings.made;
    this.owner = privateKeyToAccount(key);
    this.account = account;
    this.ex = new Exchange(this.owner.address);
    this.ex.agents = agents;
    change?.(this.ex);
    await this.ex.start(settings.exchangePort);
    this.dir = fs.mkdtempSync(path.join(settings.dir, "data-"));
    fs.cpSync(data, this.dir, { recursive: true });
    fs.chmodSync(this.dir, 0o700);
    await this.serve();
    this.td = await this.get("/v1/api-keys/typed-data");
    return this;
  }
  // `init` and the owner's approval of the agent.
  async setUp() {
    const key = generatePrivateKey();
    this.owner = privateKeyToAccount(key);
    this.ex = new Exchange(this.owner.address);
    await this.ex.start(settings.exchangePort);
    this.dir = path.join(settings.dir, "template");
    const exchange = ["--exchange-url", `http://127.0.0.1:${settings.exchangePort}`];
    const pass = ["--passphrase-file", this.pass];
    const made = await this.cli("init", "--network", "paper", "--owner", this.owner.address, ...exchange, ...pass);
    const approval = await this.cli("agent", "approval");
    const signature = await this.signTd(approval.typed_data);
    await this.cli("agent", "approve", "--signature", signature, "--nonce", String(approval.nonce), ...pass);
    const { agents } = this.ex;
    await this.ex.stop();
    return { key, account: made.account, agents, data: this.dir };
  }
  signTd({ domain, types, primaryType, message }) {
    const { EIP712Domain, ...own } = types;
    return this.owner.signTypedData({ domain, types: own, primaryType, message });
  }
  async cli(...words) {
    const { stdout } = await run(settings.binary, [...words, "--json", "--data-dir", this.dir], {
      timeout: 30_000,
      env: { ...process.env, POSTERN_LISTEN: `127.0.0.1:${settings.port}` },
    });
    return JSON.parse(stdout.trim().split("\n").at(-1));
  }
  async serve() {
    const log = fs.openSync(settings.log, "a");
    this.gw = spawn(settings.binary, ["serve", "--data-dir", this.dir, "--passphrase-file", this.pass], {
      stdio: ["ignore", log, log],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        POSTERN_LISTEN: `127.0.0.1:${settings.port}`,
        POSTERN_HOOKS_LISTEN: `127.0.0.1:${settings.hooksPort}`,
        POSTERN_DEXES: "",
        POSTERN_LIMIT_ORDERS: "0",
        POSTERN_LIMIT_CANCELS: "0",
        POSTERN_LIMIT_WRITES: "0",
        POSTERN_LIMIT_READS: "0",
        POSTERN_EXCHANGE_WEIGHT: "0",
      },
    });
    fs.closeSync(log);
    const child = this.gw;
    running.add(child);
    this.gwExit = new Promise((done) => child.on("exit", done)).then(() => running.delete(child));
    for (let k = 0; k < 200; k++) {
      if (await fetch(`${this.base}/healthz`).catch(() => undefined)) return;
      await sleep(50);
    }
    throw new Error("the gateway does not listen");
  }
  async ready(withinMs = 20_000) {
    let last;
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(100)) {
      const answer = await fetch(`${this.base}/readyz`).catch(() => undefined);
      if (answer?.status === 200) return true;
      last = (await answer?.text()) ?? last;
    }
    say("not ready", last);
    return false;
  }
  async kill() {
    this.gw.kill("SIGKILL");
    await this.gwExit;
  }
  // With --keep: what was found, then the exchange's log.
  async down(name) {
    if (this.gw) {
      this.gw.kill("SIGTERM");
      const isOut = await Promise.race([this.gwExit, sleep(12_000)]);
      if (!isOut) await this.kill();
    }
    await this.ex.stop();
    if (settings.keep) {
      const lines = [findings, ...this.ex.log].map((row) => JSON.stringify(row));
      fs.writeFileSync(path.join(settings.keep, `${name}.jsonl`), `${lines.join("\n")}\n`);
    }
    fs.rmSync(this.dir, { recursive: true, force: true });
  }
  hooks() {
    return `http://127.0.0.1:${settings.hooksPort}`;
  }
}
