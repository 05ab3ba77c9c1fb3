// What truly happened: one log, and the rules that make it. Nothing here lags or lies; `views.mjs` does that.
// Sizes and prices are integers of 1e-8 inside.
const unit = 100_000_000;
export const q = (text) => Math.round(Number(text) * unit);
export const d = (n) => {
  const text = (n / unit).toFixed(8).replace(/0+$/, "");
  return text.endsWith(".") ? `${text}0` : text;
};
/** As a client would write it: no trailing `.0`. */
export const plain = (n) => d(n).replace(/\.0$/, "");

const perps = [
  ["BTC", 5, 40, 95000],
  ["ETH", 4, 25, 2500],
  ["ATOM", 2, 5, 4],
  ["SOL", 2, 20, 150],
  ["DOGE", 0, 10, 0.2],
];
const xyz = [
  ["xyz:XYZ100", 4, 20, 25000],
  ["xyz:TSLA", 3, 10, 300],
  ["xyz:NVDA", 3, 10, 180],
  ["xyz:GOLD", 3, 10, 3900],
];
const perp = ([name, szDecimals, maxLeverage]) => ({ szDecimals, name, maxLeverage, marginTableId: maxLeverage });

export class Truth {
  constructor({ owner, source = "b" }) {
    this.owner = owner.toLowerCase();
    this.source = source;
    this.log = [];
    this.orders = new Map();
    this.byCloid = new Map();
    this.fills = [];
    this.twaps = new Map();
    this.leverages = [];
    this.margins = [];
    this.seeds = [];
    this.agents = new Map();
    this.nonces = new Map();
    this.actions = [];
    this.builders = new Map();
    this.nextOid = 556_000_000_000 + Math.floor(Math.random() * 1e9);
    this.nextTwap = 77_700_000 + Math.floor(Math.random() * 10_000);
    this.listeners = new Set();
    this.prices = new Map([...perps, ...xyz].map(([name, , , px]) => [name, px]));
    this.prices.set("PURR/USDC", 0.2).set("@107", 30);
    this.startedAt = Date.now();
    this.lists = [{ t: 0, dexes: { "": perps.map(perp), xyz: xyz.map(perp) } }];
    this.liquidity = new Map();
    this.forgotten = new Set();
  }

  now() {
    return Date.now();
  }

  note(kind, text, data = {}) {
    const line = { t: this.now(), kind, text, ...data };
    this.log.push(line);
    return line;
  }

  emit(event) {
    for (const listener of this.listeners) listener(event);
  }

  // --- markets -------------------------------------------------------------------------------------------------
  listAt(t) {
    return this.lists.filter((list) => list.t <= t).at(-1) ?? this.lists[0];
  }

  changeList(change) {
    const next = structuredClone(this.lists.at(-1).dexes);
    change(next);
    this.lists.push({ t: this.now(), dexes: next });
    this.note("markets", "the market list changed");
  }

  swap(one, other) {
    this.changeList((dexes) => {
      const list = dexes[one.includes(":") ? one.split(":")[0] : ""];
      const i = list.findIndex((each) => each.name === one);
      const j = list.findIndex((each) => each.name === other);
      [list[i], list[j]] = [list[j], list[i]];
    });
  }

  coinOf(asset) {
    const { dexes } = this.lists.at(-1);
    if (asset >= 100_000) return dexes.xyz[asset - 110_000]?.name ?? null;
    if (asset === 10_000) return "PURR/USDC";
    if (asset === 10_107) return "@107";
    return dexes[""][asset]?.name ?? null;
  }

  rulesOf(coin) {
    const dex = coin.includes(":") ? coin.split(":")[0] : "";
    return (
      this.lists.at(-1).dexes[dex]?.find((each) => each.name === coin) ?? { szDecimals: 2, maxLeverage: 1, name: coin }
    );
  }

  ask(coin) {
    return q(this.prices.get(coin) * 1.0002);
  }

  bid(coin) {
    return q(this.prices.get(coin) * 0.9998);
  }

