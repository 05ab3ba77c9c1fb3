import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";

/**
 * The time that the exchange's state had reached, unix milliseconds, read on the same connection directly before
 * the look-up that it vouches for; null when none is to be had.
 */
export type ChainTime = { read(user: string, options: InfoOptions): Promise<number | null> };

/** Without an account reading for this long the exchange's own status time has to do, elapsed milliseconds. */
const FALLBACK_AFTER_MS = 120_000;

export function openChainTime(world: World): ChainTime {
  let lastReadElapsedMs = world.clock.elapsedMs();
  return {
    async read(user, options) {
      const state = await world.exchange.info({ type: "clearinghouseState", user }, options);
      const timeMs = state.kind === "ok" ? timeOf(state.json) : null;
      if (timeMs !== null) {
        lastReadElapsedMs = world.clock.elapsedMs();
        return timeMs;
      }
      if (world.clock.elapsedMs() - lastReadElapsedMs < FALLBACK_AFTER_MS) return null;
      const status = await world.exchange.info({ type: "exchangeStatus" }, options);
      return status.kind === "ok" ? timeOf(status.json) : null;
    },
  };
}

function timeOf(json: unknown): number | null {
  if (typeof json !== "object" || json === null || !("time" in json)) return null;
  return typeof json.time === "number" && Number.isSafeInteger(json.time) && json.time > 0 ? json.time : null;
}
