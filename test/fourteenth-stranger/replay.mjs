// What the exchange accepted and executed, one thing after the other, and at each moment the worst that a bot could have come to.
import { abs, dec, div, max, min, mul, plain } from "./venue/decimal.mjs";

export function watch(venue) {
  const events = [];
  const mark = (coin) => venue.markets.get(coin).mark;
  venue.on((kind, data) => {
    if (kind === "orderUpdates") {
      for (const { order, status, statusTimestamp } of data) {
        const live = venue.open.get(order.oid);
        events.push({
          kind: "order",
          t: statusTimestamp,
          status,
          oid: order.oid,
          cloid: order.cloid ?? null,
          coin: order.coin,
          isBuy: order.side === "B",
          sz: dec(order.sz),
          px: dec(order.limitPx),
          ro: order.reduceOnly === true,
          trigger: live?.trigger ?? null,
          mark: mark(order.coin),
        });
      }
    }
    if (kind === "userFills")
      for (const fill of data)
        events.push({
          kind: "fill",
          t: fill.time,
          fill,
          oid: fill.oid,
          coin: fill.coin,
          isBuy: fill.side === "B",
          sz: dec(fill.sz),
          px: dec(fill.px),
          mark: mark(fill.coin),
        });
    if (kind === "twapHistory")
      for (const row of data)
        events.push({
          kind: "twap",
          t: Date.now(),
          id: row.twapId,
          status: row.status.status,
          coin: row.state.coin,
          isBuy: row.state.side === "B",
          sz: dec(row.state.sz),
          done: dec(row.state.executedSz),
          ro: row.state.reduceOnly,
          mark: mark(row.state.coin),
        });
  });
  return events;
}

/** For so long after an order has gone what was filled of it may be unheard, milliseconds: the latest store, and two readings of it. */
const UNHEARD_MS = 15_000;

class Books {
  constructor(ledger, names) {
    this.ledger = ledger;
    this.names = names;
    this.nets = new Map();
    this.open = new Map();
    this.turnover = new Map(names.map((name) => [name, 0n]));
    this.gone = [];
  }

  net(name, coin) {
    return this.nets.get(`${name} ${coin}`) ?? 0n;
  }

  who(oid, cloid) {
    return this.ledger.byOid.get(oid) ?? this.ledger.byCloid.get(cloid) ?? null;
  }

  step(event) {
    if (event.kind === "fill") {
      const who = this.ledger.whose(event.fill);
      const before = this.net(who, event.coin);
      this.nets.set(`${who} ${event.coin}`, before + (event.isBuy ? event.sz : -event.sz));
      if (this.turnover.has(who)) this.turnover.set(who, this.turnover.get(who) + mul(event.px, event.sz));
      const key = event.fill.twapId === null ? event.oid : `twap ${event.fill.twapId}`;
      const order = this.open.get(key);
      if (order) order.sz -= event.sz;
      return { who, before };
    }
    if (event.kind === "twap") {
      if (event.status === "activated")
        this.open.set(`twap ${event.id}`, { ...event, who: this.ledger.twaps.get(event.id) ?? null, trigger: null });
      else this.open.delete(`twap ${event.id}`);
      return { who: this.ledger.twaps.get(event.id) ?? null };
    }
    const who = this.who(event.oid, event.cloid);
    if (event.status === "open") this.open.set(event.oid, { ...event, who });
    else {
      const was = this.open.get(event.oid);
      if (was)
        this.gone = [...this.gone.filter((one) => one.goneAt > event.t - UNHEARD_MS), { ...was, goneAt: event.t }];
      this.open.delete(event.oid);
    }
    return { who };
  }

  /** What of its orders against this one was not filled, and may have been without the gateway's knowing: that is its own (docs/rails.md). */
  unheard(name, { coin, isBuy, t }) {
    return [...this.open.values(), ...this.gone.filter((one) => one.goneAt > t - UNHEARD_MS)]
      .filter((one) => one.who === name && one.coin === coin && one.isBuy !== isBuy && !one.ro)
      .reduce((sum, one) => sum + one.sz, 0n);
  }

