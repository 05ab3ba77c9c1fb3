/** A data directory as an operator would set it up for mainnet, and the gateway that serves it. */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Wallet } from "ethers";
import { believeRows } from "../../src/ops/believe-rows.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { initialize } from "../../src/ops/initialize.ts";
import { openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { markAgentApproved } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { findInstance, type Instance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { UNLIMITED } from "../../test/crash/settings.ts";
import { grantText, signGrant } from "../../test/support/limited-key.ts";
import { SLEEPLESS } from "../../test/support/sleeping-timer.ts";
import { type Child, firstLine, spawn, waitFor } from "./processes.ts";

export type Scene = {
  directory: string;
  dataDirectory: string;
  account: string;
  agent: string;
  apiKey: string;
  limitedApiKey: string;
};

/** Whose account it is; nothing is worth anything here. */
const OWNER = new Wallet(`0x${"77".repeat(32)}`);
/** Rails on every amount that an order is judged by, none of which the bench reaches. */
const RAILS = {
  maxOrder: "1000000 USD",
  maxPosition: "1000000000 USD",
  maxExposure: "1000000000 USD",
  maxTurnoverPerDay: "1000000000 USD",
  maxActionsPerDay: "9999999",
  maxDistance: "5 %",
  maxOpenOrders: "900",
};

const SCOPES = ["trading:read", "trading:write"] as const;
const PASSPHRASE = "correct horse battery staple";

export async function setScene(directory: string, exchangeUrl: string): Promise<Scene> {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "passphrase"), `${PASSPHRASE}\n`, { mode: 0o600 });
  const dataDirectory = join(directory, "data");
  const nowMs = Date.now();
  const random = (count: number) => new Uint8Array(randomBytes(count));
  const { account, agent } = await initialize({
    places: placesIn(dataDirectory),
    processId: process.pid,
    network: "mainnet",
    exchangeUrl,
    owner: OWNER.address.toLowerCase(),
    label: "bench",
    passphrase: PASSPHRASE,
    vaultCost: "person",
    clock: { nowMs: () => nowMs, elapsedMs: () => performance.now(), ...SLEEPLESS },
    randomBytes: random,
  });
  const apiKey = `api_trade_${Buffer.from(random(32)).toString("hex")}`;
  const limitedApiKey = `api_trade_${Buffer.from(random(32)).toString("hex")}`;
  const audience = "http://127.0.0.1:8787";
  const limited = grantText(limitedApiKey, nowMs, {
    ...RAILS,
    audience,
    network: "mainnet",
    account: account.id,
    owner: account.ownerAddress,
    tradingAddress: account.tradingAddress,
  });
  const signature = await signGrant(OWNER.privateKey, limited);
  const vaultKey = await vaultKeyOf(instanceIn(dataDirectory), PASSPHRASE);
  changeDatabase(dataDirectory, (store) => {
    // As the gateway would, so that it believes what is written here.
    const keyring = openKeyring({ store, network: "mainnet", vaultKey, randomBytes: random });
    believeRows({ store, keyring, clock: { nowMs: () => nowMs }, tell: ({ what }) => console.error(what) });
    markAgentApproved(store, agent.address, { approvedAtMs: nowMs, validUntilMs: null });
    insertApiKey(store, {
      keyHash: keyHash(apiKey),
      accountId: account.id,
      scopes: [...SCOPES],
      issuedAtMs: nowMs,
      registeredAtMs: nowMs,
    });
    const expiresAtMs = nowMs + 90 * 86_400_000;
    const limitedKey = { keyHash: keyHash(limitedApiKey), accountId: account.id, scopes: [...SCOPES] };
    const grant = { audience, network: "mainnet", expiresAtMs, signature, limited };
    insertApiKey(store, { ...limitedKey, issuedAtMs: nowMs, registeredAtMs: nowMs }, grant);
  });
  return { directory, dataDirectory, account: account.id, agent: agent.address, apiKey, limitedApiKey };
}

function instanceIn(dataDirectory: string): Instance {
  const store = openStore(placesIn(dataDirectory).database);
  const instance = findInstance(store);
  closeStore(store);
  if (instance === null) throw new Error("the directory was not set up");
  return instance;
}

export function changeDatabase(dataDirectory: string, change: (store: Store) => void): void {
  const store = openStore(placesIn(dataDirectory).database);
  try {
    change(store);
  } finally {
    closeStore(store);
  }
}

export type Gateway = Child & {
  url: string;
  /** Milliseconds from the start of the process to its first 200 of `/healthz` and of `/readyz`. */
  healthyAfterMs: number;
  readyAfterMs: number;
};

/** What `scripts/systemd/postern.service` sets for the runtime. */
export const AS_INSTALLED = { BUN_JSC_forceRAMSize: "1073741824", BUN_JSC_useFTLJIT: "0" };

/** Starts the executable on this port of the loopback. */
export async function startGateway(executable: string, scene: Scene, port: number): Promise<Gateway> {
  const startedMs = performance.now();
  const listen = `127.0.0.1:${port}`;
  const words = ["--listen", listen, "--passphrase-file", join(scene.directory, "passphrase")];
  const child = spawn({
    command: [executable, "serve", "--json", "--data-dir", scene.dataDirectory, ...words],
    environment: { ...UNLIMITED, ...AS_INSTALLED },
    log: join(scene.directory, "gateway.log"),
  });
  const url = `http://${listen}`;
  await waitFor(url, "/healthz");
  const healthyAfterMs = performance.now() - startedMs;
  await waitFor(url, "/readyz");
  const readyAfterMs = performance.now() - startedMs;
  await firstLine(child);
  return { ...child, url, healthyAfterMs, readyAfterMs };
}

/** A port of the loopback that is free now. */
export function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  if (port === undefined) throw new Error("no port");
  return port;
}
