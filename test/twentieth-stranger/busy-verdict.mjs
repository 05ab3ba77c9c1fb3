// What a busy account was told, beside all that every run is held to: refusals, outcomes that stay unknown, stops, trips and what it cost.
import { Tally } from "./tally.mjs";
import { Verdict } from "./verdict.mjs";

const END = { line: "the end", from: 0, to: 0, asOf: null, late: false };
/** Of honest quick servers an answer comes by then, and what is over needs no longer. */
const QUICK_P99_MS = 2500;
const MEMORY_MIB = 320;
const DRAINED_MS = 45_000;

export class BusyVerdict extends Verdict {
  all() {
    const judge = super.all();
    this.refusals();
    this.retryAfter();
    this.unanswered();
    this.stuck();
    this.stopped();
    this.tripped();
    this.costs();
    this.limitsHit();
    return judge;
  }

  refused(entry, by) {
    const code = entry.value?.error?.code;
    // A stop, a trip and the exchange's own room for orders are what these worlds are for.
    if (code === "trading_stopped" && this.storms !== null && this.underStop(entry)) return undefined;
    // What the machine was too slow for may be asked again, and when is told.
    if (code === "internal_error" && entry.retryAfterMs > 0) return undefined;
    if (code === "internal_error")
      return this.find("an error within", JSON.stringify(entry.value), this.logAt(entry), by);
    if (code === "too_many_open_orders" && this.nearFull(entry)) return undefined;
    if (entry.status === 404 && entry.path.startsWith("/v1/stops/"))
      return this.find("a stop that is not found", entry.path, "", by);
    return super.refused(entry, by);
  }

  underStop({ from, to, who }) {
    return this.storms.stops.some(
      (stop) =>
        stop.id !== undefined &&
        stop.askedAt <= to &&
        (stop.resumedAt ?? Infinity) >= from &&
        (stop.scope === "account" ||
          stop.who.hash === who ||
          (stop.who.bot !== null && this.botOf(who) === stop.who.bot)),
    );
  }

  /** What the gateway's log says of an answer. */
  logAt({ value, from }) {
    const lines = this.gateway.log.split("\n").filter((line) => /"level":(50|60)/.test(line));
    return `at ${from % 1_000_000} ${value?.error?.message ?? ""}: ${lines.slice(-3).join(" ").slice(0, 1200)}`;
  }

  botOf(hash) {
    return this.gateway.keys.find((key) => key.hash === hash)?.bot ?? null;
  }

  /** From 950 on: the lists that say how many there are may be behind. */
  nearFull({ from, to }) {
    return this.judge.was(from - this.graceMs, to, (t) => this.truth.live(t).length >= 930);
  }

  /** Where every server is quick and honest, nothing near its limit and nobody dies, nothing is refused for a while or left open. */
  refusals() {
    if (this.world.kind !== "quick" || this.world.name === "limits" || this.weight !== "0") return;
    for (const { kind, path, status, value, failed, from, to, body } of this.gateway.told) {
      if (from > this.calmAt || !(status === 202 || status === 429 || status >= 500 || failed !== undefined)) continue;
      if (kind === "cancel_all" || path.startsWith("/v1/stop") || path === "/readyz") continue;
      this.find(
        `with quick and honest servers: ${kind ?? path.split("?")[0]} ${failed ?? status} ${value?.error?.code ?? value?.status ?? ""}`,
        `${JSON.stringify(value).slice(0, 300)} after ${to - from} ms`,
        JSON.stringify(body ?? null).slice(0, 200),
        { line: `${from % 1_000_000} ${path}` },
      );
    }
  }

  retryAfter() {
    for (const { path, status, retryAfterMs, value, from } of this.gateway.told)
      if ((status === 429 || status === 503) && !(retryAfterMs > 0))
        this.find(`${status} without Retry-After`, JSON.stringify(value), "", { line: `${from % 1_000_000} ${path}` });
  }

  unanswered() {
    for (const { request, ms } of Tally.lasted(this.clients))
      if (!request.done && !this.waitsForWeight(request))
        this.find(
          `never answered: ${request.kind}`,
          `for ${ms} ms: ${(request.answers ?? []).slice(-6).map(({ status, failed, value }) => failed ?? `${status} ${value?.error?.code ?? ""}`)}`,
          JSON.stringify(request.body).slice(0, 200),
          { line: `${request.from % 1_000_000} ${request.path} ${request.key}` },
        );
  }

  /** Where our own weight is limited the whole of a storm may not have found room yet. */
  waitsForWeight({ last }) {
    return this.weight !== "0" && last?.status === 429;
  }

