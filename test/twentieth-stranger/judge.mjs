// Each word that was told, held against the exchange's log: what it says must have been so between its two moments.
import { size as abs, parse, show } from "./figures.mjs";
import { at, cut6, during } from "./truth.mjs";

const FINAL = new Set(["filled", "canceled", "rejected"]);

export class Judge {
  constructor({ truth, views, legs, graceMs, account, keys }) {
    Object.assign(this, { truth, views, legs, graceMs, account, keys, findings: [], counts: {} });
    this.told = new Map();
    this.known = new Map();
    this.firstTold = new Map();
    this.moments = truth.changes;
    this.owner = new Map();
    for (const [id, list] of legs) for (const leg of list) if (!this.owner.has(leg)) this.owner.set(leg, id);
  }

  find(what, told, true_, by) {
    this.findings.push({ what, told, truth: true_, by });
  }

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Every moment of the log from `from` to `to`, and `from` itself. */
  *times(asked, to) {
    const from = Math.max(asked, this.truth.began);
    yield from;
    let low = 0;
    let high = this.moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.moments[middle] <= from) low = middle + 1;
      else high = middle;
    }
    for (; low < this.moments.length && this.moments[low] <= to; low++) yield this.moments[low];
  }

  was(from, to, holds) {
    for (const t of this.times(from, to)) if (holds(t)) return true;
    return false;
  }

  /** The exchange's orders behind one of the gateway's. */
  legsOf(order) {
    const mine = this.legs.get(order.id);
    if (mine !== undefined && mine.length > 0) return mine;
    const native =
      order.exchange_order_id === null ? undefined : this.truth.orders.get(Number(order.exchange_order_id));
    return native === undefined ? [] : [native];
  }

  fillsOf(legs, t = Infinity) {
    return legs.flatMap((leg) => leg.fills.filter((fill) => fill.t <= t)).sort((a, b) => a.t - b.t);
  }

  sum(legs, t) {
    return this.fillsOf(legs, t).reduce((sum, fill) => sum + fill.size, 0n);
  }

  /** What was filled, after each fill. */
  sums(legs) {
    let sum = 0n;
    return [{ t: 0, sum }, ...this.fillsOf(legs).map((fill) => ({ t: fill.t, sum: (sum += fill.size) }))];
  }

  order(told, from, to, by) {
    this.count("order");
    const legs = this.legsOf(told);
    const say = (what, more = "") =>
      this.find(
        what,
        `${JSON.stringify(told)}${more}`,
        legs.map((leg) => this.truth.told(leg)).join(" | ") || "no such order at the exchange",
        by,
      );
    this.status(told, legs, from, to, say);
    if (told.filled_size !== null) this.filled(told, legs, from, to, say);
    if (told.exchange_order_id !== null && !legs.some((leg) => String(leg.oid) === told.exchange_order_id))
      say("native id that is none of its orders");
    // A repeat of a key is told what was told the first time.
    if (!by.replayed) this.after(told, from, to, by, say);
  }

  status(told, legs, from, to, say) {
    const isOpen = ({ status }) => status === "open" || status === "triggered";
    const live = (t) => legs.some((leg) => this.truth.isLive(leg, t));
    const wasOpen = (list) => list.some((leg) => during(leg.versions, from, to).some(isOpen));
    const liveLater = () =>
      legs.some((leg) => leg.versions.some((v) => v.t >= to && (v.status === "open" || v.status === "triggered"))) ||
      live(to);
    const total = this.sum(legs, Infinity);
    if (told.status === "open" && !wasOpen(legs)) say("open, and was not");
    if (told.status === "waiting_for_trigger" && !wasOpen(legs.filter((leg) => leg.trigger)))
      say("waiting for its trigger, and was not");
    if (!FINAL.has(told.status)) return;
    if (liveLater()) say(`${told.status}, and is open`);
    if (
      told.status === "rejected" &&
      (total > 0n || legs.some((leg) => leg.versions.length > 0 && !/Rejected$/.test(leg.versions.at(-1).status)))
    )
      say("rejected, and the exchange took it");
    if (told.status === "filled" && told.filled_size !== null && parse(told.filled_size) !== total)
      say("filled, and with another size");
    if (told.status === "filled" && total === 0n) say("filled, and nothing was");
    if (told.status === "canceled" && told.filled_size !== null && parse(told.filled_size) !== total)
      say("canceled, and with another filled size");
    if (told.status === "canceled" && legs.length > 0 && total >= parse(told.size) && legs.length === 1)
      say("canceled, and was filled whole");
  }

  filled(told, legs, from, to, say) {
    const amount = parse(told.filled_size);
    const sums = this.sums(legs);
    if (!during(sums, 0, to).some(({ sum }) => sum === amount)) return say("a filled size that never was");
    if (!FINAL.has(told.status) && !during(sums, from, to).some(({ sum }) => sum === amount))
      say("a filled size of before");
    if (told.average_price === null) {
      if (amount > 0n) say("no average price of what is filled");
      return;
    }
    let sum = 0n;
    let worth = 0n;
    for (const fill of this.fillsOf(legs)) {
      if (sum >= amount) break;
      sum += fill.size;
      worth += fill.size * fill.price;
    }
    const exact = worth / sum;
    const off = abs(parse(told.average_price) - exact);
    if (off >= 10_000n) say(`average price, by ${show(exact)}`);
  }

  /** What was told before it, in answers that had ended: nothing final changes, nothing filled shrinks. */
  after(told, _from, to, by, say) {
    // That the outcome of a modify is not known yet takes back no end of what it was to replace.
    if (told.status === "unknown" && /\/modify .* 202$/.test(by.line)) return;
    const before = this.told.get(told.id) ?? [];
    for (const one of before) {
      if (one.to > by.from) continue;
      if (FINAL.has(one.status) && one.status !== told.status)
        say(`${told.status} after ${one.status}`, ` AFTER ${one.by.line}`);
      if (one.filled !== null && told.filled_size !== null && parse(told.filled_size) < one.filled)
        say("a filled size that shrinks", ` AFTER ${show(one.filled)} by ${one.by.line}`);
      if (one.filled !== null && one.filled > 0n && told.filled_size === null)
        say("no filled size after one", ` AFTER ${show(one.filled)} by ${one.by.line}`);
    }
    before.push({ to, status: told.status, filled: told.filled_size === null ? null : parse(told.filled_size), by });
    this.told.set(told.id, before);
    const fills = told.filled_size === null ? [] : this.fillsOf(this.legsOf(told));
    let sum = 0n;
    for (const fill of fills) {
      if (sum >= parse(told.filled_size)) break;
      sum += fill.size;
      this.knows(fill, to);
    }
  }

  /** A fill that a client was told of: no answer that begins later may be older. */
  knows(fill, at_) {
    if (at_ >= (this.firstTold.get(fill) ?? Infinity)) return;
    this.firstTold.set(fill, at_);
    const list = this.known.get(fill.coin) ?? [];
    list.push({ at: at_, t: fill.t });
    this.known.set(fill.coin, list);
  }

  since(from, coins) {
    let t = from - this.graceMs;
    for (const coin of coins) for (const one of this.known.get(coin) ?? []) if (one.at < from && one.t > t) t = one.t;
    return t;
  }

  fill(told, by) {
    this.count("fill");
    const row = this.truth.fillOf(told.id);
    if (row === undefined) return this.find("a fill that never was", JSON.stringify(told), "none", by);
    const order = this.owner.get(row.order);
    const is = {
      market: row.coin,
      side: row.buy ? "buy" : "sell",
      price: show(row.price),
      size: show(row.size),
      fee: show(row.fee),
      realized_pnl: show(row.pnl),
      start_position: show(row.start),
      liquidity: row.crossed ? "taker" : "maker",
      exchange_order_id: String(row.oid),
      created_at: new Date(row.t).toISOString(),
      twap_id: row.twapId ? String(row.twapId) : null,
      fee_token: row.feeToken,
      direction: row.dir,
      liquidation: row.liquidation !== undefined,
    };
    for (const [name, value] of Object.entries(is))
      if (told[name] !== value) this.find(`a fill's ${name}`, JSON.stringify(told), `${name} ${value}`, by);
    if (order !== undefined && told.order_id !== null && told.order_id !== order)
      this.find("a fill of another order", JSON.stringify(told), order, by);
    if (order !== undefined && told.order_id === null && by.late)
      this.find("a fill without its order", JSON.stringify(told), order, by);
    if (order === undefined && told.order_id !== null && row.order.by !== "gateway" && !this.legs.has(told.order_id))
      this.find("a stranger's fill with an order", JSON.stringify(told), row.order.by, by);
    return undefined;
  }

  fillList(list, asOf, by) {
    for (const fill of list) this.fill(fill, by);
    if (asOf === null || list.length >= 500) return;
    const shown = new Set(list.map(({ id }) => id.split("-").pop()));
    for (const row of this.truth.fills)
      if (row.t <= Date.parse(asOf) && !shown.has(String(row.tid)))
        this.find(
          "a list of fills that lacks one",
          `as of ${asOf}`,
          `fill ${row.tid} of ${row.coin} at ${row.t % 1_000_000}`,
          by,
        );
  }

  position(told, from, to, by) {
    this.count("position");
    const size = parse(told.size) * (told.side === "short" ? -1n : 1n);
    const start = this.since(from, [told.market]);
    const entry = (p) => (p.szi === 0n ? 0n : cut6((p.entry * 10n ** 12n) / abs(p.szi)));
    const versions = during(this.truth.markets.get(told.market).positions, start, to);
    if (!versions.some(({ szi }) => szi === size)) {
      return this.find(
        "a position's size that was not",
        JSON.stringify(told),
        this.positions(told.market, start, to),
        by,
      );
    }
    if (
      size !== 0n &&
      told.entry_price &&
      !versions.some((version) => version.szi === size && entry(version) === parse(told.entry_price))
    )
      this.find("a position's entry price", JSON.stringify(told), this.positions(told.market, start, to), by);
    return undefined;
  }

  positions(coin, from, to) {
    const list = [];
    for (const t of this.times(from, to)) {
      const { szi } = this.truth.position(coin, t);
      if (list.length === 0 || list[list.length - 1].szi !== szi) list.push({ t, szi });
    }
    return `from ${from % 1_000_000} to ${to % 1_000_000}: ${list
      .slice(-12)
      .map(({ t, szi }) => `${t % 1_000_000} ${show(szi)}`)
      .join(", ")}`;
  }

  positionList(list, from, to, by) {
    for (const one of list) this.position(one, from, to, by);
    for (const market of this.truth.markets.values()) {
      if (market.spot || list.some((one) => one.market === market.coin)) continue;
      const start = this.since(from, [market.coin]);
      if (!during(market.positions, start, to).some(({ szi }) => szi === 0n))
        this.find("a position that is missing", `no ${market.coin}`, this.positions(market.coin, start, to), by);
    }
  }

  balances(told, from, to, by) {
    this.count("account");
    for (const one of told.perpetuals) {
      const coins = [...this.truth.markets.values()].filter((m) => m.dex === one.dex).map((m) => m.coin);
      const start = this.since(from, coins);
      const seen = [...this.times(start, to)].map((t) => this.truth.account(one.dex, t));
      for (const [name, field] of [
        ["equity", "worth"],
        ["margin_used", "used"],
        ["withdrawable", "withdrawable"],
      ])
        if (!seen.some((state) => cut6(state[field]) === cut6(parse(one[name]))))
          this.find(
            `${name} of "${one.dex}" that was not`,
            JSON.stringify(one),
            `from ${start % 1_000_000} to ${to % 1_000_000}: ${seen
              .slice(-8)
              .map((s) => show(s[field], 6))
              .join(", ")}`,
            by,
          );
    }
    const spotCoins = [...this.truth.markets.values()].filter((m) => m.spot).map((m) => m.coin);
    for (const one of told.spot) {
      const start = this.since(from, spotCoins);
      const seen = [...this.times(start, to)].map((t) => ({
        t,
        total: at(this.truth.tokens.get(one.token_id), t).total,
        hold: this.truth.hold(one.token_id, t),
      }));
      const cut = (value) => (value / 10_000n) * 10_000n;
      for (const name of ["total", "hold"])
        if (!seen.some((state) => cut(state[name]) === parse(one[name])))
          this.find(
            `spot ${name} of ${one.token} that was not`,
            JSON.stringify(one),
            `from ${start % 1_000_000} to ${to % 1_000_000}: ${[...new Set(seen.map((s) => show(s[name], 8)))].slice(-8).join(", ")}`,
            by,
          );
    }
  }

  /** What is shown as open was; what was told to be open, and was all the while, is shown. */
  openList(list, from, to, by, toldOpen) {
    const shown = new Set(list.map(({ exchange_order_id }) => exchange_order_id));
    // A full page is not the whole of it.
    if ((by.asOf !== null && by.asOf !== undefined) || list.length >= 500) return;
    for (const order of this.truth.live(from)) {
      if (!this.truth.isLive(order, to) || shown.has(String(order.oid))) continue;
      if (order.versions.some((v) => v.t > from && v.t <= to && !v.part && v.status !== "open")) continue;
      const id = this.owner.get(order);
      const known = id === undefined ? order.by === "hand" : toldOpen(id, by.from);
      if (known && order.t < from)
        this.find("an open order that the list lacks", `${list.length} orders`, this.truth.told(order), by);
    }
  }
}
