// The stream: each channel of each connection has a lag of its own, and what one tells wrongly is drawn.

import { WebSocketServer } from "ws";
import { openOrders, spotState, state } from "./info.mjs";
import { fillRow, orderRow } from "./ledger.mjs";
import { context, mids } from "./markets.mjs";

const TICK_MS = 25;
const STATES_MS = 1500;

export class Stream {
  connections = new Set();

  constructor({ exchange, ledger, random, world }) {
    Object.assign(this, { ledger, random, world });
    this.server = new WebSocketServer({ server: exchange.server });
    this.server.on("connection", (socket) => this.#welcome(socket));
    this.timer = setInterval(() => this.#tick(), TICK_MS);
  }

  #welcome(socket) {
    const lags = this.world.streamLagMs ?? {};
    const connection = {
      socket,
      subscriptions: new Map(),
      position: this.ledger.news.length,
      statesAt: 0,
      late: [],
      closeAt: Infinity,
      lag: Object.fromEntries(
        ["orders", "fills", "states"].map((name) => [name, Math.floor(this.random.between(0, lags[name] ?? 0))]),
      ),
      orders: this.ledger.news.length,
      fills: this.ledger.news.length,
    };
    const cut = this.world.cutEveryMs;
    if (cut) connection.closeAt = Date.now() + this.random.between(cut / 2, cut * 1.5);
    this.connections.add(connection);
    socket.on("message", (text) => this.#hear(connection, JSON.parse(String(text))));
    socket.on("close", () => this.connections.delete(connection));
    socket.on("error", () => this.connections.delete(connection));
  }

  #hear(connection, message) {
    if (message.method === "ping") return say(connection, "pong", undefined);
    if (message.method === "post") return say(connection, "error", "too many pending post requests");
    const key = JSON.stringify(message.subscription);
    say(connection, "subscriptionResponse", { method: message.method, subscription: message.subscription });
    if (message.method === "unsubscribe") return connection.subscriptions.delete(key);
    connection.subscriptions.set(key, message.subscription);
    const { type, user } = message.subscription;
    const at = Date.now() - connection.lag.fills;
    if (type === "userFills") {
      const fills = this.ledger.fills
        .filter((fill) => fill.at <= at)
        .slice(-2000)
        .reverse()
        .map(fillRow);
      say(connection, "userFills", { user, fills, isSnapshot: true });
      connection.fills = countUpTo(this.ledger.news, at);
    } else if (type === "orderUpdates")
      connection.orders = countUpTo(this.ledger.news, Date.now() - connection.lag.orders);
    else this.#tellState(connection, message.subscription);
    return undefined;
  }

  #tick() {
    const now = Date.now();
    for (const connection of this.connections) {
      if (now >= connection.closeAt) {
        connection.socket.terminate();
        continue;
      }
      this.#tellOrders(connection, now);
      this.#tellFills(connection, now);
      if (now >= connection.statesAt) {
        connection.statesAt = now + STATES_MS;
        for (const subscription of connection.subscriptions.values()) this.#tellState(connection, subscription);
      }
    }
  }

