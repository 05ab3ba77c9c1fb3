import type { Clock } from "../core/clock.ts";
import type { Log } from "../deps.ts";

/** Work that is done again and again until the gateway stops. */
export function openRepeating({ clock, log }: { clock: Clock; log: Log }) {
  let hasStopped = false;

  /** A fault, a disk that is full for a moment say, must end neither the work for good nor the process. */
  async function guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!hasStopped) log.error({ error: String(error) }, "work in the background failed");
    }
  }

  async function repeat(everyMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!hasStopped) {
      await clock.sleep(everyMs);
      if (!hasStopped) await guarded(work);
    }
  }

  return {
    every: (everyMs: number, work: () => Promise<unknown>) => void repeat(everyMs, work),
    fromNow: (everyMs: number, work: () => Promise<unknown>) => {
      void guarded(work);
      void repeat(everyMs, work);
    },
    once: (work: () => Promise<unknown>) => void guarded(work),
    isStopped: () => hasStopped,
    stop: () => {
      hasStopped = true;
    },
  };
}

export type Repeating = ReturnType<typeof openRepeating>;
