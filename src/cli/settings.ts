import type { Config } from "../config.ts";
import type { Network } from "../core/account.ts";
import type { Settings } from "../deps.ts";
import { audienceOf, hostsOf } from "./exposure.ts";

/** What the deeds see of the configuration. `config.listen` must hold the true port by now. */
export function settingsOf(config: Config, instance: { network: Network; version: string }): Settings {
  const { dexes, builder, limits, timings, areSpotTriggersSent, areCancelsFast } = config;
  return Object.freeze({
    network: instance.network,
    version: instance.version,
    audience: audienceOf(config, instance.network),
    allowedHosts: hostsOf(config),
    dexes,
    builder,
    limits,
    timings,
    areSpotTriggersSent,
    areCancelsFast,
    areRailsRequired: config.areRailsRequired,
    hasPlainToolKeys: config.hasPlainToolKeys,
    openOrderReserve: config.openOrderReserve,
    fillsPageRows: FILLS_PAGE_ROWS,
  });
}

/** The exchange's own figure. */
const FILLS_PAGE_ROWS = 2_000;
