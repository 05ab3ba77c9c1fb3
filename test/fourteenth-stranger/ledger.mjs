// Our own books, from what the exchange executed and nothing else. Who an order is of is told by who asked for it.
import { abs, cut, dec, div, max, min, mul } from "./venue/decimal.mjs";

export class Ledger {
  constructor(venue) {
    this.venue = venue;
    this.byOid = new Map();
    this.byCloid = new Map();
    this.twaps = new Map();
    this.orders = new Map();
  }

  // What a client was answered for an order of its own.
  own(name, order) {
    if (!order?.id) return;
    this.orders.set(order.id, name);
    this.byCloid.set(`0x${order.id.replaceAll("-", "")}`, name);
    if (order.exchange_order_id) this.byOid.set(Number(order.exchange_order_id), name);
  }

  ownTwap(name, operation) {
    if (operation?.exchange_id) this.twaps.set(Number(operation.exchange_id), name);
  }

  whose(fill) {
    if (fill.twapId !== null) return this.twaps.get(fill.twapId) ?? null;
    return this.byOid.get(fill.oid) ?? (fill.cloid ? (this.byCloid.get(fill.cloid) ?? null) : null);
  }

  fills(name, coin) {
    return this.venue.fills
      .map((row) => row.wire)
      .filter(
        (fill) => (name === undefined || this.whose(fill) === name) && (coin === undefined || fill.coin === coin),
      );
  }

  net(name, coin) {
    let net = 0n;
    for (const fill of this.fills(name, coin)) net += signed(fill);
    return net;
  }

  turnover(name) {
    return this.fills(name).reduce((sum, fill) => sum + mul(dec(fill.px), dec(fill.sz)), 0n);
  }

  // Worst case of a bot in a market by what the exchange holds of it: [size, what may be bought, what may be sold].
  worst(name, coin) {
    const net = this.net(name, coin);
    let buys = 0n;
    let sells = 0n;
    for (const order of this.venue.open.values()) {
      const whose = this.byOid.get(order.oid) ?? this.byCloid.get(order.cloid);
      if (whose !== name || order.coin !== coin || order.reduceOnly) continue;
      if (order.isBuy) buys += order.sz;
      else sells += order.sz;
    }
    for (const twap of this.venue.twaps.values()) {
      if (this.twaps.get(twap.id) !== name || twap.coin !== coin || twap.reduceOnly) continue;
      if (twap.isBuy) buys += twap.sz - twap.done;
      else sells += twap.sz - twap.done;
    }
    return max(abs(net + buys), abs(net - sells));
  }

  // Everything by cash: no average cost is needed for what the account has made. In quote, at the marks of now.
  made(coin) {
    const market = this.venue.markets.get(coin);
    let cash = 0n;
    let held = 0n;
    for (const fill of this.fills(undefined, coin)) {
      cash -= mul(signed(fill), dec(fill.px));
      held += signed(fill);
      if (fill.feeToken === "USDC") cash -= dec(fill.fee);
      else held -= dec(fill.fee);
    }
    for (const row of this.venue.fundings) if (row.wire.delta.coin === coin) cash += dec(row.wire.delta.usdc);
    return cash + mul(held, market.mark);
  }
}

export function signed(fill) {
  return fill.side === "B" ? dec(fill.sz) : -dec(fill.sz);
}

export function average(fills) {
  let size = 0n;
  let value = 0n;
  for (const fill of fills) {
    size += dec(fill.sz);
    value += mul(dec(fill.px), dec(fill.sz));
  }
  return size === 0n ? null : cut(div(value, size), 8);
}

export { min };