  worst(name, coin) {
    let buys = 0n;
    let sells = 0n;
    for (const order of this.open.values()) {
      if (order.who !== name || order.coin !== coin || order.ro) continue;
      if (order.isBuy) buys += order.sz;
      else sells += order.sz;
    }
    const net = this.net(name, coin);
    return max(abs(net + buys), abs(net - sells));
  }

  openOf(name) {
    return [...this.open.values()].filter((order) => order.who === name && !order.ro).length;
  }
}

// `limits` in USD: { order, position, exposure, turnover, open, distance }.
export function judgeRails(events, names, limits, judge) {
  const { ledger } = judge;
  const books = new Books(ledger, names);
  const marks = new Map();
  for (const event of events) {
    const low = lowest(marks, event);
    const { who, before } = books.step(event);
    if (!names.includes(who)) continue;
    const text = `${who} ${event.coin} ${event.kind} ${event.status ?? ""} ${event.isBuy ? "buy" : "sell"} ${plain(event.sz)} oid ${event.oid ?? event.id} at ${new Date(event.t).toISOString()}`;
    const isAccepted =
      (event.kind === "order" && event.status === "open") ||
      (event.kind === "fill" && event.fill.crossed) ||
      (event.kind === "twap" && event.status === "activated");
    if (isAccepted && !event.ro) {
      const size = books.worst(who, event.coin);
      judge.hold(
        "rails: position",
        mul(size, low) <= dec(limits.position),
        `${text}: worst case ${plain(size)} at ${plain(low)} = ${plain(mul(size, low))} USD`,
        `${limits.position} USD`,
      );
      let all = 0n;
      for (const coin of marks.keys()) all += mul(books.worst(who, coin), marks.get(coin).low);
      judge.hold(
        "rails: exposure",
        all <= dec(limits.exposure),
        `${text}: ${plain(all)} USD`,
        `${limits.exposure} USD`,
      );
      judge.hold("rails: open orders", books.openOf(who) <= limits.open, `${text}: ${books.openOf(who)}`, limits.open);
    }
    if (event.kind === "order" && event.status === "open" && !event.ro)
      judge.hold("rails: order", mul(event.sz, min(event.px, low)) <= dec(limits.order), text, limits.order);
    if (event.kind === "fill") judgeFill(event, { who, before, text, books, limits, judge, low });
  }
}

function judgeFill(event, { who, before, text, books, limits, judge, low }) {
  // What only comes nearer to flat counts and is never refused by it.
  const after = before + (event.isBuy ? event.sz : -event.sz);
  const traded = books.turnover.get(who);
  if (abs(after) > abs(before))
    judge.hold("rails: turnover", traded <= dec(limits.turnover), `${text}: ${plain(traded)}`, limits.turnover);
  const order = judge.orderOf(event.oid);
  if (order?.reduceOnly && !order.isTrigger && event.fill.crossed) {
    const room = (event.isBuy ? -before : before) + books.unheard(who, event);
    judge.hold(
      "rails: reduces its own",
      room >= event.sz,
      `${text}: reduce-only took ${plain(event.sz)} of ${plain(room)} that it held, or may have been filled`,
      plain(room),
    );
  }
  if (!order?.reduceOnly && event.fill.twapId === null && event.fill.crossed) {
    judge.hold("rails: one fill is no more than an order", mul(event.sz, low) <= dec(limits.order), text, limits.order);
  }
  const away = event.isBuy ? event.px - event.mark : event.mark - event.px;
  judge.hold(
    "rails: distance",
    div(away, event.mark) <= dec(limits.distance),
    `${text} at ${plain(event.px)}, mark ${plain(event.mark)}`,
    limits.distance,
  );
}

// The lowest mark of the last fifteen seconds: what a rail may have been valued at.
function lowest(marks, event) {
  const seen = marks.get(event.coin) ?? { list: [], low: event.mark };
  seen.list = [...seen.list.filter((one) => one.t > event.t - 15000), { t: event.t, mark: event.mark }];
  seen.low = seen.list.reduce((low, one) => min(low, one.mark), event.mark);
  marks.set(event.coin, seen);
  return seen.low;
}
