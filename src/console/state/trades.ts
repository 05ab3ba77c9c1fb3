/** What may be changed of a trade that lives: no more of its entry, another stop, another profit. */
import type { ApiTrade } from "../api/resources.ts";
import { isPrice } from "../figures/order-sums.ts";
import { act } from "./act.ts";
import type { App } from "./app.ts";
import type { TradeForm } from "./forms.ts";
import { standingTrade } from "./standing.ts";

function wordsOf({ side, size, market }: ApiTrade): string {
  return `${side} ${size} ${market}`;
}

export async function cancelEntry(app: App, trade: ApiTrade): Promise<void> {
  await act(app, { path: `/v1/trades/${trade.id}/cancel`, body: {}, words: `enter no more of ${wordsOf(trade)}` });
}

export function openTradeForm(app: App, trade: ApiTrade): void {
  const { stop_loss: stop, take_profit: profit } = trade;
  app.state.forms.trade = {
    trade,
    stopPrice: stop.trigger_price,
    profitPrice: profit?.trigger_price ?? "",
    isBusy: false,
    failure: null,
  };
  app.changed();
}

export function closeTradeForm(app: App): void {
  app.state.forms.trade = null;
  app.changed();
}

/** What differs from what stands; an emptied field changes nothing, because none of both can be taken away alone. */
function changesOf({ trade, stopPrice, profitPrice }: TradeForm): Record<string, unknown> {
  const isMoved = (typed: string, stands: string | undefined) => typed !== "" && typed !== stands;
  return {
    ...(isMoved(stopPrice, trade.stop_loss.trigger_price) ? { stop_loss: { trigger_price: stopPrice } } : {}),
    ...(isMoved(profitPrice, trade.take_profit?.trigger_price) ? { take_profit: { trigger_price: profitPrice } } : {}),
  };
}

export async function moveProtection(app: App, own: TradeForm): Promise<void> {
  if (own.isBusy || standingTrade(app.state, own.trade).changed !== null) return;
  const body = changesOf(own);
  const typed = [own.stopPrice, own.profitPrice].filter((price) => price !== "");
  if (!typed.every(isPrice)) own.failure = "A trigger is a plain decimal such as 64250.5.";
  else if (Object.keys(body).length === 0) own.failure = "Nothing is changed yet.";
  else await send(app, own, body);
  app.changed();
}

async function send(app: App, own: TradeForm, body: Record<string, unknown>): Promise<void> {
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  const outcome = await act(app, {
    path: `/v1/trades/${own.trade.id}/modify`,
    body,
    words: `move what protects ${wordsOf(own.trade)}`,
    failed: (words) => {
      own.failure = words;
    },
  });
  own.isBusy = false;
  if (outcome === null) own.failure ??= "The answer is not known yet; it is shown with the messages.";
  if (own.failure === null && app.state.forms.trade === own) closeTradeForm(app);
}
