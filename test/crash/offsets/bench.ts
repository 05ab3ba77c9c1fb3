/** A gateway with its real transport, a proxy that breaks connections, and a served paper exchange, on a fast clock. */
import { randomBytes } from "node:crypto";
import type { Account } from "../../../src/core/account.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { decimal } from "../../../src/core/decimal.ts";
import type { Settings } from "../../../src/deps.ts";
import { openTransport, type Transport } from "../../../src/exchange/transport.ts";
import { type Gateway, openGateway } from "../../../src/gateway.ts";
import type { Venue, VenueAccount } from "../../../src/paper/engine/state.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange } from "../../../src/paper/paper-exchange.ts";
import { servePaper } from "../../../src/paper/server.ts";
import { insertAccount } from "../../../src/store/accounts.ts";
import { insertAgent } from "../../../src/store/agents.ts";
import { insertApiKey } from "../../../src/store/api-keys.ts";
import type { Store } from "../../../src/store/open.ts";
import { addressOfKey, openSigners } from "../../../src/vault/signers.ts";
import { orderAction, wireOrder } from "../../../src/wire/action/order.ts";
import { keyHash } from "../../../src/wire/grant.ts";
import { fieldOf } from "../../simulation/clients.ts";
import { type Answered, type Ask, askDirectly } from "../../simulation/front.ts";
import type { Party } from "../../simulation/template.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { sleepingTimer } from "../../support/sleeping-timer.ts";
import { type FaultProxy, openFaultProxy } from "./fault-proxy.ts";

export type Bench = {
  gateway: Gateway;
  store: Store;
  proxy: FaultProxy;
  venue: Venue;
  account: VenueAccount;
  clock: Clock;
  ask(key: string | null, ask: Ask): Promise<Answered>;
  /** Asks under new keys until it is settled as done; what is there then. For what has to be there before a case. */
  make(key: string, ask: Ask): Promise<string>;
  /** Waits until nothing is open any more; false when that did not come. */
  settled(): Promise<boolean>;
  /** The order or operation of an answer, as it stands now. */
  read(body: string): Promise<string>;
  /** What the gateway has logged as an error. */
  errors: string[];
  close(): Promise<void>;
};

const OFF = { perSecond: 0, burst: 0 };

const SETTINGS: Settings = {
  network: "paper",
  version: "0.0.0-offsets",
  audience: "http://127.0.0.1:8787",
  allowedHosts: ["127.0.0.1:8787"],
  dexes: [],
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

/** The owner signs for itself: the exchange takes that as it takes an agent's signature. */
const OWNER_KEY = new Uint8Array(32).fill(0x51);
const OWNER = addressOfKey(OWNER_KEY);

/** The owner's own key signs here, which the exchange would call a user, and no order is taken of an agent that it lacks. */
function asAgent(transport: Transport): Transport {
  return async (url, request) => {
    if (!request.body.includes('"type":"userRole"')) return transport(url, request);
    return Response.json({ role: "agent", data: { user: OWNER } });
  };
}

/** So many milliseconds pass in each. */
export function fastClock(speed: number): Clock {
  const startMs = Date.now();
  const bornAtMs = performance.now();
  const elapsedMs = () => (performance.now() - bornAtMs) * speed;
  const sleep = (durationMs: number) => Bun.sleep(durationMs / speed);
  return { nowMs: () => startMs + Math.floor(elapsedMs()), elapsedMs, sleep, timer: sleepingTimer(sleep) };
}

/** What a case needs could not be made in time: nothing is learned, and it is to be run again on a slower clock. */
export class TooBusy extends Error {}

export async function openBench(speed: number): Promise<Bench> {
  const clock = fastClock(speed);
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    network: "testnet",
    fund: [OWNER],
    engine: { ...PAPER_DEFAULTS.engine, requestAllowance: 1_000_000 },
    nowMs: () => clock.nowMs(),
    sleep: (ms) => clock.sleep(ms),
  });
  // No ticks: prices stand still, and whoever asks lets time pass.
  const server = servePaper(paper, { hostname: "127.0.0.1", port: 0, every: () => () => undefined });
  const proxy = await openFaultProxy(server.port);
  const store = openMemoryStore();
  const party = insertParty(store, clock.nowMs());
  const errors: string[] = [];
  const silent = () => undefined;
  const gateway = openGateway({
    settings: SETTINGS,
    instance: {
      network: "paper",
      exchangeUrl: proxy.url,
      tag: 7,
      vault: "{}",
      createdAtMs: clock.nowMs(),
      secret: new Uint8Array(32).fill(9),
    },
    store,
    signers: openSigners({ network: "paper", keys: [{ address: OWNER, privateKey: OWNER_KEY.slice() }] }),
    transport: asAgent(openTransport(setImmediate)),
    socket: null,
    clock,
    schedule: (run) => void setImmediate(run),
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log: {
      debug: silent,
      info: silent,
      warn: silent,
      error(fields, message) {
        errors.push(`${message} ${JSON.stringify(fields)}`);
      },
    },
    exchangeWeightPerMinute: 0,
    trustedProxies: [],
  });
  await gateway.start();
  const account = paper.venue.accounts.get(OWNER);
  if (account === undefined) throw new Error("bug: nobody has money");
  const byHand = openByHand(paper, clock);
  const settled = () => untilSettled(gateway, clock, byHand);
  const process = { number: 0, gateway, isAlive: () => true, onDeath: silent, die: silent };
  const ask: Bench["ask"] = (key, asked) => askDirectly(process, party, key, asked);
  const read: Bench["read"] = async (body) => (await ask(null, readingOf(body))).body;
  return {
    ask,
    read,
    settled,
    async make(key, asked) {
      for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
        const { status, body } = await ask(`${key}-${attempt}`, asked);
        await settled();
        const told = status > 202 ? "{}" : await read(body);
        if (DONE.includes(fieldOf(told, "status") ?? "")) return told;
      }
      throw new TooBusy(`${key} cannot be done: the machine is too busy for this clock`);
    },
    gateway,
    store,
    proxy,
    venue: paper.venue,
    account,
    clock,
    errors,
    async close() {
      await gateway.stop();
      proxy.close();
      await server.stop();
      paper.stop();
    },
  };
}

