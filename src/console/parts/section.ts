import { html, nothing, type TemplateResult } from "lit-html";
import type { Loaded } from "../state/state.ts";

/** A titled part of a screen. `note` stands beside the title. */
export function section(title: string, content: unknown, note: unknown = nothing): TemplateResult {
  const id = `section-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return html`
    <section aria-labelledby=${id}>
      <div class="section-head"><h2 id=${id}>${title}</h2><div class="note">${note}</div></div>
      ${content}
    </section>`;
}

/** What was read, or why it was not; an old value stays, with the reason beside it. */
export function whenLoaded<Value>(loaded: Loaded<Value>, show: (value: Value) => unknown): unknown {
  if (loaded.value === null) {
    return html`<p class="empty">${loaded.failure ?? "Reading…"}</p>`;
  }
  const late =
    loaded.failure === null ? nothing : html`<p class="late" role="status">Not up to date: ${loaded.failure}</p>`;
  return html`${late}${show(loaded.value)}`;
}

/** Name and value pairs. */
export function facts(pairs: readonly (readonly [name: string, value: unknown])[]): TemplateResult {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
