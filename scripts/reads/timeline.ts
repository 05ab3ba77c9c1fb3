/** What was true at the exchange, and when: each fact is a name and what it said from one moment to the next. */

/** Absent from the beginning on. */
const ABSENT = "";

type Change = { atMs: number; value: string };

export type Timeline = {
  /** What is not named is absent. Unix milliseconds. */
  note(facts: ReadonlyMap<string, string>, atMs: number): void;
  /**
   * Milliseconds since the fact last said so, before the request; 0 when it did at some moment between request and
   * answer, null when it never did.
   */
  ageMs(fact: string, value: string, asked: Asked): number | null;
  /** Facts that begin so and have changed since, or were there then. */
  named(prefix: string, sinceMs: number): string[];
  /** Facts that begin so and have changed since. */
  changed(prefix: string, sinceMs: number): string[];
};

/** One request, unix milliseconds. */
export type Asked = { fromMs: number; toMs: number };

export function openTimeline(): Timeline {
  const changes = new Map<string, Change[]>();

  function put(fact: string, change: Change): void {
    const known = changes.get(fact);
    if (known === undefined) changes.set(fact, [change]);
    else if (known.at(-1)?.value !== change.value) known.push(change);
  }

  return {
    note(facts, atMs) {
      for (const [fact, value] of facts) put(fact, { atMs, value });
      for (const fact of changes.keys()) if (!facts.has(fact)) put(fact, { atMs, value: ABSENT });
    },
    ageMs(fact, value, { fromMs, toMs }) {
      const known = changes.get(fact) ?? [];
      let endedMs = Number.POSITIVE_INFINITY;
      for (let nth = known.length - 1; nth >= 0; nth -= 1) {
        const change = known[nth];
        if (change === undefined || change.atMs > toMs) continue;
        if (change.value === value) return Math.max(0, fromMs - endedMs);
        endedMs = change.atMs;
      }
      return value === ABSENT ? Math.max(0, fromMs - endedMs) : null;
    },
    named(prefix, sinceMs) {
      const isWanted = (fact: string, known: Change[]) => {
        const last = known.at(-1);
        return fact.startsWith(prefix) && last !== undefined && (last.value !== ABSENT || last.atMs >= sinceMs);
      };
      return [...changes].filter(([fact, known]) => isWanted(fact, known)).map(([fact]) => fact);
    },
    changed: (prefix, sinceMs) =>
      [...changes]
        .filter(([fact, known]) => fact.startsWith(prefix) && (known.at(-1)?.atMs ?? 0) >= sinceMs)
        .map(([fact]) => fact),
  };
}
