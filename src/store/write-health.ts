/**
 * Whether a write would reach the disk now. Every transaction that fails or goes through is heard of here; between
 * them only a try can tell, because a disk that was mounted read-only says nothing by itself.
 */
import type { Clock } from "../core/clock.ts";
import { diskFreeBytes } from "./database-size.ts";
import { writeProbe } from "./health.ts";
import { countRefusals, failedWith } from "./heard-writes.ts";
import { MAX_INTENT_WAIT_MS } from "./locked.ts";
import type { Store } from "./open.ts";

export type WriteHealth = {
  /**
   * What keeps an intent from the disk, as far as is known; null when nothing does. After a write that failed it is
   * tried again, so that room that was made is seen.
   */
  fault(): WriteFault | null;
  /**
   * What keeps an intent from the disk, never older than a few seconds: tries a write where there was none. Null when
   * nothing does.
   */
  prove(): WriteFault | null;
};

export type WriteFault = { kind: "disk_full" | "storage_failing"; detail: string | null };

/** What cancels and outcomes are to find: as much as SQLite's log may grow to, bytes. */
export const ROOM_KEPT_BYTES = 16 * 1024 * 1024;
/** Between two looks at the room, milliseconds. */
const ROOM_SPACING_MS = 1_000;
/** Between two tries while writes fail: a locked database stops the event loop for each. Milliseconds. */
const RETRY_SPACING_MS = 250;
/** A write that is older than this proves nothing, milliseconds. */
const PROOF_LIFE_MS = 5_000;

/** `freeBytes`: what is left where the database is; null where that cannot be told. */
export function openWriteHealth(
  store: Store,
  clock: Pick<Clock, "elapsedMs">,
  freeBytes: () => number | null = () => diskFreeBytes(store.$client.filename),
): WriteHealth {
  let room = { atMs: Number.NEGATIVE_INFINITY, refusals: 0, isThere: true };
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let lockedSinceMs: number | null = null;

  function hasRoom(nowMs: number): boolean {
    const refusals = countRefusals(store);
    // Something smaller than what was refused may have gone through since.
    if (nowMs - room.atMs >= ROOM_SPACING_MS || refusals !== room.refusals) {
      const free = freeBytes();
      room = { atMs: nowMs, refusals, isThere: free === null || free >= ROOM_KEPT_BYTES };
    }
    return room.isThere;
  }

  function tryToWrite(nowMs: number): void {
    triedAtMs = nowMs;
    try {
      writeProbe(store);
    } catch {
      // It was heard of as any other.
    }
  }

  /** An intent waits as long for somebody else's lock before it is refused. */
  function isRefusal(code: string, nowMs: number): boolean {
    if (!code.startsWith("SQLITE_BUSY")) return true;
    lockedSinceMs ??= nowMs;
    return nowMs - lockedSinceMs >= MAX_INTENT_WAIT_MS;
  }

  function fault(): WriteFault | null {
    const nowMs = clock.elapsedMs();
    if (failedWith(store) !== null && nowMs - triedAtMs >= RETRY_SPACING_MS) tryToWrite(nowMs);
    const code = failedWith(store);
    if (code === null) lockedSinceMs = null;
    else if (isRefusal(code, nowMs)) {
      return { kind: code === "SQLITE_FULL" ? "disk_full" : "storage_failing", detail: code };
    }
    return hasRoom(nowMs) ? null : { kind: "disk_full", detail: null };
  }

  return {
    fault,
    prove() {
      const nowMs = clock.elapsedMs();
      if (nowMs - triedAtMs >= PROOF_LIFE_MS) tryToWrite(nowMs);
      return fault();
    },
  };
}
