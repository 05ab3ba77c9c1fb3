import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { member } from "../api/request.ts";
import type { ApiOrder } from "../api/resources.ts";
import { figure } from "../figures/format.ts";
import { metWords } from "../figures/met-trigger.ts";
import { movedTo } from "../figures/moved-order.ts";
import { farWords, isPrice, meets } from "../figures/order-sums.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField, isChecked } from "../parts/fields.ts";
import { warning } from "../parts/section.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import type { Modification } from "../state/forms.ts";
import { standingOrder } from "../state/standing.ts";
import { orderWords } from "./one-order.ts";

export function openModify(app: App, order: ApiOrder): void {
  const { price, trigger } = order;
  const triggerPrice = trigger?.price ?? "";
  const mayPlace = trigger !== undefined;
  app.state.forms.modification = { order, price, size: "", triggerPrice, mayPlace, isBusy: false, failure: null };
  app.changed();
}

/** A line that was dragged: shown with what would follow, and sent by nobody but the person. */
export function proposeMove(app: App, order: ApiOrder, dropped: number): void {
  const market = app.state.markets.value?.find((listed) => listed.market === order.market);
  const moved = market === undefined ? null : movedTo(order, dropped.toFixed(CHART_DECIMALS), market);
  openModify(app, order);
  Object.assign(app.state.forms.modification ?? {}, moved ?? {});
}

/** Decimals of a price that a chart gives; the market takes fewer. */
const CHART_DECIMALS = 8;

function close(app: App): void {
  app.state.forms.modification = null;
  app.changed();
}

export function modifyDialog(app: App): TemplateResult {
  const { modification } = app.state.forms;
  return dialog("Modify order", modification === null ? null : content(app, modification), () => close(app));
}

function content(app: App, wanted: Modification): TemplateResult {
  function edit(edit: Partial<Modification>): void {
    Object.assign(wanted, edit);
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void modify(app, wanted);
  }
  const { now: order, changed } = standingOrder(app.state, wanted.order);
  return html`
    <form class="order" @submit=${submit} autocomplete="off">
      <p class="words">${orderWords(app, order)}, filled ${order.filled_size ?? "0"}</p>
      ${decimalField({ words: "New price", name: "newPrice", value: wanted.price }, (price) => edit({ price }))}
      ${decimalField({ words: "New size (empty: what is left of it)", name: "newSize", value: wanted.size }, (size) => edit({ size }))}
      ${order.trigger === undefined ? nothing : decimalField({ words: "New trigger price", name: "newTrigger", value: wanted.triggerPrice }, (triggerPrice) => edit({ triggerPrice }))}
      <label class="check"><input type="checkbox" name="alwaysPlace" .checked=${live(wanted.mayPlace)} @change=${(event: Event) => edit({ mayPlace: isChecked(event) })} />
        The replacement may execute at once, and may be placed even if the original is gone already</label>
      ${worst(wanted)}
      ${warning(warningOf(app, wanted))}
      ${wanted.mayPlace ? nothing : html`<p class="note">As it stands the replacement is post-only.</p>`}
      ${withdrawn(wanted.isBusy ? null : changed, null)}
      ${wanted.failure === null ? nothing : html`<p class="late" role="alert">${wanted.failure}</p>`}
      <div class="buttons">
        <button class="primary" ?disabled=${wanted.isBusy || changed !== null}>${wanted.isBusy ? "Sending…" : "Modify"}</button>
        <button type="button" @click=${() => close(app)}>Leave it</button>
      </div>
    </form>`;
}

/** Before it is sent: what it would execute at, at worst. */
function worst({ order: { side, trigger }, price }: Modification): TemplateResult | typeof nothing {
  if (!isPrice(price)) return nothing;
  const when = trigger === undefined ? "" : "Once triggered: ";
  return html`<p class="note">${when}${side === "buy" ? "buys" : "sells"} at <strong>${figure(price)}</strong> at worst.</p>`;
}

function warningOf(app: App, { order, triggerPrice, price, mayPlace }: Modification): string | null {
  const { market, side, trigger } = order;
  const now = app.state.prices.value?.get(market);
  if (trigger !== undefined) return metWords({ side, kind: trigger.kind, price: triggerPrice }, now);
  if (!mayPlace && meets(side, price, now))
    return "At that price it meets the market: as post-only the replacement is refused, and the original is gone all the same.";
  return farWords(side, price, now);
}

function bodyOf({ order, price, size, triggerPrice, mayPlace }: Modification): Record<string, unknown> {
  const { trigger } = order;
  const isMoved = trigger !== undefined && triggerPrice !== trigger.price;
  return {
    ...(price === order.price ? {} : { price }),
    ...(size === "" ? {} : { size }),
    ...(isMoved ? { trigger: { ...trigger, price: triggerPrice } } : {}),
    ...(mayPlace ? { always_place: true } : {}),
  };
}

async function modify(app: App, wanted: Modification): Promise<void> {
  if (wanted.isBusy || standingOrder(app.state, wanted.order).changed !== null) return;
  const { order } = wanted;
  const body = bodyOf(wanted);
  if (Object.keys(body).every((name) => name === "always_place")) {
    wanted.failure = "Nothing is changed yet.";
    app.changed();
    return;
  }
  wanted.isBusy = true;
  app.changed();
  const outcome = await act(app, {
    path: `/v1/orders/${order.id}/modify`,
    body,
    words: `modify ${orderWords(app, order)}`,
  });
  wanted.isBusy = false;
  if (outcome?.kind === "done" && member(outcome.body, "error") === null) {
    close(app);
    return;
  }
  const error = outcome?.kind === "done" ? member(outcome.body, "error") : outcome?.message;
  wanted.failure = typeof error === "string" ? error : "The answer is not known yet; see above.";
  app.changed();
}
