/**
 * The smallest exchange that keys with rails can be held against. What is signed is on its way from that moment on; it lands, or
 * dies, when the run says so, whatever the gateway was told. Sizes are whole thousandths, prices whole dollars.
 */
import type { Action } from "../../src/wire/action/index.ts";
import type { WireOrder } from "../../src/wire/action/order.ts";
import type { Chance } from "../simulation/chance.ts";

/** `air`: signed, and not executed. `waits`: for its trigger. */
export type Standing = "air" | "waits" | "rests" | "over" | "dead";

/** One order of the exchange, or one TWAP. */
export type Leg = {
  /** Native id, once it has landed. */
  oid: number;
  /** Null of a TWAP. */
  cloid: string | null;
  /** Who has asked for it: name of a bot, or `plain`. */
  asker: string;
  /** In whose books it stands: what replaces an order stays with who placed that. */
  holder: string;
  asset: number;
  isBuy: boolean;
  size: number;
  filled: number;
  /** Thousandths of dollars. */
  notional: number;
  /** Null of a TWAP. */
  price: number | null;
  trigger: number | null;
  /** A stop that sells, or a profit that buys, fires at or below its trigger. */
  firesBelow: boolean;
  reduceOnly: boolean;
  isIoc: boolean;
  /** It is of the same order as others with this number. */
  root: number;
  standing: Standing;
  /** Why it is over. */
  end: "filled" | "canceled" | "rejected" | null;
  /** What the gateway was told of it last. */
  told: { filled: number; notional: number; standing: Standing };
};

/** One signed action. */
export type Sent = {
  nonce: number;
  action: Action;
  asker: string;
  legs: Leg[];
  standing: "air" | "landed" | "dead";
  /** A byte of it may have left. */
  isSent: boolean;
};

export type Venue = {
  sent: Sent[];
  legs: Leg[];
  /** By asset, thousandths; below zero is short. */
  positions: number[];
  /** By asset: what is set, or may be by what is on its way. */
  leverages: number[];
  sign(signed: { action: Action; nonce: number }, asker: AskerOf): Sent;
  /** Executes it; the answer's JSON. */
  land(sent: Sent): unknown;
  kill(sent: Sent): void;
  fill(leg: Leg, size: number): void;
  close(leg: Leg, end: NonNullable<Leg["end"]>): void;
};

/** Who has asked for an order, and in whose books it stands: the gateway's own orders are a bot's. */
export type Asker = { asker: string; holder: string };
/** By the order, or of whoever asks just now. */
export type AskerOf = (order: WireOrder | null) => Asker;

/** To be told of each fill: of whom, how much, and at which price in dollars. */
export type OnFill = (leg: Leg, size: number, price: number) => void;

/** Numbers of markets as they are signed; the last is spot. */
export const ASSETS: readonly number[] = [0, 1, 10_001];
export const SPOT = 2;

/** Place of a market among `ASSETS`. */
export function placeOf(assetId: number): number {
  return ASSETS.indexOf(assetId);
}

export const START_LEVERAGE = 5;

