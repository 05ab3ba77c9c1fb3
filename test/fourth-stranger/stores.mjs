// What a store shows of the log as of a moment: orders, history, positions, balances.
import { Actions } from "./actions.mjs";
import { fmt, MARKETS, pxStr, szStr } from "./markets.mjs";

export const emptyState = (T) => ({
  marginSummary: { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" },
  crossMarginSummary: { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" },
  crossMaintenanceMarginUsed: "0.0",
  withdrawable: "0.0",
  assetPositions: [],
  time: Math.floor(T),
});
export class Stores extends Actions {
  front(o, sz) {
    return {
      coin: o.coin,
      side: o.side,
      limitPx: pxStr(o.m, o.px),
      sz: szStr(o.m, sz),
      oid: o.oid,
      timestamp: o.ts,
      triggerCondition: "N/A",
      isTrigger: false,
      triggerPx: "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: o.reduceOnly,
      orderType: "Limit",
      origSz: szStr(o.m, o.orig),
      tif: o.tif,
      cloid: o.cloid,
    };
  }
  fillRow(f) {
    const { u, ...rest } = f;
    return rest;
  }
  clearing(T) {
    const ps = [];
    let ntl = 0;
    for (const m of Object.values(MARKETS)) {
      if (m.spot) continue;
      const p = this.pos(m.coin, T);
      if (!p) continue;
      let q = 0,
        cash = 0;
      for (const f of this.fills)
        if (f.coin === m.coin && f.time <= T) {
          const d = f.side === "B" ? f.u : -f.u;
          if (q === 0 || q > 0 === d > 0) {
            cash += d * Number(f.px);
            q += d;
          } else {
            const nq = q + d;
            cash = nq === 0 ? 0 : nq > 0 === q > 0 ? (cash * nq) / q : nq * Number(f.px);
            q = nq;
          }
        }
      const sz = p / 10 ** m.szDec,
        mark = (m.bid + m.ask) / 2,
        entry = cash / q;
      ntl += Math.abs(sz) * mark;
      ps.push({
        type: "oneWay",
        position: {
          coin: m.coin,
          szi: (p < 0 ? "-" : "") + szStr(m, Math.abs(p)),
          leverage: { type: "cross", value: 20 },
          entryPx: fmt(entry, 5),
          positionValue: fmt(Math.abs(sz) * mark, 6),
          unrealizedPnl: fmt(sz * (mark - entry), 6),
          returnOnEquity: "0.0",
          liquidationPx: null,
          marginUsed: fmt((Math.abs(sz) * mark) / 20, 6),
          maxLeverage: m.maxLev,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      });
    }
    const s = {
      accountValue: "1000000.0",
      totalNtlPos: fmt(ntl, 6),
      totalRawUsd: "1000000.0",
      totalMarginUsed: fmt(ntl / 20, 6),
    };
    return {
      marginSummary: s,
      crossMarginSummary: { ...s },
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: "900000.0",
      assetPositions: ps,
      time: Math.floor(T),
    };
  }
  spotState(T) {
    let purr = 1_000_000 * 1e5,
      usdc = 1_000_000;
    for (const f of this.fills)
      if (f.coin === "PURR/USDC" && f.time <= T) {
        const d = f.u,
          v = d * Number(f.px);
        if (f.side === "B") {
          purr += d * 1e5 - Math.round(Number(f.fee) * 1e5);
          usdc -= v;
        } else {
          purr -= d * 1e5;
          usdc += v - Number(f.fee);
        }
      }
    return {
      balances: [
        { coin: "USDC", token: 0, total: fmt(usdc, 6), hold: "0.0", entryNtl: "0.0" },
        { coin: "PURR", token: 1, total: fmt(purr / 1e5, 5), hold: "0.0", entryNtl: "0.0" },
      ],
    };
  }
  history(T) {
    const rows = [];
    for (const o of this.orders) {
      if (o.hidden) continue;
      const hs = o.hist.filter((h) => h.t <= T);
      for (const h of this.opt.historyLatestOnly ? hs.slice(-1) : hs)
        rows.push({
          order: this.front(o, h.status === "filled" ? (this.opt.filledSzOrig ? o.orig : 0) : h.sz),
          status: h.status,
          statusTimestamp: h.t,
        });
    }
    rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp);
    return rows.slice(0, 2000);
  }
  mine(u) {
    return this.owner && String(u || "").toLowerCase() === this.owner;
  }
}
