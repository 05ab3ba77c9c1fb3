/** What a trader looks for first, on every screen: the account, whether the figures are fresh, and what is wrong. */
import { html, nothing, type TemplateResult } from "lit-html";
import { duration, money } from "../figures/format.ts";
import type { App } from "../state/app.ts";
import { agentEndsSoon } from "../state/renewal.ts";
import { signOut } from "../state/session.ts";
import { modeNote } from "./account.ts";
import { stopButton } from "./stop-dialog.ts";

export function topBar(app: App): TemplateResult {
  const { session, account } = app.state;
  const { value } = account;
  return html`
    <header>
      <div class="who"><strong>Postern</strong> <span>${session?.me.label ?? ""}</span> ${value === null ? nothing : modeNote(value.account_mode)}</div>
      <dl class="strip">
        <div><dt>Equity</dt><dd>${money(value?.equity)}</dd></div>
        <div><dt>Withdrawable</dt><dd>${money(value?.withdrawable)}</dd></div>
        <div class="second"><dt>Margin used</dt><dd>${money(value?.margin_used)}</dd></div>
      </dl>
      <div class="health">
        ${faults(app).map((words) => html`<a class="warn" href="#/health">${words}</a>`)}
        ${connection(app)}
        <button type="button" class="quiet" @click=${() => signOut(app)}>Sign out</button>
        ${stopButton(app)}
      </div>
    </header>`;
}

/** Figures are read every five seconds; older ones are not live, however well the stream of events is, milliseconds. */
const LIVE_WITHIN_MS = 20_000;

/** Unix milliseconds of the oldest figure on the screen that has been read; null before the first. */
function oldestFigureMs({ account, positions, openOrders }: App["state"]): number | null {
  const times = [account, positions, openOrders].flatMap(({ asOfMs, readAtMs }) => asOfMs ?? readAtMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function connection({ state }: App): TemplateResult {
  const { connection, nowMs } = state;
  const oldestMs = oldestFigureMs(state);
  if (connection.kind === "live" && oldestMs !== null && nowMs - oldestMs > LIVE_WITHIN_MS)
    return html`<span class="warn" role="status">figures are ${duration((nowMs - oldestMs) / 1_000)} old</span>`;
  if (connection.kind === "live") return html`<span class="live" role="status">live</span>`;
  if (connection.kind !== "broken") return html`<span class="note" role="status">connecting</span>`;
  const since = duration((nowMs - connection.sinceMs) / 1_000);
  return html`<span class="warn" role="status">not live for ${since}: ${connection.why}</span>`;
}

function faults({ state: { status, nowMs } }: App): string[] {
  const { value } = status;
  if (value === null) return [];
  const { unknown_orders: orders, unknown_operations: operations } = value;
  return [
    // Which stop it is, and how far it has come, is said below.
    ...(value.orders.are_taken || value.orders.reason === "trading_stopped"
      ? []
      : [`orders are not taken: ${value.orders.detail ?? ""}`]),
    ...(value.feed_live ? [] : ["exchange feed down"]),
    ...(orders.count + operations.count === 0 ? [] : [`${orders.count + operations.count} unknown`]),
    ...(agentEndsSoon(value, nowMs) ? ["agent ends soon"] : []),
  ];
}
