/** Closing a position, or a part of it: sized by the gateway by what is held at that moment, not by what was drawn. */
import { member } from "../api/request.ts";
import type { ApiPosition } from "../api/resources.ts";
import { compare, multiply, SENT_DECIMAL } from "../figures/decimal.ts";
import { act } from "./act.ts";
import type { App } from "./app.ts";
import type { CloseForm } from "./forms.ts";
import { standingPosition } from "./standing.ts";
import type { State } from "./state.ts";

export function openClose(app: App, position: ApiPosition): void {
  app.state.forms.close = { position, percent: "100", slippageBps: "50", isBusy: false, failure: null };
  app.changed();
}

export function closeClose(app: App): void {
  app.state.forms.close = null;
  app.changed();
}

/** Whole basis points within what the gateway takes. */
const BPS = /^[1-9][0-9]{0,2}$/;
const MAX_BPS = 500;

/** Why it cannot be sent as it stands; null when it can. */
export function closeFault(state: State, { position, percent, slippageBps }: CloseForm): string | null {
  const { changed } = standingPosition(state, position);
  if (changed !== null) return changed;
  const isPart = SENT_DECIMAL.test(percent) && compare(percent, "0") > 0 && compare(percent, "100") <= 0;
  if (!isPart) return "Percent is above 0 and at most 100.";
  return BPS.test(slippageBps) && Number(slippageBps) <= MAX_BPS ? null : `Slippage is 1 to ${MAX_BPS} basis points.`;
}

export async function closeNow(app: App, own: CloseForm): Promise<void> {
  const account = app.state.session?.me.account;
  if (account === undefined || own.isBusy || closeFault(app.state, own) !== null) return;
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  const { market } = own.position;
  const fraction = multiply(own.percent, "0.01");
  const outcome = await act(app, {
    path: "/v1/positions/close",
    body: { account, market, fraction, max_slippage_bps: Number(own.slippageBps) },
    words: `close ${own.percent} % of ${market}`,
    failed: (words) => {
      own.failure = words;
    },
  });
  own.isBusy = false;
  if (outcome === null) own.failure ??= "The answer is not known yet; it is shown with the messages.";
  const isDone = outcome?.kind === "done" && member(outcome.body, "error") === null && own.failure === null;
  if (isDone && app.state.forms.close === own) closeClose(app);
  app.changed();
}
