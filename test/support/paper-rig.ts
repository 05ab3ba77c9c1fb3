/**
 * The whole gateway, from its HTTP edge to the bytes that it signs, over the paper exchange in the same process and
 * under a clock that stands. Two accounts of two owners, each with two keys, and a stranger to trade with.
 */
import type { Account, ApiKey } from "../../src/core/account.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Builder, Deps, LogFields, Settings } from "../../src/deps.ts";
import type { SocketTransport } from "../../src/exchange/socket.ts";
import type { Transport } from "../../src/exchange/transport.ts";
import { type Gateway, openGateway } from "../../src/gateway.ts";
import type { EngineOptions } from "../../src/paper/engine/options.ts";
import type { FaultFile } from "../../src/paper/faults.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange } from "../../src/paper/paper-exchange.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import type { Store } from "../../src/store/open.ts";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import type { Action } from "../../src/wire/action/index.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { documented } from "../http/documented.ts";
import { openMemoryStore } from "./memory-store.ts";
import { openPaperSocket, type PaperSocket } from "./paper-socket.ts";
import { TEST_HOST, testRequest } from "./request.ts";
import { type StillClock, stillClock } from "./still-clock.ts";

export const START_MS = 1_795_253_400_000;

export type Party = { account: Account; apiKeys: readonly [string, string]; key: ApiKey };

/** An owner's own key signs for it, which the exchange takes as it takes an agent's. */
const PRIVATE_KEYS = [0x41, 0x42].map((byte) => new Uint8Array(32).fill(byte));
const STRANGERS_KEY = new Uint8Array(32).fill(0x43);
const STRANGER = addressOfKey(STRANGERS_KEY);

function partyOf(privateKey: Uint8Array, digit: string): Party {
  const owner = addressOfKey(privateKey);
  const id = `${digit.repeat(8)}-aaaa-4aaa-8aaa-${digit.repeat(12)}`;
  const apiKeys = [`api_trade_${digit.repeat(64)}`, `api_trade_${digit.repeat(63)}0`] as const;
  const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
  const addresses = { ownerAddress: owner, tradingAddress: owner };
  return {
    account: { id, label: `party-${digit}`, kind: "main", ...addresses, parentId: null, createdAtMs: START_MS },
    apiKeys,
    key: { keyHash: keyHash(apiKeys[0]), accountId: id, scopes: ["trading:read", "trading:write"], ...times },
  };
}

const [FIRST_KEY, SECOND_KEY] = PRIVATE_KEYS as [Uint8Array, Uint8Array];
export const FIRST: Party = partyOf(FIRST_KEY, "1");
export const SECOND: Party = partyOf(SECOND_KEY, "2");

/** What happens to one signed action on its way: whether `arrive` is called, when, and what comes back. */
export type Delivery = (arrive: () => Promise<Response>, clock: StillClock) => Promise<Response>;

function broken(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export const DELIVERY = {
  normal: (arrive) => arrive(),
  answerLost: (arrive) =>
    arrive().then(() => {
      throw broken("ECONNRESET");
    }),
  neverArrived: () => Promise.reject(broken("ECONNRESET")),
  notSent: () => Promise.reject(broken("ECONNREFUSED")),
  badGateway: (arrive) => arrive().then(() => new Response("<html>502</html>", { status: 502 })),
} as const satisfies Record<string, Delivery>;

/** Arrives and is answered, each after a while. */
export function delayed(beforeMs: number, afterMs: number): Delivery {
  return async (arrive, clock) => {
    await clock.sleep(beforeMs);
    const response = await arrive();
    await clock.sleep(afterMs);
    return response;
  };
}

export type Ask = {
  /** `POST /v1/orders` and so on. */
  route: string;
  body?: object;
  /** Idempotency-Key; writes without it get one of their own. */
  key?: string;
  /** Which of the party's two keys. */
  apiKey?: 0 | 1;
  headers?: Record<string, string>;
};

export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> };

export type PaperRig = {
  gateway: Gateway;
  deps: Deps;
  store: Store;
  clock: StillClock;
  paper: PaperExchange;
  /** The exchange's websocket, where the gateway has one. */
  socket: PaperSocket;
  /** Types of the actions that were signed and posted, oldest first. */
  sent: string[];
  /** Types of the reads that the exchange was asked for, oldest first. */
  asked: string[];
  /** What becomes of each frame of the feed; it may arrive as another. */
  frames: (text: string, arrive: (instead?: string) => void) => void;
  /** Ends the connections of the feed. */
  cut(): void;
  /** Of the next sends, in order; then all arrive and are answered. */
  deliveries: Delivery[];
  /** Types of reads that fail from now on. */
  failing: Set<string>;
  /** Reads that are answered otherwise than by the exchange, with JSON or a whole response, or when a promise says; undefined = by the exchange. */
  interfere: (request: Record<string, unknown>) => unknown;
  log: { level: string; fields: LogFields; message: string }[];
  ask(party: Party, ask: Ask): Promise<Answer>;
  /** Asks and lets time go on until the answer is there. */
  answer(party: Party, ask: Ask): Promise<Answer>;
  answerOf(asked: Promise<Answer>): Promise<Answer>;
  /** What the stranger does. Throws when the exchange refuses it. */
  stranger(action: Action): Promise<void>;
  /** The stranger's limit order, resting or taking. BTC where no asset is given. */
  trade(side: "buy" | "sell", size: string, price: string, assetId?: number): Promise<void>;
  /** An action of a party that does not go through the gateway. */
  elsewhere(party: Party, action: Action): Promise<unknown>;
  info(request: Record<string, unknown>): Promise<unknown>;
};

