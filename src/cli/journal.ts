/** Log lines as the journal of systemd wants them: with their urgency in front, so that `journalctl -p` finds them. */
import { fstatSync } from "node:fs";
import type { Environment } from "../config.ts";

const STANDARD_ERROR = 2;
/** Urgency of syslog for the levels of the log; what is not listed is worth a line and no more. */
const URGENCIES: Readonly<Record<string, number>> = { "20": 7, "30": 6, "40": 4, "50": 3 };
const INFORMATION = 6;
const LEVEL = /^\{"level":([0-9]+),/;

/** Writes as `write` does where standard error is no journal. */
export function journalWriter(environment: Environment, write: (line: string) => void): (line: string) => void {
  if (!isJournal(environment["JOURNAL_STREAM"] ?? "")) return write;
  return (line) => write(`<${urgency(line)}>${line}`);
}

function urgency(line: string): number {
  return URGENCIES[LEVEL.exec(line)?.[1] ?? ""] ?? INFORMATION;
}

/** `device:inode` of what systemd connected; a redirected standard error is another file. */
function isJournal(stream: string): boolean {
  if (stream === "") return false;
  const { dev, ino } = fstatSync(STANDARD_ERROR);
  return stream === `${dev}:${ino}`;
}
