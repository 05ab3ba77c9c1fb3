/** What is stopped, on every screen: how far it has come, what is left, what was kept, and how it is ended. */
import { html, nothing, type TemplateResult } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import type { ApiStop } from "../api/resources.ts";
import { shortId, time } from "../figures/format.ts";
import { andMore } from "../parts/and-more.ts";
import { copyable } from "../parts/copy.ts";
import type { App } from "../state/app.ts";
import { coveredBy, stopsStanding } from "../state/stopping.ts";
import { flattening } from "./flatten-dialog.ts";
import { openResumption } from "./resume-dialog.ts";
import { waitsFor } from "./stop-waits.ts";

export function stopsInForce(app: App): TemplateResult | typeof nothing {
  const { stops } = app.state;
  const inForce = stopsStanding(app.state);
  if (inForce.length === 0) return nothing;
  return html`
    <div class="stops" role="region" aria-label="Stops in force">
      ${stops.failure === null ? nothing : html`<p class="late">Not up to date: ${stops.failure}</p>`}
      ${repeat(
        inForce,
        ({ id }) => id,
        (stop) => shown(app, stop),
      )}
    </div>`;
}

function shown(app: App, stop: ApiStop): TemplateResult {
  const whose = coveredBy(app.state, stop);
  return html`
    <div class="stop-in-force ${stop.status}">
      <p role="status"><strong>${headline(stop, whose)}</strong> ${progress(stop, app.state.nowMs)}</p>
      ${left(stop)} ${waitsFor(stop.waits_for, app.state.nowMs)} ${kept(stop, whose)} ${elsewhere(stop)} ${flattening(app, stop)}
      ${stop.cause === "asked" ? ending(app, stop) : nothing}
    </div>`;
}

const CAUSES: Record<ApiStop["cause"], string> = {
  asked: "",
  heartbeat_missed: "its heartbeat was missed",
  key_blocked: "it was blocked",
  key_revoked: "it was revoked",
  loss_tripped: "it has lost its limit of the day",
  narrowed: "its rails were narrowed",
};

function headline({ cause, status }: ApiStop, whose: string): string {
  if (cause !== "asked") return `Withdrawing what ${whose} has placed, because ${CAUSES[cause]}.`;
  return `${status === "stopping" ? "STOPPING" : "STOPPED"}: ${whose}.`;
}

function progress({ status, stopped_at: at, remaining, outside }: ApiStop, nowMs: number): string {
  if (status === "stopped") return `Since ${time(at, nowMs)} nothing that was signed here can make a position larger.`;
  const open = [counted(remaining.orders, "order"), counted(remaining.twaps, "TWAP")].filter((words) => words !== "");
  if (open.length > 0) return `Nothing new is signed; ${open.join(" and ")} can still make a position larger.`;
  return outside.is_done
    ? "Nothing new is signed; the last answers are awaited."
    : "Nothing new is signed; what was placed elsewhere is being looked for and canceled.";
}

function counted(count: number, noun: string): string {
  if (count === 0) return "";
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function left({ remaining }: ApiStop): TemplateResult | typeof nothing {
  return remaining.orders === 0 ? nothing : html`<p>Left: ${stories(remaining.order_ids, remaining.orders)}</p>`;
}

function kept({ keep_protection: keeps, kept }: ApiStop, whose: string): TemplateResult {
  if (kept.orders > 0)
    return html`<p>Kept, because ${kept.orders === 1 ? "it" : "they"} can only reduce: ${stories(kept.order_ids, kept.orders)}</p>`;
  return html`<p>${keeps ? `Nothing of ${whose} was there to be kept.` : "Orders that protect are canceled as well."}</p>`;
}

/** Orders that are named; how many there are is said whole. */
const NAMED = 6;

function stories(ids: readonly string[], count: number): TemplateResult {
  const named = ids.slice(0, NAMED);
  return html`${counted(count, "order")}: ${named.map((id) => html`<a href=${`#/story/${id}`}><code>${shortId(id)}</code></a> `)}${count > named.length ? `and ${count - named.length} more` : ""}`;
}

type OutsideOrders = ApiStop["outside"]["canceled"];

function elsewhere({ outside: { canceled, kept } }: ApiStop): TemplateResult {
  return html`
    ${canceled.length === 0 ? nothing : html`<p>Placed elsewhere, and canceled once: ${outsideWords(canceled)}</p>`}
    ${kept.length === 0 ? nothing : html`<p class="warn">Placed elsewhere, and left: ${outsideWords(kept)}. Its stop-loss would go with it; it can still make the position larger. Cancel it by hand once the position is protected.</p>`}`;
}

function outsideWords(rows: OutsideOrders): string {
  const named = rows
    .slice(0, NAMED)
    .map(({ kind, exchange_id: id, market }) => `${kind === "twap" ? "TWAP" : "order"} ${id} in ${market}`);
  return `${named.join(", ")}${rows.length > NAMED ? ` ${andMore(rows, NAMED)}` : ""}`;
}

function ending(app: App, stop: ApiStop): TemplateResult {
  return html`
    <details>
      <summary>To trade again</summary>
      <p>No API key can end it. The owner's signature does: <button type="button" @click=${() => openResumption(app, stop)}>Sign to end it…</button></p>
      <p>Or, on the gateway's machine, its operator (as the service's user, which <code>postern-operator</code> is):</p>
      <p class="note">Where the gateway was started with <code>--data-dir</code>, the command needs it too: this page is not told which directory it is.</p>
      ${copyable(`postern resume --stop ${stop.id} --account ${stop.account}`, "command that ends the stop")}
    </details>`;
}
