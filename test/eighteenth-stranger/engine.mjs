import { Account } from "./account.mjs";
import { abs, dec, mul, ONE, txt } from "./decimals.mjs";
import { makeMarkets } from "./markets.mjs";

const RATES = {
  perpetual: { taker: dec("0.00045"), maker: dec("0.00015") },
  spot: { taker: dec("0.0007"), maker: dec("0.0004") },
};

/** The exchange's truth and what changes it. Everything that was changed is in `log`, in the order in which it happened. */
export class Engine {
  constructor() {
    this.markets = makeMarkets();
    this.accounts = new Map();
    this.log = [];
    this.listeners = [];
    this.oid = 700000000000;
    this.tid = 1000;
    this.twapId = 9000;
    this.last = 0;
    this.depth = null;
  }

  now() {
    this.last = Math.max(this.last, Date.now());
    return this.last;
  }

  addAccount(address, options) {
    const account = new Account(address.toLowerCase(), this.markets, options);
    this.accounts.set(account.address, account);
    account.keep(this.now() - 3_600_000);
    return account;
  }

  tell(account, kind, what) {
    this.log.push({ at: this.now(), account: account.address, kind, ...what });
    for (const listener of this.listeners) listener(account, kind, what);
  }

  changed(account) {
    account.keep(this.now());
    this.tell(account, "state", {});
  }

  marketOf(asset) {
    return [...this.markets.values()].find((m) => m.asset === asset);
  }

  setMark(coin, price) {
    const market = this.markets.get(coin);
    market.mark = dec(price);
    for (const account of this.accounts.values()) {
      for (const order of [...account.orders.values()]) if (order.coin === coin) this.meet(account, order);
      if (account.positions.has(coin)) this.changed(account);
    }
  }

  tick(market) {
    return market.mark / 10000n;
  }

  bestFor(market, isBuy) {
    return isBuy ? market.mark + this.tick(market) : market.mark - this.tick(market);
  }

  /** Whether the mark or the book makes a resting order move now. */
  meet(account, order) {
    const market = this.markets.get(order.coin);
    if (order.trigger !== null) {
      const above = order.trigger.tpsl === "tp" ? !order.isBuy : order.isBuy;
      if (above ? market.mark < order.trigger.price : market.mark > order.trigger.price) return;
      this.fire(account, order, market);
      return;
    }
    const best = this.bestFor(market, order.isBuy);
    if (order.isBuy ? order.price >= best : order.price <= best)
      this.fill(account, order, { size: order.left, price: order.price, isTaker: false });
  }

  fire(account, order, market) {
    order.trigger = { ...order.trigger, isDone: true };
    this.mark(account, order, "triggered");
    const most = this.reducible(account, order);
    const size = order.left > most && order.reduceOnly ? most : order.left;
    if (size === 0n) {
      this.end(account, order, "reduceOnlyRejected");
      return;
    }
    this.fill(account, order, { size, price: this.bestFor(market, order.isBuy), isTaker: true });
    if (account.orders.has(order.oid)) this.end(account, order, "canceled");
  }

  reducible(account, order) {
    const szi = account.positions.get(order.coin)?.szi ?? 0n;
    return szi !== 0n && szi > 0n !== order.isBuy ? abs(szi) : 0n;
  }

  mark(account, order, status) {
    order.status = status;
    order.statusAt = this.now();
    const row = { order: order.shown(), status, statusTimestamp: order.statusAt };
    account.history.push({ at: order.statusAt, oid: order.oid, cloid: order.cloid, row });
    this.tell(account, "order", { oid: order.oid, cloid: order.cloid, status, row });
  }

  end(account, order, status) {
    account.orders.delete(order.oid);
    this.mark(account, order, status);
    this.changed(account);
  }

  fill(account, order, { size, price, isTaker }) {
    const market = this.markets.get(order.coin);
    const rates = market.isSpot ? RATES.spot : RATES.perpetual;
    const scale = market.dex === "" ? 1n : 2n;
    const rate = (isTaker ? rates.taker : rates.maker) * scale;
    const done = account.trade(market, { isBuy: order.isBuy, size, price, rate });
    order.left -= size;
    order.filled += size;
    const at = this.now();
    this.tid += 1;
    const fill = {
      coin: order.coin,
      px: txt(price),
      sz: txt(size),
      side: order.isBuy ? "B" : "A",
      time: at,
      startPosition: txt(done.before),
      dir: done.dir,
      closedPnl: txt(done.pnl, 8),
      hash: order.twapId === undefined ? `0x${this.tid.toString(16).padStart(64, "0")}` : `0x${"0".repeat(64)}`,
      oid: order.oid,
      crossed: isTaker,
      fee: txt(done.fee, market.isSpot ? 8 : 6),
      tid: this.tid,
      ...(order.cloid === null ? {} : { cloid: order.cloid }),
      feeToken: done.feeToken,
      twapId: order.twapId ?? null,
    };
    account.fills.push({ at, fill });
    order.notional += mul(size, price);
    this.tell(account, "fill", { oid: order.oid, fill });
    if (order.left === 0n) this.end(account, order, "filled");
    else this.changed(account);
  }

  /** Fills a resting order by so much, as another trader would. */
  fillResting(account, oid, size) {
    const order = account.orders.get(oid);
    if (order !== undefined) this.fill(account, order, { size, price: order.price, isTaker: false });
  }

