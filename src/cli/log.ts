import { type AuditRow, listAuditPage } from "../store/audit.ts";
import { type Command, DATA_DIRECTORY } from "./command.ts";
import { places, reading } from "./directory.ts";
import { isoTime, printable } from "./output.ts";
import { SINCE, timeOf, UNTIL } from "./times.ts";

export const logCommand: Command = {
  name: "log",
  summary: "the audit log in words, oldest first: what was signed, granted, revoked, stopped, by whom and when",
  options: {
    "data-dir": DATA_DIRECTORY,
    since: SINCE,
    until: UNTIL,
    json: { value: null, help: "print one JSON object a line" },
  },
  positionals: [],
  async run(input, outside) {
    const sinceMs = timeOf(input, "since") ?? 0;
    const untilMs = timeOf(input, "until") ?? Number.MAX_SAFE_INTEGER;
    const lineOf = input.isSet("json") ? asJson : asWords;
    reading(places(input, outside), ({ store }) => {
      for (let after = 0; ; ) {
        const { rows, lastId } = listAuditPage(store, { after, sinceMs, untilMs });
        if (rows.length > 0) outside.print(rows.map((row) => `${lineOf(row)}\n`).join(""));
        if (lastId === null) return;
        after = lastId;
      }
    });
  },
};

function asWords({ atMs, actor, event, reference, detail }: AuditRow): string {
  // Written by `appendAudit` and by nothing else.
  const facts = Object.entries(JSON.parse(detail) as Readonly<Record<string, unknown>>);
  const told = facts.map(([name, value]) => `${name.replaceAll("_", " ")} ${String(value)}`).join(", ");
  const what = `${event.replaceAll("_", " ")} ${reference}`.trim();
  return printable(`${isoTime(atMs)}  ${actorWords(actor)}: ${what}${told === "" ? "" : ` (${told})`}`);
}

/** Key hashes are long, and their beginning tells them apart. */
function actorWords(actor: string): string {
  return /^[0-9a-f]{64}$/.test(actor) ? `key ${actor.slice(0, 8)}` : actor;
}

function asJson({ id, atMs, actor, event, reference, detail }: AuditRow): string {
  return JSON.stringify({ id, at: isoTime(atMs), actor, event, reference, detail: JSON.parse(detail) });
}
