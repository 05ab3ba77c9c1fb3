import { add, multiply, ZERO } from "../core/decimal.ts";
import type { Filled } from "../core/order.ts";
import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import { shownFills } from "../exchange/told-fill.ts";
import { type Fill, parseFills } from "../wire/answer/fills.ts";

export const NOTHING_FILLED: Filled = { size: ZERO, notional: ZERO };

export function sumFills(fills: readonly Fill[]): Filled {
  return fills.reduce<Filled>(
    (sum, fill) => ({ size: add(sum.size, fill.size), notional: add(sum.notional, multiply(fill.price, fill.size)) }),
    NOTHING_FILLED,
  );
}

/** Pages read for one question; the exchange keeps about 10,000 fills. */
const MAX_PAGES = 8;

/** One page, oldest first, and whether it is the last; `failed` ends the reading. */
export type FillPage = { fills: readonly Fill[]; isLast: boolean } | "failed";

/**
 * Fills of a user since a time (exchange time, milliseconds), a page at a time. What stands at the end of a page may stand
 * at the beginning of the next as well. Ends without a last page when there are more than `maxPages`.
 */
export async function* fillPages(
  world: Pick<World, "exchange" | "feeds" | "settings">,
  asked: { user: string; sinceMs: number; maxPages: number },
  options: InfoOptions,
): AsyncGenerator<FillPage, void, void> {
  const { user } = asked;
  let startTime = asked.sinceMs;
  for (let page = 0; page < asked.maxPages; page += 1) {
    const outcome = await world.exchange.info({ type: "userFillsByTime", user, startTime }, options);
    const fills = outcome.kind === "ok" ? parseFills(outcome.json) : null;
    if (fills === null) {
      yield "failed";
      return;
    }
    world.feeds.showed(user, shownFills(fills));
    const last = fills.at(-1);
    if (fills.length < world.settings.fillsPageRows || last === undefined) {
      yield { fills, isLast: true };
      return;
    }
    yield { fills, isLast: false };
    // A page of one millisecond would be read for ever.
    startTime = last.timeMs > startTime ? last.timeMs : startTime + 1;
  }
}

/** All fills of a user since a time (exchange time, milliseconds), each once. */
export async function readFillsSince(
  world: Pick<World, "exchange" | "feeds" | "settings">,
  user: string,
  sinceMs: number,
  options: InfoOptions,
): Promise<Fill[] | "failed"> {
  const byKey = new Map<string, Fill>();
  for await (const page of fillPages(world, { user, sinceMs, maxPages: MAX_PAGES }, options)) {
    if (page === "failed") return page;
    for (const fill of page.fills) byKey.set(`${fill.timeMs}-${fill.coin}-${fill.tid}-${fill.oid}`, fill);
  }
  return [...byKey.values()];
}
