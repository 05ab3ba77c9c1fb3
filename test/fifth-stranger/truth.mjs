// What is so: accounts, orders, fills, positions, each with the time at which it became so.
import { abs, dec, div, least, mul, plain, wire } from "./codec.mjs";

const ZERO_HASH = `0x${"0".repeat(64)}`;

export class Truth {
  constructor(markets) {
    this.markets = markets;
    this.accounts = new Map();
    this.signers = new Map(); // agent address → {account, until, state}
    this.nonces = new Map();
    this.nextOid = 500_000_000_000 + Math.floor(Date.now() % 1_000_000);
    this.nextTwap = 7_000_000 + (Date.now() % 100_000);
    this.nextTid = 1000;
    this.actions = []; // each action that was executed or refused, in order
    this.halted = null;
    this.sequence = 0;
  }

  /** All of one action happens at one time: it is in one block. */
  now() {
    return this.block ?? Date.now();
  }

  within(what) {
    this.block = Date.now();
    try {
      return what();
    } finally {
      this.block = null;
    }
  }

  account(address) {
    const key = address.toLowerCase();
    let found = this.accounts.get(key);
    if (found === undefined) {
      found = {
        address: key,
        funded: false,
        master: null,
        orders: new Map(),
        fills: [],
        positions: new Map(),
        leverage: new Map(),
        cash: { "": 0n, xyz: 0n },
        spot: new Map(),
        twaps: new Map(),
        twapRows: [],
        snaps: [],
        ledger: [],
        abstraction: "default",
        agents: [],
        events: [],
      };
      this.accounts.set(key, found);
    }
    return found;
  }

  fund(address) {
    const account = this.account(address);
    account.funded = true;
    account.cash = { "": dec("1000000"), xyz: dec("1000000") };
    account.spot.set(0, { total: dec("1000000"), entry: 0n });
    for (const market of this.markets.spot())
      account.spot.set(market.token, { total: dec("1000"), entry: mul(dec("1000"), market.mid) });
    this.snap(account);
    return account;
  }

  /** Remembers how positions and balances are from now on. */
  snap(account) {
    const positions = new Map([...account.positions].map(([coin, position]) => [coin, { ...position }]));
    account.snaps.push({
      time: this.now(),
      positions,
      leverage: new Map(account.leverage),
      cash: { ...account.cash },
      spot: new Map([...account.spot].map(([token, row]) => [token, { ...row }])),
      holds: this.holds(account),
    });
  }

  holds(account) {
    const holds = new Map();
    for (const order of account.orders.values()) {
      const market = this.markets.byCoin(order.coin);
      if (order.status !== "open" || market?.kind !== "spot") continue;
      const [token, amount] = order.side === "B" ? [0, mul(order.sz, order.limitPx)] : [market.token, order.sz];
      holds.set(token, (holds.get(token) ?? 0n) + amount);
    }
    return holds;
  }

  leverageOf(account, market) {
    return account.leverage.get(market.coin) ?? { type: "cross", value: Math.min(20, market.maxLeverage) };
  }

  /** A new state of an order: `changed` where the status is another, and not only what remains. */
  mark(_account, order, status, changed = true) {
    order.status = status;
    order.history.push({
      time: this.now(),
      sequence: ++this.sequence,
      status,
      sz: order.sz,
      limitPx: order.limitPx,
      changed,
    });
  }

  create(account, fields) {
    const order = {
      oid: this.nextOid++,
      account: account.address,
      timestamp: this.now(),
      history: [],
      filled: 0n,
      notional: 0n,
      status: null,
      replaces: null,
      fired: false,
      ...fields,
    };
    account.orders.set(order.oid, order);
    return order;
  }

  latestByCloid(account, cloid) {
    let found = null;
    for (const order of account.orders.values()) if (order.cloid === cloid) found = order;
    return found;
  }

  live(account, coin = null) {
    return [...account.orders.values()].filter(
      (order) => (order.status === "open" || order.status === "triggered") && (coin === null || order.coin === coin),
    );
  }

