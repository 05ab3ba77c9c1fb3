// The door: HTTP and websocket in front of the core, with everything that goes wrong on the way.
import http from "node:http";
import { WebSocketServer } from "ws";

const HTML =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.26.2</center></body></html>";

export class Balancer {
  constructor({ core, views, lags, rng, profile, log, plant }) {
    Object.assign(this, { core, views, lags, rng, p: profile, log, plant });
    this.socketServer = new Map();
    this.conns = new Set();
    this.unknownTypes = new Set();
    this.counts = {};
    this.active = false;
    this.down = false;
  }
  count(k) {
    this.counts[k] = (this.counts[k] ?? 0) + 1;
  }
  async listen(port) {
    this.http = http.createServer({ keepAliveTimeout: 30000 }, (q, s) => this.request(q, s));
    this.wss = new WebSocketServer({ server: this.http, path: "/ws" });
    this.wss.on("connection", (w) => this.socket(w));
    this.core.listeners.push((k, d) => this.push(k, d));
    await new Promise((r, e) => this.http.once("error", e).listen(port, "127.0.0.1", r));
    this.timer = setInterval(() => this.periodic(), 250);
    return this.http.address().port;
  }
  close() {
    clearInterval(this.timer);
    for (const c of this.conns) c.ws.terminate();
    this.wss.close();
    this.http.closeAllConnections();
    this.http.close();
  }
  request(q, s) {
    if (this.down) {
      q.socket.destroy();
      return;
    }
    let body = "";
    q.on("data", (c) => (body += c));
    q.on("error", () => {});
    s.on("error", () => {});
    q.on("end", () => {
      let j;
      try {
        j = JSON.parse(body);
      } catch {
        s.writeHead(400, { "content-type": "text/plain" }).end("Failed to parse the request body as JSON");
        return;
      }
      if (!this.socketServer.has(q.socket) || this.rng.chance(0.3))
        this.socketServer.set(q.socket, this.rng.int(0, this.lags.servers - 1));
      const server = this.socketServer.get(q.socket);
      if (q.url === "/exchange") this.exchange(j, s, q.socket);
      else if (q.url === "/info") this.info(j, s, q.socket, server);
      else s.writeHead(404).end();
    });
  }
  send(s, code, text, type = "application/json") {
    if (s.destroyed || s.writableEnded) return;
    s.writeHead(code, { "content-type": type });
    s.end(text);
  }
  bad(s, sock, kind, good) {
    switch (kind) {
      case "reset":
        sock.destroy();
        break;
      case "hang":
        setTimeout(() => sock.destroy(), 25000).unref();
        break;
      case "502":
        this.send(s, 502, HTML, "text/html");
        break;
      case "503":
        this.send(s, 503, "", "text/html");
        break;
      case "504":
        this.send(s, 504, HTML.replaceAll("502 Bad Gateway", "504 Gateway Time-out"), "text/html");
        break;
      case "429":
        this.send(s, 429, "null");
        break;
      case "500":
        this.send(s, 500, "null");
        break;
      case "cut": {
        const t = good ?? '{"status":"ok","response":{"type":"ord';
        this.send(s, 200, t.slice(0, Math.max(1, Math.floor(t.length * 0.6))));
        break;
      }
      case "halfreset": {
        const t = good ?? '{"status":"ok"}';
        s.writeHead(200, { "content-type": "application/json", "content-length": t.length });
        s.write(t.slice(0, t.length >> 1));
        setTimeout(() => sock.destroy(), 20);
        break;
      }
      case "words":
        this.send(
          s,
          200,
          JSON.stringify({
            status: "err",
            response: this.rng.pick([
              "Internal error: please try again",
              "Service is restarting",
              "Block was not committed in time",
            ]),
          }),
        );
        break;
      case "empty":
        this.send(s, 200, "");
        break;
    }
  }
  exchange(j, s, sock) {
    const rec = { t: Date.now(), type: j.action?.type, nonce: j.nonce, action: j.action, fault: "none" };
    this.core.wire.push(rec);
    this.count("exchange");
    const run = (meta) => {
      const r = this.core.execute(j, meta);
      return r;
    };
    const p = this.active ? (j.action.type === "noop" ? this.p.noopFault : this.p.exchangeFault) : 0;
    if (!this.rng.chance(p)) {
      setTimeout(
        () => {
          const r = run();
          this.answer(s, r);
        },
        this.rng.range(1, this.active && this.rng.chance(0.15) ? 400 : 15),
      );
      return;
    }
    const when = this.rng.weighted(this.p.when),
      how = this.rng.weighted({
        reset: 4,
        hang: 2,
        502: 3,
        503: 1,
        504: 2,
        429: this.p.rate ?? 0.1,
        500: 1,
        cut: 2,
        halfreset: 1,
        words: 1,
        empty: 1,
      });
    rec.fault = `${when}:${how}`;
    this.count(`fault:${when}`);
    switch (when) {
      case "never":
        this.bad(s, sock, how);
        break;
      case "after": {
        const r = run({ lost: how });
        setTimeout(() => this.bad(s, sock, how, JSON.stringify(r)), this.rng.range(0, 300));
        break;
      }
      case "late": {
        const d = this.rng.range(300, this.p.lateMs);
        const honest = this.rng.chance(0.3);
        if (!honest) setTimeout(() => this.bad(s, sock, how), this.rng.range(0, 300));
        setTimeout(() => {
          const r = run({ late: d });
          if (honest) this.answer(s, r);
        }, d);
        break;
      }
      case "twice": {
        const r1 = run({ copy: 1 });
        setTimeout(
          () => {
            const r2 = run({ copy: 2 });
            this.answer(s, this.rng.chance(0.6) ? r2 : r1);
          },
          this.rng.range(0, 400),
        );
        break;
      }
      case "twiceLate": {
        const r1 = run({ copy: 1 });
        this.answer(s, r1);
        setTimeout(() => run({ copy: 2 }), this.rng.range(200, 5000));
        break;
      }
      case "slow": {
        const r = run();
        setTimeout(() => this.answer(s, r), this.rng.range(1000, 9000));
        break;
      }
    }
  }
  answer(s, r) {
    this.send(s, 200, JSON.stringify(r));
  }
  info(b, s, sock, server) {
    this.count(`info:${b.type}`);
    const now = Date.now();
    if (this.active && this.rng.chance(this.p.infoFault)) {
      this.count("fault:info");
      this.bad(
        s,
        sock,
        this.rng.weighted({ reset: 3, hang: 1, 502: 3, 504: 1, 429: this.p.rate ?? 0.1, 500: 2, cut: 2, empty: 1 }),
      );
      return;
    }
    const hit = this.views.info(b);
    if (!hit) {
      this.unknownTypes.add(b.type);
      this.send(s, 422, "Failed to deserialize the JSON body into the target type", "text/plain; charset=utf-8");
      return;
    }
    const [store, make] = hit;
    const t = this.active ? this.lags.asOf(server, store, now) : now;
    if (b.type === "orderStatus" && this.active && this.lags.blind(server, "status", now)) {
      this.count("fault:blind");
      return this.send(s, 200, '{"status":"unknownOid"}');
    }
    let out = make(t);
    if (["user", "market"].indexOf(store) < 0)
      (this.infoLog ??= []).push([
        now,
        b.type,
        server,
        Math.round(now - t),
        b.oid ?? b.startTime ?? b.dex ?? null,
        Array.isArray(out)
          ? out.length
          : out.status === "order"
            ? `${out.order.status} ${out.order.order.sz}`
            : (out.status ?? null),
      ]);
    if (this.plant) out = this.plant(b, out) ?? out;
    setTimeout(
      () => this.send(s, 200, JSON.stringify(out)),
      this.active && this.rng.chance(0.1) ? this.rng.range(50, 900) : this.rng.range(0, 8),
    );
  }
  // --- websocket
  socket(ws) {
    if (this.down) {
      ws.terminate();
      return;
    }
    const c = {
      ws,
      subs: new Map(),
      server: this.rng.int(0, this.lags.servers - 1),
      silentFrom: Infinity,
      last: new Map(),
    };
    this.conns.add(c);
    this.count("ws");
    if (this.rng.chance(0.1)) ws.send("Websocket connection established.");
    if (this.active && this.rng.chance(this.p.wsSilent)) c.silentFrom = Date.now() + this.rng.range(1000, 10000);
    if (this.active && this.rng.chance(this.p.wsCut))
      setTimeout(() => ws.terminate(), this.rng.range(500, 15000)).unref();
    ws.on("close", () => this.conns.delete(c));
    ws.on("error", () => {});
    ws.on("message", (m) => {
      let j;
      try {
        j = JSON.parse(m);
      } catch {
        return;
      }
      if (j.method === "ping") {
        ws.send('{"channel":"pong"}');
        return;
      }
      if (j.method === "subscribe") {
        const k = JSON.stringify(j.subscription);
        this.count(`sub:${j.subscription.type}`);
        c.subs.set(k, j.subscription);
        ws.send(
          JSON.stringify({
            channel: "subscriptionResponse",
            data: { method: "subscribe", subscription: j.subscription },
          }),
        );
        this.frame(c, j.subscription, true);
      } else if (j.method === "unsubscribe") {
        c.subs.delete(JSON.stringify(j.subscription));
        ws.send(JSON.stringify({ channel: "subscriptionResponse", data: j }));
      } else if (j.method === "post") this.post(c, j);
    });
  }
  post(c, j) {
    // not used over http; answered honestly as far as it goes
    const q = j.request;
    this.count(`post:${q.type}`);
    const reply = (payload) =>
      c.ws.send(JSON.stringify({ channel: "post", data: { id: j.id, response: { type: q.type, payload } } }));
    if (q.type === "action") {
      const fake = {
        destroyed: false,
        writableEnded: false,
        writeHead() {},
        write() {},
        end: (t) => {
          try {
            reply(JSON.parse(t));
          } catch {
            c.ws.send(
              JSON.stringify({
                channel: "post",
                data: { id: j.id, response: { type: "error", payload: String(t).slice(0, 80) } },
              }),
            );
          }
        },
      };
      this.exchange(q.payload, fake, { destroy: () => c.ws.terminate() });
    } else {
      const hit = this.views.info(q.payload);
      if (hit) reply({ type: q.payload.type, data: hit[1](this.lags.asOf(c.server, hit[0], Date.now())) });
    }
  }
  out(c, channel, data) {
    if (Date.now() >= c.silentFrom || c.ws.readyState !== 1) return;
    if (this.active && this.rng.chance(this.p.wsDrop)) {
      this.count("fault:wsDrop");
      return;
    }
    c.ws.send(JSON.stringify({ channel, data }));
  }
  later(c, store, t, f) {
    // an event channel: told once its server has come so far
    const go = () => {
      if (c.ws.readyState !== 1) return;
      const as = this.active ? this.lags.asOf(c.server, store, Date.now()) : Date.now();
      if (as < t && this.active) setTimeout(go, 100 + this.rng.range(0, 150)).unref();
      else f();
    };
    const jitter = this.active && this.rng.chance(0.2) ? this.rng.range(0, 1200) : this.rng.range(0, 5);
    setTimeout(go, jitter).unref();
  }
  push(kind, d) {
    const now = Date.now();
    const t = kind === "order" ? d.h.t : kind === "fill" ? d.f.t : now;
    for (const c of this.conns)
      for (const sub of c.subs.values()) {
        if (sub.user && sub.user.toLowerCase() !== this.views.user) continue;
        if (kind === "order" && sub.type === "orderUpdates") {
          const o = d.o,
            h = d.h;
          const again = this.active && this.rng.chance(0.05) ? 2 : 1;
          for (let i = 0; i < again; i++)
            this.later(c, "orderUpdates", t, () =>
              this.out(c, "orderUpdates", [
                { order: this.views.basic(o, h.t), status: h.st, statusTimestamp: this.views.T(h.t) },
              ]),
            );
        }
        if (kind === "fill" && sub.type === "userFills") {
          const f = this.views.fill(d.f);
          if (this.rng.chance(0.1)) delete f.cloid;
          this.later(c, "userFills", t, () => this.out(c, "userFills", { user: this.views.user, fills: [f] }));
        }
        if (kind === "fill" && sub.type === "userEvents")
          this.later(c, "userFills", t, () => this.out(c, "user", { fills: [this.views.fill(d.f)] }));
        if (kind === "fill" && d.f.twapId && sub.type === "userTwapSliceFills")
          this.later(c, "userFills", t, () =>
            this.out(c, "userTwapSliceFills", {
              user: this.views.user,
              twapSliceFills: [{ fill: this.views.fill(d.f), twapId: d.f.twapId }],
            }),
          );
      }
  }
  /** State channels: whole frames, as of where this connection's server is. */
  frame(c, sub, first) {
    const now = Date.now(),
      u = this.views.user,
      mine = !sub.user || sub.user.toLowerCase() === u,
      as = (st) => (this.active ? this.lags.asOf(c.server, st, now) : now),
      v = this.views,
      out = (ch, d) => {
        const plain = this.plant?.({ type: `ws:${ch}` }, d) ?? d;
        this.out(c, ch, plain);
      };
    switch (sub.type) {
      case "clearinghouseState":
        out("clearinghouseState", {
          dex: sub.dex ?? "",
          user: u,
          clearinghouseState: v.state(as("wsState"), mine ? (sub.dex ?? "") : undefined),
        });
        break;
      case "allDexsClearinghouseState": {
        const t = as("wsState");
        out("allDexsClearinghouseState", {
          user: u,
          clearinghouseStates: [
            ["", v.state(t, "")],
            ["xyz", v.state(t, "xyz")],
          ],
        });
        break;
      }
      case "openOrders":
        out("openOrders", { dex: sub.dex ?? "", user: u, orders: v.openOrders(as("wsOpen"), sub.dex ?? "") });
        break;
      case "spotState":
        out("spotState", { user: u, spotState: v.spotState(as("wsState")) });
        break;
      case "webData3":
        out("webData3", {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "100000.0",
            serverTime: v.T(as("wsState")),
            isVault: false,
            user: u,
            abstraction: "default",
          },
          perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
        });
        break;
      case "twapStates":
        out("twapStates", { dex: sub.dex ?? "", user: u, states: v.twapStates(as("twap"), sub.dex ?? "") });
        break;
      case "userFills":
        if (first) out("userFills", { user: u, isSnapshot: true, fills: v.fills(as("userFills")) });
        break;
      case "userHistoricalOrders":
        if (first) out("userHistoricalOrders", { user: u, isSnapshot: true, orderHistory: v.history(as("history")) });
        break;
      case "userTwapHistory":
        out("userTwapHistory", { user: u, isSnapshot: true, history: v.twapHistory(as("twap")) });
        break;
      case "userTwapSliceFills":
        if (first) out("userTwapSliceFills", { user: u, isSnapshot: true, twapSliceFills: [] });
        break;
      case "userFundings":
        if (first) out("userFundings", { user: u, isSnapshot: true, fundings: [] });
        break;
      case "userNonFundingLedgerUpdates":
        if (first) out("userNonFundingLedgerUpdates", { user: u, isSnapshot: true, nonFundingLedgerUpdates: [] });
        break;
      case "bbo": {
        const b = v.book(sub.coin);
        if (b) out("bbo", { coin: b.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] });
        break;
      }
      case "l2Book":
        out("l2Book", v.book(sub.coin));
        break;
      case "activeAssetCtx":
        out(sub.coin.includes("/") ? "activeSpotAssetCtx" : "activeAssetCtx", { coin: sub.coin, ctx: v.ctx(sub.coin) });
        break;
      case "allMids":
        out("allMids", { mids: v.info({ type: "allMids", dex: sub.dex })[1](), ...(sub.dex ? { dex: sub.dex } : {}) });
        break;
      case "trades":
      case "orderUpdates":
      case "userEvents":
      case "notification":
      case "candle":
      case "activeAssetData":
        break;
      default:
        this.unknownTypes.add(`ws:${sub.type}`);
    }
  }
  periodic() {
    this.n = (this.n ?? 0) + 1;
    for (const c of this.conns)
      for (const sub of c.subs.values()) {
        const every = ["openOrders", "bbo", "l2Book", "activeAssetCtx"].includes(sub.type)
          ? 2
          : ["clearinghouseState", "allDexsClearinghouseState", "spotState", "webData3", "twapStates"].includes(
                sub.type,
              )
            ? 5
            : sub.type === "allMids"
              ? 4
              : 0;
        if (every && this.n % every === 0) this.frame(c, sub, false);
      }
  }
}
