/** Lets a bounded number of works run at once, in the order in which they came. */
export type Turns = { take<T>(work: () => Promise<T>): Promise<T> };

export function openTurns(maxAtOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return {
    async take(work) {
      // A turn that ends is handed to the next in line: nobody who comes later can slip in between.
      if (busy >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },
  };
}
