/**
 * What the operator may set, checked once and frozen. Each setting is a `POSTERN_…` variable; those that change from
 * one start to the next are options of the command line as well, and the option wins. Every default is here.
 */
import type { CrowdRoom } from "./core/crowd.ts";
import { decimalPlaces, parseDecimal, toUnits } from "./core/decimal.ts";
import type { Bucket, Builder, Limits, Timings } from "./deps.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type ListenAddress = { hostname: string; port: number };

/** PEM files of this gateway's own certificate, with its chain, and its key. */
export type TlsFiles = { certificateFile: string; keyFile: string };

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export type Config = {
  listen: ListenAddress;
  /** Null = plain HTTP, which leaves the machine only behind a proxy. */
  tls: TlsFiles | null;
  /** A proxy with TLS stands before it, so plain HTTP may leave the machine. */
  isBehindProxy: boolean;
  /** Of the built-in exchange of `serve --paper`. */
  paperListen: ListenAddress;
  /** Where alerts may be sent to; null = nowhere. */
  hooksListen: ListenAddress | null;
  /** Where Prometheus asks; null = nowhere. */
  metricsListen: ListenAddress | null;
  /** File with the token that whoever asks for the metrics has to show; null = none. */
  metricsTokenFile: string | null;
  /** Public base URL that grants are signed for; null = the URL it listens at. */
  publicUrl: string | null;
  /** Names that the Host header may carry, besides those that follow from the two above. */
  allowedHosts: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Perpetuals dexes besides the native one. */
  dexes: readonly string[];
  builder: Builder | null;
  limits: Limits;
  timings: Timings;
  /** Weight that we may spend at the exchange in a minute; 0 = no limit. */
  exchangeWeightPerMinute: number;
  /** Accounts that are followed over connections of their own. */
  maxFeeds: number;
  /** Cancels of orders that are no triggers ask for the exchange's fast lane. */
  areCancelsFast: boolean;
  /** A trigger on spot is sent, although the exchange takes none. */
  areSpotTriggersSent: boolean;
  /** Keys without rails only cancel and reduce. */
  areRailsRequired: boolean;
  hasPlainToolKeys: boolean;
  /** Of the open orders with which the exchange still takes stops: kept for what can only reduce. */
  openOrderReserve: number;
  /** SQLite moves nothing from its log into the database by itself: a replicator beside us does. */
  hasExternalCheckpoints: boolean;
  /** The most that may be open; fewer where the system gives few descriptors. */
  connections: CrowdRoom;
  logLevel: LogLevel;
  /** Settings that are not their default, as they were written; none of them is a secret. */
  changed: Readonly<Record<string, string>>;
  /** File that holds the passphrase of the agent keys; null = systemd credential or prompt. */
  passphraseFile: string | null;
};

/** A setting that cannot be used; the message names it and the rule. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The options of a command line that stand for a variable. */
export type Overrides = Readonly<Partial<Record<Setting, string>>>;