/** A busy machine makes answers late on a fast clock: then it is asked again. */
const MAX_TRIES = 10;
const DONE = ["open", "filled", "succeeded"];

/** Milliseconds of the fast clock; margin that no reading can tell is given up ten minutes after its seal. */
const SETTLED_WITHIN_MS = 15 * 60_000;
/** Between two looks at it, milliseconds of the fast clock. */
const LOOK_MS = 300;

async function untilSettled(gateway: Gateway, clock: Clock, byHand: () => Promise<void>): Promise<boolean> {
  const startMs = clock.elapsedMs();
  let nextByHandMs = startMs + BY_HAND_EVERY_MS;
  while (gateway.deps.settling.openCount() > 0) {
    if (clock.elapsedMs() > startMs + SETTLED_WITHIN_MS) return false;
    await clock.sleep(LOOK_MS);
    if (clock.elapsedMs() < nextByHandMs) continue;
    nextByHandMs = clock.elapsedMs() + BY_HAND_EVERY_MS;
    await byHand();
  }
  return true;
}

/** Between two things that the owner does beside the gateway, milliseconds of the fast clock. */
const BY_HAND_EVERY_MS = 20_000;
/** Its numbers are none that the gateway gives out, milliseconds. */
const BY_HAND_AHEAD_MS = 3_600_000;

/** An order by hand that finds nothing: the history of the account goes on, and tells of what it lacks. */
function openByHand(paper: PaperExchange, clock: Clock): () => Promise<void> {
  const signers = openSigners({ network: "paper", keys: [{ address: OWNER, privateKey: OWNER_KEY.slice() }] });
  let count = 0;
  return async () => {
    count += 1;
    const cloid = `0x${count.toString(16).padStart(32, "e")}`;
    const terms = { side: "buy", size: decimal("0.05"), price: "1000", timeInForce: "ioc", reduceOnly: false } as const;
    const action = orderAction(wireOrder({ ...terms, assetId: 1, trigger: null, cloid }), null);
    const nonce = clock.nowMs() + BY_HAND_AHEAD_MS + count;
    const signed = { agentAddress: OWNER, action, nonce, vaultAddress: null, expiresAfter: nonce };
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: signers.sign(signed) };
    await paper.handle(new Request("http://localhost/exchange", init));
  };
}

function readingOf(body: string): Ask {
  const id = fieldOf(body, "id") ?? "";
  return { kind: fieldOf(body, "object") === "order" ? "get" : "get_operation", id };
}

function insertParty(store: Store, nowMs: number): Party {
  const account: Account = {
    id: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
    label: "main",
    kind: "main",
    ownerAddress: OWNER,
    tradingAddress: OWNER,
    parentId: null,
    createdAtMs: nowMs,
  };
  const apiKey = `api_trade_${"5".repeat(64)}`;
  const times = { issuedAtMs: nowMs, registeredAtMs: nowMs };
  const scopes = ["trading:read", "trading:write"] as const;
  const key = { keyHash: keyHash(apiKey), accountId: account.id, scopes, ...times };
  insertAccount(store, account);
  insertAgent(store, {
    address: OWNER,
    ownerAddress: OWNER,
    name: "postern-1",
    state: "approved",
    sealedKey: new Uint8Array(8),
    createdAtMs: nowMs,
    approvedAtMs: nowMs,
    validUntilMs: null,
  });
  insertApiKey(store, key);
  return { account, agent: OWNER, apiKey, key };
}
