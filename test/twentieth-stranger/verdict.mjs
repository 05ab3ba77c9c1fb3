// The whole of a run: every answer and event in the order of its coming, and then the end against the log.

import { eventsWhole, exported } from "./ends.mjs";
import { parse, show } from "./figures.mjs";
import { Judge } from "./judge.mjs";
import { mapLegs } from "./legs.mjs";
import { actionName, operationName, succeeded } from "./operations.mjs";
import { during } from "./truth.mjs";

const FINAL = new Set(["filled", "canceled", "rejected"]);
/** What may be refused where the exchange lags or fails, or the gateway starts; nothing was sent then. */
const EXCUSED = new Set([
  "book_stale",
  "exchange_unreachable",
  "not_ready",
  "draining",
  "exchange_rate_limited",
  "rate_limited",
  "idempotency_in_progress",
  "close_in_progress",
  "position_unproven",
  "rails_unproven",
  "no_price_within_bounds",
  "trade_not_modifiable",
  "order_not_modifiable",
  "rail_refused",
  "internal_error",
]);

export class Verdict {
  constructor(run) {
    Object.assign(this, run);
    this.legs = mapLegs(this.stories, this.truth);
    this.judge = new Judge({
      truth: this.truth,
      views: this.views,
      legs: this.legs,
      graceMs: this.graceMs,
      account: this.gateway.account,
    });
  }

  find(...parts) {
    this.judge.find(...parts);
  }

  all() {
    const entries = this.gateway.told
      .filter((entry) => entry.to !== null && entry.failed === undefined)
      .map((entry) => ({ at: entry.to, entry }));
    for (const { at, event } of this.events.list) entries.push({ at, event });
    entries.sort((a, b) => a.at - b.at);
    for (const { at, entry, event } of entries) {
      if (entry) this.answer(entry);
      else {
        this.eventAt = at;
        this.event(event);
      }
    }
    this.keysOnce();
    this.exchangeSide();
    this.operations();
    this.end();
    return this.judge;
  }

  grace(from) {
    return from > this.calmAt + this.graceMs ? 2500 : this.graceMs;
  }

  answer(entry) {
    const line = `${entry.from % 1_000_000}-${entry.to % 1_000_000} ${entry.method} ${entry.path} ${JSON.stringify(entry.body ?? "").slice(0, 200)} ${entry.status}${entry.asOf ? ` as of ${Date.parse(entry.asOf) % 1_000_000}` : ""}`;
    const by = {
      line,
      from: entry.from,
      to: entry.to,
      asOf: entry.asOf,
      late: entry.from > this.calmAt + 8000,
      replayed: entry.replayed,
    };
    if (entry.status >= 300) return this.refused(entry, by);
    if (entry.kind === "other")
      return this.find("a used key with another body is taken", JSON.stringify(entry.value).slice(0, 300), "409", by);
    this.judge.graceMs = this.grace(entry.from);
    const asOf = entry.asOf === null ? entry.from : Math.min(entry.from, Date.parse(entry.asOf));
    const from = asOf - this.judge.graceMs;
    const request = this.clients.asked.get(entry.key);
    return this.value(entry.value, { from: entry.replayed && request ? request.from : from, asOf, to: entry.to, by });
  }

  value(value, span) {
    const { from, asOf, to, by } = span;
    if (Array.isArray(value)) for (const one of value) this.value(one, span);
    else if (value?.object === "list") this.list(value, span);
    else if (value?.object === "order") this.judge.order(value, from, to, by);
    else if (value?.object === "order_story") this.judge.order(value.order, from - this.graceMs - 60_000, to, by);
    else if (value?.object === "account") this.judge.balances(value, asOf - 6000, to, by);
    else if (value?.object === "trade") this.trade(value, from, to, by);
    else if (value?.object === "cancel_all") this.cancelAll(value, by);
    else if (Array.isArray(value?.orders))
      this.value(
        value.orders.filter((order) => order?.object === "order"),
        span,
      );
  }

  list({ data }, { from, asOf, to, by }) {
    const path = by.line.split(" ")[2];
    if (path.startsWith("/v1/positions")) return this.judge.positionList(data, asOf, to, by);
    if (path.startsWith("/v1/fills") && path.includes("cursor="))
      return data.forEach((one) => this.judge.fill(one, by));
    if (path.startsWith("/v1/fills")) return this.judge.fillList(data, by.asOf, by);
    if (path.startsWith("/v1/orders?status=open")) {
      this.judge.openList(data, from, to, by, (id, before) => this.toldOpen(id, before));
      for (const order of data) this.judge.order(order, from, to, by);
    } else if (path.startsWith("/v1/twaps")) for (const twap of data) this.twap(twap, from, to, by);
    // A list of the record asks nobody: what it shows was so once.
    else
      for (const one of data)
        if (one.object === "order") this.judge.order(one, from - 60_000, to, by);
        else if (one.object === "trade") this.trade(one, from - 60_000, to, by);
    return undefined;
  }

