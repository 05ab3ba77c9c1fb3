import type { Account, AgentStanding, Network } from "./core/account.ts";
import type { Attempt } from "./core/attempt.ts";
import type { Clock } from "./core/clock.ts";
import type { Heartbeat } from "./core/heartbeat.ts";
import type { WriteAnswer } from "./core/idempotency.ts";
import type { FlightRank } from "./core/in-flight.ts";
import type { About, Happened } from "./core/mark.ts";
import type { Metrics } from "./core/metric.ts";
import type { Point } from "./core/points.ts";
import type { Stop } from "./core/stop.ts";
import type { Wait } from "./core/wait.ts";
import type { ActionAllowance } from "./exchange/action-allowance.ts";
import type { BuilderApproval } from "./exchange/builder-approval.ts";
import type { Exchange, Markets, Reader } from "./exchange/exchange.ts";
import type { MarketView } from "./exchange/market-view.ts";
import type { Picture } from "./exchange/picture.ts";
import type { Reads } from "./exchange/reads.ts";
import type { AnsweredFills } from "./exchange/told-fill.ts";
import type { TrustedFeeds } from "./exchange/trusted-feeds.ts";
import type { CommitQueue } from "./store/commit-queue.ts";
import type { Instance } from "./store/instance.ts";
import type { Store } from "./store/open.ts";
import type { StoredOperation } from "./store/operations.ts";
import type { StoredOrder } from "./store/orders.ts";
import type { UnusedNumber } from "./store/unused-numbers.ts";
import type { WriteHealth } from "./store/write-health.ts";
import type { Signers } from "./vault/signers.ts";

/** Structured log: a constant message, facts in fields. Fields outside the allow-list of log.ts are dropped. */
export type Log = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Everything that a deed may depend on and that an operator may set. Times in milliseconds. */
export type Settings = {
  network: Network;
  version: string;
  /** What grants are signed for: public base URL, preceded by `testnet+` or `paper+` on those networks. */
  audience: string;
  /** Names that the Host header may carry. */
  allowedHosts: readonly string[];
  /** Perpetuals dexes besides the native one. */
  dexes: readonly string[];
  builder: Builder | null;
  limits: Limits;
  timings: Timings;
  /** A trigger on spot is sent, although the exchange takes none; else it is refused here. */
  areSpotTriggersSent: boolean;
  /** Cancels of orders that are no triggers ask for the exchange's fast lane. */
  areCancelsFast: boolean;
  /** Keys without rails only cancel and reduce, and none is registered any more that may write. */
  areRailsRequired: boolean;
  /** Whether an agent's tools take keys without rails outside of paper. */
  hasPlainToolKeys: boolean;
  /** Of the open orders with which the exchange still takes stops: kept for what can only reduce. */
  openOrderReserve: number;
  /** Rows that the exchange gives in one answer of fills at most: fewer mean that it was the last. */
  fillsPageRows: number;
};

export type Builder = {
  address: string;
  /** Tenths of a basis point. */
  feeTenthsBps: number;
  /** By account id; null = no fee for that account. */
  overrides: Readonly<Record<string, number | null>>;
  isRequired: boolean;
};

/** Requests per second and burst; 0 = off. */
export type Bucket = { perSecond: number; burst: number };

export type Limits = {
  orders: Bucket;
  cancels: Bucket;
  otherWrites: Bucket;
  reads: Bucket;
  /** Failures a minute and client address; 0 = off. */
  failedAuthenticationsPerMinute: number;
  failedRegistrationsPerMinute: number;
  failedRevocationsPerMinute: number;
};

export type Timings = {
  /** A write is answered within this time of its last byte. */
  answerDeadlineMs: number;
  /** Life of a signed action: `expiresAfter` = exchange time + this. */
  actionLifeMs: number;
  /** Writes are refused at start until every row in flight was looked at, at most this long. */
  startUpDeadlineMs: number;
  /** What is older than this is not shown before the exchange was asked for it. */
  maxReadAgeMs: number;
};

/** The outside world, without the workers built on it, which `Deps` adds. Functions take parts of both by `With`. */
export type World = {
  settings: Settings;
  /** What this data directory is; fixed at set-up. */
  instance: Instance;
  store: Store;
  /** Whether an intent would reach the disk. */
  writeHealth: WriteHealth;
  /** Where intents and the outcomes of placings wait for their shared commit. */
  commits: CommitQueue;
  exchange: Exchange;
  /** How many actions of an owner's agents are under way: none is stored or signed without a slot. */
  flights: Flights;
  /** The exchange's own limit of actions for each trading address. */
  allowance: ActionAllowance;
  markets: Markets;
  /** Which trading addresses are followed live over the exchange's websocket, and what their feeds are held against. */
  feeds: Omit<TrustedFeeds, "follow" | "close">;
  /** Followed accounts as they are now, for those who look on. */
  picture: Picture;
  signers: Signers;
  clock: Clock;
  randomBytes(count: number): Uint8Array;
  log: Log;
  metrics: Metrics;
  /** Called at named steps; does nothing outside tests. */
  point(name: Point): void | Promise<void>;
  state: GatewayState;
  /** Of `serve --paper` alone. */
  demoOwner?: DemoOwner;
};

