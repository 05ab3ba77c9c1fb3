// The executable as its owner meets it: made, approved, granted, started, killed.
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { sleep } from "./codec.mjs";

const freePort = () =>
  new Promise((done) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** A gateway of one owner with a main account, a sub-account and a vault, before `exchange`. */
export async function makeGateway(binary, exchange, settings = {}) {
  const directory = mkdtempSync(join(tmpdir(), "seventh-"));
  const passphrase = join(directory, "passphrase");
  writeFileSync(passphrase, `${randomBytes(18).toString("base64")}\n`, { mode: 0o600 });
  const port = await freePort();
  const gateway = {
    binary,
    directory,
    port,
    url: `http://127.0.0.1:${port}`,
    owner: privateKeyToAccount(generatePrivateKey()),
    accounts: {},
    keys: {},
    process: null,
    log: "",
    data: join(directory, "data"),
    passphrase,
    settings: { POSTERN_DEXES: "xyz,flx", POSTERN_LOG_LEVEL: "warn", ...settings },
    exchange,
  };
  gateway.ownerAddress = gateway.owner.address.toLowerCase();
  const command = (...args) => run(gateway, args);
  const init = await command(
    "init",
    "--network",
    "paper",
    "--exchange-url",
    exchange.url,
    "--owner",
    gateway.ownerAddress,
    "--passphrase-file",
    passphrase,
  );
  gateway.accounts.main = { id: init.account, address: gateway.ownerAddress };
  gateway.agent = init.agent;
  const { chain } = exchange;
  chain.fund(gateway.ownerAddress);
  for (const kind of ["subaccount", "vault"]) {
    const address = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    chain.fund(address).isVault = kind === "vault";
    chain.masters.set(address, gateway.ownerAddress);
    const added = await command(
      "account",
      "add",
      "--label",
      kind,
      "--kind",
      kind,
      "--address",
      address,
      "--parent",
      init.account,
      "--passphrase-file",
      passphrase,
    );
    gateway.accounts[kind] = { id: added.account ?? added.id, address };
  }
  await start(gateway);
  await approveAgent(gateway);
  for (const name of Object.keys(gateway.accounts))
    gateway.keys[name] = await grant(gateway, gateway.accounts[name].id);
  gateway.end = () => {
    gateway.process?.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  return gateway;
}

function run(gateway, args) {
  return new Promise((done, fail) => {
    execFile(
      gateway.binary,
      [...args, "--data-dir", gateway.data, "--json"],
      { timeout: 60000 },
      (error, stdout, stderr) => {
        if (error) fail(new Error(`${args.join(" ")}: ${stderr}${stdout}`));
        else done(JSON.parse(stdout.trim().split("\n").pop()));
      },
    );
  });
}

export async function start(gateway) {
  const environment = {
    PATH: process.env.PATH,
    HOME: gateway.directory,
    POSTERN_LISTEN: `127.0.0.1:${gateway.port}`,
    ...gateway.settings,
  };
  const child = spawn(gateway.binary, ["serve", "--data-dir", gateway.data, "--passphrase-file", gateway.passphrase], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  gateway.process = child;
  process.once("exit", () => child.kill("SIGKILL"));
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      gateway.log += chunk;
    });
  const end = Date.now() + 30000;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`the gateway has ended: ${gateway.log.slice(-2000)}`);
    const up = await fetch(`${gateway.url}/healthz`).then(
      (r) => r.ok,
      () => false,
    );
    if (up) return;
    await sleep(100);
  }
  throw new Error(`the gateway does not come up: ${gateway.log.slice(-2000)}`);
}

export async function killAndStart(gateway) {
  gateway.process.kill("SIGKILL");
  await new Promise((done) => gateway.process.once("exit", done));
  await start(gateway);
}

async function approveAgent(gateway) {
  const approval = await run(gateway, ["agent", "approval"]);
  const { domain, types, message } = approval.ethers;
  const signature = await gateway.owner.signTypedData({
    domain,
    types,
    primaryType: approval.typed_data.primaryType,
    message,
  });
  await run(gateway, [
    "agent",
    "approve",
    "--agent",
    approval.agent,
    "--signature",
    signature,
    "--nonce",
    String(approval.nonce),
    "--passphrase-file",
    gateway.passphrase,
  ]);
}

/** A plain key of an account, registered by the owner's signature. */
export async function grant(gateway, account, scopes = ["trading:read", "trading:write"]) {
  const key = `api_trade_${randomBytes(32).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  const typed = await run(gateway, [
    "key",
    "grant",
    "--key-hash",
    hash,
    "--account",
    account,
    "--scopes",
    scopes.join(","),
    "--listen",
    `127.0.0.1:${gateway.port}`,
  ]);
  const signature = await gateway.owner.signTypedData({ ...typed.ethers, primaryType: typed.typed_data.primaryType });
  const body = {
    consent: {
      account,
      network: "exchange_mainnet",
      key_hash: hash,
      policy: { scopes: [...scopes].sort() },
      issued_at: typed.issued_at,
    },
    signature,
  };
  const response = await fetch(`${gateway.url}/v1/api-keys`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`key: ${response.status} ${await response.text()}`);
  return { key, hash, account };
}

/** Revoked by the owner's signature. */
export async function revoke(gateway, key) {
  const typed = await run(gateway, [
    "key",
    "revoke",
    "--key-hash",
    key.hash,
    "--account",
    key.account,
    "--listen",
    `127.0.0.1:${gateway.port}`,
  ]);
  const data = typed.ethers ?? typed.typed_data;
  const types = Object.fromEntries(Object.entries(data.types).filter(([name]) => name !== "EIP712Domain"));
  const signature = await gateway.owner.signTypedData({
    domain: data.domain,
    types,
    primaryType: typed.typed_data.primaryType,
    message: data.message,
  });
  const response = await fetch(`${gateway.url}/v1/api-keys/revoke`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ account: key.account, key_hash: key.hash, signature }),
  });
  return response.status;
}
