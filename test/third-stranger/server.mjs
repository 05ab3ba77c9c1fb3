// The fake exchange's doors: /info and /exchange over HTTP and the websocket, each store shown with a lag of its own.
import http from "node:http";
import { WebSocketServer } from "ws";
import { execute } from "./actions.mjs";
import { Engine } from "./engine.mjs";
import { byCoin, text } from "./markets.mjs";
import * as view from "./views.mjs";

const READ_SIZE = 2000;

export class FakeExchange {
  constructor({
    owner,
    lag = () => 0,
    streamLag = () => 0,
    onAction = () => ({}),
    onInfo = () => undefined,
    clockOffMs = 0,
  }) {
    this.owner = owner.toLowerCase();
    this.engine = new Engine({ clockOffMs });
    this.lag = lag;
    this.streamLag = streamLag;
    this.onAction = onAction;
    this.onInfo = onInfo;
    this.arrivals = [];
    this.agents = [];
    this.sockets = new Set();
    this.counts = { info: 0, exchange: 0, faults: 0 };
    this.engine.listeners.push((what, detail) => this.push(what, detail));
  }

  async listen() {
    this.http = http.createServer((request, response) => this.serve(request, response));
    this.ws = new WebSocketServer({ server: this.http, path: "/ws" });
    this.ws.on("connection", (socket) => this.welcome(socket));
    await new Promise((resolve) => this.http.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    this.pulse = setInterval(() => this.tellStates(), 2_000);
    return this.url;
  }

  close() {
    clearInterval(this.pulse);
    for (const twap of this.engine.twaps.values()) clearInterval(twap.timer);
    for (const socket of this.sockets) socket.terminate();
    this.http.closeAllConnections();
    this.http.close();
  }

  serve(request, response) {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("error", () => undefined);
    request.on("end", async () => {
      const body = JSON.parse(Buffer.concat(parts).toString() || "null");
      if (request.url === "/info") {
        this.counts.info++;
        const odd = await this.onInfo(body);
        if (odd) return odd.reset ? request.socket.destroy() : reply(response, odd.status ?? 200, odd.body ?? null);
        return reply(response, 200, this.info(body));
      }
      void this.act(body, request, response);
    });
  }

  // ---- actions, and what may happen to them on the way

  async act(envelope, request, response) {
    this.counts.exchange++;
    const arrival = { at: Date.now(), envelope };
    this.arrivals.push(arrival);
    const plan = (await this.onAction(envelope, arrival)) ?? {};
    arrival.plan = plan;
    if (Object.keys(plan).length > 0) this.counts.faults++;
    if (plan.waitMs) await sleep(plan.waitMs);
    if (plan.twiceMs !== undefined) setTimeout(() => this.run(envelope, plan.secondRefusal), plan.twiceMs);
    if (plan.drop) return this.mistreat(plan.drop, request, response);
    if (plan.runLaterMs !== undefined) {
      setTimeout(() => (arrival.result = this.run(envelope, plan.refusal)), plan.runLaterMs);
      return this.mistreat(plan.lose ?? "hang", request, response);
    }
    arrival.result = this.run(envelope, plan.refusal);
    if (plan.lose) return this.mistreat(plan.lose, request, response);
    if (plan.answerLaterMs) await sleep(plan.answerLaterMs);
    reply(response, 200, plan.answer ?? arrival.result);
  }

  run(envelope, refusal) {
    if (envelope.action.type === "approveAgent")
      this.agents.push({
        name: envelope.action.agentName?.split(" ")[0] ?? "",
        address: envelope.action.agentAddress.toLowerCase(),
        validUntil: this.engine.now() + 90 * 86_400_000,
      });
    return execute(this.engine, envelope, "agent", refusal);
  }

  mistreat(how, request, response) {
    if (how === "reset") return request.socket.destroy();
    if (how === "502") return reply(response, 502, "<html><body><h1>502 Bad Gateway</h1></body></html>", "text/html");
    if (how === "429") return reply(response, 429, null);
    if (how === "hang") return setTimeout(() => request.socket.destroy(), 20_000).unref();
  }

  // ---- reads

  at(store, detail) {
    return Math.floor(Date.now() - this.lag(store, detail));
  }

  info(body) {
    const { engine } = this;
    const reads = {
      meta: () => view.meta(body.dex ?? ""),
      allPerpMetas: () => [view.meta(""), view.meta("xyz")],
      metaAndAssetCtxs: () => [view.meta(body.dex ?? ""), view.contexts(engine, body.dex ?? "")],
      perpDexs: view.perpDexs,
      spotMeta: view.spotMeta,
      spotMetaAndAssetCtxs: () => [view.spotMeta(), view.contexts(engine, "spot")],
      allMids: () => view.mids(engine, body.dex ?? ""),
      l2Book: () => view.l2Book(engine, body.coin),
      clearinghouseState: () => view.clearinghouse(engine, this.at("positions"), body.dex ?? ""),
      spotClearinghouseState: () => view.spotState(engine, this.at("positions")),
      openOrders: () => view.openOrders(engine, this.at("open"), body.dex ?? ""),
      frontendOpenOrders: () => view.openOrders(engine, this.at("open"), body.dex ?? ""),
      historicalOrders: () => view.history(engine, this.at("history")),
      orderStatus: () => view.orderRecord(engine, this.at("record", body.oid), body.oid),
      userFills: () => view.fills(engine, this.at("fills")).reverse().slice(0, READ_SIZE),
      userFillsByTime: () =>
        view
          .fills(engine, this.at("fills"))
          .filter((row) => row.time >= body.startTime && (!body.endTime || row.time <= body.endTime))
          .slice(0, READ_SIZE),
      userTwapSliceFills: () => view.twapFills(engine, this.at("twaps")).reverse(),
      userTwapSliceFillsByTime: () =>
        view.twapFills(engine, this.at("twaps")).filter(({ fill }) => fill.time >= body.startTime),
      twapHistory: () => view.twapHistory(engine, this.at("twaps"), this.owner),
      userRateLimit: () => ({ cumVlm: "1000000.0", nRequestsUsed: 10, nRequestsCap: 1_010_000, nRequestsSurplus: 0 }),
      maxBuilderFee: () => 0,
      approvedBuilders: () => [],
      userRole: () =>
        this.agents.some(({ address }) => address === body.user?.toLowerCase())
          ? { role: "agent", data: { user: this.owner } }
          : { role: "user" },
      extraAgents: () => this.agents,
      subAccounts: () => null,
      activeAssetData: () => view.assetData(engine, this.at("settings"), body.user, body.coin),
      userFees: () => ({
        dailyUserVlm: [],
        feeSchedule: {},
        userCrossRate: "0.00045",
        userAddRate: "0.00015",
        userSpotCrossRate: "0.0007",
        userSpotAddRate: "0.0004",
        activeReferralDiscount: "0.0",
      }),
      userNonFundingLedgerUpdates: () => [],
      userFunding: () => [],
      fundingHistory: () => [],
      userAbstraction: () => "default",
      exchangeStatus: () => ({ time: this.engine.now(), specialStatuses: null }),
      candleSnapshot: () => [],
      recentTrades: () => [],
    };
    const read = reads[body?.type];
    if (!read) console.error("not modelled:", JSON.stringify(body));
    return read ? read() : null;
  }

  // ---- the stream

  welcome(socket) {
    socket.lagMs = Math.floor(this.streamLag());
    socket.wants = new Map();
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.on("message", (raw) => this.hear(socket, JSON.parse(raw.toString())));
  }

  hear(socket, { method, subscription, id, request }) {
    if (method === "ping") return send(socket, { channel: "pong" });
    if (method === "post")
      return send(socket, {
        channel: "post",
        data: {
          id,
          response: { type: "info", payload: { type: request.payload.type, data: this.info(request.payload) } },
        },
      });
    const name = JSON.stringify(subscription);
    if (method === "unsubscribe") socket.wants.delete(name);
    else socket.wants.set(name, subscription);
    send(socket, { channel: "subscriptionResponse", data: { method, subscription } });
    if (method === "subscribe") this.tell(socket, subscription, Date.now() - socket.lagMs, true);
  }

  // One frame of one channel, as of a moment.
  tell(socket, wanted, at, isSnapshot = false) {
    const { engine, owner: user } = this;
    const { type, coin } = wanted;
    const dex = wanted.dex ?? "";
    const frames = {
      allMids: () => ({ mids: view.mids(engine, dex), ...(dex ? { dex } : {}) }),
      l2Book: () => view.l2Book(engine, coin),
      bbo: () =>
        ((book) => ({ coin, time: engine.now(), bbo: [book.levels[0][0] ?? null, book.levels[1][0] ?? null] }))(
          view.l2Book(engine, coin),
        ),
      activeAssetCtx: () => ({ coin, ctx: view.contextOf(engine, coin) }),
      activeAssetData: () => view.assetData(engine, at, user, coin),
      clearinghouseState: () => ({ dex, user, clearinghouseState: view.clearinghouse(engine, at, dex) }),
      allDexsClearinghouseState: () => ({
        user,
        clearinghouseStates: ["", "xyz"].map((one) => [one, view.clearinghouse(engine, at, one)]),
      }),
      openOrders: () => ({
        dex,
        user,
        orders:
          dex === "ALL_DEXS"
            ? [...view.openOrders(engine, at, ""), ...view.openOrders(engine, at, "xyz")]
            : view.openOrders(engine, at, dex),
      }),
      spotState: () => ({ user, spotState: view.spotState(engine, at) }),
      webData3: () => ({
        userState: {
          agentAddress: null,
          agentValidUntil: null,
          cumLedger: "0.0",
          serverTime: at + engine.clockOffMs,
          isVault: false,
          user,
        },
        perpDexStates: [{ totalVaultEquity: "0.0" }, { totalVaultEquity: "0.0" }],
      }),
      twapStates: () => ({ dex, user, states: view.runningTwaps(engine, at, user, dex) }),
      userFills: () =>
        isSnapshot ? { user, isSnapshot: true, fills: view.fills(engine, at).reverse().slice(0, 100) } : undefined,
      userTwapSliceFills: () =>
        isSnapshot ? { user, isSnapshot: true, twapSliceFills: view.twapFills(engine, at) } : undefined,
      userTwapHistory: () =>
        isSnapshot ? { user, isSnapshot: true, history: view.twapHistory(engine, at, user) } : undefined,
      userFundings: () => (isSnapshot ? { user, isSnapshot: true, fundings: [] } : undefined),
      userNonFundingLedgerUpdates: () =>
        isSnapshot ? { user, isSnapshot: true, nonFundingLedgerUpdates: [] } : undefined,
      userHistoricalOrders: () =>
        isSnapshot ? { user, isSnapshot: true, orderHistory: view.history(engine, at) } : undefined,
    };
    if (type === "trades" || type === "orderUpdates" || type === "userEvents" || type === "notification") return;
    if (!frames[type]) return console.error("not modelled on the stream:", JSON.stringify(wanted));
    const data = frames[type]();
    const channel = type === "activeAssetCtx" && byCoin.get(coin)?.dex === "spot" ? "activeSpotAssetCtx" : type;
    if (data !== undefined && data !== null) send(socket, { channel, data }, this);
  }

  tellStates() {
    for (const socket of this.sockets)
      for (const wanted of socket.wants.values()) this.tell(socket, wanted, Date.now() - socket.lagMs);
  }

  push(what, detail) {
    for (const socket of this.sockets) setTimeout(() => this.pushTo(socket, what, detail), socket.lagMs + 5);
  }

  pushTo(socket, what, detail) {
    const { owner: user } = this;
    const at = Date.now() - socket.lagMs;
    for (const wanted of socket.wants.values()) {
      const { type, coin } = wanted;
      if (what === "fill" && type === "userFills")
        send(socket, { channel: "userFills", data: { user, fills: [view.fillRow(detail)] } }, this);
      if (what === "fill" && type === "userTwapSliceFills" && detail.twapId)
        send(
          socket,
          { channel: type, data: { user, twapSliceFills: [{ fill: view.fillRow(detail), twapId: detail.twapId }] } },
          this,
        );
      if (what === "order" && type === "orderUpdates")
        send(socket, { channel: type, data: [this.update(detail)] }, this);
      if (what === "state" && ["clearinghouseState", "allDexsClearinghouseState", "spotState"].includes(type))
        this.tell(socket, wanted, at);
      if (what === "order" && type === "openOrders") this.tell(socket, wanted, at);
      if (what === "twap" && type === "twapStates") this.tell(socket, wanted, at);
      if (what === "mark" && (coin === detail.coin || type === "allMids")) this.tell(socket, wanted, at);
    }
  }

  update({ order, version }) {
    const { coin, side, limitPx, oid, timestamp, origSz, cloid } = view.frontend(order, version.sz);
    const told = {
      coin,
      side,
      limitPx,
      sz: text(version.sz),
      oid,
      timestamp,
      origSz,
      ...(cloid ? { cloid } : {}),
      ...(order.ro ? { reduceOnly: true } : {}),
    };
    return {
      order: told,
      status: this.engine.wordOf?.(order, version.status) ?? version.status,
      statusTimestamp: version.time,
    };
  }
}

function send(socket, message, exchange) {
  if (socket.readyState !== 1 || exchange?.isSilent?.(message.channel, message)) return;
  socket.send(JSON.stringify(message));
}

function reply(response, status, body, type = "application/json") {
  response.writeHead(status, { "content-type": type });
  response.end(type === "application/json" ? JSON.stringify(body) : body);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
