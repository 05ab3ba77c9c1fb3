// What a store shows of the log as of a moment.
import { Actions } from "./actions.mjs";
import { num } from "./ledger.mjs";
import { now } from "./random.mjs";
export class Views extends Actions {
  front(r) {
    const m = this.byCoin.get(r.coin);
    return {
      coin: r.coin,
      side: r.side,
      limitPx: num(r.limitPx),
      sz: num(r.sz / m.f),
      oid: r.oid,
      timestamp: r.ts,
      triggerCondition: r.trigger
        ? `Price ${(r.trigger.tpsl === "tp") === (r.side === "A") ? "above" : "below"} ${r.trigger.triggerPx}`
        : "N/A",
      isTrigger: !!r.trigger,
      triggerPx: r.trigger ? num(r.trigger.triggerPx) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: r.r,
      orderType: r.trigger
        ? `${r.trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${r.trigger.isMarket ? "Market" : "Limit"}`
        : r.twapId
          ? "Twap Slice"
          : "Limit",
      origSz: num(r.origSz / m.f),
      tif: r.trigger ? null : r.tif,
      cloid: r.cloid,
    };
  }
  frontList(a, t) {
    const open = this.openAt(a, t);
    return open
      .filter((r) => r.live !== "child")
      .map((r) => ({
        ...this.front(r),
        children: (r.children ?? [])
          .map((c) => this.at(a, c, t))
          .filter((c) => c?.live === "child")
          .map((c) => this.front(c)),
      }));
  }
  posAt(a, t) {
    for (let i = a.posHist.length - 1; i >= 0; i--) if (a.posHist[i].t <= t) return a.posHist[i].pos;
    return new Map();
  }
  chs(a, t, dex) {
    const ps = dex ? [] : [...this.posAt(a, t)];
    let ntl = 0,
      upl = 0;
    const aps = ps.map(([coin, p]) => {
      const m = this.byCoin.get(coin);
      const s = p.szi / m.f;
      const lev = a.lev.get(coin) ?? { type: "cross", value: 20 };
      const v = Math.abs(s) * m.mark;
      ntl += v;
      const u = s * (m.mark - p.entry);
      upl += u;
      return {
        type: "oneWay",
        position: {
          coin,
          szi: num(s),
          leverage: { type: "cross", value: lev.value },
          entryPx: num(Number(p.entry.toFixed(6))),
          positionValue: num(Number(v.toFixed(6))),
          unrealizedPnl: num(Number(u.toFixed(6))),
          returnOnEquity: "0.0",
          liquidationPx: null,
          marginUsed: num(Number((v / lev.value).toFixed(6))),
          maxLeverage: 40,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      };
    });
    const s = {
      accountValue: num(Number((dex ? 0 : a.usdc + upl).toFixed(6))),
      totalNtlPos: num(Number(ntl.toFixed(6))),
      totalRawUsd: num(Number((dex ? 0 : a.usdc).toFixed(6))),
      totalMarginUsed: num(Number((ntl / 20).toFixed(6))),
    };
    return {
      marginSummary: s,
      crossMarginSummary: s,
      crossMaintenanceMarginUsed: num(Number((ntl / 80).toFixed(6))),
      withdrawable: num(Number((dex ? 0 : a.usdc - ntl / 20).toFixed(6))),
      assetPositions: aps,
      time: Math.floor(t),
    };
  }
  ctx(m) {
    return {
      funding: "0.0000125",
      openInterest: "39338.76246",
      prevDayPx: num(m.px),
      dayNtlVlm: "3096053627.56182",
      premium: "-0.0001348801",
      oraclePx: num(m.mark),
      markPx: num(m.mark),
      midPx: num(m.mark),
      impactPxs: [num(m.bidPx), num(m.askPx)],
      dayBaseVlm: "36757.56691",
    };
  }
  meta() {
    return {
      universe: this.markets.map((m) => ({ szDecimals: m.sz, name: m.coin, maxLeverage: 40, marginTableId: 40 })),
      marginTables: [
        [
          56,
          {
            description: "tiered 40x",
            marginTiers: [
              { lowerBound: "0.0", maxLeverage: 40 },
              { lowerBound: "150000000.0", maxLeverage: 20 },
            ],
          },
        ],
      ],
      collateralToken: 0,
    };
  }
  book(m) {
    const l = (px) => ({ px: num(px), sz: num(m.liq === Infinity ? 1000 : Math.max(m.liq, 1) / m.f), n: 3 });
    const t = m.tick;
    return {
      coin: m.coin,
      time: now(),
      levels:
        m.liq <= 0
          ? [[], []]
          : [
              [0, 1, 2, 3].map((i) => l(Number((m.bidPx - i * t).toFixed(6)))),
              [0, 1, 2, 3].map((i) => l(Number((m.askPx + i * t).toFixed(6)))),
            ],
    };
  }
  lagged(a, store) {
    return now() - this.rnd() * (a.cfg.lag[store] ?? 0);
  }
  histRows(a, t) {
    const out = [];
    for (let i = a.hist.length - 1; i >= 0; i--) {
      const h = a.hist[i];
      if (h.t <= t) out.push({ order: this.front(h.r), status: h.r.status, statusTimestamp: h.r.statusTs });
    }
    return out.slice(0, 2000);
  }
}
