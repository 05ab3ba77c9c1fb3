import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";

/** What stands in the field that the event came from. */
export function typed(event: Event): string {
  return event.target instanceof HTMLInputElement ? event.target.value.trim() : "";
}

export function isChecked(event: Event): boolean {
  return event.target instanceof HTMLInputElement && event.target.checked;
}

export type DecimalField = { words: string; name: string; value: string; hint?: string };

/** A text field: a number field would let the browser round and reformat what was typed. */
export function decimalField(field: DecimalField, change: (value: string) => void): TemplateResult {
  const { words, name, value, hint = "" } = field;
  return html`
    <label><span>${words}${hint === "" ? nothing : html` <small>${hint}</small>`}</span>
      <input class="figure" name=${name} inputmode="decimal" spellcheck="false" .value=${live(value)} @input=${(event: Event) => change(typed(event))} />
    </label>`;
}

export type Choice<Word extends string> = {
  words: string;
  name: string;
  value: Word;
  options: readonly (readonly [value: Word, words: string])[];
};

export function choice<Word extends string>(field: Choice<Word>, change: (value: Word) => void): TemplateResult {
  const { words, name, value, options } = field;
  function changed({ target }: Event): void {
    if (!(target instanceof HTMLSelectElement)) return;
    const chosen = options.find(([word]) => word === target.value);
    if (chosen !== undefined) change(chosen[0]);
  }
  return html`
    <label>${words}
      <select name=${name} @change=${changed}>
        ${options.map(([word, meaning]) => html`<option value=${word} .selected=${live(word === value)}>${meaning}</option>`)}
      </select>
    </label>`;
}
