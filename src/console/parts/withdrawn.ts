import { html, nothing, type TemplateResult } from "lit-html";

/** Why the button is withdrawn, and the way to look at what there is now. */
export function withdrawn(changed: string | null, lookAnew: (() => void) | null): TemplateResult | typeof nothing {
  if (changed === null) return nothing;
  const anew = lookAnew === null ? nothing : html`<button type="button" @click=${lookAnew}>Look at it anew</button>`;
  return html`<p class="late" role="alert">${changed} Nothing is sent by this as it stands.</p>${anew}`;
}