/** The owner of the demo, whose money is none and whose key lies beside its database. */
export type DemoOwner = {
  /** 0x, r, s and v. */
  sign(digest: Uint8Array): string;
};

export type Deps = World & {
  settling: Settling;
  stopper: Stopper;
  /** Closes what is held under a stop. */
  flattener: Flattener;
  /** Cancels what a row names. */
  canceler: RowWorker;
  /** Sees to what a close leaves behind. */
  closer: RowWorker;
  /** Pursues trades. */
  trader: Trader;
  heartbeats: Heartbeats;
  running: RunningWrites;
  /** Reads of the exchange's state, shared among those who ask within a second. */
  reads: Reads;
  /** What the markets do: prices, books, funding. Followed while somebody needs it. */
  marketView: Omit<MarketView, "close">;
  builderApproval: Pick<BuilderApproval, "approvedTenthsBps" | "refused" | "refresh">;
  /** When the exchange's list of fills was last read to its end, exchange time, unix milliseconds; null before that. The list may have been behind. */
  fillIndex: {
    readToMs(account: Account): number | null;
    /** Reads it again, unless that was done a moment ago. */
    readSoon(account: Account): void;
  };
  /** The index of funding and transfers. */
  ledgerIndex: {
    /** Reads what is new of both, unless that was done a moment ago. */
    readSoon(account: Account): void;
  };
  /** What an account was told last. */
  ownWrites: { told(account: Account, about: About): () => readonly Happened[] };
  /** When there was the last news that an order is open, exchange time, unix milliseconds. */
  orderNews: {
    newsMs(order: { id: string; version: number }, shown: { isListed: boolean; newestMs: number }): number;
    wasListed(order: { id: string; version: number }): boolean;
  };
  /** Our agents, as the exchange lists them. */
  agents: { standing(address: string): AgentStanding };
  /** What nobody but the operator asks for. */
  gauges: {
    /** Weight of this minute that is left at the exchange; null = not limited. */
    weightLeft(): number | null;
    /** Exchange time minus ours, milliseconds; null before the first comparison. */
    clockOffsetMs(): number | null;
  };
};

/**
 * A part of the outside world. Whoever is handed some of it says which: what a function can touch, and what a test of it has
 * to bring, stands in its first line. Parts that many ask for together have a name.
 */
export type With<Part extends keyof Deps> = Pick<Deps, Part>;

/** To show an account as it is now. */
export type ToShow = With<"clock" | "exchange" | "picture" | "reads" | "settings">;

/** To look at an order: by the exchange's record, by lists, and by what its account's feed has told. */
export type ToLook = With<"clock" | "exchange" | "feeds" | "picture" | "settings" | "store">;

/** To follow the fills of an account. */
export type ToFollow = With<"clock" | "exchange" | "feeds" | "log" | "markets" | "picture" | "settings" | "store">;

/** To store what is going to be signed. */
export type ToSign = With<"clock" | "exchange" | "settings" | "signers" | "store">;

/** To send what is stored, and to write down what became of that. */
export type ToSend = ToSign & With<"allowance" | "flights" | "log" | "metrics" | "point" | "state">;

/** To say whether an order is taken. */
export type ToTakeOrders = With<
  "agents" | "allowance" | "exchange" | "markets" | "signers" | "state" | "store" | "writeHealth"
>;

/** To say whether a key with rails may do what it asks. */
export type ToJudge = With<
  "clock" | "exchange" | "feeds" | "fillIndex" | "marketView" | "markets" | "picture" | "reads" | "settings" | "store"
>;

/** To run a write from its key to its answer. */
export type ToWrite = ToSend & ToTakeOrders & ToJudge & With<"commits" | "instance" | "running" | "settling">;

/** A slot among the actions that may be under way: one more may be unanswered. */
export type Slot = {
  /** An attempt has it, with a number of its own from now on. Inside the transaction that stores it; said again, the last counts. */
  take(attempt: Pick<Attempt, "id" | "expiresAtMs">): void;
  /** Free again, whether or not an attempt has it. */
  leave(): void;
};

/** What is under way towards the exchange, by owner; the rule is in `core/in-flight`. */
export type Flights = {
  /** A slot now; null where there is none, or others wait for it. */
  take(owner: string, rank: FlightRank): Slot | null;
  /** A slot now, or when its turn comes. Null when `forMs` have passed, or at once when too many wait. */
  wait(owner: string, rank: FlightRank, forMs: number): Promise<Slot | null>;
  /** The request of an attempt was answered or never left, or its number is burnt: it has ended. */
  landed(attemptId: number): void;
  /** It has ended without an answer: what it carried may still be under way. */
  lost(attemptId: number): void;
  isLost(attemptId: number): boolean;
};