  /** Accepted, and nothing known of it although all has been well for so long; with a limit on our own weight it may take minutes. */
  stuck() {
    if (this.weight !== "0" || this.final.at - this.calmAt < DRAINED_MS) return;
    // What rests was placed by a repeat, after the last cancel of all.
    const isLong = (one) =>
      Date.parse(one.created_at) < this.final.at - DRAINED_MS &&
      one.status !== "open" &&
      one.status !== "waiting_for_trigger";
    for (const one of this.left.filter(isLong)) {
      const legs = one.object === "order" ? this.judge.legsOf(one) : [];
      this.find(
        `${one.status} ${Math.round((this.final.at - this.calmAt) / 1000)} s after all was well`.replace(
          /\d+ s/,
          "long",
        ),
        JSON.stringify(one),
        legs.map((leg) => this.truth.told(leg)).join(" | "),
        END,
      );
    }
  }

  increases(order) {
    if (order.by !== "gateway" || order.reduceOnly) return false;
    return !(this.truth.markets.get(order.coin).spot && !order.buy);
  }

  hashOf(order) {
    return this.keyOf.get(this.judge.owner.get(order));
  }

  ofScope(stop, order) {
    if (stop.scope === "account") return true;
    const hash = this.hashOf(order);
    return (
      hash !== undefined && (hash === stop.who.hash || (stop.who.bot !== null && this.botOf(hash) === stop.who.bot))
    );
  }

  /** After a stop is told complete nothing of it that increases is open, or comes to be, until it is ended. */
  stopped() {
    for (const stop of this.storms?.stops ?? []) {
      const by = { line: `stop ${stop.id} ${stop.scope} of ${stop.who.bot}` };
      if (stop.refused !== undefined) {
        this.find("a stop that is refused", stop.refused, "", by);
        continue;
      }
      this.judge.count("stop");
      if (stop.stoppedAt === null) {
        this.slowStop(stop, by);
        continue;
      }
      for (const order of this.truth.orders.values()) {
        if (!this.increases(order) || !this.ofScope(stop, order)) continue;
        const is = order.versions.some(
          (v, i) =>
            (v.status === "open" || v.status === "triggered") &&
            v.t <= stop.endedAt &&
            (order.versions[i + 1]?.t ?? Infinity) > stop.stoppedAt,
        );
        const fills = order.fills.filter(({ t }) => t > stop.stoppedAt && t < stop.endedAt);
        if (is || fills.length > 0)
          this.find(
            "open or filled after a stop was told complete",
            `stopped at ${stop.stoppedAt % 1_000_000}, ended at ${stop.endedAt % 1_000_000}; ${JSON.stringify(stop.last).slice(0, 300)}`,
            this.truth.told(order),
            by,
          );
      }
    }
  }

  slowStop(stop, by) {
    if (this.world.kind === "quick")
      this.find(
        "a stop that does not come to its end with quick servers",
        JSON.stringify(stop.last).slice(0, 600),
        "",
        by,
      );
  }

  /** From the trip on nothing that the bot asks for increases, until the operator ends it. */
  tripped() {
    for (const trip of this.storms?.trips ?? []) {
      this.judge.count("trip");
      for (const request of this.clients.asked.values()) {
        if (request.who.bot !== trip.bot || request.from < trip.toldAt + 50) continue;
        if (!request.done || request.last.to > trip.endedAt) continue;
        for (const id of request.ids)
          for (const leg of this.legs.get(id) ?? [])
            if (
              this.increases(leg) &&
              leg.t > request.from &&
              leg.versions.some(({ status }) => status === "open" || status === "filled")
            )
              this.find("taken after the bot had tripped", JSON.stringify(request.body), this.truth.told(leg), {
                line: request.path,
              });
      }
    }
  }

  costs() {
    const places = this.tally.places(this.calmAt);
    const p99 = places[Math.floor((places.length - 1) * 0.99)];
    if (this.world.kind === "quick" && this.weight === "0" && p99 > QUICK_P99_MS)
      this.find("p99 of a place with quick servers", `${p99} ms of ${places.length}`, `at most ${QUICK_P99_MS}`, END);
    const most = Math.max(...this.tally.memory);
    if (most > MEMORY_MIB) this.find("memory", `${most} MiB`, `at most ${MEMORY_MIB}`, END);
  }

  /** Who keeps to 1200 a minute is never told by the exchange that it was more: a death may forget some of it. */
  limitsHit() {
    const { refusals } = this.exchange.limits;
    if (refusals.weight > 0 && this.weight === "1200" && this.world.weightAMinute === 1200 && this.world.kills === 0)
      this.find("the exchange says that its weight is used up", String(refusals.weight), "our own limit is 1200", END);
  }
}
