import type { Network } from "./core/account.ts";
import type { Clock } from "./core/clock.ts";
import type { Point } from "./core/points.ts";
import type { Exchange, Markets } from "./exchange/exchange.ts";
import type { Store } from "./store/open.ts";
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
  /** Pause between two settling passes when something is open. */
  settleIntervalMs: number;
};

/** The outside world, handed to every deed. */
export type Deps = {
  settings: Settings;
  store: Store;
  exchange: Exchange;
  markets: Markets;
  signers: Signers;
  clock: Clock;
  randomBytes(count: number): Uint8Array;
  log: Log;
  /** Called at named steps; does nothing outside tests. */
  point(name: Point): void | Promise<void>;
  state: GatewayState;
};

/** What the process knows about itself; in memory only. */
export type GatewayState = {
  /** `starting` until the start-up pass is through, `draining` after SIGTERM. */
  phase: "starting" | "ready" | "draining";
  /** Set when a failed invariant or the disk stops writes; reads, cancels and settling go on. */
  writesStoppedBecause: string | null;
};
