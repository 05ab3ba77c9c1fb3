/** Orders that agents only propose: what waits for the owner, and what became of the last ones. */
import { html, nothing, type TemplateResult } from "lit-html";
import { proposalTypedData } from "../../wire/grant-data.ts";
import type { TypedData } from "../../wire/wallet-form.ts";
import { request } from "../api/request.ts";
import type { ApiProposal, DecidedProposal } from "../api/resources.ts";
import { duration, NOTHING, shortId, time } from "../figures/format.ts";
import { state } from "../parts/badges.ts";
import { dialog } from "../parts/dialog.ts";
import { ownersWord } from "../parts/owners-word.ts";
import { section } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { waitingProposals } from "../state/attention.ts";
import { type Deciding, newSigning } from "../state/forms.ts";
import { notify } from "../state/notices.ts";
import { readProposals } from "../state/read.ts";
import { ownerOf } from "../state/session.ts";
import { standingProposal } from "../state/standing.ts";

/** Decided ones that are shown below those that wait. */
const SHOWN_DECIDED = 5;

export function proposals(app: App): TemplateResult | typeof nothing {
  const { proposals: read, nowMs } = app.state;
  const waiting = waitingProposals(read.value, nowMs);
  const decided = (read.value ?? []).filter((one) => !waiting.includes(one)).slice(0, SHOWN_DECIDED);
  const rows = [...waiting, ...decided];
  if (rows.length === 0) return nothing;
  const content = table({ caption: "Proposals", columns: columnsOf(app), rows, id: ({ id }) => id, empty: "" });
  return section("Proposals", content, `${waiting.length} waiting; what nobody decides in time is refused`);
}

function columnsOf(app: App): readonly Column<ApiProposal>[] {
  const { nowMs } = app.state;
  return [
    { name: "Asked", rank: 2, cell: ({ asked_at: at }) => time(at, nowMs) },
    { name: "Bot", cell: ({ bot, key_hash: hash }) => bot ?? shortId(hash) },
    { name: "Order", cell: orderCell },
    { name: "Status", rank: 2, cell: (row) => statusOf(row, nowMs) },
    { name: "", cell: (row) => actions(app, row) },
  ];
}

function orderCell({ in_words: words, order_id: order }: ApiProposal): TemplateResult {
  return html`<span class="wrapping">${order === null ? words : html`<a href=${`#/story/${order}`}>${words}</a>`}</span>`;
}

function statusOf({ status, expires_at: until }: ApiProposal, nowMs: number): TemplateResult | string {
  if (status !== "waiting") return state(status);
  const left = Date.parse(until ?? "") - nowMs;
  return left > 0 ? html`<span class="warn">waits, ${duration(left / 1_000)} left</span>` : NOTHING;
}

function actions(app: App, proposal: ApiProposal): TemplateResult | typeof nothing {
  if (!waitingProposals([proposal], app.state.nowMs).includes(proposal)) return nothing;
  function open(decision: Deciding["decision"]): void {
    app.state.forms.deciding = { proposal, decision, signing: newSigning() };
    app.changed();
  }
  return html`<span class="actions">
    <button type="button" aria-label=${`Approve ${proposal.in_words}`} @click=${() => open("approve")}>Approve…</button>
    <button type="button" aria-label=${`Refuse ${proposal.in_words}`} @click=${() => open("refuse")}>Refuse…</button>
  </span>`;
}

export function decideDialog(app: App): TemplateResult {
  const { deciding } = app.state.forms;
  const title = deciding?.decision === "refuse" ? "Refuse a proposal" : "Approve a proposal";
  return dialog(title, deciding === null ? null : content(app, deciding), () => close(app));
}

function close(app: App): void {
  app.state.forms.deciding = null;
  app.changed();
}

function content(app: App, own: Deciding): TemplateResult {
  const { proposal, decision } = own;
  const then =
    decision === "approve"
      ? "It is placed at once, as the key that has proposed it, and judged anew by its rails."
      : "Nothing is ever placed from it.";
  return html`
    <p class="words">${proposal.bot ?? shortId(proposal.key_hash)} asks to <strong>${proposal.in_words}</strong>.</p>
    <p class="words">${then}</p>
    ${ownersWord(app, {
      signing: own.signing,
      owner: ownerOf(app),
      purpose: `${decision} it`,
      withdrawn: () => standingProposal(app.state, proposal).changed,
      write: (audience) => decisionToSign(own, audience),
      signed: (signature) => decide(app, own, signature),
    })}`;
}

/** The owner signs the order in the words in which it is shown. */
function decisionToSign({ proposal, decision }: Deciding, audience: string): TypedData {
  const { account, id, in_words: order } = proposal;
  return proposalTypedData({ audience, accountId: account, proposalId: id, order, decision });
}

async function decide(app: App, { proposal, decision, signing }: Deciding, signature: string): Promise<void> {
  const body = JSON.stringify({ account: proposal.account, decision, signature });
  const path = `/v1/proposals/${proposal.id}/decide`;
  const answer = await request<DecidedProposal>({ method: "POST", path, bearer: null, body });
  if (answer.kind !== "ok") {
    signing.failure = answer.kind === "lost" ? "No answer. Sign again: it is the same order." : answer.message;
    return;
  }
  const { outcome } = answer.body;
  const isAsWished = outcome === (decision === "approve" ? "order" : "refused");
  notify(app, isAsWished ? "good" : "bad", `${proposal.in_words}: ${OUTCOMES[outcome] ?? outcome}.`);
  close(app);
  await readProposals(app);
}

/** Anything else is the code with which placing it was refused. */
const OUTCOMES: Readonly<Record<string, string>> = {
  order: "approved and placed",
  refused: "refused",
  unknown: "it may have been placed; approve again to ask",
  not_placed: "approved, and not placed in its time",
  unsettled: "an order of the bot there has no known outcome",
};