/** The pursuit of every outcome that is not known yet. */
export type Settling = {
  /**
   * Follows an attempt until it is settled; resolves then. Safe to call again for the same attempt.
   *
   * @param refusal the exchange's own words where its answer was a refusal that is not listed
   */
  pursue(attemptId: number, refusal?: string | null): Promise<void>;
  /** Burns the nonce of an attempt that has not been answered, so that it can no longer land. */
  burn(attemptId: number): Promise<void>;
  /**
   * One look at what the exchange knows of an order, shared by all who read, or who settle, within a second. Never
   * throws.
   */
  look(orderId: string, purpose?: "read" | "settle" | Reader): Promise<LookResult>;
  /** Heeds fills of an account that were read for one of its orders: what others of them are of is known from then on as well. */
  heedFills(accountId: string, fills: AnsweredFills): void;
  /** Attempts that are not settled. */
  openCount(): number;
};

/** Who goes on with what rows ask for, wherever a process has died. */
export type RowWorker = {
  /** There may be a new one; safe to call at any time. */
  heed(): void;
};

/** Who pursues trades. */
export type Trader = RowWorker & {
  /** Brings what is told of the account's trades up to what their orders are by now; asks nobody. */
  refresh(accountId: string): void;
};

/** Who carries stops out. */
export type Stopper = RowWorker & {
  progressOf(stop: Stop): StopProgress;
};

/** Who closes what is held under a stop. */
export type Flattener = RowWorker & {
  /** What it waited for at its last round; null where this process has not had one yet. */
  waitsOf(stopId: string): readonly Wait[] | null;
};

/** Who listens for the silence of bots. */
export type Heartbeats = {
  /**
   * A bot lives, and is to be listened for from now on; null is for no longer. On the disk when this returns.
   *
   * @param keyHash the key that says so
   */
  beat(accountId: string, keyHash: string, withinMs: number | null): Heartbeat;
};

/** How far a stop has come. */
export type StopProgress = {
  /**
   * What can still increase a position: orders that are not over, TWAPs that are not settled, TWAPs that run, and orders that were
   * refused and of which a copy may still be taken.
   */
  remaining: {
    orders: readonly StoredOrder[];
    openTwaps: readonly Attempt[];
    runningTwaps: readonly StoredOperation[];
    unusedNumbers: readonly UnusedNumber[];
  };
  /** Each thing that keeps it from being stopped. */
  waits: readonly Wait[];
  /** Orders that can only make a position smaller. */
  kept: readonly StoredOrder[];
};

/**
 * `unfinished`: the exchange shows it closed, and not yet all its fills. `unclear`: in a word that is new, which may be either, or closed
 * while its fills cannot be read.
 * `failed`: the exchange could not be asked. `not_found` proves nothing.
 */
export type LookResult = "closed" | "open" | "unfinished" | "unclear" | "not_found" | "failed";

/** Writes of this process that have not been answered yet, by account and Idempotency-Key: repeats join them. */
export type RunningWrites = {
  /** The running write's answer, or null when none runs or too many wait for it already. */
  join(accountId: string, idempotencyKey: string): Promise<WriteAnswer> | null;
  start(accountId: string, idempotencyKey: string, answer: Promise<WriteAnswer>): void;
  /** Notes that somebody is being told that the outcome of a running write is unknown. */
  tell(accountId: string, idempotencyKey: string): void;
  /** False while nobody can have been told anything about a write: only then may its intent still vanish. */
  isTold(accountId: string, idempotencyKey: string): boolean;
  /** Resolves when no write runs. */
  idle(): Promise<void>;
};

/** What the process knows about itself; in memory only. */
export type GatewayState = {
  /**
   * `trial` after an upgrade, until it is known to be well; `opening` until the exchange's clock has been read once, without which nothing is signed; `starting` until the
   * start-up pass is through; `draining` after SIGTERM.
   */
  phase: "trial" | "opening" | "starting" | "ready" | "draining";
  /** Set when a failed invariant or the disk stops writes; reads, cancels and settling go on. */
  writesStoppedBecause: string | null;
  /** What is wrong with the replica beside the database, as of the last look at it. */
  replicaFault?: string | undefined;
  /** No file descriptor is left (EMFILE): no connection is taken, and none to the exchange may open. */
  isOutOfDescriptors?: boolean;
  /** Of whoever watches the agents, once there is one: the exchange has refused an action for the key that signed it. */
  heedRefusedAgent?: (address: string) => void;
  /** By key hash and rail: when it was last told that it refused, and how often it has since. */
  refusals?: Map<string, { toldMs: number; untold: number }>;
  /** Refusals in words that are not in our list, by their shape, of which somebody was told. */
  toldRefusals?: Set<string>;
};
