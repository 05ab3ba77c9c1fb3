/** A gateway over a real database in memory and a small exchange. */
import { randomBytes } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { openOrderNews } from "../../src/actions/order-news.ts";
import { openOwnWrites } from "../../src/actions/own-writes.ts";
import { openWorkers } from "../../src/actions/workers.ts";
import type { Account, AccountKind, Network, Scope } from "../../src/core/account.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import { NO_METRICS } from "../../src/core/metric.ts";
import type { Bucket, Builder, Deps, Log, LogFields, Settings, World } from "../../src/deps.ts";
import { openActionAllowance } from "../../src/exchange/action-allowance.ts";
import { type BuilderApproval, openBuilderApproval } from "../../src/exchange/builder-approval.ts";
import { openMarketView } from "../../src/exchange/market-view.ts";
import { createPicture } from "../../src/exchange/picture.ts";
import { createReads } from "../../src/exchange/reads.ts";
import { NO_FEEDS } from "../../src/exchange/trusted-feeds.ts";
import { createServer, type HttpServer } from "../../src/http/server.ts";
import { openFlights } from "../../src/settle/send/flights.ts";
import { openSettler } from "../../src/settle/settler.ts";
import { openHeartbeats } from "../../src/settle/stop/heartbeats.ts";
import { findAccount, insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { countTurnsBy } from "../../src/store/data-version.ts";
import type { Instance } from "../../src/store/instance.ts";
import { countMomentsBy } from "../../src/store/leg-moments.ts";
import { findLegByCloid } from "../../src/store/legs.ts";
import type { Store } from "../../src/store/open.ts";
import { findOrder } from "../../src/store/orders.ts";
import { openWriteHealth } from "../../src/store/write-health.ts";
import { openSigners } from "../../src/vault/signers.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { cancelGrounds } from "../../src/write/cancel-grounds.ts";
import { openRunningWrites } from "../../src/write/running.ts";
import { type StillClock, stillClock } from "../exchange/clocks.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { readWhenAsked } from "../support/read-when-asked.ts";
import { TEST_HOST, type TestRequest, testRequest } from "../support/request.ts";
import { documented } from "./documented.ts";
import { type SmallExchange, smallExchange } from "./small-exchange.ts";

export const OWNER = privateKeyToAccount(`0x${"11".repeat(32)}`);
export const STRANGER = privateKeyToAccount(`0x${"22".repeat(32)}`);
const AGENT_KEY = new Uint8Array(32).fill(0x33);
export const AGENT_ADDRESS = privateKeyToAccount(`0x${"33".repeat(32)}`).address.toLowerCase();

export const AUDIENCE = "http://127.0.0.1:8787";
export const START_MS = 1_795_253_400_000;

export const ACCOUNTS = {
  main: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  other: "6d1e9b63-7a1f-4a4c-8d66-1f8e2c3b5da1",
  copy: "7e2fac74-8b2a-4b5d-9e77-2a9f3d4c6eb2",
  subaccount: "8f3abd85-9c3b-4c6e-8f88-3bae4e5d7fc3",
} as const;

export const KEYS = {
  both: `api_trade_${"a1".repeat(32)}`,
  readOnly: `api_trade_${"b2".repeat(32)}`,
  writeOnly: `api_trade_${"c3".repeat(32)}`,
  other: `api_trade_${"d4".repeat(32)}`,
} as const;

const MARKETS: readonly Market[] = [
  market({ name: "BTC", assetId: 0, sizeDecimals: 5, maxLeverage: 40 }),
  market({ name: "ETH", assetId: 1, sizeDecimals: 4, maxLeverage: 25 }),
  market({ name: "xyz:TSLA", dex: "xyz", assetId: 110_000, sizeDecimals: 3, maxLeverage: 10 }),
  market({ name: "PURR/USDC", kind: "spot", assetId: 10_000, sizeDecimals: 2, pairName: "PURR/USDC" }),
];

function market(some: Partial<Market> & Pick<Market, "name" | "assetId" | "sizeDecimals">): Market {
  const rest = {
    kind: "perpetual",
    dex: "",
    maxLeverage: null,
    marginMode: "any",
    isDelisted: false,
    pairName: null,
  } as const;
  return { ...rest, ...some };
}

const SOME_SECONDS_MS = 9_000;
const STEP_MS = 100;

export type Rig = {
  deps: Deps;
  server: HttpServer;
  clock: StillClock;
  /** Bodies sent to /exchange. */
  sent: string[];
  /** Answers to reads of the exchange, by type. */
  answers: SmallExchange["answers"];
  /** Texts with which the exchange refuses the next actions, in order. */
  refusals: string[];
  builderApproval: BuilderApproval;
  log: { level: string; fields: LogFields; message: string }[];
  ask(request: TestRequest, from?: string): Promise<Response>;
  /** The same, while seconds pass: some answers wait for a second reading. */
  askForSeconds(request: TestRequest): Promise<Response>;
};

export type RigOptions = {
  limits?: Partial<Settings["limits"]>;
  audience?: string;
  network?: Network;
  allowedHosts?: readonly string[];
  trustedProxies?: readonly string[];
  hasMarkets?: boolean;
  builder?: Builder;
  /** Whether the exchange's own limit of actions is kept; off as the others are. */
  hasAllowance?: boolean;
};

const OFF: Bucket = { perSecond: 0, burst: 0 };

function logInto(note: (level: string) => (fields: LogFields, message: string) => void): Log {
  return { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
}

export function openRig(options: RigOptions = {}): Rig {
  const clock = stillClock(START_MS);
  const log: Rig["log"] = [];
  const note = (level: string) => (fields: LogFields, message: string) => void log.push({ level, fields, message });
  const store = openMemoryStore();
  countTurnsBy(store, setImmediate);
  countMomentsBy(store, clock.elapsedMs);
  const exchange = smallExchange(clock, (cloid) => userOf(store, cloid));
  const universe = options.hasMarkets === false ? null : buildUniverse(MARKETS, START_MS);
  const instance: Instance = {
    network: options.network ?? "paper",
    exchangeUrl: "http://127.0.0.1:9797",
    tag: 7,
    secret: new Uint8Array(32).fill(9),
    vault: "{}",
    createdAtMs: START_MS,
  };
  const reads = createReads({ exchange, clock });
  const builderAddress = options.builder?.address ?? null;
  const builderApproval = openBuilderApproval({ builderAddress, reads, clock });
  const world: World = {
    settings: settings(options),
    instance,
    store,
    writeHealth: openWriteHealth(store, clock),
    commits: openCommitQueue(store, (run) => setImmediate(run), clock),
    exchange,
    flights: openFlights({ store, clock, exchange, log: logInto(note) }),
    allowance: openActionAllowance({ isOn: options.hasAllowance === true, reads, clock }),
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
    signers: openSigners({
      network: instance.network,
      keys: [{ address: AGENT_ADDRESS, privateKey: AGENT_KEY.slice() }],
    }),
    clock,
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log: logInto(note),
    metrics: NO_METRICS,
    point: () => undefined,
    state: { phase: "ready", writesStoppedBecause: null },
  };
  const settler = openSettler(world, { grounds: cancelGrounds(() => deps) });
  const workers = openWorkers(world, settler, () => deps);
  const heartbeats = openHeartbeats(world, { bootMs: clock.elapsedMs, heed: () => workers.stopper.heed() });
  const deps: Deps = {
    ...world,
    settling: settler,
    ...workers,
    heartbeats,
    running: openRunningWrites(),
    reads,
    marketView: openMarketView({
      url: "ws://exchange.test/ws",
      transport: null,
      clock,
      reads,
      maxAgeMs: 10_000,
      exchangeNowMs: () => clock.nowMs(),
    }),
    builderApproval,
    fillIndex: readWhenAsked(world, START_MS),
    ledgerIndex: { readSoon: () => undefined },
    ownWrites: openOwnWrites(world),
    orderNews: openOrderNews(world),
    agents: { standing: () => "listed" },
    gauges: { weightLeft: () => 1_200, clockOffsetMs: () => 0 },
  };
  fill(deps);
  heartbeats.begin();
  const server = createServer(deps, { trustedProxies: options.trustedProxies ?? [] });
  const ask = async (request: TestRequest, from = "10.0.0.1") => {
    const sentRequest = testRequest(request);
    return documented(sentRequest, await server.handle(sentRequest, from));
  };
  return {
    deps,
    server,
    clock,
    sent: exchange.sent,
    answers: exchange.answers,
    refusals: exchange.refusals,
    builderApproval,
    log,
    ask,
    async askForSeconds(request) {
      let isDone = false;
      const asked = ask(request).finally(() => {
        isDone = true;
      });
      for (let waitedMs = 0; !isDone && waitedMs < SOME_SECONDS_MS; waitedMs += STEP_MS) await clock.advance(STEP_MS);
      return asked;
    },
  };
}

function settings({ builder, limits, audience, network, allowedHosts }: RigOptions): Settings {
  return {
    network: network ?? "paper",
    version: "0.0.0-test",
    audience: audience ?? AUDIENCE,
    allowedHosts: allowedHosts ?? [TEST_HOST],
    dexes: ["xyz"],
    builder: builder ?? null,
    limits: {
      orders: OFF,
      cancels: OFF,
      otherWrites: OFF,
      reads: OFF,
      failedAuthenticationsPerMinute: 0,
      failedRegistrationsPerMinute: 0,
      failedRevocationsPerMinute: 0,
      ...limits,
    },
    timings: { answerDeadlineMs: 8_000, actionLifeMs: 12_000, startUpDeadlineMs: 15_000, maxReadAgeMs: 10_000 },
    areSpotTriggersSent: false,
    areCancelsFast: true,
    areRailsRequired: false,
    hasPlainToolKeys: false,
    openOrderReserve: 50,
    fillsPageRows: 2_000,
  };
}

/** Lower-case trading address of the account whose leg this is. */
function userOf(store: Store, cloid: string): string | null {
  const leg = findLegByCloid(store, cloid);
  const order = leg === null ? null : findOrder(store, leg.orderId);
  return order === null ? null : (findAccount(store, order.accountId)?.tradingAddress ?? null);
}

function fill(deps: Deps): void {
  const { store } = deps;
  addAccount(deps, ACCOUNTS.main, "main");
  addAccount(deps, ACCOUNTS.other, "main");
  addAccount(deps, ACCOUNTS.copy, "copy");
  addAccount(deps, ACCOUNTS.subaccount, "subaccount");
  insertAgent(store, {
    address: AGENT_ADDRESS,
    ownerAddress: OWNER.address.toLowerCase(),
    name: "postern-1",
    state: "approved",
    sealedKey: new Uint8Array(8),
    createdAtMs: START_MS,
    approvedAtMs: START_MS,
    validUntilMs: null,
  });
  addKey(deps, KEYS.both, ACCOUNTS.main, ["trading:read", "trading:write"]);
  addKey(deps, KEYS.readOnly, ACCOUNTS.main, ["trading:read"]);
  addKey(deps, KEYS.writeOnly, ACCOUNTS.main, ["trading:write"]);
  addKey(deps, KEYS.other, ACCOUNTS.other, ["trading:read", "trading:write"]);
}

function addAccount(deps: Deps, id: string, kind: AccountKind): Account {
  const account: Account = {
    id,
    label: kind,
    kind,
    ownerAddress: OWNER.address.toLowerCase(),
    tradingAddress: `0x${id.replaceAll("-", "")}00000000`,
    parentId: null,
    createdAtMs: START_MS,
  };
  insertAccount(deps.store, account);
  return account;
}

function addKey(deps: Deps, apiKey: string, accountId: string, scopes: readonly Scope[]): void {
  const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
  insertApiKey(deps.store, { keyHash: keyHash(apiKey), accountId, scopes, ...times });
}

const TABLES = ["orders", "legs", "attempts", "idempotency", "operations", "audit", "api_keys", "revocations"];

/** Rows of every table that a request may write to: equal before and after means that nothing was stored. */
export function rowCounts({ deps }: Rig): Record<string, number> {
  const count = (table: string) =>
    deps.store.$client.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n;
  return Object.fromEntries(TABLES.map((table) => [table, count(table) ?? 0]));
}
