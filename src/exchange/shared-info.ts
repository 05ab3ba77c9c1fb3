import type { Clock } from "../core/clock.ts";
import { writeJson } from "../wire/json.ts";
import type { Exchange, InfoOptions, InfoOutcome, InfoRequest } from "./exchange.ts";
import { useOf } from "./shares.ts";

/**
 * An answer, and the wall times at which it was asked for and came, unix milliseconds; where the clock was set back since, it was asked for
 * by the clock as it goes now.
 */
export type Dated = { outcome: InfoOutcome; askedAtMs: number; readAtMs: number };

export type DatedInfo = (request: InfoRequest, options: InfoOptions) => Promise<Dated>;

type SharedAnswer = { startedAtMs: number; dated: Promise<Dated> };

/** The wall clock was set back where it has gone by so much less than the monotonic one, milliseconds. */
const SET_BACK_MS = 250;

/** Reads for clients within this time share one answer, milliseconds. */
const SHARED_FOR_MS = 1_000;

/** Questions whose answers are remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Asks on behalf of clients at most once a second for the same thing, however many they are. Whoever settles or
 * sends gets an answer of its own, always: an old one could prove what is no longer true. What one reader has no weight left
 * for is asked on behalf of the next, who may have.
 */
export function shareInfo(exchange: Pick<Exchange, "info">, clock: Clock): DatedInfo {
  const current = new Map<string, SharedAnswer>();
  const ask = datedInfo(exchange, clock);

  return async (request, options) => {
    if (useOf(options.purpose) !== "read") return ask(request, options);
    const key = writeJson(request);
    const entry = current.get(key);
    if (entry !== undefined && clock.elapsedMs() - entry.startedAtMs < SHARED_FOR_MS) {
      const shared = await entry.dated;
      if (!isRefused(shared)) return asOfClock(clock, shared, clock.elapsedMs() - entry.startedAtMs);
    }
    const dated = ask(request, options);
    remember(current, key, { startedAtMs: clock.elapsedMs(), dated });
    return dated;
  };
}

/** Each is asked for by itself. */
export function datedInfo(exchange: Pick<Exchange, "info">, clock: Clock): DatedInfo {
  return async (request, options) => {
    const [askedAtMs, startedMs] = [clock.nowMs(), clock.elapsedMs()];
    const outcome = await exchange.info(request, options);
    return asOfClock(clock, { outcome, askedAtMs, readAtMs: clock.nowMs() }, clock.elapsedMs() - startedMs);
  };
}

/** What happens from now on is dated by the clock as it goes now: what was asked for before must not seem to be of after that. */
function asOfClock(clock: Clock, dated: Dated, agoMs: number): Dated {
  const latestMs = Math.floor(clock.nowMs() - agoMs);
  return dated.askedAtMs - latestMs <= SET_BACK_MS ? dated : { ...dated, askedAtMs: latestMs };
}

function isRefused({ outcome }: Dated): boolean {
  return outcome.kind === "failed" && outcome.isOurBudget;
}

/** As the newest of at most `MAX_REMEMBERED`. */
function remember(entries: Map<string, SharedAnswer>, key: string, entry: SharedAnswer): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_REMEMBERED) return;
    entries.delete(oldest);
  }
}
