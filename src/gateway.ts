/**
 * The composition root: a set-up data directory and the outside world in, a gateway out. Nothing here decides
 * anything; it only says who works with whom.
 */
import { openRunningWrites } from "./actions/running-writes.ts";
import type { Clock } from "./core/clock.ts";
import type { Point } from "./core/points.ts";
import type { Deps, GatewayState, Log, Settings, World } from "./deps.ts";
import { createBudget } from "./exchange/budget.ts";
import { CLOCK_INTERVAL_MS, openExchange } from "./exchange/http.ts";
import { openMarkets } from "./exchange/markets.ts";
import { createReads } from "./exchange/reads.ts";
import type { Transport } from "./exchange/transport.ts";
import { createServer, type HttpServer } from "./http/server.ts";
import { openSettler } from "./settle/settler.ts";
import { lookAtInterrupted, markInterrupted } from "./settle/start-up.ts";
import { openIntentQueue } from "./store/commit.ts";
import type { Instance } from "./store/instance.ts";
import { closeStore, type Store } from "./store/open.ts";
import type { Signers } from "./vault/signers.ts";

/** What a gateway is made of. */
export type GatewayParts = {
  settings: Settings;
  instance: Instance;
  store: Store;
  /** Agent keys, open already. */
  signers: Signers;
  transport: Transport;
  clock: Clock;
  /** Runs its argument after the present turn of the event loop: `setImmediate`, or a test's own. */
  schedule(run: () => void): void;
  randomBytes(count: number): Uint8Array;
  log: Log;
  /** Weight that we may spend at the exchange in a minute; 0 = no limit. */
  exchangeWeightPerMinute: number;
  trustedProxies: readonly string[];
  point?: (name: Point) => void | Promise<void>;
};

export type Gateway = {
  deps: Deps;
  server: HttpServer;
  /** Looks at what was in flight and reads the markets; resolves when writes are open. HTTP may listen before. */
  start(): Promise<void>;
  /** Stops accepting, finishes what is in flight within the answer deadline, and closes the database. */
  stop(): Promise<void>;
};

/** The longest that one exchange request may take, milliseconds: less than the deadline of an answer. */
const EXCHANGE_DEADLINE_MS = 5_000;
/** Markets are read again this often, milliseconds. */
const MARKETS_INTERVAL_MS = 5 * 60_000;
/** Between two tries to read the markets for the first time, milliseconds. */
const FIRST_MARKETS_RETRY_MS = 1_000;

/** Marks what an earlier process left in flight, before anything can be asked of the new one. */
export function openGateway(parts: GatewayParts): Gateway {
  const { settings, instance, store, clock } = parts;
  const exchange = openExchange({
    baseUrl: instance.exchangeUrl,
    transport: parts.transport,
    clock,
    budget: createBudget({ weightPerMinute: parts.exchangeWeightPerMinute }),
    timings: { deadlineMs: EXCHANGE_DEADLINE_MS },
  });
  const state: GatewayState = { phase: "starting", writesStoppedBecause: null };
  const world: World = {
    settings,
    instance,
    store,
    intents: openIntentQueue(store, parts.schedule),
    exchange,
    markets: openMarkets({ exchange, dexes: settings.dexes, clock }),
    signers: parts.signers,
    clock,
    randomBytes: parts.randomBytes,
    log: parts.log,
    point: parts.point ?? (() => undefined),
    state,
  };
  const interrupted = markInterrupted(world);
  if (interrupted.attempts > 0) parts.log.warn({ attempts: interrupted.attempts }, "looking up what was in flight");
  const settler = openSettler(world);
  const deps: Deps = {
    ...world,
    settling: settler,
    running: openRunningWrites(),
    reads: createReads({ exchange, clock }),
  };
  const server = createServer(deps, { trustedProxies: parts.trustedProxies });
  let isStopped = false;

  async function repeat(everyMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!isStopped) {
      await clock.sleep(everyMs);
      if (!isStopped) await work();
    }
  }

  return {
    deps,
    server,
    async start() {
      void repeat(CLOCK_INTERVAL_MS, () => exchange.measureClock());
      void repeat(MARKETS_INTERVAL_MS, () => world.markets.refresh());
      const looked = exchange.measureClock().then(() => lookAtInterrupted(world, settler));
      await Promise.all([looked, readFirstMarkets(world, () => isStopped)]);
      if (state.phase === "starting") state.phase = "ready";
    },
    async stop() {
      state.phase = "draining";
      await Promise.race([deps.running.idle(), clock.sleep(settings.timings.answerDeadlineMs)]);
      isStopped = true;
      settler.stop();
      parts.signers.lock();
      closeStore(store);
    },
  };
}

async function readFirstMarkets(world: World, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const universe = await world.markets.refresh();
    if (universe !== null) return;
    await world.clock.sleep(FIRST_MARKETS_RETRY_MS);
  }
}
