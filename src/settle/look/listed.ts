import { dexOf } from "../../core/market.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { parseFrontendOpenOrders } from "../../wire/answer/open-orders.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";

/** Open orders of the dex in which an order is; null when they could not be read. */
export async function readListed(
  world: With<"exchange">,
  { user }: { user: string },
  { order, options }: { order: Pick<FrontendOrder, "coin">; options: InfoOptions },
): Promise<readonly FrontendOrder[] | null> {
  const dex = dexOf(order.coin);
  const outcome = await world.exchange.info({ type: "frontendOpenOrders", user, dex }, options);
  const listed = outcome.kind === "ok" ? parseFrontendOpenOrders(outcome.json) : null;
  // What was placed in another dex, which a server may show as well, says nothing of how new its list of this one is.
  return listed?.filter(({ coin }) => dexOf(coin) === dex) ?? null;
}
