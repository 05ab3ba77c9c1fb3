/**
 * Virtual time. Nothing happens but by an event of this queue; between two events every promise runs to its end, so
 * the same events in the same order give the same run.
 */
export type Timeline = {
  /** Milliseconds since the run began, below zero before; monotonic. */
  nowMs(): number;
  after(delayMs: number, run: () => void): void;
  /** Runs everything that is due up to then, and leaves the time there. */
  runUntil(untilMs: number): Promise<void>;
  eventCount(): number;
};

type Entry = { atMs: number; order: number; run: () => void };

/** Events of one run; far above what any has, so that a loop without end shows. */
const MAX_EVENTS = 400_000;

/** The same for whom nothing is before the run begins: what is to happen later happens so much after that. */
export function fromItsBeginning(timeline: Timeline): Timeline {
  return { ...timeline, after: (delayMs, run) => timeline.after(delayMs - Math.min(0, timeline.nowMs()), run) };
}

/** `settle` lets every promise that can go on do so. `firstMs`: when a gateway starts; before zero all is quiet. */
export function openTimeline(settle: () => Promise<void>, firstMs = 0): Timeline {
  const heap: Entry[] = [];
  let nowMs = firstMs;
  let order = 0;
  let events = 0;

  function isBefore(a: Entry, b: Entry): boolean {
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  function push(entry: Entry): void {
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  function pop(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      const left = heap[childAt];
      if (left === undefined) break;
      const right = heap[childAt + 1];
      let child = left;
      if (right !== undefined && isBefore(right, left)) {
        child = right;
        childAt += 1;
      }
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
    return first;
  }

  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      order += 1;
      push({ atMs: nowMs + Math.max(0, Math.ceil(delayMs)), order, run });
    },
    async runUntil(untilMs) {
      await settle();
      for (let next = heap[0]; next !== undefined && next.atMs <= untilMs; next = heap[0]) {
        pop();
        nowMs = next.atMs;
        events += 1;
        if (events > MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events: something runs in circles`);
        next.run();
        await settle();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
    eventCount: () => events,
  };
}

/** Lets every promise that waits for nothing but other promises go on. */
export function settleOnce(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same for what goes through the HTTP edge, which takes more turns. */
export async function settleHttp(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await settleOnce();
}
