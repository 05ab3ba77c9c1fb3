/**
 * The gateway's own verbs, store and gate, one database for all runs: a run begins with empty tables. What is no part of the
 * question stands still: nothing is signed in earnest, nothing is asked of a network, and the truth is told by the run.
 */
import type { Database, Statement } from "bun:sqlite";
import type { Account } from "../../src/core/account.ts";
import type { Clock } from "../../src/core/clock.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import { NO_METRICS } from "../../src/core/metric.ts";
import { inGrantOrder, type LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import type { RailsText } from "../../src/core/rails/rails.ts";
import { isoTime } from "../../src/core/resource.ts";
import type { Deps, Settings } from "../../src/deps.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { createPicture } from "../../src/exchange/picture.ts";
import { NO_FEEDS } from "../../src/exchange/trusted-feeds.ts";
import { openFlights } from "../../src/settle/send/flights.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { putApiKey } from "../../src/store/api-keys.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { countMomentsBy } from "../../src/store/leg-moments.ts";
import type { Store } from "../../src/store/open.ts";
import { forget } from "../../src/store/remembered.ts";
import type { Action } from "../../src/wire/action/index.ts";
import type { Caller } from "../../src/write/caller.ts";
import { openRunningWrites } from "../../src/write/running.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import type { Price } from "./auditor.ts";
import { exchangeOf, readsOf, viewOf } from "./shown.ts";

/** Noon of a UTC day. */
export const START_MS = 1_700_049_600_000;

const OWNER = "0x1111111111111111111111111111111111111111";
const AGENT = "0x2222222222222222222222222222222222222222";

export const ACCOUNT: Account = {
  id: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  label: "main",
  kind: "main",
  ownerAddress: OWNER,
  tradingAddress: OWNER,
  parentId: null,
  createdAtMs: START_MS,
};

const PERPETUAL = { kind: "perpetual", dex: "", sizeDecimals: 3, maxLeverage: 40, marginMode: "any" } as const;

export const MARKETS: readonly Market[] = [
  { ...PERPETUAL, name: "BTC", assetId: 0, isDelisted: false, pairName: null },
  { ...PERPETUAL, name: "ETH", assetId: 1, isDelisted: false, pairName: null },
  {
    ...PERPETUAL,
    name: "@1",
    kind: "spot",
    assetId: 10_001,
    maxLeverage: null,
    isDelisted: false,
    pairName: "HYPE/USDC",
  },
];

const OFF = { perSecond: 0, burst: 0 };

const SETTINGS: Settings = {
  network: "paper",
  version: "0.0.0-test",
  audience: "paper+http://127.0.0.1:8787",
  allowedHosts: [],
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

/** Whoever waits is there at once, and the time has passed. */
export type QuickClock = Clock & { pass(ms: number): void };

export function quickClock(): QuickClock {
  let elapsedMs = 0;
  const never = new Promise<void>(() => undefined);
  return {
    nowMs: () => START_MS + elapsedMs,
    elapsedMs: () => elapsedMs,
    async sleep(ms) {
      elapsedMs += ms;
    },
    // Nothing here is as slow as a deadline.
    timer: () => ({ up: never, cancel: () => undefined }),
    pass(ms) {
      elapsedMs += ms;
    },
  };
}

/** What a look at what became of an action takes, milliseconds. */
const PURSUIT_MS = 1_000;

/** What a run says to the gateway. */
export type Outside = {
  /** By market name; null while nothing can be read. */
  price(market: string): Price | null;
  /** Of perpetuals, thousandths. */
  positions(): ReadonlyMap<string, number>;
  leverageOf(market: string): number;
  sign(signed: { action: Action; nonce: number }): number;
  send(number: number): SendOutcome | Promise<SendOutcome>;
  pursue(attemptId: number): void;
};

export type Gateway = { deps: Deps; store: Store; clock: QuickClock };

/** One database for many runs. */
export function openEmptyStore(): Store {
  const store = openMemoryStore();
  insertAccount(store, ACCOUNT);
  insertAgent(store, {
    address: AGENT,
    ownerAddress: OWNER,
    name: "postern-1",
    state: "approved",
    sealedKey: new Uint8Array(8),
    createdAtMs: START_MS,
    approvedAtMs: START_MS,
    validUntilMs: null,
  });
  return store;
}

/** Tables that every run begins with as they are. */
const KEPT = new Set(["accounts", "agents", "instance", "sqlite_sequence"]);

/** Of one database: which tables hold something, and what empties each. The driver itself keeps only the last twenty statements. */
type Emptying = { filled: Statement; statements: readonly Statement[] };

const emptying = new WeakMap<Store, Emptying>();

function emptyingOf(store: Store): Emptying {
  const known = emptying.get(store);
  if (known !== undefined) return known;
  const { $client: client } = store;
  const tables = client.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const all = tables.map(({ name }) => name).filter((name) => !KEPT.has(name) && !name.startsWith("__"));
  const emptied = namingFirst(client, all);
  const made = {
    filled: client.prepare(`SELECT ${emptied.map((name) => `EXISTS (SELECT 1 FROM ${name})`).join(", ")}`),
    statements: emptied.map((name) => client.prepare(`DELETE FROM ${name}`)),
  };
  emptying.set(store, made);
  return made;
}

/**
 * Those before whose rows name others' rows. To let SQLite look at foreign keys at the end instead takes a PRAGMA, after which it compiles
 * every statement of the connection again: of a run that was a quarter.
 */
function namingFirst(client: Database, tables: readonly string[]): string[] {
  const named = client.prepare<{ table: string }, [string]>('SELECT "table" FROM pragma_foreign_key_list(?)');
  const namedBy = new Map(tables.map((name) => [name, named.all(name).map(({ table }) => table)]));
  const ordered: string[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const next = [...left].find((name) => ![...left].some((by) => by !== name && namedBy.get(by)?.includes(name)));
    if (next === undefined) throw new Error("bug: tables that name one another in a circle");
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

/** Takes away what the run before has left. */
export function emptyStore(store: Store): void {
  const { filled, statements } = emptyingOf(store);
  inTransaction(store, () => {
    const [isFilled = []] = filled.values();
    for (const [index, statement] of statements.entries()) if (isFilled[index] === 1) statement.run();
    setFillCursor(store, ACCOUNT.id, START_MS);
  });
  forget(store);
  store.memory.justFilled.clear();
}

export type Holder = { caller: Caller; keyHash: string };

/** A key, with rails or without. `letter`: one hexadecimal digit, by which it is told from others. */
export function newHolder(store: Store, letter: string, rails: RailsText | null): Holder {
  const keyHash = letter.repeat(64);
  const scopes = ["trading:read", "trading:write"] as const;
  const issuedAtMs = START_MS - 60_000 + Number.parseInt(letter, 16);
  const key = { keyHash, accountId: ACCOUNT.id, scopes, issuedAtMs, registeredAtMs: START_MS };
  putApiKey(store, key, rails === null ? null : grantOf(key, rails));
  const caller = { account: ACCOUNT, key, reader: { reader: keyHash }, charge: () => undefined };
  return { caller, keyHash };
}

function grantOf({ keyHash, issuedAtMs }: { keyHash: string; issuedAtMs: number }, rails: RailsText) {
  const expiresAtMs = issuedAtMs + 300 * 86_400_000;
  const limited: LimitedGrantText = inGrantOrder({
    audience: SETTINGS.audience,
    account: ACCOUNT.id,
    network: "paper",
    owner: OWNER,
    tradingAddress: OWNER,
    keyHash,
    scopes: "trading:read,trading:write",
    ...rails,
    issuedAt: isoTime(issuedAtMs),
    expiresAt: isoTime(expiresAtMs),
  });
  return {
    audience: SETTINGS.audience,
    network: "paper",
    signature: `0x${"0".repeat(130)}`,
    expiresAtMs,
    limited,
  } as const;
}

/** A new process over the rows that are there. */
export function openGateway(store: Store, clock: QuickClock, outside: Outside): Gateway {
  countMomentsBy(store, clock.elapsedMs);
  const universe = buildUniverse(MARKETS, START_MS);
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const flightsParts = { store, clock, log, exchange: { nowMs: clock.nowMs } };
  const deps: Deps = {
    settings: SETTINGS,
    instance: {
      network: "paper",
      exchangeUrl: "http://127.0.0.1:9797",
      tag: 7,
      secret: new Uint8Array(32).fill(9),
      vault: "{}",
      createdAtMs: START_MS,
    },
    store,
    writeHealth: { fault: () => null, prove: () => null },
    commits: openCommitQueue(store, queueMicrotask, clock),
    exchange: exchangeOf(clock, outside),
    flights: openFlights(flightsParts),
    allowance: {
      fits: () => true,
      waitS: () => 1,
      spend: () => undefined,
      use: () => null,
      remaining: () => null,
      refresh: async () => undefined,
    },
    markets: {
      current: () => universe,
      ageMs: () => 0,
      nextReading: () => ({ isOurBudget: false, waitS: 1 }),
      refresh: async () => universe,
      doubt: () => undefined,
      doubtOf: () => null,
      suspect: () => undefined,
      isSuspected: () => false,
      confirm: () => undefined,
      heedSilence: () => undefined,
      isWordDue: () => false,
    },
    feeds: { ...NO_FEEDS },
    picture: createPicture(),
    signers: {
      has: () => true,
      addresses: () => [AGENT],
      lock: () => undefined,
      sign: ({ action, nonce }) => String(outside.sign({ action, nonce })),
    },
    clock,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: NO_METRICS,
    point: () => undefined,
    state: { phase: "ready", writesStoppedBecause: null },
    settling: {
      async pursue(attemptId) {
        outside.pursue(attemptId);
        // Who waits for it asks again until a deadline, which no clock would reach that stands still.
        await clock.sleep(PURSUIT_MS);
      },
      burn: async () => undefined,
      look: async () => "open",
      heedFills: () => undefined,
      openCount: () => 0,
    },
    stopper: {
      heed: () => undefined,
      progressOf: () => ({
        remaining: { orders: [], openTwaps: [], runningTwaps: [], unusedNumbers: [] },
        waits: [],
        kept: [],
      }),
    },
    flattener: { heed: () => undefined, waitsOf: () => null },
    canceler: { heed: () => undefined },
    closer: { heed: () => undefined },
    trader: { heed: () => undefined, refresh: () => undefined },
    heartbeats: {
      beat: () => {
        throw new Error("bug: no run beats");
      },
    },
    running: openRunningWrites(),
    reads: readsOf(clock, outside),
    marketView: viewOf(clock, outside),
    builderApproval: { approvedTenthsBps: () => null, refused: () => undefined, refresh: async () => undefined },
    fillIndex: { readToMs: () => null, readSoon: () => undefined },
    ledgerIndex: { readSoon: () => undefined },
    ownWrites: { told: () => () => [] },
    orderNews: { newsMs: () => 0, wasListed: () => false },
    agents: { standing: () => "listed" },
    gauges: { weightLeft: () => null, clockOffsetMs: () => null },
  };
  return { deps, store, clock };
}
