// The built executable: set up as the documents say, started, killed, started again.

import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { privateKeyToAccount } from "viem/accounts";

const BINARY = process.env.POSTERN_BINARY ?? join(dirname(fileURLToPath(import.meta.url)), "../../dist/postern");
const run = promisify(execFile);
/** A key of nobody: its account is on this machine's own exchange alone. */
const owner = privateKeyToAccount(`0x${createHash("sha256").update("the twenty-first stranger").digest("hex")}`);

export const OWNER = owner.address.toLowerCase();

export class Gateway {
  constructor({ exchangePort, port, settings }) {
    this.directory = mkdtempSync(join(tmpdir(), "stranger-21-"));
    this.url = `http://127.0.0.1:${port}`;
    this.listen = `127.0.0.1:${port}`;
    this.exchangeUrl = `http://127.0.0.1:${exchangePort}`;
    this.settings = settings;
    this.passphrase = join(this.directory, "passphrase");
    writeFileSync(this.passphrase, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
    this.data = join(this.directory, "data");
    this.log = join(this.directory, "log");
  }

  async #ask(...words) {
    const { stdout } = await run(BINARY, [...words, "--data-dir", this.data, "--json"], { env: this.#environment() });
    return JSON.parse(stdout);
  }

  #environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.directory,
      POSTERN_LIMIT_ORDERS: "0",
      POSTERN_LIMIT_CANCELS: "0",
      POSTERN_LIMIT_WRITES: "0",
      POSTERN_LIMIT_READS: "0",
      ...this.settings,
    };
  }

  async setUp() {
    const secret = ["--passphrase-file", this.passphrase];
    const where = ["--exchange-url", this.exchangeUrl, "--unofficial-exchange"];
    const made = await this.#ask("init", "--network", "testnet", "--owner", OWNER, ...where, ...secret);
    this.account = made.account;
    const approval = await this.#ask("agent", "approval");
    const signed = await signTypedData(approval.typed_data);
    await this.#ask("agent", "approve", "--signature", signed, "--nonce", String(approval.nonce), ...secret);
    this.key = `api_trade_${randomBytes(32).toString("hex")}`;
    await this.start();
    const hash = createHash("sha256").update(this.key).digest("hex");
    const grant = await this.#ask("key", "grant", "--key-hash", hash, "--listen", this.listen);
    const issued = ["--issued-at", String(grant.issued_at), "--listen", this.listen];
    await this.#ask(
      "key",
      "register",
      "--key-hash",
      hash,
      ...issued,
      "--signature",
      await signTypedData(grant.typed_data),
    );
  }

  async start() {
    const log = openSync(this.log, "a");
    const words = ["serve", "--listen", this.listen, "--data-dir", this.data, "--passphrase-file", this.passphrase];
    this.process = spawn(BINARY, words, { env: this.#environment(), stdio: ["ignore", log, log] });
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    for (let tries = 0; tries < 300; tries += 1) {
      const isThere = await fetch(`${this.url}/livez`).then(
        (answer) => answer.status < 500,
        () => false,
      );
      if (isThere) return;
      await sleep(100);
    }
    throw new Error(`the gateway does not start: ${this.log}`);
  }

  async ready() {
    for (let tries = 0; tries < 300; tries += 1) {
      const isReady = await fetch(`${this.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (isReady) return;
      await sleep(100);
    }
    throw new Error(`the gateway is not ready: ${this.log}`);
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  async stop(isKept) {
    this.process.kill("SIGTERM");
    await Promise.race([this.ended, sleep(8000).then(() => this.process.kill("SIGKILL"))]);
    if (!isKept) rmSync(this.directory, { recursive: true, force: true });
  }
}

function signTypedData({ domain, types, primaryType, message }) {
  const { EIP712Domain: _domain, ...rest } = types;
  return owner.signTypedData({ domain, types: rest, primaryType, message });
}
