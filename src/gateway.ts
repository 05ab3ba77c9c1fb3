/**
 * The composition root: a set-up data directory and the outside world in, a gateway out. Nothing here decides
 * anything; it only says who works with whom.
 */
import { openOrderNews } from "./actions/order-news.ts";
import { openOwnWrites } from "./actions/own-writes.ts";
import { openWorkers } from "./actions/workers.ts";
import { begin } from "./background.ts";
import type { Account } from "./core/account.ts";
import type { Clock } from "./core/clock.ts";
import { type Metrics, NO_METRICS } from "./core/metric.ts";
import type { Point } from "./core/points.ts";
import type { DemoOwner, Deps, GatewayState, Log, Settings, With, World } from "./deps.ts";
import { type ActionAllowance, openActionAllowance } from "./exchange/action-allowance.ts";
import { createBudget } from "./exchange/budget.ts";
import { openBuilderApproval } from "./exchange/builder-approval.ts";
import { type ConnectedExchange, openExchange } from "./exchange/http.ts";
import { type MarketView, openMarketView } from "./exchange/market-view.ts";
import { openMarkets } from "./exchange/markets.ts";
import { createPicture, type Picture } from "./exchange/picture.ts";
import { createReads, type Reads } from "./exchange/reads.ts";
import { type SocketTransport, socketUrl } from "./exchange/socket.ts";
import type { Transport } from "./exchange/transport.ts";
import { NO_FEEDS, openTrustedFeeds, type TrustedFeeds } from "./exchange/trusted-feeds.ts";
import { createServer, type HttpServer } from "./http/server.ts";
import type { Keyring } from "./ops/keyring.ts";
import { openAgentWatch } from "./ops/watch-agents.ts";
import { type AccountTeller, openAccountTeller } from "./settle/account/tell-account.ts";
import { noteTold } from "./settle/evidence/balances-before-writes.ts";
import { type Follower, openFollower } from "./settle/feed/follow.ts";
import { heedFills } from "./settle/fills/fill-leads.ts";
import { type FillIndex, openFillIndex } from "./settle/fills/index-fills.ts";
import { openReadSoon } from "./settle/fills/read-soon.ts";
import { readLedgers, type ToIndexLedger } from "./settle/ledger/index-ledger.ts";
import { isOfOtherAccount } from "./settle/look/other-account.ts";
import { heedExcess } from "./settle/modify/reduce.ts";
import { openRepeating, type Repeating } from "./settle/repeating.ts";
import { openOtherMachines } from "./settle/restore/other-machine.ts";
import { openFlights } from "./settle/send/flights.ts";
import { openSettler } from "./settle/settler.ts";
import { markInterrupted } from "./settle/start-up.ts";
import { openHeartbeats } from "./settle/stop/heartbeats.ts";
import { within } from "./settle/within.ts";
import { onBroken } from "./store/broken.ts";
import { openCommitQueue } from "./store/commit-queue.ts";
import { countTurnsBy } from "./store/data-version.ts";
import type { Instance } from "./store/instance.ts";
import { countMomentsBy } from "./store/leg-moments.ts";
import { waitBriefly } from "./store/locked.ts";
import { lastOrderNumber } from "./store/newest-orders.ts";
import { closeStore, type Store } from "./store/open.ts";
import { openWriteHealth } from "./store/write-health.ts";
import type { Signers } from "./vault/signers.ts";
import { cancelGrounds } from "./write/cancel-grounds.ts";
import { openRunningWrites } from "./write/running.ts";

/** What a gateway is made of. */
export type GatewayParts = {
  settings: Settings;
  instance: Instance;
  store: Store;
  /** Agent keys, open already. */
  signers: Signers;
  transport: Transport;
  /** The exchange's websocket; null = follow by reads alone. */
  socket: SocketTransport | null;
  clock: Clock;
  /** Milliseconds since some start, counted on while the machine sleeps; the clock's own count when left out. */
  bootMs?: () => number;
  /** Runs its argument after the present turn of the event loop: `setImmediate`, or a test's own. */
  schedule(run: () => void): void;
  randomBytes(count: number): Uint8Array;
  log: Log;
  /** Where counts and times go; nowhere when left out. */
  metrics?: Metrics;
  /** Weight that we may spend at the exchange in a minute; 0 = no limit, and none of an account's actions either. */
  exchangeWeightPerMinute: number;
  /** Accounts that are followed over connections of their own; the usual number when left out. */
  maxFeeds?: number;
  trustedProxies: readonly string[];
  /** Seals the agent key that the set-up makes; left out, nothing can be set up over HTTP. */
  keyring?: Keyring;
  point?: (name: Point) => void | Promise<void>;
  /** An upgrade is being checked: nothing is written for anybody, and nothing sent, before `start`. */
  isOnTrial?: boolean;
  demoOwner?: DemoOwner;
};

