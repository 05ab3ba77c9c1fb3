import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../state/app.ts";
import { begin } from "../state/order-draft.ts";
import { book } from "./book.ts";
import { candleChart } from "./candle-chart.ts";
import { leverageForm } from "./leverage-form.ts";
import { openOrders } from "./open-orders.ts";
import { openTrades } from "./open-trades.ts";
import { orderForm } from "./order-form.ts";
import { mayWrite, positions } from "./positions.ts";
import { unknownOrders } from "./unknown-orders.ts";

export function tradeScreen(app: App): TemplateResult {
  return html`
    <div class="columns">
      <div>${unknownOrders(app)}${candleChart(app)}${sides(app)}${positions(app)}${openTrades(app)}${openOrders(app)}</div>
      <div class="side">${orderForm(app)}${book(app)}${leverageForm(app)}</div>
    </div>`;
}

/** On a phone the form is below everything that is watched: one touch leads there. */
function sides(app: App): TemplateResult | typeof nothing {
  if (!mayWrite(app)) return nothing;
  return html`<div class="phone-only sides-bar">${(["buy", "sell"] as const).map(
    (side) =>
      html`<button type="button" class="primary ${side}" @click=${() => begin(app, side)}>${side === "buy" ? "Buy" : "Sell"}…</button>`,
  )}</div>`;
}
