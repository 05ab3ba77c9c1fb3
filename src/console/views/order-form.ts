/** The order form. What it sends is exactly what it shows: nothing is rounded or filled in behind the person's back. */

import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { shownMarkets } from "../figures/market-name.ts";
import { moneyWords } from "../parts/badges.ts";
import { choice, decimalField, isChecked, typed } from "../parts/fields.ts";
import { section } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import type { OrderDraft, OrderForm } from "../state/forms.ts";
import { changeDraft, draftFault, type Fault, listedMarket, mayProtect, placeDraft } from "../state/order-draft.ts";
import { entryProtection } from "./entry-protection.ts";
import { consequences, priceHints, shares, sizeHint, worstWords } from "./order-consequences.ts";

const TIMES_IN_FORCE: readonly (readonly [OrderDraft["timeInForce"], string])[] = [
  ["gtc", "until canceled (gtc)"],
  ["alo", "post-only (alo)"],
  ["ioc", "immediate or cancel (ioc)"],
];

const TRIGGERS: readonly (readonly [OrderDraft["trigger"], string])[] = [
  ["none", "none"],
  ["stop_loss", "stop loss"],
  ["take_profit", "take profit"],
];

export function orderForm(app: App): TemplateResult {
  const { session } = app.state;
  if (session === null) return html``;
  if (!session.me.scopes.includes("trading:write")) {
    return section(
      "New order",
      html`<p class="empty">This key may read only. Sign in with one that has trading:write.</p>`,
    );
  }
  return section("New order", formOfDraft(app, app.state.forms.order), moneyWords(session.me.network));
}

function formOfDraft(app: App, own: OrderForm): TemplateResult {
  const { draft } = own;
  function submit(event: Event): void {
    event.preventDefault();
    void placeDraft(app, own);
  }
  const fault = draftFault(draft, listedMarket(app));
  return html`
    <form class="order" @submit=${submit} aria-label="New order" autocomplete="off">
      ${marketField(app, draft)}
      <fieldset class="sides">
        <legend class="hidden">Side</legend>
        ${(["buy", "sell"] as const).map(
          (side) =>
            html`<label class=${side}><input type="radio" name="side" value=${side} .checked=${live(draft.side === side)} @change=${() => changeDraft(app, { side })} /> ${side === "buy" ? "Buy" : "Sell"}</label>`,
        )}
      </fieldset>
      <fieldset class="sides">
        <legend class="hidden">Kind</legend>
        ${(["limit", "market"] as const).map(
          (kind) =>
            html`<label><input type="radio" name="kind" value=${kind} .checked=${live(draft.kind === kind)} @change=${() => changeDraft(app, { kind })} /> ${kind === "limit" ? "Limit" : "At market"}</label>`,
        )}
      </fieldset>
      ${decimalField({ words: "Size", name: "size", value: draft.size, hint: sizeHint(app) }, (size) => changeDraft(app, { size }))}
      ${shares(app, draft)}
      ${faultAt("size", own, fault)}
      ${draft.kind === "market" ? atMarket(app, own, fault) : atLimit(app, own, fault)}
      <label class="check"><input type="checkbox" name="reduce" .checked=${live(draft.isReduceOnly)} @change=${(event: Event) => changeDraft(app, { isReduceOnly: isChecked(event) })} /> Reduce only</label>
      ${consequences(app, draft)}
      <button class="primary ${draft.side}" ?disabled=${fault !== null || own.isBusy}>${own.isBusy ? "Sending…" : buttonWords(draft)}</button>
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
    </form>`;
}

/** Said at the field that it is about, once something was typed there. */
function faultAt(field: Fault["field"], { draft, isTouched }: OrderForm, fault: Fault | null): unknown {
  const isEmpty = field !== "market" && field !== "tif" && draft[field] === "";
  return isTouched && fault?.field === field && !isEmpty ? html`<p class="note warn">${fault.words}</p>` : nothing;
}

function marketField(app: App, draft: OrderDraft): TemplateResult {
  const listed = app.state.markets.value;
  const names = listed === null ? [] : shownMarkets(listed);
  return html`
    <label>Market
      <input name="market" list="markets" required spellcheck="false" .value=${live(draft.market)} @input=${(event: Event) => changeDraft(app, { market: typed(event) })} />
    </label>
    <datalist id="markets">${names.map((name) => html`<option value=${name}></option>`)}</datalist>`;
}

function atMarket(app: App, own: OrderForm, fault: Fault | null): TemplateResult {
  const { draft } = own;
  return html`
    ${decimalField({ words: "Slippage", name: "slippage", value: draft.slippageBps, hint: "bps from the best price" }, (slippageBps) => changeDraft(app, { slippageBps }))}
    ${faultAt("slippageBps", own, fault)}
    ${worstWords(app, draft)}`;
}

function atLimit(app: App, own: OrderForm, fault: Fault | null): TemplateResult {
  const { draft } = own;
  return html`
    ${decimalField({ words: "Price", name: "price", value: draft.price, hint: "" }, (price) => changeDraft(app, { price }))}
    ${priceHints(app)}
    ${faultAt("price", own, fault)}
    ${choice({ words: "Time in force", name: "tif", value: draft.timeInForce, options: TIMES_IN_FORCE }, (timeInForce) => changeDraft(app, { timeInForce }))}
    ${choice({ words: "Trigger", name: "trigger", value: draft.trigger, options: TRIGGERS }, (trigger) => changeDraft(app, { trigger }))}
    ${draft.trigger === "none" ? nothing : triggerFields(app, draft)}
    ${mayProtect(draft, listedMarket(app)) ? entryProtection(app, draft, (field) => faultAt(field, own, fault)) : nothing}
    ${faultAt("triggerPrice", own, fault)}${faultAt("tif", own, fault)}`;
}

function triggerFields(app: App, draft: OrderDraft): TemplateResult {
  return html`
    ${decimalField({ words: "Trigger price", name: "triggerPrice", value: draft.triggerPrice, hint: "mark" }, (triggerPrice) => changeDraft(app, { triggerPrice }))}
    <label class="check"><input type="checkbox" name="triggerMarket" .checked=${live(draft.isTriggerMarket)} @change=${(event: Event) => changeDraft(app, { isTriggerMarket: isChecked(event) })} /> At market once triggered; the price above is then the worst</label>`;
}

function buttonWords({ side, size, market, kind }: OrderDraft): string {
  const what = `${side === "buy" ? "Buy" : "Sell"} ${/^\d+(\.\d+)?$/.test(size) ? size : ""} ${market}`;
  return kind === "market" ? `${what} at market` : what;
}
