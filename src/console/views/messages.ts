/** What was said to the person, and what they asked for that has no answer yet. */
import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { Intention } from "../api/intentions.ts";
import { duration } from "../figures/format.ts";
import { askAgain, putAside } from "../state/act.ts";
import type { App } from "../state/app.ts";
import { noticesNow, putAway } from "../state/notices.ts";
import type { Toast } from "../state/state.ts";

/** Milliseconds for which a request is nothing to talk about. */
const USUAL_MS = 2_000;

export function messages(app: App): TemplateResult {
  const { intentions } = app.state;
  return html`
    <div class="messages" aria-live="polite">
      ${repeat(
        intentions,
        ({ key }) => key,
        (intention) => pending(app, intention),
      )}
      ${repeat(
        noticesNow(app.state),
        (notice) => notice,
        (notice) => said(app, notice),
      )}
    </div>`;
}

function pending(app: App, intention: Intention): TemplateResult | typeof nothing {
  const ageMs = app.state.nowMs - intention.createdAtMs;
  if (intention.state !== "unsure") {
    if (ageMs < USUAL_MS && intention.reason === null) return nothing;
    return html`<div class="message plain"><p>Sending: ${intention.words}… ${intention.reason ?? ""}</p></div>`;
  }
  return html`
    <div class="message bad">
      <p><strong>No answer yet: ${intention.words}</strong>, asked ${duration(ageMs / 1_000)} ago.
        It may have happened. Asking again uses the same Idempotency-Key: it is done now if it was not, and never twice.</p>
      <div class="buttons">
        <button type="button" @click=${() => void askAgain(app, intention)}>Ask again</button>
        <button type="button" @click=${() => putAside(app, intention)}>Put aside, I will look myself</button>
      </div>
    </div>`;
}

function said(app: App, notice: Toast): TemplateResult {
  const { tone, text } = notice;
  return html`
    <div class="message ${tone}">
      <p>${text}</p>
      <button type="button" class="quiet" aria-label="Put this message away" @click=${() => putAway(app, notice)}>×</button>
    </div>`;
}
