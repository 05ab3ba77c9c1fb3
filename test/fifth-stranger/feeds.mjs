// The websocket. Each channel shows its store as of a moment of its own; what is new since the last frame is sent.
import { WebSocketServer } from "ws";
import { wire } from "./codec.mjs";

const STATES = [
  "clearinghouseState",
  "openOrders",
  "spotState",
  "webData3",
  "twapStates",
  "allDexsClearinghouseState",
  "activeAssetData",
  "allMids",
  "l2Book",
  "bbo",
  "activeAssetCtx",
];
const DELTAS = [
  "orderUpdates",
  "userFills",
  "userEvents",
  "userFundings",
  "userNonFundingLedgerUpdates",
  "userHistoricalOrders",
  "userTwapSliceFills",
  "userTwapHistory",
  "notification",
  "trades",
];

export class Feeds {
  constructor({ truth, views, twaps, lag, info }) {
    Object.assign(this, { truth, views, twaps, lag, info });
    this.open = true;
    this.silent = new Set(); // channels that fall silent
    this.sockets = new Set();
  }

  attach(server) {
    this.server = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      if (!this.open || !request.url.startsWith("/ws")) return socket.destroy();
      this.server.handleUpgrade(request, socket, head, (ws) => this.welcome(ws));
    });
    this.timer = setInterval(() => this.tick(), 60);
  }

  welcome(ws) {
    const connection = { ws, subscriptions: new Map() };
    this.sockets.add(connection);
    ws.on("message", (data) => this.hear(connection, String(data)));
    ws.on("close", () => this.sockets.delete(connection));
    ws.on("error", () => this.sockets.delete(connection));
  }

  send(connection, channel, data) {
    if (connection.ws.readyState === 1) connection.ws.send(JSON.stringify({ channel, data }));
  }

  hear(connection, text) {
    const message = JSON.parse(text);
    if (message.method === "ping") return connection.ws.send('{"channel":"pong"}');
    if (message.method === "post")
      return this.send(connection, "post", {
        id: message.id,
        response: { type: "error", payload: "503 Service Unavailable" },
      });
    const key = JSON.stringify(message.subscription);
    if (message.method === "unsubscribe") connection.subscriptions.delete(key);
    if (message.method === "subscribe") {
      if (![...STATES, ...DELTAS].includes(message.subscription.type))
        return this.send(connection, "error", `Invalid subscription ${key}`);
      connection.subscriptions.set(key, { ...message.subscription, since: null, last: null, sentAt: 0 });
    }
    this.send(connection, "subscriptionResponse", { method: message.method, subscription: message.subscription });
  }

  tick() {
    for (const connection of this.sockets) {
      for (const subscription of connection.subscriptions.values()) {
        if (this.silent.has(subscription.type) || this.silent.has("all")) continue;
        const asOf = Date.now() - this.lag.of(`ws.${subscription.type}`) - (this.lag.fixed.ws ?? 0);
        if (STATES.includes(subscription.type)) this.state(connection, subscription, asOf);
        else this.delta(connection, subscription, asOf);
      }
    }
  }

  state(connection, subscription, asOf) {
    const shown = this.stateOf(subscription, asOf);
    if (shown === undefined) return;
    const print = JSON.stringify(shown, (key, value) => (key === "time" || key === "serverTime" ? 0 : value));
    const pace = ["l2Book", "allMids", "activeAssetCtx", "bbo"].includes(subscription.type) ? 1000 : 3000;
    if (print === subscription.last && Date.now() - subscription.sentAt < pace) return;
    if (["l2Book", "allMids"].includes(subscription.type) && Date.now() - subscription.sentAt < 500) return;
    subscription.last = print;
    subscription.sentAt = Date.now();
    this.send(connection, subscription.type, shown);
  }

  stateOf({ type, user: address, dex = "", coin }, asOf) {
    const user = address ? this.truth.account(address) : null;
    const { views } = this;
    switch (type) {
      case "clearinghouseState":
        return { dex, user: user.address, clearinghouseState: views.clearinghouse(user, dex, asOf) };
      case "allDexsClearinghouseState":
        return {
          user: user.address,
          clearinghouseStates: ["", "xyz"].map((name) => [name, views.clearinghouse(user, name, asOf)]),
        };
      case "openOrders":
        return { dex, user: user.address, orders: views.open(user, dex, asOf) };
      case "spotState":
        return { user: user.address, spotState: views.spot(user, asOf) };
      case "twapStates":
        return {
          dex,
          user: user.address,
          states: this.twaps
            .states(user, asOf)
            .filter(([, state]) => this.truth.markets.byCoin(state.coin).dex === dex),
        };
      case "webData3":
        return {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "0.0",
            serverTime: asOf,
            isVault: false,
            user: user.address,
            abstraction: user.abstraction,
          },
          perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
        };
      case "activeAssetData":
        return views.activeAsset(user, coin, asOf);
      case "allMids":
        return { mids: this.info.answer({ type: "allMids", dex }), ...(dex ? { dex } : {}) };
      case "l2Book":
        return views.book(coin, asOf) ?? undefined;
      case "bbo": {
        const book = views.book(coin, asOf);
        return book ? { coin, time: asOf, bbo: [book.levels[0][0] ?? null, book.levels[1][0] ?? null] } : undefined;
      }
      default: {
        const market = this.truth.markets.byCoin(coin);
        return market ? { coin, ctx: views.context(market) } : undefined;
      }
    }
  }

  delta(connection, subscription, asOf) {
    const user = subscription.user ? this.truth.account(subscription.user) : null;
    const first = subscription.since === null;
    const from = first ? asOf : subscription.since;
    if (asOf <= from && !first) return;
    subscription.since = asOf;
    const fresh = (time) => time > from && time <= asOf;
    const snapshot = first ? { isSnapshot: true } : {};
    const fills = user ? user.fills.filter((fill) => (first ? fill.time <= asOf : fresh(fill.time))) : [];
    switch (subscription.type) {
      case "orderUpdates":
        return this.updates(connection, user, fresh);
      case "userFills":
        return fills.length > 0 || first
          ? this.send(connection, "userFills", {
              user: user.address,
              fills: first ? [...fills].reverse().slice(0, 2000) : fills,
              ...snapshot,
            })
          : undefined;
      case "userTwapSliceFills":
        return first || fills.some((fill) => fill.twapId)
          ? this.send(connection, "userTwapSliceFills", {
              user: user.address,
              twapSliceFills: fills.filter((fill) => fill.twapId).map((fill) => ({ fill, twapId: fill.twapId })),
              ...snapshot,
            })
          : undefined;
      case "userTwapHistory":
        return this.twapHistory(connection, user, { first, fresh, snapshot, asOf });
      case "userFundings":
        return first
          ? this.send(connection, subscription.type, { user: user.address, fundings: [], ...snapshot })
          : undefined;
      case "userNonFundingLedgerUpdates":
        return first
          ? this.send(connection, subscription.type, { user: user.address, nonFundingLedgerUpdates: [], ...snapshot })
          : undefined;
      case "userHistoricalOrders":
        return first
          ? this.send(connection, subscription.type, {
              user: user.address,
              orderHistory: this.views.history(user, asOf),
              ...snapshot,
            })
          : undefined;
      case "userEvents":
        return !first && fills.length > 0 ? this.send(connection, "user", { fills }) : undefined;
      default:
        return undefined;
    }
  }

  twapHistory(connection, user, { first, fresh, snapshot, asOf }) {
    const changed = [...user.twaps.values()].some((twap) =>
      twap.history.some((row) => row.status !== null && fresh(row.time)),
    );
    if (first || changed)
      this.send(connection, "userTwapHistory", {
        user: user.address,
        history: this.twaps.rows(user, asOf).slice(0, first ? 2000 : 3),
        ...snapshot,
      });
  }

  updates(connection, user, fresh) {
    const rows = [];
    for (const order of user.orders.values()) {
      for (const row of order.history) {
        if (!row.changed || !fresh(row.time)) continue;
        const { coin, side, oid, timestamp, cloid } = order;
        rows.push({
          sequence: row.sequence,
          order: {
            coin,
            side,
            limitPx: wire(row.limitPx),
            sz: wire(row.sz),
            oid,
            timestamp,
            origSz: wire(order.origSz),
            ...(cloid ? { cloid } : {}),
            ...(order.reduceOnly ? { reduceOnly: true } : {}),
          },
          status: row.status,
          statusTimestamp: row.time,
        });
      }
    }
    rows.sort((left, right) => left.sequence - right.sequence);
    if (rows.length > 0)
      this.send(
        connection,
        "orderUpdates",
        rows.map(({ sequence, ...row }) => row),
      );
  }

  cut() {
    for (const { ws } of this.sockets) ws.terminate();
  }

  close() {
    clearInterval(this.timer);
    this.cut();
  }
}
