import type { WriteAnswer } from "../core/idempotency.ts";
import type { RunningWrites } from "../deps.ts";

/** Most requests that wait for one running write; the next is told how the row stands. */
const MAX_JOINERS = 64;

/** The writes of this process that have not been answered yet. */
export function openRunningWrites(): RunningWrites {
  const running = new Map<string, { answer: Promise<WriteAnswer>; joiners: number; isTold: boolean }>();
  const nameOf = (accountId: string, idempotencyKey: string) => `${accountId} ${idempotencyKey}`;
  return {
    join(accountId, idempotencyKey) {
      const write = running.get(nameOf(accountId, idempotencyKey));
      if (write === undefined) return null;
      if (write.joiners >= MAX_JOINERS) {
        write.isTold = true;
        return null;
      }
      write.joiners += 1;
      return write.answer;
    },
    start(accountId, idempotencyKey, answer) {
      const name = nameOf(accountId, idempotencyKey);
      const write = { answer, joiners: 0, isTold: false };
      running.set(name, write);
      // A key that was given back may be in use again by the time the first answer ends.
      const end = () => {
        if (running.get(name) === write) running.delete(name);
      };
      answer.then(end, end);
    },
    tell(accountId, idempotencyKey) {
      const write = running.get(nameOf(accountId, idempotencyKey));
      if (write !== undefined) write.isTold = true;
    },
    isTold: (accountId, idempotencyKey) => running.get(nameOf(accountId, idempotencyKey))?.isTold ?? true,
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map((write) => write.answer));
    },
  };
}
