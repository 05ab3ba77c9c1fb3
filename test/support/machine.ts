/**
 * Gateways with data directories of their own at one paper exchange and under one clock that stands: what happens when
 * one machine is lost and another takes its place.
 */
import { existsSync } from "node:fs";
import { type Account, type Agent, API_NETWORK, type Scope } from "../../src/core/account.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { LogFields, Settings } from "../../src/deps.ts";
import type { Transport } from "../../src/exchange/transport.ts";
import { type Gateway, openGateway } from "../../src/gateway.ts";
import { storeAccount } from "../../src/ops/add-account.ts";
import { approvalOf, approveOwnAgent } from "../../src/ops/approve-agent.ts";
import { believeNothingYet, believeRows } from "../../src/ops/believe-rows.ts";
import { type Places, placesIn } from "../../src/ops/data-directory.ts";
import { type Keyring, openKeyring, vaultKeyOf } from "../../src/ops/keyring.ts";
import { newAgent } from "../../src/ops/new-agent.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange } from "../../src/paper/paper-exchange.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { appendAudit } from "../../src/store/audit.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findSealedInstance, type Instance, insertInstance } from "../../src/store/instance.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import type { RowFault } from "../../src/store/sealed-rows.ts";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import { approvalTypedData } from "../../src/wire/approval.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { grantTypedData } from "../../src/wire/grant-data.ts";
import type { TypedData } from "../../src/wire/wallet-form.ts";
import { type Wallet, walletOf } from "../cli/wallet.ts";
import { TEST_HOST, testRequest } from "./request.ts";
import { withSleep } from "./sleeping-timer.ts";
import { type StillClock, stillClock } from "./still-clock.ts";
import { syncInTurn } from "./sync-in-turn.ts";

export const START_MS = 1_795_253_400_000;
export const OWNER = walletOf(new Uint8Array(32).fill(0x51));
export const API_KEY = `api_trade_${"a".repeat(64)}`;
const STRANGERS_KEY = new Uint8Array(32).fill(0x52);
const STRANGER = addressOfKey(STRANGERS_KEY);
export const PASSPHRASE = "correct horse battery staple";

export const ACCOUNT: Account = {
  id: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  label: "main",
  kind: "main",
  parentId: null,
  ownerAddress: OWNER.address,
  tradingAddress: OWNER.address,
  createdAtMs: START_MS,
};

export type World = {
  clock: StillClock;
  paper: PaperExchange;
  trade(some: Limit): Promise<void> /** Client order ids of every order that our account ever had there. */;
  placed(): Promise<string[]>;
};

/** The exchange, and a stranger to trade with. */
export function openWorld(): World {
  const clock = stillClock(START_MS);
  const nowMs = () => START_MS + clock.elapsedMs();
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    fund: [OWNER.address, STRANGER],
    prices: { kind: "scripted" },
    hasMarketMaker: false,
    nowMs,
    sleep: (ms) => clock.sleep(ms),
  });
  const stranger = openSigners({ network: "paper", keys: [{ address: STRANGER, privateKey: STRANGERS_KEY.slice() }] });
  return {
    clock,
    paper,
    async trade({ side, size, price }) {
      const order = { a: 0, b: side === "buy", p: decimal(price), s: decimal(size), r: false };
      const limited = { ...order, t: { limit: { tif: "Gtc" as const } } };
      const action = { type: "order" as const, orders: [limited], grouping: "na" as const };
      const nonce = nowMs();
      const signed = { agentAddress: STRANGER, action, nonce, vaultAddress: null, expiresAfter: nonce + 60_000 };
      const reply = await (await post(paper, "/exchange", stranger.sign(signed))).text();
      if (reply.includes("error") || !reply.includes('"ok"')) throw new Error(`the stranger was refused: ${reply}`);
    },
    async placed() {
      const read = async (type: string) => {
        const answer = await post(paper, "/info", JSON.stringify({ type, user: OWNER.address }));
        return (await answer.json()) as { order?: { cloid: string }; cloid?: string }[];
      };
      const rows = [...(await read("historicalOrders")), ...(await read("frontendOpenOrders"))];
      return [...new Set(rows.flatMap((row) => row.order?.cloid ?? row.cloid ?? []))];
    },
  };
}

