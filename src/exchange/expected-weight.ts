import type { InfoRequest } from "./exchange.ts";
import { largestWeight, type Weight, weightOf } from "./weights.ts";

/**
 * What a read will come to, by what it came to a little before: a reading of all that an account shows may weigh 280, and weighs
 * 85 in most accounts. Set aside whole, it would find no room while there is three times what it needs, and keep all else waiting.
 */
export type ExpectedWeights = {
  /** What is set aside before asking: no account gains more rows. Times are elapsed, milliseconds. */
  most(request: InfoRequest, nowMs: number): number;
  /** By what it came to last, however long ago; as that of a quiet account where it was never asked. */
  likely(request: InfoRequest): number;
  answered(request: InfoRequest, json: unknown, nowMs: number): void;
};

type Rows = { count: number; sinceMs: number; atMs: number };

/** Rows that an account may gain in each of these times, begun: more than one order a second, placed and ended. What is more is paid for afterwards. */
const MAY_GROW_BY_ROWS = 200;
const GROWS_IN_MS = 2 * 60_000;

/** Questions of which the rows are remembered. */
const MAX_REMEMBERED = 200;

export function rememberWeights(): ExpectedWeights {
  const last = new Map<string, Rows>();
  return {
    most(request, nowMs) {
      const weight = weightOf(request);
      const known = last.get(nameOf(request));
      if (known === undefined || sinceOf(request) < known.sinceMs) return largestWeight(weight);
      const times = Math.max(1, Math.ceil((nowMs - known.atMs) / GROWS_IN_MS));
      return largestWeight(withRows(weight, known.count + times * MAY_GROW_BY_ROWS));
    },
    likely: (request) => {
      const count = last.get(nameOf(request))?.count ?? 0;
      return largestWeight(withRows(weightOf(request), count + MAY_GROW_BY_ROWS));
    },
    answered(request, json, nowMs) {
      // What is asked up to a time has fewer than what is asked up to now.
      if (weightOf(request).maxRows === 0 || !Array.isArray(json) || request["endTime"] !== undefined) return;
      const name = nameOf(request);
      last.delete(name);
      last.set(name, { count: json.length, sinceMs: sinceOf(request), atMs: nowMs });
      const [oldest] = last.keys();
      if (last.size > MAX_REMEMBERED && oldest !== undefined) last.delete(oldest);
    },
  };
}

function withRows(weight: Weight, rows: number): Weight {
  return { ...weight, maxRows: Math.min(weight.maxRows, rows) };
}

function nameOf({ type, user }: InfoRequest): string {
  return `${type} ${String(user ?? "")}`;
}

/** From when on it asks, unix milliseconds: from a later time there is no more. */
function sinceOf({ startTime }: InfoRequest): number {
  return typeof startTime === "number" ? startTime : 0;
}
