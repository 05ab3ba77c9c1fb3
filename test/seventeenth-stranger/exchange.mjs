// The exchange on the loopback: POST /info, POST /exchange and a websocket, over one ledger, with what a scene spoils.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { execute, Nonces } from "./actions.mjs";
import { answerInfo, book, meta } from "./answers.mjs";
import { Ledger, text } from "./ledger.mjs";
import { Views } from "./views.mjs";

function frame(payload, opcode = 1) {
  const body = Buffer.from(payload);
  const head =
    body.length < 126
      ? Buffer.from([0x80 | opcode, body.length])
      : body.length < 65536
        ? Buffer.from([0x80 | opcode, 126, 0, 0])
        : Buffer.alloc(10);
  if (head.length === 4) head.writeUInt16BE(body.length, 2);
  if (head.length === 10) {
    head[0] = 0x80 | opcode;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}

function readFrames(connection, chunk, onText) {
  connection.rest = Buffer.concat([connection.rest, chunk]);
  for (;;) {
    const b = connection.rest;
    if (b.length < 2) return;
    let size = b[1] & 127;
    let at = 2;
    if (size === 126) [size, at] = [b.length >= 4 ? b.readUInt16BE(2) : Infinity, 4];
    else if (size === 127) [size, at] = [b.length >= 10 ? Number(b.readBigUInt64BE(2)) : Infinity, 10];
    if (b.length < at + 4 + size) return;
    const mask = b.subarray(at, at + 4);
    const body = Buffer.from(b.subarray(at + 4, at + 4 + size));
    for (let i = 0; i < body.length; i++) body[i] ^= mask[i % 4];
    const opcode = b[0] & 15;
    connection.rest = b.subarray(at + 4 + size);
    if (opcode === 8) connection.socket.end();
    else if (opcode === 9) connection.socket.write(frame(body, 10));
    else if (opcode === 1) onText(body.toString("utf8"));
  }
}

export class Exchange {
  constructor(user) {
    this.ledger = new Ledger();
    this.ledger.began = Date.now();
    this.views = new Views(this.ledger);
    this.views.user = user;
    this.nonces = new Nonces();
    this.connections = new Set();
    this.requests = [];
    this.unknown = new Set();
    this.faults = {
      lag: {},
      feedIsUp: true,
      feedLag: 0,
      mute: new Set(),
      info: null,
      exchange: null,
      lagOf(store) {
        const lag = this.lag[store] ?? 0;
        return typeof lag === "function" ? lag() : lag;
      },
    };
    this.ledger.listeners.push((event) => this.onEvent(event));
  }
  async listen() {
    this.server = createServer((request, response) => void this.onRequest(request, response));
    this.server.on("upgrade", (request, socket) => this.onUpgrade(request, socket));
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.timer = setInterval(() => this.periodic(), 3000);
    this.quick = setInterval(() => this.pushAll((s) => s.type === "bbo" || s.type === "l2Book"), 500);
  }
  close() {
    clearInterval(this.timer);
    clearInterval(this.quick);
    for (const c of this.connections) c.socket.destroy();
    this.server.closeAllConnections?.();
    this.server.close();
  }
  async onRequest(request, response) {
    let raw = "";
    for await (const chunk of request) raw += chunk;
    const body = JSON.parse(raw);
    const send = (status, value, type = "application/json") => {
      if (response.destroyed) return;
      response.writeHead(status, { "content-type": type });
      response.end(typeof value === "string" && type !== "application/json" ? value : JSON.stringify(value));
    };
    if (request.url === "/exchange") return this.onAction(body, request, response, send);
    const entry = { t: Date.now(), body };
    this.requests.push(entry);
    const answer = answerInfo(this, body);
    if (answer === undefined) {
      this.unknown.add(body.type);
      return send(422, "Failed to deserialize the JSON body into the target type", "text/plain");
    }
    if (answer?.drop) return request.socket.destroy();
    if (answer?.http) return send(answer.http, null);
    send(200, answer);
  }
  async onAction(envelope, request, _response, send) {
    const fault = this.faults.exchange?.(envelope.action, envelope) ?? {};
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    if (fault.swallow) {
      if (fault.swallow === true) return request.socket.destroy();
      return;
    }
    if (fault.late) {
      setTimeout(() => this.run(envelope, fault), fault.late);
      return fault.hang ? undefined : request.socket.destroy();
    }
    fault.before?.();
    const answer = this.run(envelope, fault);
    fault.after?.(answer);
    if (fault.lost) return request.socket.destroy();
    if (fault.hang) return;
    if (fault.delay) await wait(fault.delay);
    if (fault.html) return send(502, "<html><body>Bad gateway</body></html>", "text/html");
    send(200, fault.answer ?? answer);
  }
  run(envelope) {
    return execute(this.ledger, this.nonces, envelope);
  }
  onUpgrade(request, socket) {
    if (!this.faults.feedIsUp) return socket.destroy();
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const connection = { socket, rest: Buffer.alloc(0), subscriptions: [] };
    this.connections.add(connection);
    socket.on("data", (chunk) =>
      readFrames(connection, chunk, (message) => this.onMessage(connection, JSON.parse(message))),
    );
    for (const gone of ["close", "error"]) socket.on(gone, () => this.connections.delete(connection));
  }
  cutFeeds() {
    for (const c of this.connections) c.socket.destroy();
  }
  send(connection, channel, data) {
    if (!connection.socket.destroyed)
      connection.socket.write(frame(JSON.stringify({ channel, ...(data === undefined ? {} : { data }) })));
  }
  onMessage(connection, message) {
    if (message.method === "ping") return this.send(connection, "pong");
    if (message.method === "subscribe") {
      connection.subscriptions.push(message.subscription);
      this.send(connection, "subscriptionResponse", message);
      return this.snapshot(connection, message.subscription, true);
    }
    if (message.method === "unsubscribe") {
      const wanted = JSON.stringify(message.subscription);
      connection.subscriptions = connection.subscriptions.filter((s) => JSON.stringify(s) !== wanted);
      return this.send(connection, "subscriptionResponse", message);
    }
  }
  snapshot(connection, s, isFirst) {
    if (this.faults.mute.has(s.type)) return;
    const frameOf = this.content(s, Date.now() - this.faults.feedLag, isFirst);
    if (frameOf) this.send(connection, frameOf[0], frameOf[1]);
  }
  content(s, at, isFirst) {
    const { ledger, views } = this;
    const user = views.user;
    switch (s.type) {
      case "userFills":
        return isFirst
          ? ["userFills", { user, fills: views.fills(at).reverse().slice(0, 2000), isSnapshot: true }]
          : null;
      case "clearinghouseState":
        return ["clearinghouseState", { dex: s.dex ?? "", user, clearinghouseState: views.state(s.dex ?? "", at) }];
      case "allDexsClearinghouseState":
        return [
          "allDexsClearinghouseState",
          { user, clearinghouseStates: ["", "xyz"].map((d) => [d, views.state(d, at)]) },
        ];
      case "openOrders":
        return ["openOrders", { dex: s.dex ?? "", user, orders: views.openList(s.dex ?? "", at) }];
      case "spotState":
        return ["spotState", { user, spotState: views.spotState(at) }];
      case "twapStates":
        return [
          "twapStates",
          {
            dex: s.dex ?? "",
            user,
            states: views.twapStates(at).filter(([, w]) => ledger.dexOf(w.coin) === (s.dex ?? "")),
          },
        ];
      case "userTwapHistory":
        return isFirst ? ["userTwapHistory", { user, history: views.twapHistory(at), isSnapshot: true }] : null;
      case "userTwapSliceFills":
        return isFirst ? ["userTwapSliceFills", { user, twapSliceFills: [], isSnapshot: true }] : null;
      case "userFundings":
        return isFirst ? ["userFundings", { user, fundings: [], isSnapshot: true }] : null;
      case "userNonFundingLedgerUpdates":
        return isFirst
          ? ["userNonFundingLedgerUpdates", { user, nonFundingLedgerUpdates: [], isSnapshot: true }]
          : null;
      case "userHistoricalOrders":
        return isFirst ? ["userHistoricalOrders", { user, orderHistory: views.history(at), isSnapshot: true }] : null;
      case "webData3":
        return [
          "webData3",
          {
            userState: {
              agentAddress: null,
              agentValidUntil: null,
              cumLedger: "10000.0",
              serverTime: Date.now(),
              isVault: false,
              user,
            },
            perpDexStates: [{ totalVaultEquity: "0.0" }],
          },
        ];
      case "allMids":
        return [
          "allMids",
          {
            mids: Object.fromEntries(ledger.universes[s.dex ?? ""].map((m) => [m.name, text(ledger.mark(m.name))])),
            ...(s.dex ? { dex: s.dex } : {}),
          },
        ];
      case "bbo": {
        const b = book(ledger, s.coin);
        return b && ["bbo", { coin: s.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] }];
      }
      case "l2Book":
        return ["l2Book", book(ledger, s.coin)];
      case "activeAssetCtx": {
        const px = text(ledger.mark(s.coin));
        const isSpot = ledger.isSpot(s.coin);
        return [
          isSpot ? "activeSpotAssetCtx" : "activeAssetCtx",
          {
            coin: s.coin,
            ctx: {
              funding: "0.0000125",
              openInterest: "1.0",
              prevDayPx: px,
              dayNtlVlm: "1.0",
              premium: "0.0",
              oraclePx: px,
              markPx: px,
              midPx: px,
              impactPxs: [px, px],
              dayBaseVlm: "1.0",
              ...(isSpot ? { circulatingSupply: "1.0", totalSupply: "1.0" } : {}),
            },
          },
        ];
      }
      default:
        return null;
    }
  }
  pushAll(wanted) {
    for (const c of this.connections) for (const s of c.subscriptions) if (wanted(s)) this.snapshot(c, s, false);
  }
  periodic() {
    this.pushAll((s) => s.type !== "bbo" && s.type !== "l2Book");
  }
  onEvent(event) {
    const user = this.views.user;
    const deliver = (type, channel, data) => {
      const lag = this.faults.feedLag;
      const go = () => {
        if (this.faults.mute.has(type)) return;
        for (const c of this.connections) if (c.subscriptions.some((s) => s.type === type)) this.send(c, channel, data);
      };
      if (lag > 0) setTimeout(go, lag);
      else setImmediate(go);
    };
    if (event.kind === "order" && !event.order.twapId) {
      const f = this.views.frontend(event.order, event.entry.sz);
      const order = {
        coin: f.coin,
        side: f.side,
        limitPx: f.limitPx,
        sz: f.sz,
        oid: f.oid,
        timestamp: f.timestamp,
        origSz: f.origSz,
        ...(f.cloid ? { cloid: f.cloid } : {}),
        ...(f.reduceOnly ? { reduceOnly: true } : {}),
      };
      deliver("orderUpdates", "orderUpdates", [{ order, status: event.entry.status, statusTimestamp: event.entry.t }]);
    }
    if (event.kind === "fill") {
      const fill = this.views.fill(event.fill);
      deliver("userFills", "userFills", { user, fills: [fill] });
      deliver("userEvents", "user", { fills: [fill] });
      if (fill.twapId)
        deliver("userTwapSliceFills", "userTwapSliceFills", { user, twapSliceFills: [{ fill, twapId: fill.twapId }] });
    }
    if (event.kind === "twap") {
      const e = event.twap.log.at(-1);
      deliver("userTwapHistory", "userTwapHistory", {
        user,
        history: [
          {
            time: Math.floor(e.t / 1000),
            state: this.views.twapState(event.twap, e),
            status: { status: e.status },
            twapId: event.twap.id,
          },
        ],
      });
    }
    const soon = this.faults.feedLag + 50;
    if (event.kind !== "mark") {
      clearTimeout(this.soon);
      this.soon = setTimeout(() => this.pushAll((s) => /State$|openOrders|twapStates/.test(s.type)), soon);
    }
  }
}
export { meta };
