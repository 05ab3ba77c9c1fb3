/** What a stop, or its flattening, waits for: each thing, since when, and what ends it. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiStop } from "../api/resources.ts";
import { shortId, time } from "../figures/format.ts";
import { andMore } from "../parts/and-more.ts";

export type StopWait = ApiStop["waits_for"][number];

/** So many are shown; how many more there are is said, as far as they are told. */
const SHOWN = 6;

export function waitsFor(waits: readonly StopWait[], nowMs: number): TemplateResult | typeof nothing {
  if (waits.length === 0) return nothing;
  const more = waits.length - SHOWN;
  return html`
    <ul class="waits" aria-label="Waits for">
      ${waits.slice(0, SHOWN).map((wait) => html`<li>${what(wait)} since ${time(wait.since, nowMs)}, until ${wait.until}.</li>`)}
      ${more > 0 ? html`<li>${andMore(waits, SHOWN)}</li>` : nothing}
    </ul>`;
}

function what({ order, operation, market }: StopWait): TemplateResult {
  const where = market === null ? "" : ` in ${market}`;
  if (order !== null) return html`Order <a href=${`#/story/${order}`}><code>${shortId(order)}</code></a>${where}:`;
  if (operation !== null) return html`TWAP <code>${shortId(operation)}</code>${where}:`;
  return html`${market === null ? "The account" : market}:`;
}
