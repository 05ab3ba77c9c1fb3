/** One signature of the owner: by a wallet of this browser, or by one that is elsewhere. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { normalisedSignature } from "../../wire/signature.ts";
import type { App } from "../state/app.ts";
import type { Signing } from "../state/forms.ts";
import type { Wallet } from "../wallet/discover.ts";
import { type SignRequest, signWith, walletText } from "../wallet/sign.ts";
import { copyable } from "./copy.ts";
import { withdrawn } from "./withdrawn.ts";

export type AskedSignature = SignRequest & {
  signing: Signing;
  /** What the signature is for, as a verb: `approve the agent`. */
  purpose: string;
  signed: (signature: string) => Promise<void>;
  /** Why it is not to be signed any more, as of now; null while it may be. Left out where nothing can change underneath. */
  withdrawn?: () => string | null;
  /** Looks at what it is about once more, where no event tells of it, before a wallet is asked. */
  refresh?: () => Promise<void>;
};

export function signingPanel(app: App, asked: AskedSignature): TemplateResult {
  const { wallets } = app.state;
  const { signing } = asked;
  const changed = asked.withdrawn?.() ?? null;
  return html`
    <div class="signing">
      <p class="words">To be signed by <code>${asked.owner}</code></p>
      <div class="buttons">${wallets.map((wallet) => walletButton(app, asked, wallet))}</div>
      ${wallets.length === 0 ? html`<p class="note">No wallet has announced itself in this browser.</p>` : nothing}
      ${withdrawn(changed, null)}
      ${signing.failure === null || signing.failure === changed ? nothing : html`<p class="late" role="alert">${signing.failure}</p>`}
      <details ?open=${signing.elsewhere !== null} @toggle=${(event: Event) => void opened(app, asked, event)}>
        <summary>Hardware or offline wallet: sign elsewhere</summary>
        ${signing.elsewhere === null ? preparing(app, asked) : pasting(app, asked, signing.elsewhere)}
      </details>
    </div>`;
}

function walletButton(app: App, asked: AskedSignature, wallet: Wallet): TemplateResult {
  async function sign(): Promise<void> {
    await busy(app, asked, async () => {
      if (!(await mayStill(asked))) return;
      const outcome = await signWith(wallet, asked);
      if (outcome.kind === "refused") asked.signing.failure = outcome.words;
      else await asked.signed(outcome.signature);
    });
  }
  return html`<button type="button" class="primary" ?disabled=${isBarred(asked)} @click=${sign}>Sign with ${wallet.name}</button>`;
}

function isBarred({ signing, withdrawn: reason }: AskedSignature): boolean {
  return signing.isBusy || (reason?.() ?? null) !== null;
}

/** Whether what was shown may still be signed, and sent. */
async function mayStill({ signing, withdrawn: reason, refresh }: AskedSignature): Promise<boolean> {
  await refresh?.();
  signing.failure = reason?.() ?? null;
  return signing.failure === null;
}

async function busy(app: App, { signing }: AskedSignature, work: () => Promise<void>): Promise<void> {
  if (signing.isBusy) return;
  Object.assign(signing, { isBusy: true, failure: null });
  app.changed();
  await work();
  signing.isBusy = false;
  app.changed();
}

function preparing(app: App, asked: AskedSignature): TemplateResult {
  if (asked.signing.failure === null) return html`<p class="note">Preparing…</p>`;
  return html`<button type="button" @click=${() => void prepare(app, asked)}>Try again</button>`;
}

async function opened(app: App, asked: AskedSignature, { target }: Event): Promise<void> {
  const isOpened = target instanceof HTMLDetailsElement && target.open;
  if (isOpened && asked.signing.elsewhere === null) await prepare(app, asked);
}

async function prepare(app: App, asked: AskedSignature): Promise<void> {
  const { signing } = asked;
  signing.failure = null;
  app.changed();
  const data = await asked.typedData(null);
  if ("failure" in data) signing.failure = data.failure;
  else signing.elsewhere = JSON.stringify(JSON.parse(walletText(data)), null, 2);
  app.changed();
}

function pasting(app: App, asked: AskedSignature, text: string): TemplateResult {
  const { signing } = asked;
  async function use(event: Event): Promise<void> {
    event.preventDefault();
    const signature = normalisedSignature(signing.pasted.trim());
    if (signature === null) {
      signing.failure =
        "That is no plain signature: 65 bytes, which are 130 hex digits, or the 128 of EIP-2098. A private key never belongs here.";
      app.changed();
      return;
    }
    await busy(app, asked, async () => {
      if (await mayStill(asked)) await asked.signed(signature);
    });
  }
  function typed(event: Event): void {
    if (event.target instanceof HTMLInputElement) signing.pasted = event.target.value;
  }
  return html`
    ${copyable(text, "typed data")}
    <form class="paste" @submit=${use} autocomplete="off">
      <label>Signature<input name="signature" spellcheck="false" placeholder="0x…" .value=${live(signing.pasted)} @input=${typed} /></label>
      <button ?disabled=${isBarred(asked)}>Use this signature</button>
    </form>`;
}