  // --- orders --------------------------------------------------------------------------------------------------
  newOrder(fields) {
    const oid = fields.oid ?? this.nextOid++;
    const order = {
      oid,
      cloid: null,
      tif: "Gtc",
      reduceOnly: false,
      trigger: null,
      ours: true,
      replaces: null,
      createdAt: this.now(),
      closedAt: null,
      versions: [],
      filled: 0,
      limitSz: null,
      ...fields,
    };
    order.oid = oid;
    order.user = fields.user ?? this.owner;
    this.orders.set(oid, order);
    if (order.cloid) this.byCloid.set(order.cloid, [...(this.byCloid.get(order.cloid) ?? []), oid]);
    this.note(
      "order",
      `${order.ours ? "" : "FOREIGN "}${oid} ${order.side === "B" ? "buy" : "sell"} ${plain(order.origSz)} ${order.coin} at ${plain(order.limitPx)} ${order.tif} cloid ${order.cloid}${order.replaces ? ` replaces ${order.replaces}` : ""}`,
      { oid },
    );
    return order;
  }

  setStatus(order, status, isClosed) {
    const t = this.now();
    order.versions.push({ t, status, filled: order.filled });
    if (isClosed) order.closedAt = t;
    this.note("status", `${order.oid} ${status}, filled ${plain(order.filled)} of ${plain(order.origSz)}`, {
      oid: order.oid,
      status,
    });
    this.emit({ kind: "order", order, status, t, sz: status === "filled" ? 0 : order.origSz - order.filled });
  }

  crosses(order) {
    return order.side === "B" ? order.limitPx >= this.ask(order.coin) : order.limitPx <= this.bid(order.coin);
  }

  /** Places what an action asked for; answers the exchange's own status entry. */
  place(wire, { replaces = null, insteadOf = null, actionId = null, ours = true, forceAlo = false } = {}) {
    const coin = this.coinOf(wire.a);
    if (coin === null) return { error: `Invalid asset. asset=${wire.a}` };
    const suffix = ` asset=${wire.a}`;
    const decimals = (wire.s.split(".")[1] ?? "").length;
    if (decimals > this.rulesOf(coin).szDecimals) return { error: "Order has invalid size." };
    const trigger = wire.t.trigger ?? null;
    const fields = {
      coin,
      side: wire.b ? "B" : "A",
      limitPx: q(wire.p),
      origSz: q(wire.s),
      reduceOnly: wire.r,
      cloid: wire.c ? wire.c.toLowerCase() : null,
      tif: trigger ? null : forceAlo ? "Alo" : wire.t.limit.tif,
      trigger,
      replaces,
      insteadOf,
      actionId,
      ours,
    };
    const order = this.newOrder(fields);
    const refuse = (status, error) => {
      this.setStatus(order, status, true);
      return { error: `${error}${suffix}` };
    };
    if (!order.reduceOnly && (order.origSz / unit) * (order.limitPx / unit) < 10)
      return refuse("minTradeNtlRejected", "Order must have minimum value of $10.");
    if (order.reduceOnly && !trigger) {
      const szi = this.positionAt(this.now(), coin).szi;
      if (szi === 0 || szi > 0 === (order.side === "B"))
        return refuse("reduceOnlyRejected", "Reduce only order would increase position.");
    }
    if (trigger) {
      this.setStatus(order, "open", false);
      return { resting: entry(order) };
    }
    const isCrossing = this.crosses(order);
    if (order.tif === "Alo" && isCrossing)
      return refuse(
        "badAloPxRejected",
        `Post only order would have immediately matched, bbo was ${d(this.bid(coin))}@${d(this.ask(coin))}.`,
      );
    const isIoc = order.tif === "Ioc" || order.tif === "FrontendMarket";
    if (isIoc && !isCrossing)
      return refuse("iocCancelRejected", "Order could not immediately match against any resting orders.");
    if (!isIoc) this.setStatus(order, "open", false);
    if (!isCrossing) return { resting: entry(order) };
    const there = this.liquidity.get(coin) ?? Number.MAX_SAFE_INTEGER;
    const size = Math.min(order.origSz, there);
    const px = order.side === "B" ? this.ask(coin) : this.bid(coin);
    this.record(order, size, px, true);
    if (order.filled === order.origSz || isIoc) this.setStatus(order, "filled", true);
    if (order.filled < order.origSz && !isIoc) return { resting: entry(order) };
    return { filled: { totalSz: d(order.filled), avgPx: d(px), ...entry(order) } };
  }

