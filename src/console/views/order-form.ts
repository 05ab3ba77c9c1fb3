/** The order form. What it sends is exactly what it shows: nothing is rounded or filled in behind the person's back. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { member } from "../api/request.ts";
import type { Market } from "../api/resources.ts";
import { multiply, SENT_DECIMAL } from "../figures/decimal.ts";
import { figure, money } from "../figures/format.ts";
import { metWords } from "../figures/met-trigger.ts";
import { moneyWords } from "../parts/badges.ts";
import { choice, decimalField, isChecked, typed } from "../parts/fields.ts";
import { section, warning } from "../parts/section.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import { keepDraft, type OrderDraft, type OrderForm } from "../state/forms.ts";
import { notify } from "../state/notices.ts";

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
  function change(change: Partial<OrderDraft>): void {
    Object.assign(draft, change);
    own.isTouched = true;
    keepDraft(app.sessionStorage, draft);
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void place(app, own);
  }
  const fault = faultOf(draft);
  const market = app.state.markets.value?.find(({ market }) => market === draft.market) ?? null;
  return html`
    <form class="order" @submit=${submit} aria-label="New order" autocomplete="off">
      ${marketField(app, draft, change)}
      <fieldset class="sides">
        <legend class="hidden">Side</legend>
        ${(["buy", "sell"] as const).map(
          (side) =>
            html`<label class=${side}><input type="radio" name="side" value=${side} .checked=${live(draft.side === side)} @change=${() => change({ side })} /> ${side === "buy" ? "Buy" : "Sell"}</label>`,
        )}
      </fieldset>
      ${decimalField({ words: "Size", name: "size", value: draft.size, hint: sizeHint(market) }, (size) => change({ size }))}
      ${decimalField({ words: "Price", name: "price", value: draft.price, hint: priceHint(app, market) }, (price) => change({ price }))}
      ${choice({ words: "Time in force", name: "tif", value: draft.timeInForce, options: TIMES_IN_FORCE }, (timeInForce) => change({ timeInForce }))}
      ${choice({ words: "Trigger", name: "trigger", value: draft.trigger, options: TRIGGERS }, (trigger) => change({ trigger }))}
      ${draft.trigger === "none" ? nothing : triggerFields(draft, change)}
      <label class="check"><input type="checkbox" name="reduce" .checked=${live(draft.isReduceOnly)} @change=${(event: Event) => change({ isReduceOnly: isChecked(event) })} /> Reduce only</label>
      ${warning(warningOf(app, draft, market))}
      <p class="words" aria-live="polite">${summary(draft)}</p>
      <button class="primary ${draft.side}" ?disabled=${fault !== null || own.isBusy}>${own.isBusy ? "Sending…" : buttonWords(draft)}</button>
      ${own.isTouched && fault !== null ? html`<p class="note">${fault}</p>` : nothing}
    </form>`;
}

type Change = (change: Partial<OrderDraft>) => void;

function marketField(app: App, draft: OrderDraft, change: Change): TemplateResult {
  const names = app.state.markets.value?.map(({ market }) => market) ?? [];
  return html`
    <label>Market
      <input name="market" list="markets" required spellcheck="false" .value=${live(draft.market)} @input=${(event: Event) => change({ market: typed(event) })} />
    </label>
    <datalist id="markets">${names.map((name) => html`<option value=${name}></option>`)}</datalist>`;
}

function triggerFields(draft: OrderDraft, change: Change): TemplateResult {
  return html`
    ${decimalField({ words: "Trigger price", name: "triggerPrice", value: draft.triggerPrice, hint: "mark" }, (triggerPrice) => change({ triggerPrice }))}
    <label class="check"><input type="checkbox" name="triggerMarket" .checked=${live(draft.isTriggerMarket)} @change=${(event: Event) => change({ isTriggerMarket: isChecked(event) })} /> At market once triggered; the price above is then the worst</label>`;
}

function warningOf(app: App, { side, trigger, triggerPrice }: OrderDraft, market: Market | null): string | null {
  if (trigger === "none" || market === null) return null;
  if (market.kind === "spot") return "The exchange takes no triggers on spot: it will be rejected.";
  return metWords({ side, kind: trigger, price: triggerPrice }, app.state.prices.value?.get(market.market));
}

function sizeHint(market: Market | null): string {
  return market === null ? "" : `${market.size_decimals} decimals`;
}

function priceHint(app: App, market: Market | null): string {
  if (market === null) return "";
  const price = app.state.prices.value?.get(market.market);
  return price === undefined ? "" : `now ${figure(price)}`;
}

/** Why it cannot be sent as it stands; the market's own rules are the gateway's to tell. */
function faultOf(draft: OrderDraft): string | null {
  if (draft.market === "") return "Name a market.";
  if (!SENT_DECIMAL.test(draft.size)) return "Size is a plain decimal such as 0.25.";
  if (!SENT_DECIMAL.test(draft.price)) return "Price is a plain decimal such as 64250.5.";
  if (draft.trigger === "none") return null;
  if (!SENT_DECIMAL.test(draft.triggerPrice)) return "Trigger price is a plain decimal.";
  return draft.timeInForce === "alo" ? "A trigger order cannot be post-only." : null;
}

function summary(draft: OrderDraft): string {
  if (!SENT_DECIMAL.test(draft.size) || !SENT_DECIMAL.test(draft.price)) return " ";
  return `${figure(draft.size)} × ${figure(draft.price)} = ${money(multiply(draft.size, draft.price))}`;
}

function buttonWords({ side, size, market }: OrderDraft): string {
  return `${side === "buy" ? "Buy" : "Sell"} ${SENT_DECIMAL.test(size) ? size : ""} ${market}`;
}

function bodyOf(account: string, draft: OrderDraft): Record<string, unknown> {
  const { market, side, size, price } = draft;
  const trigger = { price: draft.triggerPrice, kind: draft.trigger, market: draft.isTriggerMarket };
  return {
    account,
    market,
    side,
    size,
    price,
    time_in_force: draft.timeInForce,
    reduce_only: draft.isReduceOnly,
    ...(draft.trigger === "none" ? {} : { trigger }),
  };
}

async function place(app: App, own: OrderForm): Promise<void> {
  const { session } = app.state;
  if (session === null || own.isBusy || faultOf(own.draft) !== null) return;
  const { draft } = own;
  const body = bodyOf(session.me.account, draft);
  if (app.state.intentions.some((intention) => intention.body === JSON.stringify(body))) {
    notify(
      app,
      "bad",
      "The same order is still without an answer: ask for it again, or put it aside, before a second one.",
    );
    return;
  }
  own.isBusy = true;
  app.changed();
  const words = `${draft.side} ${draft.size} ${draft.market} at ${draft.price}`;
  const outcome = await act(app, { path: "/v1/orders", body, words });
  own.isBusy = false;
  // An emptied size: pressing the button once more does nothing.
  if (outcome?.kind === "done" && member(outcome.body, "status") !== "rejected") {
    draft.size = "";
    own.isTouched = false;
    keepDraft(app.sessionStorage, draft);
  }
  app.changed();
}
