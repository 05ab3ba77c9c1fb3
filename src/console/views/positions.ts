import { html, type TemplateResult } from "lit-html";
import type { Position } from "../api/resources.ts";
import { cutToFigures, subtract } from "../figures/decimal.ts";
import { isNear, liquidationPercent } from "../figures/exposure.ts";
import { figure, money, NOTHING, signedMoney, tone } from "../figures/format.ts";
import { side } from "../parts/badges.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";

/** Significant figures, and decimals, of a price that nobody has set. */
const SHOWN_FIGURES = 6;

const COLUMNS: readonly Column<Position>[] = [
  { name: "Market", cell: ({ market }) => market },
  { name: "Side", cell: (row) => side(row.side) },
  { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
  { name: "Entry", isFigure: true, rank: 2, cell: ({ entry_price }) => figure(entry_price) },
  { name: "Mark", isFigure: true, cell: ({ mark_price }) => figure(mark_price) },
  { name: "Value", isFigure: true, rank: 2, cell: ({ position_value }) => money(position_value) },
  { name: "PnL", isFigure: true, cell: pnl },
  { name: "Liquidation", isFigure: true, rank: 2, cell: liquidation },
  { name: "Distance", isFigure: true, cell: distance },
  { name: "Margin", isFigure: true, rank: 3, cell: ({ margin_used }) => money(margin_used) },
  { name: "Leverage", isFigure: true, rank: 3, cell: (row) => `${row.leverage}× ${row.margin_type}` },
  { name: "Funding", isFigure: true, rank: 3, cell: funding },
];

export function positions(app: App): TemplateResult {
  return section(
    "Positions",
    whenLoaded(app.state.positions, (rows) =>
      table({ caption: "Positions", columns: COLUMNS, rows, id: ({ market }) => market, empty: "No open position." }),
    ),
  );
}

function pnl({ unrealized_pnl: value }: Position): TemplateResult {
  return html`<span class=${tone(value)}>${signedMoney(value)}</span>`;
}

/** Positive was paid: it is shown as what it did to the account. */
function funding({ funding_since_open: paid }: Position): TemplateResult {
  const received = subtract("0", paid);
  return html`<span class=${tone(received)}>${signedMoney(received)}</span>`;
}

/** The exchange tells it with more digits than a price can have. */
function liquidation({ liquidation_price: price }: Position): string {
  return figure(price === null ? null : cutToFigures(price, SHOWN_FIGURES, SHOWN_FIGURES));
}

function distance(position: Position): unknown {
  const percent = liquidationPercent(position);
  if (percent === null) return NOTHING;
  const isMarked = isNear(percent);
  return html`<span class=${isMarked ? "warn" : ""}>${money(percent, 1)} %${isMarked ? html`<span class="hidden"> near</span>` : ""}</span>`;
}
