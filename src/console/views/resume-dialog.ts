/** The end of a stop, by the owner's signature: no key can do it. */
import { html, type TemplateResult } from "lit-html";
import { request } from "../api/request.ts";
import type { ApiStop } from "../api/resources.ts";
import { dialog } from "../parts/dialog.ts";
import { signingPanel } from "../parts/signing.ts";
import type { App } from "../state/app.ts";
import { newSigning, type ResumptionForm } from "../state/forms.ts";
import { notify } from "../state/notices.ts";
import { readStops } from "../state/read.ts";
import { ownerOf } from "../state/session.ts";
import { resumptionToSign } from "../wallet/grant.ts";

export function openResumption(app: App, stop: ApiStop): void {
  app.state.forms.resumption = { stop, signing: newSigning() };
  app.changed();
}

export function resumeDialog(app: App): TemplateResult {
  const { resumption } = app.state.forms;
  return dialog("Trade again", resumption === null ? null : content(app, resumption), () => close(app));
}

function close(app: App): void {
  app.state.forms.resumption = null;
  app.changed();
}

function content(app: App, { stop, signing }: ResumptionForm): TemplateResult {
  return html`
    <p class="words">Ends this stop: what makes positions larger is taken again, from whoever it covered. What was canceled stays
      canceled, and other stops stand on.</p>
    ${signingPanel(app, {
      signing,
      owner: ownerOf(app),
      purpose: "end the stop",
      typedData: () => resumptionToSign(stop.account, stop.id),
      signed: (signature) => resume(app, { stop, signing }, signature),
    })}`;
}

async function resume(app: App, { stop, signing }: ResumptionForm, signature: string): Promise<void> {
  const body = JSON.stringify({ account: stop.account, signature });
  const path = `/v1/stops/${stop.id}/resume`;
  const answer = await request<ApiStop>({ method: "POST", path, bearer: null, body });
  if (answer.kind !== "ok") {
    signing.failure = answer.kind === "lost" ? "No answer. Sign again: ending it twice does no harm." : answer.message;
    return;
  }
  notify(app, "good", "The stop is ended.");
  close(app);
  await readStops(app);
}