export type Gateway = {
  deps: Deps;
  server: HttpServer;
  /** Looks at what was in flight and reads the markets, also while HTTP listens; then `tell` hears which orders are taken. */
  start(tell?: (words: string) => void): Promise<void>;
  /** Refuses writes from now on; resolves when those in flight have an answer, at the latest at its deadline. */
  drain(): Promise<void>;
  /** Drains, then closes the database: who is asked after that has no answer. */
  stop(): Promise<void>;
};

/** The longest that one exchange request may take, milliseconds: less than the deadline of an answer. */
const EXCHANGE_DEADLINE_MS = 5_000;
/** The exchange allows 10 an IP address: one is for markets, and a bot on the same machine wants some. */
const MAX_FEEDS = 7;

/** Marks what an earlier process left in flight, before anything can be asked of the new one. */
export function openGateway(parts: GatewayParts): Gateway {
  const { exchange, reads, allowance, builderApproval } = connect(parts);
  const state: GatewayState = { phase: parts.isOnTrial === true ? "trial" : "opening", writesStoppedBecause: null };
  const picture = createPicture();
  const feeds = openGatewayFeeds(parts, { exchange, picture, follower: () => follower, teller: () => teller });
  const marketView = openGatewayMarketView(parts, { exchange, reads });
  const world = worldOf(parts, { exchange, allowance, feeds, picture, state });
  const interrupted = markInterrupted(world);
  waitBriefly(parts.store);
  onBroken(parts.store, (because) => stopWrites(world, because));
  if (interrupted.attempts > 0) parts.log.warn({ attempts: interrupted.attempts }, "looking up what was in flight");
  const heed = (orderId: string) => repeating.once(() => heedExcess(world, settler, orderId));
  const settler = openSettler(world, {
    onSettled: heed,
    onFills: (account, fills) => fillIndex.addRead(account, fills),
    onUnfinished: (orderId) => follower.onUnfinished(orderId),
    grounds: cancelGrounds(() => deps),
  });
  const workers = openWorkers(world, settler, () => deps);
  const heartbeats = openHeartbeats(world, {
    bootMs: parts.bootMs ?? parts.clock.elapsedMs,
    heed: () => workers.stopper.heed(),
  });
  const others = openOtherMachines(world);
  const heeding = heedFills(world, { heed, look: settler.look, repeating: () => repeating });
  const fillIndex = openFillIndex(world, others, heeding);
  const follower = openFollower(world, settler, { index: fillIndex, others });
  const teller = openAccountTeller(world);
  const repeating = openRepeating(parts);
  const agents = openAgentWatch(world, repeating.isStopped);
  const asked = readsAsked(world, { fillIndex, repeating });
  const views = { reads, marketView, builderApproval, ...asked, agents, gauges: gaugesOf(exchange) };
  const deps = depsOf(world, { settling: settler, ...workers, heartbeats, ...views });
  const beginning = { exchange, feeds, fillIndex, agents, repeating, settler, workers, heartbeats, follower };
  let server: HttpServer | null = null;

  /** An account that was made after the start. */
  function followAccount(account: Account): void {
    feeds.follow(account.tradingAddress);
    void allowance.refresh(account.tradingAddress);
    void builderApproval.refresh(account.ownerAddress);
    repeating.once(() => follower.resync("all"));
  }

  async function drainAll(): Promise<void> {
    server?.endStreams();
    await drain(deps);
  }

  return {
    deps,
    drain: drainAll,
    // Built when first asked for: who drives the verbs directly needs no routes.
    get server() {
      const { trustedProxies, keyring } = parts;
      const settingUp = keyring === undefined ? null : { keyring, follow: followAccount };
      server ??= createServer(deps, { trustedProxies, settingUp });
      return server;
    },
    start: (tell = () => undefined) => begin(deps, { ...beginning, maxFeeds: maxFeedsOf(parts), sealing: parts, tell }),
    async stop() {
      await drainAll();
      repeating.stop();
      for (const each of [feeds, marketView]) each.close();
      for (const each of [follower, heartbeats, ...Object.values(workers), teller, settler]) each.stop();
      parts.signers.lock();
      closeStore(parts.store);
    },
  };
}

/** What a verb has read at once: fills, with how far they are read, and transfers. */
function readsAsked(
  world: ToIndexLedger & With<"clock" | "store">,
  { fillIndex, repeating }: { fillIndex: FillIndex; repeating: Repeating },
): Pick<Deps, "fillIndex" | "ledgerIndex"> {
  const readFillsSoon = openReadSoon(world, (account) => repeating.once(() => fillIndex.backFill(account, "read")));
  const readTransfers = (account: Account) => repeating.once(() => readLedgers(world, account, repeating.isStopped));
  return {
    // Of a newer order fills may lack that nobody has asked about yet.
    fillIndex: {
      readToMs: fillIndex.readToMs,
      readSoon: (account) => readFillsSoon(account, lastOrderNumber(world.store)),
    },
    ledgerIndex: { readSoon: openReadSoon(world, readTransfers) },
  };
}

