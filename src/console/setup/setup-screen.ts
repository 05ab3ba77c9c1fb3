import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiSetupStep, Setup } from "../api/resources.ts";
import { section } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { agentStep, builderStep } from "./approval-steps.ts";
import { keyStep, shownOnce } from "./key-step.ts";
import { ownerStep } from "./owner-step.ts";
import { closeSetup, type SetupState } from "./progress.ts";
import { proofStep } from "./proof-step.ts";
import { isGranted, refresh, shownStep } from "./steps.ts";

type Titled = { step: ApiSetupStep; title: string };

function stepsOf(setup: Setup): Titled[] {
  return [
    { step: "owner", title: "Account" },
    { step: "agent", title: "Allow the gateway to trade" },
    ...(setup.builder === null ? [] : [{ step: "builder" as const, title: "Builder fee" }]),
    { step: "key", title: "API key" },
    { step: "finish", title: "Proof" },
  ];
}

export function setupScreen(app: App, state: SetupState): TemplateResult {
  const { setup, failure } = state;
  return html`
    <main id="main" class="narrow" tabindex="-1">
      <h1>Set up Postern</h1>
      ${setup === null ? nothing : path(state, setup)}
      ${failure === null ? nothing : html`<p class="late" role="alert">${failure}</p>`}
      ${again(app, state)}
      ${setup === null || state.isOver ? nothing : current(app, state, setup)}
    </main>`;
}

function again(app: App, state: SetupState): unknown {
  if (state.isOver) {
    return html`<button type="button" class="primary" @click=${() => closeSetup(app)}>Go to sign-in</button>`;
  }
  if (state.failure === null) return state.setup === null ? html`<p class="empty">Asking the gateway…</p>` : nothing;
  return html`<button type="button" @click=${() => void refresh(app)}>Look again</button>`;
}

function path(state: SetupState, setup: Setup): TemplateResult {
  const steps = stepsOf(setup);
  const shown = shownStep(state, setup);
  const at = steps.findIndex(({ step }) => step === shown);
  return html`
    <p class="note">At most 3 signatures; none of them costs anything.</p>
    <ol class="path">${steps.map(({ title }, index) => html`<li class=${index < at ? "past" : ""} aria-current=${index === at ? "step" : nothing}>${title}</li>`)}</ol>`;
}

function current(app: App, state: SetupState, setup: Setup): TemplateResult {
  const shown = shownStep(state, setup);
  const title = stepsOf(setup).find(({ step }) => step === shown)?.title ?? "Done";
  return section(title, stepContent(app, state, setup));
}

function stepContent(app: App, state: SetupState, setup: Setup): TemplateResult {
  const { key } = state;
  switch (setup.step) {
    case "owner":
      return ownerStep(app, state);
    case "agent":
      return agentStep(app, state, setup);
    case "builder":
      return builderStep(app, state, setup);
    case "key":
      return keyStep(app, state, setup);
    case "finish":
    case "done":
      if (key === null || !isGranted(key, setup)) return keyStep(app, state, setup);
      return key.isTaken ? proofStep(app, state, { setup, key }) : shownOnce(app, key);
  }
}
