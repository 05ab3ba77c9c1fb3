import { add, type Decimal, decimal, larger, multiply, subtract, sum, ZERO } from "../core/decimal.ts";
import { netRange, notionalAt, type OpenLeg, type Reference, worstPosition } from "../core/rails/exposure.ts";
import { printRails } from "../core/rails/grammar.ts";
import { railsResource, tripResource } from "../core/rails/rails-resource.ts";
import { dayOf } from "../core/rails/trip.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findApiKey } from "../store/api-keys.ts";
import { findBotDay, listBotNets } from "../store/bots.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { findTrip } from "../store/trips.ts";
import { lossToday } from "../write/day-loss.ts";
import { railsOf } from "../write/gate.ts";

export type ToShowLimits = With<"clock" | "marketView" | "store">;

/** What a limited key is held to now, how much of it its bot has used, and what is left; null for a plain key. */
export function limitsResource(deps: ToShowLimits, keyHash: string) {
  const { store, clock } = deps;
  const key = findApiKey(store, keyHash);
  if (key === null || key.limited === null) return null;
  const { accountId, limited } = key;
  const rails = railsOf(store, key, limited);
  const { bot } = rails;
  const { turnover, actions } = findBotDay(store, { accountId, bot }, clock.nowMs());
  const legs = listOpenLegs(store, accountId).filter((leg) => leg.bot === bot);
  const increasing = legs.filter(({ reduceOnly }) => !reduceOnly);
  const turnoverOpen = sumOfKnown(increasing.map((leg) => notionalAt(leg, referenceOf(deps, leg.market))));
  const openOrders = new Set(legs.map(({ orderId }) => orderId)).size;
  const held = listBotNets(store, accountId, bot);
  const markets = [...new Set([...held.keys(), ...legs.map(({ market }) => market)])].sort();
  const positions = markets.map((market) => positionIn(deps, { market, net: held.get(market) ?? ZERO, legs }));
  const nowMs = clock.nowMs();
  const trip = findTrip(store, { accountId, bot }, dayOf(nowMs));
  const loss = lossToday(deps, store, { accountId, bot, maxAgeMs: Number.POSITIVE_INFINITY });
  return {
    bot,
    rails: railsResource(printRails(rails)),
    expires_at: isoTime(limited.expiresAtMs),
    trip: trip === null ? null : tripResource(trip),
    use: {
      turnover_today: turnover,
      turnover_open: turnoverOpen,
      loss_today: loss,
      actions_today: actions,
      open_orders: openOrders,
      nets: [...held].map(([market, net]) => ({ market, net })),
      positions: positions.map(({ market, size, value }) => ({ market, worst_case_size: size, worst_case_usd: value })),
    },
    headroom: {
      turnover_today: left(rails.maxTurnoverPerDay, turnoverOpen === null ? null : add(turnover, turnoverOpen)),
      loss_today: left(rails.maxLossPerDay, loss),
      exposure: left(rails.maxExposure, sumOfKnown(positions.map(({ value }) => value))),
      actions_today: rails.maxActionsPerDay === null ? null : Math.max(0, rails.maxActionsPerDay - actions),
      open_orders: rails.maxOpenOrders === null ? null : Math.max(0, rails.maxOpenOrders - openOrders),
      positions: positions.map(({ market, value }) => ({ market, usd: left(rails.maxPosition, value) })),
    },
  };
}

type Held = { market: string; net: Decimal; legs: readonly OpenLeg[] };

/** With everything that may still execute, at the highest price that any of it may come to; no value without a price. */
function positionIn(deps: ToShowLimits, { market, net, legs }: Held) {
  const own = legs.filter((leg) => leg.market === market);
  const size = worstPosition(netRange(net, null), own);
  const reference = referenceOf(deps, market);
  const prices = own.map((leg) => notionalAt({ ...leg, remaining: ONE }, reference));
  const price = [reference?.high ?? null, ...prices].reduce<Decimal | null>(largerKnown, null);
  return { market, size, value: price === null ? null : multiply(size, price) };
}

const ONE = decimal("1");

function largerKnown(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one === null || other === null ? (one ?? other) : larger(one, other);
}

/** The newest that is known, however old: this is shown, and not judged by. */
function referenceOf({ marketView }: With<"marketView">, market: string): Reference | null {
  const known = marketView.peek("mark", market);
  if (known === null) return null;
  const { mark, oracle } = known.value;
  return { low: mark, high: larger(mark, oracle ?? mark) };
}

function left(limit: Decimal | null, use: Decimal | null): Decimal | null {
  return limit === null || use === null ? null : larger(subtract(limit, use), ZERO);
}

function sumOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? sum(known) : null;
}
