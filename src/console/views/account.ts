/** Collateral told truly: what is one pot is shown as one pot, and nothing is added that counts the same money twice. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiAccount, ApiAccountMode, ApiSpotBalance, DexBalance } from "../api/resources.ts";
import { isZero } from "../figures/decimal.ts";
import { figure, money } from "../figures/format.ts";
import { facts, section, whenLoaded } from "../parts/section.ts";
import { type Column, table } from "../parts/table.ts";
import type { App } from "../state/app.ts";

const MODES: Record<ApiAccountMode, { name: string; words: string }> = {
  standard: {
    name: "standard",
    words: "Each dex and spot hold money of their own.",
  },
  unified: {
    name: "unified",
    words: "The collateral of every dex is the spot balance: the rows below show the same money and do not add up.",
  },
  portfolio_margin: {
    name: "portfolio margin",
    words: "The whole spot balance is collateral: the rows below show the same money and do not add up.",
  },
};

export const DEXES: readonly Column<DexBalance>[] = [
  { name: "Dex", cell: ({ dex }) => (dex === "" ? "native" : dex) },
  { name: "Equity", isFigure: true, cell: ({ equity }) => money(equity) },
  { name: "Withdrawable", isFigure: true, cell: ({ withdrawable }) => money(withdrawable) },
  { name: "Margin used", isFigure: true, cell: ({ margin_used }) => money(margin_used) },
];

const SPOT: readonly Column<ApiSpotBalance>[] = [
  { name: "Token", cell: ({ token }) => token },
  { name: "Total", isFigure: true, cell: ({ total }) => figure(total) },
  { name: "On hold", isFigure: true, cell: ({ hold }) => figure(hold) },
  { name: "Available", isFigure: true, cell: ({ available }) => figure(available) },
  { name: "Paid, USDC", isFigure: true, rank: 2, cell: ({ entry_value }) => money(entry_value) },
];

export function accountScreen(app: App): TemplateResult {
  return html`
    ${section("Collateral", whenLoaded(app.state.account, collateral))}
    ${section("Spot", whenLoaded(app.state.account, spot))}`;
}

export function modeName(mode: ApiAccountMode): string {
  return MODES[mode].name;
}

function collateral(account: ApiAccount): TemplateResult {
  const { name, words } = MODES[account.account_mode];
  return html`
    ${facts([["Account mode", name]])}
    <p class="words">${words}</p>
    ${table({ caption: "Collateral by dex", columns: DEXES, rows: account.perpetuals, id: ({ dex }) => `dex-${dex}`, empty: "No dex." })}`;
}

function spot({ spot: rows }: ApiAccount): TemplateResult {
  const held = rows.filter(({ total }) => !isZero(total));
  return table({
    caption: "Spot balances",
    columns: SPOT,
    rows: held,
    id: ({ token }) => token,
    empty: "No spot balance.",
  });
}

export function modeWords(mode: ApiAccountMode): string {
  return MODES[mode].words;
}

/** For the strip on top: the mode only where it changes what the figures mean. */
export function modeNote(mode: ApiAccountMode): unknown {
  return mode === "standard" ? nothing : html`<span class="note">${modeName(mode)}</span>`;
}
