// Everything that was told, held against the ledger: a status, a size, a price and a reason have to have been so when they were told.

import { isKnown } from "./client.mjs";
import { ONE, units } from "./decimal.mjs";
import { fillRow } from "./ledger.mjs";

const FINAL = new Set(["filled", "canceled", "rejected"]);

export class Judge {
  findings = [];
  added = 0; // sizes that were told of spot and added to, as the documents say of quiet accounts

  constructor({ ledger, client, world }) {
    Object.assign(this, { ledger, client, world });
    this.behindMs = world.behindMs;
  }

  find(what, told, truth) {
    this.findings.push({ what, told, truth });
  }

  /** The chain of exchange orders that one order of the gateway was, by the one that has this market, side and price. */
  chain({ market, side, price }) {
    this.byPrice ??= new Map(
      [...this.ledger.orders.values()]
        .filter((order) => order.owner === "gateway")
        .map((order) => [nameOf(order), order]),
    );
    let leg = this.byPrice.get(`${market} ${side === "buy"} ${units(price)}`);
    while (leg?.replaces) leg = leg.replaces;
    const legs = [];
    for (; leg; leg = leg.replacedBy) legs.push(leg);
    return legs;
  }

  told() {
    const finals = new Map(); // by order: what was told as final, in answers and in events, each in its own order
    for (const row of this.client.told.toSorted((one, other) => one.to - other.to)) {
      this.#one(row, this.chain(row.order));
      const isEvent = row.via === "event";
      const before = finals.get(row.order.id) ?? [];
      // An answer that was begun before another was told may be of before it; events come in one row.
      const earlier = before.findLast((one) => (isEvent && one.via === "event") || one.to < row.from);
      this.#sequence(row, earlier);
      if (FINAL.has(row.order.status)) finals.set(row.order.id, [...before, row]);
    }
  }

  #one({ order, from, to, via }, legs) {
    const told = `${via}: ${brief(order)}`;
    const truth = brieflySo(legs, to);
    const fills = legs.flatMap((leg) => leg.fills).filter((fill) => fill.at <= to);
    const filled = fills.reduce((sum, fill) => sum + fill.sz, 0n);
    const last = legs.at(-1);
    const status = wordOf(last, last && this.ledger.versionAt(last, to)?.status);
    if (order.filled_size !== null && units(order.filled_size) > filled) this.find("more filled than was", told, truth);
    if (order.status === "canceled") this.#canceled({ order, told, truth, status, filled, legs, to });
    if (order.status === "filled" && status !== "filled") this.find("filled, and is not", told, truth);
    if (order.status === "filled" && order.filled_size !== null && units(order.filled_size) !== filled)
      this.find("filled, and with another size", told, truth);
    if (order.status === "rejected" && legs.some((leg) => leg.versions.some((version) => version.status === "open"))) {
      if (!(legs.length === 1 && status?.endsWith("Rejected"))) this.find("rejected, and was taken", told, truth);
    }
    if (order.status === "open" && !this.#wasOpen(legs, from - this.behindMs, to))
      this.find("open, and was not", told, truth);
    if (order.exchange_order_id && !legs.some((leg) => String(leg.oid) === order.exchange_order_id))
      this.find("another native id", told, truth);
    this.#average(order, fills, told, truth);
    this.#reason(order, status, told, truth);
  }

