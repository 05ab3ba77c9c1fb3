import { html, type TemplateResult } from "lit-html";
import type { Order } from "../api/resources.ts";
import { figure, time } from "../figures/format.ts";
import { side, state } from "../parts/badges.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { kindOf, priceCell, storyLink, termsOf } from "./one-order.ts";
import { unknownOrders } from "./unknown-orders.ts";

function columnsOf(app: App): readonly Column<Order>[] {
  return [
    { name: "Taken", cell: ({ created_at }) => time(created_at, app.state.nowMs) },
    { name: "Market", cell: ({ market }) => market },
    { name: "Kind", rank: 2, cell: kindOf },
    { name: "Side", cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Price", isFigure: true, cell: priceCell },
    { name: "Filled", isFigure: true, rank: 2, cell: ({ filled_size }) => figure(filled_size) },
    { name: "Average", isFigure: true, rank: 2, cell: ({ average_price }) => figure(average_price) },
    { name: "Terms", rank: 3, cell: termsOf },
    { name: "Status", cell: ({ status }) => state(status) },
    {
      name: "Reason",
      rank: 2,
      cell: ({ error }) => html`<span class="reason" title=${error ?? ""}>${error ?? ""}</span>`,
    },
    { name: "", cell: storyLink },
  ];
}

export function historyScreen(app: App): TemplateResult {
  return html`
    ${unknownOrders(app)}
    ${section(
      "Order history",
      whenLoaded(app.state.history, (rows) =>
        table({
          caption: "Order history",
          columns: columnsOf(app),
          rows,
          id: ({ id }) => id,
          empty: "No order was placed here yet.",
        }),
      ),
      "placed through this gateway, newest first",
    )}`;
}
