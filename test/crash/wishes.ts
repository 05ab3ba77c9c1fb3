/** What clients of a gateway that may die at any moment want: each action can be told from all others at the exchange. */
import type { Chance } from "../simulation/chance.ts";

/** One thing that a client wants to happen, under one Idempotency-Key. */
export type Wish = {
  key: string;
  kind: "place" | "modify" | "cancel" | "leverage" | "margin" | "twap" | "twap_cancel";
  path: string;
  body: object;
  /** How the exchange's log shows whose action it holds; null for what is known by its attempt alone. */
  mark: string | null;
  /** The order or TWAP that it changes; null where it makes one. */
  target: string | null;
  heard: Heard[];
  /** Requests that had no answer. */
  lost: number;
};

export type Heard = { status: number; body: string };

export type Wishes = {
  all: Wish[];
  /** The next wish, or an earlier one again. */
  next(): Wish;
  /** A new order. */
  place(): Wish;
  /** Isolated positions, so that there is margin to change: to be asked for, in order, before all others. */
  positions(): Wish[];
};

/** Below the market, where orders rest: one whole number each. */
const RESTING_BASE = 40_000;
/** Far enough above it to take what is there. */
const TAKING_BASE = 120_000;
/** Markets with an isolated position, what of it is bought, and a price that takes it. */
const ISOLATED = [
  { market: "ETH", size: "1", price: "3500" },
  { market: "SOL", size: "10", price: "200" },
  { market: "ATOM", size: "500", price: "5" },
  { market: "DYDX", size: "2000", price: "0.7" },
];
/** A TWAP's size, in 10^-5 BTC, grows by one each. */
const TWAP_BASE = 50_000;
/** Margin, in 10^-6 USDC, grows by one each. */
const MARGIN_BASE = 1_000_000;
const DAY_MINUTES = 1_440;

type Terms = Pick<Wish, "kind" | "path" | "body"> & Partial<Pick<Wish, "mark" | "target">>;

export function openWishes(chance: Chance, account: string): Wishes {
  const all: Wish[] = [];
  let hasPositions = false;

  function make({ mark = null, target = null, ...terms }: Terms): Wish {
    const key = `crash-${String(all.length).padStart(4, "0")}`;
    const made: Wish = { key, ...terms, mark, target, heard: [], lost: 0 };
    all.push(made);
    return made;
  }

  function order(terms: { market: string; size: string; price: string; time_in_force?: string }): Wish {
    const body = { account, side: "buy", ...terms };
    return make({ kind: "place", path: "/v1/orders", body, mark: orderMark(terms.price) });
  }

  function place(): Wish {
    const isTaking = chance.isLucky(0.4);
    const price = String((isTaking ? TAKING_BASE : RESTING_BASE) + all.length);
    if (!isTaking) return order({ market: "BTC", size: "0.002", price });
    return order({ market: "BTC", size: `0.00${chance.between(1, 9)}`, price, time_in_force: "ioc" });
  }

  function change(target: string): Wish {
    if (chance.isLucky(0.5)) {
      return make({ kind: "cancel", path: `/v1/orders/${target}/cancel`, body: {}, target });
    }
    const price = String(RESTING_BASE + all.length);
    const path = `/v1/orders/${target}/modify`;
    return make({ kind: "modify", path, body: { price }, mark: orderMark(price), target });
  }

  function leverage(market: string, terms: { leverage: number; margin_type: string }): Wish {
    return make({ kind: "leverage", path: "/v1/leverage", body: { market, ...terms }, target: market });
  }

  /** A second change of one position's margin while the first is unknown could not be told apart from it. */
  function margin(): Wish {
    const { market } = chance.pick(ISOLATED);
    const open = all.find((wish) => wish.kind === "margin" && wish.target === market && !isKnown(wish));
    if (open !== undefined) return open;
    const millionths = MARGIN_BASE + all.length;
    const amount = `${Math.floor(millionths / 1e6)}.${String(millionths % 1e6).padStart(6, "0")}`;
    const body = { market, amount };
    return make({ kind: "margin", path: "/v1/margin", body, mark: marginMark(millionths), target: market });
  }

  function twap(): Wish {
    const size = `0.${TWAP_BASE + all.length}`;
    const terms = { market: "BTC", side: "buy", size, duration_minutes: DAY_MINUTES };
    return make({ kind: "twap", path: "/v1/twaps", body: terms, mark: twapMark(size) });
  }

  function twapCancel(target: string): Wish {
    const body = { market: "BTC", twap_id: Number(target) };
    return make({ kind: "twap_cancel", path: "/v1/twaps/cancel", body, target });
  }

  function operation(): Wish {
    const running = told(all, "twap", "exchange_id");
    switch (chance.between(1, 4)) {
      case 1:
        return leverage("BTC", { leverage: chance.between(10, 40), margin_type: "cross" });
      case 2:
        return hasPositions ? margin() : twap();
      case 3:
        return running.length === 0 ? twap() : twapCancel(chance.pick(running));
      default:
        return twap();
    }
  }

  return {
    all,
    place,
    next() {
      if (all.length > 0 && chance.isLucky(0.2)) return chance.pick(all.slice(-8));
      if (chance.isLucky(0.2)) return operation();
      const known = told(all, "place", "id");
      return known.length === 0 || chance.isLucky(0.6) ? place() : change(chance.pick(known.slice(-12)));
    },
    positions() {
      hasPositions = true;
      return ISOLATED.flatMap(({ market, size, price }) => [
        leverage(market, { leverage: 3, margin_type: "isolated" }),
        order({ market, size, price, time_in_force: "ioc" }),
      ]);
    },
  };
}

function isKnown({ heard }: Wish): boolean {
  return heard.some(({ status }) => status === 200 || status === 201);
}

/** What the answers to wishes of one kind have named. */
function told(all: readonly Wish[], kind: Wish["kind"], member: "id" | "exchange_id"): string[] {
  return all.flatMap((wish) => (wish.kind === kind ? wish.heard.flatMap(({ body }) => memberOf(body, member)) : []));
}

function memberOf(body: string, member: string): string[] {
  const value: unknown = JSON.parse(body)[member];
  return typeof value === "string" ? [value] : [];
}

export function orderMark(price: string): string {
  return `order at ${price}`;
}

export function marginMark(millionths: number | bigint): string {
  return `margin of ${millionths}`;
}

export function twapMark(size: string): string {
  return `twap of ${Number(size)}`;
}
