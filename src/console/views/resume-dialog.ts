/** The end of a stop, by the owner's signature: no key can do it. */
import { html, type TemplateResult } from "lit-html";
import { resumptionTypedData } from "../../wire/grant-data.ts";
import { request } from "../api/request.ts";
import type { ApiStop } from "../api/resources.ts";
import { time } from "../figures/format.ts";
import { dialog } from "../parts/dialog.ts";
import { ownersWord } from "../parts/owners-word.ts";
import type { App } from "../state/app.ts";
import { newSigning, type ResumptionForm } from "../state/forms.ts";
import { notify } from "../state/notices.ts";
import { readStops } from "../state/read.ts";
import { ownerOf } from "../state/session.ts";
import { standingStop } from "../state/standing.ts";
import { coveredBy, stopsStanding } from "../state/stopping.ts";

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

function content(app: App, { stop: seen, signing }: ResumptionForm): TemplateResult {
  const { now: stop } = standingStop(app.state, seen);
  return html`
    <p class="words">Ends ${named(app, stop)}: what makes positions larger is taken again, from whoever it covers. What was canceled
      stays canceled. ${othersOf(app, stop)}</p>
    <p class="note">The wallet names it by its id: <code>${stop.id}</code></p>
    ${ownersWord(app, {
      signing,
      owner: ownerOf(app),
      purpose: "end the stop",
      withdrawn: () => standingStop(app.state, seen).changed,
      write: (audience) => resumptionTypedData({ audience, accountId: stop.account, stopId: stop.id }),
      signed: (signature) => resume(app, { stop, signing }, signature),
    })}`;
}

function named(app: App, stop: ApiStop): TemplateResult {
  return html`the stop of <strong>${coveredBy(app.state, stop)}</strong> that was asked for at ${time(stop.created_at, app.state.nowMs)}`;
}

/** What goes on refusing once it is over. */
function othersOf({ state }: App, { id }: ApiStop): string {
  const others = stopsStanding(state).filter((each) => each.id !== id && each.cause === "asked");
  if (others.length === 0) return "No other stop stands.";
  return `${others.length === 1 ? "Another stop stands" : `${others.length} others stand`} on, of ${others.map((each) => coveredBy(state, each)).join(" and ")}.`;
}

async function resume(app: App, { stop, signing }: ResumptionForm, signature: string): Promise<void> {
  const body = JSON.stringify({ account: stop.account, signature });
  const path = `/v1/stops/${stop.id}/resume`;
  const answer = await request<ApiStop>({ method: "POST", path, bearer: null, body });
  if (answer.kind !== "ok") {
    signing.failure = answer.kind === "lost" ? "No answer. Sign again: ending it twice does no harm." : answer.message;
    return;
  }
  notify(app, "good", `The stop of ${coveredBy(app.state, stop)} is ended. ${othersOf(app, stop)}`);
  close(app);
  await readStops(app);
}
