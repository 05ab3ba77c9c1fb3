// The executable under test as its owner meets it: commands, signatures, lives and deaths.
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { request } from "./client.mjs";
import { now, sleep } from "./random.mjs";

// The owners of the accounts, the same in each run: nothing but this exchange knows them.
export const owner = (i) =>
  privateKeyToAccount(`0x${(BigInt(0x5000 + i) + (1n << 200n)).toString(16).padStart(64, "0")}`);

export function sign(i, { domain, types: { EIP712Domain, ...types }, primaryType, message }) {
  return owner(i).signTypedData({ domain, types, primaryType, message });
}

// What runs at this moment.
export const children = new Set();

export class Gateway {
  // `data` is its directory; the log is written beside it.
  constructor({ binary, passphrase, port }, data) {
    this.binary = binary;
    this.passphrase = passphrase;
    this.port = port;
    this.data = data;
    this.up = false;
    this.kills = [];
    this.lives = [];
    this.all = [];
    this.endedItself = [];
    this.env = {
      PATH: process.env.PATH,
      HOME: path.dirname(data),
      POSTERN_LISTEN: `127.0.0.1:${port}`,
      POSTERN_EXCHANGE_WEIGHT: "0",
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_CANCELS: "0",
      POSTERN_LIMIT_WRITES: "0",
      POSTERN_LIMIT_READS: "0",
      POSTERN_MAX_FEEDS: "7",
      POSTERN_LOG_LEVEL: "info",
    };
  }
  command(words, { needsPassphrase = false } = {}) {
    const all = [
      ...words,
      "--data-dir",
      this.data,
      "--json",
      ...(needsPassphrase ? ["--passphrase-file", this.passphrase] : []),
    ];
    return new Promise((resolve, reject) =>
      execFile(this.binary, all, { env: this.env }, (error, stdout, stderr) =>
        error
          ? reject(new Error(`${words.join(" ")}: ${stdout}${stderr}`))
          : resolve(JSON.parse(stdout.trim().split("\n").pop())),
      ),
    );
  }
  request(method, route, options) {
    return request(this.port, method, route, options);
  }
  start() {
    const log = fs.openSync(path.join(path.dirname(this.data), "gateway.log"), "a");
    const p = spawn(this.binary, ["serve", "--data-dir", this.data, "--passphrase-file", this.passphrase], {
      env: this.env,
      stdio: ["ignore", log, log],
    });
    fs.closeSync(log);
    this.p = p;
    this.all.push(p);
    children.add(p);
    this.up = true;
    this.lives.push({ from: now(), ready: null, to: null });
    p.on("exit", (code, signal) => {
      children.delete(p);
      if (this.p !== p) return;
      this.up = false;
      const life = this.lives.at(-1);
      life.to = now();
      life.code = code;
      life.sig = signal;
      if (!this.ending && signal !== "SIGKILL") this.endedItself.push(`${code} ${signal}`);
    });
    void this.watch();
  }
  async watch() {
    const life = this.lives.at(-1);
    while (!life.to) {
      const r = await this.request("GET", "/readyz", { timeout: 2000 }).catch(() => null);
      if (r?.status === 200 || (r && !/start|looking/.test(JSON.stringify(r.body)))) {
        life.ready = now();
        life.readyBody = r.body;
        return;
      }
      await sleep(100);
    }
  }
  async kill() {
    if (!this.up) return;
    const { p } = this;
    this.kills.push(now());
    const exited = new Promise((resolve) => p.once("exit", resolve));
    p.kill("SIGKILL");
    await exited;
  }
  async restart(gap = 0) {
    while (this.busy) await this.busy.catch(() => 0);
    this.busy = (async () => {
      await this.kill();
      await sleep(gap);
      this.start();
    })();
    await this.busy;
    this.busy = null;
  }
  async end(signal = "SIGKILL") {
    this.ending = true;
    await Promise.all(
      this.all
        .filter((p) => p.exitCode === null && p.signalCode === null)
        .map((p) => {
          const exited = new Promise((resolve) => p.once("exit", resolve));
          p.kill(signal);
          return exited;
        }),
    );
  }
  // The signature of owner `i` that resumes `stop` of `account`.
  async resumption(i, account, stop) {
    const { body } = await this.request("GET", "/v1/api-keys/typed-data");
    const fields = body.types.TradingResumption;
    const values = { audience: body.audience, account, stop, stopId: stop, stop_id: stop };
    return owner(i).signTypedData({
      domain: body.domain,
      types: { TradingResumption: fields },
      primaryType: "TradingResumption",
      message: Object.fromEntries(fields.map(({ name }) => [name, values[name]])),
    });
  }
}
