// The exchange's websocket: each channel of each connection is behind by its own, falls silent, repeats and breaks off.
import { WebSocketServer } from "ws";
import { wire } from "./figures.mjs";

export class Stream {
  constructor(exchange) {
    this.exchange = exchange;
    this.server = new WebSocketServer({ noServer: true });
    this.connections = new Set();
  }

  upgrade(request, socket, head) {
    if (this.exchange.down) return socket.destroy();
    this.server.handleUpgrade(request, socket, head, (ws) => this.take(ws));
  }

  begin() {
    const { truth } = this.exchange;
    truth.on("order", (order, version) => this.each("orderUpdates", () => [this.update(order, version)]));
    truth.on("part", (order) =>
      this.each("orderUpdates", () => [this.update(order, { ...order.versions.at(-1), t: order.versions.at(-1).t })]),
    );
    truth.on("fill", (row) => {
      this.each("userFills", () => ({ user: this.exchange.user, fills: [this.exchange.views.fill(row)] }));
      this.each("userEvents", () => ({ fills: [this.exchange.views.fill(row)] }), "user");
    });
    truth.on("twap", (twap) => {
      if (twap.versions.at(-2)?.status === twap.versions.at(-1).status) return;
      const history = () =>
        this.exchange.views
          .twapHistory(Date.now() + 5, this.exchange.user)
          .filter(({ twapId }) => twapId === twap.id)
          .slice(0, 1);
      this.each("userTwapHistory", () => ({ user: this.exchange.user, history: history() }));
    });
    truth.on("fill", (row) => {
      const slice = () => [{ fill: this.exchange.views.fill(row), twapId: row.twapId }];
      if (row.twapId) this.each("userTwapSliceFills", () => ({ user: this.exchange.user, twapSliceFills: slice() }));
    });
    for (const name of ["order", "part", "fill", "twap", "account"]) truth.on(name, () => this.changed());
    this.timer = setInterval(() => this.tick(), 1000);
  }

  end() {
    clearInterval(this.timer);
    for (const connection of this.connections) connection.ws.terminate();
    this.connections.clear();
  }

  breakOff() {
    for (const connection of this.connections) connection.ws.terminate();
  }

  take(ws) {
    const connection = { ws, subscriptions: new Map(), silentUntil: 0 };
    this.connections.add(connection);
    ws.on("close", () => this.connections.delete(connection));
    ws.on("error", () => undefined);
    ws.on("message", (text) => this.message(connection, String(text)));
  }

  message(connection, text) {
    const { method, subscription } = JSON.parse(text);
    if (method === "ping") return this.send(connection, { channel: "pong" });
    const name = JSON.stringify(subscription);
    if (method === "unsubscribe") connection.subscriptions.delete(name);
    if (method !== "subscribe") return undefined;
    const { draw, world } = this.exchange;
    const entry = { subscription, lagMs: draw.next() * world.streamLagMs, silentUntil: 0, last: null };
    connection.subscriptions.set(name, entry);
    this.send(connection, { channel: "subscriptionResponse", data: { method, subscription } });
    return this.first(connection, entry);
  }

  send(connection, frame) {
    if (connection.ws.readyState === 1) connection.ws.send(JSON.stringify(frame));
  }

  /** Sends a frame of a channel when it has come through, in order. */
  later(connection, entry, channel, make) {
    const { truth } = this.exchange;
    if (Date.now() < entry.silentUntil) return;
    entry.due = Math.max(entry.due ?? 0, Date.now() + entry.lagMs);
    entry.frames = [...(entry.frames ?? []), { due: entry.due, channel, make }];
    setTimeout(() => {
      if (truth === this.exchange.truth) this.deliver(connection, entry);
    }, entry.due - Date.now());
  }

  /** In the order in which they were made, whichever timer comes first. */
  deliver(connection, entry) {
    const { draw, world } = this.exchange;
    while (entry.frames.length > 0 && entry.frames[0].due <= Date.now() + 1) {
      const { channel, make } = entry.frames.shift();
      const frame = { channel, data: make() };
      this.send(connection, frame);
      if (draw.chance(world.repeats)) this.send(connection, entry.last ?? frame);
      entry.last = frame;
    }
  }

  each(type, make, channel = type) {
    for (const connection of this.connections)
      for (const entry of connection.subscriptions.values())
        if (entry.subscription.type === type) this.later(connection, entry, channel, make);
  }

  update(order, version) {
    return {
      order: {
        coin: order.coin,
        side: order.buy ? "B" : "A",
        limitPx: wire(order.limit),
        sz: wire(version.left),
        oid: order.oid,
        timestamp: order.t,
        origSz: wire(order.size),
        ...(order.cloid ? { cloid: order.cloid } : {}),
        ...(order.reduceOnly ? { reduceOnly: true } : {}),
      },
      status: version.status,
      statusTimestamp: version.t,
    };
  }

