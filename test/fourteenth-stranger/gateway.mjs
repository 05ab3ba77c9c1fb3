// A gateway of its own for each scene, and its clients.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openVenue } from "./venue/serve.mjs";

const BINARY = process.env.POSTERN_BINARY ?? new URL("../../dist/postern", import.meta.url).pathname;
// The gateway has the rest of this environment, and refuses what is no setting of its own.
delete process.env.POSTERN_BINARY;

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(what, ask, ms = 30000, every = 200) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await wait(every);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function command(gateway, ...words) {
  return new Promise((resolve) => {
    execFile(
      BINARY,
      [...words, "--data-dir", gateway.directory],
      { env: { ...process.env, ...gateway.environment }, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr });
      },
    );
  });
}

export function client(gateway, key, name) {
  let count = 0;
  const call = async (method, path, body, idempotencyKey) => {
    const headers = { Authorization: `Bearer ${key}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method === "POST") headers["Idempotency-Key"] = idempotencyKey ?? `${name}-${Date.now()}-${++count}`;
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    let data = text;
    try {
      data = JSON.parse(text);
    } catch {}
    return {
      status: answer.status,
      data,
      asOf: answer.headers.get("x-data-as-of"),
      retryAfter: answer.headers.get("retry-after"),
    };
  };
  const self = {
    key,
    name,
    call,
    hash: createHash("sha256").update(key).digest("hex"),
    get: (path) => call("GET", path),
    post: (path, body = {}, idempotencyKey) => call("POST", path, body, idempotencyKey),
    // In words: "buy 0.1 ETH at 2010".
    order: (words, more = {}) => {
      const [side, size, market, , price] = words.split(" ");
      return call("POST", "/v1/orders", { account: gateway.account, market, side, size, price, ...more });
    },
    all: (path) => pages(self, path),
  };
  return self;
}

async function pages(self, path) {
  const rows = [];
  let cursor = null;
  let asOf = null;
  for (;;) {
    const mark = path.includes("?") ? "&" : "?";
    const answer = await self.get(
      `${path}${mark}limit=500${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (answer.status === 429) {
      await wait(1000 * Number(answer.retryAfter ?? 1));
      continue;
    }
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.data)}`);
    rows.push(...answer.data.data);
    if (cursor === null) asOf = answer.asOf;
    if (!answer.data.has_more) return { rows, asOf };
    cursor = answer.data.next_cursor;
  }
}

export async function plainKey(gateway, name, scopes = ["trading:read", "trading:write"]) {
  const key = `api_trade_${randomBytes(32).toString("hex")}`;
  const keyHash = createHash("sha256").update(key).digest("hex");
  const { domain, types, audience } = await (await fetch(`${gateway.url}/v1/api-keys/typed-data`)).json();
  const [network, issuedAt] = ["exchange_mainnet", Date.now()];
  const message = {
    audience,
    account: gateway.account,
    network,
    keyHash: `0x${keyHash}`,
    scopes: scopes.join(","),
    issuedAt: BigInt(issuedAt),
    expiresAt: 0n,
  };
  const signature = await gateway.owner.signTypedData({
    domain,
    types: { ApiKeyGrant: types.ApiKeyGrant },
    primaryType: "ApiKeyGrant",
    message,
  });
  const consent = { account: gateway.account, network, key_hash: keyHash, policy: { scopes }, issued_at: issuedAt };
  const answer = await fetch(`${gateway.url}/v1/api-keys`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ consent, signature }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return client(gateway, key, name);
}

// `rails` are words of the command: { "max-order": "500 USD", … }.
export async function botKey(gateway, bot, rails) {
  const key = `api_trade_${randomBytes(32).toString("hex")}`;
  const keyHash = createHash("sha256").update(key).digest("hex");
  const words = Object.entries(rails).flatMap(([name, value]) => [`--${name}`, value]);
  const granted = await command(gateway, "key", "grant", "--key-hash", keyHash, "--bot", bot, ...words, "--json");
  if (granted.code !== 0) throw new Error(granted.stderr + granted.stdout);
  const printed = JSON.parse(granted.stdout);
  const typed = printed.typed_data ?? printed;
  const { EIP712Domain, ...types } = typed.types;
  const signature = await gateway.owner.signTypedData({
    domain: typed.domain,
    types,
    primaryType: typed.primaryType,
    message: typed.message,
  });
  const answer = await fetch(`${gateway.url}/v1/api-keys/limited`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ grant: printed.grant, signature }),
  });
  if (answer.status !== 201) throw new Error(`${await answer.text()} ${granted.stdout}`);
  return client(gateway, key, bot);
}

async function approveAgent(gateway) {
  const approval = await command(gateway, "agent", "approval", "--json");
  if (approval.code !== 0) throw new Error(approval.stderr);
  const printed = JSON.parse(approval.stdout);
  const typed = printed.typed_data ?? printed;
  const { EIP712Domain, ...types } = typed.types;
  const signature = await gateway.owner.signTypedData({
    domain: typed.domain,
    types,
    primaryType: typed.primaryType,
    message: typed.message,
  });
  const more = [];
  if (printed.agent ?? printed.agent_address) more.push("--agent", printed.agent ?? printed.agent_address);
  if (printed.nonce) more.push("--nonce", String(printed.nonce));
  if (printed.valid_until) more.push("--valid-until", String(printed.valid_until));
  const done = await command(
    gateway,
    "agent",
    "approve",
    "--signature",
    signature,
    ...more,
    "--passphrase-file",
    gateway.passphrase,
    "--json",
  );
  if (done.code !== 0) throw new Error(`${done.stderr} ${done.stdout} ${approval.stdout}`);
}

export function startProcess(gateway) {
  const child = spawn(
    BINARY,
    [
      "serve",
      "--passphrase-file",
      gateway.passphrase,
      "--data-dir",
      gateway.directory,
      "--listen",
      `127.0.0.1:${gateway.port}`,
    ],
    { env: { ...process.env, ...gateway.environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  gateway.child = child;
  // A scene that fails leaves nothing running.
  process.once("exit", () => child.kill("SIGKILL"));
  child.stderr.on("data", (part) => gateway.log.push(String(part)));
  child.stdout.on("data", () => {});
  return until(
    "the gateway answers",
    () =>
      fetch(`${gateway.url}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      ),
    20000,
  );
}

