// The gateway of an owner who has signed what each of his bots may come to, and everything round it.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, Gateway, newOwner } from "../stranger/gateway.mjs";
import { Line } from "./line.mjs";
import { Tools } from "./tools.mjs";

export const RAIL_USD = 3_000;
/** Each in a market of its own, so that the exchange's books say whose doing it is. `digits`: decimals of a size there. */
export const BOTS = [
  { coin: "BTC", digits: 5 },
  { coin: "ETH", digits: 4 },
  { coin: "ATOM", digits: 2 },
  { coin: "DYDX", digits: 1 },
  { coin: "SOL", digits: 2 },
];

const SETTINGS = {
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_LIMIT_WRITES: "0",
  POSTERN_LIMIT_READS: "0",
  POSTERN_EXCHANGE_WEIGHT: "0",
  POSTERN_ACTION_LIFE_MS: "5000",
  POSTERN_ANSWER_DEADLINE_MS: "1000",
  POSTERN_LOG_LEVEL: "warn",
};

const RAILS = {
  may: "increase,reduce,modify,cancel,stop",
  max_order: "1500 USD",
  max_position: `${RAIL_USD} USD`,
  max_exposure: `${RAIL_USD} USD`,
  max_turnover_per_day: "any",
  max_loss_per_day: "any",
  max_actions_per_day: "any",
  max_distance: "2 %",
  max_stop_distance: "10 %",
  max_leverage: "any",
  max_open_orders: "40",
  touches: "own",
  sources: "any",
};

export const openHouse = async ({ binary, chance }) => {
  const owner = newOwner();
  const exchange = await openExchange(binary, owner.address);
  const railUsd = Object.fromEntries(BOTS.map(({ coin }) => [coin, String(RAIL_USD)]));
  const line = new Line({ exchangeUrl: exchange.url, user: owner.address, railUsd, chance });
  await line.listen();
  const hooksPort = await freePort();
  const settings = { ...SETTINGS, POSTERN_HOOKS_LISTEN: `127.0.0.1:${hooksPort}` };
  const gateway = new Gateway({ binary, owner, exchangeUrl: line.url, settings });
  const house = { owner, exchange, line, gateway, hooksUrl: `http://127.0.0.1:${hooksPort}`, bots: [], close };
  process.on("exit", end);
  // Also where this program breaks: nothing that it has started outlives it.
  function end() {
    exchange.kill();
    gateway.child?.kill("SIGKILL");
  }
  async function close() {
    for (const { tools } of house.bots) await tools.kill();
    await gateway.stop();
    line.close();
    exchange.kill();
    process.off("exit", end);
  }
  try {
    await gateway.init();
    await gateway.start();
    if (!(await gateway.ready(60_000))) throw new Error("the gateway was never ready");
    await gateway.register();
    for (const [nth, bot] of BOTS.entries()) house.bots.push(await openBot(house, { ...bot, nth }));
    house.keysBefore = await keysOf(house);
    return house;
  } catch (error) {
    await close();
    throw error;
  }
};

const openExchange = async (binary, address) => {
  const child = spawn(binary, ["paper", "--listen", "127.0.0.1:0", "--json", "--fund", address], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const first = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      if (text.includes("\n")) resolve(JSON.parse(text.split("\n")[0]));
    });
    child.on("exit", () => reject(new Error("the exchange did not start")));
  });
  return { url: first.exchange_url ?? first.url ?? first.base_url, kill: () => child.kill("SIGKILL") };
};

/** One key for `/v1` and the hook, one for the tools: two doors of one bot. */
const openBot = async (house, { coin, digits, nth }) => {
  const { gateway } = house;
  const name = `bot-${coin.toLowerCase()}`;
  const key = await grant(house, { bot: name, markets: coin });
  const toolsKey = await grant(house, { bot: name, markets: coin });
  const mode = nth === BOTS.length - 1 ? "target" : "order";
  const words = ["hook", "create", "--key-hash", key.hash, "--name", `hook-${nth}`, "--mode", mode];
  const { url } = await gateway.command(...words, "--public-url", house.hooksUrl);
  const keys = join(gateway.home, name);
  mkdirSync(keys);
  const keyFile = join(keys, "key");
  writeFileSync(keyFile, `${toolsKey.key}\n`, { mode: 0o600 });
  const tools = new Tools({ binary: gateway.binary, keyFile, url: gateway.url });
  return {
    name,
    coin,
    digits,
    key,
    tools,
    hook: { url, mode },
    orders: [],
    wishes: [],
    stop: null,
    endedStops: new Set(),
  };
};

const grant = async ({ gateway, owner }, rails) => {
  const { domain, types, audience } = await (await fetch(`${gateway.url}/v1/api-keys/typed-data`)).json();
  const key = `api_trade_${randomBytes(32).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  const text = {
    account: gateway.account,
    network: "paper",
    owner: owner.address.toLowerCase(),
    trading_address: owner.address.toLowerCase(),
    key_hash: hash,
    scopes: "trading:read,trading:write",
    ...RAILS,
    ...rails,
    issued_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  };
  const message = { audience };
  for (const [name, value] of Object.entries(text)) message[name.replace(/_(\w)/g, (_, c) => c.toUpperCase())] = value;
  const signature = await owner.signTypedData(domain, { LimitedKeyGrant: types.LimitedKeyGrant }, message);
  const answer = await fetch(`${gateway.url}/v1/api-keys/limited`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ grant: text, signature }),
  });
  if (answer.status !== 201) throw new Error(`grant: ${answer.status} ${await answer.text()}`);
  return { key, hash, grant: text, signature };
};

/** Each key and what it may do, as text. */
export const keysOf = async ({ gateway }) => {
  const { body, http } = await gateway.ask("GET", "/v1/api-keys");
  if (http !== 200) throw new Error(`the list of keys: ${http}`);
  return body.data
    .map(({ key_hash, scopes, limits }) => JSON.stringify({ key_hash, scopes, rails: limits?.rails ?? null }))
    .sort();
};