type Limit = { side: "buy" | "sell"; size: string; price: string };

function post(paper: PaperExchange, path: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return paper.handle(new Request(`http://paper.test${path}`, { method: "POST", headers, body }));
}

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

export type Machine = {
  places: Places;
  store: Store;
  gateway: Gateway;
  keyring: Keyring;
  log: { level: string; fields: LogFields; message: string }[];
  /** Milliseconds that the next sends take to arrive, in order; their answers are lost. */
  lateMs: number[];
  ask(route: string, body?: object, key?: string, apiKey?: string): Promise<Answer>;
  /** Makes an agent key and has its owner approve it. */
  newAgent(): Promise<Agent>;
  /** Nothing more leaves it or reaches it. What was on its way arrives all the same. */
  lose(): Promise<void>;
};

/** Cost of the key derivation, as low as it may be. */
const CHEAP = { kdf: "scrypt", n: 2 ** 14, r: 8, p: 1, salt: "07".repeat(32) } as const;

/**
 * A machine on this directory, set up first where there is nothing.
 *
 * @param installation of its own: machines of one number are copies of each other
 */
export async function openMachine(world: World, directory: string, installation = 7): Promise<Machine> {
  const { clock, paper } = world;
  const places = placesIn(directory);
  const isNew = !existsSync(places.database);
  const store = openStore(places.database, { syncOf: syncInTurn });
  const vaultKey = await vaultKeyOf(instanceOf(installation), PASSPHRASE);
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const keyring = openKeyring({ store, network: "paper", vaultKey, randomBytes });
  let isLost = false;
  const log: Machine["log"] = [];
  const note = (level: string) => (fields: LogFields, message: string) => void log.push({ level, fields, message });
  const tell = ({ kind, what }: RowFault) => note("error")({ kind, reason: what }, "changed from outside");
  const believing = { store, keyring, clock, tell };
  if (isNew) {
    believeNothingYet(believing);
    setUp(store, installation);
  }
  believeRows(believing);
  keyring.reload();
  const instance = findSealedInstance(store);
  if (instance === null) throw new Error("the directory was not set up");
  const gone = new Promise<never>(() => undefined);
  const transport: Transport = async (url, { body }) => {
    if (isLost) return gone;
    const path = new URL(url).pathname;
    const lateMs = path === "/exchange" ? machine.lateMs.shift() : undefined;
    if (lateMs === undefined) return post(paper, path, body);
    await clock.sleep(lateMs);
    await post(paper, path, body);
    throw Object.assign(new Error("ECONNRESET"), { code: "ECONNRESET" });
  };
  const gateway = openGateway({
    settings: SETTINGS,
    instance,
    store,
    signers: keyring.signers,
    transport,
    socket: null,
    clock: withSleep(clock, (ms) => clock.sleep(ms).then(() => (isLost ? gone : undefined))),
    schedule: (run) => void setImmediate(() => (isLost ? undefined : run())),
    randomBytes,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    exchangeWeightPerMinute: 1_200,
    trustedProxies: [],
  });
  const operator = { store, clock, randomBytes, network: "paper", keyring, exchange: gateway.deps.exchange } as const;
  const machine: Machine = {
    places,
    store,
    gateway,
    keyring,
    log,
    lateMs: [],
    async ask(route, body, key, apiKey = API_KEY) {
      const [method = "", path = ""] = route.split(" ");
      const request = testRequest({
        method,
        path,
        apiKey,
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      const response = await waitFor(clock, Promise.resolve(gateway.server.handle(request, "10.0.0.1")));
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
    async newAgent() {
      const agent = newAgent(operator, OWNER.address);
      const nonce = clock.nowMs();
      const data = asTypedData(approvalTypedData(approvalOf("paper", agent, nonce)));
      const approval = { agentAddress: agent.address, nonce, signature: OWNER.sign(data) };
      return waitFor(clock, approveOwnAgent(operator, approval));
    },
    async lose() {
      isLost = true;
      await clock.advance(0);
      closeStore(store);
    },
  };
  void gateway.start();
  await clock.advance(1_000);
  return machine;
}

const OFF = { perSecond: 0, burst: 0 };

const SETTINGS: Settings = {
  network: "paper" as const,
  version: "0.0.0-test",
  audience: "paper+http://127.0.0.1:8787",
  allowedHosts: [TEST_HOST],
  dexes: ["xyz"],
  builder: null,
  limits: {
    orders: OFF,
    cancels: OFF,
    otherWrites: OFF,
    reads: OFF,
    failedAuthenticationsPerMinute: 0,
    failedRegistrationsPerMinute: 0,
    failedRevocationsPerMinute: 0,
  },
  timings: { answerDeadlineMs: 8_000, actionLifeMs: 12_000, startUpDeadlineMs: 15_000, maxReadAgeMs: 10_000 },
  areSpotTriggersSent: false,
  areCancelsFast: true,
  areRailsRequired: false,
  hasPlainToolKeys: false,
  openOrderReserve: 50,
  fillsPageRows: 2_000,
};

function instanceOf(installation: number): Instance {
  return {
    network: "paper",
    exchangeUrl: "http://paper.test",
    tag: installation,
    createdAtMs: START_MS,
    vault: JSON.stringify(CHEAP),
    secret: new Uint8Array(32).fill(installation),
  };
}

function setUp(store: Store, installation: number): void {
  inTransaction(store, () => {
    insertInstance(store, instanceOf(installation));
    storeAccount(store, ACCOUNT);
    const scopes = ["trading:read", "trading:write"] as const;
    const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
    const key = { keyHash: keyHash(API_KEY), accountId: ACCOUNT.id, scopes, ...times };
    const { audience, network, expiresAtMs, signature } = grantOf(OWNER, API_KEY, { scopes });
    insertApiKey(store, key, { audience, network, expiresAtMs, signature, limited: null });
    const detail = { account: ACCOUNT.id, scopes: scopes.join(","), issued_at: START_MS };
    const about = { event: "key_registered", reference: key.keyHash };
    appendAudit(store, { atMs: START_MS, actor: "owner", ...about, detail });
  });
}

type Granting = { accountId?: string; scopes?: readonly Scope[]; issuedAtMs?: number };

/** A grant of a key for our gateway, signed by this wallet. */
export function grantOf(wallet: Wallet, apiKey: string, some: Granting = {}) {
  const { accountId = ACCOUNT.id, scopes = ["trading:read", "trading:write"], issuedAtMs = START_MS } = some;
  const about = { audience: SETTINGS.audience, network: API_NETWORK, expiresAtMs: null };
  const grant = { ...about, accountId, keyHash: keyHash(apiKey), scopes, issuedAtMs };
  return { ...grant, signature: wallet.sign(asTypedData(grantTypedData(grant))) };
}

/** The wallet's library infers its types from literals; ours are data. */
export function asTypedData(data: TypedData): Parameters<Wallet["sign"]>[0] {
  return data as unknown as Parameters<Wallet["sign"]>[0];
}

const STEP_MS = 100;
const MAX_WAIT_MS = 20_000;

async function waitFor<T>(clock: StillClock, asked: Promise<T>): Promise<T> {
  let isDone = false;
  const done = asked.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  for (let waitedMs = 0; !isDone && waitedMs <= MAX_WAIT_MS; waitedMs += STEP_MS) await clock.advance(STEP_MS);
  if (!isDone) throw new Error("no answer within the deadline");
  return done;
}
