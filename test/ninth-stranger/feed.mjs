// The websocket: what each channel tells, and what befalls a frame on its way.
import { WebSocketServer } from "ws";
import { wire } from "./grain.mjs";
import { DEXES } from "./listing.mjs";
import { fillRow, openOrders, perpState, spotState, twapRows, twapState } from "./shows.mjs";

const SERIES = new Set([
  "userFills",
  "userFundings",
  "userNonFundingLedgerUpdates",
  "userTwapSliceFills",
  "userTwapHistory",
  "userHistoricalOrders",
]);

export class Feed {
  /** What befalls a frame: a list of delays in ms, one for each time it is told; empty: lost. */
  way = () => [0];
  /** How far behind a channel of states is, for this frame alone. */
  lag = () => 0;
  /** What a subscription is answered with: null, `refuse`, `silent`, `other`. */
  welcome = () => null;
  snapshotAfterMs = 0;
  lines = new Set();
  isShut = false;
  everyMs = 3000;

  constructor(venue, door, tape) {
    Object.assign(this, { venue, tape });
    this.server = new WebSocketServer({ server: door.server, path: "/ws", verifyClient: () => !this.isShut });
    this.server.on("connection", (socket) => this.meet(socket));
    venue.listeners.push((fact) => this.on(fact));
    this.timer = setInterval(() => this.beat(), this.everyMs);
  }

