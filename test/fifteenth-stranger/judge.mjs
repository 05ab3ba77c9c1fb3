// Every statement against the ledger. FALSE: a fact that was not so. STALE: older than the second that reads are promised, without its age.
import { parse } from "./exchange.mjs";
import { D, S, short } from "./ledger.mjs";

const CLOSED = ["filled", "canceled", "rejected"];

export class Judge {
  constructor(ledger) {
    this.ledger = ledger;
    this.found = [];
  }
  say(kind, note, text) {
    const key = `${kind}|${text}`;
    const same = this.found.find((f) => f.key === key);
    if (same) return same.count++;
    this.found.push({ key, kind, count: 1, at: note.t1 - this.ledger.began, from: note.from, text });
  }
  objects(value, out = []) {
    if (Array.isArray(value)) for (const v of value) this.objects(v, out);
    else if (value && typeof value === "object") {
      if (value.object) out.push(value);
      for (const v of Object.values(value)) this.objects(v, out);
    }
    return out;
  }
  // All legs of an order of Postern: the client order id is its id (DECISIONS §3), a modify hangs its replacement on the old native id;
  // of an order of elsewhere the native id that is told is the newest leg's.
  legs(order) {
    const cloid = `0x${order.id.replaceAll("-", "")}`;
    const all = [...this.ledger.orders.values()];
    const legs = [...(this.ledger.byCloid.get(cloid) ?? [])];
    if (!legs.length && order.exchange_order_id)
      legs.push(...all.filter((o) => String(o.oid) === order.exchange_order_id));
    for (const leg of legs) {
      const before = leg.displaced && leg.cloid !== cloid ? this.ledger.orders.get(leg.from) : null;
      if (before && !legs.includes(before)) legs.push(before);
    }
    for (const leg of legs)
      for (const o of all) if (o.from === leg.oid && o.displaced && !legs.includes(o)) legs.push(o);
    return legs;
  }
  filledAt(legs, T) {
    return this.ledger.fills
      .filter((f) => f.t <= T && legs.some((l) => l.oid === f.oid))
      .reduce((a, f) => a + f.sz, 0n);
  }
  liveAt(leg, T) {
    const s = this.ledger.at(leg.hist, T)?.status;
    return s === "open" || s === "triggered";
  }
  judge(told) {
    for (const note of told) {
      let body;
      try {
        body = parse(note.raw);
      } catch {
        continue;
      }
      const removed = note.from.startsWith("event") && /removed/.test(note.from);
      for (const o of removed ? [] : this.objects(body)) {
        if (o.object === "order" && o.status) this.order(o, note);
        if (o.object === "operation") this.operation(o, note);
        if (o.object === "fill") this.fill(o, note);
        if (o.object === "trade") this.trade(o, note);
      }
      if (note.from.startsWith("GET /v1/positions") && note.status === 200) this.positions(body, note);
    }
    this.replays(told);
    this.doubles(told);
    return this.found;
  }
  since(note) {
    const read = note.from.startsWith("event") ? 60_000 : 1_500;
    return Math.min(note.t0 - read, note.asOf ? Date.parse(note.asOf) - 1_500 : Number.POSITIVE_INFINITY);
  }
  order(o, note) {
    const legs = this.legs(o);
    const now = note.t1;
    const filledNow = this.filledAt(legs, now);
    const filledEnd = this.filledAt(legs, Number.POSITIVE_INFINITY);
    const who = `${o.id.slice(-6)} ${o.side} ${o.size} ${o.market}: told ${o.status} filled ${o.filled_size} error ${JSON.stringify(o.error)?.slice(0, 150)}`;
    const live = legs.filter((l) => this.liveAt(l, now));
    const closed = CLOSED.includes(o.status);
    if (o.filled_size !== null && D(o.filled_size) > filledNow)
      this.say("FALSE", note, `${who}; filled truly ${S(filledNow)}`);
    if (o.status === "rejected") {
      if (
        legs.some((l) => l.hist.some((h) => h.status === "open")) &&
        !legs.every((l) => l.hist.at(-1).status.endsWith("Rejected"))
      )
        this.say("FALSE", note, `${who}; it was taken, filled ${S(filledEnd)}`);
      else if (filledEnd > 0n) this.say("FALSE", note, `${who}; it filled ${S(filledEnd)}`);
    }
    if ((o.status === "filled" || o.status === "canceled") && live.length)
      this.say(
        "FALSE",
        note,
        `${who}; ${live.length} leg(s) live, rest ${live.map((l) => S(this.ledger.at(l.hist, now).rest))}`,
      );
    if (closed && o.status !== "rejected" && D(o.filled_size ?? "0") !== filledEnd)
      this.say("FALSE", note, `${who}; filled at the end ${S(filledEnd)}`);
    if (closed && o.status !== "rejected" && !legs.length) this.say("FALSE", note, `${who}; the exchange never had it`);
    if (o.status === "filled" && D(o.size) !== filledEnd)
      this.say("FALSE", note, `${who}; a whole fill of what filled ${S(filledEnd)}`);
    if (o.average_price && filledNow > 0n && D(o.filled_size) === filledNow) {
      const fs = this.ledger.fills.filter((f) => f.t <= now && legs.some((l) => l.oid === f.oid));
      const avg = fs.reduce((a, f) => a + f.px * f.sz, 0n) / filledNow;
      if (D(o.average_price) !== avg) this.say("FALSE", note, `${who}; average ${o.average_price}, truly ${S(avg)}`);
    }
    if (o.exchange_order_id && !legs.some((l) => String(l.oid) === o.exchange_order_id))
      this.say("FALSE", note, `${who}; native id ${o.exchange_order_id} is not of it`);
    // An order that was over in the instant in which it was taken was open at no time that a server could show.
    if (
      ["open", "waiting_for_trigger"].includes(o.status) &&
      legs.length &&
      legs.every((l) => l.hist.at(-1).status !== "open" && l.hist.at(-1).t - l.hist[0].t <= 2)
    )
      this.say(
        "FALSE",
        note,
        `${who}; it was never open: ${legs.map((l) => l.hist.at(-1).status)} as it was taken, filled ${S(filledEnd)}${note.replayed ? " (stored answer)" : ""}`,
      );
    if (["open", "waiting_for_trigger"].includes(o.status) && !note.replayed) this.opened(o, note, legs, who);
  }
  opened(o, note, legs, who) {
    const T = this.since(note);
    if (!legs.length) return this.say("FALSE", note, `${who}; the exchange never had it`);
    const newest = Math.max(...legs.map((l) => l.hist.at(-1).t));
    const wasLive = legs.some((l) =>
      l.hist.some(
        (h, i) =>
          (h.status === "open" || h.status === "triggered") &&
          h.t <= note.t1 &&
          (l.hist[i + 1]?.t ?? Number.POSITIVE_INFINITY) >= T,
      ),
    );
    if (!wasLive) this.say("STALE", note, `${who}; over since ${note.t0 - newest} ms (as of ${note.asOf})`);
    if (o.filled_size !== null && D(o.filled_size) < this.filledAt(legs, T))
      this.say("STALE", note, `${who}; filled ${S(this.filledAt(legs, T))} (as of ${note.asOf})`);
    const live = legs.filter((l) => this.liveAt(l, T) && this.liveAt(l, note.t1));
    if (live.length === 1 && !note.from.startsWith("event") && live[0].hist.at(-1).t < T) {
      const whole = this.filledAt(legs, note.t1) + live[0].rest;
      if (D(o.size) !== whole && !o.error && !o.reduce_only)
        this.say("SIZE", note, `${who}; size told ${o.size}, what was filled and rests ${short(whole)}`);
    }
  }
  operation(o, note) {
    const did =
      note.request && this.ledger.actions.filter((a) => a.executed && a.t >= note.t0 - 60_000 && a.t <= note.t1);
    if (!did || note.from.startsWith("GET")) return;
    const kind = {
      leverage: "updateLeverage",
      isolated_margin: "updateIsolatedMargin",
      twap: "twapOrder",
      twap_cancel: "twapCancel",
    }[o.action];
    const mine = did.filter((a) => a.action.type === kind);
    const ok = mine.some((a) => a.effect || a.twap || /success/.test(JSON.stringify(a.answer)));
    if (o.status === "succeeded" && !ok)
      this.say("FALSE", note, `operation ${o.action} succeeded; nothing of the kind took effect`);
    if (o.exchange_id && !this.ledger.twaps.has(Number(o.exchange_id)))
      this.say("FALSE", note, `twap ${o.exchange_id} does not exist`);
  }
  fill(o, note) {
    const f = this.ledger.fills.find((x) => String(x.oid) === o.exchange_order_id && o.id.includes(String(x.tid)));
    if (!f) return this.say("FALSE", note, `fill ${o.id} of ${o.exchange_order_id} ${o.size} never was`);
    if (D(o.size) !== f.sz || D(o.price) !== f.px || o.side !== (f.side === "B" ? "buy" : "sell") || D(o.fee) !== f.fee)
      this.say(
        "FALSE",
        note,
        `fill ${o.id}: told ${o.side} ${o.size} at ${o.price} fee ${o.fee}, truly ${f.side} ${S(f.sz)} ${S(f.px)} ${S(f.fee)}`,
      );
  }
  // "Protected" is that stops which rest cover what is held: at some moment of the time that the statement is about.
  trade(o, note) {
    if (!o.protected || D(o.held_size ?? "0") === 0n) return;
    const T = this.since(note);
    const stops = [...this.ledger.orders.values()].filter(
      (x) => x.coin === o.market && x.trigger?.tpsl === "sl" && x.reduceOnly,
    );
    const moments = [note.t1, T, ...stops.flatMap((x) => x.hist.map((h) => h.t)).filter((t) => t >= T && t <= note.t1)];
    const covered = moments.some(
      (t) =>
        stops.filter((x) => this.liveAt(x, t)).reduce((a, x) => a + this.ledger.at(x.hist, t).rest, 0n) >=
        D(o.held_size),
    );
    if (!covered)
      this.say(
        "FALSE",
        note,
        `trade ${o.id.slice(-6)} told protected with ${o.held_size} held; no stops that cover it`,
      );
  }
  positions(body, note) {
    for (const [name, hist] of this.ledger.positions) {
      const told = body.data.find((p) => p.market === name);
      const signed = told ? D(told.size) * (told.side === "long" ? 1n : -1n) : 0n;
      const T = this.since(note);
      const values = [
        this.ledger.at(hist, T)?.szi ?? 0n,
        ...hist.filter((h) => h.t > T && h.t <= note.t1).map((h) => h.szi),
      ];
      if (!values.includes(signed))
        this.say("FALSE", note, `position ${name} told ${S(signed)}, truly ${values.map(S)} (as of ${note.asOf})`);
    }
  }
  replays(told) {
    const first = new Map();
    for (const n of told) {
      if (!n.idem || n.status >= 300) continue;
      const key = `${n.from}|${n.idem}`;
      if (n.status !== 202 && first.has(key) && first.get(key) !== n.raw)
        this.say(
          "FALSE",
          n,
          `answer of key ${n.idem} changed: ${first.get(key).slice(0, 600)} -> ${n.raw.slice(0, 600)}`,
        );
      if (n.status === 202 && first.has(key)) this.say("FALSE", n, `answer of key ${n.idem} went back to unknown`);
      if (n.status !== 202) first.set(key, n.raw);
    }
  }
  // One key, one order: of the client order ids that the exchange took none twice without a modify.
  doubles() {
    for (const [cloid, list] of this.ledger.byCloid)
      if (list.length > 1)
        this.say("DOUBLE", { t1: Date.now(), from: "ledger" }, `${cloid} taken ${list.length} times`);
  }
}
