/** STOP: one question, and then it is asked for until it stands. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { dialog } from "../parts/dialog.ts";
import type { App } from "../state/app.ts";
import type { StopForm } from "../state/forms.ts";
import { closeStop, openStop, scopeOf, stopNow } from "../state/stopping.ts";

/** In the head of every screen, for a key that may write. */
export function stopButton(app: App): TemplateResult | typeof nothing {
  if (app.state.session?.me.scopes.includes("trading:write") !== true) return nothing;
  return html`<button type="button" class="stop" @click=${() => openStop(app)}>STOP</button>`;
}

export function stopDialog(app: App): TemplateResult {
  const { stop } = app.state.forms;
  return dialog("Stop trading", stop === null ? null : content(app, stop), () => closeStop(app));
}

const CHOICES: readonly [keepsProtection: boolean, words: string][] = [
  [true, "Keep what protects: orders that can only reduce stay, stop-losses above all"],
  [false, "Cancel everything: stop-losses go as well"],
];

function content(app: App, own: StopForm): TemplateResult {
  const { session } = app.state;
  const isAccount = session === null || scopeOf(session.me) === "account";
  function submit(event: Event): void {
    event.preventDefault();
    void stopNow(app, own);
  }
  function choose(keepsProtection: boolean): void {
    own.keepsProtection = keepsProtection;
    app.changed();
  }
  return html`
    <form class="order" @submit=${submit}>
      <p class="words">Nothing more is signed that could make a position larger, ${isAccount ? "whichever key asks for it, and what was signed for the account before is canceled" : "for this page's bot, and what it has placed is canceled"}.
        Cancels and reductions go on. Positions stay as they are.</p>
      <fieldset class="keeping">
        <legend class="hidden">What is canceled</legend>
        ${CHOICES.map(([keeps, words]) => html`<label class="check"><input type="radio" name="protection" value=${String(keeps)} ?disabled=${own.isBusy} .checked=${live(own.keepsProtection === keeps)} @change=${() => choose(keeps)} /> ${words}</label>`)}
      </fieldset>
      <p class="note">No API key can end it, this page's neither: the owner's signature or the gateway's operator does.</p>
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary danger" ?disabled=${own.isBusy}>${own.isBusy ? "Stopping…" : "Stop now"}</button>
        <button type="button" @click=${() => closeStop(app)}>${own.isBusy ? "Ask no more" : "Go back"}</button>
      </div>
    </form>`;
}
