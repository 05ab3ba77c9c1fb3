// The wire: /info, /exchange and /ws, over one exchange.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { d, plain, wire } from "./decimal.mjs";
import { Shown } from "./shown.mjs";

const DEFAULT = { status: "ok", response: { type: "default" } };
function batch(type, statuses) {
  return { status: "ok", response: { type, data: { statuses } } };
}
export class Server {
  constructor(exchange) {
    this.x = exchange;
    this.shown = new Shown(exchange);
    this.sockets = new Set();
    this.asked = [];
    exchange.listeners.add((kind, data) => this.spread(kind, data));
  }
  async listen(port) {
    this.http = createServer((request, response) => this.take(request, response));
    this.http.on("upgrade", (request, socket) => this.upgrade(request, socket));
    await new Promise((done, fail) => this.http.listen(port, "127.0.0.1", done).on("error", fail));
    this.timer = setInterval(() => this.spread("periodic"), 2000);
  }
  close() {
    clearInterval(this.timer);
    for (const c of this.sockets) c.socket.destroy();
    this.http.closeAllConnections();
    return new Promise((done) => this.http.close(done));
  }
  async take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status, body) => {
      if (response.destroyed) return;
      response.writeHead(status, { "content-type": typeof body === "string" && status !== 200 ? "text/plain" : "application/json" });
      response.end(status === 200 ? JSON.stringify(body) : body);
    };
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return answer(400, "Failed to parse the request body as JSON");
    }
    if (request.url === "/info") {
      this.asked.push({ t: Date.now(), ...body });
      const fault = this.x.infoFault?.(body);
      if (fault === "cut") return response.destroy();
      if (fault) await new Promise((done) => setTimeout(done, fault));
      const shown = this.shown.info(body);
      if (shown === undefined) this.x.note("unknown info", { body });
      return shown === undefined ? answer(422, "Failed to deserialize the JSON body into the target type") : answer(200, shown);
    }
    if (request.url !== "/exchange") return answer(404, "");
    await this.exchange(body, answer, response);
  }
  async exchange(body, answer, response) {
    const fate = (await this.x.before?.(body)) ?? "run";
    if (fate === "swallow") return response.destroy();
    const result = this.act(body);
    this.x.note("action", { action: body.action, nonce: body.nonce, result });
    const end = (await this.x.after?.(body, result)) ?? fate;
    if (end === "lose") return response.destroy();
    if (end === "502") return answer(502, "<html>502 Bad Gateway</html>");
    answer(200, result);
  }
  act({ action, nonce, expiresAfter }) {
    const x = this.x;
    if (action.type === "approveAgent") {
      const [name, until] = (action.agentName ?? "").split(" valid_until ");
      x.agents = [...x.agents.filter((a) => a.name !== name), { name, address: action.agentAddress.toLowerCase(), validUntil: until ? Number(until) : x.now() + 90 * 86400e3 }];
      return DEFAULT;
    }
    if (x.nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
    x.nonces.add(nonce);
    if (expiresAfter && x.now() > expiresAfter) return { status: "err", response: "Action already expired" };
    switch (action.type) {
      case "noop": return DEFAULT;
      case "order": return batch("order", this.orders(action));
      case "cancel": return batch("cancel", action.cancels.map((c) => this.cancel(x.orders.get(c.o), c.a)));
      case "cancelByCloid": return batch("cancel", action.cancels.map((c) => this.cancel(x.orders.get(x.cloids.get(c.cloid.toLowerCase())), c.asset)));
      case "batchModify": return batch("order", action.modifies.map((m) => this.modify(m, action.a)));
      case "updateLeverage": return this.setLeverage(action);
      case "updateIsolatedMargin": return DEFAULT;
      case "twapOrder": return this.twap(action.twap);
      case "twapCancel": return this.twapCancel(action);
      case "scheduleCancel": return DEFAULT;
      default: return { status: "err", response: `not modelled: ${action.type}` };
    }
  }
  orders(action) {
    const x = this.x;
    for (const w of action.orders) {
      const m = x.market(w.a);
      if (!m) return [{ error: `Invalid asset. asset=${w.a}` }];
      const decimals = (w.s.split(".")[1] ?? "").length;
      if (decimals > m.sz) return [{ error: "Order has invalid size." }];
    }
    return action.orders.map((w) => x.place(w, action.builder, action.grouping));
  }
  cancel(order, asset) {
    const gone = { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
    if (!order || this.x.markets.get(order.coin).a !== asset) return gone;
    return this.x.cancelOne(order) ? "success" : gone;
  }
  modify({ oid, order: w }, always) {
    const x = this.x;
    const old = typeof oid === "string" ? x.orders.get(x.cloids.get(oid)) : x.orders.get(oid);
    if (!always && (w.t.trigger || w.t.limit.tif === "Ioc")) return { error: "Attempted to modify to invalid new order" };
    const canceled = x.cancelOne(old);
    if (!canceled && !always) return { error: "Cannot modify canceled or filled order" };
    const want = always || w.t.trigger ? w : { ...w, t: { limit: { tif: "Alo" } } };
    const status = x.place(want, old?.builder, "na");
    const made = x.oid;
    if (canceled) x.replacedBy.set(old.oid, made);
    return status;
  }
  setLeverage({ asset, isCross, leverage }) {
    const m = this.x.market(asset);
    if (leverage < 1 || leverage > m.lev) return { status: "err", response: "Invalid leverage value" };
    this.x.leverage.set(m.coin, { type: isCross ? "cross" : "isolated", value: leverage });
    this.x.note("leverage", { coin: m.coin, isCross, leverage });
    this.x.snap();
    return DEFAULT;
  }
  twapRow(twap, status) {
    this.x.twapRows.push({ t: Date.now(), row: { time: Math.floor(this.x.now() / 1000), state: { ...twap.state }, status: typeof status === "string" ? { status } : status, twapId: twap.id } });
    twap.status = status;
    this.x.note("twap", { id: twap.id, status });
    this.x.tell("twap", twap);
  }
  twap(w) {
    const x = this.x;
    const m = x.market(w.a);
    if (m.halted || m.delisted) return { status: "ok", response: { type: "twapOrder", data: { status: { error: "Trading is halted." } } } };
    const id = 77_000_000 + x.twaps.size;
    const twap = { id, state: { coin: m.coin, user: x.owner, side: w.b ? "B" : "A", sz: wire(d(w.s)), executedSz: "0.0", executedNtl: "0.0", minutes: w.m, reduceOnly: w.r, randomize: w.t, stopPx: null, trigger: null, timestamp: x.now() } };
    x.twaps.set(id, twap);
    this.twapRow(twap, "activated");
    return { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: id } } } } };
  }
  twapCancel({ t }) {
    const twap = this.x.twaps.get(t);
    const done = twap?.status === "activated";
    if (done) this.twapRow(twap, "terminated");
    return { status: "ok", response: { type: "twapCancel", data: { status: done ? "success" : { error: "TWAP was never placed, already canceled, or filled." } } } };
  }
  upgrade(request, socket) {
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    const client = { socket, subs: new Map(), buffer: Buffer.alloc(0) };
    this.sockets.add(client);
    socket.on("data", (chunk) => this.data(client, chunk));
    socket.on("error", () => {});
    socket.on("close", () => this.sockets.delete(client));
  }
  data(client, chunk) {
    client.buffer = Buffer.concat([client.buffer, chunk]);
    for (;;) {
      const b = client.buffer;
      if (b.length < 2) return;
      let length = b[1] & 127;
      let at = 2;
      if (length === 126) [length, at] = [b.length >= 4 ? b.readUInt16BE(2) : Infinity, 4];
      else if (length === 127) [length, at] = [b.length >= 10 ? Number(b.readBigUInt64BE(2)) : Infinity, 10];
      if (b.length < at + 4 + length) return;
      const mask = b.subarray(at, at + 4);
      const payload = Buffer.from(b.subarray(at + 4, at + 4 + length)).map((byte, i) => byte ^ mask[i % 4]);
      client.buffer = b.subarray(at + 4 + length);
      const code = b[0] & 15;
      if (code === 8) return client.socket.end();
      if (code === 9) this.frame(client, 10, payload);
      else if (code === 1) this.message(client, JSON.parse(payload.toString()));
    }
  }
  frame(client, code, payload) {
    const n = payload.length;
    const head = n < 126 ? Buffer.from([128 | code, n]) : n < 65536 ? Buffer.from([128 | code, 126, n >> 8, n & 255]) : Buffer.concat([Buffer.from([128 | code, 127]), Buffer.from(BigInt(n).toString(16).padStart(16, "0"), "hex")]);
    if (!client.socket.destroyed) client.socket.write(Buffer.concat([head, payload]));
  }
  send(client, channel, data) {
    this.frame(client, 1, Buffer.from(JSON.stringify({ channel, data })));
  }
  message(client, message) {
    if (message.method === "ping") return this.frame(client, 1, Buffer.from('{"channel":"pong"}'));
    if (message.method === "post") return this.post(client, message);
    const key = JSON.stringify(message.subscription);
    this.send(client, "subscriptionResponse", message);
    if (message.method === "unsubscribe") return client.subs.delete(key);
    client.subs.set(key, message.subscription);
    this.state(client, message.subscription, true);
  }
  post(client, { id, request }) {
    if (request.type === "info") return this.send(client, "post", { id, response: { type: "info", payload: { type: request.payload.type, data: this.shown.info(request.payload) } } });
    this.exchange(request.payload, (status, body) => this.send(client, "post", { id, response: status === 200 ? { type: "action", payload: body } : { type: "error", payload: `${status} ${body}` } }), client.socket);
  }
  // What a subscription shows as a whole, now.
  state(client, s, first = false) {
    const x = this.x;
    const user = x.owner;
    if (x.mute?.(s.type)) return;
    if (s.user && String(s.user).toLowerCase() !== user) return;
    switch (s.type) {
      case "allDexsClearinghouseState": return this.send(client, s.type, { user, clearinghouseStates: ["", "xyz", "hyna"].map((dex) => [dex, this.shown.clearinghouse(dex, "wsState")]) });
      case "clearinghouseState": return this.send(client, s.type, { dex: s.dex ?? "", user, clearinghouseState: this.shown.clearinghouse(s.dex ?? "", "wsState") });
      case "openOrders": return this.send(client, s.type, { dex: s.dex ?? "", user, orders: s.dex === "ALL_DEXS" ? ["", "xyz", "hyna"].flatMap((dex) => this.shown.open(dex, "wsState")) : this.shown.open(s.dex ?? "", "wsState") });
      case "spotState": return this.send(client, s.type, { user, spotState: this.shown.spotState("wsState") });
      case "webData3": return this.send(client, s.type, { userState: { agentAddress: null, agentValidUntil: null, cumLedger: "0.0", serverTime: x.now(), isVault: false, user, abstraction: x.mode }, perpDexStates: [{ totalVaultEquity: "0.0" }] });
      case "twapStates": return this.send(client, s.type, { dex: s.dex ?? "", user, states: [...x.twaps.values()].filter((t) => t.status === "activated" && x.markets.get(t.state.coin).dex === (s.dex ?? "")).map((t) => [t.id, t.state]) });
      case "userFills": if (first) this.send(client, s.type, { user, isSnapshot: true, fills: this.shown.newestFills() }); return;
      case "userFundings": if (first) this.send(client, s.type, { user, isSnapshot: true, fundings: [] }); return;
      case "userNonFundingLedgerUpdates": if (first) this.send(client, s.type, { user, isSnapshot: true, nonFundingLedgerUpdates: [] }); return;
      case "allMids": return this.send(client, s.type, { mids: this.shown.mids(s.dex ?? ""), ...(s.dex ? { dex: s.dex } : {}) });
      case "l2Book": return this.send(client, s.type, this.shown.book(s.coin));
      case "bbo": { const b = this.shown.book(s.coin); return b && this.send(client, s.type, { coin: s.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] }); }
      case "activeAssetCtx": { const m = x.markets.get(s.coin); return m && this.send(client, m.kind === "spot" ? "activeSpotAssetCtx" : s.type, { coin: s.coin, ctx: this.shown.context(m) }); }
      case "activeAssetData": return this.send(client, s.type, this.shown.rare({ type: s.type, coin: s.coin }));
    }
  }
  spread(kind, data) {
    const wait = this.x.lag.ws ?? 0;
    const status = kind === "order" ? data.order : null;
    const row = status && { order: { coin: status.coin, side: status.side, limitPx: wire(status.px), sz: wire(data.sz), oid: status.oid, timestamp: status.timestamp, origSz: wire(status.origSz), ...(status.cloid ? { cloid: status.cloid } : {}), ...(status.reduceOnly ? { reduceOnly: true } : {}) }, status: data.status, statusTimestamp: data.at };
    const run = () => {
      for (const client of this.sockets) for (const s of client.subs.values()) this.push(client, s, kind, data, row);
    };
    if (wait) setTimeout(run, typeof wait === "function" ? wait() : wait);
    else run();
  }
  push(client, s, kind, data, row) {
    if (this.x.mute?.(s.type)) return;
    const user = this.x.owner;
    if (s.user && String(s.user).toLowerCase() !== user) return;
    if (kind === "order" && s.type === "orderUpdates") return this.send(client, s.type, [row]);
    if (kind === "fill" && s.type === "userFills") return this.send(client, s.type, { user, fills: [data] });
    if (kind === "fill" && s.type === "userEvents") return this.send(client, "user", { fills: [data] });
    if (kind === "funding" && s.type === "userFundings") return this.send(client, s.type, { user, fundings: [{ time: data.time, ...data.delta }] });
    if (kind === "ledger" && s.type === "userNonFundingLedgerUpdates") return this.send(client, s.type, { user, nonFundingLedgerUpdates: [data] });
    if (kind === "twap" && s.type === "twapStates") return this.state(client, s);
    if (kind === "state" && ["allDexsClearinghouseState", "clearinghouseState", "openOrders", "spotState"].includes(s.type)) return this.state(client, s);
    if (kind === "mid" && ["allMids", "l2Book", "bbo", "activeAssetCtx"].includes(s.type)) return this.state(client, s);
    if (kind === "periodic") this.state(client, s);
  }
}
