/** The kinds of actions, each with what has to be there before it and what the exchange itself must show after it. */
import type { AttemptKind } from "../../../src/core/attempt.ts";
import { ONE } from "../../../src/paper/engine/units.ts";
import { fieldOf } from "../../simulation/clients.ts";
import type { Ask } from "../../simulation/front.ts";
import { units } from "../../simulation/truth.ts";
import type { Bench } from "./bench.ts";

export const KINDS = ["place", "cancel", "modify", "leverage", "margin", "twap", "twap_cancel", "noop"] as const;
/** `noop`: a place that never arrives, and the noop that seals it is what is broken off. */
export type Kind = (typeof KINDS)[number];

export type Prepared = {
  ask: Ask;
  /** The finished order or operation, as it is read, against the exchange; what is wrong with it. */
  verify(told: string): string[];
};

/** Native asset numbers. */
const ETH = 1;
const SOL = 5;
/** Far below the market: it rests. Dollars. */
const LOW_PRICE = 60_000;
/** Apart from prices of places, by which orders are known. Dollars. */
const MODIFIED_PRICE = 70_000;

/** `nth` counts the cases of one bench, from 0: what it asks for differs from all others. */
export function prepare(bench: Bench, kind: Kind, nth: number): Promise<Prepared> {
  switch (kind) {
    case "place":
    case "noop":
      return Promise.resolve(preparePlace(bench, nth));
    case "cancel":
      return prepareCancel(bench, nth);
    case "modify":
      return prepareModify(bench, nth);
    case "leverage":
      return Promise.resolve(prepareLeverage(bench, nth));
    case "margin":
      return prepareMargin(bench, nth);
    case "twap":
      return Promise.resolve(prepareTwap(bench, nth));
    case "twap_cancel":
      return prepareTwapCancel(bench, nth);
  }
}

/** Kind of the attempt that is broken off. */
export function attemptKind(kind: Kind): AttemptKind {
  if (kind === "noop") return "place";
  return kind === "margin" ? "isolated_margin" : kind;
}

function placing(price: number): Ask {
  const order = { market: "BTC", side: "buy", size: "0.001", price: String(price), timeInForce: "gtc" } as const;
  return { kind: "place", ...order, trigger: null, reduceOnly: false };
}

/** Native ids of all orders that were ever made with a limit price. */
function madeAt({ account }: Bench, price: number): number[] {
  return [...account.records.values()]
    .filter(({ order }) => order.limitPrice === BigInt(price) * ONE)
    .map(({ order }) => order.oid);
}

function preparePlace(bench: Bench, nth: number): Prepared {
  const price = LOW_PRICE - nth;
  return {
    ask: placing(price),
    verify(told) {
      const made = madeAt(bench, price);
      const expected = made.length === 0 ? "rejected null" : `open ${made[0]}`;
      return [...atMostOnce(made.length), ...same(shownOrder(told), expected)];
    },
  };
}

async function restingOrder(bench: Bench, nth: number): Promise<{ id: string; oid: number }> {
  const body = await bench.make(`resting-${nth}`, placing(LOW_PRICE - nth));
  const oid = Number(fieldOf(body, "exchange_order_id"));
  return { id: fieldOf(body, "id") ?? "", oid };
}

async function prepareCancel(bench: Bench, nth: number): Promise<Prepared> {
  const { id, oid } = await restingOrder(bench, nth);
  return {
    ask: { kind: "cancel", id },
    verify: (told) => same(shownOrder(told), `${bench.venue.orders.has(oid) ? "open" : "canceled"} ${oid}`),
  };
}

async function prepareModify(bench: Bench, nth: number): Promise<Prepared> {
  const { id, oid } = await restingOrder(bench, nth);
  const price = MODIFIED_PRICE - nth;
  return {
    ask: { kind: "modify", id, price: String(price), size: null, alwaysPlace: false },
    verify(told) {
      const made = madeAt(bench, price);
      const live = [oid, ...made].filter((each) => bench.venue.orders.has(each));
      const shownPrice = made.length === 0 ? LOW_PRICE - nth : price;
      const shown = `${shownOrder(told)} at ${fieldOf(told, "price")}`;
      return [...atMostOnce(made.length), ...same(shown, `open ${live.join(" and ")} at ${shownPrice}`)];
    },
  };
}

function prepareLeverage(bench: Bench, nth: number): Prepared {
  const leverage = 2 + (nth % 15);
  return {
    ask: { kind: "leverage", market: "SOL", leverage, marginType: "cross" },
    verify(told) {
      const isSet = bench.account.leverages.get(SOL)?.leverage === leverage;
      return same(fieldOf(told, "status"), isSet ? "succeeded" : "rejected");
    },
  };
}

async function prepareMargin(bench: Bench, nth: number): Promise<Prepared> {
  if (!bench.account.positions.has(ETH)) await openIsolated(bench, nth);
  const amount = `1.${101 + nth}`;
  const before = marginOf(bench);
  return {
    ask: { kind: "margin", market: "ETH", amount },
    verify(told) {
      const added = marginOf(bench) - before;
      // Funding of an hour that ends meanwhile is cents at most.
      const times = Number((added + ONE / 2n) / units(amount));
      return [...atMostOnce(times), ...same(fieldOf(told, "status"), times === 1 ? "succeeded" : "rejected")];
    },
  };
}

async function openIsolated(bench: Bench, nth: number): Promise<void> {
  await bench.make(`isolated-${nth}`, { kind: "leverage", market: "ETH", leverage: 5, marginType: "isolated" });
  const order = { market: "ETH", side: "buy", size: "0.1", price: "3300", timeInForce: "ioc" } as const;
  await bench.make(`position-${nth}`, { kind: "place", ...order, trigger: null, reduceOnly: false });
}

function marginOf({ account }: Bench): bigint {
  return account.positions.get(ETH)?.isolatedMargin ?? 0n;
}

const DAY_MINUTES = 1_440;

function twapping(nth: number): Extract<Ask, { kind: "twap" }> {
  return {
    kind: "twap",
    market: "BTC",
    side: nth % 2 === 0 ? "buy" : "sell",
    size: `0.5${1_001 + nth}`,
    minutes: DAY_MINUTES,
  };
}

function prepareTwap(bench: Bench, nth: number): Prepared {
  const ask = twapping(nth);
  return {
    ask,
    verify(told) {
      const made = [...bench.venue.twaps.values()].filter(({ size }) => size === units(ask.size));
      const expected = made.length === 0 ? "rejected null" : `succeeded ${made[0]?.twapId}`;
      return [...atMostOnce(made.length), ...same(shownOperation(told), expected)];
    },
  };
}

async function prepareTwapCancel(bench: Bench, nth: number): Promise<Prepared> {
  const twapId = Number(fieldOf(await bench.make(`running-${nth}`, twapping(nth)), "exchange_id"));
  return {
    ask: { kind: "twap_cancel", market: "BTC", twapId },
    verify: (told) => same(fieldOf(told, "status"), bench.venue.twaps.has(twapId) ? "rejected" : "succeeded"),
  };
}

function shownOrder(told: string): string {
  return `${fieldOf(told, "status")} ${fieldOf(told, "exchange_order_id")}`;
}

function shownOperation(told: string): string {
  return `${fieldOf(told, "status")} ${fieldOf(told, "exchange_id")}`;
}

function atMostOnce(times: number): string[] {
  return times <= 1 ? [] : [`executed ${times} times`];
}

function same(shown: string | null, expected: string): string[] {
  return shown === expected ? [] : [`shown as "${shown}", and truly "${expected}"`];
}
