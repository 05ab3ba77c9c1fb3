/** The book of the market in the order form, with one's own orders marked; a price that is clicked is filled in. */

import { html, nothing, type TemplateResult } from "lit-html";
import { figure } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { type OwnLevel, withOwn } from "../figures/order-sums.ts";
import { section } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import type { WatchedMarket } from "../state/market-live.ts";
import { changeDraft } from "../state/order-draft.ts";

/** Of each side. */
const LEVELS = 8;

export function book(app: App): TemplateResult | typeof nothing {
  const { watched } = app.state;
  if (watched === null) return nothing;
  const note = watched.stale.has("book")
    ? html`<span class="warn">not of now</span>`
    : shownMarket(app.state.markets.value, watched.market);
  return section("Book", watched.book === null ? waiting(watched) : levels(app, watched.book), note);
}

function waiting({ failure }: WatchedMarket): TemplateResult {
  return html`<p class="empty">${failure === null ? "Reading…" : `Not known: ${failure}`}</p>`;
}

function levels(app: App, { bids, asks }: NonNullable<WatchedMarket["book"]>): TemplateResult {
  const { openOrders, watched } = app.state;
  const orders = (openOrders.value ?? []).filter(({ market }) => market === watched?.market);
  const above = withOwn(asks.slice(0, LEVELS), "sell", orders).reverse();
  const below = withOwn(bids.slice(0, LEVELS), "buy", orders);
  return html`
    <table class="book">
      <caption class="hidden">Book: asks above, bids below</caption>
      <thead><tr><th scope="col" class="figure">Price</th><th scope="col" class="figure">Size</th><th scope="col" class="figure">Yours</th></tr></thead>
      <tbody>${above.map((level) => line(app, level, "sell"))}</tbody>
      <tbody class="bids">${below.map((level) => line(app, level, "buy"))}</tbody>
    </table>`;
}

function line(app: App, { price, size, own }: OwnLevel, side: "buy" | "sell"): TemplateResult {
  return html`<tr>
    <td class="figure"><button type="button" class="quiet ${side}" title="Fill in this price" @click=${() => changeDraft(app, { price, kind: "limit" })}>${figure(price)}</button></td>
    <td class="figure">${figure(size)}</td>
    <td class="figure">${own === null ? "" : html`<strong>${figure(own)}</strong>`}</td>
  </tr>`;
}
