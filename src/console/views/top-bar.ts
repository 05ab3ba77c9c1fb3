/** What a trader looks for first, on every screen: the account, whether the figures are fresh, and what is wrong. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Status } from "../api/resources.ts";
import { divide, isZero } from "../figures/decimal.ts";
import { exposureOf, isNear, nearestLiquidation } from "../figures/exposure.ts";
import { duration, figure, money, NOTHING, signedMoney, tone } from "../figures/format.ts";
import type { App } from "../state/app.ts";
import { accountTotal } from "../state/equity.ts";
import { realizedAfter } from "../state/fills.ts";
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
        <div><dt>Total</dt><dd>${total(app)}</dd></div>
        <div><dt title="Realised since 00:00 UTC, after fees in USDC">Realised today</dt><dd>${today(app)}</dd></div>
        <div><dt>Exposure</dt><dd>${exposure(app)}</dd></div>
        <div><dt title="How far the mark may go until the first position is liquidated">Liquidation</dt><dd>${liquidation(app)}</dd></div>
        <div class="second"><dt>Agent</dt><dd>${agentDays(app)}</dd></div>
        <div class="second"><dt title="What may still be sent to the exchange in this minute">Weight left</dt><dd>${weightLeft(app)}</dd></div>
      </dl>
      <div class="health">
        ${faults(app).map((words) => html`<a class="warn" href="#/health">${words}</a>`)}
        ${connection(app)}
        <button type="button" class="quiet" @click=${() => signOut(app)}>Sign out</button>
        ${stopButton(app)}
      </div>
    </header>`;
}

/** Every dex and spot; what has no price is named, and not in it. */
function total({ state }: App): TemplateResult | string {
  const found = accountTotal(state);
  if (found === null) return NOTHING;
  if (found.unpriced.length === 0) return money(found.worth);
  return html`${money(found.worth)} <a class="warn" href="#/account">without ${found.unpriced.join(", ")}</a>`;
}

const DAY_MS = 86_400_000;

function today({ state: { fills, nowMs } }: App): TemplateResult | string {
  if (fills.failure !== null && fills.rows.length === 0) return NOTHING;
  const beforeToday = new Date(nowMs - (nowMs % DAY_MS) - 1).toISOString();
  const { net, isCut } = realizedAfter(fills, beforeToday);
  const words = html`<span class=${tone(net)}>${signedMoney(net)}</span>`;
  return isCut
    ? html`${words} <span class="note">${fills.isLoading ? "reading…" : "of the newest fills"}</span>`
    : words;
}

/** Of all positions, and how often it is the total. */
function exposure({ state }: App): TemplateResult | string {
  const { value: positions } = state.positions;
  if (positions === null) return NOTHING;
  const value = exposureOf(positions);
  const worth = accountTotal(state)?.worth ?? "0";
  const times = worth.startsWith("-") || isZero(value) ? null : divide(value, worth, 2);
  return times === null ? money(value) : html`${money(value)} <span class="note">${times}×</span>`;
}

function liquidation({ state: { positions } }: App): TemplateResult | string {
  if (positions.value === null) return NOTHING;
  const nearest = nearestLiquidation(positions.value);
  if (nearest === null) return positions.value.length === 0 ? "no position" : "none";
  return html`<span class=${isNear(nearest.percent) ? "warn" : ""}>${money(nearest.percent, 1)} %</span> <span class="note">${nearest.market}</span>`;
}

function agentDays({ state: { status, nowMs } }: App): TemplateResult | string {
  const { value } = status;
  if (value === null) return NOTHING;
  if (value.agent === null) return html`<span class="warn">none</span>`;
  const { valid_until: until } = value.agent;
  if (until === null) return "no end known";
  const days = Math.max(0, Math.floor((Date.parse(until) - nowMs) / DAY_MS));
  return html`<span class=${agentEndsSoon(value, nowMs) ? "warn" : ""}>${days} d</span>`;
}

/** What orders may still use; everything else has some of its own. */
function weightLeft({ state: { status } }: App): TemplateResult | string {
  if (status.value === null) return NOTHING;
  const { left, wait_s: waitS } = status.value.exchange_budget.weight.orders;
  if (left === null) return "not limited";
  if (waitS === 0) return figure(String(left));
  return html`<span class="warn">${figure(String(left))}, next in ${duration(waitS)}</span>`;
}

/** Figures are read every five seconds; older ones are not live, however well the stream of events is, milliseconds. */
const LIVE_WITHIN_MS = 20_000;

/** Unix milliseconds of the oldest figure on the screen that has been read; null before the first. */
function oldestFigureMs({ account, positions, openOrders }: App["state"]): number | null {
  const times = [account, positions, openOrders].flatMap(({ asOfMs, readAtMs }) => asOfMs ?? readAtMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** The age stands beside what is announced: a figure that changes each second is not to be read out each second. */
function connection({ state }: App): TemplateResult {
  const { connection, nowMs } = state;
  const oldestMs = oldestFigureMs(state);
  const age = duration((nowMs - (oldestMs ?? nowMs)) / 1_000);
  if (connection.kind === "live" && oldestMs !== null && nowMs - oldestMs > LIVE_WITHIN_MS)
    return html`<span class="warn" role="status">figures are ${age} old</span>`;
  if (connection.kind === "live")
    return html`<span><span class="live" role="status">live</span> <span class="note age" title="Age of the oldest figure shown">${age}</span></span>`;
  if (connection.kind !== "broken") return html`<span class="note" role="status">connecting</span>`;
  const since = duration((nowMs - connection.sinceMs) / 1_000);
  return html`<span class="warn" role="status">not live for ${since}: ${connection.why}</span>`;
}

function faults({ state: { status, nowMs } }: App): string[] {
  const { value } = status;
  if (value === null) return [];
  return [
    // Which stop it is, and how far it has come, is said below.
    ...(value.orders.are_taken || value.orders.reason === "trading_stopped"
      ? []
      : [`orders are not taken: ${value.orders.detail ?? ""}`]),
    ...(value.feed_live ? [] : ["exchange feed down"]),
    ...unknownWords(value),
    ...(agentEndsSoon(value, nowMs) ? ["agent ends soon"] : []),
  ];
}

function unknownWords({ unknown_orders: orders, unknown_operations: operations }: Status): string[] {
  const count = orders.count + operations.count;
  return count === 0 ? [] : [`${count} unknown`];
}
