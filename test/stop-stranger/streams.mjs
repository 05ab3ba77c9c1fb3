// The websocket: subscriptions, each behind by a lag of its own.
import { Info } from "./info.mjs";
import { now } from "./random.mjs";
export class Streams extends Info {
  onWs(ws) {
    const c = { ws, subs: new Map() };
    this.conns.add(c);
    ws.on("close", () => this.conns.delete(c));
    ws.on("error", () => {});
    ws.on("message", (d) => {
      let q;
      try {
        q = JSON.parse(d);
      } catch {
        return;
      }
      if (this.down) return ws.terminate();
      if (q.method === "ping") return ws.send('{"channel":"pong"}');
      const key = JSON.stringify(q.subscription);
      if (q.method === "subscribe") {
        if (c.subs.has(key)) return ws.send(JSON.stringify({ channel: "error", data: `Already subscribed: ${key}` }));
        ws.send(
          JSON.stringify({
            channel: "subscriptionResponse",
            data: { method: "subscribe", subscription: q.subscription },
          }),
        );
        const s = { q: q.subscription, asOf: 0, last: 0, lag: 0, lagT: 0 };
        c.subs.set(key, s);
        this.push(c, s, true);
      } else if (q.method === "unsubscribe") {
        c.subs.delete(key);
        ws.send(
          JSON.stringify({
            channel: "subscriptionResponse",
            data: { method: "unsubscribe", subscription: q.subscription },
          }),
        );
      } else if (q.method === "post") {
        this.unknown.set("wspost", 1 + (this.unknown.get("wspost") ?? 0));
      }
    });
  }
  tick() {
    if (this.down) {
      for (const c of this.conns) c.ws.terminate();
      return;
    }
    for (const c of this.conns) for (const s of c.subs.values()) this.push(c, s, false);
    for (const m of this.markets) if (m.refill && m.liq !== Infinity) m.liq = m.refill;
  }
  push(c, s, first) {
    const q = s.q;
    const send = (channel, data) => {
      if (c.ws.readyState === 1) c.ws.send(JSON.stringify({ channel, data }));
    };
    const T = now();
    const every = (ms) => {
      if (first || T - s.last >= ms) {
        s.last = T;
        return true;
      }
      return false;
    };
    const m = q.coin ? this.byCoin.get(q.coin) : null;
    switch (q.type) {
      case "allMids":
        if (every(1000))
          send("allMids", { mids: this.info({ type: "allMids", dex: q.dex }), ...(q.dex ? { dex: q.dex } : {}) });
        return;
      case "l2Book":
        if (m && every(500)) send("l2Book", this.book(m));
        return;
      case "bbo":
        if (m && every(1000)) {
          const b = this.book(m);
          send("bbo", { coin: m.coin, time: T, bbo: [b.levels[0][0], b.levels[1][0]] });
        }
        return;
      case "activeAssetCtx":
        if (m && every(1000)) send("activeAssetCtx", { coin: m.coin, ctx: this.ctx(m) });
        return;
      case "trades":
        return;
    }
    if (!q.user) {
      if (first) this.unknown.set(`ws:${q.type}`, 1);
      return;
    }
    const a = this.account(q.user);
    if (a.cfg.wsMute) return;
    if (T - s.lagT > 4000) {
      s.lagT = T;
      s.lag = this.rnd() * (a.cfg.lag.ws ?? 0);
    }
    const prev = s.asOf;
    s.asOf = first ? T - s.lag : Math.max(s.asOf, T - s.lag);
    const { asOf } = s;
    const moved = (list) =>
      list.length && list[list.length - 1].t > prev && list.some((h) => h.t > prev && h.t <= asOf);
    switch (q.type) {
      case "orderUpdates": {
        if (first) return;
        const l = a.hist
          .filter((h) => h.t > prev && h.t <= asOf)
          .map((h) => {
            const f = this.front(h.r);
            return {
              order: {
                coin: f.coin,
                side: f.side,
                limitPx: f.limitPx,
                sz: f.sz,
                oid: f.oid,
                timestamp: f.timestamp,
                origSz: f.origSz,
                ...(f.cloid ? { cloid: f.cloid } : {}),
                ...(f.reduceOnly ? { reduceOnly: true } : {}),
              },
              status: h.r.status,
              statusTimestamp: h.r.statusTs,
            };
          });
        if (l.length) send("orderUpdates", l);
        return;
      }
      case "userFills": {
        if (first)
          return send("userFills", {
            user: a.addr,
            fills: a.fills.filter((f) => f.time <= asOf).slice(-2000),
            isSnapshot: true,
          });
        const l = a.fills.filter((f) => f.time > prev && f.time <= asOf);
        if (l.length) send("userFills", { user: a.addr, fills: l });
        return;
      }
      case "userEvents": {
        if (first) return;
        const l = a.fills.filter((f) => f.time > prev && f.time <= asOf);
        if (l.length) send("user", { fills: l });
        return;
      }
      case "userHistoricalOrders": {
        if (first)
          return send("userHistoricalOrders", { user: a.addr, orderHistory: this.histRows(a, asOf), isSnapshot: true });
        const l = a.hist
          .filter((h) => h.t > prev && h.t <= asOf)
          .map((h) => ({ order: this.front(h.r), status: h.r.status, statusTimestamp: h.r.statusTs }));
        if (l.length) send("userHistoricalOrders", { user: a.addr, orderHistory: l });
        return;
      }
      case "clearinghouseState":
        if (moved(a.posHist) || every(3000))
          send("clearinghouseState", { dex: q.dex ?? "", user: a.addr, clearinghouseState: this.chs(a, asOf, q.dex) });
        return;
      case "allDexsClearinghouseState":
        if (moved(a.posHist) || every(3000))
          send("allDexsClearinghouseState", {
            user: a.addr,
            clearinghouseStates: [
              ["", this.chs(a, asOf)],
              ["xyz", this.chs(a, asOf, "xyz")],
            ],
          });
        return;
      case "openOrders":
        if (every(1500))
          send("openOrders", { dex: q.dex ?? "", user: a.addr, orders: q.dex ? [] : this.frontList(a, asOf) });
        return;
      case "spotState":
        if (every(3000)) send("spotState", { user: a.addr, spotState: { balances: [] } });
        return;
      case "twapStates":
        if (every(2000))
          send("twapStates", {
            dex: q.dex ?? "",
            user: a.addr,
            states: q.dex
              ? []
              : [...a.twaps.values()]
                  .map((tw) => [tw, [...(tw.hist ?? [])].reverse().find((h) => h.t <= asOf)])
                  .filter(([, h]) => h && h.st === "activated")
                  .map(([tw, h]) => [tw.id, h.state]),
          });
        return;
      case "userTwapSliceFills": {
        const l = a.fills
          .filter((f) => f.twapId && f.time > (first ? 0 : prev) && f.time <= asOf)
          .map((fill) => ({ fill, twapId: fill.twapId }));
        if (first || l.length)
          send("userTwapSliceFills", { user: a.addr, twapSliceFills: l, ...(first ? { isSnapshot: true } : {}) });
        return;
      }
      case "userTwapHistory": {
        const l = a.twapHist.filter((h) => h.t > (first ? 0 : prev) && h.t <= asOf).map((h) => h.row);
        if (first || l.length)
          send("userTwapHistory", { user: a.addr, history: l, ...(first ? { isSnapshot: true } : {}) });
        return;
      }
      case "webData3":
        if (every(3000))
          send("webData3", {
            userState: {
              agentAddress: null,
              agentValidUntil: null,
              cumLedger: "1000000.0",
              serverTime: T,
              isVault: false,
              user: a.addr,
              abstraction: "default",
            },
            perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
          });
        return;
      case "userFundings":
        if (first) send("userFundings", { user: a.addr, fundings: [], isSnapshot: true });
        return;
      case "userNonFundingLedgerUpdates":
        if (first) send("userNonFundingLedgerUpdates", { user: a.addr, nonFundingLedgerUpdates: [], isSnapshot: true });
        return;
      case "activeAssetData":
        if (every(3000)) send("activeAssetData", this.info({ type: "activeAssetData", coin: q.coin, user: q.user }, a));
        return;
      case "notification":
        return;
      default:
        if (first) this.unknown.set(`ws:${q.type}`, 1);
    }
  }
}