  toldOpen(id, before) {
    const list = this.judge.told.get(id) ?? [];
    const last = list.filter((one) => one.to < before).at(-1);
    // A modify or cancel of it whose answer is lost makes it unknown: that may be told a moment after a list has left it out.
    const isUnknownThen = list.some((one) => one.to >= before && one.to < before + 1_000 && one.status === "unknown");
    return !isUnknownThen && last !== undefined && (last.status === "open" || last.status === "waiting_for_trigger");
  }

  twap(told, from, to, by) {
    const twap = this.truth.twaps.find(({ id }) => String(id) === told.exchange_id);
    const say = (what) =>
      this.find(
        what,
        JSON.stringify(told),
        twap ? JSON.stringify(twap.versions.map((v) => [v.t % 1_000_000, v.status, show(v.executed)])) : "none",
        by,
      );
    if (twap === undefined) return say("a TWAP that never was");
    const words = { running: "activated", finished: "finished", canceled: "terminated" };
    if (words[told.status] && !during(twap.versions, from, to).some(({ status }) => status === words[told.status]))
      say("a TWAP's status that was not");
    if (
      told.filled_size !== null &&
      !during(twap.versions, from, to).some(({ executed }) => executed === parse(told.filled_size))
    )
      say("a TWAP's size that was not");
    return undefined;
  }

  trade(told, from, to, by) {
    const entry = told.entry.order === null ? [] : (this.legs.get(told.entry.order) ?? []);
    const amount = parse(told.filled_size);
    if (!during(this.judge.sums(entry), from - 10_000, to).some(({ sum }) => sum === amount))
      this.find(
        "a trade's filled size that was not",
        JSON.stringify(told),
        entry.map((leg) => this.truth.told(leg)).join(" | "),
        by,
      );
    if (["closed", "canceled", "rejected"].includes(told.status)) {
      const ids = [told.entry.order, told.stop_loss.order, told.take_profit?.order].filter(Boolean);
      for (const leg of ids.flatMap((id) => this.legs.get(id) ?? []))
        if (this.truth.isLive(leg, to))
          this.find(
            `a trade is ${told.status}, and an order of it is open`,
            JSON.stringify(told),
            this.truth.told(leg),
            by,
          );
      if (told.status !== "closed" && this.judge.sum(entry, to) > 0n)
        this.find(
          `a trade is ${told.status}, and something was filled`,
          JSON.stringify(told),
          entry.map((leg) => this.truth.told(leg)).join(" | "),
          by,
        );
    }
  }

  cancelAll(told, by) {
    if (told.status !== "done") return;
    for (const one of told.results)
      for (const leg of this.legs.get(one.order_id) ?? []) {
        if (FINAL.has(one.status) && this.truth.isLive(leg, by.to))
          this.find(`a cancel-all says ${one.status}, and it is open`, JSON.stringify(one), this.truth.told(leg), by);
      }
  }

  refused(entry, by) {
    const code = entry.value?.error?.code;
    const say = (what, truth = "") => this.find(what, JSON.stringify(entry.value).slice(0, 400), truth, by);
    if (entry.kind === "other" && code === "idempotency_key_reused") return;
    if (
      entry.from > this.calmAt + 14_000 &&
      (entry.status === 503 || entry.status === 429) &&
      this.weight === "0" &&
      code !== "rails_unproven"
    )
      return say("refused long after all is well");
    if (EXCUSED.has(code)) return;
    if (code === "idempotency_key_reused") return say("a key is said to be used for something else");
    if (code === "nothing_to_close") {
      const coin = entry.body.market;
      // A bot closes what its own fills hold; a plain key what the account holds.
      const bot = this.gateway.keys.find(({ hash }) => hash === entry.who)?.bot;
      const start = this.judge.since(entry.from, [coin]) - 3000;
      if (bot === null && !this.judge.was(start, entry.to, (t) => this.truth.position(coin, t).szi === 0n))
        say("nothing to close, and something is held", this.judge.positions(coin, start, entry.to));
      return;
    }
    if (code === "stop_already_met" || code === "take_profit_already_met" || code === "stop_beyond_liquidation") return;
    if (code === "order_not_found" && !entry.path.endsWith("/story")) return say("an order that is not found");
    if (code === "order_refused" && entry.kind === "batch") return;
    // Of a trade that holds nothing yet a stop has to lie below what it is entered for.
    if (
      code === "invalid_parameter" &&
      entry.path.startsWith("/v1/trades/") &&
      /losing side/.test(entry.value.error.message)
    )
      return;
    say(`refused: ${code}`);
  }

  event({ type, data, created_at }) {
    const from_ = Date.parse(created_at);
    const to = Math.max(from_ + 30, Math.min(this.eventAt, from_ + 3000));
    const by = { line: `event ${type} of ${from_ % 1_000_000}`, from: from_, to, asOf: null, late: false };
    this.judge.graceMs = this.grace(to);
    const from = from_ + 30 - this.judge.graceMs;
    if (type === "order.created" || type === "order.updated") this.judge.order(data.order ?? data, from, to, by);
    else if (type === "fill.created") {
      this.judge.fill(data, by);
      const row = this.truth.fillOf(data.id);
      if (row) this.judge.knows(row, to);
    } else if (type === "position.updated")
      this.judge.position(data.side ? data : { ...data, side: "long" }, from, to, by);
    else if (type === "trade.updated" || type === "trade.created") this.trade(data, from, to, by);
    else if (type === "balance.updated") this.judge.balances(data, from - 6000, to, by);
  }