export function kill(gateway, signal = "SIGKILL") {
  return new Promise((resolve) => {
    if (gateway.child.exitCode !== null || gateway.child.signalCode !== null) return resolve();
    gateway.child.once("exit", resolve);
    gateway.child.kill(signal);
    return undefined;
  });
}

export async function openGateway(settings = {}) {
  const owner = privateKeyToAccount(generatePrivateKey());
  const venue = await openVenue(owner.address);
  settings.before?.(venue);
  const directory = mkdtempSync(join(tmpdir(), "fourteenth-"));
  const port = await freePort();
  const gateway = {
    owner,
    venue,
    directory: join(directory, "data"),
    port,
    url: `http://127.0.0.1:${port}`,
    log: [],
    passphrase: join(directory, "passphrase"),
  };
  gateway.environment = {
    POSTERN_LISTEN: `127.0.0.1:${port}`,
    POSTERN_EXCHANGE_WEIGHT: "0",
    POSTERN_LIMIT_ORDERS: "0",
    POSTERN_LIMIT_CANCELS: "0",
    POSTERN_LIMIT_WRITES: "0",
    POSTERN_LIMIT_READS: "0",
    ...settings.environment,
  };
  writeFileSync(gateway.passphrase, randomBytes(16).toString("hex"), { mode: 0o600 });
  const made = await command(
    gateway,
    "init",
    "--network",
    "paper",
    "--owner",
    owner.address,
    "--exchange-url",
    venue.url,
    "--passphrase-file",
    gateway.passphrase,
    "--json",
  );
  if (made.code !== 0) throw new Error(made.stderr + made.stdout);
  const printed = JSON.parse(made.stdout);
  gateway.account = printed.account?.id ?? printed.account ?? printed.account_id;
  await startProcess(gateway);
  await approveAgent(gateway);
  gateway.end = async () => {
    await kill(gateway, "SIGTERM");
    venue.end();
    if (!process.env.KEEP) rmSync(directory, { recursive: true, force: true });
  };
  await until(
    "writes are open",
    () =>
      fetch(`${gateway.url}/readyz`)
        .then((answer) => answer.json())
        .then((ready) => {
          gateway.ready = ready;
          return phaseOf(ready);
        }),
    40000,
  );
  return gateway;
}

function phaseOf(ready) {
  return JSON.stringify(ready).includes("ready") && !JSON.stringify(ready).includes("starting");
}
