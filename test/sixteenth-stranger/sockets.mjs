// /ws: frames, subscriptions, and what each is shown.
import { createHash } from "node:crypto";
import { wire } from "./decimal.mjs";
import { Shown } from "./shown.mjs";

export class Sockets {
  constructor(exchange) {
    this.x = exchange;
    this.shown = new Shown(exchange);
    this.sockets = new Set();
    exchange.listeners.add((kind, data) => this.spread(kind, data));
  }
  upgrade(request, socket) {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
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
    const head =
      n < 126
        ? Buffer.from([128 | code, n])
        : n < 65536
          ? Buffer.from([128 | code, 126, n >> 8, n & 255])
          : Buffer.concat([
              Buffer.from([128 | code, 127]),
              Buffer.from(BigInt(n).toString(16).padStart(16, "0"), "hex"),
            ]);
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
    if (request.type === "info")
      return this.send(client, "post", {
        id,
        response: { type: "info", payload: { type: request.payload.type, data: this.shown.info(request.payload) } },
      });
    this.exchange(
      request.payload,
      (status, body) =>
        this.send(client, "post", {
          id,
          response:
            status === 200 ? { type: "action", payload: body } : { type: "error", payload: `${status} ${body}` },
        }),
      client.socket,
    );
  }
  // What a subscription shows as a whole, now.
  state(client, s, first = false) {
    const x = this.x;
    const user = x.owner;
    if (x.mute?.(s.type)) return;
    if (s.user && String(s.user).toLowerCase() !== user) return;
    switch (s.type) {
      case "allDexsClearinghouseState":
        return this.send(client, s.type, {
          user,
          clearinghouseStates: ["", "xyz", "hyna"].map((dex) => [dex, this.shown.clearinghouse(dex, "wsState")]),
        });
      case "clearinghouseState":
        return this.send(client, s.type, {
          dex: s.dex ?? "",
          user,
          clearinghouseState: this.shown.clearinghouse(s.dex ?? "", "wsState"),
        });
      case "openOrders":
        return this.send(client, s.type, {
          dex: s.dex ?? "",
          user,
          orders:
            s.dex === "ALL_DEXS"
              ? ["", "xyz", "hyna"].flatMap((dex) => this.shown.open(dex, "wsState"))
              : this.shown.open(s.dex ?? "", "wsState"),
        });
      case "spotState":
        return this.send(client, s.type, { user, spotState: this.shown.spotState("wsState") });
      case "webData3":
        return this.send(client, s.type, {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "0.0",
            serverTime: x.now(),
            isVault: false,
            user,
            abstraction: x.mode,
          },
          perpDexStates: [{ totalVaultEquity: "0.0" }],
        });
      case "twapStates":
        return this.send(client, s.type, {
          dex: s.dex ?? "",
          user,
          states: [...x.twaps.values()]
            .filter((t) => t.status === "activated" && x.markets.get(t.state.coin).dex === (s.dex ?? ""))
            .map((t) => [t.id, t.state]),
        });
      case "userFills":
        if (first) this.send(client, s.type, { user, isSnapshot: true, fills: this.shown.newestFills() });
        return;
      case "userFundings":
        if (first) this.send(client, s.type, { user, isSnapshot: true, fundings: [] });
        return;
      case "userNonFundingLedgerUpdates":
        if (first) this.send(client, s.type, { user, isSnapshot: true, nonFundingLedgerUpdates: [] });
        return;
      case "allMids":
        return this.send(client, s.type, { mids: this.shown.mids(s.dex ?? ""), ...(s.dex ? { dex: s.dex } : {}) });
      case "l2Book":
        return this.send(client, s.type, this.shown.book(s.coin));
      case "bbo": {
        const b = this.shown.book(s.coin);
        return b && this.send(client, s.type, { coin: s.coin, time: b.time, bbo: [b.levels[0][0], b.levels[1][0]] });
      }
      case "activeAssetCtx": {
        const m = x.markets.get(s.coin);
        return (
          m &&
          this.send(client, m.kind === "spot" ? "activeSpotAssetCtx" : s.type, {
            coin: s.coin,
            ctx: this.shown.context(m),
          })
        );
      }
      case "activeAssetData":
        return this.send(client, s.type, this.shown.rare({ type: s.type, coin: s.coin }));
    }
  }
  spread(kind, data) {
    const wait = this.x.lag.ws ?? 0;
    const status = kind === "order" ? data.order : null;
    const row = status && {
      order: {
        coin: status.coin,
        side: status.side,
        limitPx: wire(status.px),
        sz: wire(data.sz),
        oid: status.oid,
        timestamp: status.timestamp,
        origSz: wire(status.origSz),
        ...(status.cloid ? { cloid: status.cloid } : {}),
        ...(status.reduceOnly ? { reduceOnly: true } : {}),
      },
      status: data.status,
      statusTimestamp: data.at,
    };
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
    if (kind === "funding" && s.type === "userFundings")
      return this.send(client, s.type, { user, fundings: [{ time: data.time, ...data.delta }] });
    if (kind === "ledger" && s.type === "userNonFundingLedgerUpdates")
      return this.send(client, s.type, { user, nonFundingLedgerUpdates: [data] });
    if (kind === "twap" && s.type === "twapStates") return this.state(client, s);
    if (
      kind === "state" &&
      ["allDexsClearinghouseState", "clearinghouseState", "openOrders", "spotState"].includes(s.type)
    )
      return this.state(client, s);
    if (kind === "mid" && ["allMids", "l2Book", "bbo", "activeAssetCtx"].includes(s.type)) return this.state(client, s);
    if (kind === "periodic") this.state(client, s);
  }
}