/** As they would be written in the environment. */
export const DEFAULTS = {
  POSTERN_LISTEN: "127.0.0.1:8787",
  POSTERN_TLS_CERTIFICATE: "",
  POSTERN_TLS_KEY: "",
  POSTERN_BEHIND_PROXY: "0",
  POSTERN_PAPER_LISTEN: "127.0.0.1:9797",
  POSTERN_HOOKS_LISTEN: "",
  POSTERN_METRICS_LISTEN: "",
  POSTERN_METRICS_TOKEN_FILE: "",
  POSTERN_AUDIENCE: "",
  POSTERN_HOSTS: "",
  POSTERN_TRUSTED_PROXIES: "",
  POSTERN_DEXES: "xyz",
  POSTERN_BUILDER_ADDRESS: "",
  POSTERN_BUILDER_FEE_BPS: "5",
  POSTERN_BUILDER_OVERRIDES: "",
  POSTERN_BUILDER_REQUIRED: "0",
  // Requests a second, then how many may come at once; 0 = no limit.
  POSTERN_LIMIT_ORDERS: "10/40",
  POSTERN_LIMIT_CANCELS: "20/40",
  POSTERN_LIMIT_WRITES: "2/10",
  POSTERN_LIMIT_READS: "20/60",
  // Failures a minute and client address; 0 = no limit.
  POSTERN_LIMIT_FAILED_AUTHENTICATIONS: "20",
  POSTERN_LIMIT_FAILED_REGISTRATIONS: "10",
  POSTERN_LIMIT_FAILED_REVOCATIONS: "10",
  POSTERN_MAX_CONNECTIONS: "2048",
  POSTERN_MAX_CONNECTIONS_PER_ADDRESS: "1024",
  POSTERN_EXCHANGE_WEIGHT: "1200",
  POSTERN_ANSWER_DEADLINE_MS: "8000",
  POSTERN_ACTION_LIFE_MS: "12000",
  POSTERN_START_UP_DEADLINE_MS: "15000",
  POSTERN_MAX_READ_AGE_MS: "10000",
  POSTERN_MAX_FEEDS: "7",
  POSTERN_FAST_CANCELS: "1",
  POSTERN_SPOT_TRIGGERS: "0",
  POSTERN_MCP_PLAIN_KEYS: "0",
  POSTERN_REQUIRE_RAILS: "0",
  POSTERN_OPEN_ORDER_RESERVE: "50",
  POSTERN_EXTERNAL_CHECKPOINTS: "0",
  POSTERN_LOG_LEVEL: "info",
  POSTERN_PASSPHRASE_FILE: "",
} as const satisfies Record<string, string>;

export type Setting = keyof typeof DEFAULTS;

/** Known to the command line and not to a running gateway. */
const ELSEWHERE = new Set(["POSTERN_DATA_DIR", "POSTERN_NETWORK", "POSTERN_EXCHANGE_URL", "POSTERN_OWNER"]);

const PREFIX = "POSTERN_";
/** Entries in one comma-separated setting. */
const MAX_ENTRIES = 64;
const MAX_PORT = 65_535;
const ADDRESS = /^0x[0-9a-f]{40}$/;
/** Hyperliquid takes at most 0.1 % on perpetuals from a builder's client. */
const MAX_BUILDER_FEE_TENTHS = 100n;
/** Of the limits of connections. */
const CONNECTIONS = { least: 16, most: 10_000 };
/** Far above any use. */
const MAX_NUMBER = 1_000_000_000;

