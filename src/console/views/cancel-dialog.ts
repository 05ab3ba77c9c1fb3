/** Many orders are canceled after one question, which says what of them protects. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiOrder } from "../api/resources.ts";
import { dialog } from "../parts/dialog.ts";
import { warning } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { cancelChosen, chosenOrders, closeAsking } from "../state/selection.ts";
import { cancelOrder, orderWords } from "./one-order.ts";

/** Named in the question; how many there are is said whole. */
const NAMED = 8;

export function cancelDialog(app: App): TemplateResult {
  const { isAsking } = app.state.forms.selection;
  return dialog("Cancel orders", isAsking ? content(app) : null, () => closeAsking(app));
}

function content(app: App): TemplateResult {
  const { selection } = app.state.forms;
  const orders = chosenOrders(app.state);
  function submit(event: Event): void {
    event.preventDefault();
    void cancelChosen(app, cancelOrder);
  }
  const rest = orders.length - NAMED;
  return html`
    <form class="order" @submit=${submit}>
      <p class="words">${orders.length === 1 ? "This order" : `These ${orders.length} orders`}:</p>
      <ul class="matters">${orders.slice(0, NAMED).map((order) => html`<li>${orderWords(app, order)}</li>`)}${rest > 0 ? html`<li>and ${rest} more</li>` : nothing}</ul>
      ${warning(protectionWords(orders))}
      ${selection.failures.map((words) => html`<p class="late" role="alert">${words}</p>`)}
      <div class="buttons">
        <button class="primary danger" ?disabled=${selection.isBusy || orders.length === 0}>${selection.isBusy ? "Canceling…" : `Cancel ${orders.length}`}</button>
        <button type="button" @click=${() => closeAsking(app)}>Leave them</button>
      </div>
    </form>`;
}

function protectionWords(orders: readonly ApiOrder[]): string | null {
  const stops = orders.filter(
    ({ trigger, reduce_only: isReduceOnly }) => trigger?.kind === "stop_loss" && isReduceOnly,
  );
  if (stops.length === 0) return null;
  return `${stops.length === 1 ? "One of them is a stop loss" : `${stops.length} of them are stop losses`}: what they protect is open without them.`;
}
