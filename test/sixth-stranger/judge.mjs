// What was told, held against what the exchange has done.
import { round8 } from "./codec.mjs";

const at = (versions, t) => versions.findLast((v) => v.t <= t) ?? null;
const cloidOf = (id) => `0x${id.replaceAll("-", "")}`;
const TERMINAL = ["filled", "canceled", "rejected"];

export class Judge {
  constructor(world) {
    Object.assign(this, { world, chain: world.chain, findings: [] });
  }

  find(level, what, told, truth) {
    this.findings.push({ level, what, told, truth });
  }

  /** All exchange orders of one order of ours: the placing, and what has replaced it. */
  legs(id) {
    const first = [...this.chain.orders.values()].filter((o) => o.cloid === cloidOf(id));
    const legs = [...first];
    for (const leg of legs)
      legs.push(...[...this.chain.orders.values()].filter((o) => o.origin === leg.oid && !legs.includes(o)));
    return legs;
  }

  filled(legs, t = Infinity) {
    const oids = new Set(legs.map((l) => l.oid));
    return round8(
      this.chain.fills.filter((f) => oids.has(f.oid) && f.time <= t).reduce((sum, f) => sum + Number(f.sz), 0),
    );
  }

  doubles() {
    const seen = new Map();
    for (const o of this.chain.orders.values()) {
      if (!o.cloid) continue;
      if (seen.has(o.cloid))
        this.find("CRITICAL", "one client order id was placed twice", o.cloid, [seen.get(o.cloid).oid, o.oid]);
      seen.set(o.cloid, o);
    }
  }

  /** Every order ever told, as of the moment in which it was told. */
  tellings() {
    const final = new Map();
    for (const one of this.world.told) {
      const rows =
        one.body?.object === "order"
          ? [one.body]
          : one.body?.object === "list" && one.path.startsWith("/v1/orders")
            ? one.body.data
            : (one.body?.orders ?? []);
      if (Array.isArray(rows)) for (const row of rows) if (row.object === "order") this.telling(row, one, final);
    }
    const heard = new Map();
    for (const event of this.world.follower?.events ?? []) {
      const row = event.data?.data;
      if (row?.object === "order") this.telling(row, { t: event.t, asked: event.t, path: `event ${event.id}` }, heard);
    }
  }

  telling(row, one, final) {
    const legs = this.legs(row.id);
    const where = `${one.method ?? ""} ${one.path} at ${one.t} ${one.idempotency ?? ""}`;
    const brief = { id: row.id, status: row.status, filled: row.filled_size, error: row.error };
    const accepted = legs.filter((l) => !/Rejected$/.test(l.status));
    if (row.status === "rejected" && accepted.length > 0)
      this.find(
        "CRITICAL",
        "told rejected, and was taken",
        { where, ...brief },
        accepted.map((l) => [l.oid, l.status, l.versions[0].t]),
      );
    if (["filled", "canceled"].includes(row.status)) {
      const living = legs.filter(
        (l) => at(l.versions, one.t)?.isOpen && (l.versions.at(-1).t > one.t + 1) | this.chain.isOpen(l),
      );
      if (living.length > 0)
        this.find(
          "CRITICAL",
          `told ${row.status}, and can still execute`,
          { where, ...brief },
          living.map((l) => [l.oid, l.status, l.versions.at(-1).t]),
        );
      const later = legs.filter((l) => l.versions[0]?.t > one.t && !/Rejected$/.test(l.versions[0].status));
      if (later.length > 0)
        this.find(
          "CRITICAL",
          `told ${row.status}, and an order of it came later`,
          { where, ...brief },
          later.map((l) => [l.oid, l.ts]),
        );
    }
    if (row.filled_size !== null && Number(row.filled_size) > this.filled(legs, one.t + 5) + 1e-9)
      this.find("CRITICAL", "more told filled than was", { where, ...brief }, this.filled(legs, one.t));
    const before = final.get(row.id);
    if (before && TERMINAL.includes(before.status) && one.asked > before.t && before.status !== row.status)
      this.find(
        "high",
        `told ${before.status}, then ${row.status}`,
        { where, ...brief, before: before.where },
        legs.map((l) => [l.oid, l.status]),
      );
    if (!before || !TERMINAL.includes(before.status)) final.set(row.id, { status: row.status, t: one.t, where });
  }

