/** Work that stands in rows and goes on wherever a process has died: one loop a row, until nothing more is to be done for it. */
import type { RowWorker, With } from "../deps.ts";

export type RunningRowWorker = RowWorker & {
  /** Nothing goes on in this process; the next start finds it. */
  stop(): void;
  isStopped(): boolean;
};

export type WorkedRows<Row extends { id: string }> = {
  /** The field that names a row in the log, and what is said there of a step that failed. */
  field: "cancel_all" | "order" | "stop" | "trade";
  failed: string;
  list(): readonly Row[];
  /** Called when the work on a row begins. The step may remember something; true when there is nothing more to do. */
  open(row: Row): () => Promise<boolean>;
  /** Between two steps, milliseconds; the second once it takes its time. */
  firstMs: number;
  laterMs?: number;
};

/** Steps after which it takes its time. */
const LATER_AFTER_STEPS = 20;

export function openRowWorker<Row extends { id: string }>(
  { clock, log }: With<"clock" | "log">,
  { field, failed, list, open, firstMs, laterMs = firstMs }: WorkedRows<Row>,
): RunningRowWorker {
  const running = new Set<string>();
  let isStopped = false;

  async function workOn(id: string, step: () => Promise<boolean>): Promise<void> {
    for (let steps = 1; !isStopped; steps += 1) {
      try {
        if (await step()) return;
      } catch (error) {
        if (!isStopped) log.error({ [field]: id, error: String(error) }, failed);
      }
      await clock.sleep(steps < LATER_AFTER_STEPS ? firstMs : laterMs);
    }
  }

  return {
    heed() {
      if (isStopped) return;
      for (const row of list()) {
        if (running.has(row.id)) continue;
        const step = open(row);
        running.add(row.id);
        void workOn(row.id, step).finally(() => running.delete(row.id));
      }
    },
    stop() {
      isStopped = true;
    },
    isStopped: () => isStopped,
  };
}
