/** How an order came to its status, from the gateway's own records. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { Story, StoryAttempt, StoryLeg } from "../api/resources.ts";
import { ageOf, figure, NOTHING, time } from "../figures/format.ts";
import { state } from "../parts/badges.ts";
import { facts, section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { cancelOrder, orderWords } from "./one-order.ts";

const LEGS: readonly Column<StoryLeg>[] = [
  { name: "Exchange id", cell: ({ exchange_order_id: id }) => id ?? NOTHING },
  { name: "Size", isFigure: true, cell: ({ size }) => figure(size) },
  { name: "Price", isFigure: true, cell: ({ price }) => figure(price) },
  { name: "Filled", isFigure: true, cell: ({ filled_size }) => figure(filled_size) },
  { name: "State", cell: (leg) => state(leg.state) },
  {
    name: "Reason",
    rank: 2,
    cell: ({ reason }) => html`<span class="reason" title=${reason ?? ""}>${reason ?? ""}</span>`,
  },
];

export function storyScreen(app: App): TemplateResult {
  const { story } = app.state;
  return section(
    "Story of an order",
    whenLoaded(story, (value) => told(app, value)),
    html`<a href="#/history">History</a>`,
  );
}

function told(app: App, { order, legs, attempts, steps }: Story): TemplateResult {
  const { nowMs } = app.state;
  const isLost = order.status === "unknown" || order.status === "processing";
  return html`
    <p class="words"><strong>${orderWords(app, order)}</strong> · ${state(order.status)}
      ${isLost ? html`for ${ageOf(order.created_at, nowMs)}` : nothing}
      ${order.error === null ? nothing : html`· ${order.error}`}</p>
    ${
      isLost
        ? html`<p class="words">It was sent and its fate is being looked up. A cancel stays in force until it is known.
      <button type="button" @click=${() => void cancelOrder(app, order)}>Cancel it for good</button></p>`
        : nothing
    }
    ${attempts.map(({ action, waits_for: what }) => (what === null ? nothing : html`<p class="words">The ${action} waits for ${what}.</p>`))}
    ${facts([
      ["Id", html`<code>${order.id}</code>`],
      ["Taken", time(order.created_at, nowMs)],
      ["Filled", figure(order.filled_size)],
      ["Average price", figure(order.average_price)],
    ])}
    <h3>At the exchange</h3>
    ${table({ caption: "Orders at the exchange", columns: LEGS, rows: legs, id: ({ client_order_id: id }) => id, empty: "Nothing yet." })}
    <h3>What was signed</h3>
    ${table({ caption: "Signed actions", columns: attemptColumns(nowMs), rows: attempts, id: ({ nonce, action }) => `${action}-${nonce}`, empty: "Nothing." })}
    <h3>Step by step</h3>
    <ol class="steps">${steps.map(({ at, what, detail }) => html`<li><time datetime=${at}>${time(at, nowMs)}</time> <strong>${what}</strong> ${detail}</li>`)}</ol>`;
}

function attemptColumns(nowMs: number): readonly Column<StoryAttempt>[] {
  return [
    { name: "Action", cell: ({ action }) => action.replaceAll("_", " ") },
    { name: "State", cell: (attempt) => state(attempt.state) },
    { name: "Signed", cell: ({ created_at }) => time(created_at, nowMs) },
    { name: "Settled", cell: ({ settled_at }) => time(settled_at, nowMs) },
    { name: "Cannot land because", rank: 2, cell: ({ seal }) => seal?.replaceAll("_", " ") ?? NOTHING },
    { name: "Looks", isFigure: true, rank: 2, cell: ({ negative_looks: looks }) => String(looks) },
    { name: "Idempotency-Key", rank: 3, cell: ({ idempotency_key: key }) => html`<code>${key}</code>` },
    {
      name: "The exchange said",
      rank: 3,
      cell: ({ exchange_text: text }) => html`<span class="reason" title=${text ?? ""}>${text ?? ""}</span>`,
    },
  ];
}
