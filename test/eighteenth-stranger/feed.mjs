import { txt } from "./decimals.mjs";
import { book, mids } from "./info.mjs";
import { DEXES } from "./markets.mjs";

const EVERY_MS = 2000;

/** The websocket's channels. Each tells what changed after a delay of its own, and states again every two seconds. */
export class Feed {
  constructor(exchange) {
    this.exchange = exchange;
    this.engine = exchange.engine;
    this.engine.listeners.push((account, kind, what) => this.tellOf(account, kind, what));
    this.timer = setInterval(() => this.tellStates(null), EVERY_MS);
    this.timer.unref();
  }

  close() {
    clearInterval(this.timer);
  }

  hear(socket, text) {
    const message = JSON.parse(text);
    if (message.method === "ping") return socket.send({ channel: "pong" });
    if (message.method === "unsubscribe") {
      const key = JSON.stringify(message.subscription);
      socket.subscriptions = socket.subscriptions.filter((s) => JSON.stringify(s) !== key);
    }
    if (message.method !== "subscribe") return;
    const { subscription } = message;
    socket.subscriptions.push(subscription);
    socket.send({ channel: "subscriptionResponse", data: { method: "subscribe", subscription } });
    const first = this.snapshot(subscription);
    if (first !== null) this.send(socket, subscription, first);
  }

  accountOf(subscription) {
    return subscription.user === undefined ? null : this.engine.accounts.get(subscription.user.toLowerCase());
  }

  /** What a channel tells at once, and again and again. */
  snapshot(subscription) {
    const account = this.accountOf(subscription);
    const user = subscription.user;
    const dex = subscription.dex ?? "";
    const lists = {
      userFills: () => ({ user, fills: account.fills.map((f) => f.fill).reverse(), isSnapshot: true }),
      userFundings: () => ({ user, fundings: account.funding.map((f) => f.row), isSnapshot: true }),
      userNonFundingLedgerUpdates: () => ({
        user,
        nonFundingLedgerUpdates: account.ledger.map((f) => f.row),
        isSnapshot: true,
      }),
      userHistoricalOrders: () => ({
        user,
        orderHistory: account.history.map((h) => h.row).reverse(),
        isSnapshot: true,
      }),
      userTwapHistory: () => ({ user, history: account.twapRows.map((t) => t.row).reverse(), isSnapshot: true }),
      userTwapSliceFills: () => ({ user, twapSliceFills: [], isSnapshot: true }),
    };
    const make = lists[subscription.type];
    if (make !== undefined) return make();
    return this.state(subscription, account, user, dex);
  }

  state(subscription, account, user, dex) {
    const { engine } = this;
    const now = engine.now();
    const states = {
      clearinghouseState: () => ({
        dex,
        user,
        clearinghouseState: { ...account.asOf(now).perpetuals[dex], time: now },
      }),
      allDexsClearinghouseState: () => ({
        user,
        clearinghouseStates: DEXES.map((name) => [name, { ...account.asOf(now).perpetuals[name], time: now }]),
      }),
      spotState: () => ({ user, spotState: account.asOf(now).spot }),
      openOrders: () => ({
        dex,
        user,
        orders: account.asOf(now).open.filter((o) => engine.markets.get(o.coin).dex === dex),
      }),
      twapStates: () => ({ dex, user, states: this.running(account, dex) }),
      allMids: () => ({ mids: mids(engine, dex), ...(dex === "" ? {} : { dex }) }),
      l2Book: () => book(engine, subscription.coin),
      bbo: () => this.bbo(subscription.coin),
      activeAssetCtx: () => this.context(subscription.coin),
    };
    return states[subscription.type]?.() ?? null;
  }

  running(account, dex) {
    const list = account.twaps.filter((t) => t.isRunning && this.engine.markets.get(t.state.coin).dex === dex);
    return list.map((t) => [t.twapId, t.state]);
  }

  bbo(coin) {
    const { levels, time } = book(this.engine, coin);
    return { coin, time, bbo: [levels[0][0], levels[1][0]] };
  }

  context(coin) {
    const px = txt(this.engine.markets.get(coin).mark);
    return {
      coin,
      ctx: {
        funding: "0.0000125",
        openInterest: "1.0",
        prevDayPx: px,
        dayNtlVlm: "1.0",
        premium: "0.0",
        oraclePx: px,
        markPx: px,
        midPx: px,
        impactPxs: [px, px],
        dayBaseVlm: "1.0",
      },
    };
  }

  send(socket, subscription, data, wire = subscription.type) {
    const channel = wire === "userEvents" ? "user" : this.channelOf(subscription, wire);
    const lag = this.exchange.faults.feedLag(subscription.type, subscription);
    if (lag === null) return;
    if (lag === 0) socket.send({ channel, data });
    else setTimeout(() => socket.send({ channel, data }), lag).unref();
  }

  channelOf(subscription, wire) {
    const isSpot = subscription.coin !== undefined && this.engine.markets.get(subscription.coin)?.isSpot;
    return wire === "activeAssetCtx" && isSpot ? "activeSpotAssetCtx" : wire;
  }

  each(account, type, make) {
    for (const socket of this.exchange.sockets) {
      for (const s of socket.subscriptions) {
        if (s.type === type && s.user?.toLowerCase() === account.address) this.send(socket, s, make(s.user));
      }
    }
  }

  tellOf(account, kind, what) {
    if (kind === "order") this.each(account, "orderUpdates", () => [updateOf(what.row)]);
    if (kind === "order") this.each(account, "userHistoricalOrders", (user) => ({ user, orderHistory: [what.row] }));
    if (kind === "fill") {
      this.each(account, "userFills", (user) => ({ user, fills: [what.fill] }));
      this.each(account, "userEvents", () => ({ fills: [what.fill] }));
    }
    if (kind === "twap") this.each(account, "userTwapHistory", (user) => ({ user, history: [what.row] }));
    if (kind === "funding") {
      const row = account.funding.at(-1).row;
      this.each(account, "userFundings", (user) => ({ user, fundings: [row] }));
    }
    if (kind === "state" || kind === "twap") this.tellStates(account);
  }

  tellStates(account) {
    for (const socket of this.exchange.sockets) {
      for (const s of socket.subscriptions) {
        const own = this.accountOf(s);
        if (account !== null && own !== account) continue;
        const state = this.state(s, own, s.user, s.dex ?? "");
        if (state !== null) this.send(socket, s, state);
      }
    }
  }
}

function updateOf(row) {
  const { order } = row;
  const { coin, side, limitPx, sz, oid, timestamp, origSz, cloid } = order;
  const shown = {
    coin,
    side,
    limitPx,
    sz,
    oid,
    timestamp,
    origSz,
    ...(cloid === null ? {} : { cloid }),
    ...(order.reduceOnly ? { reduceOnly: true } : {}),
  };
  return { order: shown, status: row.status, statusTimestamp: row.statusTimestamp };
}
