/** First proof that it works: an address, and at once what the exchange knows of it. */
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import type { ExchangeView } from "../api/resources.ts";
import { isZero } from "../figures/decimal.ts";
import { figure, money, NOTHING } from "../figures/format.ts";
import { facts } from "../parts/section.ts";
import { table } from "../parts/table.ts";
import type { App } from "../state/app.ts";
import { DEXES, modeName, modeWords } from "../views/account.ts";
import type { Wallet } from "../wallet/discover.ts";
import { addressOf } from "../wallet/sign.ts";
import { agentsPart } from "./agents-part.ts";
import type { SetupState } from "./progress.ts";
import { lookAt } from "./progress.ts";
import { takeStep } from "./steps.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function ownerStep(app: App, state: SetupState): TemplateResult {
  function typed({ target }: Event): void {
    if (!(target instanceof HTMLInputElement)) return;
    Object.assign(state, { address: target.value.trim(), view: null, failure: null });
    app.changed();
    // What is no address is said at once: it may be a private key.
    if (state.address !== "") void look(app, state);
  }
  function submit(event: Event): void {
    event.preventDefault();
    if (state.view?.can_be_owner === true) void takeStep(app, "/v1/setup/owner", { address: state.address });
    else void look(app, state);
  }
  return html`
    <p class="words">The address whose wallet owns the account at the exchange. Only the address: never a private key, never a seed phrase.</p>
    <form class="order" @submit=${submit} autocomplete="off">
      <label>Owner's address<input name="owner" spellcheck="false" placeholder="0x…" .value=${live(state.address)} @input=${typed} /></label>
      <div class="buttons">${app.state.wallets.map((wallet) => html`<button type="button" @click=${() => void ask(app, state, wallet)}>Use ${wallet.name}'s address</button>`)}</div>
      ${state.view === null ? nothing : viewOf(state.view)}
      <button class="primary" ?disabled=${state.isBusy || state.isLooking || state.view?.can_be_owner !== true}>${state.isBusy || state.isLooking ? "Asking…" : "Continue with this account"}</button>
    </form>`;
}

async function ask(app: App, state: SetupState, wallet: Wallet): Promise<void> {
  const found = await addressOf(wallet);
  if ("failure" in found) {
    state.failure = found.failure;
    app.changed();
    return;
  }
  Object.assign(state, { address: found.address, view: null, failure: null });
  await look(app, state);
}

async function look(app: App, state: SetupState): Promise<void> {
  const { address } = state;
  if (!ADDRESS.test(address)) {
    state.failure = "An address is 0x and 40 hex digits. A longer text may be a private key: it never belongs here.";
    app.changed();
    return;
  }
  await lookAt(app, state, address);
}

function viewOf(view: ExchangeView): TemplateResult {
  const { account_mode: mode, problem, what_to_do: todo } = view;
  const held = view.spot.filter(({ total }) => !isZero(total));
  return html`
    <div class="view" aria-live="polite">
      ${problem === null ? nothing : html`<p class="late">${problem} ${todo ?? ""}</p>`}
      ${facts([
        ["Account mode", mode === null ? NOTHING : modeName(mode)],
        ["Equity", money(view.equity)],
        ["Withdrawable", money(view.withdrawable)],
        ["Margin used", money(view.margin_used)],
      ])}
      ${mode === null || mode === "standard" ? nothing : html`<p class="note">${modeWords(mode)}</p>`}
      ${view.perpetuals.length < 2 ? nothing : table({ caption: "Collateral by dex", columns: DEXES, rows: view.perpetuals, id: ({ dex }) => `dex-${dex}`, empty: "" })}
      ${
        held.length === 0
          ? nothing
          : table({
              caption: "Spot balances",
              columns: [
                { name: "Token", cell: ({ token }) => token },
                { name: "Total", isFigure: true, cell: ({ total }) => figure(total) },
                { name: "Available", isFigure: true, cell: ({ available }) => figure(available) },
              ],
              rows: held,
              id: ({ token }) => token,
              empty: "",
            })
      }
      ${agentsPart(view)}
    </div>`;
}