export type PaperRigOptions = {
  builder?: Builder | null;
  /** 0 = no limit, and the accounts' actions are not counted. */
  exchangeWeightPerMinute?: number;
  /** Follows the accounts over the paper exchange's websocket. */
  hasFeed?: boolean;
  faults?: FaultFile;
  /** Whether the gateway has a websocket; it has none where this is left out. */
  hasSocket?: boolean;
  /** Switches of the exchange. */
  engine?: Partial<EngineOptions>;
  settings?: Partial<Settings>;
};

const OFF = { perSecond: 0, burst: 0 };
/** Longest that an answer is waited for, milliseconds of the standing clock. */
const MAX_WAIT_MS = 9_000;
const STEP_MS = 100;

/** The owners' own keys sign here, which the exchange would call users. */
function asAgent({ type, user }: Record<string, unknown>): unknown {
  return type === "userRole" ? { role: "agent", data: { user } } : undefined;
}

/** Frames arrive in the turn in which they are sent, unless the test does something else with them. */
function socketTo(paper: PaperExchange, cuts: Set<() => void>, frames: () => PaperRig["frames"]): SocketTransport {
  return (_url, events) => {
    const send = (text: string) => frames()(text, (instead) => events.onText(instead ?? text));
    const socket = paper.connect({ send, close: (_code, reason) => events.onClose(reason) });
    queueMicrotask(() => events.onOpen());
    cuts.add(() => {
      socket?.closed();
      events.onClose("cut");
    });
    return { send: (text) => void socket?.receive(text), close: () => socket?.closed() };
  };
}

type Sockets = { paper: PaperExchange; socket: PaperSocket; cuts: Set<() => void>; frames: () => PaperRig["frames"] };

function socketOf({ hasFeed, hasSocket }: PaperRigOptions, sockets: Sockets): SocketTransport | null {
  if (hasSocket === true) return sockets.socket.transport;
  return hasFeed === true ? socketTo(sockets.paper, sockets.cuts, sockets.frames) : null;
}

/** A feed tells what time does to the exchange. */
async function tickOn(clock: StillClock, paper: PaperExchange, nowMs: () => number): Promise<void> {
  for (;;) {
    await clock.sleep(paper.tickMs);
    paper.step(nowMs());
  }
}

