/** The last step: an order that proves that everything works, or set-up finished without one. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Setup } from "../api/resources.ts";
import { multiply } from "../figures/decimal.ts";
import { figure, money } from "../figures/format.ts";
import type { App } from "../state/app.ts";
import { signIn } from "../state/session.ts";
import { closeSetup, type MadeKey, type SetupState } from "./progress.ts";
import { mayPlace, prepareProof, prove } from "./proof.ts";
import { takeStep } from "./steps.ts";

export function proofStep(app: App, state: SetupState, { setup, key }: { setup: Setup; key: MadeKey }): TemplateResult {
  if (!key.grant.scopes.includes("trading:write"))
    return finishing(app, { state, key }, "This key may read only, so there is no order to prove it with.");
  const { proof } = state;
  const { plan, stage, words } = proof;
  const isRunning = stage === "placing" || stage === "canceling";
  return html`
    <p class="words">A post-only order far from the price is placed with the new key and canceled at once. It cannot trade${setup.is_real_money ? "; its margin is held for a moment" : ""}.</p>
    ${
      plan === null || stage === "waiting"
        ? waitingFor(app, state, key)
        : html`<p class="words"><strong>buy ${plan.size} ${plan.market} at ${figure(plan.price)}</strong>,
      ${money(multiply(plan.size, plan.price))} USDC; the price is ${figure(plan.now)}.</p>`
    }
    <ol class="steps" aria-live="polite">
      <li>${stage === "placing" ? "Placing…" : stage === "canceling" || stage === "proven" ? "Placed: it rests at the exchange." : "Place it"}</li>
      <li>${stage === "canceling" ? "Canceling…" : stage === "proven" ? "Canceled." : "Cancel it"}</li>
    </ol>
    ${stage === "failed" && words !== null ? html`<p class="late" role="alert">${words}</p>` : nothing}
    ${
      stage === "proven"
        ? finishing(app, { state, key }, "It works from end to end.")
        : html`<div class="buttons">
          <button type="button" class="primary" ?disabled=${!mayPlace(proof)} @click=${() => void prove(app, proof)}>${isRunning ? "Wait…" : "Place and cancel it"}</button>
          <button type="button" ?disabled=${isRunning} @click=${() => void finish(app, key)}>Finish without it</button>
        </div>`
    }`;
}

function waitingFor(app: App, state: SetupState, key: MadeKey): TemplateResult {
  const { proof } = state;
  if (proof.stage !== "waiting") return html`<p class="empty">Looking at the price…</p>`;
  const seconds = Math.max(0, Math.ceil((proof.nextTryAtMs - app.state.nowMs) / 1_000));
  return html`
    <p class="late" role="alert">The price and your orders could not be read: ${proof.words}</p>
    <p class="note">Asked again in ${seconds} s.</p>
    <button type="button" @click=${() => void prepareProof(app, state, key)}>Try again now</button>`;
}

function finishing(app: App, { state, key }: { state: SetupState; key: MadeKey }, words: string): TemplateResult {
  return html`<p class="words">${words}</p>
    <button type="button" class="primary" ?disabled=${state.isBusy} @click=${() => void finish(app, key)}>Finish set-up</button>`;
}

async function finish(app: App, key: MadeKey): Promise<void> {
  const isDone = await takeStep(app, "/v1/setup/finish", {});
  if (!isDone) return;
  closeSetup(app);
  location.hash = "#/trade";
  if (app.state.session === null) await signIn(app, key.apiKey, "window");
}
