import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";

/** What stands in the field that the event came from. */
export function typed(event: Event): string {
  return event.target instanceof HTMLInputElement ? event.target.value.trim() : "";
}

export function isChecked(event: Event): boolean {
  return event.target instanceof HTMLInputElement && event.target.checked;
}

export function selected(event: Event): string {
  return event.target instanceof HTMLSelectElement ? event.target.value : "";
}

export type DecimalField = { words: string; name: string; value: string; hint?: string };

/** A text field: a number field would let the browser round and reformat what was typed. */
export function decimalField(field: DecimalField, change: (value: string) => void): TemplateResult {
  const { words, name, value, hint = "" } = field;
  return html`
    <label>${words}${hint === "" ? nothing : html` <small>${hint}</small>`}
      <input class="figure" name=${name} inputmode="decimal" spellcheck="false" .value=${live(value)} @input=${(event: Event) => change(typed(event))} />
    </label>`;
}

export function option(value: string, words: string, chosen: string): TemplateResult {
  return html`<option value=${value} .selected=${live(value === chosen)}>${words}</option>`;
}
