import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../state/app.ts";
import { type Keeping, signIn } from "../state/session.ts";

const KEEPING: readonly [name: Keeping, words: string][] = [
  ["window", "in this window only: it goes when the window is closed"],
  ["browser_if_it_may_only_read", "in this browser, if it may only read"],
  ["browser", "in this browser, even if it may trade"],
];

export function signInScreen(app: App): TemplateResult {
  const { isBusy, failure } = app.state.signIn;
  function submit(event: Event): void {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const fields = new FormData(event.target);
    const keeping = KEEPING.find(([name]) => name === fields.get("keep"))?.[0] ?? "window";
    void signIn(app, String(fields.get("key") ?? "").trim(), keeping);
  }
  return html`
    <main id="main" class="narrow" tabindex="-1">
      <h1>Postern</h1>
      <section aria-label="Sign in">
        <form class="order" @submit=${submit}>
          <label>API key<input type="password" name="key" required autocomplete="off" spellcheck="false" placeholder="api_trade_…" /></label>
          <fieldset class="keeping">
            <legend>Keep the key</legend>
            ${KEEPING.map(([name, words]) => html`<label class="check"><input type="radio" name="keep" value=${name} ?checked=${name === "window"} /> ${words}</label>`)}
            <p class="note">In this browser means: unencrypted, in its storage for this address, until you sign out. Whoever uses this
              browser's profile, reads its files or a backup of them, and every extension that may read this page has the key then.</p>
          </fieldset>
          ${failure === null ? nothing : html`<p class="late" role="alert">${failure}</p>`}
          <button class="primary" ?disabled=${isBusy}>${isBusy ? "Asking…" : "Sign in"}</button>
        </form>
        <p class="note">This page is a client of <a href="/docs">the same interface</a> as your bots. It goes nowhere but to this
          gateway. For a new gateway open the set-up link that it printed, or run <code>postern setup</code>.</p>
      </section>
    </main>`;
}
