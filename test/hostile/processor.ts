/** What a request costs the process that answers it: processor time, which a busy machine does not make longer. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Wire } from "./wire.ts";

/** Where the kernel counts nanoseconds; elsewhere it counts in hundredths of a second, and more has to be asked. */
const IS_FINE = existsSync("/proc/self/schedstat");
const TICK_MS = 10;
/** Requests of one measurement; the least of some is taken, as compilers and collectors only add. */
const REPEATS = IS_FINE ? 2 : 20;
const MEASUREMENTS = 4;

/** Of all threads of the process since it began, milliseconds. */
function processorMs(pid: number): number {
  if (IS_FINE) {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => nanosecondsOf(`/proc/${pid}/task/${thread}`));
    return threads.reduce((sum, one) => sum + one, 0) / 1e6;
  }
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function nanosecondsOf(thread: string): number {
  try {
    return Number(readFileSync(`${thread}/schedstat`, "utf8").split(" ", 1)[0]);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** A stream reads so many events in one turn, a file so many rows, and then it is everybody else's. */
const EVENTS_A_TURN = 64;

export type Cost = { ms: number; status: number };

/**
 * Of one such request, or of one turn of it. `make` gives the bytes of each, so that no two are under one key. What is far below `enough`
 * at once is not measured again.
 */
export async function costOf(wire: Wire, pid: number, enough: number, make: () => Buffer): Promise<Cost> {
  const { status, events } = await wire.ask(make());
  const turns = Math.max(1, Math.ceil(events / EVENTS_A_TURN));
  // A long answer repeats its turns by itself.
  const repeats = Math.max(1, Math.floor(REPEATS / turns));
  let ms = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < MEASUREMENTS && ms > enough / 4; nth += 1) {
    const requests = Array.from({ length: repeats }, make);
    const before = processorMs(pid);
    for (const request of requests) await wire.ask(request);
    ms = Math.min(ms, (processorMs(pid) - before) / repeats / turns);
  }
  return { ms, status };
}
