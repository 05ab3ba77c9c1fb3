import { openEmptyStore } from "./gateway.ts";
import { runSeed } from "./run.ts";

export type Told = {
  seeds: number;
  steps: number;
  signed: number;
  increases: number;
  elapsedMs: number;
  /** The largest share of each limit that was used. */
  used: ReadonlyMap<string, number>;
  /** The first that broke a rail; null where none did. */
  failed: { seed: number; findings: readonly string[] } | null;
};

export const NOTHING_TOLD: Told = {
  seeds: 0,
  steps: 0,
  signed: 0,
  increases: 0,
  elapsedMs: 0,
  used: new Map(),
  failed: null,
};

/** Seeds one after the other, until one fails, all are through or the time is over. */
export async function runSeeds(wanted: { from: number; count: number; forMs: number; nowMs(): number }): Promise<Told> {
  const { from, count, forMs, nowMs } = wanted;
  const store = openEmptyStore();
  const startMs = nowMs();
  let told = NOTHING_TOLD;
  for (let seed = from; seed < from + count && told.failed === null && nowMs() - startMs < forMs; seed += 1) {
    const { findings, ...run } = await runSeed(store, seed);
    const used = new Map([...run.used].filter(([, share]) => share < Infinity));
    const failed = findings.length > 0 ? { seed, findings } : null;
    told = added(told, { ...run, seeds: 1, elapsedMs: 0, used, failed });
  }
  return { ...told, elapsedMs: nowMs() - startMs };
}

/** Of runs that went on at the same time; of two that failed the one with the lower seed. */
export function added(one: Told, other: Told): Told {
  const used = new Map(one.used);
  for (const [rail, share] of other.used) used.set(rail, Math.max(used.get(rail) ?? 0, share));
  const [failed = null] = [one.failed ?? [], other.failed ?? []].flat().sort((a, b) => a.seed - b.seed);
  return {
    seeds: one.seeds + other.seeds,
    steps: one.steps + other.steps,
    signed: one.signed + other.signed,
    increases: one.increases + other.increases,
    elapsedMs: Math.max(one.elapsedMs, other.elapsedMs),
    used,
    failed,
  };
}
