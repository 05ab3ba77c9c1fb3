/** Stop and profit that enter with a limit order, and what they would come to. */
import { html, nothing, type TemplateResult } from "lit-html";
import { outcomeOfEntry } from "../figures/entry-protection.ts";
import { signedMoney, tone } from "../figures/format.ts";
import { decimalField } from "../parts/fields.ts";
import type { App } from "../state/app.ts";
import type { OrderDraft } from "../state/forms.ts";
import { changeDraft } from "../state/order-draft.ts";

type AtField = (field: "stopPrice" | "profitPrice") => unknown;

export function entryProtection(app: App, draft: OrderDraft, faultAt: AtField): TemplateResult {
  const fields = [
    ["stopPrice", "Stop loss", "trigger, by the mark"],
    ["profitPrice", "Take profit", "trigger, by the mark"],
  ] as const;
  return html`
    ${fields.map(
      ([name, words, hint]) => html`
        ${decimalField({ words, name: `entry-${name}`, value: draft[name], hint }, (typed) => changeDraft(app, { [name]: typed }))}
        ${outcome(draft, draft[name])}
        ${faultAt(name)}`,
    )}
    ${draft.stopPrice === "" ? nothing : html`<p class="note">Each closes at market, at worst 10 % beyond its trigger. Where nothing is held here, the entry leaves only once the exchange has taken the stop.</p>`}`;
}

function outcome({ side, size, price }: OrderDraft, trigger: string): TemplateResult | typeof nothing {
  const sum = outcomeOfEntry(side, size, price, trigger);
  if (sum === null) return nothing;
  return html`<p class="note">At the trigger <span class=${tone(sum)}>${signedMoney(sum)}</span> before fees.</p>`;
}