  record(order, size, px, crossed) {
    const before = this.positionAt(this.now(), order.coin).szi;
    order.filled += size;
    const t = this.now();
    const fill = {
      t,
      coin: order.coin,
      px,
      sz: size,
      side: order.side,
      startPosition: before,
      oid: order.oid,
      crossed,
      tid: Math.floor(Math.random() * 2 ** 50),
      cloid: order.cloid,
      ours: order.ours,
      twapId: order.twapId ?? null,
    };
    this.fills.push(fill);
    if (order.ours)
      this.note(
        "fill",
        `${order.oid} fills ${plain(size)} at ${plain(px)} (${plain(order.filled)} of ${plain(order.origSz)})`,
        { oid: order.oid },
      );
    this.emit({ kind: "fill", fill, t });
    return fill;
  }

  /** Another side takes a part of a resting order. */
  fill(oid, sizeText, px) {
    const order = this.orders.get(oid);
    if (order.closedAt !== null) throw new Error(`scene: ${oid} is closed, nothing can fill it`);
    const size = Math.min(sizeText === undefined ? order.origSz : q(sizeText), order.origSz - order.filled);
    this.record(order, size, px === undefined ? order.limitPx : q(px), false);
    if (order.filled === order.origSz) this.setStatus(order, "filled", true);
    return order;
  }

  close(oid, status = "canceled") {
    const order = this.orders.get(oid);
    if (order.closedAt === null) this.setStatus(order, status, true);
  }

  /** A trigger order fires: it becomes a plain one, by default under the same number. */
  fire(oid, { asNewOid = false, size } = {}) {
    const order = this.orders.get(oid);
    this.setStatus(order, "triggered", asNewOid);
    let live = order;
    if (asNewOid) {
      live = this.newOrder({
        ...order,
        oid: this.nextOid++,
        versions: [],
        createdAt: this.now(),
        closedAt: null,
        firedFrom: oid,
        trigger: null,
        tif: "Gtc",
      });
      this.setStatus(live, "open", false);
    }
    if (size !== undefined) {
      this.record(live, q(size), live.limitPx, true);
      if (live.filled === live.origSz) this.setStatus(live, "filled", true);
    }
    return live;
  }

  find(reference) {
    if (typeof reference === "number") return this.orders.get(reference) ?? null;
    const oids = this.byCloid.get(String(reference).toLowerCase()) ?? [];
    return oids.length > 0 ? this.orders.get(oids.at(-1)) : null;
  }

  foreign(fields) {
    const order = this.newOrder({
      ours: false,
      tif: "Gtc",
      ...fields,
      origSz: q(fields.origSz),
      limitPx: q(fields.limitPx),
    });
    this.setStatus(order, fields.status ?? "open", fields.status !== undefined && fields.status !== "open");
    return order;
  }

  /** Trading of somebody else on the same account, far more of it than one page shows. */
  addForeignFills(count, { coin = "DOGE", fromMs = 0, stepMs = 1 } = {}) {
    const first = this.now() - fromMs;
    for (let i = 0; i < count; i++) {
      const t = fromMs === 0 ? this.now() : Math.floor(first + i * stepMs);
      this.fills.push({
        t,
        coin,
        px: q("0.2"),
        sz: q("100"),
        side: i % 2 ? "A" : "B",
        startPosition: 0,
        oid: this.nextOid++,
        crossed: false,
        tid: Math.floor(Math.random() * 2 ** 50),
        cloid: null,
        ours: false,
        twapId: null,
      });
    }
    this.note("foreign", `${count} foreign fills in ${coin}`);
  }

  addForeignOrders(count, coin = "DOGE") {
    for (let i = 0; i < count; i++) {
      const oid = this.nextOid++;
      this.orders.set(oid, {
        oid,
        cloid: null,
        coin,
        side: "B",
        limitPx: q("0.1"),
        origSz: q("200"),
        tif: "Gtc",
        reduceOnly: false,
        trigger: null,
        ours: false,
        user: this.owner,
        createdAt: this.now(),
        closedAt: this.now(),
        filled: 0,
        replaces: null,
        versions: [
          { t: this.now(), status: "open", filled: 0 },
          { t: this.now(), status: "canceled", filled: 0 },
        ],
      });
    }
    this.note("foreign", `${count} foreign orders in ${coin}`);
  }