/** @param lowest dollars that a market has cost least: a slice is filled at what is below all that it was judged by */
export function openVenue(chance: Chance, onFill: OnFill, lowest: (asset: number) => number): Venue {
  let ids = 1_000;
  const venue: Venue = {
    sent: [],
    legs: [],
    positions: [0, 0, 0],
    leverages: [START_LEVERAGE, START_LEVERAGE, START_LEVERAGE],
    sign({ action, nonce }, asker) {
      const legs = legsOf(action, asker);
      const [first] = legs;
      const sent: Sent = {
        nonce,
        action,
        asker: first?.asker ?? asker(null).asker,
        legs,
        standing: "air",
        isSent: false,
      };
      venue.sent.push(sent);
      venue.legs.push(...legs);
      return sent;
    },
    land(sent) {
      sent.standing = "landed";
      return execute(sent);
    },
    kill(sent) {
      sent.standing = "dead";
      for (const leg of sent.legs) leg.standing = "dead";
    },
    fill(leg, wanted) {
      const room = leg.reduceOnly ? reducible(leg) : wanted;
      const size = Math.min(wanted, leg.size - leg.filled, room);
      if (size <= 0) return;
      const price = leg.price ?? lowest(leg.asset);
      leg.filled += size;
      leg.notional += size * price;
      venue.positions[leg.asset] = (venue.positions[leg.asset] ?? 0) + (leg.isBuy ? size : -size);
      onFill(leg, size, price);
      if (leg.filled === leg.size) venue.close(leg, "filled");
    },
    close(leg, end) {
      leg.standing = "over";
      leg.end = end;
    },
  };

  function nextId(): number {
    ids += 1;
    return ids;
  }

  function legsOf(action: Action, asker: AskerOf): Leg[] {
    if (action.type === "order") return action.orders.map((order) => legOf(order, asker(order), nextId()));
    if (action.type === "twapOrder") {
      const { a, b, s, r } = action.twap;
      const by = asker(null);
      const order = { a, b, s, r, p: "0", t: { limit: { tif: "Gtc" } } } satisfies WireOrder;
      return [{ ...legOf(order, by, nextId()), price: null }];
    }
    if (action.type !== "batchModify") return [];
    return action.modifies.map(({ oid, order }) => {
      const original = venue.legs.find((leg) => leg.oid === Number(oid));
      const leg = legOf(order, asker(order), original?.root ?? nextId());
      return { ...leg, holder: original?.holder ?? leg.holder };
    });
  }

  /** Of the account: the exchange nets, and knows of no bots. */
  function reducible({ asset, isBuy }: Leg): number {
    const held = venue.positions[asset] ?? 0;
    return Math.max(0, isBuy ? -held : held);
  }

  function execute({ action, legs }: Sent): unknown {
    switch (action.type) {
      case "order":
        return answer("order", legs.map(place));
      case "batchModify":
        return answer("order", [modify(Number(action.modifies[0]?.oid), action.a === true, legs[0])]);
      case "cancel":
        return answer(
          "cancel",
          action.cancels.map(({ o }) => cancel(venue.legs.find(({ oid }) => oid === Number(o)))),
        );
      case "cancelByCloid":
        return answer(
          "cancel",
          action.cancels.map(({ cloid }) => cancel(venue.legs.find((leg) => leg.cloid === cloid))),
        );
      case "updateLeverage":
        venue.leverages[placeOf(action.asset)] = action.leverage;
        return { status: "ok", response: { type: "default" } };
      case "twapOrder":
        return {
          status: "ok",
          response: { type: "twapOrder", data: { status: { running: { twapId: run(legs[0]) } } } },
        };
      case "twapCancel":
        for (const leg of venue.legs) if (leg.oid === Number(action.t) && isLive(leg)) venue.close(leg, "canceled");
        return { status: "ok", response: { type: "twapCancel", data: { status: "success" } } };
      default:
        return { status: "ok", response: { type: "default" } };
    }
  }

  function run(leg: Leg | undefined): number {
    if (leg === undefined) throw new Error("bug: a TWAP of nothing");
    leg.oid = nextId();
    leg.standing = "rests";
    return leg.oid;
  }

  function place(leg: Leg): unknown {
    leg.oid = nextId();
    const { oid, cloid } = leg;
    if (leg.reduceOnly && leg.trigger === null && reducible(leg) === 0) {
      venue.close(leg, "rejected");
      return { error: `Reduce only order would increase position. asset=${ASSETS[leg.asset]}` };
    }
    leg.standing = leg.trigger === null ? "rests" : "waits";
    if (leg.trigger !== null || (!leg.isIoc && chance.isLucky(0.5))) return { resting: { oid, cloid } };
    venue.fill(leg, chance.isLucky(0.6) ? leg.size : chance.between(0, leg.size));
    if (leg.standing === "rests" && leg.isIoc) venue.close(leg, leg.filled === 0 ? "rejected" : "canceled");
    if (leg.filled > 0) {
      const averagePrice = leg.notional / leg.filled;
      return { filled: { oid, cloid, totalSz: sizeText(leg.filled), avgPx: String(averagePrice) } };
    }
    if (leg.isIoc)
      return { error: `Order could not immediately match against any resting orders. asset=${ASSETS[leg.asset]}` };
    return { resting: { oid, cloid } };
  }

  function modify(oid: number, alwaysPlace: boolean, leg: Leg | undefined): unknown {
    if (leg === undefined) throw new Error("bug: a modify of nothing");
    const original = venue.legs.find((each) => each.oid === oid);
    const isThere = original !== undefined && isLive(original);
    if (isThere) venue.close(original, "canceled");
    if (isThere || alwaysPlace) return place(leg);
    leg.standing = "over";
    leg.end = "rejected";
    return { error: "Cannot modify canceled or filled order" };
  }

  function cancel(leg: Leg | undefined): unknown {
    if (leg === undefined || !isLive(leg)) return { error: "Order was never placed, already canceled, or filled." };
    venue.close(leg, "canceled");
    return "success";
  }

  return venue;
}

/** On the book, or behind a trigger. */
export function isLive({ standing }: Leg): boolean {
  return standing === "rests" || standing === "waits";
}

/** It may still be filled, now or once it has landed. */
export function mayFill(leg: Leg): boolean {
  return isLive(leg) || leg.standing === "air";
}

export function sizeText(thousandths: number): string {
  return String(thousandths / 1_000);
}

function legOf(order: WireOrder, by: Asker, root: number): Leg {
  const trigger = "trigger" in order.t ? Number(order.t.trigger.triggerPx) : null;
  const isStop = "trigger" in order.t && order.t.trigger.tpsl === "sl";
  return {
    oid: 0,
    cloid: order.c ?? null,
    ...by,
    asset: placeOf(order.a),
    isBuy: order.b,
    size: Math.round(Number(order.s) * 1_000),
    filled: 0,
    notional: 0,
    price: Number(order.p),
    trigger,
    firesBelow: isStop !== order.b,
    reduceOnly: order.r,
    isIoc: "limit" in order.t && order.t.limit.tif === "Ioc",
    root,
    standing: "air",
    end: null,
    told: { filled: 0, notional: 0, standing: "air" },
  };
}

function answer(type: string, statuses: readonly unknown[]): unknown {
  return { status: "ok", response: { type, data: { statuses } } };
}
