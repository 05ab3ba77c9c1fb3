import type { InfoRequest } from "./exchange.ts";
import { largestWeight, type Weight, weightOf } from "./weights.ts";

/**
 * What a read will come to, by what it came to a little before: a reading of all that an account shows may weigh 280, and weighs
 * 85 in most accounts. Set aside whole, it would find no room while there is three times what it needs, and keep all else waiting.
 */
export type ExpectedWeights = {
  /** What is set aside before asking. Times are elapsed, milliseconds. */
  most(request: InfoRequest, nowMs: number): number;
  answered(request: InfoRequest, json: unknown, nowMs: number): void;
};

type Rows = { count: number; sinceMs: number; atMs: number };

/** An answer tells what the next one weighs for so long, milliseconds. */
const TELLS_FOR_MS = 2 * 60_000;

/** Rows that an account may gain in that time: more than one order a second, placed and ended. What is more is paid for afterwards. */
const MAY_GROW_BY_ROWS = 200;

/** Questions of which the rows are remembered. */
const MAX_REMEMBERED = 200;

export function rememberWeights(): ExpectedWeights {
  const last = new Map<string, Rows>();
  return {
    most(request, nowMs) {
      const weight = weightOf(request);
      const known = last.get(nameOf(request));
      if (known === undefined || nowMs - known.atMs > TELLS_FOR_MS || sinceOf(request) < known.sinceMs)
        return largestWeight(weight);
      return largestWeight(withRows(weight, known.count + MAY_GROW_BY_ROWS));
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