  /** Each key is one order, or one for each that was asked for; and every answer to it named the same. */
  keysOnce() {
    for (const [key, request] of this.clients.asked) {
      const single = ["limit", "alo", "ioc", "market", "trigger", "close"].includes(request.kind);
      if (single && request.ids.size > 1)
        this.find("one key, two orders", key, [...request.ids].join(" "), { line: request.path });
      if (!single) continue;
      const id = [...request.ids][0];
      const placed = (this.legs.get(id) ?? []).filter((leg) =>
        leg.versions.some((v) => v.status === "open" || v.status === "filled"),
      );
      const firsts = placed.filter((leg) => leg.cloid === `0x${id.replaceAll("-", "")}`);
      if (firsts.length > 1)
        this.find("one key was executed twice", key, firsts.map((leg) => this.truth.told(leg)).join(" | "), {
          line: request.path,
        });
    }
  }

  /** Every order that the gateway signed belongs to exactly one of its stories. */
  exchangeSide() {
    const owners = new Map();
    for (const [id, legs] of this.legs)
      for (const leg of legs) owners.set(leg.oid, [...(owners.get(leg.oid) ?? []), id]);
    for (const order of this.truth.orders.values()) {
      if (
        order.by !== "gateway" ||
        order.t > this.final.at ||
        !order.versions.some((v) => v.status === "open" || v.status === "filled")
      )
        continue;
      const of = owners.get(order.oid) ?? [];
      if (of.length !== 1)
        this.find(
          `an order of the gateway's that ${of.length} of its records name`,
          of.join(" "),
          this.truth.told(order),
          { line: "the end" },
        );
    }
    for (const { signer } of this.exchange.badSigners)
      this.find("signed by another", signer, this.exchange.agent, { line: "/exchange" });
  }

  operations() {
    const groups = new Map();
    for (const one of this.final.operations) {
      const name = operationName(one);
      groups.set(name, [...(groups.get(name) ?? []), one]);
    }
    for (const [name, list] of groups) {
      const done = this.truth.actions.filter(
        (entry) => actionName(entry.action, this.truth) === name && succeeded(entry.answer),
      ).length;
      const count = (status) => list.filter((one) => one.status === status).length;
      // Of what is a state, "succeeded" says that it is in force, whoever did it; a margin and a TWAP are each their own.
      const least = /^(twapCancel|leverage)/.test(name) ? Math.min(1, count("succeeded")) : count("succeeded");
      if (done < least || done > list.length - count("rejected"))
        this.find("operations that were not carried out so", JSON.stringify(list), `${name}: ${done} carried out`, {
          line: "the end",
        });
    }
    for (const one of this.final.operations.filter(({ action, status }) => action === "twap" && status === "succeeded"))
      if (!this.truth.twaps.some(({ id }) => String(id) === one.exchange_id))
        this.find("a TWAP's id that is none", JSON.stringify(one), "", { line: "the end" });
  }

  end() {
    const by = { line: "the end", from: Date.now(), to: Date.now(), asOf: null, late: true };
    const left = [
      ...this.final.orders.filter(({ status }) => !FINAL.has(status)),
      ...this.final.operations.filter(({ status }) => status === "processing" || status === "unknown"),
    ];
    this.left = left;
    for (const one of left)
      if (
        one.object === "order" &&
        (one.status === "open" || one.status === "waiting_for_trigger") &&
        !this.judge.legsOf(one).some((leg) => this.wasLiveSince(leg, this.final.at - 3000))
      )
        this.find(
          "open at the end, and is not",
          JSON.stringify(one),
          this.judge
            .legsOf(one)
            .map((leg) => this.truth.told(leg))
            .join(" | "),
          by,
        );
    const shown = new Set(this.final.fills.map(({ id }) => id.split("-").pop()));
    for (const row of this.truth.fills)
      if (row.t <= this.final.at && !shown.has(String(row.tid)))
        this.find(
          "a fill that is lacking at the end",
          `${this.final.fills.length} fills`,
          `${row.tid} ${row.coin} ${show(row.size)} at ${row.t % 1_000_000} of ${row.oid} (${row.order.by})`,
          by,
        );
    for (const fill of this.final.fills) this.judge.fill(fill, by);
    for (const order of this.final.orders)
      if (order.filled_size !== null && !this.hadFilled(order))
        this.find(
          "a filled size at the end",
          JSON.stringify(order),
          this.judge
            .legsOf(order)
            .map((leg) => this.truth.told(leg))
            .join(" | "),
          by,
        );
    eventsWhole(this, by);
    exported(this, by);
  }

  hadFilled(order) {
    const sums = during(this.judge.sums(this.judge.legsOf(order)), this.final.at, Infinity);
    return sums.some(({ sum }) => sum === parse(order.filled_size));
  }

  wasLiveSince(leg, t) {
    return during(leg.versions, t, Infinity).some(({ status }) => status === "open" || status === "triggered");
  }
}
