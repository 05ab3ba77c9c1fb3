import { type CommitQueue, openCommitQueue } from "../../src/store/commit-queue.ts";
import type { Store } from "../../src/store/open.ts";

export type DurableQueue = Pick<CommitQueue, "outcome"> & {
  /** Resolves with what `work` returned once it is on the disk. */
  intent<T>(work: (store: Store) => T): Promise<T>;
};

/** A queue whose intents are waited for to the end. */
export function openDurableQueue(...parts: Parameters<typeof openCommitQueue>): DurableQueue {
  const queue = openCommitQueue(...parts);
  return {
    outcome: queue.outcome,
    async intent(work) {
      const { value, onDisk } = await queue.intent(work);
      await onDisk;
      return value;
    },
  };
}
