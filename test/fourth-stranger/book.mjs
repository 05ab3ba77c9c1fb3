// An order meets the book: refused, filled, partly filled or left to rest.
import { pxStr, szStr } from "./markets.mjs";
import { Truth } from "./truth.mjs";

export class Book extends Truth {
  place({ m, buy, px, u, tif, cloid, reduceOnly, via }) {
    // returns {status entry}
    const A = ` asset=${m.asset}`;
    if (!(u > 0) || Number.isNaN(u)) return { error: "Order has invalid size." };
    const p = Number(px);
    const crosses = buy ? p >= m.ask : p <= m.bid;
    const o = this.newOrder({ m, buy, px: pxStr(m, p), u, tif, cloid, reduceOnly, via });
    if ((u / 10 ** m.szDec) * p < 10 - 1e-9) {
      this.hist(o, "minTradeNtlRejected");
      return {
        error: (m.spot ? "Order must have minimum value of 10 USDC." : "Order must have minimum value of $10.") + A,
        o,
      };
    }
    if (reduceOnly) {
      const position = this.pos(m.coin);
      if (position === 0 || position > 0 === buy) {
        this.hist(o, "reduceOnlyRejected");
        return { error: `Reduce only order would increase position.${A}`, o };
      }
      if (Math.abs(position) < o.rem) {
        o.shrinks.push({ t: this.tick(), by: o.rem - Math.abs(position) });
        o.rem = Math.abs(position);
      }
    }
    if (reduceOnly && tif !== "Ioc") {
      let sum = o.rem;
      const p = Math.abs(this.pos(m.coin));
      for (const x of [...this.orders].reverse())
        if (x !== o && x.reduceOnly && x.m === m && x.buy === buy && x.status === "open") {
          if (sum + x.rem > p) this.hist(x, "reduceOnlyCanceled");
          else sum += x.rem;
        }
    }
    if (this.faults && this.r.chance(this.opt.rejects ?? 0.04)) {
      this.hist(o, "perpMarginRejected");
      return { error: `Insufficient margin to place order.${A}`, o };
    }
    if (tif === "Alo") {
      if (crosses) {
        this.hist(o, "badAloPxRejected");
        return { error: `Post only order would have immediately matched, bbo was ${m.bid}@${m.ask}.${A}`, o };
      }
    }
    const cloidPart = cloid ? { cloid } : {};
    if (tif === "Ioc" || tif === "FrontendMarket") {
      const none = !crosses || this.r.chance(0.1);
      if (none) {
        this.hist(o, "iocCancelRejected");
        return { error: `Order could not immediately match against any resting orders.${A}`, o };
      }
      const part = this.r.chance(0.4) ? Math.max(1, Math.floor(o.rem * this.r.range(0.1, 0.95))) : o.rem;
      this.split(o, part);
      this.hist(o, "filled");
      return { filled: { totalSz: szStr(m, this.sum(o)), avgPx: this.avg(o), oid: o.oid, ...cloidPart }, o };
    }
    if (crosses) {
      this.hist(o, "open");
      const part = this.r.chance(0.5) ? Math.max(1, Math.floor(o.rem * this.r.range(0.1, 0.95))) : o.rem;
      this.split(o, part);
      if (o.rem === 0) {
        this.hist(o, "filled");
        return { filled: { totalSz: szStr(m, this.sum(o)), avgPx: this.avg(o), oid: o.oid, ...cloidPart }, o };
      }
      // the rest rests, at our limit, which is then the best price
      return { resting: { oid: o.oid, ...cloidPart }, o };
    }
    this.hist(o, "open");
    return { resting: { oid: o.oid, ...cloidPart }, o };
  }
  split(o, total) {
    const m = o.m,
      n = 1 + this.r.int(3);
    let left = total;
    for (let i = 0; i < n && left > 0; i++) {
      const u = i === n - 1 ? left : Math.max(1, Math.floor(left * this.r.range(0.2, 0.8)));
      this.fill(
        o,
        u,
        o.buy ? Math.min(Number(o.px), m.ask + i * m.tick) : Math.max(Number(o.px), m.bid - i * m.tick),
        true,
      );
      left -= u;
    }
  }
}
