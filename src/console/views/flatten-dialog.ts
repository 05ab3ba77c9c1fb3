/** Closing what is held under a stop: asked for in a dialog of its own, because it trades. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiStop } from "../api/resources.ts";
import { figure } from "../figures/format.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField } from "../parts/fields.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import type { App } from "../state/app.ts";
import { closeFlatten, flattenNow, mayFlatten, openFlatten } from "../state/flattening.ts";
import type { FlattenForm } from "../state/forms.ts";
import { standingStop } from "../state/standing.ts";
import { coveredBy } from "../state/stopping.ts";
import { waitsFor } from "./stop-waits.ts";

/** How far it has come, and the button for it. */
export function flattening(app: App, stop: ApiStop): TemplateResult | typeof nothing {
  const { flatten } = stop;
  const isOn = flatten?.status === "flattening";
  const isFlat = flatten?.status === "flat" && (app.state.positions.value ?? []).length === 0;
  const button =
    isOn || isFlat || !mayFlatten(app, stop)
      ? nothing
      : html`<button type="button" @click=${() => openFlatten(app, stop)}>Close what is held…</button>`;
  return html`${flatten === null ? nothing : html`<p role="status">${progress(flatten)}</p>${waitsFor(flatten.waits_for, app.state.nowMs)}`}${button}`;
}

type FlattenShown = NonNullable<ApiStop["flatten"]>;

function progress({ status, left, order_ids: ids }: FlattenShown): string {
  const orders = ids.length === 1 ? "1 order" : `${ids.length} orders`;
  if (status === "flattening") return `CLOSING what is held: ${orders} so far.`;
  if (status === "flat")
    return ids.length === 0 ? "CLOSED: nothing was held." : `CLOSED by ${orders}: nothing is held any more.`;
  const rest = left.map(({ market, size, reason }) => `${figure(size)} ${market} (${WHY[reason]})`);
  return `NOT ALL CLOSED. Left: ${rest.join(", ")}.`;
}

const WHY: Record<FlattenShown["left"][number]["reason"], string> = {
  not_filled: "ten orders did not fill it",
  below_minimum: "too little for an order of the exchange",
  no_price: "no price within the bounds",
  twap_running: "a TWAP of the bot closes it, and has not been seen to end",
  unproven: "a TWAP of after the restored backup may have bought it for the bot",
  resumed: "the stop was ended meanwhile",
};

export function flattenDialog(app: App): TemplateResult {
  const { flatten } = app.state.forms;
  return dialog("Close what is held", flatten === null ? null : content(app, flatten), () => closeFlatten(app));
}

/** Whole basis points within what the gateway takes. */
const BPS = /^[1-9][0-9]{0,2}$/;
const MAX_BPS = 500;

function content(app: App, own: FlattenForm): TemplateResult {
  const { now: stop, changed } = standingStop(app.state, own.stop);
  const isWhole = BPS.test(own.slippageBps) && Number(own.slippageBps) <= MAX_BPS;
  function submit(event: Event): void {
    event.preventDefault();
    if (isWhole && standingStop(app.state, own.stop).changed === null) void flattenNow(app, own);
  }
  function change(slippageBps: string): void {
    own.slippageBps = slippageBps;
    app.changed();
  }
  const whose =
    stop.scope === "account" ? "every perpetuals position of the account" : `what ${coveredBy(app.state, stop)} holds`;
  return html`
    <form class="order" @submit=${submit}>
      <p class="words">Closes ${whose} at once, by reduce-only orders no further than this from the best price, and never more than 5 % from mark and oracle.
        It begins when the stop is <em>stopped</em>. Spot balances stay.</p>
      ${decimalField({ words: "Furthest from the best price", name: "slippage", value: own.slippageBps, hint: `basis points, 1 to ${MAX_BPS}` }, change)}
      ${withdrawn(own.isBusy ? null : changed, null)}
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary danger" ?disabled=${own.isBusy || !isWhole || changed !== null}>${own.isBusy ? "Asking…" : "Close it now"}</button>
        <button type="button" @click=${() => closeFlatten(app)}>Go back</button>
      </div>
    </form>`;
}
