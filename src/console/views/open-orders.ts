import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { ApiOrder } from "../api/resources.ts";
import { figure, time } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { side, state } from "../parts/badges.ts";
import { isChecked } from "../parts/fields.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { openCancelAll } from "../state/cancel-all.ts";
import { askToCancel, choose, chooseAll, chosenOrders } from "../state/selection.ts";
import { openModify } from "./modify-order.ts";
import { cancelOrder, kindOf, orderWords, priceCell, storyLink, termsOf } from "./one-order.ts";
import { mayWrite } from "./positions.ts";

export function openOrders(app: App): TemplateResult {
  const chosen = chosenOrders(app.state).length;
  return section(
    "Open orders",
    whenLoaded(app.state.openOrders, (rows) =>
      table({
        caption: "Open orders",
        columns: columnsOf(app),
        rows,
        id: ({ id }) => id,
        empty: "No open order.",
      }),
    ),
    note(app, chosen),
  );
}

function note(app: App, chosen: number): TemplateResult | string {
  const words = "all of the account, wherever they were placed";
  if (!mayWrite(app) || (app.state.openOrders.value ?? []).length === 0) return words;
  return html`<span class="actions">
    ${chosen === 0 ? html`<span class="second">${words}</span>` : html`<button type="button" @click=${() => askToCancel(app)}>Cancel ${chosen} selected…</button>`}
    <button type="button" @click=${() => openCancelAll(app)}>Cancel all…</button>
  </span>`;
}

function columnsOf(app: App): readonly Column<ApiOrder>[] {
  const isWriter = mayWrite(app);
  return [
    { name: "Chosen", head: isWriter ? chooser(app) : nothing, cell: (row) => (isWriter ? box(app, row) : nothing) },
    { name: "Taken", rank: 3, cell: ({ created_at }) => time(created_at, app.state.nowMs) },
    { name: "Market", cell: ({ market }) => shownMarket(app.state.markets.value, market) },
    { name: "Kind", cell: kindAndSide },
    { name: "Side", rank: 2, cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Filled", isFigure: true, rank: 2, cell: ({ filled_size }) => figure(filled_size) },
    { name: "Price", isFigure: true, cell: priceCell },
    { name: "Terms", rank: 3, cell: termsOf },
    { name: "Status", rank: 2, cell: ({ status }) => state(status) },
    { name: "", cell: (row) => (isWriter ? actions(app, row) : storyLink(app, row)) },
  ];
}

/** On a phone the side has no column of its own. */
function kindAndSide(order: ApiOrder): TemplateResult {
  return html`<span class="first-only">${side(order.side)} </span>${kindOf(order)}`;
}

function chooser(app: App): TemplateResult {
  const { openOrders, forms } = app.state;
  const rows = openOrders.value ?? [];
  const isAll = rows.length > 0 && rows.every(({ id }) => forms.selection.ids.has(id));
  return html`<input type="checkbox" name="chooseAll" aria-label="Choose all open orders" .checked=${live(isAll)} @change=${(event: Event) => chooseAll(app, isChecked(event))} />`;
}

function box(app: App, order: ApiOrder): TemplateResult {
  const isChosen = app.state.forms.selection.ids.has(order.id);
  return html`<input type="checkbox" aria-label=${`Choose ${orderWords(app, order)}`} .checked=${live(isChosen)} @change=${(event: Event) => choose(app, order.id, isChecked(event))} />`;
}

function actions(app: App, order: ApiOrder): TemplateResult {
  const isRunning = app.state.intentions.some(({ path }) => path === `/v1/orders/${order.id}/cancel`);
  const words = orderWords(app, order);
  return html`<span class="actions">
    <span class="second">${storyLink(app, order)}</span>
    <button type="button" aria-label=${`Modify ${words}`} @click=${() => openModify(app, order)}>Modify</button>
    <button type="button" aria-label=${`Cancel ${words}`} ?disabled=${isRunning} @click=${() => void cancelOrder(app, order)}>Cancel</button>
  </span>`;
}