function maxFeedsOf({ socket, maxFeeds = MAX_FEEDS }: GatewayParts): number | null {
  return socket === null ? null : maxFeeds;
}

type Connected = {
  exchange: ConnectedExchange;
  allowance: ActionAllowance;
  feeds: TrustedFeeds;
  picture: Picture;
  state: GatewayState;
};

function worldOf(parts: GatewayParts, { exchange, allowance, feeds, picture, state }: Connected): World {
  const { settings, instance, store, clock } = parts;
  countTurnsBy(store, parts.schedule);
  countMomentsBy(store, clock.elapsedMs);
  return {
    settings,
    instance,
    store,
    writeHealth: openWriteHealth(store, clock),
    commits: openCommitQueue(store, parts.schedule, clock),
    exchange,
    flights: openFlights({ store, clock, exchange, log: parts.log }),
    allowance,
    markets: openMarkets({ exchange, dexes: settings.dexes, clock }),
    feeds,
    picture,
    signers: parts.signers,
    clock,
    randomBytes: parts.randomBytes,
    log: parts.log,
    metrics: parts.metrics ?? NO_METRICS,
    point: parts.point ?? (() => undefined),
    state,
    ...(parts.demoOwner === undefined ? {} : { demoOwner: parts.demoOwner }),
  };
}

type OpenedGateway = With<
  | "settling"
  | "stopper"
  | "flattener"
  | "canceler"
  | "closer"
  | "trader"
  | "heartbeats"
  | "reads"
  | "marketView"
  | "builderApproval"
  | "fillIndex"
  | "ledgerIndex"
  | "agents"
  | "gauges"
>;

function depsOf(world: World, opened: OpenedGateway): Deps {
  return {
    ...world,
    ...opened,
    running: openRunningWrites(),
    ownWrites: openOwnWrites(world),
    orderNews: openOrderNews(world),
  };
}

function gaugesOf(exchange: ConnectedExchange): Deps["gauges"] {
  return { weightLeft: () => exchange.budgetLeft("cancel"), clockOffsetMs: () => exchange.clockOffsetMs() };
}

/** Until the next start: whoever looks is told. */
function stopWrites({ state, log }: With<"log" | "state">, because: string): void {
  if (state.writesStoppedBecause !== null) return;
  state.writesStoppedBecause = because;
  log.error({ error: because }, "writes are stopped until the next start");
}

type ToDrain = With<"clock" | "running" | "settings" | "state">;

async function drain({ state, running, clock, settings }: ToDrain): Promise<void> {
  state.phase = "draining";
  await within(clock, settings.timings.answerDeadlineMs, running.idle());
}

/** The exchange, and what we read and count of it. */
function connect({ settings, instance, transport, clock, store, exchangeWeightPerMinute }: GatewayParts) {
  const budget = createBudget({ weightPerMinute: exchangeWeightPerMinute });
  const exchange = openExchange({
    baseUrl: instance.exchangeUrl,
    transport,
    clock,
    budget,
    timings: { deadlineMs: EXCHANGE_DEADLINE_MS },
    isOfOtherAccount: (request, json) => isOfOtherAccount({ store }, request, json),
  });
  const reads = createReads({ exchange, clock });
  const builderAddress = settings.builder?.address ?? null;
  return {
    exchange,
    reads,
    allowance: openActionAllowance({ isOn: exchangeWeightPerMinute > 0, reads, clock }),
    builderApproval: openBuilderApproval({ builderAddress, reads, clock }),
  };
}

/** `follower` is asked for late: it reads, and reading needs the feeds. */
type Following = { exchange: ConnectedExchange; picture: Picture; follower(): Follower; teller(): AccountTeller };

function openGatewayFeeds(parts: GatewayParts, { exchange, picture, follower, teller }: Following): TrustedFeeds {
  const { instance, clock, settings, socket } = parts;
  if (socket === null) return NO_FEEDS;
  return openTrustedFeeds({
    url: socketUrl(instance.exchangeUrl),
    transport: socket,
    clock,
    dexes: settings.dexes,
    maxFeeds: parts.maxFeeds ?? MAX_FEEDS,
    exchangeNowMs: () => exchange.nowMs(),
    onEvent: (address, event) => {
      exchange.heardDate(event);
      picture.hear(address, event);
      follower().onEvent(address, event);
      if (event.kind !== "account_part") return;
      noteTold({ exchange, picture, settings, store: parts.store }, address);
      teller().look(address);
    },
    onDoubt: (address) => follower().checkFills(address),
    onDistrust: (address, because) => follower().onDistrust(address, because),
  });
}

type Viewing = { exchange: ConnectedExchange; reads: Reads };

function openGatewayMarketView(parts: GatewayParts, { exchange, reads }: Viewing): MarketView {
  const { instance, settings, socket, clock } = parts;
  return openMarketView({
    url: socketUrl(instance.exchangeUrl),
    transport: socket,
    clock,
    reads,
    maxAgeMs: settings.timings.maxReadAgeMs,
    exchangeNowMs: () => exchange.nowMs(),
  });
}
