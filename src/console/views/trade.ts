import { html, type TemplateResult } from "lit-html";
import type { App } from "../state/app.ts";
import { book } from "./book.ts";
import { candleChart } from "./candle-chart.ts";
import { leverageForm } from "./leverage-form.ts";
import { openOrders } from "./open-orders.ts";
import { orderForm } from "./order-form.ts";
import { positions } from "./positions.ts";
import { unknownOrders } from "./unknown-orders.ts";

export function tradeScreen(app: App): TemplateResult {
  return html`
    <div class="columns">
      <div>${unknownOrders(app)}${candleChart(app)}${positions(app)}${openOrders(app)}</div>
      <div class="side">${orderForm(app)}${book(app)}${leverageForm(app)}</div>
    </div>`;
}
