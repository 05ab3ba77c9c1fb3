/**
 * A thread of its own: carries over into the database what is committed, by a connection that does nothing else. Where it
 * listens, and what is told of it, see `checkpoints`.
 */
import { Database } from "bun:sqlite";
import { fdatasyncSync, openSync } from "node:fs";
import type { AskedThread, ThreadTold } from "./checkpoints.ts";

declare const self: Worker;

/** `file`: never closed, because whoever closes a file lets go of every lock that this process holds on it. */
type CarriedDatabase = { client: Database; file: number };

let opened: CarriedDatabase | null = null;

self.onmessage = ({ data }: MessageEvent<AskedThread>) => self.postMessage(answerTo(data));

function answerTo(asked: AskedThread): ThreadTold {
  try {
    if (asked.kind === "close") return close();
    opened ??= open(asked.path);
    // Passive: it waits for nobody, and nobody for it. What readers still need, or is written meanwhile, is left to the next.
    opened.client.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    return { kind: "failed", code: codeOf(error), message: String(error) };
  }
  return synced(opened);
}

/** SQLite waits for what it has carried over only where that was all there is; what is on the disk already need not be waited for later. */
function synced({ file }: CarriedDatabase): ThreadTold {
  try {
    fdatasyncSync(file);
    return { kind: "carried" };
  } catch (error) {
    return { kind: "not_on_disk", message: String(error) };
  }
}

function open(path: string): CarriedDatabase {
  const client = new Database(path, { readwrite: true, strict: true });
  client.run("PRAGMA synchronous = NORMAL");
  return { client, file: openSync(path, "r") };
}

function close(): ThreadTold {
  opened?.client.close();
  return { kind: "closed" };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
