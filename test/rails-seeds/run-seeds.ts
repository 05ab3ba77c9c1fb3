import { openEmptyStore } from "./gateway.ts";
import { runSeed } from "./run.ts";

export type Told = {
  seeds: number;
  steps: number;
  signed: number;
  increases: number;
  elapsedMs: number;
  /** The largest share of each limit that was used. */
  used: Map<string, number>;
  /** The first that broke a rail; null where none did. */
  failed: { seed: number; findings: readonly string[] } | null;
};

/** Seeds one after the other, until one fails, all are through or the time is over. */
export async function runSeeds(wanted: { from: number; count: number; forMs: number; nowMs(): number }): Promise<Told> {
  const { from, count, forMs, nowMs } = wanted;
  const store = openEmptyStore();
  const startMs = nowMs();
  const told: Told = { seeds: 0, steps: 0, signed: 0, increases: 0, elapsedMs: 0, used: new Map(), failed: null };
  for (let seed = from; seed < from + count && told.failed === null && nowMs() - startMs < forMs; seed += 1) {
    const { findings, steps, signed, increases, used } = await runSeed(store, seed);
    told.seeds += 1;
    told.steps += steps;
    told.signed += signed;
    told.increases += increases;
    for (const [rail, share] of used)
      if (share < Infinity) told.used.set(rail, Math.max(told.used.get(rail) ?? 0, share));
    if (findings.length > 0) told.failed = { seed, findings };
  }
  return { ...told, elapsedMs: nowMs() - startMs };
}
