/** What stands beside the fields of an order: shares of what is free, prices of now, what it would cost, and warnings. */
import { html, type TemplateResult } from "lit-html";
import { figure, money, NOTHING } from "../figures/format.ts";
import { liquidationAfter } from "../figures/liquidation.ts";
import { metWords } from "../figures/met-trigger.ts";
import { farWords, feeRateOf, freeFor, sizeOfShare, sumsOf } from "../figures/order-sums.ts";
import { warning } from "../parts/section.ts";
import type { App } from "../state/app.ts";
import type { OrderDraft } from "../state/forms.ts";
import { changeDraft, closedBy, listedMarket, worstNow } from "../state/order-draft.ts";

const SHARES = [25, 50, 100] as const;

/** Buttons that fill in a part of what is free, or of the position that a reduce-only order would close. */
export function shares(app: App, draft: OrderDraft): TemplateResult {
  const market = listedMarket(app);
  const { account } = app.state;
  const closes = closedBy(app, draft);
  const free = account.value === null || market === null ? null : freeFor(account.value, market, draft.side);
  const about = {
    market,
    side: draft.side,
    price: priceOf(app, draft) ?? "",
    free,
    leverage: leverageOf(app, draft.market) ?? 1,
    closes,
  };
  function fill(percent: number): void {
    const size = market === null ? null : sizeOfShare({ ...about, market, percent });
    if (size !== null) changeDraft(app, { size });
  }
  return html`
    <div class="fills">
      ${SHARES.map((percent) => html`<button type="button" ?disabled=${market === null || sizeOfShare({ ...about, market, percent }) === null} @click=${() => fill(percent)}>${percent} %</button>`)}
      <small>${shareWords(app, draft)}</small>
    </div>`;
}

function shareWords(app: App, draft: OrderDraft): string {
  const closes = closedBy(app, draft);
  if (closes !== null) return `of ${figure(closes.size)} held`;
  if (draft.isReduceOnly) return "nothing to reduce";
  const market = listedMarket(app);
  const { value: account } = app.state.account;
  const free = account === null || market === null ? null : freeFor(account, market, draft.side);
  if (free === null) return "";
  const words = `of ${money(free.amount)} ${free.token}`;
  const leverage = leverageOf(app, draft.market);
  if (market?.kind === "spot") return words;
  return leverage === null ? `${words}, without leverage: what is set there is not known` : `${words} at ${leverage}×`;
}

function leverageOf(app: App, market: string): number | null {
  return marginOf(app, market).leverage;
}

/** What it is worth at: the limit, or the worst price at market. */
function priceOf(app: App, draft: OrderDraft): string | null {
  return draft.kind === "limit" ? draft.price : worstNow(app, draft, listedMarket(app));
}

export function sizeHint(app: App): string {
  const market = listedMarket(app);
  return market === null ? "" : `${market.size_decimals} decimals`;
}

/** Best bid, middle and best ask, each a button that fills it in. */
export function priceHints(app: App): TemplateResult {
  const { watched, prices } = app.state;
  const market = listedMarket(app);
  const best = watched !== null && watched.market === market?.market ? watched.best : null;
  const mid = best?.mid_price ?? prices.value?.get(market?.market ?? "");
  const offers = [
    ["bid", best?.best_bid?.price],
    ["mid", mid],
    ["ask", best?.best_ask?.price],
  ] as const;
  return html`
    <div class="fills">
      ${offers.map(([name, price]) => html`<button type="button" ?disabled=${price === undefined} title=${price ?? ""} @click=${() => changeDraft(app, { price: price ?? "" })}>${name}</button>`)}
      <small>${mid === undefined || mid === null ? "" : `now ${figure(mid)}`}</small>
    </div>`;
}

