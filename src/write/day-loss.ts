/** What a bot has lost of today. */
import { type Decimal, ZERO } from "../core/decimal.ts";
import { lossOfDay } from "../core/rails/loss.ts";
import { dayOf, lossThatCounts } from "../core/rails/trip.ts";
import type { With } from "../deps.ts";
import { findBotDay, listBotNets } from "../store/bots.ts";
import { listDayMarkets, newDayMarket } from "../store/day-markets.ts";
import type { Store } from "../store/open.ts";
import { listTrips } from "../store/trips.ts";

/**
 * What a bot has lost since 00:00 UTC, USD, at marks that are not older than `maxAgeMs` (milliseconds); without what
 * the operator has already taken note of. Null where a mark is missing.
 */
export function lossToday(
  { clock, marketView }: With<"clock" | "marketView">,
  store: Store,
  { accountId, bot, maxAgeMs }: { accountId: string; bot: string; maxAgeMs: number },
): Decimal | null {
  const nowMs = clock.nowMs();
  const of = { accountId, bot, day: dayOf(nowMs) };
  const nets = listBotNets(store, accountId, bot);
  const known = listDayMarkets(store, of);
  const seen = new Set(known.map(({ market }) => market));
  const fresh = [...nets].filter(([market]) => !seen.has(market)).map(([market, net]) => newDayMarket(market, net));
  const valued = [...known, ...fresh].map((row) => {
    const shown = marketView.peek("mark", row.market);
    const mark = shown === null || shown.ageMs > maxAgeMs ? null : shown.value.mark;
    return { ...row, net: nets.get(row.market) ?? ZERO, mark };
  });
  const loss = lossOfDay(valued, findBotDay(store, of, nowMs).fees);
  return loss === null ? null : lossThatCounts(loss, listTrips(store, of, of.day));
}
