/** The first API key: made here, granted by the owner, shown once. */
import { html, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { Scope } from "../../core/account.ts";
import { request } from "../api/request.ts";
import type { Setup } from "../api/resources.ts";
import { copyable } from "../parts/copy.ts";
import { ownersWord } from "../parts/owners-word.ts";
import type { App } from "../state/app.ts";
import { newSigning } from "../state/forms.ts";
import { curlOf, SCOPE_WORDS } from "../views/new-key.ts";
import { grantBody, grantToSign } from "../wallet/grant.ts";
import { hashOfKey, makeApiKey } from "../wallet/make-key.ts";
import { keepKey, type MadeKey, type SetupState } from "./progress.ts";
import { refresh, takeKeyAlong } from "./steps.ts";

export function keyStep(app: App, state: SetupState, setup: Setup): TemplateResult {
  const { key } = state;
  if (key === null) return choose(app, state, setup);
  return html`
    <p class="words">A key with ${key.grant.scopes.join(" and ")} is made. It works once you have signed its grant.</p>
    ${ownersWord(app, {
      owner: setup.account?.owner_address ?? "",
      signing: state.signing,
      purpose: "grant the key",
      write: (audience) => grantToSign(key.grant, audience),
      signed: (signature) => register(app, { state, key }, signature),
    })}
    <button type="button" @click=${() => keepKey(app, null)}>Choose other scopes</button>`;
}

function choose(app: App, state: SetupState, setup: Setup): TemplateResult {
  function make(event: Event): void {
    event.preventDefault();
    const apiKey = makeApiKey(app.randomBytes);
    const scopes: Scope[] = state.mayWrite ? ["trading:read", "trading:write"] : ["trading:read"];
    const grant = { account: setup.account?.id ?? "", keyHash: hashOfKey(apiKey), scopes, issuedAtMs: app.nowMs() };
    state.signing = newSigning();
    keepKey(app, { apiKey, grant, isRegistered: false, isTaken: false });
  }
  function toggle(): void {
    state.mayWrite = !state.mayWrite;
    app.changed();
  }
  return html`
    <form class="order" @submit=${make}>
      <p class="words">What may whoever holds the key do?</p>
      <label class="check"><input type="checkbox" checked disabled /> trading:read – ${SCOPE_WORDS["trading:read"]}</label>
      <label class="check"><input type="checkbox" name="mayWrite" .checked=${live(state.mayWrite)} @change=${toggle} /> trading:write – ${SCOPE_WORDS["trading:write"]}</label>
      <p class="note">No key can withdraw or transfer. It is made in this browser; the gateway sees its hash only.</p>
      <button class="primary">Make the key</button>
    </form>`;
}

async function register(
  app: App,
  { state, key }: { state: SetupState; key: MadeKey },
  signature: string,
): Promise<void> {
  const answer = await request<unknown>({
    method: "POST",
    path: "/v1/api-keys",
    bearer: null,
    body: grantBody(key.grant, signature),
  });
  if (answer.kind === "ok") {
    state.signing = newSigning();
    keepKey(app, { ...key, isRegistered: true });
    await refresh(app);
    return;
  }
  // An hour after it was made a grant is too old to be taken: the next signature is for a fresh one.
  if (answer.kind === "refused" && answer.code === "grant_expired") {
    keepKey(app, { ...key, grant: { ...key.grant, issuedAtMs: app.nowMs() } });
  }
  const words =
    answer.kind === "lost"
      ? "The gateway did not answer: sign once more, the same grant twice is one key."
      : answer.message;
  state.signing = { ...newSigning(), failure: words };
  app.changed();
}

/** Until the person says so, after a reload as well. */
export function shownOnce(app: App, key: MadeKey): TemplateResult {
  return html`
    <p class="words"><strong>This is the only time that the key is shown.</strong> Whoever has it may do what its scopes say.
      Put it where your bot finds it.</p>
    ${copyable(key.apiKey, "new API key")}
    ${copyable(curlOf(key.apiKey), "curl line")}
    <button type="button" class="primary" @click=${() => takeKeyAlong(app, key)}>I have it</button>`;
}