export function readConfig(environment: Environment, overrides: Overrides): Config {
  refuseUnknown(environment);
  const read = (name: Setting): string => (overrides[name] ?? environment[name] ?? DEFAULTS[name]).trim();
  return deepFreeze({
    listen: listenAddress("POSTERN_LISTEN", read),
    tls: tlsFiles(read),
    isBehindProxy: oneOf("POSTERN_BEHIND_PROXY", read, ["0", "1"]) === "1",
    paperListen: listenAddress("POSTERN_PAPER_LISTEN", read),
    hooksListen: read("POSTERN_HOOKS_LISTEN") === "" ? null : listenAddress("POSTERN_HOOKS_LISTEN", read),
    metricsListen: read("POSTERN_METRICS_LISTEN") === "" ? null : listenAddress("POSTERN_METRICS_LISTEN", read),
    metricsTokenFile: read("POSTERN_METRICS_TOKEN_FILE") || null,
    publicUrl: publicUrl(read),
    allowedHosts: entries(read("POSTERN_HOSTS")),
    trustedProxies: entries(read("POSTERN_TRUSTED_PROXIES")),
    dexes: entries(read("POSTERN_DEXES")),
    builder: builder(read),
    limits: {
      orders: bucket("POSTERN_LIMIT_ORDERS", read),
      cancels: bucket("POSTERN_LIMIT_CANCELS", read),
      otherWrites: bucket("POSTERN_LIMIT_WRITES", read),
      reads: bucket("POSTERN_LIMIT_READS", read),
      failedAuthenticationsPerMinute: wholeNumber("POSTERN_LIMIT_FAILED_AUTHENTICATIONS", read),
      failedRegistrationsPerMinute: wholeNumber("POSTERN_LIMIT_FAILED_REGISTRATIONS", read),
      failedRevocationsPerMinute: wholeNumber("POSTERN_LIMIT_FAILED_REVOCATIONS", read),
    },
    timings: {
      answerDeadlineMs: wholeNumber("POSTERN_ANSWER_DEADLINE_MS", read, { least: 100, most: 60_000 }),
      actionLifeMs: wholeNumber("POSTERN_ACTION_LIFE_MS", read, { least: 5_000, most: 60_000 }),
      startUpDeadlineMs: wholeNumber("POSTERN_START_UP_DEADLINE_MS", read, { least: 0, most: 600_000 }),
      maxReadAgeMs: wholeNumber("POSTERN_MAX_READ_AGE_MS", read, { least: 1_000, most: 60_000 }),
    },
    maxFeeds: wholeNumber("POSTERN_MAX_FEEDS", read, { least: 0, most: 10 }),
    connections: {
      connections: wholeNumber("POSTERN_MAX_CONNECTIONS", read, CONNECTIONS),
      perClient: wholeNumber("POSTERN_MAX_CONNECTIONS_PER_ADDRESS", read, CONNECTIONS),
    },
    exchangeWeightPerMinute: wholeNumber("POSTERN_EXCHANGE_WEIGHT", read),
    areCancelsFast: oneOf("POSTERN_FAST_CANCELS", read, ["0", "1"]) === "1",
    areSpotTriggersSent: oneOf("POSTERN_SPOT_TRIGGERS", read, ["0", "1"]) === "1",
    areRailsRequired: oneOf("POSTERN_REQUIRE_RAILS", read, ["0", "1"]) === "1",
    hasPlainToolKeys: oneOf("POSTERN_MCP_PLAIN_KEYS", read, ["0", "1"]) === "1",
    openOrderReserve: wholeNumber("POSTERN_OPEN_ORDER_RESERVE", read, { least: 0, most: 1_000 }),
    hasExternalCheckpoints: oneOf("POSTERN_EXTERNAL_CHECKPOINTS", read, ["0", "1"]) === "1",
    logLevel: oneOf("POSTERN_LOG_LEVEL", read, ["debug", "info", "warn", "error", "silent"]),
    changed: changedSettings(read),
    passphraseFile: read("POSTERN_PASSPHRASE_FILE") || null,
  });
}

function changedSettings(read: Given): Record<string, string> {
  // The keys of the table are the settings.
  const names = Object.keys(DEFAULTS) as Setting[];
  return Object.fromEntries(names.filter((name) => read(name) !== DEFAULTS[name]).map((name) => [name, read(name)]));
}

type Given = (name: Setting) => string;

function refuseUnknown(environment: Environment): void {
  for (const name of Object.keys(environment)) {
    if (name.startsWith(PREFIX) && !Object.hasOwn(DEFAULTS, name) && !ELSEWHERE.has(name)) {
      throw new ConfigError(`${name} is not a setting of Postern`);
    }
  }
}

