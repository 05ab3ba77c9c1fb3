/**
 * An answer to a placing names a native id and no market, and what was signed was a place in a list that moves. The feed names
 * the market of what it tells a moment later, or earlier.
 */

import type { With } from "../../deps.ts";
import type { HeardOrder } from "../../exchange/sitter.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { parseOrderStatusOf } from "../../wire/answer/order-status.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import { jsonInteger } from "../../wire/json.ts";
import type { Difference } from "../evidence/difference.ts";

/** So long an answer is kept for the word on its market, where none was heard of that market lately, milliseconds. */
const AWAITED_MS = 400;

type ToCompare = With<"clock" | "exchange" | "feeds" | "markets" | "picture">;

/**
 * What the exchange shows of the market of an order that its answer has named, where that is not the one that was asked for;
 * null where it is, or where nothing tells it in time. Waits for it once a minute and market, whether or not a word comes.
 *
 * @param user the trading address
 */
export async function shownElsewhere(
  world: ToCompare,
  { order, leg }: Placing,
  user: string,
  reply: Reply,
): Promise<Difference | null> {
  const oid = namedIn(reply, leg.cloid);
  if (oid === null) return null;
  const shown = world.picture.toldOf(user, oid) ?? (await awaited(world, order, user, oid));
  if (shown === null) return null;
  if (shown.cloid !== null && shown.cloid !== leg.cloid)
    return { words: `the order ${oid}, which is another`, isOtherMarket: false, mayBeOurs: false, oid };
  if (shown.market !== order.market)
    return {
      words: `the market ${shown.market} instead of ${order.market}`,
      isOtherMarket: true,
      mayBeOurs: true,
      oid,
    };
  world.markets.confirm(order.market, order.assetId);
  return null;
}

/** Its native id where the answer is one to this order. */
function namedIn(reply: Reply, cloid: string): string | null {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  const isNamed = entry?.kind === "resting" || entry?.kind === "filled";
  return isNamed && entry.cloid === cloid ? entry.oid : null;
}

/** What is told of the order that an answer names, by a feed or a record. */
type ShownOrder = Pick<HeardOrder, "market" | "cloid">;

async function awaited(world: ToCompare, order: StoredOrder, user: string, oid: string): Promise<ShownOrder | null> {
  // What is told a moment later is an alarm, and every key of the order answers as it reads.
  if (!world.markets.isWordDue(order.market, order.assetId)) return null;
  const timer = world.clock.timer(AWAITED_MS);
  const isLate = timer.up.then(() => null);
  const word = world.feeds.isLive(user) ? toldSoon(world, user, oid, isLate) : recorded(world, user, oid);
  const told = await Promise.race([word, isLate]).finally(timer.cancel);
  if (told === null) world.markets.heedSilence(order.market, order.assetId);
  return told;
}

async function toldSoon(
  world: With<"picture">,
  user: string,
  oid: string,
  isLate: Promise<null>,
): Promise<ShownOrder | null> {
  for (;;) {
    const isOver = await Promise.race([world.picture.next(user).then(() => false), isLate.then(() => true)]);
    const told = world.picture.toldOf(user, oid);
    if (told !== null || isOver) return told;
  }
}

/** Where no feed tells it: one look, which may come too early. */
async function recorded({ exchange }: With<"exchange">, user: string, oid: string): Promise<ShownOrder | null> {
  const outcome = await exchange.info({ type: "orderStatus", user, oid: jsonInteger(oid) }, { purpose: "settle" });
  const answer = outcome.kind === "ok" ? parseOrderStatusOf(oid, outcome.json) : null;
  if (answer?.kind !== "order") return null;
  return { market: answer.order.coin, cloid: answer.order.cloid };
}
