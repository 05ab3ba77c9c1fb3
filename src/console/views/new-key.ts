/** A further API key: made in this browser, granted by the owner's signature, shown once. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Scope } from "../../core/account.ts";
import { request } from "../api/request.ts";
import { copyable } from "../parts/copy.ts";
import { ownersWord } from "../parts/owners-word.ts";
import { section } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { type NewKey, newSigning } from "../state/forms.ts";
import { readKeys } from "../state/read.ts";
import { ownerOf } from "../state/session.ts";
import { grantBody, grantToSign } from "../wallet/grant.ts";
import { hashOfKey, makeApiKey } from "../wallet/make-key.ts";

export function newKeySection(app: App): TemplateResult {
  const { made } = app.state.forms.newKey;
  return section("New key without limits", made === null ? choose(app) : grantIt(app, made));
}

export const SCOPE_WORDS: Record<Scope, string> = {
  "trading:read": "read balances, positions, orders and fills",
  "trading:write": "place, modify and cancel orders; set leverage and margin; run TWAPs",
};

function choose(app: App): TemplateResult {
  const { newKey: form } = app.state.forms;
  const { me } = app.state.session ?? {};
  const isDemo =
    app.state.description.value?.demo === true && me?.limits === null && me.scopes.includes("trading:write");
  function make(event: Event): void {
    event.preventDefault();
    const account = app.state.session?.me.account ?? "";
    const apiKey = makeApiKey(app.randomBytes);
    const scopes: Scope[] = form.mayWrite ? ["trading:read", "trading:write"] : ["trading:read"];
    const grant = { account, keyHash: hashOfKey(apiKey), scopes, issuedAtMs: app.nowMs() };
    form.made = { apiKey, grant, signing: newSigning(), isRegistered: false };
    app.changed();
  }
  async function makeAtOnce(): Promise<void> {
    const apiKey = makeApiKey(app.randomBytes);
    const bearer = app.state.session?.apiKey ?? null;
    const keyHash = hashOfKey(apiKey);
    const body = JSON.stringify({ key_hash: keyHash });
    const answer = await request<unknown>({ method: "POST", path: "/v1/api-keys/demo", bearer, body });
    form.failure = answer.kind === "ok" ? null : answer.kind === "lost" ? "No answer. Try again." : answer.message;
    if (answer.kind === "ok") {
      const scopes: Scope[] = ["trading:read", "trading:write"];
      const account = app.state.session?.me.account ?? "";
      const grant = { account, keyHash, scopes, issuedAtMs: app.nowMs() };
      form.made = { apiKey, grant, signing: newSigning(), isRegistered: true };
      await readKeys(app);
    }
    app.changed();
  }
  function toggle(): void {
    form.mayWrite = !form.mayWrite;
    app.changed();
  }
  return html`
    <form class="order" @submit=${make}>
      <label class="check"><input type="checkbox" checked disabled /> trading:read – ${SCOPE_WORDS["trading:read"]}</label>
      <label class="check"><input type="checkbox" name="mayWrite" .checked=${live(form.mayWrite)} @change=${toggle} /> trading:write – ${SCOPE_WORDS["trading:write"]}</label>
      <p class="note">No key can withdraw or transfer. It is made in this browser; the gateway sees its hash only.</p>
      <div class="buttons">
        <button class="primary">Make a key</button>
        ${isDemo ? html`<button type="button" @click=${() => void makeAtOnce()}>One more at once, signed by the demo's owner</button>` : nothing}
      </div>
      ${form.failure === null ? nothing : html`<p class="late" role="alert">${form.failure}</p>`}
    </form>`;
}

function grantIt(app: App, made: NewKey): TemplateResult {
  if (made.isRegistered) return shownOnce(made.apiKey, () => forget(app));
  return html`
    <p class="words">A key with ${made.grant.scopes.join(" and ")} is ready. It works once the owner has signed its grant.</p>
    ${ownersWord(app, {
      signing: made.signing,
      owner: ownerOf(app),
      purpose: "grant the key",
      write: (audience) => grantToSign(made.grant, audience),
      signed: (signature) => register(app, made, signature),
    })}
    <button type="button" @click=${() => forget(app)}>Give up</button>`;
}

async function register(app: App, made: NewKey, signature: string): Promise<void> {
  const body = grantBody(made.grant, signature);
  const answer = await request<unknown>({ method: "POST", path: "/v1/api-keys", bearer: null, body });
  if (answer.kind === "ok") {
    made.isRegistered = true;
    await readKeys(app);
    return;
  }
  made.signing.failure =
    answer.kind === "lost" ? "No answer. Sign again: the same grant twice is one key." : answer.message;
}

export function shownOnce(apiKey: string, taken: () => void): TemplateResult {
  return html`
    <p class="words"><strong>This is the only time that the key is shown.</strong> Whoever has it may do what its grant says.</p>
    ${copyable(apiKey, "new API key")}
    ${copyable(curlOf(apiKey), "curl line")}
    <button type="button" class="primary" @click=${taken}>I have it</button>`;
}

export function curlOf(apiKey: string): string {
  return `curl -s ${location.origin}/v1/account -H 'Authorization: Bearer ${apiKey}'`;
}

function forget(app: App): void {
  app.state.forms.newKey.made = null;
  app.changed();
}
