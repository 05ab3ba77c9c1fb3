// The executable as an operator sets it up, starts it and loses it; and HTTP to it, with each answer kept.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sleep } from "./figures.mjs";

const BINARY = process.env.POSTERN_BINARY ?? new URL("../../dist/postern", import.meta.url).pathname;

/** What a bot may lose in a day, where that is limited. */
const LOSSES = { loser: "20_USD" };

export class Gateway {
  constructor(exchangePort, port) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.exchangeUrl = `http://127.0.0.1:${exchangePort}`;
    this.root = mkdtempSync(join(tmpdir(), "twentieth-"));
    this.passphrase = join(this.root, "passphrase");
    this.owner = privateKeyToAccount(generatePrivateKey());
    this.keys = [];
    this.log = "";
    this.told = [];
    this.down = true;
    this.deaths = [];
  }

  command(args, data = this.template) {
    return new Promise((done, fail) => {
      const child = spawn(BINARY, [...args, "--data-dir", data, "--json"], {
        env: { PATH: process.env.PATH, HOME: this.root, POSTERN_LISTEN: `127.0.0.1:${this.port}` },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let out = "";
      child.stdout.on("data", (part) => {
        out += part;
      });
      child.stderr.on("data", (part) => {
        out += part;
      });
      child.on("exit", (code) => {
        if (code !== 0) fail(new Error(`postern ${args.join(" ")}: ${out}`.slice(0, 2000)));
        else done(JSON.parse(out.trim().split("\n").pop()));
      });
    });
  }

  /** Owner, agent and keys: once a run; each seed begins with a copy. */
  async setUp(exchange, bots) {
    this.template = join(this.root, "template");
    writeFileSync(this.passphrase, `${generatePrivateKey()}\n`, { mode: 0o600 });
    const made = await this.command(
      `init --network mainnet --owner ${this.owner.address} --exchange-url ${this.exchangeUrl} --unofficial-exchange --passphrase-file ${this.passphrase}`.split(
        " ",
      ),
    );
    this.account = made.account;
    exchange.user = this.owner.address.toLowerCase();
    const approval = await this.command(["agent", "approval"]);
    const signature = await this.sign(approval.typed_data);
    await this.command(
      `agent approve --signature ${signature} --nonce ${approval.nonce} --agent ${approval.agent} --passphrase-file ${this.passphrase}`.split(
        " ",
      ),
    );
    exchange.agent = approval.agent.toLowerCase();
    await this.start(this.template, {});
    for (const bot of bots) this.keys.push(await this.grant(bot));
    await this.stop();
  }

  sign({ types, ...rest }) {
    const { EIP712Domain: _, ...named } = types;
    return this.owner.signTypedData({ ...rest, types: named });
  }

  async grant(bot) {
    const secret = `api_trade_${createHash("sha256").update(generatePrivateKey()).digest("hex")}`;
    const hash = createHash("sha256").update(secret).digest("hex");
    const rails =
      bot === null
        ? []
        : `--bot ${bot} --markets BTC,ETH,SOL,xyz:GOLD,PURR/USDC,@107 --may increase,reduce,modify,cancel,leverage,margin,twap,stop --max-order any --max-position any --max-exposure any --max-turnover-per-day any --max-loss-per-day ${LOSSES[bot] ?? "any"} --max-actions-per-day any --max-open-orders any --max-distance any --max-stop-distance any`
            .split(" ")
            .map((word) => word.replace("_", " "));
    const granted = await this.command(["key", "grant", "--key-hash", hash, ...rails]);
    const signature = await this.sign(granted.typed_data);
    const how =
      bot === null
        ? ["--issued-at", String(granted.issued_at ?? granted.typed_data.message.issuedAt)]
        : ["--grant", JSON.stringify(granted.grant)];
    await this.command(["key", "register", "--key-hash", hash, ...how, "--signature", signature]);
    return { bot, secret, hash };
  }

  copy(name) {
    const data = join(this.root, name);
    cpSync(this.template, data, { recursive: true });
    return data;
  }

  async start(data, settings) {
    this.kills = this.data === data ? this.kills : 0;
    this.deaths = this.data === data ? this.deaths : [];
    this.data = data;
    this.ending = false;
    this.settings = settings;
    this.process = spawn(BINARY, ["serve", "--data-dir", data, "--passphrase-file", this.passphrase], {
      env: {
        PATH: process.env.PATH,
        HOME: this.root,
        POSTERN_LISTEN: `127.0.0.1:${this.port}`,
        POSTERN_LIMIT_ORDERS: "0",
        POSTERN_LIMIT_CANCELS: "0",
        POSTERN_LIMIT_WRITES: "0",
        POSTERN_LIMIT_READS: "0",
        ...settings,
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.process.stderr.on("data", (part) => {
      this.log += part;
    });
    this.exited = new Promise((done) => this.process.on("exit", done));
    this.process.on("exit", (code, signal) => {
      if (signal !== "SIGKILL" && signal !== "SIGTERM" && !this.ending)
        this.deaths.push(`${code} ${signal} ${this.log.slice(-600)}`);
    });
    for (let i = 0; i < 200; i++) {
      try {
        if ((await fetch(`${this.url}/healthz`)).ok) break;
      } catch {
        await sleep(50);
      }
    }
    this.down = false;
  }

  async kill() {
    this.kills++;
    this.down = true;
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async stop() {
    this.down = true;
    this.ending = true;
    this.process.kill("SIGTERM");
    const hard = setTimeout(() => this.process.kill("SIGKILL"), 8000);
    await this.exited;
    clearTimeout(hard);
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** One request; what was told, between which moments, is kept for the judge. */
  async ask(who, method, path, body, key) {
    const headers = { Authorization: `Bearer ${who.secret}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const entry = {
      who: who.hash,
      method,
      path,
      body,
      key,
      from: Date.now(),
      to: null,
      status: 0,
      value: null,
      asOf: null,
    };
    try {
      const answer = await fetch(this.url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(15000),
      });
      const text = await answer.text();
      entry.to = Date.now();
      entry.status = answer.status;
      entry.asOf = answer.headers.get("x-data-as-of");
      entry.retryAfterMs = Number(answer.headers.get("retry-after") ?? 0) * 1000;
      entry.replayed = answer.headers.get("idempotent-replayed") === "true";
      entry.value = /^application\/json\b/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : text;
    } catch (error) {
      entry.to = Date.now();
      entry.failed = error.name === "TimeoutError" ? "timeout" : String(error.cause?.code ?? error.message);
    }
    this.told.push(entry);
    return entry;
  }
}
