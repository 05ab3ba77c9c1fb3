/** The two things that the owner's wallet signs for the exchange: the agent, and the builder fee where there is one. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { WalletData } from "../../wire/wallet-form.ts";
import type { Approval, Setup } from "../api/resources.ts";
import { divide } from "../figures/decimal.ts";
import { dateAndTime, money } from "../figures/format.ts";
import { facts } from "../parts/section.ts";
import { signingPanel } from "../parts/signing.ts";
import type { App } from "../state/app.ts";
import { newSigning } from "../state/forms.ts";
import { agentsPart } from "./agents-part.ts";
import { readSetup, type SetupState } from "./progress.ts";
import { takeStep } from "./steps.ts";

export const LIVES: readonly [days: string, words: string][] = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["180", "180 days, the longest"],
];

export function agentStep(app: App, state: SetupState, setup: Setup): TemplateResult {
  const { agent } = setup;
  function choose({ target }: Event): void {
    if (!(target instanceof HTMLSelectElement)) return;
    Object.assign(state, { validDays: target.value, signing: newSigning(), approval: null });
    app.changed();
  }
  return html`
    <p class="words">The gateway signs orders with a key of its own, made on this machine. Your wallet allows it to trade, and
      nothing else: it can neither withdraw nor transfer. You can take that back at the exchange at any time.</p>
    ${facts([
      ["Name", agent?.name ?? ""],
      ["Agent's address", html`<code>${agent?.address ?? ""}</code>`],
    ])}
    ${state.view === null ? nothing : agentsPart(state.view)}
    <label class="inline">Allowed for
      <select name="validDays" @change=${choose}>${LIVES.map(([days, words]) => html`<option value=${days} .selected=${live(days === state.validDays)}>${words}</option>`)}</select>
    </label>
    ${approving(app, state, { setup, path: "/v1/setup/agent-approval", query: `valid_days=${state.validDays}`, purpose: "allow the agent" })}`;
}

export function builderStep(app: App, state: SetupState, setup: Setup): TemplateResult {
  const { builder } = setup;
  if (builder === null) return html``;
  return html`
    <p class="words">Whoever runs this gateway asks for a fee on perpetual orders: <strong>${builder.fee_bps} basis points</strong>,
      that is ${feeOnThousand(builder.fee_bps)} USDC for every 1,000 USDC traded, on top of the exchange's own fees. It goes to
      <code>${builder.address}</code>. At most ${builder.max_fee_rate} is what you would allow.</p>
    ${builder.is_required ? html`<p class="note">Without it orders are refused.</p>` : html`<p class="note">Without it orders go without the fee.</p>`}
    ${approving(app, state, { setup, path: "/v1/setup/builder-approval", query: "", purpose: "allow the fee" })}
    ${builder.is_required ? nothing : html`<button type="button" ?disabled=${state.isBusy} @click=${() => void takeStep(app, "/v1/setup/builder-skip", {})}>Skip: no fee</button>`}`;
}

/** Basis points of 1,000. */
function feeOnThousand(feeBps: string): string {
  return money(divide(feeBps, "10", 4), 2);
}

type Approving = { setup: Setup; path: string; query: string; purpose: string };

function approving(app: App, state: SetupState, { setup, path, query, purpose }: Approving): TemplateResult {
  async function typedData(chainId: string | null): Promise<WalletData | { failure: string }> {
    const chain = chainId === null ? "" : `chain_id=${BigInt(chainId)}`;
    const wanted = [chain, query].filter((part) => part !== "").join("&");
    const approval = await readSetup<Approval>(app, `${path}${wanted === "" ? "" : `?${wanted}`}`);
    if (approval === null) return { failure: state.failure ?? "The gateway did not answer. Try again." };
    state.approval = approval;
    return approval.typed_data;
  }
  async function signed(signature: string): Promise<void> {
    const { approval } = state;
    if (approval === null) return;
    const { nonce, chain_id, valid_until } = approval;
    await takeStep(app, path, { nonce, chain_id, valid_until, signature });
  }
  const until = state.approval?.valid_until ?? null;
  if (state.isBusy) return html`<p class="words" role="status">Sent; waiting until the exchange lists it…</p>`;
  return html`
    ${until === null ? nothing : html`<p class="note">Until ${dateAndTime(until)}.</p>`}
    ${signingPanel(app, { owner: setup.account?.owner_address ?? "", signing: state.signing, purpose, typedData, signed })}`;
}
