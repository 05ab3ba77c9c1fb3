import { html, type TemplateResult } from "lit-html";
import type { Status } from "../api/resources.ts";
import { ageOf, dateAndTime, duration, figure, NOTHING } from "../figures/format.ts";
import { facts, section, whenLoaded } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import { agentEndsSoon } from "../state/renewal.ts";
import { isKept, keepNoLonger } from "../state/session.ts";
import { renewalSection } from "./renew-agent.ts";

export function healthScreen(app: App): TemplateResult {
  const { status, nowMs, connection, session } = app.state;
  return html`
    ${section(
      "Gateway",
      whenLoaded(status, (value) => gateway(app, value)),
    )}
    ${section(
      "Signing agent",
      whenLoaded(status, (value) => agent(value, nowMs)),
    )}
    ${renewalSection(app)}
    ${section("Exchange budget", whenLoaded(status, budget))}
    ${section(
      "This page",
      facts([
        ["API key", keptWords(app)],
        ["Account", html`${session?.me.label ?? NOTHING} <code>${session?.me.account ?? ""}</code>`],
        ["Trading address", html`<code>${session?.me.trading_address ?? NOTHING}</code>`],
        ["Events", connection.kind === "broken" ? `interrupted: ${connection.why}` : connection.kind],
      ]),
    )}`;
}

/** Where the key is, and the way to take it back. */
function keptWords(app: App): TemplateResult {
  if (!isKept(app)) return html`in this window only: it goes when the window is closed`;
  return html`kept in this browser's storage, unencrypted, until you sign out
    <button type="button" @click=${() => keepNoLonger(app)}>Keep it in this window only</button>`;
}

function gateway({ state: { nowMs } }: App, status: Status): TemplateResult {
  return facts([
    ["Phase", mark(status.phase, status.phase === "ready")],
    ["Orders", status.orders.are_taken ? "taken" : mark(`not taken: ${status.orders.detail ?? ""}`, false)],
    [
      "Live feed",
      mark(
        status.feed_not_live_because === null ? "live" : `not live: ${status.feed_not_live_because}`,
        status.feed_live,
      ),
    ],
    ["Market feed", marketFeed(status.market_feed_live)],
    ["Unknown orders", mark(unknownWords(status), status.unknown_orders.count === 0)],
    [
      "Unknown operations",
      mark(figure(String(status.unknown_operations.count)), status.unknown_operations.count === 0),
    ],
    ["Being settled", figure(String(status.unsettled_actions))],
    ["Fills read", age(status.fills_read_at, nowMs)],
    ["Markets read", age(status.markets_read_at, nowMs)],
    ["Builder fee", builder(status)],
    ...(status.replica_fault === null ? [] : [["Replica", mark(status.replica_fault, false)] as const]),
  ]);
}

/** Null while nobody asks for markets. */
function marketFeed(isLive: boolean | null) {
  return isLive === null ? "not needed" : mark(isLive ? "live" : "not live", isLive);
}

function unknownWords({ unknown_orders: { count, oldest_age_s: oldest } }: Status): string {
  return oldest === null ? String(count) : `${count}, the oldest for ${duration(oldest)}`;
}

function age(iso: string | null, nowMs: number): string {
  return iso === null ? NOTHING : `${ageOf(iso, nowMs)} ago`;
}

function builder({ builder_fee: fee }: Status): string {
  if (fee === null) return "none";
  const approval = fee.is_approved === null ? "approval not known" : fee.is_approved ? "approved" : "not approved";
  return `${fee.fee_bps} bps, ${approval}`;
}

export function mark(words: string, isWell: boolean): TemplateResult {
  return html`<span class=${isWell ? "" : "warn"}>${words}</span>`;
}

function agent(status: Status, nowMs: number): TemplateResult {
  const { agent } = status;
  if (agent === null) return html`<p class="words warn">No agent is approved: nothing can be signed.</p>`;
  const until =
    agent.valid_until === null
      ? "not known"
      : `${dateAndTime(agent.valid_until)} (in ${ageOf(new Date(nowMs).toISOString(), Date.parse(agent.valid_until))})`;
  return facts([
    ["Name", agent.name],
    ["Address", html`<code>${agent.address}</code>`],
    ["Key", mark(agent.is_unlocked ? "unlocked" : "locked: nothing can be signed", agent.is_unlocked)],
    ["Approved until", mark(until, !agentEndsSoon(status, nowMs))],
  ]);
}

function budget({ exchange_budget: spent }: Status): TemplateResult {
  const { actions_used: used, actions_cap: cap } = spent;
  const left = used === null || cap === null ? null : cap - used;
  return facts([
    ["Actions used", used === null ? "the exchange cannot be asked" : figure(String(used))],
    ["Actions earned", cap === null ? NOTHING : figure(String(cap))],
    ["Left", left === null ? NOTHING : mark(figure(String(left)), left > 0)],
    ["Next order fits", spent.order_wait_s === 0 ? "now" : mark(`in ${duration(spent.order_wait_s)}`, false)],
    ["Next cancel fits", spent.cancel_wait_s === 0 ? "now" : mark(`in ${duration(spent.cancel_wait_s)}`, false)],
  ]);
}
