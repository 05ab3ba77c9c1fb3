import { actorWords, auditFacts, factWords, spaced } from "../core/audit-words.ts";
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
  printsData: true,
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
  const told = factWords(auditFacts(detail));
  const what = `${spaced(event)} ${reference}`.trim();
  return printable(`${isoTime(atMs)}  ${actorWords(actor)}: ${what}${told === "" ? "" : ` (${told})`}`);
}

function asJson({ id, atMs, actor, event, reference, detail }: AuditRow): string {
  return JSON.stringify({ id, at: isoTime(atMs), actor, event, reference, detail: JSON.parse(detail) });
}
