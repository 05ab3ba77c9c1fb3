// The websocket: each channel has a server of its own, which is behind by a lag that wanders and never goes back.
import { Answers } from "./answers.mjs";
import { MARKETS, pxStr, szStr } from "./markets.mjs";
import { emptyState } from "./stores.mjs";

export class Feeds extends Answers {
  feed(ws) {
    const subs = new Map();
    const conn = { ws };
    this.conns.add(conn);
    const tx = (channel, data) => {
      if (ws.readyState === 1) ws.send(JSON.stringify({ channel, data }));
    };
    const states = new Map();
    const view = (k) => {
      // each channel: its own server, monotone, its lag wanders
      const st = states.get(k) ?? { V: 0, lag: this.lag("ws"), until: Date.now() + this.r.range(1000, 6000) };
      if (Date.now() > st.until) {
        st.lag = this.lag("ws");
        st.until = Date.now() + this.r.range(1000, 6000);
      }
      if (!this.lagOn) st.lag = 0;
      st.V = Math.max(st.V, this.now() - st.lag);
      states.set(k, st);
      return st;
    };
    const user = (s) => this.mine(s.user);
    const upd = (o, h) => ({
      order: {
        coin: o.coin,
        side: o.side,
        limitPx: pxStr(o.m, o.px),
        sz: szStr(o.m, h.status === "filled" ? 0 : h.sz),
        oid: o.oid,
        timestamp: o.ts,
        origSz: szStr(o.m, o.orig),
        ...(o.cloid ? { cloid: o.cloid } : {}),
        ...(o.reduceOnly ? { reduceOnly: true } : {}),
      },
      status: h.status,
      statusTimestamp: h.t,
    });
    const step = () => {
      for (const [k, e] of subs) {
        const s = e.s,
          st = view(k),
          V = st.V,
          first = !e.first;
        e.first = true;
        const prev = e.prev ?? V;
        e.prev = V;
        const me = user(s),
          every = (ms) => {
            if (first || Date.now() - (e.last ?? 0) >= ms) {
              e.last = Date.now();
              return true;
            }
            return false;
          };
        switch (s.type) {
          case "orderUpdates": {
            if (!me) break;
            const rows = [];
            for (const o of this.orders)
              for (const h of o.hist) if (h.t > prev && h.t <= V) rows.push([h.t, upd(o, h)]);
            rows.sort((a, b) => a[0] - b[0]);
            if (rows.length)
              tx(
                "orderUpdates",
                rows.map((x) => x[1]),
              );
            break;
          }
          case "userFills": {
            const fs = this.fills.filter((f) => me && (first ? f.time <= V : f.time > prev && f.time <= V));
            if (first)
              tx("userFills", {
                isSnapshot: true,
                user: s.user,
                fills: fs
                  .slice(-2000)
                  .reverse()
                  .map((f) => this.fillRow(f)),
              });
            else if (fs.length) tx("userFills", { user: s.user, fills: fs.map((f) => this.fillRow(f)) });
            break;
          }
          case "userEvents": {
            const fs = this.fills.filter((f) => me && !first && f.time > prev && f.time <= V);
            if (fs.length) tx("user", { fills: fs.map((f) => this.fillRow(f)) });
            break;
          }
          case "openOrders":
            if (every(2000))
              tx("openOrders", {
                dex: s.dex ?? "",
                user: s.user,
                orders: me && !s.dex ? this.openAt(V).map((o) => this.front(o, this.remAt(o, V))) : [],
              });
            break;
          case "clearinghouseState":
            if (every(2500))
              tx("clearinghouseState", {
                dex: s.dex ?? "",
                user: s.user,
                clearinghouseState: me && !s.dex ? this.clearing(V) : emptyState(V),
              });
            break;
          case "allDexsClearinghouseState":
            if (every(2500))
              tx("allDexsClearinghouseState", {
                user: s.user,
                clearinghouseStates: [
                  ["", me ? this.clearing(V) : emptyState(V)],
                  ["xyz", emptyState(V)],
                ],
              });
            break;
          case "spotState":
            if (every(2500)) tx("spotState", { user: s.user, spotState: me ? this.spotState(V) : { balances: [] } });
            break;
          case "webData3":
            if (every(2500))
              tx("webData3", {
                userState: {
                  agentAddress: null,
                  agentValidUntil: null,
                  cumLedger: "0.0",
                  serverTime: Math.floor(V),
                  isVault: false,
                  user: s.user,
                },
                perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
              });
            break;
          case "twapStates":
            if (every(2500)) tx("twapStates", { dex: s.dex ?? "", user: s.user, states: [] });
            break;
          case "userTwapHistory":
            if (first) tx("userTwapHistory", { isSnapshot: true, user: s.user, history: [] });
            break;
          case "userTwapSliceFills":
            if (first) tx("userTwapSliceFills", { isSnapshot: true, user: s.user, twapSliceFills: [] });
            break;
          case "userFundings":
            if (first) tx("userFundings", { isSnapshot: true, user: s.user, fundings: [] });
            break;
          case "userNonFundingLedgerUpdates":
            if (first)
              tx("userNonFundingLedgerUpdates", { isSnapshot: true, user: s.user, nonFundingLedgerUpdates: [] });
            break;
          case "userHistoricalOrders":
            if (first)
              tx("userHistoricalOrders", { isSnapshot: true, user: s.user, orderHistory: me ? this.history(V) : [] });
            else {
              const rows = this.history(V).filter((x) => x.statusTimestamp > prev);
              if (me && rows.length) tx("userHistoricalOrders", { user: s.user, orderHistory: rows });
            }
            break;
          case "allMids":
            if (every(3000))
              tx("allMids", {
                mids: s.dex ? {} : { BTC: "60005.0", ETH: "3000.25", "PURR/USDC": "0.20005" },
                ...(s.dex ? { dex: s.dex } : {}),
              });
            break;
          case "l2Book":
            if (every(1000)) tx("l2Book", this.book(s.coin));
            break;
          case "bbo":
            if (first) {
              const b = this.book(s.coin);
              tx("bbo", { coin: s.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] });
            }
            break;
          case "activeAssetCtx":
            if (every(2000)) {
              const m = MARKETS[s.coin];
              tx(m?.spot ? "activeSpotAssetCtx" : "activeAssetCtx", { coin: s.coin, ctx: this.ctx(m ?? MARKETS.BTC) });
            }
            break;
          case "activeAssetData":
            if (every(3000)) tx("activeAssetData", this.info({ type: "activeAssetData", user: s.user, coin: s.coin }));
            break;
        }
      }
    };
    const timer = setInterval(step, 120);
    const life = this.opt.wsLife
      ? setTimeout(() => this.faults && ws.terminate(), this.r.range(4000, this.opt.wsLife))
      : null;
    ws.on("message", (raw) => {
      let q;
      try {
        q = JSON.parse(raw);
      } catch {
        return;
      }
      if (q.method === "ping") return ws.send('{"channel":"pong"}');
      if (q.method === "subscribe") {
        const k = JSON.stringify(q.subscription);
        this.requests[`ws:${q.subscription.type}`] = 1 + (this.requests[`ws:${q.subscription.type}`] ?? 0);
        if (!subs.has(k)) subs.set(k, { s: q.subscription });
        tx("subscriptionResponse", q);
        return;
      }
      if (q.method === "unsubscribe") {
        subs.delete(JSON.stringify(q.subscription));
        return tx("subscriptionResponse", q);
      }
      this.log("wsother", { q: String(raw).slice(0, 200) });
    });
    ws.on("close", () => {
      clearInterval(timer);
      clearTimeout(life);
      this.conns.delete(conn);
    });
    ws.on("error", () => {});
  }
}
