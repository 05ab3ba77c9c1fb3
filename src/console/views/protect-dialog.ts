/** Stop loss and take profit for a position: what they would come to is shown before they are sent. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { ApiMarket, ApiPosition } from "../api/resources.ts";
import { figure, signedMoney, tone } from "../figures/format.ts";
import { metWords } from "../figures/met-trigger.ts";
import {
  closingSide,
  isBeyondLiquidation,
  outcomeAt,
  SLIPPAGE_WORDS,
  type TriggerKind,
  worstAfter,
} from "../figures/protection.ts";
import { dialog } from "../parts/dialog.ts";
import { decimalField } from "../parts/fields.ts";
import { warning } from "../parts/section.ts";
import { withdrawn } from "../parts/withdrawn.ts";
import type { App } from "../state/app.ts";
import type { ProtectForm } from "../state/forms.ts";
import { closeProtect, openProtect, protectFault, protectNow } from "../state/protecting.ts";
import { standingPosition } from "../state/standing.ts";
import { sizeSince } from "./close-dialog.ts";

export function protectDialog(app: App): TemplateResult {
  const { protect } = app.state.forms;
  return dialog("Stop loss and take profit", protect === null ? null : content(app, protect), () => closeProtect(app));
}

function content(app: App, own: ProtectForm): TemplateResult {
  const { now: position, changed, isThere } = standingPosition(app.state, own.position);
  const size = own.size ?? position.size;
  const market = app.state.markets.value?.find((listed) => listed.market === position.market);
  if (market === undefined) return html`<p class="words">The rules of ${position.market} have not been read yet.</p>`;
  function edit(change: Partial<ProtectForm>): void {
    Object.assign(own, change, { failure: null });
    app.changed();
  }
  function submit(event: Event): void {
    event.preventDefault();
    if (market !== undefined) void protectNow(app, own, market);
  }
  const fault = protectFault(app.state, own);
  return html`
    <form class="order" @submit=${submit} autocomplete="off">
      <p class="words">${position.side} ${figure(position.size)} ${position.market}, entered at ${figure(position.entry_price)}, mark ${figure(position.mark_price)}${sizeSince(own.position, position)}</p>
      ${decimalField({ words: "Stop loss, trigger price", name: "stopPrice", value: own.stopPrice, hint: "mark" }, (stopPrice) => edit({ stopPrice }))}
      ${consequence({ position, size, kind: "stop_loss", price: own.stopPrice, market })}
      ${decimalField({ words: "Take profit, trigger price", name: "profitPrice", value: own.profitPrice, hint: "mark" }, (profitPrice) => edit({ profitPrice }))}
      ${consequence({ position, size, kind: "take_profit", price: own.profitPrice, market })}
      ${decimalField({ words: "Size", name: "protectSize", value: size, hint: `of ${figure(position.size)}` }, (size) => edit({ size }))}
      <p class="note">Orders at market that can only reduce, held by the exchange. They stay until they fire or are canceled.</p>
      ${withdrawn(own.isBusy ? null : changed, isThere ? () => openProtect(app, position) : null)}
      ${own.failure === null ? nothing : html`<p class="late" role="alert">${own.failure}</p>`}
      <div class="buttons">
        <button class="primary" ?disabled=${own.isBusy || fault !== null}>${own.isBusy ? "Sending…" : "Place"}</button>
        <button type="button" @click=${() => closeProtect(app)}>Leave it</button>
      </div>
    </form>`;
}

const LATE_WORDS = "That is beyond the liquidation price: the position is liquidated before the stop fires.";

type TriggerFormShown = { position: ApiPosition; size: string; kind: TriggerKind; price: string; market: ApiMarket };

function consequence({ position, size, kind, price, market }: TriggerFormShown): TemplateResult | typeof nothing {
  const side = closingSide(position);
  const worst = worstAfter(price, side, market);
  if (worst === null) return nothing;
  const outcome = outcomeAt(position, price, size);
  const words = html`${side === "sell" ? "Sells" : "Buys"} at ${figure(worst)} or better (${SLIPPAGE_WORDS} beyond it)`;
  const sum =
    outcome === null
      ? nothing
      : html`; at the trigger <span class=${tone(outcome)}>${signedMoney(outcome)}</span> before fees`;
  const met = metWords({ side, kind, price }, position.mark_price ?? undefined);
  const late = kind === "stop_loss" && isBeyondLiquidation(position, price) ? LATE_WORDS : null;
  return html`<p class="note">${words}${sum}.</p>${warning(met ?? late)}`;
}