/** Before it is sent: at which price it would execute at worst. */
export function worstWords(app: App, draft: OrderDraft): TemplateResult {
  const market = listedMarket(app);
  const worst = worstNow(app, draft, market);
  if (worst !== null)
    return html`<p class="note">Worst price as of now: <strong>${figure(worst)}</strong>. What is not had at that is not ${draft.side === "buy" ? "bought" : "sold"}.</p>`;
  const why = app.state.watched?.failure ?? "no best price is known within the bounds";
  return html`<p class="late" role="status">The worst price is not known: ${why}. The gateway makes it of the book, or refuses.</p>`;
}

export function consequences(app: App, draft: OrderDraft): TemplateResult {
  const market = listedMarket(app);
  const price = priceOf(app, draft);
  const isTaker = draft.kind === "market" || draft.timeInForce === "ioc";
  const wanted = {
    market,
    size: draft.size,
    price: price ?? "",
    leverage: leverageOf(app, draft.market),
    feeRate: feeRateOf(app.state.fills.rows, isTaker || draft.timeInForce === "gtc" ? "taker" : "maker"),
  };
  const sums = market === null ? null : sumsOf({ ...wanted, market });
  return html`
    <dl class="sums" aria-live="polite">
      <div><dt>Value</dt><dd>${sums === null ? NOTHING : money(sums.value)}</dd></div>
      <div><dt title="Not known before something is held there, or its leverage is set here">Margin</dt><dd>${draft.isReduceOnly ? "none" : (sums?.margin ?? null) === null ? NOTHING : money(sums?.margin)}</dd></div>
      <div><dt title="At the rate of your last fill of that kind; not known before the first">Fee, about</dt><dd>${(sums?.fee ?? null) === null ? NOTHING : money(sums?.fee)}</dd></div>
      <div><dt title=${liquidationTitle(app, draft)}>Liquidation, about</dt><dd>${figure(liquidationOf(app, draft, price ?? ""))}</dd></div>
    </dl>
    ${warning(warningOf(app, draft))}`;
}

/** Of the position as it would be after the order. */
function liquidationOf(app: App, draft: OrderDraft, price: string): string | null {
  const { account, positions, markets, prices, watched } = app.state;
  const market = listedMarket(app);
  if (account.value === null || positions.value === null || market === null || draft.isReduceOnly) return null;
  const mark =
    (watched?.market === market.market ? watched.figures?.mark_price : undefined) ?? prices.value?.get(market.market);
  return liquidationAfter({
    account: account.value,
    positions: positions.value,
    market,
    maxLeverage: (name) => markets.value?.find((each) => each.market === name)?.max_leverage ?? null,
    side: draft.side,
    size: draft.size,
    price: draft.trigger === "none" ? price : draft.triggerPrice,
    mark: mark ?? "",
    ...marginOf(app, draft.market),
  });
}

/** Of the position in that market, or what was set here last; cross, as the exchange begins with, where neither is known. */
function marginOf({ state: { positions, operations } }: App, market: string) {
  const held = positions.value?.find((position) => position.market === market);
  if (held !== undefined) return { marginType: held.margin_type, leverage: held.leverage };
  const set = operations.value?.find(
    (one) => one.action === "leverage" && one.status === "succeeded" && one.market === market,
  );
  return { marginType: set?.margin_type ?? ("cross" as const), leverage: set?.leverage ?? null };
}

function liquidationTitle(app: App, draft: OrderDraft): string {
  const { marginType } = marginOf(app, draft.market);
  return `Of the whole position after it, ${marginType} margin, without fees and further tiers of margin`;
}

function warningOf(app: App, draft: OrderDraft): string | null {
  const { side, trigger, triggerPrice, price, kind, isTriggerMarket } = draft;
  const market = listedMarket(app);
  if (market === null || kind === "market") return null;
  const now = app.state.prices.value?.get(market.market);
  if (trigger === "none") return farWords(side, price, now);
  if (market.kind === "spot") return "The exchange takes no triggers on spot: it will be rejected.";
  const met = metWords({ side, kind: trigger, price: triggerPrice }, now);
  return met ?? (isTriggerMarket ? null : farWords(side, price, triggerPrice === "" ? undefined : triggerPrice));
}
