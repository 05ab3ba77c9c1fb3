/** One request that cancels everything of a moment, in a market or in all. */
import { act } from "./act.ts";
import type { App } from "./app.ts";
import type { CancelAllForm } from "./forms.ts";

export function openCancelAll(app: App): void {
  app.state.forms.cancelAll = {
    market: "",
    touches: app.state.session?.me.limits === null ? "all" : "own",
    keepsProtection: true,
    isBusy: false,
    failure: null,
  };
  app.changed();
}

export function closeCancelAll(app: App): void {
  app.state.forms.cancelAll = null;
  app.changed();
}

export async function cancelAllNow(app: App, own: CancelAllForm): Promise<void> {
  const account = app.state.session?.me.account;
  if (account === undefined || own.isBusy) return;
  const { market, touches, keepsProtection } = own;
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  const outcome = await act(app, {
    path: "/v1/orders/cancel-all",
    body: { account, ...(market === "" ? {} : { market }), touches, keep_protection: keepsProtection },
    words: `cancel all orders${market === "" ? "" : ` in ${market}`}`,
    failed: (words) => {
      own.failure = words;
    },
  });
  own.isBusy = false;
  if (outcome === null) own.failure ??= "The answer is not known yet; it is shown with the messages.";
  if (own.failure === null && app.state.forms.cancelAll === own) closeCancelAll(app);
  app.changed();
}
