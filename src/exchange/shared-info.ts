import type { Clock } from "../core/clock.ts";
import { writeJson } from "../wire/json.ts";
import type { Exchange, InfoOptions, InfoOutcome, InfoRequest } from "./exchange.ts";

/** An answer and the wall time at which it came. */
export type Dated = { outcome: InfoOutcome; readAtMs: number };

export type SharedInfo = (request: InfoRequest, options: InfoOptions) => Promise<Dated>;

type Entry = { startedAtMs: number; dated: Promise<Dated> };

/** Reads for clients within this time share one answer, milliseconds. */
const SHARED_FOR_MS = 1_000;

/** An older answer may stand in while our weight is used up, milliseconds; then the read fails. */
const LAST_KNOWN_FOR_MS = 60_000;

/** Questions whose answers are remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Asks on behalf of clients at most once a second for the same thing, however many they are. Whoever settles or
 * sends gets an answer of its own, always: an old one could prove what is no longer true.
 */
export function shareInfo(exchange: Pick<Exchange, "info">, clock: Clock): SharedInfo {
  const current = new Map<string, Entry>();
  const lastKnown = new Map<string, { atMs: number; dated: Dated }>();

  async function ask(request: InfoRequest, options: InfoOptions): Promise<Dated> {
    const outcome = await exchange.info(request, options);
    return { outcome, readAtMs: clock.nowMs() };
  }

  async function askAndRemember(key: string, request: InfoRequest, options: InfoOptions): Promise<Dated> {
    const dated = await ask(request, options);
    const nowMs = clock.elapsedMs();
    if (dated.outcome.kind === "ok") remember(lastKnown, key, { atMs: nowMs, dated });
    else if (dated.outcome.isOurBudget) {
      const known = lastKnown.get(key);
      if (known !== undefined && nowMs - known.atMs < LAST_KNOWN_FOR_MS) return known.dated;
    }
    return dated;
  }

  return (request, options) => {
    if (options.purpose !== "read") return ask(request, options);
    const key = writeJson(request);
    const nowMs = clock.elapsedMs();
    const entry = current.get(key);
    if (entry !== undefined && nowMs - entry.startedAtMs < SHARED_FOR_MS) return entry.dated;
    const dated = askAndRemember(key, request, options);
    remember(current, key, { startedAtMs: nowMs, dated });
    return dated;
  };
}

/** As the newest of at most `MAX_REMEMBERED`. */
function remember<T>(entries: Map<string, T>, key: string, entry: T): void {
  entries.delete(key);
  entries.set(key, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_REMEMBERED) return;
    entries.delete(oldest);
  }
}
