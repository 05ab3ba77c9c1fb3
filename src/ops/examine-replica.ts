/**
 * Whether Litestream keeps up, told by what it leaves beside the database: `.postern.db-litestream` holds its own copy of
 * the log (0.3: `generations/ID/wal/INDEX.wal`; 0.5: `ltx/0/FIRST-LAST.ltx`), into which each commit goes within a
 * second. What has become of that copy elsewhere only Litestream knows.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Places } from "./data-directory.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

export type ReplicaQuestions = {
  places: Pick<Places, "database">;
  /** As the gateway was started last: SQLite's log is Litestream's to move. */
  hasExternalCheckpoints: boolean;
  clock: Pick<Clock, "sleep">;
};

/** Looks at a copy that is behind, and the pause between them, milliseconds: it follows once a second. */
const MAX_LOOKS = 10;
const LOOK_PAUSE_MS = 500;
/** Behind for longer than this it does not follow at all, milliseconds. */
const STOPPED_MS = 60_000;
/** Litestream moves a log into the database long before this, bytes. */
const LARGE_LOG_BYTES = 64 * 1_048_576;
/** Newest files by their names, whose times are looked at. */
const MAX_FILES = 16;

/** Empty where neither files nor settings speak of a replica. */
export async function examineReplica({ places, hasExternalCheckpoints, clock }: ReplicaQuestions): Promise<Finding[]> {
  const { database } = places;
  const own = join(dirname(database), `.${basename(database)}-litestream`);
  const log = logOf(database);
  try {
    if (!existsSync(own)) return hasExternalCheckpoints ? [untraced(log)] : [];
    return [
      ...examineSetting(own, hasExternalCheckpoints),
      ...examineVersion(own),
      await examineAge(own, log, clock),
      ...(hasExternalCheckpoints ? examineLog(log) : []),
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [warning("replica", `${own} cannot be read: ${reason}`, "run postern doctor as the gateway's own user")];
  }
}

type ReplicaLog = { bytes: number; committedAtMs: number | null };

/** A commit is written to the end of the log, or over what has been moved out of it. */
function logOf(database: string): ReplicaLog {
  const found = statSync(`${database}-wal`, { throwIfNoEntry: false });
  return found === undefined || found.size === 0
    ? { bytes: 0, committedAtMs: null }
    : { bytes: found.size, committedAtMs: found.mtimeMs };
}

function untraced({ bytes }: ReplicaLog): Finding {
  const found = `POSTERN_EXTERNAL_CHECKPOINTS is 1 and Litestream was never here; the log of ${megabytes(bytes)} only grows`;
  return warning("replica", found, "start litestream replicate, or take the setting away and restart the gateway");
}

function examineSetting(own: string, hasExternalCheckpoints: boolean): Finding[] {
  if (hasExternalCheckpoints) return [];
  const found =
    "Litestream was here, and the gateway moves the log as well: what it moves unseen costs a whole new copy";
  const todo = `set POSTERN_EXTERNAL_CHECKPOINTS=1 and restart the gateway; where Litestream is not used any more, remove ${own}`;
  return [warning("replica_setting", found, todo)];
}

function examineVersion(own: string): Finding[] {
  if (layoutOf(own) !== "0.3") return [];
  const found = "Litestream 0.3, whose last release carries SQLite 3.42.0: before 3.51.3 two programs can damage a log";
  return [
    warning(
      "replica_version",
      found,
      "use Litestream 0.5.17 or newer, as docs/backup.md has it, and go on with backups of your own",
    ),
  ];
}

function layoutOf(own: string): "0.3" | "0.5" | null {
  if (existsSync(join(own, "ltx"))) return "0.5";
  return existsSync(join(own, "generations")) ? "0.3" : null;
}

async function examineAge(own: string, { committedAtMs }: ReplicaLog, clock: Pick<Clock, "sleep">): Promise<Finding> {
  let copiedAtMs = newestCopy(own);
  if (committedAtMs === null) return ok("replica", `the log is empty: nothing waits for Litestream; ${basis(own)}`);
  for (let look = 1; look < MAX_LOOKS && (copiedAtMs ?? 0) < committedAtMs; look += 1) {
    await clock.sleep(LOOK_PAUSE_MS);
    copiedAtMs = newestCopy(own);
  }
  if (copiedAtMs !== null && copiedAtMs >= committedAtMs) {
    return ok("replica", `Litestream has the commit of ${iso(committedAtMs)}; ${basis(own)}`);
  }
  const todo = "look at Litestream's log and restart it: journalctl -u litestream";
  if (copiedAtMs === null) return fault("replica", `Litestream has copied nothing; ${basis(own)}`, todo);
  const behindMs = committedAtMs - copiedAtMs;
  const found = `Litestream is ${Math.ceil(behindMs / 1_000)} s behind: it has copied nothing since ${iso(copiedAtMs)}, and the newest commit is of ${iso(committedAtMs)}; ${basis(own)}`;
  return behindMs > STOPPED_MS ? fault("replica", found, todo) : warning("replica", found, todo);
}

/** Said with each finding: it is no proof that anything has left the machine. */
function basis(own: string): string {
  return `told by the times of files in ${own}, not by the replica itself`;
}

function examineLog({ bytes }: ReplicaLog): Finding[] {
  if (bytes < LARGE_LOG_BYTES) return [];
  const todo = "see that litestream replicate runs and that no other program reads the database for long";
  return [warning("replica_log", `the log holds ${megabytes(bytes)}, and nobody moves it into the database`, todo)];
}

/** When Litestream wrote to its copy last, unix milliseconds; null where there is none. */
function newestCopy(own: string): number | null {
  const folder = layoutOf(own) === "0.5" ? join(own, "ltx", "0") : walFolder(own);
  if (folder === null || !existsSync(folder)) return null;
  // Fixed-width hexadecimal: the order of names is that of time.
  const names = readdirSync(folder).filter((name) => /\.(wal|ltx)$/.test(name));
  const times = names
    .sort()
    .slice(-MAX_FILES)
    .flatMap((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

function walFolder(own: string): string | null {
  const current = join(own, "generation");
  if (!existsSync(current)) return null;
  return join(own, "generations", readFileSync(current, "utf8").trim(), "wal");
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
