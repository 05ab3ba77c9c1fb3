import { abs, dec, mul, ONE, txt } from "./decimals.mjs";
import { DEXES, TOKENS, tokenOf } from "./markets.mjs";

/** One account's truth. What it was at each moment is kept, so that each store can be shown as of a time of its own. */
export class Account {
  constructor(address, markets, { mode = "default", cash = {}, spot = {}, master = null } = {}) {
    Object.assign(this, { address, markets, mode, master });
    this.cash = new Map(DEXES.map((dex) => [dex, dec(cash[dex] ?? "0")]));
    this.spot = new Map(Object.entries(spot).map(([token, total]) => [token, { total: dec(total), cost: 0n }]));
    this.positions = new Map();
    this.leverage = new Map();
    this.orders = new Map();
    this.history = [];
    this.fills = [];
    this.funding = [];
    this.ledger = [];
    this.twaps = [];
    this.twapRows = [];
    this.moments = [];
  }

  isShared() {
    return this.mode === "unifiedAccount" || this.mode === "portfolioMargin";
  }

  addCash(dex, amount) {
    if (this.isShared()) this.token("USDC").total += amount;
    else this.cash.set(dex, this.cash.get(dex) + amount);
  }

  token(name) {
    if (!this.spot.has(name)) this.spot.set(name, { total: 0n, cost: 0n });
    return this.spot.get(name);
  }

  setting(coin) {
    const most = this.markets.get(coin).leverage;
    return this.leverage.get(coin) ?? { type: "cross", value: Math.min(20, most) };
  }

  /** What a trade does to position and money; returns what its fill tells of that. */
  trade(market, done) {
    return market.isSpot ? this.tradeSpot(market, done) : this.tradePerpetual(market, done);
  }

  tradeSpot(market, { isBuy, size, price, rate }) {
    const base = this.token(tokenOf(market).name);
    const quote = this.token("USDC");
    const before = base.total;
    const gross = mul(size, price);
    const cut = (figure, decimals) => dec(txt(figure, decimals));
    if (isBuy) {
      const fee = cut(mul(size, rate), tokenOf(market).weiDecimals);
      quote.total -= gross;
      base.total += size - fee;
      base.cost += gross;
      return { dir: "Buy", before, pnl: 0n, fee, feeToken: tokenOf(market).name };
    }
    const fee = cut(mul(gross, rate), 8);
    const share = before === 0n ? 0n : (base.cost * size) / before;
    base.cost -= share;
    base.total -= size;
    quote.total += gross - fee;
    return { dir: "Sell", before, pnl: gross - share, fee, feeToken: "USDC" };
  }

  tradePerpetual(market, { isBuy, size, price, rate }) {
    const held = this.positions.get(market.coin) ?? { szi: 0n, cost: 0n, since: 0n, all: 0n, isolated: 0n };
    const before = held.szi;
    const signed = isBuy ? size : -size;
    const closes = before !== 0n && before > 0n !== signed > 0n;
    const most = closes ? abs(before) : 0n;
    const closing = most > size ? size : most;
    const opening = size - closing;
    let pnl = 0n;
    if (closing > 0n) {
      const share = (held.cost * closing) / abs(before);
      pnl = (before > 0n ? mul(closing, price) : -mul(closing, price)) - share;
      held.cost -= share;
      held.isolated -= (held.isolated * closing) / abs(before);
    }
    if (opening > 0n) {
      held.cost += isBuy ? mul(opening, price) : -mul(opening, price);
      held.isolated += mul(opening, price) / BigInt(this.setting(market.coin).value);
    }
    held.szi = before + signed;
    const fee = dec(txt(mul(mul(size, price), rate), 6));
    this.addCash(market.dex, pnl - fee);
    if (held.szi === 0n) this.positions.delete(market.coin);
    else this.positions.set(market.coin, held);
    const word = before === 0n || before > 0n === signed > 0n ? "Open" : "Close";
    const side = word === "Open" ? (isBuy ? "Long" : "Short") : before > 0n ? "Long" : "Short";
    const flip = closing > 0n && opening > 0n ? (isBuy ? "Short > Long" : "Long > Short") : null;
    return { dir: flip ?? `${word} ${side}`, before, pnl, fee, feeToken: "USDC" };
  }

