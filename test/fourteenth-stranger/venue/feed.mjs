// `/ws`: what is told, each channel as late as the scene says.
import { WebSocketServer } from "ws";
import { activeAsset, bookOf, contextOf, mids, stateAt } from "./reads.mjs";

const STATE_CHANNELS = new Set([
  "clearinghouseState",
  "allDexsClearinghouseState",
  "openOrders",
  "spotState",
  "webData3",
  "twapStates",
]);

function stateFrame(venue, subscription, t) {
  const state = stateAt(venue, t);
  const user = venue.user;
  const dex = subscription.dex ?? "";
  const dexOf = (coin) => (coin.includes(":") ? coin.split(":")[0] : "");
  switch (subscription.type) {
    case "clearinghouseState":
      return { dex, user, clearinghouseState: { ...state.perps[dex], time: t } };
    case "allDexsClearinghouseState":
      return {
        user,
        clearinghouseStates: Object.entries(state.perps).map(([name, one]) => [name, { ...one, time: t }]),
      };
    case "openOrders":
      return { dex, user, orders: state.open.filter((order) => dex === "ALL_DEXS" || dexOf(order.coin) === dex) };
    case "spotState":
      return { user, spotState: state.spot };
    case "twapStates":
      return { dex, user, states: state.twaps.filter(([, one]) => dex === "ALL_DEXS" || dexOf(one.coin) === dex) };
    default:
      return {
        userState: {
          agentAddress: null,
          agentValidUntil: null,
          cumLedger: "100000.0",
          serverTime: t,
          isVault: false,
          user,
        },
        perpDexStates: [
          { totalVaultEquity: "0.0", leadingVaults: [] },
          { totalVaultEquity: "0.0", leadingVaults: [] },
        ],
      };
  }
}

function snapshotFrame(venue, type, t) {
  const rows = (list) => list.filter((row) => row.t <= t).map((row) => row.wire);
  const user = venue.user;
  switch (type) {
    case "userFills":
      return { user, fills: rows(venue.fills).slice(-2000).reverse(), isSnapshot: true };
    case "userFundings":
      return { user, fundings: rows(venue.fundings).map(funding), isSnapshot: true };
    case "userNonFundingLedgerUpdates":
      return { user, nonFundingLedgerUpdates: rows(venue.ledgerUpdates), isSnapshot: true };
    case "userTwapHistory":
      return { user, history: rows(venue.twapRows).reverse(), isSnapshot: true };
    case "userTwapSliceFills":
      return {
        user,
        twapSliceFills: rows(venue.fills)
          .filter((fill) => fill.twapId !== null)
          .map((fill) => ({ fill, twapId: fill.twapId }))
          .reverse(),
        isSnapshot: true,
      };
    case "userHistoricalOrders":
      return { user, orderHistory: [], isSnapshot: true };
    default:
      return null;
  }
}

const funding = (row) => ({
  time: row.time,
  coin: row.delta.coin,
  usdc: row.delta.usdc,
  szi: row.delta.szi,
  fundingRate: row.delta.fundingRate,
  nSamples: row.delta.nSamples,
});

function marketFrame(venue, subscription) {
  const { type, coin } = subscription;
  if (type === "l2Book") return ["l2Book", bookOf(venue, coin)];
  if (type === "bbo") {
    const book = bookOf(venue, coin);
    return ["bbo", { coin, time: book.time, bbo: [book.levels[0][0], book.levels[1][0]] }];
  }
  if (type === "activeAssetCtx")
    return [
      venue.markets.get(coin)?.kind === "spot" ? "activeSpotAssetCtx" : "activeAssetCtx",
      { coin, ctx: contextOf(venue, coin) },
    ];
  if (type === "allMids") return ["allMids", { mids: mids(venue, subscription.dex ?? "") }];
  if (type === "activeAssetData") return ["activeAssetData", activeAsset(venue, coin)];
  return null;
}

class Connection {
  constructor(venue, socket) {
    this.venue = venue;
    this.socket = socket;
    this.subscriptions = new Map();
    socket.on("message", (data) => this.hear(JSON.parse(String(data))));
    socket.on("error", () => {});
    this.timer = setInterval(() => this.periodic(), 1500);
    socket.on("close", () => clearInterval(this.timer));
  }

  send(channel, data, lag = 0) {
    const text = JSON.stringify({ channel, data });
    const go = () => this.socket.readyState === 1 && !this.venue.isFeedSilent && this.socket.send(text);
    if (lag > 0) setTimeout(go, lag);
    else go();
  }

  hear(message) {
    if (message.method === "ping") return this.socket.send(JSON.stringify({ channel: "pong" }));
    if (message.method === "unsubscribe") this.subscriptions.delete(JSON.stringify(message.subscription));
    if (message.method === "subscribe")
      this.subscriptions.set(JSON.stringify(message.subscription), message.subscription);
    if (message.method !== "subscribe" && message.method !== "unsubscribe") return undefined;
    this.send("subscriptionResponse", message);
    if (message.method === "subscribe") this.first(message.subscription);
    return undefined;
  }

  first(subscription) {
    const { type } = subscription;
    if (STATE_CHANNELS.has(type)) return this.state(subscription);
    const market = marketFrame(this.venue, subscription);
    if (market !== null) return this.send(...market);
    const data = snapshotFrame(this.venue, type, this.venue.now() - this.venue.feedLag(type));
    if (data !== null) this.send(type, data);
    return undefined;
  }

  state(subscription) {
    this.send(
      subscription.type,
      stateFrame(this.venue, subscription, this.venue.now() - this.venue.feedLag(subscription.type)),
    );
  }

  periodic() {
    for (const subscription of this.subscriptions.values()) {
      if (STATE_CHANNELS.has(subscription.type)) this.state(subscription);
      else {
        const market = marketFrame(this.venue, subscription);
        if (market !== null) this.send(...market);
      }
    }
  }

  tell(kind, data) {
    for (const subscription of this.subscriptions.values()) this.tellOne(subscription, kind, data);
  }

  tellOne(subscription, kind, data) {
    const { type } = subscription;
    const lag = this.venue.feedLag(type);
    const { user } = this.venue;
    if (kind === "state" && STATE_CHANNELS.has(type) && type !== "webData3") {
      if (lag === 0) this.state(subscription);
      else setTimeout(() => this.state(subscription), lag + 5);
    }
    if (kind === "orderUpdates" && type === "orderUpdates") this.send("orderUpdates", data, lag);
    if (kind === "userFills" && type === "userFills") this.send("userFills", { user, fills: data }, lag);
    if (kind === "userFills" && type === "userEvents") this.send("user", { fills: data }, lag);
    if (kind === "userFills" && type === "userTwapSliceFills" && data[0].twapId !== null)
      this.send(type, { user, twapSliceFills: data.map((fill) => ({ fill, twapId: fill.twapId })) }, lag);
    if (kind === "twapHistory" && type === "userTwapHistory") this.send(type, { user, history: data }, lag);
    if (kind === "twapHistory" && type === "userEvents") this.send("user", { twapHistory: data }, lag);
    if (kind === "userFundings" && type === "userFundings") this.send(type, { user, fundings: data.map(funding) }, lag);
  }
}

export function serveFeed(venue, server) {
  const sockets = new WebSocketServer({ server, path: "/ws" });
  const connections = new Set();
  sockets.on("connection", (socket) => {
    const connection = new Connection(venue, socket);
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
  });
  venue.on((kind, data) => {
    for (const connection of connections) connection.tell(kind, data);
  });
  return { sockets, connections };
}
