import { add, type Decimal, decimal, larger, multiply, subtract, sum, ZERO } from "../core/decimal.ts";
import {
  type NetRange,
  netRange,
  notionalAt,
  type OpenLeg,
  type Reference,
  sumsOf,
  worstPosition,
} from "../core/rails/exposure.ts";
import { printRails } from "../core/rails/grammar.ts";
import type { Rails } from "../core/rails/rails.ts";
import { railsResource, tripResource } from "../core/rails/rails-resource.ts";
import { dayOf, type Halt } from "../core/rails/trip.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findApiKey } from "../store/api-keys.ts";
import { findBotDay, listBotNets } from "../store/bots.ts";
import { railsOf } from "../store/narrowings.ts";
import { findTrip } from "../store/trips.ts";
import { listUnprovenTwaps } from "../store/unproven-twaps.ts";
import { haltOf, lossToday } from "../write/day-loss.ts";
import { heldOf, listOut } from "../write/rails-facts.ts";

export type ToShowLimits = With<"clock" | "exchange" | "marketView" | "picture" | "settings" | "store">;

/** How much of its rails a bot has used, at the newest prices that are known. */
export type BotUse = ReturnType<typeof useOf>;

export function useOf(deps: ToShowLimits, accountId: string, bot: string) {
  const { store, clock } = deps;
  const of = { accountId, bot };
  const { turnover: traded, actions } = findBotDay(store, of, clock.nowMs());
  // What the gate counts: an entry that a trade will send, and what may come of a refused action, are among them.
  const legs = listOut(deps, accountId).filter((leg) => leg.bot === bot);
  const increasing = legs.filter(({ canOnlyReduce }) => !canOnlyReduce);
  const orderValues = increasing.map((leg) => notionalAt(leg, referenceOf(deps, leg.market)));
  const turnoverOpen = sumOfKnown(orderValues);
  const held = listBotNets(store, accountId, bot);
  const unproven = listUnprovenTwaps(store, of);
  const account = findAccount(store, accountId);
  const shown = [...held.keys(), ...unproven.keys(), ...legs.map(({ market }) => market)];
  const positions = [...new Set(shown)].sort().map((market) => {
    const own = held.get(market) ?? ZERO;
    const beside = unproven.get(market) ?? null;
    const counted = account === null ? beside : heldOf(deps, { account, market }, beside);
    return positionIn(deps, { market, net: netRange(own, null, counted), legs });
  });
  return {
    traded,
    turnoverOpen,
    turnover: turnoverOpen === null ? null : add(traded, turnoverOpen),
    orderValues,
    actions,
    openOrders: new Set(legs.map(({ orderId }) => orderId)).size,
    nets: [...held].map(([market, net]) => ({ market, net })),
    positions,
    exposure: sumOfKnown(positions.map(({ value }) => value)),
    loss: lossToday(deps, store, { ...of, maxAgeMs: Number.POSITIVE_INFINITY }),
  };
}

/** What a limited key is held to now, how much of it its bot has used, and what is left; null for a plain key. */
export function limitsResource(deps: ToShowLimits, keyHash: string) {
  const { store, clock } = deps;
  const key = findApiKey(store, keyHash);
  if (key === null || key.limited === null) return null;
  const { accountId, limited } = key;
  const rails = railsOf(store, key, limited);
  const { bot } = rails;
  const use = useOf(deps, accountId, bot);
  const trip = findTrip(store, { accountId, bot }, dayOf(clock.nowMs()));
  return {
    bot,
    rails: railsResource(printRails(rails)),
    expires_at: isoTime(limited.expiresAtMs),
    trip: trip === null ? null : tripResource(trip),
    use: {
      turnover_today: use.traded,
      turnover_open: use.turnoverOpen,
      loss_today: use.loss,
      actions_today: use.actions,
      open_orders: use.openOrders,
      nets: use.nets,
      positions: use.positions.map(({ market, size, value }) => ({
        market,
        worst_case_size: size,
        worst_case_usd: value,
      })),
    },
    headroom: headroomOf(rails, use, haltOf(store, accountId, rails, clock.nowMs()) ?? haltByWords(rails)),
  };
}

/** What the gate would let pass. While it lets nothing increase nothing is left, of what is not limited either. */
function headroomOf(rails: Rails, use: BotUse, halt: HaltShown | null) {
  const { turnover, loss, exposure, actions, openOrders, positions } = use;
  if (halt !== null) return nothingLeft(use, halt);
  return {
    halt: null,
    turnover_today: left(rails.maxTurnoverPerDay, turnover),
    loss_today: left(rails.maxLossPerDay, loss),
    exposure: left(rails.maxExposure, exposure),
    actions_today: rails.maxActionsPerDay === null ? null : Math.max(0, rails.maxActionsPerDay - actions),
    open_orders: rails.maxOpenOrders === null ? null : Math.max(0, rails.maxOpenOrders - openOrders),
    positions: positions.map(({ market, value }) => ({ market, usd: left(rails.maxPosition, value) })),
  };
}

/** Of a bot that may neither increase nor propose it, as one that is paused, no amount lets anything pass. */
function haltByWords({ may }: Rails): HaltShown | null {
  return may.includes("increase") || may.includes("propose") ? null : { cause: "may", untilMs: null };
}

type HaltShown = { cause: Halt["cause"] | "may"; untilMs: number | null };

function nothingLeft({ positions }: BotUse, { cause, untilMs }: HaltShown) {
  return {
    halt: { cause, until: untilMs === null ? null : isoTime(untilMs) },
    turnover_today: ZERO,
    loss_today: ZERO,
    exposure: ZERO,
    actions_today: 0,
    open_orders: 0,
    positions: positions.map(({ market }) => ({ market, usd: ZERO })),
  };
}

type HeldInMarket = { market: string; net: NetRange; legs: readonly OpenLeg[] };

/** With everything that may still execute, at the highest price that any of it may come to; no value without a price. */
function positionIn(deps: ToShowLimits, { market, net, legs }: HeldInMarket) {
  const out = legs.filter((leg) => leg.market === market);
  const size = worstPosition(net, sumsOf(out));
  const reference = referenceOf(deps, market);
  const prices = out.map((leg) => notionalAt({ ...leg, remaining: ONE }, reference));
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
