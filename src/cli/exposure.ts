/** Where a gateway that is set so is found, by which names, and who can reach it. */
import { type Config, ConfigError, type ListenAddress } from "../config.ts";
import type { Network } from "../core/account.ts";
import { isLoopback } from "../core/exchange-place.ts";

/** `http://127.0.0.1:8787`: where a listen address is found. */
export function urlOf({ hostname, port }: ListenAddress, scheme: "http" | "https" = "http"): string {
  return `${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Where the gateway itself is found. */
export function ownUrlOf({ listen, tls }: Pick<Config, "listen" | "tls">): string {
  return urlOf(listen, tls === null ? "http" : "https");
}

/** Who can reach a gateway that listens there. */
export type NetworkExposure = "this_machine" | "network_with_tls" | "network_behind_proxy";

/** Throws where API keys would cross a network in the clear. */
export function exposureOf({ listen, tls, isBehindProxy }: Config): NetworkExposure {
  if (isLoopback(listen.hostname)) return "this_machine";
  if (tls !== null) return "network_with_tls";
  if (isBehindProxy) return "network_behind_proxy";
  throw new ConfigError(
    `${listen.hostname} can be reached from other machines: give --tls-certificate and --tls-key, or say --behind-proxy where a proxy with TLS stands before it`,
  );
}

/** Who can ask for the metrics. */
export type MetricsExposure = "this_machine" | "network_with_token";

/** Null where there are none. Throws where anybody on a network could read them. */
export function metricsExposureOf({ metricsListen, metricsTokenFile }: Config): MetricsExposure | null {
  if (metricsListen === null) return null;
  if (isLoopback(metricsListen.hostname)) return "this_machine";
  if (metricsTokenFile !== null) return "network_with_token";
  throw new ConfigError(
    `metrics at ${metricsListen.hostname} can be read from other machines: give --metrics-token-file, or listen at 127.0.0.1`,
  );
}

/** Who can trade at a paper exchange that listens there: it asks nobody who they are. */
export function paperExposureOf({ hostname }: ListenAddress): "this_machine" | "network" {
  return isLoopback(hostname) ? "this_machine" : "network";
}

/**
 * What grants are signed for. The prefix keeps a signature made for one kind of network from verifying in another,
 * and shows it to whoever signs.
 */
export function audienceOf(config: Config, network: Network): string {
  const base = config.publicUrl ?? ownUrlOf(config);
  return network === "mainnet" ? base : `${network}+${base}`;
}

/** Host headers that are answered: the listen address, `localhost`, the public URL's host and what was allowed. */
export function hostsOf({ listen, tls, publicUrl, allowedHosts }: Config): string[] {
  const own = [listen, { ...listen, hostname: "localhost" }].map((at) => ownUrlOf({ listen: at, tls }));
  const named = [...own, ...(publicUrl === null ? [] : [publicUrl])].flatMap(hostsOfUrl);
  return [...named, ...allowedHosts].map((host) => host.toLowerCase());
}

/** The port that a scheme implies is left out of a Host header by most clients, and written by some. */
function hostsOfUrl(url: string): string[] {
  const { host, port, protocol } = new URL(url);
  return port === "" ? [host, `${host}:${protocol === "https:" ? 443 : 80}`] : [host];
}

/** Host headers answered at the port of the metrics; the public name is not: metrics are not for strangers. */
export function metricsHostsOf(listen: ListenAddress, { allowedHosts }: Config): string[] {
  return [new URL(urlOf(listen)).host, `localhost:${listen.port}`, ...allowedHosts].map((host) => host.toLowerCase());
}
