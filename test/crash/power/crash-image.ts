/** What a power cut leaves on disk: everything up to each file's last sync, and any part of what was written later. */
import type { Chance } from "../../simulation/chance.ts";
import type { LogEntry } from "./write-log.ts";

/** Contents by path; a file that is not there has none. */
export type Files = ReadonlyMap<string, Uint8Array>;

export type Cut = {
  /** How much of what was not synced survives: none, all, the first part in order, or any sectors. */
  kind: "nothing" | "everything" | "prefix" | "sectors";
  sectorBytes: 512 | 4096;
  /** Share of it that survives, 0 to 1. */
  share: number;
};

export function drawCut(chance: Chance): Cut {
  return {
    kind: chance.pick(["nothing", "prefix", "sectors", "sectors", "sectors"] as const),
    sectorBytes: chance.pick([512, 4096] as const),
    share: chance.pick([0.1, 0.5, 0.9, chance.fraction()]),
  };
}

/** One file while its log is replayed: what is on disk for certain, and what came after. */
type Replayed = { synced: Content; later: LogEntry[] };

/** Bytes that grow in place: `room` is longer than what counts of it, and zero beyond. */
type Content = { room: Uint8Array; length: number };

export function crashImage(base: Files, entries: readonly LogEntry[], cut: Cut, chance: Chance): Files {
  const files = new Map<string, Replayed>();
  for (const [path, content] of base) {
    files.set(path, { synced: { room: content.slice(), length: content.length }, later: [] });
  }
  for (const entry of entries) {
    const file = files.get(entry.path) ?? { synced: { room: new Uint8Array(0), length: 0 }, later: [] };
    files.set(entry.path, file);
    if (entry.kind === "sync") {
      for (const each of file.later) apply(file.synced, each);
      file.later = [];
    } else {
      file.later.push(entry);
    }
  }
  return new Map([...files].map(([path, file]) => [path, cutOff(file, cut, chance)]));
}

function cutOff({ synced, later }: Replayed, cut: Cut, chance: Chance): Uint8Array {
  for (const each of survivors(later, cut, chance)) apply(synced, each);
  return synced.room.slice(0, synced.length);
}

function apply(content: Content, entry: LogEntry): void {
  switch (entry.kind) {
    case "write": {
      const end = entry.offset + entry.data.length;
      grow(content, end);
      content.room.set(entry.data, entry.offset);
      content.length = Math.max(content.length, end);
      return;
    }
    case "truncate":
    case "unlink": {
      const length = entry.kind === "truncate" ? entry.length : 0;
      grow(content, length);
      // What is never written reads as zeros, also where something once was.
      content.room.fill(0, Math.min(length, content.length));
      content.length = length;
      return;
    }
    case "sync":
      return;
  }
}

function grow(content: Content, length: number): void {
  if (length <= content.room.length) return;
  const room = new Uint8Array(2 * length);
  room.set(content.room);
  content.room = room;
}

function survivors(later: readonly LogEntry[], cut: Cut, chance: Chance): LogEntry[] {
  if (cut.kind === "nothing") return [];
  if (cut.kind === "everything") return [...later];
  const sectors = later.flatMap((entry) => sectorsOf(entry, cut.sectorBytes));
  if (cut.kind === "prefix") return sectors.slice(0, Math.round(sectors.length * cut.share));
  return sectors.filter(() => chance.isLucky(cut.share));
}

/** A write reaches the disk sector by sector; anything else does as a whole. */
function sectorsOf(entry: LogEntry, sectorBytes: number): LogEntry[] {
  if (entry.kind !== "write") return [entry];
  const { offset, data } = entry;
  const parts: LogEntry[] = [];
  for (let at = 0; at < data.length; ) {
    const end = Math.min(data.length, at + sectorBytes - ((offset + at) % sectorBytes));
    parts.push({ ...entry, offset: offset + at, data: data.subarray(at, end) });
    at = end;
  }
  return parts;
}
