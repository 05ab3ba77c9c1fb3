/** Orders of which nobody knows yet what became of them: how long, and what is being done about it. */

import { nothing } from "lit-html";
import type { ApiOrder } from "../api/resources.ts";
import { ageOf, figure } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { side } from "../parts/badges.ts";
import { section } from "../parts/section.ts";
import { table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { storyLink } from "./one-order.ts";

export function unknownOrders(app: App): unknown {
  const rows = (app.state.history.value ?? []).filter(({ status }) => status === "unknown" || status === "processing");
  if (rows.length === 0) return nothing;
  return section(
    "Unknown orders",
    table<ApiOrder>({
      caption: "Unknown orders",
      columns: [
        { name: "For", isFigure: true, cell: ({ created_at }) => ageOf(created_at, app.state.nowMs) },
        { name: "Market", cell: ({ market }) => shownMarket(app.state.markets.value, market) },
        { name: "Side", cell: (row) => side(row.side) },
        { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
        { name: "Price", isFigure: true, cell: ({ price }) => figure(price) },
        { name: "Why", rank: 2, cell: ({ error }) => error ?? "being sent" },
        { name: "", cell: (row) => storyLink(app, row) },
      ],
      rows,
      id: ({ id }) => id,
      empty: "",
    }),
    "sent; the gateway is finding out. Do not place them again.",
  );
}
