import { html, nothing, type TemplateResult } from "lit-html";
import { time } from "../figures/format.ts";
import type { Loaded } from "../state/state.ts";

/** A titled part of a screen. `note` stands beside the title, to which a key may lead whatever is below it. */
export function section(title: string, content: unknown, note: unknown = nothing): TemplateResult {
  const id = `section-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return html`
    <section aria-labelledby=${id}>
      <div class="section-head"><h2 id=${id} tabindex="-1">${title}</h2><div class="note">${note}</div></div>
      ${content}
    </section>`;
}

/** What was read, or why it was not; an old value stays, with the reason beside it. */
export function whenLoaded<Value>(loaded: Loaded<Value>, show: (value: Value) => unknown): unknown {
  if (loaded.value === null) {
    return html`<p class="empty">${loaded.failure ?? "Reading…"}</p>`;
  }
  return html`${late(loaded)}${show(loaded.value)}`;
}

/** What the exchange sends every few seconds is shown without its age while it is no older than that, milliseconds. */
const SHOWN_AGE_MS = 6_000;

function late({ failure, asOfMs, readAtMs }: Loaded<unknown>): unknown {
  if (failure !== null) return html`<p class="late" role="status">Not up to date: ${failure}</p>`;
  if (asOfMs === null || readAtMs === null || readAtMs - asOfMs <= SHOWN_AGE_MS) return nothing;
  return html`<p class="late" role="status">As of ${time(new Date(asOfMs).toISOString(), readAtMs)}</p>`;
}

/** Name and value pairs. */
export function facts(pairs: readonly (readonly [name: string, value: unknown])[]): TemplateResult {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** What a person should know before pressing the button; it keeps nobody from it. */
export function warning(words: string | null): TemplateResult | typeof nothing {
  return words === null ? nothing : html`<p class="late" role="status">${words}</p>`;
}
