// What the exchange really did. One truth, kept as histories: every store answers from it as of some earlier moment.
const SCALE = 10n ** 8n;
/** Of whole numbers, which Math.min takes none of. */
export function least(a, b) {
  if (a < b) return a;
  return b;
}

export function D(text) {
  const t = String(text);
  const negative = t.startsWith("-");
  const [whole, part = ""] = t.replace("-", "").split(".");
  const v = BigInt(whole || "0") * SCALE + BigInt(`${part}00000000`.slice(0, 8));
  return negative ? -v : v;
}
export function S(v) {
  const a = v < 0n ? -v : v;
  const part = (a % SCALE).toString().padStart(8, "0").replace(/0+$/, "") || "0";
  return `${v < 0n ? "-" : ""}${a / SCALE}.${part}`;
}
export function short(v) {
  return S(v).replace(/\.0$/, "");
}
function mul(a, b) {
  return (a * b) / SCALE;
}
function abs(a) {
  return a < 0n ? -a : a;
}

export class Ledger {
  constructor({ firstOid = 500_000_000_001n } = {}) {
    this.began = Date.now();
    this.nextOid = BigInt(firstOid);
    this.nextTid = 100_000_001;
    this.nextTwap = 7_000_001;
    this.orders = new Map();
    this.byCloid = new Map();
    this.fills = [];
    this.positions = new Map();
    this.leverages = new Map();
    this.spot = new Map([["USDC", [{ t: 0, total: D("100000"), hold: 0n }]]]);
    this.cash = [{ t: 0, v: D("100000") }];
    this.twaps = new Map();
    this.transfers = [];
    this.actions = [];
    this.listeners = [];
    this.skew = () => 0;
    this.block = null;
    this.coins = new Map();
    this.seedCoins();
  }
  seedCoins() {
    const add = (name, asset, szDecimals, ...[mark, maxLeverage]) =>
      this.coins.set(name, { name, asset, szDecimals, mark: D(mark), maxLeverage, depth: D("1000000") });
    add("BTC", 0, 5, "60000", 40);
    add("ETH", 1, 4, "3000", 25);
    add("SOL", 2, 2, "150", 20);
    add("xyz:TSLA", 110000, 3, "400", 10);
    add("xyz:NVDA", 110001, 3, "200", 10);
    add("PURR/USDC", 10000, 0, "0.2", 0);
    add("@107", 10107, 2, "30", 0);
  }
  // What one action does happens in one block: one time for all of it.
  now() {
    return this.block ?? Date.now();
  }
  coin(asset) {
    for (const c of this.coins.values()) if (c.asset === asset) return c;
    return null;
  }
  isSpot(coin) {
    return coin.asset >= 10000 && coin.asset < 100000;
  }
  tell(event) {
    event.t = this.now();
    for (const l of this.listeners) l(event);
  }
  bbo(coin) {
    const tick = mul(coin.mark, D("0.0002"));
    const round = (v) => {
      const unit =
        coin.mark > D("10000")
          ? D("1")
          : coin.mark > D("1000")
            ? D("0.1")
            : coin.mark > D("100")
              ? D("0.01")
              : D("0.0001");
      return (v / unit) * unit;
    };
    return [round(coin.mark - tick), round(coin.mark + tick)];
  }
  note(order, status, extra = {}) {
    const last = order.hist.at(-1);
    const entry = { t: this.now(), status, filled: order.filled, rest: order.rest, recordSz: order.rest, ...extra };
    // The record's size is frozen at the last change of status (PROTOCOL 4.13).
    if (last && last.status === status) entry.recordSz = last.recordSz;
    if (last && last.status === status) entry.statusT = last.statusT;
    else entry.statusT = entry.t + this.skew();
    order.hist.push(entry);
    this.tell({ kind: "order", order, entry, statusChange: !last || last.status !== status });
  }
  make(o, coin) {
    const order = {
      oid: this.nextOid++,
      cloid: o.c ?? null,
      coin: coin.name,
      asset: coin.asset,
      side: o.b ? "B" : "A",
      px: D(o.p),
      size: D(o.s),
      rest: D(o.s),
      filled: 0n,
      reduceOnly: o.r,
      tif: o.t.limit?.tif ?? null,
      trigger: o.t.trigger ?? null,
      born: this.now(),
      wire: this.now() + this.skew(),
      hist: [],
      children: [],
      fired: false,
    };
    this.orders.set(order.oid, order);
    if (order.cloid) this.byCloid.set(order.cloid, [...(this.byCloid.get(order.cloid) ?? []), order]);
    return order;
  }
  live(order) {
    const s = order.hist.at(-1)?.status;
    return s === "open" || s === "triggered";
  }
  position(name) {
    return this.positions.get(name)?.at(-1) ?? { szi: 0n, entry: 0n, margin: 0n, t: 0 };
  }
  setPosition(name, p) {
    this.positions.set(name, [...(this.positions.get(name) ?? []), { ...p, t: this.now() }]);
    this.tell({ kind: "position", coin: name });
  }
  // One execution against a stranger: positions, cash, fills and the order's history move in the same instant.
  execute(order, size, px, { crossed = false, twapId = null, liquidation = false } = {}) {
    const coin = this.coins.get(order.coin);
    const take = least(size, order.rest);
    if (take <= 0n) return 0n;
    const signed = order.side === "B" ? take : -take;
    const before = this.isSpot(coin) ? this.spotTotal(this.baseOf(order.coin)) : this.position(order.coin).szi;
    const rate = crossed ? D("0.00045") : D("0.00015");
    const fee = (mul(mul(take, px), rate) / 100n) * 100n;
    const closed = this.isSpot(coin)
      ? this.moveSpot(order, signed, px, fee)
      : this.movePerp(order.coin, signed, px, fee);
    order.rest -= take;
    order.filled += take;
    const buy = order.side === "B";
    const dir = this.isSpot(coin)
      ? buy
        ? "Buy"
        : "Sell"
      : before === 0n || before > 0n === buy
        ? buy
          ? "Open Long"
          : "Open Short"
        : abs(signed) > abs(before)
          ? buy
            ? "Short > Long"
            : "Long > Short"
          : buy
            ? "Close Short"
            : "Close Long";
    const fill = {
      t: this.now(),
      wire: this.now() + this.skew(),
      coin: order.coin,
      px,
      sz: take,
      side: order.side,
      startPosition: before,
      dir,
      closedPnl: closed,
      fee,
      oid: order.oid,
      cloid: order.cloid,
      crossed,
      tid: this.nextTid++,
      twapId,
      liquidation,
    };
    this.fills.push(fill);
    this.tell({ kind: "fill", fill });
    if (order.rest === 0n) this.note(order, "filled");
    else if (order.hist.length) this.note(order, order.hist.at(-1).status);
    this.shrinkReducers(order.coin);
    return take;
  }
  baseOf(name) {
    return name === "PURR/USDC" ? "PURR" : "HYPE";
  }
  spotTotal(token) {
    return this.spot.get(token)?.at(-1).total ?? 0n;
  }
  setSpot(token, total, hold = 0n) {
    this.spot.set(token, [...(this.spot.get(token) ?? []), { t: this.now(), total, hold }]);
    this.tell({ kind: "spot", token });
  }
  moveSpot(order, signed, px, fee) {
    const token = this.baseOf(order.coin);
    this.setSpot(token, this.spotTotal(token) + signed);
    this.setSpot("USDC", this.spotTotal("USDC") - mul(signed, px) - fee);
    return 0n;
  }
  movePerp(name, signed, px, fee) {
    const p = this.position(name);
    const next = p.szi + signed;
    let closed = 0n;
    let entry = p.entry;
    if (p.szi === 0n || p.szi > 0n === signed > 0n) {
      entry = ((mul(abs(p.szi), p.entry) + mul(abs(signed), px)) * SCALE) / abs(next);
    } else {
      const size = least(abs(signed), abs(p.szi));
      closed = mul(px - p.entry, p.szi > 0n ? size : -size);
      if (next !== 0n && next > 0n !== p.szi > 0n) entry = px;
      if (next === 0n) entry = 0n;
    }
    this.cash.push({ t: this.now(), v: this.cash.at(-1).v + closed - fee });
    this.setPosition(name, { szi: next, entry, margin: next === 0n ? 0n : p.margin });
    return closed;
  }
  // Reduce-only orders that rest shrink with the position, and go where nothing is left.
  shrinkReducers(name) {
    const szi = this.position(name).szi;
    for (const o of this.orders.values()) {
      if (o.coin !== name || !o.reduceOnly || !this.live(o) || (o.trigger && !o.fired)) continue;
      const can = szi > 0n && o.side === "A" ? szi : szi < 0n && o.side === "B" ? -szi : 0n;
      if (can === 0n) this.note(o, "reduceOnlyCanceled");
      else if (o.rest > can) {
        o.rest = can;
        this.note(o, "open", { recordSz: can });
      }
    }
  }
  end(order, status) {
    if (!this.live(order)) return false;
    this.note(order, status);
    return true;
  }
  setMark(name, text) {
    const coin = this.coins.get(name);
    coin.mark = D(text);
    this.tell({ kind: "mark", coin: name });
    for (const o of [...this.orders.values()]) {
      if (o.coin !== name || !o.trigger || o.fired || !this.live(o)) continue;
      const up = (o.trigger.tpsl === "tp") === (o.side === "A");
      const at = D(o.trigger.triggerPx);
      if (up ? coin.mark >= at : coin.mark <= at) this.fire(o, coin);
    }
  }
  fire(o, coin) {
    o.fired = true;
    this.note(o, "triggered");
    const szi = this.position(o.coin).szi;
    const can = o.side === "A" ? (szi > 0n ? szi : 0n) : szi < 0n ? -szi : 0n;
    if (o.reduceOnly && can === 0n) return this.note(o, "reduceOnlyRejected");
    const [bid, ask] = this.bbo(coin);
    const px = o.side === "B" ? ask : bid;
    const good = o.side === "B" ? px <= o.px : px >= o.px;
    if (!good) return this.note(o, o.trigger.isMarket ? "marketOrderNoLiquidityRejected" : "open");
    const size = o.reduceOnly && can < o.rest ? can : o.rest;
    const got = this.execute(o, size, px, { crossed: true });
    if (o.rest > 0n && got > 0n) this.note(o, "filled");
  }
  at(list, T) {
    let found = null;
    for (const e of list ?? []) {
      if (e.t > T) break;
      found = e;
    }
    return found;
  }
}
