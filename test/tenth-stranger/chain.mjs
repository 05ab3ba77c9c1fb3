// The true state of one account at the exchange, what it does by itself, and a log of each change of what is held and of what protects it.
export const text = (value) => {
  const fixed = value.toFixed(8).replace(/0+$/, "").replace(/\.$/, "");
  return fixed === "-0" ? "0" : fixed;
};
const round = (value) => Number(value.toFixed(8));
const withPoint = (value) => (text(value).includes(".") ? text(value) : `${text(value)}.0`);
export const wire = withPoint;

export const markets = [
  { coin: "BTC", asset: 0, decimals: 5, leverage: 40 },
  { coin: "ETH", asset: 1, decimals: 4, leverage: 25 },
  { coin: "SOL", asset: 2, decimals: 2, leverage: 20 },
  { coin: "xyz:TSLA", asset: 110000, decimals: 3, leverage: 10 },
];

export class Chain {
  cash = 100_000;
  held = {};
  orders = [];
  fills = [];
  twaps = [];
  log = [];
  leverage = {};
  nonces = new Set();
  agents = [];
  oid = 5000;
  version = 0;
  history = [];
  mark = { BTC: 60_000, ETH: 2000, SOL: 100, "xyz:TSLA": 300 };
  depth = {};
  listeners = [];
  nextTwap = 700;
  refuse = [];

  constructor(user) {
    this.user = user;
    this.changed("start");
  }

  position(coin) {
    return this.held[coin]?.size ?? 0;
  }

  open(coin) {
    return this.orders.filter(
      (order) => ["open", "triggered"].includes(order.status) && (!coin || order.coin === coin),
    );
  }

  protection(coin) {
    const size = this.position(coin);
    const side = size > 0 ? "A" : "B";
    return round(
      this.open(coin)
        .filter((order) => order.trigger?.tpsl === "sl" && order.reduceOnly && order.side === side)
        .reduce((sum, order) => sum + order.left, 0),
    );
  }

  changed(why, detail = {}) {
    this.version += 1;
    const now = Date.now();
    for (const { coin } of markets)
      this.log.push({ at: now, why, coin, size: this.position(coin), protection: this.protection(coin), ...detail });
    const { cash, held, orders, fills, twaps, leverage, agents } = this;
    this.history.push({
      at: now,
      state: structuredClone({
        cash,
        held,
        orders: orders.slice(-200),
        fills: fills.slice(-300),
        twaps,
        leverage,
        agents,
      }),
    });
    if (this.history.length > 900) this.history.splice(0, 300);
  }

  seenAgo(ms) {
    const until = Date.now() - ms;
    for (let at = this.history.length - 1; at >= 0; at -= 1)
      if (this.history[at].at <= until) return this.history[at].state;
    return this.history[0].state;
  }

  tell(kind, data) {
    for (const listener of this.listeners) listener(kind, data);
  }

  update(order, status) {
    order.status = status;
    order.statusAt = Date.now();
    this.tell("order", structuredClone(order));
    if (order.children && ["canceled", "filled"].includes(status)) this.children(order, status);
  }

  // A parent's end: filled whole its children go live; ended otherwise they die with it.
  children(parent, status) {
    for (const child of parent.children) {
      if (child.status !== "waiting") continue;
      this.orders.push(child);
      this.update(child, status === "filled" ? "open" : "canceled");
    }
  }

  ask(coin) {
    return round(this.mark[coin] * 1.0001);
  }

  bid(coin) {
    return round(this.mark[coin] * 0.9999);
  }

  room(coin, side) {
    return this.depth[coin]?.[side] ?? 1e9;
  }

  take(coin, side, size) {
    if (this.depth[coin]?.[side] !== undefined) this.depth[coin][side] = round(this.depth[coin][side] - size);
  }

