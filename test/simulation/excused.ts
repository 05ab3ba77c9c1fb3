/** When a gateway of a run could not do anything about what it held. */
import type { Sent } from "./network.ts";
import type { Span } from "./trades-audit.ts";
import type { Weather } from "./weather.ts";

type Run = { weather: Weather; faultsEndMs: number; downs: readonly Span[]; sent: readonly Sent[] };

/** What was sent and not answered as it should be is known after this, mostly; milliseconds. */
const UNHEARD_MS = 40_000;
/** An answer after more than this is late, milliseconds. */
const LATE_MS = 2_000;

export function excusedOf({ weather, faultsEndMs, downs, sent }: Run): Span[] {
  const { readFaultRate, blindRate, outages, freezes, lags } = weather;
  const areReadsGood = readFaultRate === 0 && blindRate === 0 && Object.keys(lags).length === 0;
  const unheard = sent.filter((each) => !isHeard(each)).map(({ atMs }) => ({ fromMs: atMs, toMs: atMs + UNHEARD_MS }));
  // Where reads fail or are behind, that is so until the faults have ended.
  const blind = areReadsGood ? [] : [{ fromMs: 0, toMs: faultsEndMs + UNHEARD_MS }];
  const late = [...outages, ...freezes].map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + UNHEARD_MS }));
  return [...downs, ...unheard, ...blind, ...late];
}

function isHeard({ fate }: Sent): boolean {
  if (fate === undefined || fate.answer.kind !== "true" || fate.arrivesAfterMs.length !== 1) return false;
  return (fate.arrivesAfterMs[0] ?? LATE_MS) + fate.answer.afterMs < LATE_MS;
}
