/** Leverage of the market in the order form, and margin of a position that has its own. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiMarket } from "../api/resources.ts";
import { money } from "../figures/format.ts";
import { choice, decimalField } from "../parts/fields.ts";
import { section } from "../parts/section.ts";
import { type ApiWrite, act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import type { LeverageForm } from "../state/forms.ts";
import { listedMarket } from "../state/order-draft.ts";
import { mayWrite } from "./positions.ts";

const MARGIN_TYPES = [
  ["cross", "cross"],
  ["isolated", "isolated"],
] as const;

export function leverageForm(app: App): TemplateResult | typeof nothing {
  const market = listedMarket(app);
  if (!mayWrite(app) || market === null || market.kind === "spot") return nothing;
  const own = app.state.forms.leverage;
  const content = html`
    ${setting(app, own, market)}
    ${margin(app, own, market)}
    ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}`;
  return section("Leverage and margin", content, market.market);
}

function edit(app: App, own: LeverageForm, change: Partial<LeverageForm>): void {
  Object.assign(own, change, { failure: null });
  app.changed();
}

/** Digits alone: leverage is a whole number. */
const WHOLE = /^[1-9][0-9]{0,2}$/;

function setting(app: App, own: LeverageForm, listed: ApiMarket): TemplateResult {
  const { market, max_leverage: most, margin_mode: mode } = listed;
  const held = app.state.positions.value?.find((position) => position.market === market);
  const isPossible = WHOLE.test(own.leverage) && (most === null || Number(own.leverage) <= most);
  const marginType = mode === "any" ? own.marginType : "isolated";
  function submit(event: Event): void {
    event.preventDefault();
    const body = { market, leverage: Number(own.leverage), margin_type: marginType };
    if (isPossible)
      void send(app, own, { path: "/v1/leverage", body, words: `${own.leverage}× ${marginType} for ${market}` });
  }
  return html`
    <form class="order" @submit=${submit} autocomplete="off" aria-label="Leverage">
      ${held === undefined ? nothing : html`<p class="note">Now ${held.leverage}× ${held.margin_type}.</p>`}
      ${decimalField({ words: "Leverage", name: "leverage", value: own.leverage, hint: most === null ? "" : `1 to ${most}` }, (leverage) => edit(app, own, { leverage }))}
      ${mode === "any" ? choice({ words: "Margin", name: "marginType", value: own.marginType, options: MARGIN_TYPES }, (type) => edit(app, own, { marginType: type })) : html`<p class="note">Isolated margin only.</p>`}
      <button ?disabled=${own.isBusy || !isPossible}>Set leverage</button>
    </form>`;
}

/** USDC with six decimals at most; negative takes out. */
const AMOUNT = /^-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$/;

function margin(app: App, own: LeverageForm, { market }: ApiMarket): TemplateResult | typeof nothing {
  const held = app.state.positions.value?.find((position) => position.market === market);
  if (held?.margin_type !== "isolated") return nothing;
  const isAmount = AMOUNT.test(own.margin) && Number(own.margin) !== 0;
  function submit(event: Event): void {
    event.preventDefault();
    const body = { market, amount: own.margin };
    if (isAmount)
      void send(app, own, { path: "/v1/margin", body, words: `${own.margin} USDC of margin for ${market}` });
  }
  return html`
    <form class="order" @submit=${submit} autocomplete="off" aria-label="Isolated margin">
      ${decimalField({ words: "Isolated margin to add", name: "margin", value: own.margin, hint: `has ${money(held.margin_used)}; negative takes out` }, (amount) => edit(app, own, { margin: amount }))}
      <button ?disabled=${own.isBusy || !isAmount}>Move margin</button>
    </form>`;
}

async function send(app: App, own: LeverageForm, wish: ApiWrite): Promise<void> {
  if (own.isBusy) return;
  edit(app, own, { isBusy: true });
  const outcome = await act(app, {
    ...wish,
    failed: (words) => {
      own.failure = words;
    },
  });
  own.isBusy = false;
  if (outcome?.kind === "done" && own.failure === null) Object.assign(own, { leverage: "", margin: "" });
  app.changed();
}
