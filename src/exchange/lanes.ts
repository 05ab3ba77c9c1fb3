/** Numbers that are handed out one at a time; who finds none waits for the next to come back. */
export type Lanes = {
  /** Null when too many wait already. */
  acquire(): Promise<number> | null;
  release(lane: number): void;
};

const MAX_WAITING = 256;

export function createLanes(count: number): Lanes {
  const free = Array.from({ length: count }, (_, lane) => lane);
  const waiting: ((lane: number) => void)[] = [];
  return {
    acquire: () => {
      const lane = free.shift();
      if (lane !== undefined) return Promise.resolve(lane);
      if (waiting.length >= MAX_WAITING) return null;
      const { promise, resolve } = Promise.withResolvers<number>();
      waiting.push(resolve);
      return promise;
    },
    release: (lane) => {
      const next = waiting.shift();
      if (next === undefined) free.push(lane);
      else next(lane);
    },
  };
}
