/** The approval of the next agent key, where it is time for it. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { dateAndTime } from "../figures/format.ts";
import { facts, section } from "../parts/section.ts";
import { signingPanel } from "../parts/signing.ts";
import { LIVES } from "../setup/approval-steps.ts";
import type { App } from "../state/app.ts";
import { newSigning, type RenewalForm } from "../state/forms.ts";
import { askForRenewal, renewalToSign, sendRenewal } from "../state/renewal.ts";
import { ownerOf } from "../state/session.ts";

/** Nothing where there is nothing to renew yet. */
export function renewalSection(app: App): TemplateResult | typeof nothing {
  const { renewal } = app.state.forms;
  return renewal === null ? nothing : section("Renew the agent", content(app, renewal));
}

function content(app: App, mine: RenewalForm): TemplateResult {
  const { renewal: found, failure } = mine;
  if (failure !== null) {
    return html`<p class="late" role="alert">${failure}</p>
      <button type="button" @click=${() => void askForRenewal(app, mine)}>Ask again</button>`;
  }
  if (found === null) return html`<p class="note">Asking the gateway…</p>`;
  if (found.waiting === null) {
    return html`<p class="words">The gateway makes the next key within ten minutes.</p>
      <button type="button" @click=${() => void askForRenewal(app, mine)}>Ask again</button>`;
  }
  const end = found.signing?.valid_until ?? null;
  return html`
    <p class="words">The gateway has made a new key. It trades once your wallet has allowed it, and can neither withdraw nor
      transfer. ${found.signing === null ? "" : html`Until then <code>${found.signing.name}</code> goes on signing${end === null ? "" : `, to ${dateAndTime(end)} at the longest`}; after that it never signs again.`}</p>
    ${facts([
      ["Name", found.waiting.name],
      ["Agent's address", html`<code>${found.waiting.address}</code>`],
    ])}
    <label class="inline">Allowed for
      <select name="validDays" @change=${(event: Event) => choose(app, mine, event)}>${LIVES.map(([days, words]) => html`<option value=${days} .selected=${live(days === mine.validDays)}>${words}</option>`)}</select>
    </label>
    ${signingPanel(app, {
      signing: mine.signing,
      owner: ownerOf(app),
      purpose: "allow the agent",
      typedData: (chainId) => renewalToSign(app, mine, chainId),
      signed: (signature) => sendRenewal(app, mine, signature),
    })}`;
}

function choose(app: App, mine: RenewalForm, { target }: Event): void {
  if (!(target instanceof HTMLSelectElement)) return;
  Object.assign(mine, { validDays: target.value, signing: newSigning() });
  app.changed();
}