  unrealized(dex) {
    let sum = 0n;
    for (const [coin, p] of this.positions) {
      const market = this.markets.get(coin);
      if (dex === null || market.dex === dex) sum += mul(p.szi, market.mark) - p.cost;
    }
    return sum;
  }

  perpetual(dex, time) {
    const held = [...this.positions].filter(([coin]) => this.markets.get(coin).dex === dex);
    let value = 0n;
    let margin = 0n;
    let signed = 0n;
    const assetPositions = held.map(([coin, p]) => {
      const { mark, leverage: most } = this.markets.get(coin);
      const set = this.setting(coin);
      const worth = mul(abs(p.szi), mark);
      const gain = mul(p.szi, mark) - p.cost;
      const used = set.type === "isolated" ? p.isolated + gain : worth / BigInt(set.value);
      value += worth;
      margin += used;
      signed += mul(p.szi, mark);
      return {
        type: "oneWay",
        position: {
          coin,
          szi: txt(p.szi),
          leverage: {
            type: set.type,
            value: set.value,
            ...(set.type === "isolated" ? { rawUsd: txt(p.isolated - p.cost, 6) } : {}),
          },
          entryPx: txt((abs(p.cost) * ONE) / abs(p.szi), 6),
          positionValue: txt(worth, 6),
          unrealizedPnl: txt(gain, 6),
          returnOnEquity: txt(p.cost === 0n ? 0n : (gain * BigInt(set.value) * ONE) / abs(p.cost), 10),
          liquidationPx: null,
          marginUsed: txt(used, 6),
          maxLeverage: most,
          cumFunding: { allTime: txt(p.all, 6), sinceOpen: txt(p.since, 6), sinceChange: txt(p.since, 6) },
        },
      };
    });
    const cash = this.isShared() ? 0n : this.cash.get(dex);
    const worth = cash + this.unrealized(dex);
    const free = worth - (margin > value / 10n ? margin : value / 10n);
    const summary = {
      accountValue: txt(worth, 6),
      totalNtlPos: txt(value, 6),
      totalRawUsd: txt(worth - signed, 6),
      totalMarginUsed: txt(margin, 6),
    };
    return {
      marginSummary: summary,
      crossMarginSummary: summary,
      crossMaintenanceMarginUsed: txt(margin / 2n, 6),
      withdrawable: txt(this.isShared() || free < 0n ? 0n : free, 6),
      assetPositions,
      time,
    };
  }

  holds() {
    const holds = new Map();
    const add = (token, amount) => holds.set(token, (holds.get(token) ?? 0n) + amount);
    for (const o of this.orders.values()) {
      const market = this.markets.get(o.coin);
      if (!market.isSpot) continue;
      if (o.isBuy) add("USDC", mul(o.left, o.price));
      else add(tokenOf(market).name, o.left);
    }
    if (this.isShared()) {
      for (const [coin, p] of this.positions) {
        add("USDC", mul(abs(p.szi), this.markets.get(coin).mark) / BigInt(this.setting(coin).value));
      }
    }
    return holds;
  }

  spotState() {
    const holds = this.holds();
    return {
      balances: [...this.spot].map(([coin, held]) => ({
        coin,
        token: TOKENS.find((t) => t.name === coin).index,
        total: txt(held.total, 8),
        hold: txt(holds.get(coin) ?? 0n, 8),
        entryNtl: txt(held.cost, 8),
      })),
    };
  }

  /** Keeps how everything stands from this moment on. */
  keep(at) {
    const perpetuals = Object.fromEntries(DEXES.map((dex) => [dex, this.perpetual(dex, at)]));
    const open = [...this.orders.values()].map((o) => o.shown());
    const worth = DEXES.reduce((sum, dex) => sum + (this.isShared() ? 0n : this.cash.get(dex)), this.unrealized(null));
    this.moments.push({ at, perpetuals, spot: this.spotState(), open, worth });
  }

  asOf(time) {
    let found = this.moments[0];
    for (const moment of this.moments) if (moment.at <= time) found = moment;
    return found;
  }
}
