/** The deeds over a real database, a small exchange and a clock that stands: what a client asks, without HTTP. */

import { privateKeyToAccount } from "viem/accounts";
import { cancelOrder } from "../../src/actions/cancel-order.ts";
import { openOrderNews } from "../../src/actions/order-news.ts";
import { openOwnWrites } from "../../src/actions/own-writes.ts";
import { placeOrder } from "../../src/actions/place-order.ts";
import { openWorkers } from "../../src/actions/workers.ts";
import type { Account } from "../../src/core/account.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import { buildUniverse, type Market } from "../../src/core/market.ts";
import { NO_METRICS } from "../../src/core/metric.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import type { Point } from "../../src/core/points.ts";
import type { Deps, LogFields, Settings, World } from "../../src/deps.ts";
import { openActionAllowance } from "../../src/exchange/action-allowance.ts";
import { openBuilderApproval } from "../../src/exchange/builder-approval.ts";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { openMarketView } from "../../src/exchange/market-view.ts";
import { createPicture } from "../../src/exchange/picture.ts";
import { createReads } from "../../src/exchange/reads.ts";
import { NO_FEEDS } from "../../src/exchange/trusted-feeds.ts";
import { openFlights } from "../../src/settle/send/flights.ts";
import { openSettler, type Settler } from "../../src/settle/settler.ts";
import { markInterrupted } from "../../src/settle/start-up.ts";
import { openHeartbeats } from "../../src/settle/stop/heartbeats.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertAgent } from "../../src/store/agents.ts";
import { insertApiKey } from "../../src/store/api-keys.ts";
import { openCommitQueue } from "../../src/store/commit-queue.ts";
import { countTurnsBy } from "../../src/store/data-version.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import type { Instance } from "../../src/store/instance.ts";
import { countMomentsBy } from "../../src/store/leg-moments.ts";
import type { Store } from "../../src/store/open.ts";
import { openWriteHealth } from "../../src/store/write-health.ts";
import { openSigners } from "../../src/vault/signers.ts";
import type { Caller } from "../../src/write/caller.ts";
import { cancelGrounds } from "../../src/write/cancel-grounds.ts";
import { printRequest } from "../../src/write/fingerprint.ts";
import { openRunningWrites } from "../../src/write/running.ts";
import { openMemoryStore } from "./memory-store.ts";
import { readWhenAsked } from "./read-when-asked.ts";
import { type ScriptedExchange, scriptedExchange } from "./scripted-exchange.ts";
import { withSleep } from "./sleeping-timer.ts";
import { type SmallVenue, smallVenue } from "./small-venue.ts";
import { type StillClock, stillClock } from "./still-clock.ts";

export const START_MS = 1_700_000_000_000;

/** What happens to one send: the venue may take it or not, and the answer may come or not. */
export type Delivery = (body: string, venue: SmallVenue, clock: StillClock) => SendOutcome | Promise<SendOutcome>;

export const DELIVERY = {
  normal: (body, venue) => venue.take(body),
  answerLost: (body, venue) => {
    venue.take(body);
    return { kind: "unknown", reason: "the connection was reset" };
  },
  neverArrived: () => ({ kind: "unknown", reason: "the connection was reset" }),
  notSent: () => ({ kind: "not_sent", reason: "connection refused" }),
  tooFast: () => ({ kind: "answered", httpStatus: 429, body: "" }),
  badGateway: (body, venue) => {
    venue.take(body);
    return { kind: "answered", httpStatus: 502, body: "<html><script>alert(1)</script></html>" };
  },
} as const satisfies Record<string, Delivery>;

/** Delivered and answered, each after a while. */
export function delayed(beforeMs: number, afterMs: number, delivery: Delivery = DELIVERY.normal): Delivery {
  return async (body, venue, clock) => {
    await clock.sleep(beforeMs);
    const outcome = await delivery(body, venue, clock);
    await clock.sleep(afterMs);
    return outcome;
  };
}

const OWNER = "0x1111111111111111111111111111111111111111";
const AGENT_KEY = new Uint8Array(32).fill(0x33);
export const AGENT_ADDRESS = privateKeyToAccount(`0x${"33".repeat(32)}`).address.toLowerCase();

export const ACCOUNT: Account = {
  id: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  label: "main",
  kind: "main",
  ownerAddress: OWNER,
  tradingAddress: OWNER,
  parentId: null,
  createdAtMs: START_MS,
};

