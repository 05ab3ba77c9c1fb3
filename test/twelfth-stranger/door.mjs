// The exchange's door: HTTP and websocket. `infoFate` and `actionFate` say what befalls a request.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { read, write } from "./decimals.mjs";
import { execute } from "./deeds.mjs";
import * as views from "./views.mjs";

const STORE = {
  orderStatus: "status",
  frontendOpenOrders: "open",
  openOrders: "open",
  historicalOrders: "history",
  userFills: "fills",
  userFillsByTime: "fills",
  clearinghouseState: "positions",
  spotClearinghouseState: "spot",
  twapHistory: "twaps",
  userTwapSliceFills: "twaps",
  userTwapSliceFillsByTime: "twaps",
  activeAssetData: "leverage",
  userFunding: "funding",
  userNonFundingLedgerUpdates: "transfers",
};

export class Door {
  constructor(venue) {
    this.venue = venue;
    this.lags = {};
    this.infoFate = () => undefined;
    this.actionFate = () => undefined;
    this.frameFate = (_channel, data) => data;
    this.asked = [];
    this.sockets = new Set();
    venue.heard = (what, data) => this.heard(what, data);
  }

  async open(port = 0) {
    this.server = createServer((request, response) => this.http(request, response));
    this.wss = new WebSocketServer({ server: this.server });
    this.wss.on("connection", (socket) => this.socket(socket));
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.beat = setInterval(() => this.everything(), 3000);
  }

  close() {
    clearInterval(this.beat);
    for (const s of this.sockets) s.socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }

  asOf(store) {
    const lag = this.lags[store] ?? this.lags.all ?? 0;
    return this.venue.now() - (typeof lag === "function" ? lag() : lag);
  }

  http(request, response) {
    const parts = [];
    request.on("data", (d) => parts.push(d));
    request.on("end", () => {
      const body = read(Buffer.concat(parts).toString());
      this.asked.push({ t: Date.now(), path: request.url, type: body.type ?? body.action?.type });
      if (request.url === "/info") this.answerInfo(body, response);
      else this.answerAction(body, response);
    });
  }

  answerInfo(body, response) {
    const right = this.info(body);
    const fate = this.infoFate(body, right);
    this.reply(response, fate ?? { body: write(right) });
  }

  answerAction(envelope, response) {
    const fate = this.actionFate(envelope.action, envelope) ?? {};
    const run = () => execute(this.venue, envelope);
    const right = fate.never || fate.lateMs !== undefined ? undefined : run();
    if (fate.lateMs !== undefined) setTimeout(run, fate.lateMs);
    fate.after?.(right);
    const how = fate.answer ? fate.answer(right) : { body: write(right) };
    this.reply(response, how);
  }

  reply(response, { status = 200, type = "application/json", body = "", how, waitMs = 0, headers = {} }) {
    if (how === "reset") return response.socket.destroy();
    if (how === "hang") return undefined;
    const say = () => {
      response.writeHead(status, {
        "content-type": type,
        ...headers,
        ...(how === "cut" ? { "content-length": Buffer.byteLength(body) + 500 } : {}),
      });
      if (how === "cut")
        return response.write(body.slice(0, Math.max(1, body.length >> 1)), () =>
          setTimeout(() => response.socket?.destroy(), 50),
        );
      if (how === "trickle") return trickle(response, body);
      response.end(body);
    };
    if (waitMs > 0) setTimeout(say, waitMs);
    else say();
    return undefined;
  }

