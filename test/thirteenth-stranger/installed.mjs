// A gateway as an operator installs it, with `init`, an agent that its owner approves, and the exchange in a process of its own.
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { freePort, Lab, pause, until } from "./lab.mjs";

export class Installed extends Lab {
  async setUp() {
    this.owner = privateKeyToAccount(generatePrivateKey());
    this.paperPort = await freePort();
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.phrase = this.file("phrase", "correct horse battery 99\n");
    const words = ["paper", "--listen", `127.0.0.1:${this.paperPort}`, "--fund", this.owner.address, "--control"];
    this.exchange = spawn(this.binary, words, { stdio: "ignore", env: this.environment(), cwd: this.home });
    this.beside.push(this.exchange);
    await until(
      () => this.info({ type: "meta" }).catch(() => null),
      (answer) => answer !== null,
      120_000,
    );
    const exchange = ["--exchange-url", `http://127.0.0.1:${this.paperPort}`, "--passphrase-file", this.phrase];
    const made = await this.command(["init", "--network", "paper", "--owner", this.owner.address, ...exchange]);
    if (made.code !== 0) throw new Error(`init: ${made.err}`);
    await this.approve();
    return this;
  }

  async approve(data = this.data, rotate = false) {
    const asked = await this.command(
      ["agent", rotate ? "rotate" : "approval", "--json", ...(rotate ? ["--passphrase-file", this.phrase] : [])],
      { data },
    );
    const printed = JSON.parse(asked.out);
    const signature = await this.sign(printed.typed_data);
    const words = ["agent", "approve", "--agent", printed.agent, "--nonce", String(printed.nonce)];
    return this.command([...words, "--passphrase-file", this.phrase, "--signature", "-"], { data, input: signature });
  }

  /** Serves a data directory; another than the first at a port of its own. */
  async serve(data = this.data, port = this.port, more = {}) {
    const log = openSync(join(this.home, "log"), "a");
    const words = ["serve", "--listen", `127.0.0.1:${port}`, "--data-dir", data, "--passphrase-file", this.phrase];
    const environment = this.environment({ POSTERN_AUDIENCE: this.url, ...more });
    const one = spawn(this.binary, words, { stdio: ["ignore", log, log], env: environment, cwd: this.home });
    closeSync(log);
    this.beside.push(one);
    if (data === this.data) this.process = one;
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/healthz`)
          .then((answer) => answer.ok)
          .catch(() => one.exitCode !== null),
      (isUp) => isUp,
      120_000,
    );
    return one;
  }

  async ready(withinMs = 30_000) {
    return until(
      () => this.ask("GET", "/readyz").catch(() => ({ status: 0 })),
      (answer) => answer.status === 200,
      withinMs,
    );
  }

  /** A plain key, as the documents say. */
  async plainKey() {
    const made = await this.newKey();
    const asked = await this.command(["key", "grant", "--json", "--key-hash", made.key_hash]);
    const printed = JSON.parse(asked.out);
    const signature = await this.sign(printed.typed_data);
    const issued = printed.issued_at ?? printed.grant?.issued_at ?? printed.typed_data.message.issuedAt;
    const words = [
      "key",
      "register",
      "--key-hash",
      made.key_hash,
      "--issued-at",
      String(Number(issued) || issued),
      "--signature",
      "-",
    ];
    const registered = await this.command(words, { input: signature });
    if (registered.code !== 0) throw new Error(`register: ${registered.err}`);
    this.plain = made.api_key;
    const who = await until(
      () => this.get("/v1/whoami"),
      (answer) => answer.status === 200,
    );
    this.account = who.json.account;
    await pause(100);
    return made;
  }
}
