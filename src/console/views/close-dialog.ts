/** Closing a position: what is sent, and what it would be worth by the mark, before it is. */
import { html, nothing, type TemplateResult } from "lit-html";
import { multiply } from "../figures/decimal.ts";
import { figure, money, signedMoney, tone } from "../figures/format.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField } from "../parts/fields.ts";
import type { App } from "../state/app.ts";
import { closeClose, closeFault, closeNow } from "../state/closing.ts";
import type { CloseForm } from "../state/forms.ts";

export function closeDialog(app: App): TemplateResult {
  const { close } = app.state.forms;
  return dialog("Close a position", close === null ? null : content(app, close), () => closeClose(app));
}

const PARTS = ["25", "50", "100"] as const;

function content(app: App, own: CloseForm): TemplateResult {
  const { position, percent } = own;
  const fault = closeFault(own);
  function edit(change: Partial<CloseForm>): void {
    Object.assign(own, change, { failure: null });
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    void closeNow(app, own);
  }
  return html`
    <form class="order" @submit=${submit} autocomplete="off">
      <p class="words">${position.side} ${figure(position.size)} ${position.market}, mark ${figure(position.mark_price)}, worth ${money(position.position_value)}</p>
      ${decimalField({ words: "Part of it", name: "closePercent", value: percent, hint: "percent" }, (typed) => edit({ percent: typed }))}
      <div class="fills">${PARTS.map((part) => html`<button type="button" @click=${() => edit({ percent: part })}>${part} %</button>`)}</div>
      ${decimalField({ words: "Slippage", name: "closeSlippage", value: own.slippageBps, hint: "bps from the best price" }, (slippageBps) => edit({ slippageBps }))}
      ${fault === null ? result(own) : html`<p class="note warn">${fault}</p>`}
      <p class="note">At market, only ever smaller, and sized by what is held when it arrives. Once nothing is held, triggers that this key has left there are canceled.</p>
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary" ?disabled=${own.isBusy || fault !== null}>${own.isBusy ? "Closing…" : `Close ${percent} %`}</button>
        <button type="button" @click=${() => closeClose(app)}>Leave it</button>
      </div>
    </form>`;
}

function result({ position, percent }: CloseForm): TemplateResult {
  const won = multiply(multiply(position.unrealized_pnl, percent), "0.01");
  return html`<p class="note">At the mark it realises about <span class=${tone(won)}>${signedMoney(won)}</span> before fees.</p>`;
}
