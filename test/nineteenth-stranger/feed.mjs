// The websocket: subscriptions, what changes told some time later, and what is told again every few seconds.
import { createHash } from "node:crypto";
import { now } from "./truth.mjs";

const AGAIN_MS = 3_000;
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class Feed {
  constructor(exchange) {
    this.exchange = exchange;
    this.sockets = new Set();
    this.isSilent = false;
    this.waits = [0, 0];
    this.next = new Map();
    exchange.truth.listeners.push((kind, value) => this.hear(kind, value));
    this.timer = setInterval(() => this.tellAgain(), AGAIN_MS);
    this.fast = setInterval(() => this.tellPrices(), 500);
  }

  take(request, socket) {
    if (this.exchange.isCut) return socket.destroy();
    const accept = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + MAGIC)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const client = { socket, topics: new Map(), rest: Buffer.alloc(0) };
    this.sockets.add(client);
    socket.on("data", (bytes) => this.read(client, bytes));
    socket.on("close", () => this.sockets.delete(client));
    socket.on("error", () => this.sockets.delete(client));
  }

  read(client, bytes) {
    client.rest = Buffer.concat([client.rest, bytes]);
    while (true) {
      const frame = unframe(client.rest);
      if (frame === null) return;
      client.rest = client.rest.subarray(frame.end);
      if (frame.kind === 8) return client.socket.end();
      if (frame.kind === 9) client.socket.write(framed(frame.body, 10));
      if (frame.kind === 1) this.asked(client, JSON.parse(frame.body.toString()));
    }
  }

  asked(client, { method, subscription }) {
    if (method === "ping") return tell(client, "pong");
    const key = JSON.stringify(subscription);
    if (method === "unsubscribe") client.topics.delete(key);
    if (method !== "subscribe") return;
    client.topics.set(key, subscription);
    tell(client, "subscriptionResponse", { method, subscription });
    this.whole(client, subscription, true);
  }

  /** The whole of a channel that has one, as of some time ago. */
  whole(client, subscription, isFirst) {
    const { views } = this.exchange;
    const { type, dex, coin, user } = subscription;
    const t = Date.now() - (isFirst ? 0 : this.waits[0]);
    const xyz = [
      ["", views.state(t, "")],
      ["xyz", views.state(t, "xyz")],
    ];
    const frames = {
      allMids: () => ({ mids: views.mids(dex), ...(dex ? { dex } : {}) }),
      l2Book: () => views.book(coin),
      bbo: () => views.bbo(coin),
      activeAssetCtx: () => ({ coin, ctx: views.context(coin) }),
      activeAssetData: () => views.asset(coin, t),
      clearinghouseState: () => ({ dex: dex ?? "", user, clearinghouseState: views.state(t, dex) }),
      allDexsClearinghouseState: () => ({ user, clearinghouseStates: xyz }),
      openOrders: () => ({ dex: dex ?? "", user, orders: dex ? [] : views.openOrders(t) }),
      spotState: () => ({ user, spotState: views.spot() }),
      twapStates: () => ({ dex: dex ?? "", user, states: dex ? [] : views.twapStates(t) }),
      webData3: () => ({
        userState: {
          user,
          agentAddress: null,
          agentValidUntil: null,
          cumLedger: "0.0",
          serverTime: t,
          isVault: false,
          abstraction: "default",
        },
        perpDexStates: [],
      }),
    };
    const once = {
      userFills: () => ({ user, fills: views.fills(t), isSnapshot: true }),
      userFundings: () => ({ user, fundings: [], isSnapshot: true }),
      userTwapSliceFills: () => ({ user, twapSliceFills: [], isSnapshot: true }),
      userTwapHistory: () => ({ user, history: views.twapHistory(t), isSnapshot: true }),
      userHistoricalOrders: () => ({ user, orderHistory: [], isSnapshot: true }),
      userNonFundingLedgerUpdates: () => ({ user, nonFundingLedgerUpdates: [], isSnapshot: true }),
    };
    const make = frames[type] ?? (isFirst ? once[type] : undefined);
    if (make !== undefined) tell(client, type, make());
    else if (isFirst && !["orderUpdates", "userEvents", "trades"].includes(type))
      this.exchange.unknown.add(`feed ${type}`);
  }

  each(type, make) {
    if (this.isSilent) return;
    for (const client of this.sockets)
      for (const subscription of client.topics.values()) if (subscription.type === type) make(client, subscription);
  }

  tellAgain() {
    for (const type of [
      "clearinghouseState",
      "allDexsClearinghouseState",
      "openOrders",
      "spotState",
      "twapStates",
      "webData3",
    ])
      this.each(type, (client, subscription) => this.whole(client, subscription, false));
  }

  tellPrices() {
    for (const type of ["bbo", "l2Book", "activeAssetCtx", "allMids"])
      this.each(type, (client, subscription) => this.whole(client, subscription, false));
  }

  /** Each channel keeps its order; how late each thing is told is drawn. */
  later(channel, tellIt) {
    const [least, most] = this.waits;
    const at = Math.max(Date.now() + least + this.exchange.draw(most - least + 1), this.next.get(channel) ?? 0);
    this.next.set(channel, at);
    setTimeout(tellIt, at - Date.now());
  }

  hear(kind, value) {
    const { views } = this.exchange;
    if (kind === "order") {
      const version = now(value);
      if (value.versions.at(-2)?.status === version.status) return;
      const { coin, side, limitPx, sz, oid, timestamp, origSz, cloid, reduceOnly } = views.frontend(value, version);
      const order = {
        coin,
        side,
        limitPx,
        sz,
        oid,
        timestamp,
        origSz,
        ...(cloid ? { cloid } : {}),
        ...(reduceOnly ? { reduceOnly } : {}),
      };
      const row = { order, status: version.status, statusTimestamp: version.t };
      this.later("orderUpdates", () => this.each("orderUpdates", (client) => tell(client, "orderUpdates", [row])));
      this.later("openOrders", () => this.each("openOrders", (client, s) => this.whole(client, s, false)));
    }
    if (kind === "fill") {
      const fill = views.fill(value);
      this.later("userFills", () =>
        this.each("userFills", (client, { user }) => tell(client, "userFills", { user, fills: [fill] })),
      );
      this.later("userEvents", () => this.each("userEvents", (client) => tell(client, "user", { fills: [fill] })));
      for (const type of ["clearinghouseState", "allDexsClearinghouseState"])
        this.later(type, () => this.each(type, (client, s) => this.whole(client, s, false)));
    }
    if (kind === "twap")
      this.later("twapStates", () => this.each("twapStates", (client, s) => this.whole(client, s, false)));
    if (kind === "mark") this.tellPrices();
  }

  cut() {
    for (const { socket } of this.sockets) socket.destroy();
  }

  close() {
    clearInterval(this.timer);
    clearInterval(this.fast);
    this.cut();
  }
}

function tell({ socket }, channel, data) {
  if (!socket.destroyed)
    socket.write(framed(Buffer.from(JSON.stringify(data === undefined ? { channel } : { channel, data })), 1));
}

function framed(body, kind) {
  const { length } = body;
  if (length < 126) return Buffer.concat([Buffer.from([0x80 | kind, length]), body]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x80 | kind;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, body]);
}

function unframe(bytes) {
  if (bytes.length < 2) return null;
  let length = bytes[1] & 127;
  let start = 2;
  if (length === 126) {
    if (bytes.length < 4) return null;
    length = bytes.readUInt16BE(2);
    start = 4;
  } else if (length === 127) {
    if (bytes.length < 10) return null;
    length = Number(bytes.readBigUInt64BE(2));
    start = 10;
  }
  const end = start + 4 + length;
  if (bytes.length < end) return null;
  const mask = bytes.subarray(start, start + 4);
  const body = Buffer.from(bytes.subarray(start + 4, end).map((b, i) => b ^ mask[i % 4]));
  return { kind: bytes[0] & 15, body, end };
}
