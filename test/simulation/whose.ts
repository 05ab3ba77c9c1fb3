/** Whose an order at the exchange is, by what it says there: the auditor knows no order by the gateway's books. */
import { keyOfBot } from "../../src/core/idempotency.ts";
import { keyDigitsOf, keyDigitsOfCloid } from "../../src/wire/order-id.ts";
import type { Bot } from "./bots.ts";
import { INSTANCE } from "./process.ts";
import type { WishOf } from "./truth.ts";
import { MIDDLE, type Part, type Wish } from "./wishes.ts";

/**
 * By its price, which no other wish has; a trade's guard, which goes to no such price, by the price that triggers it, or, where the mark has come to that already,
 * by how far it goes at once; and what the gateway prices by the
 * digits of its Idempotency-Key, in which its client order id ends whenever it was made.
 */
export function whoseBy(wishes: readonly Wish[], bots: readonly Bot[]): WishOf {
  const all = wishes.flatMap((wish) => [wish, ...(wish.parts ?? [])]);
  const byPrice = new Map(all.flatMap((wish) => (wish.price === null ? [] : [[wish.price, wish]])));
  const byTrigger = new Map(
    all.flatMap((wish) =>
      wish.part !== undefined && "triggerPrice" in wish.part ? [[wish.part.triggerPrice, wish]] : [],
    ),
  );
  const byWorst = new Map(
    all.flatMap((wish) => (wish.part !== undefined && "triggerPrice" in wish.part ? [[worstOf(wish.part), wish]] : [])),
  );
  const priced = all.filter(({ kind }) => kind === "market" || kind === "close");
  const byDigits = new Map(priced.map((wish) => [digitsOf(wish, bots), wish]));
  return ({ p: price, r: reduceOnly, t: terms, c: cloid }) => {
    if (reduceOnly && "trigger" in terms) return byPrice.get(price) ?? byTrigger.get(terms.trigger.triggerPx);
    const wish = (cloid === null ? undefined : byDigits.get(keyDigitsOfCloid(cloid))) ?? byPrice.get(price);
    return wish ?? (reduceOnly ? byWorst.get(price) : undefined);
  };
}

/** A tenth beyond its trigger: what a guard goes down, or up, to. Stops of purchases lie below the middle, their take-profits above. */
function worstOf({ as, triggerPrice }: Extract<Part, { triggerPrice: string }>): string {
  const trigger = Number(triggerPrice);
  const isSale = trigger < MIDDLE === (as === "stop");
  return String((trigger * (isSale ? 9 : 11)) / 10);
}

function digitsOf({ by, key }: Wish, bots: readonly Bot[]): string {
  const bot = bots.find(({ holders }) => holders.some((holder) => holder.by === by));
  const idempotencyKey = keyOfBot(bot?.rails.bot ?? null, key);
  return keyDigitsOf(INSTANCE.secret, { accountId: by.account.id, idempotencyKey });
}
