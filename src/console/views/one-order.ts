/** One order in words, and what can be done about it from anywhere. */
import { html, type TemplateResult } from "lit-html";
import type { ApiOrder } from "../api/resources.ts";
import { figure } from "../figures/format.ts";
import { shownMarket } from "../figures/market-name.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";

/** A stop says that it is a stop, with what it waits for. */
export function kindOf({ trigger, reduce_only: isReduceOnly }: ApiOrder): TemplateResult | string {
  if (trigger === undefined) return isReduceOnly ? "reduce" : "limit";
  const kind = trigger.kind === "stop_loss" ? "stop" : "profit";
  return html`<span class="kind">${kind} ${figure(trigger.price)}</span>`;
}

/** Of a trigger at market it is the worst price. */
export function priceCell({ price, trigger }: ApiOrder): TemplateResult | string {
  return trigger?.market === true
    ? html`<span class="note" title="Worst price once it has fired">${figure(price)}</span>`
    : figure(price);
}

export function termsOf({ time_in_force: tif, reduce_only: isReduceOnly }: ApiOrder): string {
  return isReduceOnly ? `${tif}, reduce only` : tif;
}

export function orderWords({ state: { markets } }: App, order: ApiOrder): string {
  const { side, size, price, trigger } = order;
  const market = shownMarket(markets.value, order.market);
  const waits =
    trigger === undefined ? "" : ` (${trigger.kind === "stop_loss" ? "stop" : "profit"} at ${trigger.price})`;
  return `${side} ${size} ${market} at ${price}${waits}`;
}

export function storyLink(app: App, order: ApiOrder): TemplateResult {
  return html`<a href=${`#/story/${order.id}`} aria-label=${`Explain ${orderWords(app, order)}`}>Explain</a>`;
}

export async function cancelOrder(app: App, order: ApiOrder, failed?: (words: string) => void): Promise<void> {
  const wish = { path: `/v1/orders/${order.id}/cancel`, body: {}, words: `cancel ${orderWords(app, order)}` };
  await act(app, failed === undefined ? wish : { ...wish, failed });
}
