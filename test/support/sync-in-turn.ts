import { type Sync, syncOfLog } from "../../src/store/disk.ts";

/** Waits for the real disk within the turn: a clock that stands, or is moved by hand, knows of no other thread. */
export function syncInTurn(path: string): Sync {
  const log = syncOfLog(path);
  return { ...log, beside: async () => log.now() };
}
