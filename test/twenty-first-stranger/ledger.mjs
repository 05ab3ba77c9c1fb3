// What is so. Every change has the time of its block, and the changes of one action have one; a view is the ledger as of a time.

import { ONE, text, units } from "./decimal.mjs";
import { MARKETS } from "./markets.mjs";

export class Ledger {
  orders = new Map();
  byCloid = new Map();
  fills = [];
  news = []; // what the stream tells: {at, kind: 'order'|'fill', ...}
  #last = 0;
  #oid = 700_000_000_000;
  #tid = 4_000_000_000;
  #block = 0;

  /** All that `change` does has one time, later than every one before. */
  block(change) {
    this.#block = Math.max(Date.now(), this.#last + 1);
    this.#last = this.#block;
    try {
      return change(this.#block);
    } finally {
      this.#block = 0;
    }
  }

  place({ coin, isBuy, px, sz, tif, cloid, reduceOnly = false, owner = "hand", rests = true }) {
    const order = {
      oid: ++this.#oid,
      cloid,
      coin,
      isBuy,
      px: units(px),
      size: units(sz),
      tif,
      reduceOnly,
      owner,
      placedAt: this.#block,
      filled: 0n,
      fills: [],
      versions: [],
      replaces: null,
      replacedBy: null,
    };
    this.orders.set(order.oid, order);
    if (cloid) this.byCloid.set(cloid, order);
    if (rests) this.#becomes(order, "open");
    return order;
  }

  #becomes(order, status) {
    const version = { at: this.#block, status, left: status === "filled" ? 0n : order.size - order.filled };
    order.versions.push(version);
    this.news.push({ at: this.#block, kind: "order", order, version });
  }

  isOpen(order) {
    return order.versions.at(-1)?.status === "open";
  }

  fill(order, size, px = order.px) {
    const left = order.size - order.filled;
    if (left <= 0n || size <= 0n) return null;
    const amount = [size, left].sort((one, other) => Number(one - other))[0];
    const market = MARKETS[order.coin];
    const before = this.held(order.coin, this.#block);
    const fill = {
      at: this.#block,
      oid: order.oid,
      cloid: order.cloid,
      coin: order.coin,
      isBuy: order.isBuy,
      px,
      sz: amount,
      tid: ++this.#tid,
      before,
      fee: feeOf(market, order.isBuy, amount, px),
    };
    order.filled += amount;
    order.fills.push(fill);
    this.fills.push(fill);
    this.news.push({ at: this.#block, kind: "fill", fill });
    if (order.filled === order.size) this.#becomes(order, "filled");
    return fill;
  }

  end(order, status = "canceled") {
    if (!order.versions.length || this.isOpen(order)) this.#becomes(order, status);
  }

  /** Signed, of a perpetual's position or of a token's balance, as of a time. */
  held(coin, at) {
    const market = MARKETS[coin];
    let sum = market.kind === "spot" ? market.startBase : (market.startPosition ?? 0n);
    for (const fill of this.fills) {
      if (fill.coin !== coin || fill.at > at) continue;
      sum += fill.isBuy ? fill.sz : -fill.sz;
      if (market.kind === "spot" && fill.isBuy) sum -= fill.fee;
    }
    return sum;
  }

  /** USDC on spot as of a time: what was paid and got, less the fees of sales. */
  quote(at) {
    let sum = units("500000");
    for (const fill of this.fills) {
      if (MARKETS[fill.coin].kind !== "spot" || fill.at > at) continue;
      const value = (fill.sz * fill.px) / ONE;
      sum += fill.isBuy ? -value : value - fill.fee;
    }
    return sum;
  }

  versionAt(order, at) {
    return order.versions.findLast((version) => version.at <= at);
  }

  leftAt(order, at) {
    return order.size - order.fills.reduce((sum, fill) => (fill.at <= at ? sum + fill.sz : sum), 0n);
  }

  openAt(at, dex) {
    return [...this.orders.values()].filter(
      (order) => (dex === undefined || MARKETS[order.coin].dex === dex) && this.versionAt(order, at)?.status === "open",
    );
  }
}

function feeOf(market, isBuy, size, px) {
  const value = (size * px) / ONE;
  if (market.kind !== "spot") return ((value * 15n) / 100_000n / 100n) * 100n;
  return isBuy ? (size * 4n) / 10_000n : (value * 4n) / 10_000n;
}

export function fillRow(fill) {
  const market = MARKETS[fill.coin];
  return {
    coin: fill.coin,
    px: text(fill.px),
    sz: text(fill.sz),
    side: fill.isBuy ? "B" : "A",
    time: fill.at,
    startPosition: text(fill.before),
    dir: market.kind === "spot" ? (fill.isBuy ? "Buy" : "Sell") : direction(fill),
    closedPnl: "0.0",
    hash: `0x${fill.tid.toString(16).padStart(64, "a")}`,
    oid: fill.oid,
    crossed: false,
    fee: text(fill.fee),
    tid: fill.tid,
    ...(fill.cloid ? { cloid: fill.cloid } : {}),
    feeToken: market.kind === "spot" && fill.isBuy ? market.base : "USDC",
    twapId: null,
  };
}

function direction({ before, sz, isBuy }) {
  const after = before + (isBuy ? sz : -sz);
  if (before >= 0n && isBuy) return "Open Long";
  if (before <= 0n && !isBuy) return "Open Short";
  if (before > 0n) return after < 0n ? "Long > Short" : "Close Long";
  return after > 0n ? "Short > Long" : "Close Short";
}

export function orderRow(order, left) {
  return {
    coin: order.coin,
    side: order.isBuy ? "B" : "A",
    limitPx: text(order.px),
    sz: text(left),
    oid: order.oid,
    timestamp: order.placedAt,
    triggerCondition: "N/A",
    isTrigger: false,
    triggerPx: "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    orderType: "Limit",
    origSz: text(order.size),
    tif: order.tif,
    cloid: order.cloid ?? null,
  };
}