/** `host:port`; an IPv6 address in brackets. Port 0 lets the system choose. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > MAX_PORT) return null;
  return { hostname: (match[1] ?? "").replace(/^\[|\]$/g, ""), port };
}

function listenAddress(name: Setting, read: Given): ListenAddress {
  const address = parseListenAddress(read(name));
  if (address === null) throw new ConfigError(`${name} is host:port, for example 127.0.0.1:8787`);
  return address;
}

function tlsFiles(read: Given): TlsFiles | null {
  const [certificateFile, keyFile] = [read("POSTERN_TLS_CERTIFICATE"), read("POSTERN_TLS_KEY")];
  if ((certificateFile === "") !== (keyFile === "")) {
    throw new ConfigError("POSTERN_TLS_CERTIFICATE and POSTERN_TLS_KEY come together");
  }
  return certificateFile === "" ? null : { certificateFile, keyFile };
}

function publicUrl(read: Given): string | null {
  const text = read("POSTERN_AUDIENCE");
  if (text === "") return null;
  const url = URL.parse(text);
  // A grant is signed for this very text: only one spelling of a place may stand in it.
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text) {
    throw new ConfigError(
      "POSTERN_AUDIENCE is a base URL without path, query or final slash: https://postern.example.org",
    );
  }
  return text;
}

function entries(text: string): string[] {
  const found = text.split(",").map((entry) => entry.trim());
  const named = found.filter((entry) => entry !== "");
  if (named.length > MAX_ENTRIES) throw new ConfigError(`a list has at most ${MAX_ENTRIES} entries`);
  return named;
}

function builder(read: Given): Builder | null {
  const address = read("POSTERN_BUILDER_ADDRESS").toLowerCase();
  if (address === "") return null;
  if (!ADDRESS.test(address)) throw new ConfigError("POSTERN_BUILDER_ADDRESS is an address: 0x and 40 hex digits");
  return {
    address,
    feeTenthsBps: feeTenthsBps("POSTERN_BUILDER_FEE_BPS", read("POSTERN_BUILDER_FEE_BPS")),
    overrides: overridesOf(read("POSTERN_BUILDER_OVERRIDES")),
    isRequired: oneOf("POSTERN_BUILDER_REQUIRED", read, ["0", "1"]) === "1",
  };
}

/** `account-id=2.5,account-id=none`: basis points, or no fee at all. */
function overridesOf(text: string): Record<string, number | null> {
  const name = "POSTERN_BUILDER_OVERRIDES";
  const pairs = entries(text).map((entry): [string, number | null] => {
    const [accountId = "", fee = ""] = entry.split("=");
    if (!/^[0-9a-fA-F-]{36}$/.test(accountId)) throw new ConfigError(`${name} is a list of account-id=bps`);
    return [accountId.toLowerCase(), fee === "none" ? null : feeTenthsBps(name, fee)];
  });
  return Object.fromEntries(pairs);
}

function feeTenthsBps(name: Setting, text: string): number {
  const fee = parseDecimal(text);
  const tenths = fee === null || decimalPlaces(fee) > 1 ? -1n : toUnits(fee, 1);
  if (tenths < 0n || tenths > MAX_BUILDER_FEE_TENTHS) {
    throw new ConfigError(`${name} is 0 to 10 basis points with at most one decimal`);
  }
  return Number(tenths);
}

function bucket(name: Setting, read: Given): Bucket {
  const match = /^([0-9]{1,6})(?:\/([0-9]{1,6}))?$/.exec(read(name));
  if (match === null) throw new ConfigError(`${name} is requests a second and burst, for example 10/20, or 0`);
  const perSecond = Number(match[1]);
  return { perSecond, burst: Math.max(perSecond, Number(match[2] ?? match[1])) };
}

type Bounds = { least: number; most: number };

function wholeNumber(name: Setting, read: Given, { least, most }: Bounds = { least: 0, most: MAX_NUMBER }): number {
  const text = read(name);
  const value = Number(text);
  if (!/^[0-9]{1,10}$/.test(text) || value < least || value > most) {
    throw new ConfigError(`${name} is a whole number from ${least} to ${most}`);
  }
  return value;
}

function oneOf<const T extends string>(name: Setting, read: Given, allowed: readonly T[]): T {
  const text = read(name);
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new ConfigError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (typeof child === "object" && child !== null) deepFreeze(child);
  }
  return Object.freeze(value);
}
