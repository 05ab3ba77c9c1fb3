// The exchange itself: HTTP and websocket on loopback, and what a scene does to actions on their way (`faults`).
import http from "node:http";
import { WebSocketServer } from "ws";
import { Views } from "./exchange-views.mjs";

export class Exchange extends Views {
  async start(port) {
    this.srv = http.createServer((q, r) => {
      let d = "";
      q.on("data", (x) => (d += x));
      q.on("end", () => {
        void this.serve(q, r, d).catch((e) => {
          console.error("EX", e);
          r.destroy();
        });
      });
    });
    this.wss = new WebSocketServer({ noServer: true });
    this.srv.on("upgrade", (q, s, h) => {
      if (this.deadInfo || this.deadFeed) {
        s.destroy();
        return;
      }
      this.wss.handleUpgrade(q, s, h, (w) => {
        w.subs = new Map();
        this.socks.add(w);
        w.on("close", () => this.socks.delete(w));
        w.on("error", () => {});
        w.on("message", (m) => {
          let j;
          try {
            j = JSON.parse(m);
          } catch {
            return;
          }
          if (j.method === "ping") return w.readyState === 1 && !this.deadFeed && w.send('{"channel":"pong"}');
          if (j.method === "subscribe") {
            const s = j.subscription;
            w.subs.set(JSON.stringify(s), s);
            w.send(
              JSON.stringify({
                channel: "subscriptionResponse",
                data: {
                  method: "subscribe",
                  subscription: s.type === "l2Book" ? { nSigFigs: null, mantissa: null, ...s } : s,
                },
              }),
            );
            const f = this.frame(s);
            if (f) this.send(w, ...f);
            else if (s.type === "userFills")
              this.send(w, "userFills", {
                user: this.owner,
                fills: this.visFills().slice(-2000).reverse(),
                isSnapshot: true,
              });
            else if (s.type === "userTwapHistory")
              this.send(w, s.type, { user: this.owner, history: this.twapHist.slice(0, 500), isSnapshot: true });
            else if (s.type === "userTwapSliceFills")
              this.send(w, s.type, { user: this.owner, twapSliceFills: [], isSnapshot: true });
            else if (["userFundings"].includes(s.type))
              this.send(w, s.type, { user: this.owner, fundings: [], isSnapshot: true });
            else if (s.type === "userNonFundingLedgerUpdates")
              this.send(w, s.type, { user: this.owner, nonFundingLedgerUpdates: [], isSnapshot: true });
            else if (s.type === "userHistoricalOrders")
              this.send(w, s.type, { user: this.owner, orderHistory: [], isSnapshot: true });
            else if (s.type === "trades") this.send(w, "trades", []);
            else if (!["orderUpdates", "userEvents", "notification"].includes(s.type))
              this.unknownTypes.add(`ws ${s.type}`);
          } else if (j.method === "unsubscribe") {
            w.subs.delete(JSON.stringify(j.subscription));
            w.send(JSON.stringify({ channel: "subscriptionResponse", data: j }));
          } else if (j.method === "post") {
            this.unknownTypes.add(`ws post ${j.request?.type}`);
            const p = j.request;
            this.handleAction ? 0 : 0;
            if (p.type === "info") {
              w.send(
                JSON.stringify({
                  channel: "post",
                  data: {
                    id: j.id,
                    response: { type: "info", payload: { type: p.payload.type, data: this.info(p.payload) } },
                  },
                }),
              );
            } else
              this.act(
                p.payload,
                (res) =>
                  w.readyState === 1 &&
                  w.send(
                    JSON.stringify({ channel: "post", data: { id: j.id, response: { type: "action", payload: res } } }),
                  ),
                () => w.terminate(),
                () => {},
              );
          }
        });
      });
    });
    this.timer = setInterval(() => this.tick(), 1000);
    await new Promise((f) => this.srv.listen(port, "127.0.0.1", f));
    this.port = port;
  }
  act(body, answer, drop) {
    // with faults
    const i = this.faults.findIndex((f) => !f.match || f.match(body.action, body));
    const f = i >= 0 ? this.faults[i] : null;
    if (f && !f.keep) this.faults.splice(i, 1);
    if (!f) return answer(this.exec(body));
    this.rec("fault", { kind: f.kind, type: body.action.type, nonce: body.nonce });
    if (f.kind === "lose_after") {
      this.exec(body);
      return drop();
    }
    if (f.kind === "lose_before") {
      return drop();
    }
    if (f.kind === "hang_after") {
      this.exec(body);
      return;
    }
    if (f.kind === "late") {
      const fl = { body, at: Date.now() + f.ms };
      this.inflight.push(fl);
      setTimeout(() => {
        this.inflight = this.inflight.filter((x) => x !== fl);
        const res = this.exec(body);
        this.rec("late-exec", { nonce: body.nonce, res: JSON.stringify(res).slice(0, 200) });
        f.then?.(res);
      }, f.ms);
      return drop();
    }
    if (f.kind === "slow") {
      setTimeout(() => answer(this.exec(body)), f.ms);
      return;
    }
    if (f.kind === "slow_answer") {
      const res = this.exec(body);
      setTimeout(() => answer(res), f.ms);
      return;
    }
  }
  async serve(q, r, d) {
    const out = (c, o) => {
      r.writeHead(c, { "Content-Type": "application/json" });
      r.end(JSON.stringify(o));
    };
    let b;
    try {
      b = JSON.parse(d);
    } catch {
      r.writeHead(400, { "Content-Type": "text/plain" });
      return r.end("Failed to parse the request body as JSON");
    }
    if (q.url === "/info") {
      this.requests.push(b.type);
      if (this.deadInfo) return q.socket.destroy();
      if (this.infoFault) {
        const x = this.infoFault(b);
        if (x === "drop") return q.socket.destroy();
        if (x === "hang") return;
        if (x !== undefined && x !== null) return out(200, x);
      }
      const x = this.info(b);
      if (x === undefined) {
        r.writeHead(422, { "Content-Type": "text/plain; charset=utf-8" });
        return r.end("Failed to deserialize the JSON body into the target type");
      }
      return out(200, x);
    }
    if (q.url === "/exchange") {
      if (this.deadExchange) return q.socket.destroy();
      return this.act(
        b,
        (res) => out(200, res),
        () => q.socket.destroy(),
      );
    }
    out(404, null);
  }
  dropFeed() {
    for (const w of this.socks) w.terminate();
  }
  async stop() {
    clearInterval(this.timer);
    for (const t of this.twaps.values()) clearInterval(t.timer);
    for (const w of this.socks) w.terminate();
    this.srv.closeAllConnections?.();
    await new Promise((f) => this.srv.close(f));
  }
}