  #canceled({ order, told, truth, status, filled, legs, to }) {
    if (!status) return legs.length && this.find("canceled, and came later", told, truth);
    if (status === "open") return this.find("canceled, and is open", told, truth);
    if (status === "filled") return this.find("canceled, and was filled whole", told, truth);
    if (order.filled_size === null || units(order.filled_size) === filled) return undefined;
    // What the documents say of spot, where no position is: after readings of fills two seconds apart, a fill that is shown later is added.
    const ended = legs.at(-1).versions.at(-1).at;
    if (this.world.isSpotLate && isSpot(order) && to - ended > 3000) {
      this.added += 1;
      return undefined;
    }
    return this.find("canceled, and with another size", told, truth);
  }

  #wasOpen(legs, from, to) {
    return legs.some(
      (leg) => leg.placedAt <= to && (leg.versions.at(-1)?.status === "open" || leg.versions.at(-1)?.at >= from),
    );
  }

  #average(order, fills, told, truth) {
    if (order.filled_size === null || units(order.filled_size) === 0n) {
      if (order.average_price !== null) this.find("a price of nothing", told, truth);
      return;
    }
    if (order.average_price === null) {
      if (FINAL.has(order.status)) this.find("filled without a price", told, truth);
      return;
    }
    const size = units(order.filled_size);
    let sum = 0n;
    let worth = 0n;
    const sums = [];
    for (const fill of fills) {
      sum += fill.sz;
      worth += fill.sz * fill.px;
      if (sum === size) sums.push(worth);
    }
    const claimed = units(order.average_price) * size;
    const isNear = (value) => (value > claimed ? value - claimed : claimed - value) <= size * 2n;
    // Of an open order the fills that are known may be any of them; of one that is over they are all.
    if (FINAL.has(order.status) && !sums.some(isNear)) this.find("another average price", told, truth);
  }

  #reason(order, status, told, truth) {
    if (/ALARM/.test(order.error ?? "")) this.find("an alarm", told, truth);
    if (order.status === "filled" && order.error !== null && !/modify|while it was being replaced/.test(order.error))
      this.find("filled, with a reason", told, truth);
    if (order.status === "canceled" && status === "marginCanceled" && !/margin/i.test(order.error ?? ""))
      this.find("another reason", told, truth);
    if (order.status === "canceled" && status === "canceled" && /margin/i.test(order.error ?? ""))
      this.find("another reason", told, truth);
  }

  #sequence({ order, via }, earlier) {
    if (!earlier) return;
    const was = earlier.order;
    const told = `${via}: ${brief(order)} after ${earlier.via}: ${brief(was)}`;
    if (order.status !== was.status) {
      return this.find("final, and then another", told, "");
    }
    if (was.filled_size !== null && order.filled_size === null)
      return this.find("a size that was known is not", told, "");
    if (was.filled_size !== null && order.filled_size !== was.filled_size) {
      if (this.world.isSpotLate && isSpot(order)) this.added += 1;
      else this.find("final, with another size", told, "");
    }
    return undefined;
  }

  /** What stands in the end: every order final, with its figures, and each fill once. */
  atTheEnd(orders, fills) {
    const byId = new Map(orders.map((order) => [order.id, order]));
    for (const order of byId.values()) {
      const legs = this.chain(order);
      if (!legs.length) {
        if (order.status !== "rejected" && order.status !== "canceled")
          this.find("never came there, and is", brief(order), "");
        continue;
      }
      const sum = legs.flatMap((leg) => leg.fills).reduce((all, fill) => all + fill.sz, 0n);
      if (!FINAL.has(order.status)) this.find("not settled", brief(order), brieflySo(legs, Date.now()));
      else if (order.filled_size === null && order.status !== "rejected")
        this.find("a size that is not known", brief(order), brieflySo(legs, Date.now()));
      else if (order.filled_size !== null && units(order.filled_size) !== sum)
        this.find("in the end another size", brief(order), brieflySo(legs, Date.now()));
      if (order.exchange_order_id !== String(legs.at(-1).oid) && order.status !== "rejected")
        this.find("in the end another native id", brief(order), brieflySo(legs, Date.now()));
    }
    const roots = [...this.ledger.orders.values()].filter((order) => order.owner === "gateway" && !order.replaces);
    const rows = new Set(orders.map((order) => this.chain(order)[0]?.oid));
    for (const root of roots)
      if (!rows.has(root.oid)) this.find("an order without a row", "", brieflySo([root], Date.now()));
    this.#fills(fills);
  }

  #fills(rows) {
    const ours = new Map();
    for (const row of rows) {
      const name = `${row.market} ${row.side} ${units(row.price)} ${units(row.size)} ${Date.parse(row.time ?? row.created_at)}`;
      ours.set(name, (ours.get(name) ?? 0) + 1);
    }
    let missing = 0;
    for (const fill of this.ledger.fills) {
      const row = fillRow(fill);
      const name = `${row.coin} ${row.side === "B" ? "buy" : "sell"} ${fill.px} ${fill.sz} ${fill.at}`;
      const count = ours.get(name) ?? 0;
      if (count < 1) missing += 1;
      else ours.set(name, count - 1);
    }
    if (missing) this.find("fills that are not listed", `${missing} of ${this.ledger.fills.length}`, "");
    const more = [...ours.values()].reduce((sum, count) => sum + count, 0);
    if (more) this.find("fills that were none", `${more}`, JSON.stringify([...ours].find(([, count]) => count > 0)));
  }

  /** A cancel-all that is done names each order with what it became. */
  cancelAlls() {
    for (const { body, to } of this.client.cancelAlls) {
      if (body.status !== "done") continue;
      for (const row of body.results) {
        const order = this.client.orders.get(row.order_id);
        if (!order) continue;
        const legs = this.chain(order);
        const open = legs.some((leg) => this.ledger.versionAt(leg, to)?.status === "open");
        const sum = legs.flatMap((leg) => leg.fills).reduce((all, fill) => (fill.at <= to ? all + fill.sz : all), 0n);
        if (open) this.find("done, and is open", JSON.stringify(row), brieflySo(legs, to));
        if (row.filled_size !== null && units(row.filled_size) !== sum && !(this.world.isSpotLate && isSpot(order))) {
          this.find("done, and with another size", JSON.stringify(row), brieflySo(legs, to));
        }
      }
    }
  }

  /** How long after its end each order was told with its size, shortest first. */
  #waits() {
    const first = new Map();
    for (const { order, to } of this.client.told)
      if (isKnown(order) && !first.has(order.id)) first.set(order.id, { to, order });
    return [...first.values()]
      .flatMap(({ to, order }) => {
        const last = this.chain(order).at(-1);
        return last ? [{ id: order.id, ms: to - last.versions.at(-1).at }] : [];
      })
      .toSorted((one, other) => one.ms - other.ms);
  }

  delays() {
    const waits = this.#waits();
    return { middle: waits[waits.length >> 1]?.ms ?? 0, most: waits.at(-1)?.ms ?? 0, told: waits.length };
  }

  slowest() {
    return this.#waits()
      .slice(-2)
      .map(({ id }) => id);
  }
}

/** Of an order that executes at once and was filled in part the exchange says `filled`: what was left of it was canceled. */
function wordOf(leg, status) {
  return status === "filled" && leg.tif === "Ioc" && leg.filled < leg.size ? "canceled" : status;
}

function isSpot(order) {
  return order.market === "@107" || order.market.includes("/");
}

function nameOf(order) {
  return `${order.coin} ${order.isBuy} ${order.px}`;
}

function brief(order) {
  return `${order.id} ${order.market} ${order.side} ${order.size}@${order.price} ${order.status} filled ${order.filled_size} at ${order.average_price} (${order.exchange_order_id}) ${order.error ?? ""}`;
}

function brieflySo(legs, at) {
  return legs
    .map((leg) => {
      const versions = leg.versions.map((version) => `${version.status} ${version.at - at}ms`).join(", ");
      const fills = leg.fills.map((fill) => `${Number(fill.sz) / Number(ONE)} ${fill.at - at}ms`).join(", ");
      return `${leg.oid}: ${versions}; fills ${fills || "none"}`;
    })
    .join(" | ");
}
