import { openEmptyStore } from "./gateway.ts";
import type { Mix } from "./requests.ts";
import { runSeed } from "./run.ts";

export type Told = {
  seeds: number;
  steps: number;
  signed: number;
  increases: number;
  elapsedMs: number;
  /** The largest share of each limit that was used. */
  used: ReadonlyMap<string, number>;
  /** The first of each job that broke a rail, lowest first. */
  failed: readonly FailedSeed[];
};

export type FailedSeed = { seed: number; findings: readonly string[] };

export const NOTHING_TOLD: Told = {
  seeds: 0,
  steps: 0,
  signed: 0,
  increases: 0,
  elapsedMs: 0,
  used: new Map(),
  failed: [],
};

type Wanted = { from: number; count: number; mix: Mix; forMs: number; nowMs(): number };

/** Seeds one after the other, until one fails, all are through or the time is over. */
export async function runSeeds({ from, count, mix, forMs, nowMs }: Wanted): Promise<Told> {
  const store = openEmptyStore();
  const startMs = nowMs();
  let told = NOTHING_TOLD;
  for (let seed = from; seed < from + count && told.failed.length === 0 && nowMs() - startMs < forMs; seed += 1) {
    const { findings, ...run } = await runSeed(store, seed, mix);
    const used = new Map([...run.used].filter(([, share]) => share < Infinity));
    const failed = findings.length > 0 ? [{ seed, findings }] : [];
    told = added(told, { ...run, seeds: 1, elapsedMs: 0, used, failed });
  }
  return { ...told, elapsedMs: nowMs() - startMs };
}

/** Of runs that went on at the same time: what each of them found. */
export function added(one: Told, other: Told): Told {
  const used = new Map(one.used);
  for (const [rail, share] of other.used) used.set(rail, Math.max(used.get(rail) ?? 0, share));
  return {
    seeds: one.seeds + other.seeds,
    steps: one.steps + other.steps,
    signed: one.signed + other.signed,
    increases: one.increases + other.increases,
    elapsedMs: Math.max(one.elapsedMs, other.elapsedMs),
    used,
    failed: [...one.failed, ...other.failed].sort((a, b) => a.seed - b.seed),
  };
}
