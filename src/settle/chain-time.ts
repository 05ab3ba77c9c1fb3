import type { World } from "../deps.ts";
import type { InfoOptions, InfoRequest } from "../exchange/exchange.ts";

/**
 * Reads what the exchange knows together with the time that its state had reached, unix milliseconds: over one
 * connection, the time directly before what it vouches for. A time from elsewhere would say nothing about the node
 * that answered.
 */
export type ChainTime = {
  readWith(user: string, requests: readonly InfoRequest[], options: InfoOptions): Promise<Timed | null>;
};

export type Timed = { chainTimeMs: number; json: readonly unknown[] };

/** Without an account reading for this long the exchange's own status time has to do, elapsed milliseconds. */
const FALLBACK_AFTER_MS = 120_000;

export function openChainTime(world: World): ChainTime {
  let lastReadElapsedMs = world.clock.elapsedMs();
  return {
    async readWith(user, requests, options) {
      const isFallback = world.clock.elapsedMs() - lastReadElapsedMs >= FALLBACK_AFTER_MS;
      const state = { type: "clearinghouseState", user };
      const timed = await readTimed(world, [state, ...requests], options);
      if (timed !== null) lastReadElapsedMs = world.clock.elapsedMs();
      if (timed !== null || !isFallback) return timed;
      return readTimed(world, [{ type: "exchangeStatus" }, ...requests], options);
    },
  };
}

async function readTimed(world: World, requests: readonly InfoRequest[], options: InfoOptions): Promise<Timed | null> {
  const outcome = await world.exchange.infoInTurn(requests, options);
  if (outcome.kind === "failed") return null;
  const [first, ...json] = outcome.json;
  const chainTimeMs = timeOf(first);
  return chainTimeMs === null ? null : { chainTimeMs, json };
}

function timeOf(json: unknown): number | null {
  if (typeof json !== "object" || json === null || !("time" in json)) return null;
  return typeof json.time === "number" && Number.isSafeInteger(json.time) && json.time > 0 ? json.time : null;
}
