/** Cancel everything: asked once, with what it leaves and what it does not reach. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { dialog } from "../parts/dialog.ts";
import { choice, isChecked } from "../parts/fields.ts";
import { warning } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { cancelAllNow, closeCancelAll } from "../state/cancel-all.ts";
import type { CancelAllForm } from "../state/forms.ts";

export function cancelAllDialog(app: App): TemplateResult {
  const { cancelAll } = app.state.forms;
  return dialog("Cancel all orders", cancelAll === null ? null : content(app, cancelAll), () => closeCancelAll(app));
}

const TOUCHES: readonly (readonly [CancelAllForm["touches"], string])[] = [
  ["all", "of the account, wherever placed"],
  ["own", "that this page's key, or its bot, has placed"],
];

function content(app: App, own: CancelAllForm): TemplateResult {
  function edit(change: Partial<CancelAllForm>): void {
    Object.assign(own, change, { failure: null });
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void cancelAllNow(app, own);
  }
  const markets = [...new Set((app.state.openOrders.value ?? []).map(({ market }) => market))].sort();
  const options = [["", "every market"], ...markets.map((market) => [market, market] as const)] as const;
  return html`
    <form class="order" @submit=${submit}>
      ${choice({ words: "In", name: "cancelMarket", value: own.market, options }, (market) => edit({ market }))}
      ${choice({ words: "Orders", name: "cancelTouches", value: own.touches, options: TOUCHES }, (touches) => edit({ touches }))}
      <label class="check"><input type="checkbox" name="cancelKeeps" .checked=${live(own.keepsProtection)} @change=${(event: Event) => edit({ keepsProtection: isChecked(event) })} />
        Keep what protects: orders that can only reduce stay</label>
      ${warning(own.keepsProtection ? null : "Stop losses go as well: what they protect is open without them.")}
      <p class="note">Those of this moment. What was sent without a known outcome is burnt, so that it can never rest. TWAPs go on.</p>
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary danger" ?disabled=${own.isBusy}>${own.isBusy ? "Canceling…" : "Cancel them all"}</button>
        <button type="button" @click=${() => closeCancelAll(app)}>Leave them</button>
      </div>
    </form>`;
}
