// HTTP: what becomes of a request on its way. An action has a fate: lost, late, doubled, answered badly, or none of these.
import http from "node:http";
import { WebSocketServer } from "ws";
import { Feeds } from "./feeds.mjs";
import { sleep } from "./markets.mjs";

export class Exchange extends Feeds {
  send(res, code, body, type = "application/json") {
    if (res.destroyed || res.writableEnded) return;
    res.writeHead(code, { "Content-Type": type });
    res.end(typeof body === "string" ? body : JSON.stringify(body));
  }
  json(res, v) {
    this.send(res, 200, JSON.stringify(v));
  }
  async onInfo(q, req, res) {
    if (this.faults) {
      const x = this.r(),
        F = this.opt.infoFault;
      if (x < F * 0.4) return this.send(res, 500, "null");
      if (x < F * (this.opt.info429 ?? 0.43)) return this.send(res, 429, "null");
      if (x < F * 0.6) return req.socket.destroy();
      if (x < F * 0.75) return this.send(res, 502, "<html><body>502 Bad Gateway</body></html>", "text/html");
      if (x < F * 0.8) {
        setTimeout(() => req.socket.destroy(), 20000).unref();
        return;
      }
      if (x < F) await sleep(this.r.range(300, 4000));
      else await sleep(this.r.range(1, 40));
    }
    const v = this.info(q);
    if (v === undefined)
      return this.send(
        res,
        422,
        "Failed to deserialize the JSON body into the target type",
        "text/plain; charset=utf-8",
      );
    if (
      this.opt.traceInfo &&
      [
        "orderStatus",
        "historicalOrders",
        "frontendOpenOrders",
        "openOrders",
        "userFills",
        "userFillsByTime",
        "clearinghouseState",
        "exchangeStatus",
      ].includes(q.type) &&
      this.mine(q.user ?? this.owner)
    )
      this.log("info", {
        q: q.oid ?? q.startTime ?? q.dex,
        type: q.type,
        a:
          q.type === "orderStatus"
            ? v.order
              ? `${v.order.status} ${v.order.order.oid}`
              : v.status
            : q.type === "clearinghouseState" || q.type === "exchangeStatus"
              ? { lag: this.now() - v.time }
              : Array.isArray(v)
                ? { n: v.length, newest: v[0]?.statusTimestamp ?? v[0]?.time ?? v[0]?.oid }
                : null,
      });
    this.json(res, v);
  }
  async onExchange(body, req, res) {
    const rec = {
      n: this.actions.length,
      at: this.now(),
      body: { action: body.action, nonce: body.nonce, expiresAfter: body.expiresAfter ?? null },
      type: body.action?.type,
    };
    this.actions.push(rec);
    let fate = "ok";
    if (this.faults && body.action.type !== "approveAgent") {
      const F = this.opt.fates;
      let x = this.r() * Object.values(F).reduce((a, b) => a + b, 0);
      for (const [k, w] of Object.entries(F)) {
        x -= w;
        if (x < 0) {
          fate = k;
          break;
        }
      }
    }
    if (this.script) fate = this.script(rec) ?? "ok";
    rec.fate = fate;
    rec.pending = !["lostBefore", "hangBefore", "badBefore"].includes(fate);
    const run = () => {
      rec.pending = false;
      const a = this.execute(rec);
      rec.answer = a;
      this.log("exec", {
        n: rec.n,
        type: rec.type,
        nonce: rec.body.nonce,
        answer: a,
        late: Math.round(rec.execAt - rec.at),
      });
      return a;
    };
    this.log("arrive", {
      n: rec.n,
      fate,
      nonce: rec.body.nonce,
      exp: rec.body.expiresAfter ? rec.body.expiresAfter - this.now() : null,
      action: body.action,
    });
    const pause = () => sleep(this.faults ? this.r.range(30, 900) : 5);
    const bad = () => {
      let k = this.r.int(6);
      if (k === 1 && this.r.chance(0.7)) k = 0;
      if (k === 0) this.send(res, 500, "null");
      else if (k === 1) this.send(res, 429, "null");
      else if (k === 2) this.send(res, 502, "<html>Bad Gateway</html>", "text/html");
      else if (k === 3) this.send(res, 200, '{"status":"ok","response":{"type":"ord', "application/json");
      else if (k === 4) this.send(res, 504, "");
      else this.send(res, 200, "<html>ok</html>", "text/html");
      rec.badKind = k;
    };
    switch (fate) {
      case "ok":
        await pause();
        return this.json(res, run());
      case "lostAfter":
        await pause();
        run();
        if (this.opt.sabotage) for (const o of rec.placed ?? []) o.hidden = true;
        return req.socket.destroy();
      case "hangAfter":
        await pause();
        run();
        setTimeout(() => req.socket.destroy(), 30000).unref();
        return;
      case "lostBefore":
        await pause();
        return req.socket.destroy();
      case "hangBefore":
        setTimeout(() => req.socket.destroy(), 30000).unref();
        return;
      case "badAfter":
        await pause();
        run();
        return bad();
      case "badBefore":
        await pause();
        return bad();
      case "lateLost": {
        const d = this.r.range(1000, 15000);
        setTimeout(run, d);
        if (this.r.chance(0.5)) {
          await pause();
          req.socket.destroy();
        } else setTimeout(() => req.socket.destroy(), 30000).unref();
        return;
      }
      case "lateBad": {
        const d = this.r.range(1000, 15000);
        setTimeout(run, d);
        await pause();
        return bad();
      }
      case "slowAnswer": {
        await pause();
        const a = run();
        await sleep(this.r.range(2000, 14000));
        return this.json(res, a);
      }
      case "slowExec": {
        await sleep(this.r.range(2000, 13000));
        return this.json(res, run());
      }
      case "refusedElsewhere": {
        const d = this.r.range(50, 9000);
        setTimeout(run, d);
        await pause();
        return this.json(res, {
          status: "err",
          response: this.r.pick([
            `User or API Wallet ${this.agents[0]?.address} does not exist.`,
            `Must deposit before performing actions. User: ${this.owner}`,
            "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $1000000. Place taker orders to free up 1 request per USDC traded.",
          ]),
        });
      }
      case "doubled": {
        await pause();
        run();
        await sleep(20);
        const again = { status: "err", response: `Invalid nonce: duplicate nonce ${rec.body.nonce}` };
        return this.json(res, again);
      }
    }
  }
  async listen() {
    this.server = http.createServer((req, res) => {
      let s = "";
      req.on("data", (d) => (s += d));
      req.on("end", () => {
        let b;
        try {
          b = JSON.parse(s);
        } catch {
          return this.send(res, 400, "Failed to parse the request body as JSON", "text/plain");
        }
        const h =
          req.url === "/info"
            ? this.onInfo(b, req, res)
            : req.url === "/exchange"
              ? this.onExchange(b, req, res)
              : this.send(res, 404, "");
        Promise.resolve(h).catch((e) => {
          this.log("fakebug", { e: String(e.stack) });
          try {
            this.send(res, 500, "null");
          } catch {}
        });
      });
    });
    this.server.keepAliveTimeout = 30000;
    if (this.opt.ws) {
      this.wss = new WebSocketServer({ server: this.server, path: "/ws" });
      this.wss.on("connection", (ws) => this.feed(ws));
    }
    await new Promise((ok) => this.server.listen(0, "127.0.0.1", ok));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
  close() {
    for (const c of this.conns) c.ws.terminate();
    this.wss?.close();
    this.server.closeAllConnections();
    this.server.close();
  }
}
