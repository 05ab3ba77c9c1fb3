/** What one and the same piece of work takes of the processor now, beside what it took where the limits were set. */

/** Milliseconds, on two quiet cores of an Intel Xeon, 2026. */
const WHERE_LIMITS_WERE_SET_MS = 5.6;
/** A machine that is slower than this cannot be judged by these limits. */
const SLOWEST = 3;
const ROWS = 400;
const TURNS = 40;
/** The first turns are slower than all that follow: the runtime compiles them. */
const WARMING = 6;

/** From 1, as fast as there or faster, up to `SLOWEST`. */
export function slowness(): number {
  const taken = Array.from({ length: WARMING }, workMs);
  return Math.min(SLOWEST, Math.max(1, Math.min(...taken) / WHERE_LIMITS_WERE_SET_MS));
}

function workMs(): number {
  const rows = Array.from({ length: ROWS }, (_none, index) => ({ id: index, price: `${index}.25`, side: "buy" }));
  const before = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn += 1) JSON.parse(JSON.stringify(rows));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
