// The true exchange: accounts, orders, fills, positions. Every change has a millisecond of its own and is never taken back.
import { abs, grains, least, Past, text, times } from "./grain.mjs";
import { listing } from "./listing.mjs";

const MOST = 10n ** 30n;

export class Venue {
  offsetMs = 0;
  clock = 0;
  nextOid = 77_000_000_001;
  nextTid = 500_000_000_001;
  accounts = new Map();
  orders = [];
  byOid = new Map();
  facts = [];
  listeners = [];
  markets = listing(0);

  /** A millisecond that nothing else has. */
  tick() {
    this.clock = Math.max(Date.now(), this.clock + 1);
    return this.clock;
  }
  shown(at) {
    return at + this.offsetMs;
  }
  market(coin) {
    return this.markets.find((of) => of.coin === coin);
  }
  byAsset(asset) {
    return this.markets.find((of) => of.asset === asset);
  }
  open(address, cash) {
    const account = {
      address,
      cash: new Map(),
      positions: new Map(),
      leverage: new Map(),
      margin: new Map(),
      tokens: new Map(),
      fills: [],
      orders: [],
      twaps: [],
    };
    for (const dex of ["", "xyz", "abc"]) account.cash.set(dex, new Past(0, grains(cash)));
    for (const [token, held] of [
      [0, "50000"],
      [1, "100000"],
      [150, "500"],
    ])
      account.tokens.set(token, new Past(0, grains(held)));
    this.accounts.set(address, account);
    return account;
  }
  tell(fact) {
    this.facts.push(fact);
    for (const listener of this.listeners) listener(fact);
  }

  held(account, coin, at = Number.POSITIVE_INFINITY) {
    return account.positions.get(coin)?.at(at)?.size ?? 0n;
  }

