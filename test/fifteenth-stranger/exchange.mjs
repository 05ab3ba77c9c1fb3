// The exchange on loopback: HTTP and websocket. `lags` says how far behind each store is, `infoFault` and `actionFault` what breaks.
import { createHash } from "node:crypto";
import http from "node:http";
import { Actions } from "./actions.mjs";
import { Ledger } from "./ledger.mjs";
import { Views } from "./views.mjs";

export function text(value) {
  return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `@@${v}@@` : v)).replace(/"@@(\d+)@@"/g, "$1");
}
// Ids beyond 2^53 stay whole: numbers of 16 digits and more become BigInt.
export function parse(raw) {
  return JSON.parse(raw.replace(/([:[,]\s*)(\d{16,})(?=\s*[,\]}])/g, '$1"@@$2@@"'), (_, v) =>
    typeof v === "string" && /^@@\d+@@$/.test(v) ? BigInt(v.slice(2, -2)) : v,
  );
}
export function wait(ms) {
  return new Promise((r) => setTimeout(r, ms));
}

export class Exchange {
  constructor({ owner, firstOid } = {}) {
    this.ledger = new Ledger({ firstOid });
    this.actions = new Actions(this.ledger);
    this.views = new Views(this.ledger, this.actions, owner);
    this.owner = owner;
    this.lags = {};
    this.infoFault = () => null;
    this.actionFault = () => null;
    this.edit = (_type, answer) => answer;
    this.wsEdit = (_channel, data) => data;
    this.wsMute = () => false;
    this.asked = [];
    this.unmodelled = new Set();
    this.sockets = new Set();
    this.ledger.listeners.push((e) => this.broadcast(e));
  }
  async start() {
    this.server = http.createServer((q, a) => {
      this.handle(q, a).catch((e) => this.broken(e, a));
    });
    this.server.on("upgrade", (q, s) => this.upgrade(q, s));
    await new Promise((r) => this.server.listen(0, "127.0.0.1", r));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.ticker = setInterval(() => this.tick(), 1500);
  }
  stop() {
    clearInterval(this.ticker);
    for (const s of this.sockets) s.raw.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }
  broken(e, a) {
    console.error("FAKE FAILED", e);
    a.writeHead(500).end("null");
  }
  lagOf(name, body) {
    const l = this.lags[name] ?? this.lags["*"] ?? 0;
    return typeof l === "function" ? l(body) : l;
  }
  async handle(q, a) {
    const parts = [];
    for await (const c of q) parts.push(c);
    const body = parse(Buffer.concat(parts).toString() || "{}");
    if (q.url === "/info") return this.info(body, a);
    if (q.url === "/exchange") return this.action(body, a);
    a.writeHead(404).end();
  }
  send(a, status, content, type = "application/json") {
    if (!a.destroyed) a.writeHead(status, { "content-type": type }).end(content);
  }
  async info(body, a) {
    this.asked.push({ t: Date.now(), ...body });
    const fault = this.infoFault(body);
    if (fault?.delay) await wait(fault.delay);
    if (fault?.drop) return a.destroy();
    if (fault?.status) return this.send(a, fault.status, fault.text ?? "null", fault.type);
    const known = this.known(body);
    let answer = this.views.answer(body, known);
    if (body.user && body.user.toLowerCase() !== this.owner) answer = this.stranger(body, answer);
    if (answer === undefined) {
      if (!this.unmodelled.has(body.type)) console.error("NOT MODELLED", JSON.stringify(body));
      this.unmodelled.add(body.type);
      return this.send(a, 422, "Failed to deserialize the JSON body into the target type", "text/plain");
    }
    answer = this.edit(body.type, answer, body);
    const out = text(answer);
    if (fault?.half) {
      a.writeHead(200, { "content-type": "application/json", "content-length": out.length });
      a.write(out.slice(0, out.length / 2));
      return setTimeout(() => a.destroy(), 50);
    }
    this.send(a, 200, out);
  }
  known(body) {
    return Date.now() - this.lagOf(body.type, body);
  }
  stranger(body, answer) {
    if (body.type === "orderStatus") return { status: "unknownOid" };
    if (body.type === "userRole")
      return {
        role: [...this.actions.agents.keys()].includes(body.user) ? "agent" : "missing",
        data: { user: this.owner },
      };
    return Array.isArray(answer) ? [] : answer;
  }
  async action(body, a) {
    const fault = this.actionFault(body) ?? {};
    if (fault.holdRequest) await wait(fault.holdRequest);
    if (fault.refuse)
      return fault.drop
        ? a.destroy()
        : this.send(a, fault.refuse.status, fault.refuse.text ?? "null", fault.refuse.type);
    if (fault.late !== undefined) setTimeout(() => this.actions.take(body), fault.late);
    const answer = fault.late === undefined && !fault.lose ? this.actions.take(body) : null;
    fault.after?.(this, answer);
    if (fault.delay) await wait(fault.delay);
    if (fault.drop || fault.lose === "drop") return a.destroy();
    if (fault.status) return this.send(a, fault.status, fault.text ?? "<html>502 Bad Gateway</html>", "text/html");
    const out = text(fault.edit ? fault.edit(answer) : answer);
    if (fault.half) {
      a.writeHead(200, { "content-type": "application/json", "content-length": out.length });
      a.write(out.slice(0, Math.floor(out.length * 0.6)));
      return setTimeout(() => a.destroy(), 50);
    }
    this.send(a, 200, out);
  }
  upgrade(q, raw) {
    const key = createHash("sha1")
      .update(`${q.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    if (this.refuseSockets) return raw.destroy();
    raw.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
    );
    const s = { raw, subs: [], buffer: Buffer.alloc(0) };
    this.sockets.add(s);
    raw.on("data", (d) => this.frames(s, d));
    raw.on("close", () => this.sockets.delete(s));
    raw.on("error", () => this.sockets.delete(s));
  }
  frames(s, d) {
    s.buffer = Buffer.concat([s.buffer, d]);
    for (;;) {
      const b = s.buffer;
      if (b.length < 2) return;
      let [n, o] = [b[1] & 127, 2];
      if (n === 126) [n, o] = [b.length >= 4 ? b.readUInt16BE(2) : 1e9, 4];
      const end = o + 4 + n;
      if (b.length < end) return;
      const mask = b.subarray(o, o + 4);
      const data = Buffer.from(b.subarray(o + 4, end)).map((x, i) => x ^ mask[i % 4]);
      s.buffer = b.subarray(end);
      const op = b[0] & 15;
      if (op === 8) return s.raw.end();
      if (op === 9) this.write(s, 10, data);
      if (op === 1) void this.message(s, JSON.parse(data.toString()));
    }
  }
  write(s, op, data) {
    if (s.raw.destroyed) return;
    const n = data.length;
    const h =
      n < 126
        ? Buffer.from([0x80 | op, n])
        : n < 65536
          ? Buffer.from([0x80 | op, 126, n >> 8, n & 255])
          : Buffer.alloc(10);
    if (n >= 65536) {
      h[0] = 0x80 | op;
      h[1] = 127;
      h.writeBigUInt64BE(BigInt(n), 2);
    }
    s.raw.write(Buffer.concat([h, data]));
  }
  push(s, channel, data) {
    if (this.wsMute(channel)) return;
    const edited = this.wsEdit(channel, data);
    if (edited !== undefined) this.write(s, 1, Buffer.from(text({ channel, data: edited })));
  }
  message(s, m) {
    if (m.method === "ping") return this.write(s, 1, Buffer.from('{"channel":"pong"}'));
    if (m.method === "post") return this.post(s, m);
    if (m.method === "unsubscribe") s.subs = s.subs.filter((x) => JSON.stringify(x) !== JSON.stringify(m.subscription));
    else s.subs.push(m.subscription);
    this.push(s, "subscriptionResponse", { method: m.method, subscription: m.subscription });
    if (m.method === "subscribe") this.snapshot(s, m.subscription, true);
  }
  async post(s, m) {
    const kind = m.request.type;
    const payload =
      kind === "info"
        ? { type: m.request.payload.type, data: this.views.answer(m.request.payload, this.known(m.request.payload)) }
        : this.actions.take(m.request.payload);
    this.push(s, "post", { id: m.id, response: { type: kind, payload } });
  }
  state(sub, T) {
    const v = this.views;
    const user = this.owner;
    switch (sub.type) {
      case "openOrders":
        return {
          dex: sub.dex ?? "",
          user,
          orders: sub.dex === "ALL_DEXS" ? [...v.open(T, ""), ...v.open(T, "xyz")] : v.open(T, sub.dex ?? ""),
        };
      case "clearinghouseState":
        return { dex: sub.dex ?? "", user, clearinghouseState: v.clearinghouse(T, sub.dex) };
      case "allDexsClearinghouseState":
        return { user, clearinghouseStates: ["", "xyz"].map((d) => [d, v.clearinghouse(T, d)]) };
      case "spotState":
        return { user, spotState: v.spotState(T) };
      case "twapStates":
        return {
          dex: sub.dex ?? "",
          user,
          states: [...this.ledger.twaps.values()]
            .filter((w) => this.ledger.at(w.hist, T)?.status === "activated" && v.dexOf(w.coin) === (sub.dex ?? ""))
            .map((w) => [w.id, v.twapState(w, T)]),
        };
      case "webData3":
        return {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "0.0",
            serverTime: T + this.ledger.skew(),
            isVault: false,
            user,
            abstraction: "disabled",
          },
          perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
        };
      case "activeAssetCtx":
        return { coin: sub.coin, ctx: v.ctx(this.ledger.coins.get(sub.coin)) };
      case "bbo": {
        const b = v.book(sub.coin);
        return { coin: sub.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] };
      }
      case "l2Book":
        return v.book(sub.coin);
      case "allMids":
        return { mids: v.answer({ type: "allMids" }, T) };
      case "activeAssetData":
        return v.asset(sub.coin, T);
      default:
        return null;
    }
  }
  snapshot(s, sub, first = false) {
    const T = Date.now() - this.lagOf(`ws:${sub.type}`, sub);
    const data = this.state(sub, T);
    const spot = sub.type === "activeAssetCtx" && !sub.coin.includes(":") && /[@/]/.test(sub.coin);
    if (data) return this.push(s, spot ? "activeSpotAssetCtx" : sub.type, data);
    if (!first) return;
    const user = this.owner;
    if (sub.type === "userFills")
      this.push(s, "userFills", { user, fills: this.views.fills(T).reverse().slice(0, 2000), isSnapshot: true });
    if (sub.type === "userFundings") this.push(s, sub.type, { user, fundings: [], isSnapshot: true });
    if (sub.type === "userNonFundingLedgerUpdates")
      this.push(s, sub.type, { user, nonFundingLedgerUpdates: [], isSnapshot: true });
    if (sub.type === "userTwapHistory")
      this.push(s, sub.type, { user, history: this.views.twapHistory(T), isSnapshot: true });
    if (sub.type === "userTwapSliceFills") this.push(s, sub.type, { user, twapSliceFills: [], isSnapshot: true });
    if (sub.type === "userHistoricalOrders")
      this.push(s, sub.type, { user, orderHistory: this.views.history(T), isSnapshot: true });
    if (sub.type === "trades") this.push(s, "trades", []);
    const known = [
      "orderUpdates",
      "userEvents",
      "userFills",
      "userFundings",
      "userNonFundingLedgerUpdates",
      "userTwapHistory",
      "userTwapSliceFills",
      "userHistoricalOrders",
      "trades",
      "candle",
      "notification",
    ];
    if (!known.includes(sub.type)) this.unmodelled.add(`ws:${sub.type}`);
  }
  tick() {
    for (const s of this.sockets) for (const sub of s.subs) this.snapshot(s, sub);
  }
  broadcast(e) {
    const changes =
      {
        order: ["openOrders", "orderUpdates"],
        fill: ["userFills"],
        position: ["clearinghouseState", "allDexsClearinghouseState"],
        spot: ["spotState"],
        twap: ["twapStates", "userTwapHistory"],
        mark: ["activeAssetCtx", "bbo", "l2Book"],
      }[e.kind] ?? [];
    for (const type of changes) {
      const lag = this.lagOf(`ws:${type}`, e);
      if (lag === null) continue;
      setTimeout(() => {
        for (const s of this.sockets) for (const sub of s.subs) if (sub.type === type) this.single(s, sub, e);
      }, 3 + lag);
    }
  }
  single(s, sub, e) {
    const user = this.owner;
    if (sub.type === "orderUpdates") {
      if (!e.statusChange) return;
      return this.together(s, e);
    }
    if (sub.type === "userFills")
      return e.fill.hidden ? null : this.push(s, "userFills", { user, fills: [this.views.fill(e.fill)] });
    if (sub.type === "userTwapHistory")
      return this.push(s, sub.type, {
        user,
        history: [this.views.twapHistory(Date.now()).find((r) => r.twapId === e.twap.id)],
      });
    if ((sub.coin ?? e.coin) === e.coin || !sub.coin) this.snapshot(s, sub);
  }
  // What happens in one block comes in one array: an order that fills at once is told open and filled together (PROTOCOL §5).
  together(s, e) {
    const record = this.views.record(e.order, e.entry);
    const row = record.order;
    const order = {
      coin: row.coin,
      side: row.side,
      limitPx: row.limitPx,
      sz: row.sz,
      oid: row.oid,
      timestamp: row.timestamp,
      origSz: row.origSz,
    };
    if (row.cloid) order.cloid = row.cloid;
    s.pending = [...(s.pending ?? []), { order, status: record.status, statusTimestamp: record.statusTimestamp }];
    if (s.pending.length > 1) return;
    setTimeout(() => {
      const list = s.pending;
      s.pending = [];
      this.push(s, "orderUpdates", list);
    }, 4);
  }
}