  first(connection, entry) {
    const { views, user } = this.exchange;
    const { type } = entry.subscription;
    const t = () => this.time(entry);
    if (type === "userFills")
      this.later(connection, entry, type, () => ({ user, fills: views.fills(t()), isSnapshot: true }));
    else if (type === "userTwapHistory")
      this.later(connection, entry, type, () => ({ user, history: views.twapHistory(t(), user), isSnapshot: true }));
    else if (type === "userTwapSliceFills")
      this.later(connection, entry, type, () => ({
        user,
        twapSliceFills: views.twapSlices(t()).reverse(),
        isSnapshot: true,
      }));
    else if (type === "userFundings")
      this.later(connection, entry, type, () => ({ user, fundings: [], isSnapshot: true }));
    else if (type === "userNonFundingLedgerUpdates")
      this.later(connection, entry, type, () => ({ user, nonFundingLedgerUpdates: [], isSnapshot: true }));
    else if (type === "userHistoricalOrders")
      this.later(connection, entry, type, () => ({ user, orderHistory: views.history(t()), isSnapshot: true }));
    else if (type === "trades") this.later(connection, entry, type, () => []);
    else this.state(connection, entry);
  }

  /** What a frame of now shows: the moment that the channel has come to. */
  time(entry) {
    return Math.max(this.exchange.truth.began, Date.now() - Math.floor(entry.shownLagMs ?? 0));
  }

  state(connection, entry) {
    const { views, user, unknown } = this.exchange;
    const { type, dex = "", coin } = entry.subscription;
    const frames = {
      clearinghouseState: (t) => ({ dex, user, clearinghouseState: views.clearinghouse(dex, t) }),
      allDexsClearinghouseState: (t) => ({
        user,
        clearinghouseStates: ["", "xyz"].map((name) => [name, views.clearinghouse(name, t)]),
      }),
      openOrders: (t) => ({ dex, user, orders: views.openOrders(dex, t) }),
      spotState: (t) => ({ user, spotState: views.spot(t) }),
      twapStates: (t) => ({ dex, user, states: views.twapStates(dex, t, user) }),
      webData3: (t) => ({
        userState: {
          agentAddress: this.exchange.agent,
          agentValidUntil: Date.now() + 86_400_000 * 90,
          cumLedger: "1000000.0",
          serverTime: t,
          isVault: false,
          user,
          abstraction: "disabled",
        },
        perpDexStates: [],
      }),
      allMids: (t) => ({ mids: views.mids(dex, t), ...(dex === "" ? {} : { dex }) }),
      l2Book: (t) => views.book(coin, t),
      bbo: (t) => ({ coin, time: t, bbo: views.book(coin, t).levels.map((side) => side[0]) }),
      activeAssetCtx: (t) => ({ coin, ctx: views.context(coin, t) }),
    };
    if (frames[type] === undefined) {
      if (!type.startsWith("user") && type !== "orderUpdates" && type !== "trades" && type !== "notification")
        unknown.add(`stream ${type}`);
      return;
    }
    const channel =
      type === "activeAssetCtx" && this.exchange.truth.markets.get(coin)?.spot ? "activeSpotAssetCtx" : type;
    const t = this.time(entry);
    this.later(connection, entry, channel, () => frames[type](t));
  }

  changed() {
    if (!this.exchange.world.fastStates || this.pending) return;
    this.pending = setTimeout(() => {
      this.pending = null;
      this.states(false);
    }, this.exchange.world.statesEveryMs ?? 30);
  }

  states(markets) {
    const market = new Set(["allMids", "l2Book", "bbo", "activeAssetCtx"]);
    for (const connection of this.connections)
      for (const entry of connection.subscriptions.values())
        if (market.has(entry.subscription.type) === markets) this.state(connection, entry);
  }

  tick() {
    const { draw, world } = this.exchange;
    this.states(true);
    this.ticks = (this.ticks ?? 0) + 1;
    if (this.ticks % 2 === 0) this.states(false);
    for (const connection of this.connections) {
      for (const entry of connection.subscriptions.values()) {
        if (world.silence > 0 && draw.chance(world.silence / 40))
          entry.silentUntil = Date.now() + draw.whole(2000, 15000);
        if (world.silence === 0) entry.silentUntil = 0;
        if (draw.chance(0.1)) entry.lagMs = draw.next() * world.streamLagMs;
        if (world.streamLagMs === 0) entry.lagMs = 0;
      }
      if (world.drops > 0 && draw.chance(world.drops / 30)) connection.ws.terminate();
    }
  }
}
