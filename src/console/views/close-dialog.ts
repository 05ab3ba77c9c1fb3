/** Closing a position: what is sent, and what it would be worth by the mark, before it is. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiPosition } from "../api/resources.ts";
import { multiply } from "../figures/decimal.ts";
import { figure, money, signedMoney, tone } from "../figures/format.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField } from "../parts/fields.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import type { App } from "../state/app.ts";
import { closeClose, closeFault, closeNow, openClose } from "../state/closing.ts";
import type { CloseForm } from "../state/forms.ts";
import { standingPosition } from "../state/standing.ts";

export function closeDialog(app: App): TemplateResult {
  const { close } = app.state.forms;
  return dialog("Close a position", close === null ? null : content(app, close), () => closeClose(app));
}

const PARTS = ["25", "50", "100"] as const;

function content(app: App, own: CloseForm): TemplateResult {
  const { percent } = own;
  const { now: position, changed, isThere } = standingPosition(app.state, own.position);
  const fault = closeFault(app.state, own);
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
      <p class="words">${position.side} ${figure(position.size)} ${position.market}, mark ${figure(position.mark_price)}, worth ${money(position.position_value)}${sizeSince(own.position, position)}</p>
      ${decimalField({ words: "Part of it", name: "closePercent", value: percent, hint: "percent" }, (typed) => edit({ percent: typed }))}
      <div class="fills">${PARTS.map((part) => html`<button type="button" @click=${() => edit({ percent: part })}>${part} %</button>`)}</div>
      ${decimalField({ words: "Slippage", name: "closeSlippage", value: own.slippageBps, hint: "bps from the best price" }, (slippageBps) => edit({ slippageBps }))}
      ${changed === null || own.isBusy ? consequence(own.isBusy ? null : fault, position, percent) : withdrawn(changed, isThere ? () => openClose(app, position) : null)}
      <p class="note">At market, only ever smaller, and sized by what is held when it arrives. Once nothing is held, triggers that this key has left there are canceled.</p>
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary" ?disabled=${own.isBusy || fault !== null}>${own.isBusy ? "Closing…" : `Close ${percent} %`}</button>
        <button type="button" @click=${() => closeClose(app)}>Leave it</button>
      </div>
    </form>`;
}

/** A size that has moved since the dialog was opened is said to have. */
export function sizeSince(seen: ApiPosition, now: ApiPosition): string {
  return seen.size === now.size || seen.side !== now.side ? "" : ` (it was ${figure(seen.size)} when this was opened)`;
}

function consequence(fault: string | null, position: ApiPosition, percent: string): TemplateResult {
  if (fault !== null) return html`<p class="note warn">${fault}</p>`;
  const won = multiply(multiply(position.unrealized_pnl, percent), "0.01");
  return html`<p class="note">At the mark it realises about <span class=${tone(won)}>${signedMoney(won)}</span> before fees.</p>`;
}
