/** The history as a file: of one list by the gateway, whole; of all of them together what has been read. */
import { asCsv, asJsonLines, type Filter } from "../figures/timeline.ts";
import type { App } from "./app.ts";
import { notify } from "./notices.ts";
import { filtered, timelineOf } from "./timeline.ts";
import { botNames, queryOf } from "./timeline-lists.ts";

type Format = "csv" | "jsonl";

/** Why the gateway cannot make just this file; null where it can. */
export function wholeFileWords(filter: Filter): string | null {
  const { kind, status, text } = filter;
  if (kind === "") return "for all of it choose one list alone";
  if (filter.market !== "" && kind === "transfer") return "a transfer is of no market";
  if (filter.bot !== "" && (kind === "transfer" || kind === "funding")) return "it is of no bot";
  if (text !== "") return "a text is looked for by this page alone";
  return status === "" || kind === "order" ? null : "that status is looked for by this page alone";
}

export async function takeFile(app: App, format: Format): Promise<void> {
  const { forms, timeline } = app.state;
  if (forms.isFileMade) return;
  if (wholeFileWords(timeline.filter) !== null) {
    save(new Blob([textOf(app, format)]), format);
    return;
  }
  forms.isFileMade = true;
  app.changed();
  const made = await wholeFile(app, format);
  forms.isFileMade = false;
  if (typeof made === "string") notify(app, "bad", `No file: ${made}`);
  else save(made, format);
  app.changed();
}

function textOf({ state }: App, format: Format): string {
  const rows = filtered(state, timelineOf(state).entries);
  const nameOf = botNames(state);
  return format === "csv" ? asCsv(rows, nameOf) : asJsonLines(rows, nameOf);
}

/** The gateway's own export under the same filter; one that breaks off is no file. */
async function wholeFile({ state }: App, format: Format): Promise<Blob | string> {
  const { filter } = state.timeline;
  const query = queryOf(state, filter);
  if (filter.status !== "") query.set("status", filter.status);
  const list = filter.kind === "funding" ? filter.kind : `${filter.kind}s`;
  const path = `/v1/exports/${list}.${format}?${query.toString()}`;
  try {
    const headers = { Authorization: `Bearer ${state.session?.apiKey ?? ""}` };
    const response = await fetch(path, { headers, cache: "no-store", credentials: "omit" });
    return response.ok ? await response.blob() : `the gateway answered ${response.status}.`;
  } catch {
    return "it broke off, and a part is no file.";
  }
}

function save(blob: Blob, format: Format): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `postern-history.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
