// Holds what was told against the exchange's log: orders here; refusals, rails, trades and stops in files of their own.

import { shown } from "./actions.mjs";
import { isLive } from "./books.mjs";
import { judgeRails } from "./judge-rails.mjs";
import { judgeStops } from "./judge-stops.mjs";
import { judgeTrade, judgeTradesAtEnd } from "./judge-trades.mjs";
import { lastAt } from "./truth.mjs";
import { over, parse, times } from "./units.mjs";
import { judgeText } from "./words.mjs";

export class Judge {
  constructor(stage) {
    this.stage = stage;
    this.faults = [];
    this.counts = new Map();
    this.unjudged = new Map();
    this.last = new Map();
  }

  count(what) {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  fault(what, told, truth) {
    this.faults.push({ what, told, truth });
  }

  /** A claim: whether it was so at any moment of the window. */
  claim(what, isSo, told, truth) {
    this.count(what);
    if (!isSo) this.fault(what, told, truth);
  }

  all() {
    const { gateway } = this.stage;
    const events = gateway.streams.flatMap((s) =>
      s.events.map((e) => ({ ...e, who: s.who, from: e.to - this.stage.grace, isEvent: true })),
    );
    const told = [...gateway.told, ...events].sort((a, b) => a.to - b.to);
    for (const one of told) this.one(one);
    this.rest();
    judgeRails(this);
    judgeStops(this);
    judgeTradesAtEnd(this);
  }

  one(told) {
    const value = told.isEvent ? told.value?.data : told.value;
    if (value === null || value === undefined) return;
    if (value.error?.code !== undefined) return this.refusal(told, value.error);
    const rows = value.object === "list" ? value.data : [value];
    for (const row of rows) {
      if (row.object === "order") this.order(told, row);
      if (row.object === "trade") judgeTrade(this, told, row);
      if (row.object === "operation") this.operation(told, row);
    }
    if (value.object === "order_story") this.story(told, value);
  }

  refusal(told, { code, message }) {
    this.count(`refused ${code}`);
    if (told.status === 429 || code === "not_ready") return;
    judgeText(this, told, message, { code });
  }

  legsOf(row) {
    const { books, truth } = this.stage;
    const legs = books.legs(row.id);
    if (legs.length > 0) return legs;
    const order = truth.byOid.get(row.exchange_order_id ?? "");
    return order === undefined ? [] : [order];
  }

  order(told, row) {
    if (told.method === "GET" && told.path.startsWith("/v1/orders?") && !told.path.includes("status=open")) return;
    const legs = this.legsOf(row);
    const { grace } = this.stage;
    const from = Math.min(told.from, told.asOf ?? told.from) - grace;
    const liveAt = (t) => legs.some((o) => isLive(lastAt(o.versions, t)));
    const filledAt = (t) => legs.reduce((a, o) => a + (lastAt(o.versions, t)?.filled ?? 0n), 0n);
    const about = () => ({ from: told.from, to: told.to, legs: legs.map(shown) });
    // What a repeated key is answered is of its first answer.
    if (told.isReplay) return;
    if (row.status === "open" || row.status === "waiting_for_trigger")
      this.claim(
        `order ${row.status}`,
        legs.some((o) => wasLive(o, from, told.to)),
        row,
        about(),
      );
    if (["filled", "canceled", "rejected"].includes(row.status)) {
      this.claim(`order ${row.status}`, !liveAt(told.to), row, about());
      if (row.status === "rejected") this.claim("rejected without a fill", filledAt(told.to) === 0n, row, about());
      if (row.status === "filled") this.claim("filled has fills", filledAt(told.to) > 0n, row, about());
    }
    if (row.filled_size !== null) {
      const filled = parse(row.filled_size);
      this.claim("filled_size is not more than was", filled <= filledAt(told.to), row, about());
      const before = this.last.get(row.id) ?? 0n;
      if (!told.isEvent && told.from > (this.last.get(`${row.id} at`) ?? 0)) {
        this.claim("filled_size does not fall", filled >= before, row, { before, ...about() });
        this.last.set(row.id, filled);
        this.last.set(`${row.id} at`, told.to);
      }
    }
    if (row.error !== null) judgeText(this, told, row.error, { code: `order ${row.status}`, legs, row });
  }

  operation(told, row) {
    if (row.error !== null && !told.isReplay)
      judgeText(this, told, row.error, { code: `operation ${row.status}`, row });
  }

  story(told, value) {
    const legs = this.legsOf(value.order);
    this.order(told, value.order);
    for (const leg of value.legs)
      if (leg.reason !== null)
        judgeText(this, told, leg.reason, {
          code: "leg reason",
          legs: legs.filter((o) => o.cloid === leg.client_order_id),
          all: legs,
          row: value.order,
        });
    for (const step of value.steps)
      judgeText(
        this,
        { ...told, from: Date.parse(step.at) - this.stage.grace, isStep: true },
        `${step.what}: ${step.detail}`,
        { code: "step", legs, row: value.order },
      );
    for (const attempt of value.attempts) {
      if (attempt.waits_for !== null)
        judgeText(this, told, attempt.waits_for, { code: "waits_for", legs, row: value.order });
    }
  }

  /** At rest every order is told as it is, with its fills and its price to the digit. */
  rest() {
    const { books, truth } = this.stage;
    for (const order of truth.orders)
      if (order.by === "gateway" && !order.twapId && order.t < books.readAtMs)
        this.claim("an order at the exchange is some key's", books.owner(order) !== "nobody", shown(order), null);
    const seen = new Set();
    for (const order of truth.orders.filter((o) => o.cloid !== null)) {
      this.claim("one order for a client order id", !seen.has(order.cloid), shown(order), null);
      seen.add(order.cloid);
    }
    for (const row of books.rows.values()) {
      const legs = books.legs(row.id);
      if (row.status === "unknown" || row.status === "processing") continue;
      const about = legs.map(shown);
      const filled = legs.reduce((a, o) => a + o.filled, 0n);
      const isOver = (t) => !legs.some((o) => isLive(lastAt(o.versions, t)));
      const isToldOver = ["filled", "canceled", "rejected"].includes(row.status);
      this.claim(
        "at rest: over or not",
        [isOver(row.readAt), isOver(row.readAt - this.stage.grace)].includes(isToldOver),
        row,
        about,
      );
      this.claim("at rest: filled_size", parse(row.filled_size ?? "0") === filled, row, about);
      if (filled === 0n || row.average_price === null) continue;
      const oids = new Set(legs.map((o) => o.oid));
      const paid = truth.fills.filter((f) => oids.has(f.oid)).reduce((a, f) => a + times(f.px, f.sz), 0n);
      this.claim(
        "at rest: average_price",
        parse(row.average_price) - over(paid, filled) <= 1n && over(paid, filled) - parse(row.average_price) <= 1n,
        row,
        about,
      );
    }
  }
}

/** Whether it could still execute at any moment between both. */
function wasLive({ versions }, from, to) {
  return versions.some((v, i) => isLive(v) && v.t <= to && (versions[i + 1]?.t ?? to) >= from);
}
