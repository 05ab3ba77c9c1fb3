import type { RunningAnswer, RunningWrites } from "../deps.ts";

/** Most requests that wait for one running write; the next is told how the row stands. */
const MAX_JOINERS = 64;

/** The writes of this process that have not been answered yet. */
export function openRunningWrites(): RunningWrites {
  const running = new Map<string, { answer: Promise<RunningAnswer>; joiners: number }>();
  const nameOf = (accountId: string, key: string) => `${accountId} ${key}`;
  return {
    join(accountId, key) {
      const write = running.get(nameOf(accountId, key));
      if (write === undefined || write.joiners >= MAX_JOINERS) return null;
      write.joiners += 1;
      return write.answer;
    },
    start(accountId, key, answer) {
      const name = nameOf(accountId, key);
      running.set(name, { answer, joiners: 0 });
      const end = () => running.delete(name);
      answer.then(end, end);
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map((write) => write.answer));
    },
  };
}
