import { add, multiply, ZERO } from "../core/decimal.ts";
import type { Filled } from "../core/order.ts";
import type { World } from "../deps.ts";
import type { InfoOptions } from "../exchange/exchange.ts";
import { type Fill, parseFills } from "../wire/answer/fills.ts";

export const NOTHING_FILLED: Filled = { size: ZERO, notional: ZERO };

export function sumFills(fills: readonly Fill[]): Filled {
  return fills.reduce<Filled>(
    (sum, fill) => ({ size: add(sum.size, fill.size), notional: add(sum.notional, multiply(fill.price, fill.size)) }),
    NOTHING_FILLED,
  );
}

/** Rows a page of fills holds at most; fewer means that it was the last. */
export const FILLS_PAGE_ROWS = 2_000;
/** Pages read for one question; the exchange keeps about 10,000 fills. */
const MAX_PAGES = 8;

/** All fills of a user since a time (exchange time, milliseconds), each once. */
export async function readFillsSince(
  world: Pick<World, "exchange">,
  user: string,
  sinceMs: number,
  options: InfoOptions,
): Promise<Fill[] | "failed"> {
  const byKey = new Map<string, Fill>();
  let startTime = sinceMs;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const outcome = await world.exchange.info({ type: "userFillsByTime", user, startTime }, options);
    const fills = outcome.kind === "ok" ? parseFills(outcome.json) : null;
    if (fills === null) return "failed";
    for (const fill of fills) byKey.set(`${fill.timeMs}-${fill.coin}-${fill.tid}-${fill.oid}`, fill);
    const last = fills.at(-1);
    if (fills.length < FILLS_PAGE_ROWS || last === undefined) break;
    // A page of one millisecond would be read for ever.
    startTime = last.timeMs > startTime ? last.timeMs : startTime + 1;
  }
  return [...byKey.values()];
}
