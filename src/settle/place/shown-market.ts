/**
 * An answer to a placing names a native id and no market, and what was signed was a place in a list that moves. The feed names
 * the market of what it tells a moment later, or earlier.
 */
import type { With } from "../../deps.ts";
import { parseOrderStatus } from "../../wire/answer/order-status.ts";
import { jsonInteger } from "../../wire/json.ts";
import type { Difference } from "../evidence/difference.ts";
import type { Placing } from "../record/record.ts";
import type { Reply } from "../send/send.ts";

/** So long an answer is kept for the word on its market, where none was heard of that market lately, milliseconds. */
const AWAITED_MS = 400;

type ToCompare = With<"clock" | "exchange" | "feeds" | "markets" | "picture">;

/**
 * What the exchange shows of the market of an order that its answer has named, where that is not the one that was asked for;
 * null where it is, or where nothing tells it in time. Waits for it only once a minute and market.
 *
 * @param user the trading address
 */
export async function shownElsewhere(
  world: ToCompare,
  { order, leg, user }: Pick<Placing, "order" | "leg"> & { user: string },
  reply: Reply,
): Promise<Difference | null> {
  const oid = namedIn(reply, leg.cloid);
  if (oid === null) return null;
  const shown = toldMarket(world, user, oid) ?? (await awaitedMarket(world, { order, user, oid }));
  if (shown === null) return null;
  if (shown !== order.market)
    return { words: `the market ${shown} instead of ${order.market}`, isOtherMarket: true, mayBeOurs: true, oid };
  world.markets.confirm(order.market, order.assetId);
  return null;
}

/** Its native id where the answer is one to this order. */
function namedIn(reply: Reply, cloid: string): string | null {
  const [entry] = reply.kind === "accepted" ? reply.statuses : [];
  const isNamed = entry?.kind === "resting" || entry?.kind === "filled";
  return isNamed && entry.cloid === cloid ? entry.oid : null;
}

function toldMarket({ picture }: With<"picture">, user: string, oid: string): string | null {
  return picture.toldOf(user, oid)?.market ?? null;
}

type Awaited = Pick<Placing, "order"> & { user: string; oid: string };

async function awaitedMarket(world: ToCompare, awaited: Awaited): Promise<string | null> {
  const { order, user } = awaited;
  if (world.markets.isConfirmed(order.market, order.assetId)) return null;
  const timer = world.clock.timer(AWAITED_MS);
  const isLate = timer.up.then(() => null);
  const told = world.feeds.isLive(user) ? toldSoon(world, awaited, isLate) : recordedMarket(world, awaited);
  return Promise.race([told, isLate]).finally(timer.cancel);
}

async function toldSoon(world: With<"picture">, { user, oid }: Awaited, isLate: Promise<null>): Promise<string | null> {
  for (;;) {
    const isOver = await Promise.race([world.picture.next(user).then(() => false), isLate.then(() => true)]);
    const told = toldMarket(world, user, oid);
    if (told !== null || isOver) return told;
  }
}

/** Where no feed tells it: one look, which may come too early. */
async function recordedMarket({ exchange }: With<"exchange">, { user, oid }: Awaited): Promise<string | null> {
  const outcome = await exchange.info({ type: "orderStatus", user, oid: jsonInteger(oid) }, { purpose: "settle" });
  const answer = outcome.kind === "ok" ? parseOrderStatus(outcome.json) : null;
  return answer?.kind === "order" && answer.order.oid === oid ? answer.order.coin : null;
}