  // --- positions, leverage, margin -----------------------------------------------------------------------------
  seedPosition(coin, szi, entry, { isCross = true, leverage = 20 } = {}) {
    this.seeds.push({
      coin,
      szi: q(szi),
      entry: q(entry),
      collateral: Math.abs((q(szi) / unit) * Number(entry)) / leverage,
    });
    this.leverages.push({ t: 0, coin, isCross, leverage });
  }

  leverageAt(t, coin) {
    return (
      this.leverages.filter((each) => each.coin === coin && each.t <= t).at(-1) ?? {
        isCross: true,
        leverage: Math.min(20, this.rulesOf(coin).maxLeverage),
      }
    );
  }

  positionAt(t, coin) {
    let szi = 0;
    let entry = 0;
    const seed = this.seeds.find((each) => each.coin === coin);
    if (seed) ({ szi, entry } = seed);
    for (const fill of this.fills) {
      if (fill.coin !== coin || fill.t > t) continue;
      const signed = fill.side === "B" ? fill.sz : -fill.sz;
      const after = szi + signed;
      if (szi === 0 || szi > 0 === signed > 0)
        entry = (Math.abs(szi) * entry + Math.abs(signed) * fill.px) / Math.abs(after || 1);
      else if (after !== 0 && after > 0 !== szi > 0) entry = fill.px;
      szi = after;
    }
    const added = this.margins
      .filter((each) => each.coin === coin && each.t <= t)
      .reduce((sum, each) => sum + each.ntli / 1e6, 0);
    const leverage = this.leverageAt(t, coin);
    const collateral = (seed ? seed.collateral : (Math.abs(szi / unit) * (entry / unit)) / leverage.leverage) + added;
    return { coin, szi, entry, collateral, ...leverage };
  }

  coinsHeldAt(t) {
    const coins = new Set([...this.seeds.map((each) => each.coin), ...this.fills.map((each) => each.coin)]);
    return [...coins].map((coin) => this.positionAt(t, coin)).filter((each) => each.szi !== 0);
  }