const KEY_HASH = "ab".repeat(32);

const BTC: Market = {
  name: "BTC",
  kind: "perpetual",
  dex: "",
  assetId: 0,
  sizeDecimals: 5,
  maxLeverage: 40,
  marginMode: "any",
  isDelisted: false,
  pairName: null,
};

/** Words of an answer that tests look at. */
export type Shown = { httpStatus: number; isReplay: boolean; body: string; order: Record<string, unknown> };

export type GatewayRig = {
  deps: Deps;
  settler: Settler;
  store: Store;
  clock: StillClock;
  venue: SmallVenue;
  exchange: ScriptedExchange;
  /** Deliveries of the next sends, in order; then all are normal. */
  deliveries: Delivery[];
  caller: Caller;
  /** Which named steps were passed; one that is in `stopAt` is never left. */
  passed: Point[];
  stopAt: Set<Point>;
  log: { level: string; fields: LogFields; message: string }[];
  place(key: string, some?: Partial<OrderTerms>): Promise<WriteAnswer>;
  cancel(key: string, id: string): Promise<WriteAnswer>;
  /** Lets time go on until the answer is there. */
  answerOf(asked: Promise<WriteAnswer>): Promise<Shown>;
  /** The same exchange and database under a new process; the old one hears and does nothing more. */
  restart(): Promise<GatewayRig>;
};

export type RigParts = {
  store?: Store;
  clock?: StillClock;
  venue?: SmallVenue;
  /** False where the fills of the account were never read: else a first reading of them, as at a start, has found none. */
  areFillsRead?: boolean;
};

const OFF = { perSecond: 0, burst: 0 };

