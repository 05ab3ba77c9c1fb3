// Accounts, agents and keys, made once: a data directory from which each round starts with a copy.
import crypto from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { Exchange } from "./exchange.mjs";
import { Gateway, owner, sign } from "./gateway.mjs";
import { ACCOUNTS, markets } from "./markets.mjs";
import { now, sleep } from "./random.mjs";

const network = "exchange_mainnet";
const scopes = ["trading:read", "trading:write"];
const rails = Object.entries({
  markets: "any",
  may: "increase,reduce,modify,cancel,twap,stop",
  "max-order": "any",
  "max-position": "any",
  "max-exposure": "any",
  "max-turnover-per-day": "any",
  "max-loss-per-day": "any",
  "max-actions-per-day": "any",
  "max-open-orders": "any",
  "max-distance": "any",
  "max-stop-distance": "any",
}).flatMap(([name, value]) => [`--${name}`, value]);

async function freePorts() {
  const servers = [net.createServer(), net.createServer()];
  const ports = [];
  for (const server of servers) {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push(server.address().port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

function newKey() {
  const key = `api_trade_${crypto.randomBytes(32).toString("hex")}`;
  return { key, hash: crypto.createHash("sha256").update(key).digest("hex") };
}

async function register(gateway, route, body) {
  const answer = await gateway.request("POST", route, { body });
  if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

async function addAccount(gateway, i, exchangeUrl) {
  const { address } = owner(i);
  const unlocked = { needsPassphrase: true };
  const made =
    i === 0
      ? await gateway.command(
          ["init", "--network", "paper", "--exchange-url", exchangeUrl, "--owner", address],
          unlocked,
        )
      : await gateway.command(["account", "add", "--address", address, "--label", `a${i}`], unlocked);
  const id = i === 0 ? made.account : made.id;
  // The agent may have been made together with the account.
  if (i > 0) await gateway.command(["agent", "new", "--account", id], unlocked).catch(() => undefined);
  const { agents } = await gateway.command(["agent", "list"]);
  const agent = agents.find((one) => one.owner === address.toLowerCase());
  const approval = await gateway.command(["agent", "approval", "--agent", agent.address]);
  const signature = await sign(i, approval.typed_data);
  await gateway.command(
    ["agent", "approve", "--agent", agent.address, "--signature", signature, "--nonce", String(approval.nonce)],
    unlocked,
  );
  return { i, id, owner: address.toLowerCase(), agent: agent.address, agentName: agent.name, keys: {} };
}

async function plainKey(gateway, { i, id }, { domain, types, audience }) {
  const { key, hash } = newKey();
  const issuedAt = now();
  const signature = await sign(i, {
    domain,
    types: { ApiKeyGrant: types.ApiKeyGrant },
    primaryType: "ApiKeyGrant",
    message: {
      audience,
      account: id,
      network,
      keyHash: `0x${hash}`,
      scopes: scopes.join(","),
      issuedAt: BigInt(issuedAt),
      expiresAt: 0n,
    },
  });
  const consent = { account: id, network, key_hash: hash, policy: { scopes }, issued_at: issuedAt, expires_at: null };
  await register(gateway, "/v1/api-keys", { consent, signature });
  return key;
}

async function limitedKey(gateway, { i, id }, [bot, touches]) {
  const { key, hash } = newKey();
  const printed = await gateway.command([
    "key",
    "grant",
    "--key-hash",
    hash,
    "--account",
    id,
    "--bot",
    bot,
    ...rails,
    "--touches",
    touches,
  ]);
  const signature = await sign(i, printed.typed_data);
  await register(gateway, "/v1/api-keys/limited", { grant: printed.grant, signature });
  return key;
}

// In `dir`: `data`, `passphrase`, and `accounts.json`, which also names the ports: the grants are bound to the gateway's.
export async function setUp(binary, dir, wanted) {
  const file = path.join(dir, "accounts.json");
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, "utf8"));
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const passphrase = path.join(dir, "passphrase");
  fs.writeFileSync(passphrase, `${crypto.randomBytes(24).toString("base64")}\n`, { mode: 0o600 });
  const [exchangePort, port] = wanted ?? (await freePorts());
  const exchange = new Exchange({ port: exchangePort, markets: markets(), seed: 1 });
  await exchange.start();
  const gateway = new Gateway({ binary, passphrase, port }, path.join(dir, "data"));
  try {
    const accounts = [];
    for (let i = 0; i < ACCOUNTS; i++) accounts.push(await addAccount(gateway, i, `http://127.0.0.1:${exchangePort}`));
    gateway.start();
    const until = now() + 30_000;
    while (!(await gateway.request("GET", "/healthz", { timeout: 1000 }).catch(() => null))) {
      if (now() > until || !gateway.up) throw new Error("the gateway does not listen");
      await sleep(100);
    }
    const typed = (await gateway.request("GET", "/v1/api-keys/typed-data")).body;
    for (const account of accounts) {
      for (const name of ["plain", "plain2"]) account.keys[name] = await plainKey(gateway, account, typed);
      for (const [bot, touches] of [
        ["bota", "own"],
        ["botb", "own"],
        ["botall", "all"],
      ])
        account.keys[bot] = await limitedKey(gateway, account, [bot, touches]);
    }
    const made = { exchangePort, port, accounts };
    await gateway.end("SIGTERM");
    fs.writeFileSync(file, JSON.stringify(made, null, 1), { mode: 0o600 });
    return made;
  } finally {
    await gateway.end();
    exchange.stop();
  }
}
