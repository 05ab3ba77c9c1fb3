import { html, type TemplateResult } from "lit-html";
import type { Order } from "../api/resources.ts";
import { figure, time } from "../figures/format.ts";
import { side, state } from "../parts/badges.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { openModify } from "./modify-order.ts";
import { cancelOrder, orderWords, storyLink, termsOf, triggerOf } from "./one-order.ts";

export function openOrders(app: App): TemplateResult {
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
    "all of the account, wherever they were placed",
  );
}

function columnsOf(app: App): readonly Column<Order>[] {
  const mayWrite = app.state.session?.me.scopes.includes("trading:write") === true;
  return [
    { name: "Taken", rank: 3, cell: ({ created_at }) => time(created_at, app.state.nowMs) },
    { name: "Market", cell: ({ market }) => market },
    { name: "Side", cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Filled", isFigure: true, rank: 2, cell: ({ filled_size }) => figure(filled_size) },
    { name: "Price", isFigure: true, cell: ({ price }) => figure(price) },
    { name: "Trigger", isFigure: true, rank: 2, cell: triggerOf },
    { name: "Terms", rank: 3, cell: termsOf },
    { name: "Status", rank: 2, cell: ({ status }) => state(status) },
    { name: "", cell: (row) => (mayWrite ? actions(app, row) : storyLink(row)) },
  ];
}

function actions(app: App, order: Order): TemplateResult {
  const isRunning = app.state.intentions.some(({ path }) => path === `/v1/orders/${order.id}/cancel`);
  const words = orderWords(order);
  return html`<span class="actions">
    ${storyLink(order)}
    <button type="button" aria-label=${`Modify ${words}`} @click=${() => openModify(app, order)}>Modify</button>
    <button type="button" aria-label=${`Cancel ${words}`} ?disabled=${isRunning} @click=${() => void cancelOrder(app, order)}>Cancel</button>
  </span>`;
}
