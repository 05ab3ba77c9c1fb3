/** The order that is being written: why it cannot be sent, what it would be sent as, and sending it. */
import { decimal } from "../../core/decimal.ts";
import { sizeFault } from "../../core/market.ts";
import { worstPrice } from "../../core/worst-price.ts";
import { member } from "../api/request.ts";
import type { ApiMarket, ApiPosition } from "../api/resources.ts";
import { compare, SENT_DECIMAL } from "../figures/decimal.ts";
import { entryProtectionFault } from "../figures/entry-protection.ts";
import { marketNamed } from "../figures/market-name.ts";
import { marketOf } from "../figures/market-rules.ts";
import { isPrice } from "../figures/order-sums.ts";
import { act } from "./act.ts";
import type { App } from "./app.ts";
import { keepDraft, type OrderDraft, type OrderForm } from "./forms.ts";
import { watchMarket } from "./market-live.ts";

export type FormField =
  | "market"
  | "size"
  | "price"
  | "slippageBps"
  | "triggerPrice"
  | "tif"
  | "stopPrice"
  | "profitPrice";
export type Fault = { field: FormField; words: string };

/** Whole basis points within what the gateway takes. */
const BPS = /^[1-9][0-9]{0,2}$/;
const MAX_BPS = 500;

export function changeDraft(app: App, change: Partial<OrderDraft>): void {
  const { order } = app.state.forms;
  Object.assign(order.draft, change);
  order.isTouched = true;
  order.failure = null;
  keepDraft(app.sessionStorage, order.draft);
  watchMarket(app);
  app.changed();
}

/** To the form, with that side chosen. */
export function begin(app: App, side: OrderDraft["side"]): void {
  changeDraft(app, { side });
  const size = document.querySelector("input[name=size]");
  if (size instanceof HTMLElement) size.focus();
}

export function listedMarket({ state: { markets, forms } }: App): ApiMarket | null {
  return marketNamed(markets.value, forms.order.draft.market);
}

/** The first thing that keeps it from being sent as it stands; prices with too many digits are the gateway's to tell. */
export function draftFault(draft: OrderDraft, market: ApiMarket | null): Fault | null {
  if (draft.market === "") return { field: "market", words: "Name a market." };
  if (!isPrice(draft.size)) return { field: "size", words: "Size is a plain decimal such as 0.25." };
  const size = market === null ? null : sizeFault(marketOf(market), decimal(draft.size), "Size");
  if (size !== null) return { field: "size", words: size };
  if (draft.kind === "market") {
    const isWhole = BPS.test(draft.slippageBps) && Number(draft.slippageBps) <= MAX_BPS;
    return isWhole ? null : { field: "slippageBps", words: `Whole basis points, 1 to ${MAX_BPS}.` };
  }
  if (!isPrice(draft.price)) return { field: "price", words: "Price is a plain decimal such as 64250.5." };
  if (draft.trigger === "none") return mayProtect(draft, market) ? entryProtectionFault(draft) : null;
  if (!SENT_DECIMAL.test(draft.triggerPrice))
    return { field: "triggerPrice", words: "Trigger price is a plain decimal." };
  return draft.timeInForce === "alo" ? { field: "tif", words: "A trigger order cannot be post-only." } : null;
}

/** A limit that enters a perpetual may bring its stop and its profit. */
export function mayProtect({ kind, trigger, isReduceOnly }: OrderDraft, market: ApiMarket | null): boolean {
  return kind === "limit" && trigger === "none" && !isReduceOnly && market?.kind === "perpetual";
}

/** What the gateway would make the worst price of an order at market now, by its own rule; null where that is not known. */
export function worstNow({ state }: App, draft: OrderDraft, market: ApiMarket | null): string | null {
  const { watched } = state;
  if (market === null || watched?.market !== market.market || draftFault({ ...draft, size: "1" }, null) !== null)
    return null;
  const { best, figures } = watched;
  const level = draft.side === "buy" ? best?.best_ask : best?.best_bid;
  if (level === null || level === undefined || figures === null) return null;
  const [mark, oracle] = [figures.mark_price, figures.oracle_price ?? figures.mark_price];
  const isMarkLower = compare(mark, oracle) < 0;
  const prices = {
    best: decimal(level.price),
    low: decimal(isMarkLower ? mark : oracle),
    high: decimal(isMarkLower ? oracle : mark),
  };
  const bounds = { prices, maxSlippageBps: Number(draft.slippageBps), maxDistance: null, first: null };
  return worstPrice(marketOf(market), draft.side, bounds);
}

/** The position that the draft would close; null unless it may only reduce one of the other side. */
export function closedBy({ state: { positions } }: App, draft: OrderDraft): ApiPosition | null {
  if (!draft.isReduceOnly) return null;
  const held = draft.side === "buy" ? "short" : "long";
  return positions.value?.find(({ market, side }) => market === draft.market && side === held) ?? null;
}

type DraftRequest = { path: string; body: Record<string, unknown>; words: string };

function sendingOf(account: string, draft: OrderDraft, listed: ApiMarket | null): DraftRequest {
  const { side, size, price } = draft;
  const market = listed?.market ?? draft.market;
  const words = `${side} ${size} ${draft.market}`;
  if (draft.stopPrice !== "" && mayProtect(draft, listed)) return protectedEntry(account, draft);
  const common = { account, market, side, size, reduce_only: draft.isReduceOnly };
  if (draft.kind === "market") {
    const body = { ...common, max_slippage_bps: Number(draft.slippageBps) };
    return { path: "/v1/orders/market", body, words: `${words} at market` };
  }
  const trigger = { price: draft.triggerPrice, kind: draft.trigger, market: draft.isTriggerMarket };
  const body = {
    account,
    market,
    side,
    size,
    price,
    time_in_force: draft.timeInForce,
    reduce_only: draft.isReduceOnly,
    ...(draft.trigger === "none" ? {} : { trigger }),
  };
  return { path: "/v1/orders", body, words: `${words} at ${price}` };
}

function protectedEntry(account: string, draft: OrderDraft): DraftRequest {
  const { market, side, size, price, timeInForce, stopPrice, profitPrice } = draft;
  const body = {
    account,
    market,
    side,
    size,
    entry: { price, time_in_force: timeInForce },
    stop_loss: { trigger_price: stopPrice },
    ...(profitPrice === "" ? {} : { take_profit: { trigger_price: profitPrice } }),
  };
  const profit = profitPrice === "" ? "" : `, profit ${profitPrice}`;
  return { path: "/v1/trades", body, words: `${side} ${size} ${market} at ${price}, stop ${stopPrice}${profit}` };
}

export async function placeDraft(app: App, own: OrderForm): Promise<void> {
  const { session, intentions } = app.state;
  const { draft } = own;
  if (session === null || own.isBusy || draftFault(draft, listedMarket(app)) !== null) return;
  const sending = sendingOf(session.me.account, draft, listedMarket(app));
  if (intentions.some(({ body }) => body === JSON.stringify(sending.body))) {
    own.failure = "The same order is still without an answer: ask for it again, or put it aside, before a second one.";
    app.changed();
    return;
  }
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  const outcome = await act(app, {
    ...sending,
    failed: (words) => {
      own.failure = words;
    },
  });
  own.isBusy = false;
  // An emptied size: pressing the button once more does nothing.
  if (outcome?.kind === "done" && member(outcome.body, "status") !== "rejected") {
    Object.assign(draft, { size: "", stopPrice: "", profitPrice: "" });
    own.isTouched = false;
    keepDraft(app.sessionStorage, draft);
  }
  app.changed();
}
