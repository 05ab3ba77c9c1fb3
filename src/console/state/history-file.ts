/** The history as a file: all of it that the filter leaves, made by the gateway as the page shows it. */
import type { App } from "./app.ts";
import { notify } from "./notices.ts";
import type { State } from "./state.ts";
import { queryOf } from "./timeline-lists.ts";

type Format = "csv" | "jsonl";

export async function takeFile(app: App, format: Format): Promise<void> {
  const { forms } = app.state;
  if (forms.isFileMade) return;
  forms.isFileMade = true;
  app.changed();
  const made = await wholeFile(app, format);
  forms.isFileMade = false;
  if (typeof made === "string") notify(app, "bad", `No file: ${made}`);
  else save(made, format);
  app.changed();
}

/** The gateway's own export under the same filter; one that breaks off is no file. */
async function wholeFile({ state }: App, format: Format): Promise<Blob | string> {
  try {
    const headers = { Authorization: `Bearer ${state.session?.apiKey ?? ""}` };
    const response = await fetch(filePath(state, format), { headers, cache: "no-store", credentials: "omit" });
    return response.ok ? await response.blob() : `the gateway answered ${response.status}.`;
  } catch {
    return "it broke off, and a part is no file.";
  }
}

export function filePath(state: State, format: Format): string {
  const { filter } = state.timeline;
  const query = queryOf(state, filter);
  for (const name of ["kind", "status", "text"] as const) if (filter[name] !== "") query.set(name, filter[name]);
  return `/v1/exports/history.${format}?${query.toString()}`;
}

function save(blob: Blob, format: Format): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `postern-history.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