  makeOrder(wire) {
    const market = this.marketOf(wire.a);
    const trigger = wire.t.trigger === undefined ? null : { ...wire.t.trigger, price: dec(wire.t.trigger.triggerPx) };
    this.oid += 1 + Number(BigInt(this.tid) % 7n);
    const at = this.now();
    const order = {
      oid: this.oid,
      cloid: wire.c ?? null,
      coin: market.coin,
      isBuy: wire.b,
      price: dec(wire.p),
      size: dec(wire.s),
      left: dec(wire.s),
      filled: 0n,
      notional: 0n,
      reduceOnly: wire.r,
      tif: wire.t.limit?.tif ?? null,
      trigger,
      at,
      status: null,
      statusAt: at,
    };
    order.shown = () => showOrder(order);
    return { order, market };
  }

  /** Places one order of an action: the exchange's answer for it. */
  place(account, wire, isReplacement = false) {
    const { order, market } = this.makeOrder(wire);
    const refuse = (status, text) => {
      this.mark(account, order, status);
      return { error: `${text} asset=${wire.a}` };
    };
    this.tell(account, "placed", { oid: order.oid, cloid: order.cloid, wire, isReplacement });
    const notional = mul(order.size, order.price);
    if (notional < 10n * ONE && !order.reduceOnly) {
      const unit = market.isSpot ? "10 USDC" : "$10";
      return refuse("minTradeNtlRejected", `Order must have minimum value of ${unit}.`);
    }
    if (order.reduceOnly && order.trigger === null && this.reducible(account, order) === 0n) {
      return refuse("reduceOnlyRejected", "Reduce only order would increase position.");
    }
    if (order.trigger !== null) return this.rest(account, order);
    const best = this.bestFor(market, order.isBuy);
    const crosses = order.isBuy ? order.price >= best : order.price <= best;
    if (order.tif === "Alo" && crosses)
      return refuse("badAloPxRejected", "Post only order would have immediately matched, bbo was 1@2.");
    if (!crosses && order.tif !== "Gtc" && order.tif !== "Alo") {
      return refuse("iocCancelRejected", "Order could not immediately match against any resting orders.");
    }
    if (!crosses) return this.rest(account, order);
    return this.take(account, order, best);
  }

  rest(account, order) {
    account.orders.set(order.oid, order);
    this.mark(account, order, "open");
    this.changed(account);
    this.meet(account, order);
    return { resting: { oid: order.oid, ...(order.cloid === null ? {} : { cloid: order.cloid }) } };
  }

  take(account, order, best) {
    let size = order.left;
    if (order.reduceOnly && this.reducible(account, order) < size) size = this.reducible(account, order);
    if (this.depth !== null && this.depth < size) size = this.depth;
    account.orders.set(order.oid, order);
    if (order.tif === "Gtc") this.mark(account, order, "open");
    this.fill(account, order, { size, price: best, isTaker: true });
    const cloid = order.cloid === null ? {} : { cloid: order.cloid };
    if (account.orders.has(order.oid) && order.tif !== "Gtc") this.end(account, order, "filled");
    if (account.orders.has(order.oid)) return { resting: { oid: order.oid, ...cloid } };
    return {
      filled: {
        totalSz: txt(order.filled),
        avgPx: txt((order.notional * ONE) / order.filled, 6),
        oid: order.oid,
        ...cloid,
      },
    };
  }

  cancel(account, find) {
    const order = [...account.orders.values()].find(find);
    if (order === undefined) return null;
    this.end(account, order, "canceled");
    return order;
  }

  pay(account, coin, rate) {
    const market = this.markets.get(coin);
    const held = account.positions.get(coin);
    const amount = dec(txt(-mul(mul(held.szi, market.mark), dec(rate)), 6));
    account.addCash(market.dex, amount);
    held.since -= amount;
    held.all -= amount;
    const time = this.now();
    const delta = {
      type: "funding",
      coin,
      usdc: txt(amount, 6),
      szi: txt(held.szi),
      fundingRate: txt(dec(rate)),
      nSamples: null,
    };
    account.funding.push({ at: time, row: { time, hash: `0x${time.toString(16).padStart(64, "0")}`, delta } });
    this.tell(account, "funding", { coin, amount });
    this.changed(account);
  }

  deposit(account, usdc) {
    account.addCash("", dec(usdc));
    const time = this.now();
    const delta = { type: "deposit", usdc: txt(dec(usdc), 6) };
    account.ledger.push({ at: time, row: { time, hash: `0x${time.toString(16).padStart(64, "d")}`, delta } });
    this.changed(account);
  }
}

function showOrder(order) {
  const { trigger } = order;
  const above = trigger === null ? null : trigger.tpsl === "tp" ? !order.isBuy : order.isBuy;
  const kind =
    trigger === null
      ? "Limit"
      : `${trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${trigger.isMarket ? "Market" : "Limit"}`;
  return {
    coin: order.coin,
    side: order.isBuy ? "B" : "A",
    limitPx: txt(order.price),
    sz: txt(order.left),
    oid: order.oid,
    timestamp: order.at,
    triggerCondition: trigger === null ? "N/A" : `Price ${above ? "above" : "below"} ${txt(trigger.price)}`,
    isTrigger: trigger !== null,
    triggerPx: trigger === null ? "0.0" : txt(trigger.price),
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    orderType: order.tif === "FrontendMarket" ? "Market" : kind,
    origSz: txt(order.size),
    tif: trigger === null ? order.tif : null,
    cloid: order.cloid,
  };
}
