import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiPosition } from "../api/resources.ts";
import { cutToFigures, subtract } from "../figures/decimal.ts";
import { isNear, liquidationPercent } from "../figures/exposure.ts";
import { figure, money, NOTHING, signedMoney, tone } from "../figures/format.ts";
import { waitingOn } from "../figures/protection.ts";
import { side } from "../parts/badges.ts";
import { section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { openClose } from "../state/closing.ts";
import { openProtect } from "../state/protecting.ts";

/** Significant figures, and decimals, of a price that nobody has set. */
const SHOWN_FIGURES = 6;

function columnsOf(app: App): readonly Column<ApiPosition>[] {
  return [
    { name: "Market", cell: ({ market }) => market },
    { name: "Side", cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
    { name: "Entry", isFigure: true, rank: 2, cell: ({ entry_price }) => figure(entry_price) },
    { name: "Mark", isFigure: true, rank: 2, cell: ({ mark_price }) => figure(mark_price) },
    { name: "Value", isFigure: true, rank: 2, cell: ({ position_value }) => money(position_value) },
    { name: "PnL", isFigure: true, cell: pnl },
    { name: "Liquidation", isFigure: true, rank: 2, cell: liquidation },
    { name: "Distance", isFigure: true, cell: distance },
    { name: "Margin", isFigure: true, rank: 3, cell: ({ margin_used }) => money(margin_used) },
    { name: "Leverage", isFigure: true, rank: 3, cell: (row) => `${row.leverage}× ${row.margin_type}` },
    { name: "Funding", isFigure: true, rank: 3, cell: funding },
    { name: "Stop", isFigure: true, rank: 2, cell: (row) => stopOf(app, row) },
    { name: "", cell: (row) => (mayWrite(app) ? actions(app, row) : nothing) },
  ];
}

export function positions(app: App): TemplateResult {
  return section(
    "Positions",
    whenLoaded(app.state.positions, (rows) =>
      table({
        caption: "Positions",
        columns: columnsOf(app),
        rows,
        id: ({ market }) => market,
        empty: "No open position.",
      }),
    ),
  );
}

export function mayWrite({ state: { session } }: App): boolean {
  return session?.me.scopes.includes("trading:write") === true;
}

/** The stop loss that fires first, and how much of the position it and the others close. */
function stopOf({ state: { openOrders } }: App, position: ApiPosition): TemplateResult | string {
  if (openOrders.value === null) return NOTHING;
  const stop = waitingOn(position, openOrders.value, "stop_loss");
  if (stop === null) return html`<span class="note">none</span>`;
  if (stop.coversAll) return figure(stop.price);
  return html`${figure(stop.price)} <span class="warn">for ${figure(stop.size)}</span>`;
}

function actions(app: App, position: ApiPosition): TemplateResult {
  return html`<span class="actions">
    <button type="button" aria-label=${`Close ${position.market}`} @click=${() => openClose(app, position)}>Close</button>
    <button type="button" aria-label=${`TP/SL of ${position.market}`} title="Stop loss and take profit" @click=${() => openProtect(app, position)}>TP/SL</button>
  </span>`;
}

function pnl({ unrealized_pnl: value }: ApiPosition): TemplateResult {
  return html`<span class=${tone(value)}>${signedMoney(value)}</span>`;
}

/** Positive was paid: it is shown as what it did to the account. */
function funding({ funding_since_open: paid }: ApiPosition): TemplateResult {
  const received = subtract("0", paid);
  return html`<span class=${tone(received)}>${signedMoney(received)}</span>`;
}

/** The exchange tells it with more digits than a price can have. */
function liquidation({ liquidation_price: price }: ApiPosition): string {
  return figure(price === null ? null : cutToFigures(price, SHOWN_FIGURES, SHOWN_FIGURES));
}

function distance(position: ApiPosition): unknown {
  const percent = liquidationPercent(position);
  if (percent === null) return NOTHING;
  const isMarked = isNear(percent);
  return html`<span class=${isMarked ? "warn" : ""}>${money(percent, 1)} %${isMarked ? html`<span class="hidden"> near</span>` : ""}</span>`;
}