  meet(socket) {
    const line = { socket, subs: new Map() };
    this.lines.add(line);
    socket.on("close", () => this.lines.delete(line));
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.method === "ping") return this.push(line, { channel: "pong" });
      if (message.method === "subscribe") this.subscribe(line, message.subscription);
      if (message.method === "unsubscribe") line.subs.delete(JSON.stringify(message.subscription));
    });
  }

  subscribe(line, subscription) {
    const fate = this.welcome(subscription);
    this.tape.add({ kind: "subscribe", at: Date.now(), subscription, fate });
    if (fate === "silent") return;
    if (fate === "refuse") return this.push(line, { channel: "error", data: "Cannot track more than 15 total users." });
    const echo = fate === "other" ? { ...subscription, user: `0x${"ab".repeat(20)}` } : subscription;
    line.subs.set(JSON.stringify(subscription), subscription);
    this.push(line, { channel: "subscriptionResponse", data: { method: "subscribe", subscription: echo } });
    if (SERIES.has(subscription.type))
      setTimeout(() => this.snapshot(line, subscription), this.snapshotAfterMs).unref();
    else this.state(line, subscription);
  }

  snapshot(line, { type, user }) {
    const at = Date.now() - this.lag(type);
    const account = this.venue.accounts.get(user?.toLowerCase());
    if (!account) return;
    const rows = {
      userFills: {
        fills: account.fills
          .filter((of) => of.at <= at)
          .slice(-100)
          .reverse()
          .map(fillRow),
      },
      userTwapSliceFills: {
        twapSliceFills: account.fills
          .filter((of) => of.at <= at && of.twapId)
          .map((of) => ({ fill: fillRow(of), twapId: of.twapId })),
      },
      userTwapHistory: { history: twapRows(this.venue, account, at) },
      userFundings: { fundings: [] },
      userNonFundingLedgerUpdates: { nonFundingLedgerUpdates: [] },
      userHistoricalOrders: { orderHistory: [] },
    }[type];
    this.send(line, type, { user, ...rows, isSnapshot: true });
  }

  state(line, subscription) {
    const { type, user, dex } = subscription;
    const at = Date.now() - this.lag(type);
    const account = this.venue.accounts.get(user?.toLowerCase());
    const { venue } = this;
    if (account) {
      if (type === "clearinghouseState")
        this.send(line, type, { dex: dex ?? "", user, clearinghouseState: perpState(venue, account, at, dex) });
      if (type === "allDexsClearinghouseState")
        this.send(line, type, {
          user,
          clearinghouseStates: DEXES.map((of) => [of, perpState(venue, account, at, of)]),
        });
      if (type === "openOrders")
        this.send(line, type, { dex: dex ?? "", user, orders: openOrders(venue, account, at, dex) });
      if (type === "spotState") this.send(line, type, { user, spotState: spotState(venue, account, at) });
      if (type === "twapStates") {
        const running = account.twaps.filter(
          (of) => of.states.at(at)?.status === "activated" && venue.market(of.coin).dex === (dex ?? ""),
        );
        this.send(line, type, { dex: dex ?? "", user, states: running.map((of) => [of.id, twapState(venue, of, at)]) });
      }
      if (type === "webData3")
        this.send(line, type, {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "0.0",
            serverTime: venue.shown(at),
            isVault: false,
            user,
          },
          perpDexStates: DEXES.map(() => ({ totalVaultEquity: "0.0" })),
        });
      if (type === "activeAssetData")
        this.send(line, type, {
          user,
          coin: subscription.coin,
          leverage: venue.leverageOf(account, subscription.coin, at),
          maxTradeSzs: ["1.0", "1.0"],
          availableToTrade: ["1.0", "1.0"],
          markPx: "1.0",
        });
    }
    this.market(line, subscription, at);
  }

  market(line, { type, coin }, at) {
    const market = this.venue.market(coin);
    if (!market) return;
    const mid = market.mid.at(at);
    const px = wire(mid);
    const level = (value) => ({ px: wire(value), sz: "1000.0", n: 3 });
    const [bid, ask] = [level(mid - mid / 5000n), level(mid + mid / 5000n)];
    if (type === "bbo") this.send(line, type, { coin, time: this.venue.shown(at), bbo: [bid, ask] });
    if (type === "l2Book") this.send(line, type, { coin, time: this.venue.shown(at), levels: [[bid], [ask]] });
    if (type === "activeAssetCtx") {
      const ctx = {
        funding: "0.0",
        openInterest: "1.0",
        prevDayPx: px,
        dayNtlVlm: "1.0",
        premium: "0.0",
        oraclePx: px,
        markPx: px,
        midPx: px,
        impactPxs: [px, px],
        dayBaseVlm: "1.0",
      };
      this.send(line, market.spot ? "activeSpotAssetCtx" : type, { coin, ctx });
    }
  }

  beat() {
    for (const line of this.lines) for (const of of line.subs.values()) this.state(line, of);
  }

  /** Something has happened: told to whoever has subscribed to it. */
  on(fact) {
    const user = fact.account ?? fact.order?.account;
    for (const line of this.lines) {
      for (const of of line.subs.values()) {
        if (of.user && of.user.toLowerCase() !== user) continue;
        if (of.user) this.event(line, of, fact);
      }
    }
  }

  event(line, of, fact) {
    const { venue } = this;
    if (fact.kind === "order" && of.type === "orderUpdates") {
      const { order, status, at } = fact;
      const row = {
        coin: order.coin,
        side: order.isBuy ? "B" : "A",
        limitPx: wire(order.px),
        sz: status === "filled" ? "0.0" : wire(venue.left(order, at)),
        oid: order.oid,
        timestamp: venue.shown(order.placedAt),
        origSz: wire(order.size),
        ...(order.cloid ? { cloid: order.cloid } : {}),
        ...(order.isReduceOnly ? { reduceOnly: true } : {}),
      };
      this.send(line, "orderUpdates", [{ order: row, status, statusTimestamp: venue.shown(at) }]);
    }
    if (fact.kind === "fill" && of.type === "userFills")
      this.send(line, "userFills", { user: of.user, fills: [fillRow(fact.fill)] });
    if (fact.kind === "fill" && of.type === "userEvents") this.send(line, "user", { fills: [fillRow(fact.fill)] });
    if (fact.kind === "fill" && fact.fill.twapId && of.type === "userTwapSliceFills")
      this.send(line, of.type, {
        user: of.user,
        twapSliceFills: [{ fill: fillRow(fact.fill), twapId: fact.fill.twapId }],
      });
    if (fact.kind === "twap" && of.type === "userTwapHistory")
      this.send(line, of.type, {
        user: of.user,
        history: twapRows(venue, venue.accounts.get(fact.account), fact.at).slice(0, 1),
      });
    if (["openOrders", "clearinghouseState", "allDexsClearinghouseState", "spotState", "twapStates"].includes(of.type))
      this.state(line, of);
  }

  send(line, channel, data) {
    this.push(line, { channel, data });
  }

  push(line, frame) {
    const said = JSON.stringify(frame);
    for (const delay of this.way(frame.channel, frame)) {
      if (delay === "cut") {
        line.socket.send(said.slice(0, Math.floor(said.length / 2)));
        continue;
      }
      const out = () => {
        if (line.socket.readyState === 1) line.socket.send(said);
      };
      if (delay === 0) out();
      else setTimeout(out, delay).unref();
    }
    if (!["pong", "webData3", "clearinghouseState", "allDexsClearinghouseState", "spotState"].includes(frame.channel))
      this.tape.add({ kind: "frame", at: Date.now(), text: said.slice(0, 600) });
  }

  drop() {
    for (const line of this.lines) line.socket.terminate();
  }
  close() {
    clearInterval(this.timer);
    this.drop();
    this.server.close();
  }
}