  fill(order, size, price, extra = {}) {
    const amount = round(Math.min(size, order.left));
    if (amount <= 0) return;
    const sign = order.side === "B" ? 1 : -1;
    const holding = this.held[order.coin] ?? { size: 0, entry: price };
    const before = holding.size;
    const closes = before * sign < 0 ? Math.min(amount, Math.abs(before)) : 0;
    const profit = round(closes * (price - holding.entry) * Math.sign(before));
    const after = round(before + sign * amount);
    if (closes === 0) holding.entry = (Math.abs(before) * holding.entry + amount * price) / (Math.abs(before) + amount);
    if (before * after < 0) holding.entry = price;
    holding.size = after;
    if (after === 0) delete this.held[order.coin];
    else this.held[order.coin] = holding;
    const fee = round(Math.floor(amount * price * 0.00045 * 1e6) / 1e6);
    this.cash = round(this.cash + profit - fee);
    order.left = round(order.left - amount);
    order.filled = round((order.filled ?? 0) + amount);
    const closing = before !== 0 && before * sign < 0;
    const word = (closing ? before > 0 : sign > 0) ? "Long" : "Short";
    const dir =
      before * after < 0 ? (before > 0 ? "Long > Short" : "Short > Long") : `${closing ? "Close" : "Open"} ${word}`;
    const fill = {
      coin: order.coin,
      px: wire(price),
      sz: wire(amount),
      side: order.side,
      time: Date.now(),
      startPosition: wire(before),
      dir,
      closedPnl: wire(profit),
      hash: `0x${"a".repeat(64)}`,
      oid: order.oid,
      crossed: true,
      fee: wire(fee),
      tid: 1e9 + this.fills.length,
      feeToken: "USDC",
      twapId: null,
      ...(order.cloid ? { cloid: order.cloid } : {}),
      ...extra,
    };
    this.fills.push(fill);
    this.tell("fill", fill);
    if (order.left <= 0) this.update(order, "filled");
    if (this.position(order.coin) === 0) this.positionGone(order.coin);
    this.changed("fill", { oid: order.oid, by: fill.dir });
  }

  // Resting reduce-only orders end with the position; triggers stay, as grouping `na` does.
  positionGone(coin) {
    for (const order of this.open(coin))
      if (order.reduceOnly && !order.trigger) this.update(order, "reduceOnlyCanceled");
  }

  match(order) {
    const buys = order.side === "B";
    const best = buys ? this.ask(order.coin) : this.bid(order.coin);
    if (buys ? order.price < best : order.price > best) return;
    let size = Math.min(order.left, Math.max(0, this.room(order.coin, order.side)));
    if (order.reduceOnly) size = Math.min(size, this.reducible(order));
    if (size <= 0) return;
    this.take(order.coin, order.side, size);
    this.fill(order, size, best);
  }

  reducible(order) {
    const size = this.position(order.coin);
    return order.side === "B" ? Math.max(0, -size) : Math.max(0, size);
  }

  setMark(coin, price) {
    this.mark[coin] = price;
    for (const order of this.open(coin)) if (order.trigger && order.status === "open") this.trigger(order);
    for (const order of this.open(coin)) if (!order.trigger || order.status === "triggered") this.match(order);
    this.tell("price", coin);
  }

  isMet(order) {
    const above = (order.trigger.tpsl === "tp") === (order.side === "A");
    return above ? this.mark[order.coin] >= order.trigger.price : this.mark[order.coin] <= order.trigger.price;
  }

  trigger(order) {
    if (!this.isMet(order)) return;
    this.update(order, "triggered");
    if (order.reduceOnly && this.reducible(order) === 0) {
      this.update(order, "reduceOnlyRejected");
    } else {
      this.match(order);
      if (order.left > 0 && order.trigger.isMarket && order.status === "triggered")
        this.update(order, order.filled ? "filled" : "marketOrderNoLiquidityRejected");
    }
    this.changed("trigger", { oid: order.oid });
  }

  cancel(order, status = "canceled") {
    if (!order || !["open", "triggered"].includes(order.status)) return false;
    this.update(order, status);
    this.changed("cancel", { oid: order.oid });
    return true;
  }

  find(oid) {
    return this.orders.findLast((order) => order.oid === oid || (order.cloid && order.cloid === oid));
  }

  // Somebody else's hand: an order placed on the exchange's own page.
  outside(coin, side, ...[size, price, more = {}]) {
    const order = this.make({ coin, side, size, price, tif: "Gtc", reduceOnly: false, ...more });
    this.orders.push(order);
    this.update(order, "open");
    if (!order.trigger) this.match(order);
    this.changed("outside", { oid: order.oid });
    return order;
  }

  make(fields) {
    this.oid += 1;
    return {
      oid: this.oid,
      left: fields.size,
      at: Date.now(),
      status: "new",
      statusAt: Date.now(),
      cloid: null,
      ...fields,
    };
  }
}