  info(body) {
    const venue = this.venue;
    const t = this.asOf(STORE[body.type]);
    const mine = body.user === undefined || body.user.toLowerCase() === venue.user;
    const dex = body.dex ?? "";
    const empty = {
      marginSummary: { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" },
      crossMarginSummary: { accountValue: "0.0", totalNtlPos: "0.0", totalRawUsd: "0.0", totalMarginUsed: "0.0" },
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: "0.0",
      assetPositions: [],
      time: t,
    };
    switch (body.type) {
      case "meta":
        return views.meta(venue, dex);
      case "metaAndAssetCtxs":
        return [views.meta(venue, dex), views.contexts(venue, dex)];
      case "allPerpMetas":
        return [views.meta(venue, ""), views.meta(venue, "xyz")];
      case "perpDexs":
        return [
          null,
          {
            name: "xyz",
            fullName: "XYZ",
            deployer: `0x${"88".repeat(20)}`,
            oracleUpdater: null,
            feeRecipient: null,
            assetToStreamingOiCap: [],
            subDeployers: [],
            deployerFeeScale: "1.0",
            lastDeployerFeeScaleChangeTime: "1970-01-01T00:00:00",
            assetToFundingMultiplier: [],
            assetToFundingInterestRate: [],
          },
        ];
      case "spotMeta":
        return views.spotMeta(venue);
      case "spotMetaAndAssetCtxs":
        return [views.spotMeta(venue), views.spotContexts(venue)];
      case "allMids":
        return views.mids(venue, dex);
      case "l2Book":
        return views.book(venue, body.coin);
      case "clearinghouseState":
        return mine ? views.clearinghouse(venue, t, dex) : empty;
      case "spotClearinghouseState":
        return mine ? views.spotState(venue, t) : { balances: [] };
      case "openOrders":
      case "frontendOpenOrders":
        return mine ? views.openOrders(venue, t, dex) : [];
      case "historicalOrders":
        return mine ? views.history(venue, t) : [];
      case "orderStatus":
        return mine ? views.orderStatus(venue, t, body.oid) : { status: "unknownOid" };
      case "userFills":
        return mine ? views.fillsByTime(venue, t, [0], { limit: 1e9 }).slice(-2000).reverse() : [];
      case "userFillsByTime":
        return mine
          ? views.fillsByTime(venue, t, [Number(body.startTime), body.endTime && Number(body.endTime)], {
              reversed: body.reversed === true,
            })
          : [];
      case "userTwapSliceFills":
      case "userTwapSliceFillsByTime":
        return mine ? views.sliceFills(venue, t) : [];
      case "twapHistory":
        return mine ? views.twapHistory(venue, t) : [];
      case "userFunding":
        return paged(venue.funding, body, t);
      case "userNonFundingLedgerUpdates":
        return paged(venue.transfers, body, t);
      case "activeAssetData":
        return views.activeAsset(venue, t, body.coin);
      case "userRole":
        return body.user.toLowerCase() === venue.agent
          ? { role: "agent", data: { user: venue.user } }
          : { role: mine ? "user" : "missing" };
      case "extraAgents":
        return mine ? [{ name: venue.agentName, address: venue.agent, validUntil: venue.now() + 80 * 86400000 }] : [];
      case "subAccounts":
        return null;
      case "userRateLimit":
        return { cumVlm: "1000000.0", nRequestsUsed: 100, nRequestsCap: 1010000, nRequestsSurplus: 0 };
      case "maxBuilderFee":
        return 0;
      case "approvedBuilders":
        return [];
      case "userAbstraction":
        return venue.abstraction ?? "disabled";
      case "userDexAbstraction":
        return false;
      case "exchangeStatus":
        return { time: this.asOf("clock"), specialStatuses: null };
      case "userFees":
        return {
          userCrossRate: "0.00045",
          userAddRate: "0.00015",
          userSpotCrossRate: "0.0007",
          userSpotAddRate: "0.0004",
          activeReferralDiscount: "0.0",
        };
      case "candleSnapshot":
      case "recentTrades":
      case "fundingHistory":
        return [];
      case "marginTable":
        return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: 40 }] };
      default:
        this.venue.note("unknown-info", { type: body.type });
        return null;
    }
  }

  socket(socket) {
    const own = { socket, subscriptions: new Map() };
    this.sockets.add(own);
    socket.on("close", () => this.sockets.delete(own));
    socket.on("error", () => this.sockets.delete(own));
    socket.on("message", (raw) => {
      const message = read(raw.toString());
      if (message.method === "ping") return socket.send('{"channel":"pong"}');
      if (message.method === "unsubscribe") own.subscriptions.delete(write(message.subscription));
      if (message.method !== "subscribe" && message.method !== "unsubscribe") return undefined;
      socket.send(write({ channel: "subscriptionResponse", data: message }));
      if (message.method === "unsubscribe") return undefined;
      own.subscriptions.set(write(message.subscription), message.subscription);
      return this.first(own, message.subscription);
    });
  }

  send(own, channel, data) {
    const fated = this.frameFate(channel, data);
    if (fated === undefined) return;
    const lag = this.lags[`ws:${channel}`] ?? this.lags.ws ?? 0;
    const say = () => own.socket.readyState === 1 && own.socket.send(fated?.raw ?? write({ channel, data: fated }));
    setTimeout(say, typeof lag === "function" ? lag() : lag);
  }

  first(own, s) {
    const t = this.asOf(`snapshot:${s.type}`);
    const { venue } = this;
    const mine = s.user === undefined || s.user.toLowerCase() === venue.user;
    if (s.type === "userFills")
      return this.send(own, "userFills", {
        user: s.user,
        fills: mine ? views.fillsByTime(venue, t, [0], { limit: 1e9 }).slice(-2000).reverse() : [],
        isSnapshot: true,
      });
    if (s.type === "userTwapHistory")
      return this.send(own, "userTwapHistory", {
        user: s.user,
        history: mine ? views.twapHistory(venue, t) : [],
        isSnapshot: true,
      });
    if (s.type === "userFundings")
      return this.send(own, "userFundings", { user: s.user, fundings: [], isSnapshot: true });
    return this.state(own, s, t);
  }

  /** A frame of a channel that tells a state. */
  state(own, s, t = this.asOf(`state:${s.type}`)) {
    const { venue } = this;
    const mine = s.user === undefined || s.user.toLowerCase() === venue.user;
    const { user } = s;
    const dex = s.dex ?? "";
    if (s.type === "clearinghouseState" && mine)
      this.send(own, s.type, { dex, user, clearinghouseState: views.clearinghouse(venue, t, dex) });
    if (s.type === "allDexsClearinghouseState" && mine)
      this.send(own, s.type, {
        user,
        clearinghouseStates: ["", "xyz"].map((d) => [d, views.clearinghouse(venue, t, d)]),
      });
    if (s.type === "openOrders" && mine) this.send(own, s.type, { dex, user, orders: views.openOrders(venue, t, dex) });
    if (s.type === "spotState" && mine) this.send(own, s.type, { user, spotState: views.spotState(venue, t) });
    if (s.type === "twapStates" && mine)
      this.send(own, s.type, { dex, user, states: dex === "" ? views.twapStates(venue, t) : [] });
    if (s.type === "webData3" && mine)
      this.send(own, s.type, {
        userState: {
          agentAddress: venue.agent,
          agentValidUntil: t + 80 * 86400000,
          cumLedger: "0.0",
          serverTime: t,
          isVault: false,
          user,
          abstraction: venue.abstraction ?? "disabled",
        },
        perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
      });
    if (s.type === "allMids") this.send(own, s.type, { mids: views.mids(venue, dex), ...(dex ? { dex } : {}) });
    if (s.type === "l2Book") this.send(own, s.type, views.book(venue, s.coin));
    if (s.type === "bbo")
      this.send(own, s.type, {
        coin: s.coin,
        time: t,
        bbo: [views.book(venue, s.coin).levels[0][0], views.book(venue, s.coin).levels[1][0]],
      });
    if (s.type === "activeAssetCtx") this.send(own, s.type, { coin: s.coin, ctx: views.context(venue, s.coin) });
    if (s.type === "activeAssetData" && mine) this.send(own, s.type, views.activeAsset(venue, t, s.coin));
  }

  each(types, tell) {
    for (const own of this.sockets)
      for (const s of own.subscriptions.values())
        if (types.includes(s.type) && (s.user === undefined || s.user.toLowerCase() === this.venue.user)) tell(own, s);
  }

  everything() {
    this.each(
      [
        "clearinghouseState",
        "allDexsClearinghouseState",
        "openOrders",
        "spotState",
        "twapStates",
        "webData3",
        "allMids",
        "l2Book",
        "bbo",
        "activeAssetCtx",
        "activeAssetData",
      ],
      (own, s) => this.state(own, s),
    );
  }

  heard(what, data) {
    if (what === "order") {
      const row = { ...views.orderRow(data.order, data.t) };
      const order = {
        coin: row.coin,
        side: row.side,
        limitPx: row.limitPx,
        sz: row.sz,
        oid: row.oid,
        timestamp: row.timestamp,
        origSz: row.origSz,
        ...(row.cloid ? { cloid: row.cloid } : {}),
      };
      this.each(["orderUpdates"], (own) =>
        this.send(own, "orderUpdates", [{ order, status: data.status, statusTimestamp: data.t }]),
      );
    } else if (what === "fill") {
      this.each(["userFills"], (own, s) => this.send(own, "userFills", { user: s.user, fills: [data.fill] }));
      this.each(["userEvents"], (own) => this.send(own, "user", { fills: [data.fill] }));
    } else if (what === "open") this.each(["openOrders"], (own, s) => this.state(own, s));
    else if (what === "position")
      this.each(["clearinghouseState", "allDexsClearinghouseState"], (own, s) => this.state(own, s));
    else if (what === "spot") this.each(["spotState"], (own, s) => this.state(own, s));
    else if (what === "twap") {
      this.each(["twapStates"], (own, s) => this.state(own, s));
      this.each(["userTwapHistory"], (own, s) =>
        this.send(own, "userTwapHistory", {
          user: s.user,
          history: views
            .twapHistory(this.venue, this.venue.now())
            .filter((r) => r.twapId === data.row.id)
            .slice(0, 1),
        }),
      );
    }
  }
}

function paged(rows, body, t) {
  return rows
    .filter(
      (r) =>
        r.time <= t && r.time >= Number(body.startTime) && r.time <= Number(body.endTime ?? Number.MAX_SAFE_INTEGER),
    )
    .sort((a, b) => a.time - b.time)
    .slice(0, 500);
}

function trickle(response, body) {
  let i = 0;
  const timer = setInterval(() => {
    if (i >= body.length || response.destroyed) {
      clearInterval(timer);
      return response.end();
    }
    response.write(body.slice(i, i + 4));
    i += 4;
    return undefined;
  }, 250);
}
