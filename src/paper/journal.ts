/**
 * What makes the state outlive the process: a snapshot, and a line for every entry after it. A line is on the
 * disk before anybody is told what it did. Entries hold actions, never signatures.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { parseState, stateText } from "./state-text.ts";
import type { JournalEntry, PaperWorld } from "./world.ts";

export type Journal = {
  /** Written and safe against the death of the process; `sync` makes it safe against that of the machine. */
  append(entry: JournalEntry): void;
  sync(): void;
  /** Writes a snapshot and begins a new file when enough entries have come. */
  compact(world: PaperWorld): void;
  close(): void;
};

export type Recovered = { readonly world: PaperWorld; readonly entries: readonly JournalEntry[] };

/** Entries after which a snapshot is worth its time. */
const ENTRIES_PER_SNAPSHOT = 5_000;
const VERSION = 1;
/** No file has this number. */
const CLOSED = -1;

/** The newest snapshot of the directory and the entries after it; null for a directory without one. */
export function recoverJournal(directory: string): Recovered | null {
  const number = newestSnapshot(directory);
  if (number === null) return null;
  const snapshot = parseState(readFileSync(snapshotPath(directory, number), "utf8"));
  if (!isSnapshot(snapshot)) throw new Error(`paper snapshot ${number} is of another version`);
  const journal = journalPath(directory, number);
  const entries = existsSync(journal) ? readEntries(readFileSync(journal, "utf8")) : [];
  return { world: snapshot.world, entries };
}

/** Starts a journal at this state: a snapshot, and an empty file for what follows. */
export function openJournal(directory: string, world: PaperWorld): Journal {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  let number = (newestSnapshot(directory) ?? 0) + 1;
  let file = begin(directory, number, world);
  let entries = 0;
  return {
    append: (entry) => {
      writeAll(file, `${stateText(entry)}\n`);
      entries += 1;
    },
    sync: () => fdatasyncSync(file),
    compact: (current) => {
      if (entries < ENTRIES_PER_SNAPSHOT) return;
      const next = begin(directory, number + 1, current);
      closeSync(file);
      file = next;
      number += 1;
      entries = 0;
    },
    close: () => {
      if (file === CLOSED) return;
      fsyncSync(file);
      closeSync(file);
      // Numbers of closed files are given out again; a late entry must not land in somebody else's.
      file = CLOSED;
    },
  };
}

/** The old pair goes only when the new snapshot is on the disk under its own name. */
function begin(directory: string, number: number, world: PaperWorld): number {
  const path = snapshotPath(directory, number);
  const written = openSync(`${path}.new`, "w", 0o600);
  writeAll(written, stateText({ version: VERSION, world }));
  fsyncSync(written);
  closeSync(written);
  const file = openSync(journalPath(directory, number), "w", 0o600);
  renameSync(`${path}.new`, path);
  syncDirectory(directory);
  removeOlder(directory, number);
  return file;
}

function removeOlder(directory: string, number: number): void {
  for (const name of readdirSync(directory)) {
    const found = /^(?:snapshot|journal)-([0-9]+)\.jsonl?$/.exec(name)?.[1];
    if (found !== undefined && Number(found) < number) rmSync(join(directory, name));
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let written = 0;
  // Every turn writes at least a byte or throws.
  while (written < bytes.length) written += writeSync(file, bytes, written);
}

/** A torn last line was never answered and is left out; a torn line before the last is damage. */
function readEntries(text: string): JournalEntry[] {
  const lines = text.split("\n");
  const torn = lines.pop();
  const entries = lines.map((line, index) => {
    const entry = parseEntry(line);
    if (entry === null) throw new Error(`paper journal: line ${index + 1} cannot be read`);
    return entry;
  });
  const last = torn === undefined || torn === "" ? null : parseEntry(torn);
  return last === null ? entries : [...entries, last];
}

function parseEntry(line: string): JournalEntry | null {
  try {
    // Only this file writes these lines, one Entry each.
    return parseState(line) as JournalEntry;
  } catch {
    return null;
  }
}

function newestSnapshot(directory: string): number | null {
  if (!existsSync(directory)) return null;
  const numbers = readdirSync(directory).flatMap((name) => /^snapshot-([0-9]+)\.json$/.exec(name)?.[1] ?? []);
  return numbers.length === 0 ? null : Math.max(...numbers.map(Number));
}

function snapshotPath(directory: string, number: number): string {
  return join(directory, `snapshot-${number}.json`);
}

function journalPath(directory: string, number: number): string {
  return join(directory, `journal-${number}.jsonl`);
}

function isSnapshot(value: unknown): value is { world: PaperWorld } {
  return (
    value !== null && typeof value === "object" && "version" in value && value.version === VERSION && "world" in value
  );
}
