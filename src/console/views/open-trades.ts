/** Entries with what protects them, while something of them is held or out. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiTrade } from "../api/resources.ts";
import { ageOf, figure, NOTHING, time } from "../figures/format.ts";
import { side, state } from "../parts/badges.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField } from "../parts/fields.ts";
import { section } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import type { App } from "../state/app.ts";
import type { TradeForm } from "../state/forms.ts";
import { standingTrade } from "../state/standing.ts";
import { cancelEntry, closeTradeForm, moveProtection, openTradeForm } from "../state/trades.ts";
import { mayWrite } from "./positions.ts";

/** Nothing where there is none: most accounts have positions and orders alone. */
export function openTrades(app: App): TemplateResult | typeof nothing {
  const rows = app.state.trades.value ?? [];
  if (rows.length === 0) return nothing;
  const content = table({ caption: "Trades", columns: columnsOf(app), rows, id: ({ id }) => id, empty: "" });
  return section("Trades", content, "entries with their stop");
}

function columnsOf(app: App): readonly Column<ApiTrade>[] {
  const { nowMs } = app.state;
  return [
    { name: "Taken", rank: 3, cell: ({ created_at: at }) => time(at, nowMs) },
    { name: "Market", cell: ({ market }) => market },
    { name: "Side", cell: (row) => side(row.side) },
    { name: "Size", isFigure: true, rank: 2, cell: ({ size }) => figure(size) },
    { name: "Entry", isFigure: true, rank: 2, cell: entryCell },
    { name: "Held", isFigure: true, cell: ({ held_size: held }) => figure(held) },
    { name: "Stop", isFigure: true, cell: ({ stop_loss: { trigger_price: at } }) => figure(at) },
    { name: "Profit", isFigure: true, rank: 2, cell: ({ take_profit: profit }) => figure(profit?.trigger_price) },
    { name: "Status", rank: 2, cell: ({ status }) => state(status) },
    { name: "Protected", rank: 2, cell: (row) => protection(row, nowMs) },
    { name: "", cell: (row) => (mayWrite(app) ? actions(app, row) : nothing) },
  ];
}

function entryCell({ entry: { price, order } }: ApiTrade): TemplateResult | string {
  return order === null ? figure(price) : html`<a class="plain" href=${`#/story/${order}`}>${figure(price)}</a>`;
}

function protection(trade: ApiTrade, nowMs: number): TemplateResult | string {
  if (trade.protected) return trade.held_size === "0" ? NOTHING : "whole";
  const since = trade.unprotected_since;
  const words = `not for ${since === null ? "?" : ageOf(since, nowMs)}`;
  return html`<span class="warn" title=${trade.unprotected_because ?? ""}>${words}</span>`;
}

function actions(app: App, trade: ApiTrade): TemplateResult {
  const isEntering = trade.status === "arming" || trade.status === "entering";
  return html`<span class="actions">
    <button type="button" aria-label=${`Move the stop of ${trade.market}`} @click=${() => openTradeForm(app, trade)}>Move</button>
    ${isEntering ? html`<button type="button" aria-label=${`Enter no more of ${trade.market}`} @click=${() => void cancelEntry(app, trade)}>Cancel entry</button>` : nothing}
  </span>`;
}

export function tradeDialog(app: App): TemplateResult {
  const { trade } = app.state.forms;
  return dialog("Move stop and profit", trade === null ? null : content(app, trade), () => closeTradeForm(app));
}

function content(app: App, own: TradeForm): TemplateResult {
  const { now: trade, changed } = standingTrade(app.state, own.trade);
  function edit(change: Partial<TradeForm>): void {
    Object.assign(own, change, { failure: null });
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void moveProtection(app, own);
  }
  return html`
    <form class="order" @submit=${submit} autocomplete="off">
      <p class="words">${trade.side} ${figure(trade.size)} ${trade.market} at ${figure(trade.entry.price)}, held ${figure(trade.held_size)}</p>
      ${decimalField({ words: "Stop loss, trigger price", name: "tradeStop", value: own.stopPrice, hint: "mark" }, (stopPrice) => edit({ stopPrice }))}
      ${decimalField({ words: "Take profit, trigger price", name: "tradeProfit", value: own.profitPrice, hint: trade.take_profit === null ? "none so far" : "mark" }, (profitPrice) => edit({ profitPrice }))}
      <p class="note">The new order is placed first; the old one goes once the exchange has taken it. At market, at worst 10 % beyond its trigger.</p>
      ${withdrawn(own.isBusy ? null : changed, null)}
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary" ?disabled=${own.isBusy || changed !== null}>${own.isBusy ? "Sending…" : "Move"}</button>
        <button type="button" @click=${() => closeTradeForm(app)}>Leave it</button>
      </div>
    </form>`;
}