/** Ready for writes when it resolves. */
export async function openPaperRig(options: PaperRigOptions = {}): Promise<PaperRig> {
  const clock = stillClock(START_MS);
  const nowMs = () => START_MS + clock.elapsedMs();
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    fund: [FIRST.account.tradingAddress, SECOND.account.tradingAddress, STRANGER],
    prices: { kind: "scripted" },
    hasMarketMaker: false,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    engine: { ...PAPER_DEFAULTS.engine, ...options.engine },
    nowMs,
    sleep: (ms) => clock.sleep(ms),
  });
  const socket = openPaperSocket(() => paper, clock);
  const cuts = new Set<() => void>();
  const store = openFilledStore();
  const log: PaperRig["log"] = [];
  const note = (level: string) => (fields: LogFields, message: string) => void log.push({ level, fields, message });
  const post = (path: string, body: string) => {
    const headers = { "content-type": "application/json" };
    return paper.handle(new Request(`http://paper.test${path}`, { method: "POST", headers, body }));
  };
  const transport: Transport = async (url, { body }) => {
    // The bodies are the gateway's own.
    const json = JSON.parse(body) as { type?: string; action?: { type: string } } & Record<string, unknown>;
    if (url.endsWith("/exchange")) {
      rig.sent.push(json.action?.type ?? "");
      return (rig.deliveries.shift() ?? DELIVERY.normal)(() => post("/exchange", body), clock);
    }
    rig.asked.push(json.type ?? "");
    if (rig.failing.has(json.type ?? "")) throw broken("ECONNRESET");
    const answer = (await rig.interfere(json)) ?? asAgent(json);
    if (answer instanceof Response) return answer;
    return answer === undefined ? post("/info", body) : Response.json(answer);
  };
  const gateway = openGateway({
    settings: {
      network: "paper",
      version: "0.0.0-test",
      audience: "http://127.0.0.1:8787",
      allowedHosts: [TEST_HOST],
      dexes: ["xyz"],
      builder: options.builder ?? null,
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
      ...options.settings,
    },
    instance: {
      network: "paper",
      exchangeUrl: "http://paper.test",
      tag: 7,
      secret: new Uint8Array(32).fill(9),
      vault: "{}",
      createdAtMs: START_MS,
    },
    store,
    signers: signersOf(PRIVATE_KEYS),
    transport,
    socket: socketOf(options, { paper, socket, cuts, frames: () => rig.frames }),
    clock,
    schedule: (run) => void setImmediate(run),
    randomBytes: (count) => new Uint8Array(count),
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    exchangeWeightPerMinute: options.exchangeWeightPerMinute ?? 0,
    trustedProxies: [],
  });
  const outside = signersOf([...PRIVATE_KEYS, STRANGERS_KEY]);
  let keys = 0;
  let nonces = START_MS;

  async function act(signer: string, action: Action): Promise<unknown> {
    nonces = Math.max(nonces + 1, nowMs() + 1);
    const body = outside.sign({
      agentAddress: signer,
      action,
      nonce: nonces,
      vaultAddress: null,
      expiresAfter: nonces + 60_000,
    });
    return (await post("/exchange", body)).json();
  }

  const rig: PaperRig = {
    gateway,
    deps: gateway.deps,
    store,
    clock,
    paper,
    log,
    socket,
    sent: [],
    asked: [],
    deliveries: [],
    failing: new Set(),
    interfere: () => undefined,
    frames: (_text, arrive) => arrive(),
    cut() {
      for (const cut of [...cuts]) cut();
      cuts.clear();
    },
    async ask({ apiKeys }, { route, body, key, apiKey = 0, headers }) {
      const [method = "", path = ""] = route.split(" ");
      keys += 1;
      const request = testRequest({
        method,
        path,
        apiKey: apiKeys[apiKey],
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
        ...(method === "POST" ? { idempotencyKey: key ?? `rig-key-${keys}` } : {}),
      });
      const response = await documented(request, await gateway.server.handle(request, "10.0.0.1"));
      const text = await response.text();
      const isJson = response.headers.get("content-type") === "application/json";
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    },
    answer: (party, ask) => rig.answerOf(rig.ask(party, ask)),
    answerOf: (asked) => waitFor(clock, asked, MAX_WAIT_MS),
    async stranger(action) {
      const reply = JSON.stringify(await act(STRANGER, action));
      if (reply.includes("error") || !reply.includes('"ok"')) throw new Error(`the stranger was refused: ${reply}`);
    },
    trade: (side, size, price, assetId = 0) => rig.stranger(limitOrder({ assetId, side, size, price })),
    elsewhere: ({ account }, action) => act(account.tradingAddress, action),
    info: async (request) => (await post("/info", JSON.stringify(request))).json(),
  };
  if (options.hasFeed === true) void tickOn(clock, paper, nowMs);
  await waitFor(clock, gateway.start(), MAX_WAIT_MS);
  return rig;
}

type Limit = { assetId: number; side: "buy" | "sell"; size: string; price: string };

/** A plain order without a client order id, as somebody places it by hand. */
export function limitOrder({ assetId, side, size, price }: Limit): Action {
  const order = { a: assetId, b: side === "buy", p: decimal(price), s: decimal(size), r: false };
  return { type: "order", orders: [{ ...order, t: { limit: { tif: "Gtc" } } }], grouping: "na" };
}

async function waitFor<T>(clock: StillClock, asked: Promise<T>, maxMs: number): Promise<T> {
  let isDone = false;
  const done = asked.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  for (let waitedMs = 0; !isDone && waitedMs <= maxMs; waitedMs += STEP_MS) await clock.advance(STEP_MS);
  if (!isDone) throw new Error("no answer within the deadline");
  return done;
}

/** All rigs have the same keys, and to find the address of one takes milliseconds. */
const addresses = new Map<Uint8Array, string>();

function addressOf(privateKey: Uint8Array): string {
  const address = addresses.get(privateKey) ?? addressOfKey(privateKey);
  addresses.set(privateKey, address);
  return address;
}

function signersOf(keys: readonly Uint8Array[]) {
  const open = keys.map((privateKey) => ({ address: addressOf(privateKey), privateKey: privateKey.slice() }));
  return openSigners({ network: "paper", keys: open });
}

function openFilledStore(): Store {
  const store = openMemoryStore();
  for (const { account, apiKeys, key } of [FIRST, SECOND]) {
    insertAccount(store, account);
    insertAgent(store, {
      address: account.ownerAddress,
      ownerAddress: account.ownerAddress,
      name: "postern-1",
      state: "approved",
      sealedKey: new Uint8Array(8),
      createdAtMs: START_MS,
      approvedAtMs: START_MS,
      validUntilMs: null,
    });
    for (const apiKey of apiKeys) insertApiKey(store, { ...key, keyHash: keyHash(apiKey) });
  }
  return store;
}

/** Lets time go on at both ends. */
export async function pass(rig: PaperRig, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 500) {
    await rig.clock.advance(500);
    rig.paper.step(START_MS + rig.clock.elapsedMs());
    await rig.clock.advance(0);
  }
}
