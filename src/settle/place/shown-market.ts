/**
 * Whether a placed order stands in the market that was asked for. The answer to a placing names a native id and no
 * market, and what was signed was a number, a place in a list of markets that moves. The feed names the market, mostly
 * within milliseconds of the answer, or before it.
 */

import type { With } from "../../deps.ts";
import type { HeardOrder } from "../../exchange/account-picture.ts";
import type { Placing, StoredOrder } from "../../store/orders.ts";
import { parseOrderStatusOf } from "../../wire/answer/order-status.ts";
import type { Reply } from "../../wire/answer/reply.ts";
import { jsonInteger } from "../../wire/json.ts";
import type { Difference } from "../evidence/difference.ts";

/**
 * How long an answer is held back until the feed or a look names the order's market, milliseconds: at most once a
 * minute and market, whether or not a word comes.
 */
const AWAITED_MS = 400;

type ToCompare = With<"clock" | "exchange" | "feeds" | "markets" | "picture">;

/**
 * How an order that an answer has named differs from what was asked for: it stands in another market, or is another
 * order. Null where it does not, or where nothing tells in time. Waits for word at most once a minute and market.
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
    return {
      words: `the order ${oid}, which is another`,
      isOtherMarket: false,
      mayBeOurs: false,
      isOfAnotherName: true,
      oid,
    };
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

/** The native id in an answer that is about this order; null in any other. */
function namedIn(reply: Reply, cloid: string): string | null {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  const isNamed = entry?.kind === "resting" || entry?.kind === "filled";
  return isNamed && entry.cloid === cloid ? entry.oid : null;
}

/** What a feed or a record tells of the order that an answer names. */
type ShownOrder = Pick<HeardOrder, "market" | "cloid">;

async function awaited(world: ToCompare, order: StoredOrder, user: string, oid: string): Promise<ShownOrder | null> {
  // Not waited for: another market that is told later is an alarm, and every key of the order then answers as it reads.
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

/** What the exchange's record says, where no feed is live: one look, which may come too early. */
async function recorded({ exchange }: With<"exchange">, user: string, oid: string): Promise<ShownOrder | null> {
  const outcome = await exchange.info({ type: "orderStatus", user, oid: jsonInteger(oid) }, { purpose: "settle" });
  const answer = outcome.kind === "ok" ? parseOrderStatusOf(oid, outcome.json) : null;
  if (answer?.kind !== "order") return null;
  return { market: answer.order.coin, cloid: answer.order.cloid };
}
