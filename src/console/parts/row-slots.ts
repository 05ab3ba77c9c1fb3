/** Which of the lines that are drawn already shows which row: one that has left gives its line to one that has come. */

/** Row to line, in the order in which they are drawn. */
export type Slots = ReadonlyMap<string, number>;

/** @param focused what has the focus: its line is given to no other row, or a key that is pressed would mean another */
export function slotsFor(before: Slots, ids: readonly string[], focused: string | null): Slots {
  const wanted = new Set(ids);
  const free = [...before].filter(([id]) => !wanted.has(id) && id !== focused).map(([, slot]) => slot);
  let next = 0;
  let newest = Math.max(-1, ...before.values());
  const after = new Map<string, number>();
  for (const id of ids) {
    const known = before.get(id);
    if (known === undefined) {
      const given = free[next];
      next += 1;
      if (given === undefined) newest += 1;
      after.set(id, given ?? newest);
    } else after.set(id, known);
  }
  return after;
}