  #tellOrders(connection, now) {
    const subscription = find(connection, "orderUpdates");
    const rows = [];
    while (
      connection.orders < this.ledger.news.length &&
      this.ledger.news[connection.orders].at <= now - connection.lag.orders
    ) {
      const news = this.ledger.news[connection.orders++];
      if (news.kind === "order") rows.push(news);
    }
    if (!subscription || this.world.isOrdersSilent?.()) return;
    const told = rows.map(({ order, version }) => updateRow(order, version));
    const again = connection.late.filter((one) => one.at <= now).map((one) => one.row);
    connection.late = connection.late.filter((one) => one.at > now);
    for (const { order, version } of rows) this.#spoil(connection, { order, version, now, told });
    for (let from = 0; from < told.length; from += 50) say(connection, "orderUpdates", told.slice(from, from + 50));
    if (again.length) say(connection, "orderUpdates", again);
  }

  /** What a feed does besides: twice, a late `open`, the end of somebody else's order. */
  #spoil(connection, { order, version, now, told }) {
    const { twice = 0, lateOpen = 0, foreign = 0 } = this.world.feed ?? {};
    if (version.status === "open") return;
    if (this.random.chance(twice))
      connection.late.push({ at: now + this.random.between(50, 3000), row: updateRow(order, version) });
    if (this.random.chance(lateOpen))
      connection.late.push({ at: now + this.random.between(50, 3000), row: updateRow(order, order.versions[0]) });
    if (this.random.chance(foreign)) {
      const row = updateRow(order, version);
      told.push({
        ...row,
        status: "canceled",
        order: { ...row.order, oid: row.order.oid + 5_000_000, cloid: `0x${"e".repeat(32)}`, sz: row.order.origSz },
      });
    }
  }

  #tellFills(connection, now) {
    const subscription = find(connection, "userFills");
    const fills = [];
    while (
      connection.fills < this.ledger.news.length &&
      this.ledger.news[connection.fills].at <= now - connection.lag.fills
    ) {
      const news = this.ledger.news[connection.fills++];
      if (news.kind === "fill") fills.push(fillRow(news.fill));
    }
    if (!subscription || this.world.isFillsSilent?.()) return;
    for (let from = 0; from < fills.length; from += 100)
      say(connection, "userFills", { user: subscription.user, fills: fills.slice(from, from + 100) });
  }

  #tellState(connection, subscription) {
    const { type, user, dex = "", coin } = subscription;
    const at = Date.now() - connection.lag.states;
    if (type === "clearinghouseState")
      say(connection, type, { dex, user, clearinghouseState: state(this.ledger, at, dex) });
    else if (type === "allDexsClearinghouseState") {
      say(connection, type, {
        user,
        clearinghouseStates: ["", "xyz"].map((name) => [name, state(this.ledger, at, name)]),
      });
    } else if (type === "openOrders")
      say(connection, type, { dex, user, orders: openOrders(this.ledger, at, dex === "ALL_DEXS" ? undefined : dex) });
    else if (type === "spotState") say(connection, type, { user, spotState: spotState(this.ledger, at) });
    else if (type === "twapStates") say(connection, type, { dex, user, states: [] });
    else if (type === "webData3") say(connection, type, { userState: userState(user, at), perpDexStates: [] });
    else if (type === "allMids") say(connection, type, { mids: mids(dex), dex });
    else if (type === "activeAssetCtx") say(connection, type, { coin, ctx: context(coin) });
    else if (type === "userFundings") say(connection, type, { user, fundings: [], isSnapshot: true });
    else if (type === "userNonFundingLedgerUpdates")
      say(connection, type, { user, nonFundingLedgerUpdates: [], isSnapshot: true });
    else if (type === "userTwapHistory") say(connection, type, { user, history: [], isSnapshot: true });
  }

  stop() {
    clearInterval(this.timer);
    for (const { socket } of this.connections) socket.terminate();
    this.server.close();
  }
}

function userState(user, at) {
  return { agentAddress: null, agentValidUntil: null, cumLedger: "0.0", serverTime: at, isVault: false, user };
}

function updateRow(order, version) {
  const { coin, side, limitPx, sz, oid, timestamp, origSz, reduceOnly, cloid } = orderRow(order, version.left);
  return {
    order: {
      coin,
      side,
      limitPx,
      sz,
      oid,
      timestamp,
      origSz,
      ...(reduceOnly ? { reduceOnly } : {}),
      ...(cloid ? { cloid } : {}),
    },
    status: version.status,
    statusTimestamp: version.at,
  };
}

function find(connection, type) {
  return [...connection.subscriptions.values()].find((subscription) => subscription.type === type);
}

function countUpTo(news, at) {
  let count = 0;
  while (count < news.length && news[count].at <= at) count += 1;
  return count;
}

function say(connection, channel, data) {
  if (connection.socket.readyState === 1)
    connection.socket.send(JSON.stringify(data === undefined ? { channel } : { channel, data }));
}
