/** One order in words, and what can be done about it from anywhere. */
import { html, type TemplateResult } from "lit-html";
import type { Order } from "../api/resources.ts";
import { figure, NOTHING } from "../figures/format.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";

export function triggerOf({ trigger }: Order): string {
  if (trigger === undefined) return NOTHING;
  return `${trigger.kind === "stop_loss" ? "stop" : "profit"} ${figure(trigger.price)}`;
}

export function termsOf({ time_in_force: tif, reduce_only: isReduceOnly }: Order): string {
  return isReduceOnly ? `${tif}, reduce only` : tif;
}

export function orderWords({ side, size, market, price }: Order): string {
  return `${side} ${size} ${market} at ${price}`;
}

export function storyLink(order: Order): TemplateResult {
  return html`<a href=${`#/story/${order.id}`} aria-label=${`Explain ${orderWords(order)}`}>Explain</a>`;
}

export async function cancelOrder(app: App, order: Order): Promise<void> {
  await act(app, { path: `/v1/orders/${order.id}/cancel`, body: {}, words: `cancel ${orderWords(order)}` });
}
