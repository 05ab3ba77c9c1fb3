/** Stop loss and take profit of a position that is held: reduce-only orders at market, sent one after the other. */
import { member } from "../api/request.ts";
import type { ApiMarket, ApiPosition } from "../api/resources.ts";
import { compare, isZero, SENT_DECIMAL } from "../figures/decimal.ts";
import { closingSide, type TriggerKind, worstAfter } from "../figures/protection.ts";
import { act } from "./act.ts";
import type { App } from "./app.ts";
import type { ProtectForm } from "./forms.ts";
import { standingPosition } from "./standing.ts";
import type { State } from "./state.ts";

export function openProtect(app: App, position: ApiPosition): void {
  app.state.forms.protect = {
    position,
    size: null,
    stopPrice: "",
    profitPrice: "",
    isBusy: false,
    failure: null,
  };
  app.changed();
}

export function closeProtect(app: App): void {
  app.state.forms.protect = null;
  app.changed();
}

/** Why it cannot be sent as it stands; null when it can. */
export function protectFault(
  state: State,
  { position, size: typed, stopPrice, profitPrice }: ProtectForm,
): string | null {
  const { now, changed } = standingPosition(state, position);
  if (changed !== null) return changed;
  const size = typed ?? now.size;
  if (stopPrice === "" && profitPrice === "") return "Give a stop, a profit, or both.";
  if (!SENT_DECIMAL.test(size) || isZero(size)) return "Size is a plain decimal such as 0.25.";
  if (compare(size, now.size) > 0) return `No more than ${now.size} is held.`;
  const isPrice = (text: string) => text === "" || (SENT_DECIMAL.test(text) && !isZero(text));
  return isPrice(stopPrice) && isPrice(profitPrice) ? null : "A trigger is a plain decimal such as 64250.5.";
}

/** The stop first: with a lost answer or a refusal nothing after it is sent. */
export async function protectNow(app: App, own: ProtectForm, market: ApiMarket): Promise<void> {
  if (own.isBusy || protectFault(app.state, own) !== null) return;
  Object.assign(own, { isBusy: true, failure: null });
  app.changed();
  for (const [kind, field] of [
    ["stop_loss", "stopPrice"],
    ["take_profit", "profitPrice"],
  ] as const) {
    if (own[field] === "") continue;
    // The answer to the first may have come a while later: the position may be another by then.
    const fault = protectFault(app.state, own);
    if (fault !== null) {
      own.failure = fault;
      break;
    }
    const isPlaced = await placeTrigger(app, own, { kind, price: own[field], market });
    if (!isPlaced) break;
    // What is placed is not sent again with what is not.
    own[field] = "";
  }
  own.isBusy = false;
  if (own.stopPrice === "" && own.profitPrice === "" && app.state.forms.protect === own) closeProtect(app);
  app.changed();
}

type TriggerForm = { kind: TriggerKind; price: string; market: ApiMarket };

async function placeTrigger(app: App, own: ProtectForm, { kind, price, market }: TriggerForm): Promise<boolean> {
  const account = app.state.session?.me.account;
  const { now } = standingPosition(app.state, own.position);
  const side = closingSide(now);
  const worst = worstAfter(price, side, market);
  if (account === undefined || worst === null) return false;
  const size = own.size ?? now.size;
  const trigger = { price, kind, market: true };
  const terms = { market: market.market, side, size, price: worst, time_in_force: "gtc", reduce_only: true, trigger };
  const outcome = await act(app, {
    path: "/v1/orders",
    body: { account, ...terms },
    words: `${kind === "stop_loss" ? "stop" : "profit"} of ${size} ${market.market} at ${price}`,
    failed: (words) => {
      own.failure = words;
    },
  });
  if (outcome === null) own.failure ??= "The answer is not known yet; it is shown with the messages.";
  return outcome?.kind === "done" && !["rejected", "unknown"].includes(String(member(outcome.body, "status")));
}
