/** The log of every change to database files that this process has made: it has to run with `write-log.c` preloaded. */
import { dlopen, FFIType, type Pointer, toArrayBuffer } from "bun:ffi";
import { join } from "node:path";

export type LogEntry =
  | { kind: "write"; path: string; offset: number; data: Uint8Array }
  | { kind: "truncate"; path: string; length: number }
  | { kind: "sync"; path: string }
  | { kind: "unlink"; path: string };

export type WriteLog = {
  /** Bytes of the log so far: a moment of it. */
  bytes(): number;
  /** Everything so far, each entry with the moment at which it was complete. */
  read(): { entry: LogEntry; endsAt: number }[];
  clear(): void;
};

const SOURCE = join(import.meta.dir, "write-log.c");
const KINDS = ["write", "truncate", "sync", "unlink"] as const;
/** kind and name length of 4 bytes, offset and data length of 8. */
const HEADER_BYTES = 24;

/** Compiles the library into a file; throws what the compiler says. */
export function buildWriteLog(library: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]);
  if (exitCode !== 0) throw new Error(`the write log could not be compiled: ${stderr.toString()}`);
}

/** The library is loaded already; opening it again gives the same one. */
export function openWriteLog(library: string): WriteLog {
  const { symbols } = dlopen(library, {
    write_log_bytes: { args: [], returns: FFIType.u64_fast },
    write_log_data: { args: [], returns: FFIType.pointer },
    write_log_clear: { args: [], returns: FFIType.void },
  });
  const bytes = () => Number(symbols.write_log_bytes());
  return {
    bytes,
    read() {
      const count = bytes();
      // A pointer is a number in this process: addresses stay below 2^53.
      const data = symbols.write_log_data() as Pointer | null;
      return count === 0 || data === null ? [] : parseLog(copyOf(data, count));
    },
    clear: () => symbols.write_log_clear(),
  };
}

function copyOf(data: Pointer, count: number): Uint8Array {
  return new Uint8Array(toArrayBuffer(data, 0, count)).slice();
}

function parseLog(log: Uint8Array): { entry: LogEntry; endsAt: number }[] {
  const view = new DataView(log.buffer);
  const entries: { entry: LogEntry; endsAt: number }[] = [];
  for (let at = 0; at < log.length; ) {
    const kind = KINDS[view.getUint32(at, true) - 1];
    const nameEnd = at + HEADER_BYTES + view.getUint32(at + 4, true);
    const offset = Number(view.getBigUint64(at + 8, true));
    const end = nameEnd + Number(view.getBigUint64(at + 16, true));
    const path = new TextDecoder().decode(log.subarray(at + HEADER_BYTES, nameEnd));
    entries.push({ entry: entryOf(kind, { path, offset, data: log.subarray(nameEnd, end) }), endsAt: end });
    at = end;
  }
  return entries;
}

function entryOf(
  kind: (typeof KINDS)[number] | undefined,
  { path, offset, data }: { path: string; offset: number; data: Uint8Array },
): LogEntry {
  switch (kind) {
    case "write":
      return { kind, path, offset, data };
    case "truncate":
      return { kind, path, length: offset };
    case "sync":
    case "unlink":
      return { kind, path };
    case undefined:
      throw new Error("bug: a write log that cannot be read");
  }
}
