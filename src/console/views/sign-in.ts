import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../state/app.ts";
import { signIn } from "../state/session.ts";

export function signInScreen(app: App): TemplateResult {
  const { isBusy, failure } = app.state.signIn;
  function submit(event: Event): void {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const fields = new FormData(event.target);
    void signIn(app, String(fields.get("key") ?? "").trim(), fields.get("keep") === "on");
  }
  document.title = "Sign in – Postern";
  return html`
    <main id="main" class="narrow" tabindex="-1">
      <h1>Postern</h1>
      <section aria-label="Sign in">
        <form class="order" @submit=${submit}>
          <label>API key<input type="password" name="key" required autocomplete="off" spellcheck="false" placeholder="api_trade_…" /></label>
          <label class="check"><input type="checkbox" name="keep" /> Keep it in this browser; otherwise it goes with this window</label>
          ${failure === null ? nothing : html`<p class="late" role="alert">${failure}</p>`}
          <button class="primary" ?disabled=${isBusy}>${isBusy ? "Asking…" : "Sign in"}</button>
        </form>
        <p class="note">This page is a client of <a href="/docs">the same interface</a> as your bots. It goes nowhere but to this
          gateway. For a new gateway open the set-up link that it printed, or run <code>postern setup</code>.</p>
      </section>
    </main>`;
}
