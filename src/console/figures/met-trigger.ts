/** What a person should know of a trigger before it is sent. The gateway sends a met one as asked: a stop that is late still has to get out. */
import { compare, SENT_DECIMAL } from "./decimal.ts";
import { figure } from "./format.ts";

export type WantedTrigger = {
  side: "buy" | "sell";
  kind: "stop_loss" | "take_profit";
  /** As it is typed. */
  price: string;
};

/**
 * A warning where the price of now has reached the trigger already; null where it has not, or no price is known. The exchange goes
 * by its mark, the page knows the middle of the book: near the trigger either may be the first.
 */
export function metWords({ side, kind, price }: WantedTrigger, now: string | undefined): string | null {
  if (now === undefined || !SENT_DECIMAL.test(price)) return null;
  const order = compare(now, price);
  // A stop sells below and buys above; a profit is taken the other way round.
  const firesBelow = (kind === "stop_loss") === (side === "sell");
  const isMet = firesBelow ? order <= 0 : order >= 0;
  return isMet ? `This is met already (the price is ${figure(now)}): it fires at once.` : null;
}