const SETTINGS: Settings = {
  network: "paper",
  version: "0.0.0-test",
  audience: "paper+http://127.0.0.1:8787",
  allowedHosts: [],
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

const INSTANCE: Instance = {
  network: "paper",
  exchangeUrl: "http://127.0.0.1:9797",
  tag: 7,
  secret: new Uint8Array(32).fill(9),
  vault: "{}",
  createdAtMs: START_MS,
};

/** Longest that an answer is waited for, milliseconds of the standing clock. */
const MAX_WAIT_MS = 9_000;

export function openGatewayRig(parts: RigParts = {}): GatewayRig {
  const clock = parts.clock ?? stillClock(START_MS);
  const nowMs = () => START_MS + clock.elapsedMs();
  const venue = parts.venue ?? smallVenue(nowMs);
  const store = parts.store ?? openFilledStore();
  countTurnsBy(store, setImmediate);
  countMomentsBy(store, clock.elapsedMs);
  if (parts.store === undefined && parts.areFillsRead !== false) setFillCursor(store, ACCOUNT.id, START_MS);
  const deliveries: Delivery[] = [];
  const passed: Point[] = [];
  const stopAt = new Set<Point>();
  const log: GatewayRig["log"] = [];
  let isDead = false;
  const note = (level: string) => (fields: LogFields, message: string) => {
    if (!isDead) log.push({ level, fields, message });
  };
  const noted = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const scripted = scriptedExchange({ infos: venue.infos, nowMs });
  const dead = new Promise<never>(() => undefined);
  const exchange: ScriptedExchange = {
    ...scripted,
    async send(body, purpose) {
      if (isDead) return dead;
      scripted.sent.push({ body, purpose });
      const delivery: Delivery = deliveries.shift() ?? DELIVERY.normal;
      const outcome = await delivery(body, venue, clock);
      return isDead ? dead : outcome;
    },
    info: async (request, options) => (isDead ? dead : scripted.info(request, options)),
    infoInTurn: async (requests, options) => (isDead ? dead : scripted.infoInTurn(requests, options)),
  };
  const universe = buildUniverse([BTC], START_MS);
  const reads = createReads({ exchange, clock });
  const world: World = {
    settings: SETTINGS,
    instance: INSTANCE,
    store,
    writeHealth: openWriteHealth(store, clock),
    commits: openCommitQueue(store, (run) => setImmediate(() => (isDead ? undefined : run())), clock),
    exchange,
    flights: openFlights({ store, clock, exchange, log: noted }),
    allowance: openActionAllowance({ isOn: false, reads, clock }),
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
    signers: openSigners({ network: "paper", keys: [{ address: AGENT_ADDRESS, privateKey: AGENT_KEY.slice() }] }),
    clock: withSleep(clock, (durationMs) => clock.sleep(durationMs).then(() => (isDead ? dead : undefined))),
    randomBytes: (count) => new Uint8Array(count),
    log: noted,
    metrics: NO_METRICS,
    point: (name) => {
      passed.push(name);
      return isDead || stopAt.has(name) ? dead : undefined;
    },
    state: { phase: "ready", writesStoppedBecause: null },
  };
  const settler = openSettler(world, { grounds: cancelGrounds(() => deps) });
  const workers = openWorkers(world, settler, () => deps);
  const deps: Deps = {
    ...world,
    settling: settler,
    ...workers,
    heartbeats: openHeartbeats(world, { bootMs: clock.elapsedMs, heed: () => workers.stopper.heed() }),
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
    builderApproval: openBuilderApproval({ builderAddress: null, reads, clock }),
    fillIndex: readWhenAsked(world, null),
    ledgerIndex: { readSoon: () => undefined },
    ownWrites: openOwnWrites(world),
    orderNews: openOrderNews(world),
    agents: { standing: () => "listed" },
    gauges: { weightLeft: () => null, clockOffsetMs: () => null },
  };
  const key = {
    keyHash: KEY_HASH,
    accountId: ACCOUNT.id,
    issuedAtMs: START_MS,
    registeredAtMs: START_MS,
    scopes: ["trading:read", "trading:write"] as const,
  };
  const caller: Caller = { account: ACCOUNT, key, reader: { reader: KEY_HASH }, charge: () => undefined };
  return {
    deps,
    settler,
    store,
    clock,
    venue,
    exchange,
    deliveries,
    caller,
    passed,
    stopAt,
    log,
    place: (idempotencyKey, some) => placeOrder(deps, caller, wanted(idempotencyKey, some)),
    cancel: (idempotencyKey, id) =>
      cancelOrder(deps, caller, {
        idempotencyKey,
        id,
        fingerprint: printRequest("POST /v1/orders/{id}/cancel", id, {}),
      }),
    answerOf: (asked) => answerOf(clock, asked),
    async restart() {
      isDead = true;
      settler.stop();
      await clock.advance(0);
      const next = openGatewayRig({ store, clock, venue });
      markInterrupted(next.deps);
      return next;
    },
  };
}

export function wanted(idempotencyKey: string, some: Partial<OrderTerms> = {}) {
  const terms: OrderTerms = {
    market: "BTC",
    side: "buy",
    size: "1.0",
    price: "100",
    timeInForce: "gtc",
    reduceOnly: false,
    trigger: null,
    ...some,
  };
  const { market, side, size, price, timeInForce, reduceOnly, trigger } = terms;
  const body = { market, side, size, price, timeInForce, reduceOnly, trigger };
  return {
    ...terms,
    accountId: ACCOUNT.id,
    idempotencyKey,
    fingerprint: printRequest("POST /v1/orders", null, body),
  };
}

/** Shows an answer with its order taken apart. */
export function shown({ status, body, isReplay }: WriteAnswer): Shown {
  return { httpStatus: status, isReplay, body, order: JSON.parse(body) };
}

async function answerOf(clock: StillClock, asked: Promise<WriteAnswer>): Promise<Shown> {
  let isDone = false;
  const done = asked.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  for (let waitedMs = 0; !isDone && waitedMs <= MAX_WAIT_MS; waitedMs += 100) await clock.advance(100);
  if (!isDone) throw new Error("no answer within the deadline");
  return shown(await done);
}

/** The account, its agent and its key. */
export function openFilledStore(store: Store = openMemoryStore()): Store {
  insertAccount(store, ACCOUNT);
  insertAgent(store, {
    address: AGENT_ADDRESS,
    ownerAddress: OWNER,
    name: "postern-1",
    state: "approved",
    sealedKey: new Uint8Array(8),
    createdAtMs: START_MS,
    approvedAtMs: START_MS,
    validUntilMs: null,
  });
  const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
  insertApiKey(store, {
    keyHash: KEY_HASH,
    accountId: ACCOUNT.id,
    scopes: ["trading:read", "trading:write"],
    ...times,
  });
  return store;
}
