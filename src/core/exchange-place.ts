import type { Network } from "./account.ts";

/** Where each network is found unless somebody says otherwise. Of paper: the simulator on this machine. */
export const EXCHANGE_URLS = {
  mainnet: "https://api.hyperliquid.xyz",
  testnet: "https://api.hyperliquid-testnet.xyz",
  paper: "http://127.0.0.1:9797",
} as const satisfies Record<Network, string>;

/** What a gateway trades on: the exchange's own hosts, another place that speaks as they do, or a simulator. */
export type ExchangePlace = "official" | "unofficial" | "simulated";

/** A fact about the two that a data directory keeps, so that a directory of any age tells it. */
export function exchangePlaceOf({ network, exchangeUrl }: { network: Network; exchangeUrl: string }): ExchangePlace {
  if (network === "paper") return "simulated";
  return exchangeUrl === EXCHANGE_URLS[network] ? "official" : "unofficial";
}

export type ChosenExchange = { kind: "taken"; exchangeUrl: string } | { kind: "refused"; reason: string };

/** Words for people; what it makes of a place that is not the exchange's own. */
type ExchangeChoice = { network: Network; url: string; isUnofficialAllowed: boolean };

/**
 * The place that was asked for, as a base URL in its one spelling. A place is its scheme, host and port: whatever else an
 * address may hold (a user in front of the host, a path) hides where it leads, and is refused.
 */
export function chooseExchange({ network, url, isUnofficialAllowed }: ExchangeChoice): ChosenExchange {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !isBare(parsed)) {
    return refused("--exchange-url is a base URL and nothing more: http://127.0.0.1:9797");
  }
  const { origin } = parsed;
  const owner = ownerOf(parsed.hostname);
  if (network === "paper") {
    if (owner !== null) return refused(`${origin} is the exchange's ${owner}, not a simulator`);
    return parsed.protocol === "https:" ? refused("the paper exchange is not behind https") : taken(origin);
  }
  if (origin === EXCHANGE_URLS[network]) return taken(origin);
  if (owner !== null && owner !== network) return refused(`${origin} is not ${network}`);
  if (parsed.protocol === "http:" && !isLoopback(parsed.hostname.replace(/^\[|\]$/g, ""))) {
    return refused(
      `${origin} is asked in the clear: whoever is on the way could change what the exchange says. Give an https URL, or a proxy on this machine`,
    );
  }
  if (isUnofficialAllowed) return taken(origin);
  return refused(
    `${origin} is not the exchange's own ${network}, which is ${EXCHANGE_URLS[network]}: whoever runs it sees what is signed and decides what this gateway believes. If that is meant, say --unofficial-exchange`,
  );
}

function isBare({ username, password, pathname, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === "") && pathname === "/";
}

/** The network whose own host this is, in any scheme and at any port. */
function ownerOf(hostname: string): "mainnet" | "testnet" | null {
  const own = (["mainnet", "testnet"] as const).find(
    (network) => new URL(EXCHANGE_URLS[network]).hostname === hostname,
  );
  return own ?? null;
}

function taken(exchangeUrl: string): ChosenExchange {
  return { kind: "taken", exchangeUrl };
}

function refused(reason: string): ChosenExchange {
  return { kind: "refused", reason };
}

/** 127.0.0.0/8, ::1 and `localhost`: what never leaves the machine. An IPv6 address comes without its brackets. */
export function isLoopback(hostname: string): boolean {
  return /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/.test(hostname) || ["::1", "localhost"].includes(hostname);
}