  // --- signed actions ------------------------------------------------------------------------------------------
  /** Null when the nonce may be used (and now is), else the refusal. */
  takeNonce(signer, nonce, expiresAfter) {
    const now = this.now();
    const used = this.nonces.get(signer) ?? { all: new Set(), top: [] };
    this.nonces.set(signer, used);
    if (used.all.has(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
    const floor = Math.max(used.top.length >= 100 ? used.top[0] : 0, now - 2 * 86_400_000);
    if (nonce <= floor) return `Invalid nonce: nonce too low ${nonce} < ${floor}`;
    if (nonce > now + 86_400_000) return `Invalid nonce: nonce too high ${nonce} > ${now + 86_400_000}`;
    used.all.add(nonce);
    used.top.push(nonce);
    used.top.sort((a, b) => a - b);
    if (used.top.length > 100) used.top.shift();
    if (expiresAfter && expiresAfter < now) return "Action already expired";
    return null;
  }

  freeNonce(signer, nonce) {
    const used = this.nonces.get(signer);
    used.all.delete(nonce);
    used.top = used.top.filter((each) => each !== nonce);
  }

  execute(action, meta) {
    const run = doers[action.type];
    if (!run) return err(`not modelled: ${action.type}`);
    return run(this, action, meta);
  }
}

const entry = (order) => ({ oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) });
const err = (response) => ({ status: "err", response });
const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const gone = (asset) => ({ error: `Order was never placed, already canceled, or filled. asset=${asset}` });

const cancelOne = (truth, reference, asset) => {
  const order = truth.find(reference);
  if (!order || order.closedAt !== null || order.coin !== truth.coinOf(asset) || !order.versions.length)
    return gone(asset);
  truth.setStatus(order, "canceled", true);
  return "success";
};

const modifyOne = (truth, { oid, order: wire }, isAlways, meta) => {
  const target = truth.find(oid);
  const isLive = target && target.closedAt === null;
  if (!isLive && !isAlways) return { error: "Cannot modify canceled or filled order" };
  if (isLive && (target.coin !== truth.coinOf(wire.a) || (target.side === "B") !== wire.b))
    return { error: "Attempted to modify to invalid new order" };
  if (!isAlways && (wire.t.trigger || wire.t.limit.tif === "Ioc"))
    return { error: "Attempted to modify to invalid new order" };
  if (isLive) truth.setStatus(target, "canceled", true);
  const insteadOf = !isLive && target?.versions.at(-1)?.status === "canceled" ? target.oid : null;
  return truth.place(wire, { ...meta, replaces: isLive ? target.oid : null, insteadOf, forceAlo: !isAlways });
};

const doers = {
  order: (truth, action, meta) => ok("order", { statuses: action.orders.map((each) => truth.place(each, meta)) }),
  cancel: (truth, action) => ok("cancel", { statuses: action.cancels.map(({ a, o }) => cancelOne(truth, o, a)) }),
  cancelByCloid: (truth, action) =>
    ok("cancel", { statuses: action.cancels.map(({ asset, cloid }) => cancelOne(truth, cloid, asset)) }),
  batchModify: (truth, action, meta) =>
    ok("order", { statuses: action.modifies.map((each) => modifyOne(truth, each, action.a === true, meta)) }),
  modify: (truth, action, meta) => {
    const status = modifyOne(truth, action, action.a === true, meta);
    return status.error ? err(status.error) : ok("default");
  },
  noop: () => ok("default"),
  updateLeverage: (truth, action) => {
    const coin = truth.coinOf(action.asset);
    const rules = truth.rulesOf(coin);
    if (action.leverage < 1 || action.leverage > rules.maxLeverage) return err("Invalid leverage value");
    const held = truth.positionAt(truth.now(), coin);
    if (held.szi !== 0 && held.isCross !== action.isCross)
      return err("Cannot switch leverage type with open position.");
    truth.leverages.push({ t: truth.now(), coin, isCross: action.isCross, leverage: action.leverage });
    truth.note("leverage", `${coin} ${action.leverage}x ${action.isCross ? "cross" : "isolated"}`, { coin });
    return ok("default");
  },
  updateIsolatedMargin: (truth, action) => {
    const coin = truth.coinOf(action.asset);
    const held = truth.positionAt(truth.now(), coin);
    if (held.szi === 0) return err("Cannot update margin for empty position.");
    if (held.isCross) return err("Position does not use isolated margin.");
    truth.margins.push({ t: truth.now(), coin, ntli: action.ntli });
    truth.note("margin", `${coin} ${action.ntli / 1e6} USDC`, { coin });
    return ok("default");
  },
  twapOrder: (truth, { twap }) => {
    const coin = truth.coinOf(twap.a);
    const status = (data) => ok("twapOrder", { status: data });
    if (twap.m < 5) return status({ error: `Invalid TWAP duration: ${twap.m} min(s)` });
    const twapId = truth.nextTwap++;
    const t = truth.now();
    truth.twaps.set(twapId, {
      twapId,
      coin,
      side: twap.b ? "B" : "A",
      sz: q(twap.s),
      minutes: twap.m,
      reduceOnly: twap.r,
      randomize: twap.t,
      createdAt: t,
      executed: 0,
      versions: [{ t, status: "activated" }],
    });
    truth.note("twap", `${twapId} runs: ${twap.b ? "buy" : "sell"} ${twap.s} ${coin} over ${twap.m} min`, { twapId });
    truth.emit({ kind: "twap", twapId, t });
    return status({ running: { twapId } });
  },
  twapCancel: (truth, { t: twapId }) => {
    const twap = truth.twaps.get(twapId);
    const status = (data) => ok("twapCancel", { status: data });
    if (twap?.versions.at(-1).status !== "activated")
      return status({ error: "TWAP was never placed, already canceled, or filled." });
    twap.versions.push({ t: truth.now(), status: "terminated" });
    truth.note("twap", `${twapId} terminated`, { twapId });
    truth.emit({ kind: "twap", twapId, t: truth.now() });
    return status("success");
  },
  scheduleCancel: () => ok("default"),
  reserveRequestWeight: () => ok("default"),
};
