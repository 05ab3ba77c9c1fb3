/** What the owners of a run have signed, and the terms of what is asked for. */

import type { OrderTerms } from "../../src/core/order.ts";
import type { RailsText } from "../../src/core/rails/rails.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Limits } from "./auditor.ts";
import { MARKETS } from "./gateway.ts";
import type { Mix } from "./requests.ts";

export function drawRails(chance: Chance, bot: string, mix: Mix): RailsText {
  return {
    bot,
    may: chance.pick(mix === "direct" ? MAY : [...MAY, ...MAY_PROPOSE]),
    markets: chance.pick(["any", "BTC", "BTC,ETH", "@1,BTC,ETH", "@1,BTC,ETH"]),
    touches: chance.pick(["own", "own", "all"]),
    sources: "any",
    maxOrder: chance.pick(["any", "any", "3000 USD", "6000 USD"]),
    maxPosition: chance.pick(["any", "4000 USD", "9000 USD", "9000 USD"]),
    maxExposure: chance.pick(["any", "7000 USD", "12000 USD"]),
    maxTurnoverPerDay: chance.pick(["any", "any", "12000 USD", "20000 USD"]),
    maxLossPerDay: chance.pick(["any", "any", "any", "100 USD"]),
    maxActionsPerDay: chance.pick(["any", "any", "3", "6"]),
    maxOpenOrders: chance.pick(["any", "any", "2", "3"]),
    maxDistance: chance.pick(["any", "any", "0.5 %", "2 %", "3 %"]),
    maxStopDistance: chance.pick(["any", "any", "5 %"]),
    maxLeverage: chance.pick(["any", "any", "3", "5", "8"]),
  };
}

const ALL = "increase,reduce,modify,cancel,leverage,margin,twap,stop";
const MAY = [ALL, ALL, ALL, ALL, ALL, "increase,reduce,modify,cancel", "increase,reduce,cancel", "reduce,cancel"];
/** What increases takes a person's word. */
const MAY_PROPOSE = ["reduce,modify,cancel,propose", "cancel,propose"];

/** The same as figures, read by a grammar of its own. */
export function limitsOf(rails: RailsText): Limits {
  const usd = (text: string) => figure(text) * 1_000;
  const points = (text: string) => figure(text) * 100;
  const markets = MARKETS.flatMap(({ name, kind }, at) => {
    const isNamed = rails.markets.split(",").includes(name);
    return isNamed || (rails.markets === "any" && kind === "perpetual") ? [at] : [];
  });
  return {
    may: rails.may.split(","),
    markets,
    order: usd(rails.maxOrder),
    position: usd(rails.maxPosition),
    exposure: usd(rails.maxExposure),
    turnover: usd(rails.maxTurnoverPerDay),
    actions: figure(rails.maxActionsPerDay),
    open: figure(rails.maxOpenOrders),
    distance: points(rails.maxDistance),
    stopDistance: points(rails.maxStopDistance),
    leverage: figure(rails.maxLeverage),
    ownOnly: rails.touches === "own",
  };
}

function figure(text: string): number {
  return text === "any" ? Number.POSITIVE_INFINITY : Number.parseFloat(text);
}

/** A narrowing, by the names of the members. */
export function drawNarrowing(chance: Chance): Partial<RailsText> {
  return chance.pick<Partial<RailsText>>([
    { maxOrder: "2000 USD" },
    // What is looser than what holds changes nothing.
    ...Array(4).fill({ maxOrder: "9000 USD", maxPosition: "20000 USD", maxExposure: "30000 USD" }),
    { maxTurnoverPerDay: "90000 USD", maxOpenOrders: "9" },
    { maxPosition: "2000 USD" },
    { maxExposure: "5000 USD" },
    { maxTurnoverPerDay: "5000 USD" },
    { maxOpenOrders: "1" },
    { may: "reduce,cancel" },
    { maxLeverage: "2" },
    { markets: "ETH" },
  ]);
}

/** The tighter of both. */
export function narrowed(limits: Limits, rails: Partial<RailsText>): Limits {
  const least = (now: number, text: string | undefined, unit: number) =>
    text === undefined ? now : Math.min(now, figure(text) * unit);
  return {
    ...limits,
    may: rails.may === undefined ? limits.may : limits.may.filter((verb) => rails.may?.split(",").includes(verb)),
    markets:
      rails.markets === undefined ? limits.markets : limits.markets.filter((at) => MARKETS[at]?.name === rails.markets),
    order: least(limits.order, rails.maxOrder, 1_000),
    position: least(limits.position, rails.maxPosition, 1_000),
    exposure: least(limits.exposure, rails.maxExposure, 1_000),
    turnover: least(limits.turnover, rails.maxTurnoverPerDay, 1_000),
    open: least(limits.open, rails.maxOpenOrders, 1),
    leverage: least(limits.leverage, rails.maxLeverage, 1),
  };
}

/** Above what passes wherever anything is held to a size. */
export const TOO_MUCH = "3";

/** @param at where the market is, dollars; @param number of its own, so that each price is asked once */
export function drawTerms(
  chance: Chance,
  { asset, at, number }: { asset: number; at: number; number: number },
): OrderTerms {
  const market = MARKETS[asset]?.name ?? "";
  const side = chance.pick(["buy", "sell"] as const);
  const price = String(Math.round(at * chance.pick(NEAR)) + number);
  const size = chance.isLucky(0.35) ? TOO_MUCH : chance.pick(["0.005", "0.02", "0.05", "0.1"]);
  const kind = MARKETS[asset]?.kind === "spot" ? "plain" : chance.pick(KINDS);
  const timeInForce = chance.pick(["gtc", "gtc", "ioc", "alo"] as const);
  const trigger = kind === "plain" || kind === "reduce" ? null : triggerOf(chance, { at, kind, price });
  return { market, side, size, price, timeInForce, reduceOnly: kind === "reduce" || kind === "stop", trigger };
}

const NEAR = [0.93, 0.99, 1, 1, 1.004, 1.02, 1.06] as const;
const KINDS = ["plain", "plain", "plain", "plain", "reduce", "reduce", "stop", "entry_stop"] as const;

function triggerOf(
  chance: Chance,
  { at, kind, price }: { at: number; kind: string; price: string },
): OrderTerms["trigger"] {
  const fires = chance.isLucky(0.7) ? Number(price) : Math.round(at * chance.pick(NEAR));
  return {
    price: String(fires),
    kind: kind === "stop" ? "stop_loss" : chance.pick(["stop_loss", "take_profit"]),
    market: false,
  };
}