  /** Takes one order; says what the answer to it says. */
  place(account, spec, { at, by = null, via = null, isBare = false } = {}) {
    const market = this.byAsset(spec.a);
    if (!market) return { error: `Unknown asset ${spec.a}` };
    const size = grains(spec.s);
    const suffix = ` asset=${spec.a}`;
    if (market.isDelisted.now) return { error: `Trading is halted.${suffix}` };
    if (market.isHalted) return { error: "Trading is halted." };
    if ((spec.s.split(".")[1] ?? "").length > market.szDecimals.now) return { error: "Order has invalid size." };
    const order = {
      oid: this.nextOid++,
      cloid: spec.c ?? null,
      account: account.address,
      coin: market.coin,
      asset: spec.a,
      isBuy: spec.b,
      px: grains(spec.p),
      size,
      tif: spec.t.limit?.tif ?? null,
      trigger: spec.t.trigger ?? null,
      isReduceOnly: spec.r,
      placedAt: at,
      by,
      via,
      replaces: null,
      replacedBy: null,
      states: new Past(),
      fills: [],
    };
    account.orders.push(order);
    this.orders.push(order);
    this.byOid.set(order.oid, order);
    const echo = { oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) };
    const refuse = (status, words) => {
      this.become(order, status, at);
      return { error: words + suffix };
    };
    if (!order.isReduceOnly && times(order.px, size) < grains("10"))
      return refuse("minTradeNtlRejected", "Order must have minimum value of $10.");
    if (order.trigger) {
      this.become(order, "open", at);
      return isBare ? "waitingForTrigger" : { resting: echo };
    }
    if (order.isReduceOnly && this.canReduce(account, order) <= 0n)
      return refuse("reduceOnlyRejected", "Reduce only order would increase position.");
    return this.meet(account, order, { at, echo, refuse });
  }

  canReduce(account, order) {
    const held = this.held(account, order.coin);
    if (held === 0n || held > 0n === order.isBuy) return 0n;
    return least(abs(held), order.size);
  }

  meet(account, order, { at, echo, refuse }) {
    const market = this.market(order.coin);
    const mid = market.mid.now;
    const touch = order.isBuy ? mid + mid / 5000n : mid - mid / 5000n;
    const crosses = order.isBuy ? order.px >= touch : order.px <= touch;
    if (order.tif === "Alo" && crosses) {
      return refuse(
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${text(mid - mid / 5000n)}@${text(mid + mid / 5000n)}.`,
      );
    }
    if (!crosses) {
      if (order.tif === "Ioc" || order.tif === "FrontendMarket")
        return refuse("iocCancelRejected", "Order could not immediately match against any resting orders.");
      this.become(order, "open", at);
      return { resting: echo };
    }
    const able = order.isReduceOnly ? this.canReduce(account, order) : order.size;
    const depth = market.depth ?? MOST;
    const amount = least(able, depth);
    if (order.tif === "Gtc") this.become(order, "open", at);
    this.fill(order, amount, touch, { at, isTaker: true });
    if (order.tif === "Gtc" && amount < able) return { resting: echo };
    this.become(order, "filled", at);
    return { filled: { totalSz: text(amount), avgPx: text(touch), ...echo } };
  }

  filled(order, at = Number.POSITIVE_INFINITY) {
    return order.fills.filter((of) => of.at <= at).reduce((sum, of) => sum + of.size, 0n);
  }
  left(order, at = Number.POSITIVE_INFINITY) {
    return order.size - this.filled(order, at);
  }
  isOpen(order) {
    return order.states.now?.status === "open" || order.states.now?.status === "triggered";
  }

  become(order, status, at) {
    order.states.set(at, { status, at, shownAt: this.shown(at), left: this.left(order, at) });
    this.tell({ kind: "order", at, order, status });
  }

  /** One fill, of an order or (for liquidations, dust and slices) of a number that nobody has asked for. */
  fill(order, size, px, { at, isTaker = false, more = {} }) {
    const account = this.accounts.get(order.account);
    const market = this.market(order.coin);
    const signed = order.isBuy ? size : -size;
    const start = market.spot ? (account.tokens.get(market.token)?.now ?? 0n) : this.held(account, order.coin);
    const worth = times(size, px);
    const fee = (worth * (isTaker ? 45n : 15n)) / 100_000n;
    const closed = this.move(account, market, { at, signed, px, worth, fee });
    const fill = {
      at,
      shownAt: this.shown(at),
      account: order.account,
      coin: order.coin,
      oid: order.oid,
      cloid: order.cloid,
      isBuy: order.isBuy,
      px,
      size,
      fee,
      start,
      closed,
      isTaker,
      tid: this.nextTid++,
      dir: directionOf(market, start, signed),
      ...more,
    };
    order.fills.push(fill);
    account.fills.push(fill);
    this.tell({ kind: "fill", at, fill, account: order.account });
    return fill;
  }

  move(account, market, { at, signed, px, worth, fee }) {
    if (market.spot) {
      const base = account.tokens.get(market.token);
      const quote = account.tokens.get(0);
      base.set(at, base.now + signed);
      quote.set(at, quote.now + (signed > 0n ? -worth : worth) - fee);
      return 0n;
    }
    const cash = account.cash.get(market.dex);
    cash.set(at, cash.now + (signed > 0n ? -worth : worth) - fee);
    const before = account.positions.get(market.coin)?.now ?? { size: 0n, entry: 0n };
    const size = before.size + signed;
    let { entry } = before;
    let closed = 0n;
    const isReducing = before.size !== 0n && before.size > 0n !== signed > 0n;
    if (isReducing) {
      const part = least(abs(before.size), abs(signed));
      closed = times(px - entry, before.size > 0n ? part : -part);
      if (abs(signed) > abs(before.size)) entry = px;
    } else {
      entry = (abs(before.size) * entry + abs(signed) * px) / (abs(size) || 1n);
    }
    if (!account.positions.has(market.coin)) account.positions.set(market.coin, new Past());
    account.positions.get(market.coin).set(at, { size, entry });
    return closed;
  }

  /** A resting order is taken, in part or whole, by somebody else. */
  take(order, size, at = this.tick()) {
    if (!this.isOpen(order)) return false;
    const able = order.isReduceOnly ? least(size, this.canReduce(this.accounts.get(order.account), order)) : size;
    const amount = least(able, this.left(order));
    if (amount <= 0n) return false;
    this.fill(order, amount, order.px, { at });
    if (this.left(order) === 0n) this.become(order, "filled", at);
    return true;
  }

  /** The exchange takes a living order away, with a word of its own. */
  force(order, word, at = this.tick()) {
    if (!this.isOpen(order)) return false;
    this.become(order, word, at);
    return true;
  }

  cancel(account, order, at) {
    if (!order || order.account !== account.address || !this.isOpen(order)) return false;
    this.become(order, "canceled", at);
    return true;
  }

  /** A waiting trigger fires: it keeps its number. */
  fire(order, at = this.tick()) {
    if (!this.isOpen(order) || !order.trigger) return;
    const account = this.accounts.get(order.account);
    this.become(order, "triggered", at);
    if (this.market(order.coin).spot || this.canReduce(account, order) <= 0n)
      return this.become(order, "reduceOnlyRejected", at + 0);
    this.fill(order, this.canReduce(account, order), grains(order.trigger.triggerPx), { at, isTaker: true });
    this.become(order, "filled", at);
  }

  leverageOf(account, coin, at = Number.POSITIVE_INFINITY) {
    return account.leverage.get(coin)?.at(at) ?? { type: "cross", value: 20 };
  }
}

function directionOf(market, start, signed) {
  if (market.spot) return signed > 0n ? "Buy" : "Sell";
  const end = start + signed;
  if (start === 0n || start > 0n === signed > 0n) return signed > 0n ? "Open Long" : "Open Short";
  if (end === 0n || end > 0n === start > 0n) return start > 0n ? "Close Long" : "Close Short";
  return start > 0n ? "Long > Short" : "Short > Long";
}