  /** When all is calm, each order as it stands is the exchange's. */
  rest(orders) {
    const known = new Set();
    for (const row of orders) {
      const legs = this.legs(row.id);
      for (const leg of legs) known.add(leg.oid);
      const isLiving = legs.some((l) => this.chain.isOpen(l));
      const filled = this.filled(legs);
      const brief = { id: row.id, status: row.status, filled: row.filled_size, error: row.error };
      const truth = legs.map((l) => [l.oid, l.status, l.sz]);
      if (row.status === "unknown" || row.status === "processing")
        this.find("high", "still not known, a minute after all is well", brief, truth);
      else if (isLiving !== ["open", "waiting_for_trigger"].includes(row.status))
        this.find("CRITICAL", "at rest, living and told otherwise", brief, truth);
      else if (Math.abs(Number(row.filled_size ?? 0) - filled) > 1e-9)
        this.find("CRITICAL", "at rest, another size is filled", brief, { filled, truth });
    }
    for (const o of this.chain.living())
      if (!known.has(o.oid) && o.cloid)
        this.find("CRITICAL", "an order of ours lives and no row shows it", null, [o.oid, o.cloid, o.coin, o.r]);
    return known;
  }

  fills(rows) {
    const told = new Map(rows.map((f) => [f.id, f]));
    if (told.size !== rows.length) this.find("high", "a fill is listed twice", rows.length, told.size);
    for (const f of this.chain.fills) {
      const row = told.get(`${f.time}-${f.coin}-${f.tid}`);
      if (!row) this.find("high", "a fill is not listed", null, f);
      else if (
        Number(row.size) !== Number(f.sz) ||
        Number(row.price) !== Number(f.px) ||
        Number(row.fee) !== Number(f.fee)
      )
        this.find("high", "a fill is listed otherwise", row, f);
    }
    if (told.size > this.chain.fills.length)
      this.find("CRITICAL", "more fills are listed than there were", told.size, this.chain.fills.length);
  }

  performance(body) {
    if (!body?.total) return;
    if (body.complete_to === null)
      return this.find("soft", "performance is not complete at rest", body.total, this.chain.fills.length);
    const sum = (name) => this.chain.fills.reduce((total, f) => total + Number(f[name]), 0);
    const volume = this.chain.fills.reduce((total, f) => total + Number(f.sz) * Number(f.px), 0);
    const funding = this.chain.funding.reduce((total, f) => total + Number(f.delta.usdc), 0);
    const check = (what, told, truth, slack) =>
      Math.abs(Number(told) - truth) > slack && this.find("high", `performance: ${what}`, told, truth);
    check("fills", body.total.fills, this.chain.fills.length, 0);
    check("volume", body.total.volume, volume, 0.01);
    check("fees", body.total.fees, sum("fee"), 0.001);
    // What several keys realise need not sum to the account: the exchange nets them.
    if (this.world.bots.size === 1 && !this.chain.fills.some((f) => f.liquidation))
      check("realised", body.total.realized_pnl, sum("closedPnl"), 0.01);
    if (
      body.data.some((d) => d.funding !== undefined) &&
      Math.abs(Math.abs(Number(body.total.funding)) - Math.abs(funding)) > 0.001
    )
      this.find("soft", "performance: funding", body.total.funding, funding);
  }

  positions(rows) {
    for (const coin of ["BTC", "ETH", "SOL"]) {
      const row = rows.find((p) => p.market === coin);
      const told = row ? Number(row.size) * (row.side === "long" ? 1 : -1) : 0;
      if (Math.abs(told - this.chain.net(coin)) > 1e-9)
        this.find("CRITICAL", "at rest, another position is told", { coin, told }, this.chain.net(coin));
    }
  }

  events() {
    const { events, resets } = this.world.follower;
    const ids = events.filter((e) => e.id && !["ready", "reset"].includes(e.type)).map((e) => e.id);
    if (new Set(ids).size !== ids.length)
      this.find("high", "an event came twice", ids.filter((id, i) => ids.indexOf(id) !== i).slice(0, 5), null);
    for (let i = 1; i < ids.length; i++)
      if (/^\d+$/.test(ids[i]) && BigInt(ids[i]) <= BigInt(ids[i - 1]))
        this.find("high", "events out of order", [ids[i - 1], ids[i]], null);
    if (resets.length > 0) this.find("high", "a reset although nothing was lost", resets, null);
  }
}