  /** One execution. Returns the fill. */
  fill(
    account,
    { order, market, side, size, price, taker, twapId = null, liquidation = null, oid = null, direction = null },
  ) {
    const signed = side === "B" ? size : -size;
    const before =
      market.kind === "spot"
        ? (account.spot.get(market.token)?.total ?? 0n)
        : (account.positions.get(market.coin)?.szi ?? 0n);
    const notional = mul(price, size);
    const fee = (mul(notional, taker ? 45_000n : 15_000n) / 100n) * 100n;
    const realized = market.kind === "spot" ? 0n : this.settle(account, market, signed, price);
    let feeText = wire(fee);
    let feeToken = "USDC";
    if (market.kind === "spot") ({ feeText, feeToken } = this.swap(account, market, { signed, price, fee }));
    else this.pay(account, market, fee);
    const row = {
      coin: market.coin,
      px: wire(price),
      sz: wire(size),
      side,
      time: this.now(),
      startPosition: wire(before),
      dir: direction ?? this.direction(market, before, signed),
      closedPnl: wire(realized),
      hash: twapId === null ? `0x${(++this.nextTid).toString(16).padStart(64, "a")}` : ZERO_HASH,
      oid: oid ?? order.oid,
      crossed: taker,
      fee: feeText,
      tid: ++this.nextTid,
      feeToken,
      twapId,
      ...(order?.cloid ? { cloid: order.cloid } : {}),
      ...(liquidation ? { liquidation } : {}),
    };
    account.fills.push(row);
    if (order) {
      order.filled += size;
      order.notional += notional;
      order.sz -= size;
    }
    this.snap(account);
    return row;
  }

  pay(account, market, fee) {
    account.cash[market.dex] -= fee;
  }

  swap(account, market, { signed, price, fee }) {
    const quote = account.spot.get(0);
    const base = account.spot.get(market.token) ?? { total: 0n, entry: 0n };
    const buying = signed > 0n;
    const unit = 10n ** BigInt(8 - Math.min(8, market.weiDecimals));
    const feeInBase = (div(fee, price) / unit) * unit;
    quote.total += buying ? -mul(price, signed) : mul(price, -signed) - fee;
    base.total += buying ? signed - feeInBase : signed;
    base.entry += mul(price, signed);
    account.spot.set(market.token, base);
    return buying
      ? { feeText: wire(feeInBase), feeToken: this.markets.tokenName(market) }
      : { feeText: wire(fee), feeToken: "USDC" };
  }

  direction(market, before, signed) {
    if (market.kind === "spot") return signed > 0n ? "Buy" : "Sell";
    const after = before + signed;
    if (before === 0n || before > 0n === signed > 0n) return signed > 0n ? "Open Long" : "Open Short";
    if (after !== 0n && after > 0n !== before > 0n) return before > 0n ? "Long > Short" : "Short > Long";
    return before > 0n ? "Close Long" : "Close Short";
  }

  /** Moves a position and its money; answers what was realised. */
  settle(account, market, signed, price) {
    const setting = this.leverageOf(account, market);
    const position = account.positions.get(market.coin) ?? {
      coin: market.coin,
      szi: 0n,
      entryNtl: 0n,
      leverage: { ...setting },
      raw: 0n,
    };
    const before = position.szi;
    const closing = before !== 0n && before > 0n !== signed > 0n ? least(abs(signed), abs(before)) : 0n;
    const opening = abs(signed) - closing;
    const entry = before === 0n ? 0n : div(position.entryNtl, abs(before));
    const sign = before > 0n ? 1n : -1n;
    const realized = mul(price - entry, closing) * (before === 0n ? 0n : sign);
    const isolated = position.leverage.type === "isolated";
    const flow = -(signed > 0n ? mul(price, signed) : -mul(price, -signed));
    position.szi += signed;
    position.entryNtl =
      closing > 0n
        ? opening > 0n
          ? mul(price, opening)
          : mul(entry, abs(position.szi))
        : position.entryNtl + mul(price, opening);
    if (!isolated) account.cash[market.dex] += flow;
    else {
      const held = position.raw + flow;
      const worth = held + (position.szi > 0n ? mul(price, position.szi) : -mul(price, -position.szi));
      const release = closing === 0n ? 0n : position.szi === 0n ? worth : mul(worth, div(closing, abs(before)));
      const added = opening > 0n ? mul(price, opening) / BigInt(position.leverage.value) : 0n;
      position.raw = held - release + added;
      account.cash[market.dex] += release - added;
    }
    if (position.szi === 0n) account.positions.delete(market.coin);
    else account.positions.set(market.coin, position);
    return realized;
  }

  positionSize(account, coin) {
    return account.positions.get(coin)?.szi ?? 0n;
  }

  describe(order) {
    return `${order.oid} ${order.coin} ${order.side} ${plain(order.origSz)}@${plain(order.limitPx)} ${order.status} filled ${plain(order.filled)}`;
  }
}
