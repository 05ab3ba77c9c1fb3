import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { KEYS } from "../figures/keyboard.ts";
import { dialog } from "../parts/dialog.ts";
import { isChecked } from "../parts/fields.ts";
import type { App } from "../state/app.ts";
import { areKeysOn, setKeys, showHelp } from "../state/pressing.ts";

export function helpDialog(app: App): TemplateResult {
  return dialog("Keys", app.state.forms.isHelpShown ? content(app) : null, () => showHelp(app, false));
}

function content(app: App): TemplateResult {
  return html`
    <dl class="lines">${KEYS.map(([keys, words]) => html`<div><dt><kbd>${keys}</kbd></dt><dd>${words}</dd></div>`)}</dl>
    <p class="words"><label class="check"><input type="checkbox" name="keysOn" .checked=${live(areKeysOn(app))} @change=${(event: Event) => setKeys(app, isChecked(event))} /> They are heard, in this browser</label></p>`;
}
